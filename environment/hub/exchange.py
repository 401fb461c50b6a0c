"""nbgrader's exchange where each student sees only his own part of it: build/hub/inbound/STUDENT and build/hub/feedback/STUDENT."""
import shutil
from pathlib import Path

from nbgrader.exchange.default.collect import ExchangeCollect
from nbgrader.exchange.default.release_feedback import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash


class Collect(ExchangeCollect):
    """Takes what lies in the students' folders, each for the student whose folder it is."""

    def init_src(self):
        exchange = Path(self.root)
        for student in sorted((exchange.parent / "inbound").glob("*")):
            for submission in sorted(student.glob("*+*+*")):
                if submission.name.split("+")[0] == student.name and submission.is_dir() and not submission.is_symlink():
                    shutil.move(submission, exchange / self.coursedir.course_id / "inbound" / submission.name)
        super().init_src()


class ReleaseFeedback(ExchangeReleaseFeedback):
    """Puts a page of feedback into the folder of its student, under the name by which nbgrader finds it there."""

    def copy_files(self):
        super().copy_files()
        for secret in Path(self.coursedir.format_path(self.coursedir.feedback_directory, "*", self.coursedir.assignment_id)).parent.parent.glob(
                "*/%s/submission_secret.txt" % self.coursedir.assignment_id):
            student = Path(self.root).parent / "feedback" / secret.parent.parent.name
            for page in secret.parent.glob("*.html") if student.is_dir() else ():
                shutil.copy(page, student / ("%s.html" % notebook_hash(secret=secret.read_text(), notebook_id=page.stem)))
