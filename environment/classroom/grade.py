"""What make release, make grade and make classroom do; they run it in the virtual environment."""
import json
import os
import secrets
import sys
import threading
import time
import unicodedata
import zlib
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import course  # noqa: E402
import tools  # noqa: E402
from classroom import isolation, judge, notebooks  # noqa: E402
from tools import Problem  # noqa: E402

CLASSROOM = course.BUILD / "classroom"
SOURCE = course.NOTEBOOKS / "assignments" / "source"


def secret(folder, given=None):
    """The seed of this class's hidden inputs: made once, kept in the class's folder."""
    if given:
        return given
    path = folder / "seed"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        course.write(path, secrets.token_hex(16))
        path.chmod(0o600)
    return path.read_text(encoding="utf-8").strip()


def assignments(source, seed):
    folders = sorted(path.parent for path in Path(source).glob("*/tasks.py"))
    if not folders:
        raise Problem("there is no assignment in %s" % source)
    return {folder.name: notebooks.load(folder, seed) for folder in folders}


class Grading:
    """One run of make grade. Verdicts are kept by what they depend on, so that a second run, or one after a crash, does what is missing."""

    def __init__(self, submitted, source=SOURCE, folder=None, database=None, seed=None, jobs=None, shard=None, isolated=True, limits=judge.Limits()):
        self.folder, self.source, self.limits = Path(folder or CLASSROOM).absolute(), Path(source), limits
        self.jobs = jobs or os.cpu_count() or 1
        self.assignments = assignments(self.source, secret(self.folder, seed))
        self.launcher = isolation.Launcher(tools.find_java(), course.JAR, self.folder / "jvm", isolated)
        self.submissions = notebooks.find(submitted, self.assignments)
        if shard:
            k, n = shard
            self.submissions = [s for s in self.submissions if zlib.crc32(s.student.encode()) % n == k - 1]
        self.database, self.shard = database, shard
        self.rows, self.looks = [], []

    def run(self):
        started = time.monotonic()
        from classroom.gradebook import Book
        book = Book(self.folder, self.database)
        wanted = sorted({s.assignment for s in self.submissions if s.assignment})
        for name in wanted:
            self._release(book, name)
        expected = self._expected(wanted)
        work, fresh = [], 0
        for submission in self.submissions:
            if not submission.assignment:
                self.looks.append((submission.student, "", "; ".join(submission.notes)))
                self.rows.append([submission.student, submission.folder, "", "", "", "", "", "", "", "", "not graded: " + "; ".join(submission.notes)])
                continue
            assignment = self.assignments[submission.assignment]
            built, notes = notebooks.rebuild(assignment, submission.cells or [])
            if submission.cells is None:
                notes = ["no notebook that can be read: counted as empty"]
            key = judge.key(assignment, built, self.launcher.runner.name, self.limits)
            work.append((submission, built, submission.notes + notes, key))
        progress = Progress(len(work))
        verdicts = {}  # of one key there is one judging, whoever handed it in
        pool = ThreadPoolExecutor(self.jobs)
        try:
            jobs = {}
            for submission, built, notes, key in work:
                if key not in verdicts:
                    verdicts[key] = pool.submit(self._verdict, self.assignments[submission.assignment], built, expected[submission.assignment], key)
                jobs.setdefault(verdicts[key], []).append((submission, built, notes, key))
            for job in as_completed(jobs):
                for submission, built, notes, key in jobs[job]:
                    self._finish(book, submission, built, notes, key, job)
                    progress.step(submission.student)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            progress.end()
        self._write(book, time.monotonic() - started, len(work))

    def _release(self, book, name):
        """The gradebook must know the assignment as it is now."""
        source = self.source / name / (name + ".ipynb")
        key = course.digest(source, book.database, "1")
        marker = self.folder / "recorded" / name / ".release"
        if not marker.exists() or marker.read_text() != key or not (self.folder / "release" / name / (name + ".ipynb")).exists():
            book.release(name, source)
            course.write(marker, key)

    def _expected(self, names):
        """What the reference solutions give, from the last run if nothing has changed."""
        found = {}
        for name in names:
            assignment = self.assignments[name]
            path = self.folder / "expected" / ("%s-%s.json" % (name, course.digest(assignment.digest, judge.code_digest(), self.launcher.runner.name)[:32]))
            if not path.exists():
                course.write(path, json.dumps(judge.reference(assignment, self.launcher.command)))
                path.chmod(0o600)
            found[name] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _verdict(self, assignment, built, expected, key):
        path = self.folder / "verdicts" / (key + ".json")
        if not path.exists():
            course.write(path.with_name("%s.%d.json" % (key, threading.get_ident())), json.dumps(judge.judge(assignment, built, expected, self.launcher.command, self.limits)))
            os.replace(path.with_name("%s.%d.json" % (key, threading.get_ident())), path)
        return json.loads(path.read_text(encoding="utf-8"))

    def _finish(self, book, submission, built, notes, key, job):
        name, student = submission.assignment, submission.student
        try:
            verdict = job.result()
            marker = self.folder / "recorded" / name / student
            receipt = json.dumps(submission.receipt) if submission.receipt else ""
            if not marker.exists() or marker.read_text() != key + book.database + receipt:
                book.record(name, student, built, key, submission.receipt)
                course.write(marker, key + book.database + receipt)
            grades = book.grades(name, student)
            book.feedback(name, student, key + grades["state"] + receipt, grades["waiting"])
            if grades["late"]:
                notes = notes + ["handed in %s late" % grades["late"]]
        except Exception as error:  # one submission must not take the others with it
            why = "NOT GRADED, run make grade again: %s" % course.one_line(error)
            self.rows.append([student, submission.folder, name, "", "", "", "", "", "", "", why])
            self.looks.append((student, name, why))
            return
        look = "; ".join(dict.fromkeys(notes + verdict["notes"]))
        self.rows.append([student, submission.folder, name, grades["score"], grades["max"], grades["auto"], grades["auto_max"], grades["written"], grades["written_max"],
                          "yes" if grades["waiting"] else "", look])
        if look:
            self.looks.append((student, name, look))

    def _write(self, book, seconds, count):
        from classroom.gradebook import write_csv
        self.rows.sort(key=lambda row: (row[2], row[0]))
        part = "-%d-of-%d" % self.shard if self.shard else ""
        write_csv(self.folder / ("grades%s.csv" % part), self.rows)
        walls = "" if self.launcher.walls else " They were graded without isolation: each could have changed the others and these files."
        text = summary(self.rows, self.looks) + "\n%d submissions in %.0f s.%s\n" % (count, seconds, walls)
        course.write(self.folder / ("summary%s.txt" % part), text)
        shown = lambda path: os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else str(path)  # noqa: E731
        course.say("\n" + text + "Grades: %s · feedback: %s · this summary: %s" % (
            shown(self.folder / ("grades%s.csv" % part)), shown(self.folder / "feedback"), shown(self.folder / ("summary%s.txt" % part))))


class Progress:
    """How many submissions are done, in one line on a terminal."""

    def __init__(self, total):
        self.total, self.done, self.started, self.moving = total, 0, time.monotonic(), sys.stdout.isatty()

    def step(self, student):
        self.done += 1
        if self.moving:
            left = (time.monotonic() - self.started) / self.done * (self.total - self.done)
            print("\r\x1b[K[%d/%d] %s · about %.0f s left" % (self.done, self.total, judge.plain(student, 40), left), end="", flush=True)
        elif self.done % 25 == 0 or self.done == self.total:
            course.say("[%d/%d] graded" % (self.done, self.total))

    def end(self):
        if self.moving:
            print("\r\x1b[K", end="", flush=True)


def width(text):
    """Columns of a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def summary(rows, looks):
    """The table, and whom to look at."""
    lines = [["student", "assignment", "score", "automatic", "by hand"]]
    for student, _, assignment, score, most, auto, auto_max, written, written_max, waiting, _ in rows:
        graded = score != ""
        lines.append([student, assignment, "%g/%g" % (score, most) if graded else "-", "%g/%g" % (auto, auto_max) if graded else "-",
                      "to do" if waiting else "%g/%g" % (written, written_max) if graded else "-"])
    lines = [[judge.plain(text, 60) for text in line] for line in lines]
    widths = [max(width(line[i]) for line in lines) for i in range(5)]
    text = ["  ".join(cell + " " * (w - width(cell)) for cell, w in zip(line, widths)).rstrip() for line in lines]
    if looks:
        text += ["", "Have a look at:"]
        text += ["  %s%s: %s" % (judge.plain(student, 60), ", " + assignment if assignment else "", judge.plain(why, 600).replace("\n", " "))
                 for student, assignment, why in sorted(looks)]
    return "\n".join(text) + "\n"


def release():
    """All student versions, made and checked."""
    from classroom.gradebook import Book
    book = Book(CLASSROOM, os.environ.get("DB") or None)
    for name in assignments(SOURCE, secret(CLASSROOM, os.environ.get("SEED"))):
        path = book.release(name, SOURCE / name / (name + ".ipynb"))
        course.say("released %s" % path.relative_to(course.ROOT))


def number(name, default=None):
    text = os.environ.get(name)
    if not text:
        return default
    if not text.isdigit() or int(text) < 1:
        raise Problem("%s=%s should be a whole number above 0" % (name, text))
    return int(text)


def grade():
    submitted = os.environ.get("SUBMITTED")
    if not submitted:
        raise Problem("make grade needs the folder of the submissions: make grade SUBMITTED=FOLDER, with FOLDER/STUDENT/….ipynb")
    shard = None
    if os.environ.get("SHARD"):
        parts = os.environ["SHARD"].split("/")
        if len(parts) != 2 or not all(p.isdigit() for p in parts) or not 1 <= int(parts[0]) <= int(parts[1]):
            raise Problem("SHARD=%s should be like 2/4: the second of four" % os.environ["SHARD"])
        if not os.environ.get("SEED"):
            raise Problem("SHARD needs SEED=…, the same on every machine: all students must get the same hidden inputs")
        shard = int(parts[0]), int(parts[1])
    isolation_ = os.environ.get("ISOLATION", "bubblewrap")
    if isolation_ not in ("bubblewrap", "none"):
        raise Problem("ISOLATION=%s should be bubblewrap or none" % isolation_)
    if isolation_ == "none":
        course.complain("Grading without isolation: submissions can read and write all that you can.")
    Grading(submitted, database=os.environ.get("DB") or None, seed=os.environ.get("SEED"), jobs=number("JOBS"), shard=shard,
            isolated=isolation_ == "bubblewrap").run()


if __name__ == "__main__":
    try:
        {"release": release, "grade": grade}[sys.argv[1]]()
    except Problem as problem:
        course.complain(str(problem))
        sys.exit(1)
    except KeyboardInterrupt:
        course.complain("\nInterrupted: what was graded is kept, run make grade again to go on.")
        os._exit(130)
