"""nbgrader's exchange where each student sees only his own part of it: build/hub/inbound/STUDENT and build/hub/feedback/STUDENT."""
import contextlib
import os
import re
import shutil
import stat
from pathlib import Path

from nbgrader.exchange.default.collect import ExchangeCollect
from nbgrader.exchange.default.release_feedback import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from classroom.notebooks import SIZE_LIMIT

NAME = r"\+[\w.-]+\+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ UTC(\+[\w=-]+)?"  # of a submission, after the student's: assignment, time, random letters


def take(submission, place):
    """Moves the files of a submission: regular ones alone, for a link would lead to what its student must not read."""
    folder = os.open(submission, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        place.mkdir()
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
                with os.fdopen(file, "rb") as given:
                    if stat.S_ISREG(os.fstat(file).st_mode):
                        (place / name).write_bytes(given.read(SIZE_LIMIT))
    finally:
        os.close(folder)
    shutil.rmtree(submission, ignore_errors=True)


class Collect(ExchangeCollect):
    """Takes what lies in the students' folders, each for the student whose folder it is."""

    def init_src(self):
        exchange = Path(self.root)
        for student in sorted((exchange.parent / "inbound").glob("*")):
            for submission in sorted(student.glob("*+*+*")):
                if re.fullmatch(re.escape(student.name) + NAME, submission.name) and submission.is_dir() and not submission.is_symlink():
                    take(submission, exchange / self.coursedir.course_id / "inbound" / submission.name)
        super().init_src()


class ReleaseFeedback(ExchangeReleaseFeedback):
    """Puts a page of feedback into the folder of its student, under the name by which nbgrader looks for it there."""

    def copy_files(self):
        pages = Path(self.coursedir.root) / self.coursedir.feedback_directory
        for secret in sorted(pages.glob("*/%s/submission_secret.txt" % self.coursedir.assignment_id)):  # not of those who handed in otherwise
            student = secret.parent.parent.name
            folder = Path(self.root).parent / "feedback" / student
            for page in secret.parent.glob("*.html"):
                name = "%s.html" % notebook_hash(secret=secret.read_text(), notebook_id=page.stem)
                shutil.copy(page, (folder if folder.is_dir() else Path(self.dest_path)) / name)  # the exchange's own, without walls
                self.log.info("Released feedback for %s", student)
