"""nbgrader's part: student versions, the gradebook, feedback. Its notebooks never run in a kernel here: verdicts come from judge.py."""
import csv
import datetime
import hashlib
import html
import json
import logging
import os
import re
import signal
import subprocess
import sys
import urllib.parse
import warnings
from functools import lru_cache
from pathlib import Path

import nbformat
from nbconvert.filters import Highlight2HTML, markdown2html_mistune
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (AssignLatePenalties, CheckCellMetadata, ClearOutput, ComputeChecksums, LockCells, NbGraderPreprocessor,
                                    OverwriteCells, OverwriteKernelspec, SaveAutoGrades, SaveCells)
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets.config import Config

from sqlalchemy.exc import SAWarning

from classroom.judge import plain
from classroom.notebooks import RECEIPT, released
from tools import Problem

warnings.filterwarnings("ignore", category=SAWarning)  # nbgrader's own

METADATA = {"kernelspec": {"display_name": "Java", "language": "java", "name": "java"},
            "language_info": {"file_extension": ".jshell", "mimetype": "text/x-java-source", "name": "java"}}


# ---- nbgrader's configuration

class ClearReferences(NbGraderPreprocessor):
    """Solutions out of the student version, as the grader's own rebuilding expects it."""

    def preprocess_cell(self, cell, resources, index):
        if "BEGIN SOLUTION" in cell.source:
            cell.source = released(cell.source)
        return cell, resources


class PutVerdict(NbGraderPreprocessor):
    """The judge's lines and points into the cells, where nbgrader would run them."""

    def preprocess(self, nb, resources):
        key = nb.metadata.get("verdict", "")
        if not re.fullmatch("[0-9a-f]{64}", key):
            raise Problem("this submission has no verdict: use make grade, which runs student code behind walls")
        verdict = json.loads((Path("verdicts") / (key + ".json")).read_text(encoding="utf-8"))
        for index, cell in enumerate(nb.cells):
            if cell.cell_type == "code":
                cell.execution_count = index + 1
                cell.outputs = list(_outputs(cell, verdict, index))
        if not coloured([cell.source for cell in nb.cells if cell.cell_type == "code"]):
            nb.metadata.language_info = {**METADATA["language_info"], "pygments_lexer": "text"}
        return nb, resources


def coloured(sources, seconds=3):
    """Whether code gets its colours in this time of the processor. The highlighter's patterns take hours for some texts, which a page then shows without."""
    def over(*_):
        raise TimeoutError
    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        highlight = Highlight2HTML(pygments_lexer="java")
        for source in sources:
            highlight(source)
        return True
    except TimeoutError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _outputs(cell, verdict, index):
    check = verdict["checks"].get(cell.metadata.get("nbgrader", {}).get("grade_id"))
    if check and cell.metadata.nbgrader.grade:
        yield new_output("stream", name="stdout", text=check["text"] + "\n")
        yield new_output("execute_result", data={"text/plain": "%.10g" % check["points"]}, execution_count=index + 1)
        return
    ran = verdict["cells"].get(str(index), {})
    text = ran.get("out", "")
    if ran.get("dropped"):
        text += "\n… and more, which is not kept\n"
    if ran.get("error"):
        text += ("\n" if text and not text.endswith("\n") else "") + "error: " + ran["error"] + "\n"
    if text:
        yield new_output("stream", name="stdout", text=text)


def configuration(folder, database=None):
    """For nbgrader's own programs, such as the panels in JupyterLab, and for ours."""
    c = Config()
    c.CourseDirectory.root = str(folder)
    database = re.sub(r"^postgres(ql)?://", "postgresql+psycopg2://", database or "")  # the driver that is in our lock
    c.CourseDirectory.course_id = "rootdk"
    c.CourseDirectory.db_url = database or "sqlite:///%s" % (Path(folder) / "gradebook.db")
    c.Exchange.root = str(Path(folder) / "exchange")
    c.GenerateAssignment.preprocessors = [LockCells, ClearReferences, ClearOutput, CheckCellMetadata, ComputeChecksums, SaveCells, CheckCellMetadata]
    c.Autograde.sanitize_preprocessors = [ClearOutput, OverwriteKernelspec, OverwriteCells, CheckCellMetadata]
    c.HTMLExporter.filters = {"markdown2html": words}
    c.Autograde.autograde_preprocessors = [PutVerdict, SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]
    return c


class Book:
    """The course's folder, with nbgrader's inside: source, release, normalised, autograded, feedback."""

    def __init__(self, folder, database=None):
        self.folder = Path(folder).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config = configuration(self.folder, database)
        self.database = self.config.CourseDirectory.db_url
        os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ.get("PATH", "")  # nbgrader calls alembic
        self.log = logging.getLogger("rootdk.nbgrader")
        self.log.propagate = False
        self.log.handlers = [logging.FileHandler(self.folder / "nbgrader.log", mode="a", encoding="utf-8", delay=True)]
        self.log.setLevel(logging.WARNING)
        try:
            with self.open():
                pass
        except Exception as error:
            raise Problem("the gradebook %s cannot be opened: %s" % (re.sub(r"//[^@/]*@", "//", self.database), plain(str(error).split("\n")[0], 200))) from None

    def open(self):
        return Gradebook(self.database, "rootdk")

    def _convert(self, converter, assignment, student, **options):
        directory = CourseDirectory(config=self.config, log=self.log)
        directory.assignment_id, directory.student_id, directory.submitted_directory = assignment, student, "normalised"
        made = converter(coursedir=directory, config=self.config, log=self.log, **options)
        made.force = True
        try:
            made.start()
        except SystemExit as error:
            raise Problem("nbgrader could not do it (%s): see %s" % (error, self.folder / "nbgrader.log")) from None

    # ---- release

    def release(self, name, source):
        """The student version of one assignment, made and checked. Returns its path."""
        copy = self.folder / "source" / name
        copy.mkdir(parents=True, exist_ok=True)
        notebook = nbformat.read(source, as_version=4)  # alone: what stands beside it is not for students
        nbformat.write(notebook, copy / (name + ".ipynb"))
        # Another machine may be recording into the same gradebook: what it knows is not written again.
        self._convert(GenerateAssignment, name, ".", no_database=self._knows(name, notebook))
        path = self.folder / "release" / name / (name + ".ipynb")
        text = path.read_text(encoding="utf-8")
        if not json.loads(text)["cells"]:
            raise Problem("%s: the student version is empty" % name)
        leaks = leaked(notebook, nbformat.reads(text, as_version=4))
        if leaks:
            path.unlink()
            raise Problem("%s is not released: the student version would hold %s" % (name, "; ".join(leaks)))
        return path

    def _knows(self, name, notebook):
        """Whether the gradebook has this very assignment."""
        with self.open() as gradebook:
            try:
                cells = {cell.name: cell.source for cell in gradebook.find_notebook(name, name).source_cells}
                points = {cell.name: cell.max_score for cell in gradebook.find_notebook(name, name).grade_cells}
            except MissingEntry:
                return False
        ours = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
        return cells == {cell.metadata.nbgrader.grade_id: released(cell.source) for cell in ours} \
            and points == {cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.points for cell in ours if cell.metadata.nbgrader.grade}

    # ---- recording

    def record(self, name, student, built, key, receipt):
        """One judged submission into the gradebook, with what nbgrader's exchange knows of it (notebooks.RECEIPT)."""
        notebook = new_notebook(metadata={**METADATA, "verdict": key})
        notebook.nbformat_minor = 5
        for index, one in enumerate(built):
            source = harmless(one.source, one.pictures) if one.kind == "markdown" and (one.cell is None or one.cell.role == "written") else one.source
            cell = (new_code_cell if one.kind == "code" else new_markdown_cell)(source)
            cell.id = "cell-%d" % index
            if one.cell:
                about = self._about(name).get(one.cell.id)
                if about:
                    cell.metadata["nbgrader"] = dict(about)
                elif one.cell.picture:
                    cell.metadata["tags"] = ["picture"]
            notebook.cells.append(cell)
        path = self.folder / "normalised" / student / name / (name + ".ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        for file in RECEIPT:
            (path.parent / file).unlink(missing_ok=True)
        for file, text in receipt.items():
            (path.parent / file).write_text(text, encoding="ascii")
        self._convert(Autograde, name, student)

    def _about(self, name):
        """nbgrader's metadata of the cells of the student version, by grade_id."""
        if name not in self.__dict__.setdefault("_abouts", {}):
            released_ = nbformat.read(self.folder / "release" / name / (name + ".ipynb"), as_version=4)
            self._abouts[name] = {cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader for cell in released_.cells if "nbgrader" in cell.metadata}
        return self._abouts[name]

    # ---- grades

    def grades(self, name, student):
        """What the gradebook says of a submission, or None: points by kind, and what a feedback page depends on."""
        with self.open() as gradebook:
            try:
                submission = gradebook.find_submission(name, student)
            except MissingEntry:
                return None
            auto = written = auto_max = written_max = 0.0
            waiting, state = [], []
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    state.append([grade.name, grade.auto_score, grade.manual_score, grade.extra_credit, grade.needs_manual_grade])
                    if grade.cell_type == "code":
                        auto, auto_max = auto + grade.score, auto_max + grade.max_score
                    else:
                        written, written_max = written + grade.score, written_max + grade.max_score
                    waiting += [grade.name] if grade.needs_manual_grade else []
                state += [[comment.name, comment.comment] for comment in notebook.comments]
            penalty = submission.late_submission_penalty or 0.0
            late = datetime.timedelta(seconds=int(submission.total_seconds_late))
            return {"late": str(late) if late else "", "auto": auto, "auto_max": auto_max, "written": written, "written_max": written_max, "waiting": waiting, "penalty": penalty,
                    "score": max(0.0, auto + written - penalty), "max": auto_max + written_max,
                    "state": hashlib.sha256(json.dumps([sorted(map(str, state)), penalty]).encode()).hexdigest()}

    # ---- feedback

    def feedback(self, name, student, key, waiting):
        """A page that needs no network and no script. Returns its path; makes it only if what it shows has changed.

        waiting: the cells whose points the teacher has still to give."""
        path = self.folder / "feedback" / student / name / (name + ".html")
        marker = self.folder / "recorded" / name / (student + ".feedback")
        if path.exists() and marker.exists() and marker.read_text() == key:
            return path
        notebook = nbformat.read(self.folder / "autograded" / student / name / (name + ".ipynb"), as_version=4)
        mathml(set().union(*(formulas_of(cell.source) for cell in notebook.cells if cell.cell_type == "markdown")))  # one start of KaTeX, not many
        self._convert(GenerateFeedback, name, student)
        path.write_text(readable(offline(path.read_text(encoding="utf-8")), waiting), encoding="utf-8")
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(key)
        return path


def leaked(source, student):
    """What a student version holds that it must not: solutions, outputs, notes to graders."""
    found = []
    shown = {line.strip() for cell in student.cells for line in cell.source.split("\n")}
    kept = {line.strip() for cell in source.cells for line in released(cell.source).split("\n")}
    for cell in source.cells:
        solution = re.findall(r"BEGIN SOLUTION[^\n]*\n(.*?)\n[^\n]*END SOLUTION", cell.source, re.S)
        for line in (line.strip() for part in solution for line in part.split("\n")):
            if len(line) > 3 and line in shown and line not in kept:
                found.append("a line of a solution (%s)" % line[:60])
    for cell in student.cells:
        if cell.get("outputs"):
            found.append("an output of %s" % cell.get("id"))
        found += ["the words %s" % word for word in ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TEST", "MARK SCHEME") if word in cell.source]
        if cell.get("attachments"):
            found.append("an attachment")
    return found


_TARGET = r"(?!\s*(?:https?://|mailto:|#))"  # of a link that may stay


def harmless(markdown, pictures=()):
    """A student's words without HTML and without links but to the web: a teacher's page must not run a student's script.

    Only what begins a tag or a link changes, by a blank: `<b` becomes `< b`, `](javascript:` becomes `] (javascript:`.
    The attached pictures (Built.pictures) are put in where the words name them.
    """
    markdown = re.sub(r"<(?=[A-Za-z/!?])", "< ", markdown)
    markdown = re.sub(r"\](?=[(:]%s)" % _TARGET, "] ", markdown)
    data = {name: "data:%s;base64,%s" % (kind, text) for name, kind, text in pictures}
    shown = lambda match: " ![](%s)" % data[urllib.parse.unquote(match[1])] if urllib.parse.unquote(match[1]) in data else match[0]  # noqa: E731
    return re.sub(r"!\[[^\[\]\n]*\] \(attachment:([^()\s]+)\)", shown, markdown)


_POLICY = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'; img-src data:; font-src data:">'


def offline(page):
    """A feedback page without scripts and what they would load."""
    page = re.sub(r"<script\b.*?</script>", "", page, flags=re.S | re.I)
    page = re.sub(r"<link\b[^>]*>|@font-face\s*\{[^}]*\}", "", page)
    page, found = re.subn(r'<meta charset="utf-8"\s*/?>', lambda meta: meta.group() + "\n" + _POLICY, page, count=1)
    if not found:
        raise Problem("nbgrader's feedback page is not as expected: it has no <meta charset>")
    return page


_WRAPPED = "<style>pre { white-space: pre-wrap !important; overflow-wrap: anywhere; }</style>"  # else long lines cannot be read on paper or a phone


def readable(page, waiting):
    """nbgrader's page with the tasks' names in its list, whole lines, and no zero where the teacher has not yet given points."""
    def entry(match):
        score = "not graded yet, of %g points" % float(match[4]) if match[1] in waiting else "%g of %g points" % (float(match[3]), float(match[4]))
        return '<a href="#%s">%s</a> (%s)' % (match[1], match[1].removesuffix("-check"), score)
    page = re.sub(r'<a href="#([\w-]+)">(Test cell|Written response)</a> \(Score: ([\d.]+) / ([\d.]+)\)', entry, page)
    for name in waiting:
        page = re.sub(r'(<a name="%s"></a>(?:(?!Score:).)*)Score: [\d.]+ / ([\d.]+)' % re.escape(name),
                      lambda match: "%snot graded yet, of %g points" % (match[1], float(match[2])), page, count=1, flags=re.S)
    if waiting:
        page = re.sub(r"(<h4>[^<]*\(Score: [\d.]+ / [\d.]+)\)", r"\1, not all of it graded yet)", page, count=1)
    return page.replace("</head>", _WRAPPED + "\n</head>", 1)


# ---- formulas

_FORMULA = re.compile(r"\$\$(?:[^$\\]|\\.)+\$\$|(?<![\\$\w])\$(?![\s$])(?:[^$\\\n<>]|\\.)+(?<!\s)\$(?!\d)|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.S)


def _parts(markdown):
    """Its HTML, cut so that every second part is code. A text is set once; one with pictures is too large to be kept."""
    return _kept_parts(markdown) if len(markdown) < 20_000 else _kept_parts.__wrapped__(markdown)


@lru_cache(1000)
def _kept_parts(markdown):
    return re.split(r"(<code\b.*?</code>)", markdown2html_mistune(markdown), flags=re.S)


def formulas_of(markdown):
    return {match.group() for part in _parts(markdown)[::2] for match in _FORMULA.finditer(part)}


def words(markdown):
    """Markdown as HTML, its formulas as MathML, which browsers set by themselves: no page needs MathJax from the network."""
    made, parts = mathml(formulas_of(markdown)), list(_parts(markdown))
    parts[::2] = [_FORMULA.sub(lambda match: made[match.group()], part) for part in parts[::2]]
    return "".join(parts)


_KATEX = """
const katex = require("katex");
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(formulas.map(([tex, display]) => {
  try { return katex.renderToString(tex, {displayMode: display, output: "mathml", throwOnError: false, trust: false, maxSize: 20, maxExpand: 200}); }
  catch (error) { return null; }
})));
"""


_made = {}  # formula -> HTML


def mathml(formulas):
    """HTML for formulas with their dollars, by KaTeX; what cannot be set stays as it is."""
    import course
    new = sorted(set(formulas) - set(_made))
    if new:
        asked = [(html.unescape(f.strip("$")), not re.match(r"\$[^$]", f)) for f in new]
        try:
            done = subprocess.run([course.VENV / "bin" / "node", "-e", _KATEX], input=json.dumps(asked), capture_output=True, text=True, timeout=60,
                                  cwd=course.HERE, check=True)
            _made.update((formula, text or formula) for formula, text in zip(new, json.loads(done.stdout)))
        except (OSError, subprocess.SubprocessError, ValueError):
            return {formula: _made.get(formula, formula) for formula in formulas}
    return {formula: _made[formula] for formula in formulas}


# ---- tables

COLUMNS = ["student", "folder", "assignment", "score", "max", "automatic", "automatic_max", "by_hand", "by_hand_max", "to_grade_by_hand", "look"]


def cell_text(text):
    """A text for a spreadsheet, which must not take it for a formula."""
    text = plain(str(text), 2000).replace("\n", " ").replace("\t", " ")
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


def write_csv(path, rows):
    draft = path.with_suffix(".draft")
    with open(draft, "w", encoding="utf-8-sig", newline="") as file:  # with a BOM, or Excel misreads names
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([cell_text(value) if isinstance(value, str) else value for value in row] for row in rows)
    os.replace(draft, path)
