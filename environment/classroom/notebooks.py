"""Assignments, submissions, and what a student has answered: the release's notebook with the student's answers in their places."""
import base64
import binascii
import contextlib
import datetime
import difflib
import hashlib
import importlib.util
import json
import math
import os
import random
import re
import stat
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from tools import Problem

SIZE_LIMIT = 64 << 20   # of a notebook file; what is larger is mostly outputs, or an attack
SOURCE_LIMIT = 20_000   # characters of one cell: what colours code and sets words takes the square of it, or more
TEXT_LIMIT = 200_000    # characters of all cells
PICTURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}  # what is kept of a photographed page, and how its bytes begin
PICTURES_LIMIT = 32 << 20  # characters of all pictures of a notebook
CELL_LIMIT = 500
EXTRA_LIMIT = 100       # cells of a student's own that are kept
NOT_SUBMITTED = {".ipynb_checkpoints", "__MACOSX", ".git", ".DS_Store"}  # what programs leave in folders
RECEIPT = ("timestamp.txt", "submission_secret.txt")  # what nbgrader's exchange puts beside a notebook
STUB = 'throw new UnsupportedOperationException("not written yet");'


# ---- assignments

@dataclass(frozen=True)
class Cell:
    """A cell of an assignment. role: given (the student's copy does not count), answer, written (an answer in words), check or free."""
    role: str
    id: str           # the grade_id, or the cell's id
    kind: str         # code or markdown
    source: str       # with the reference solution
    released: str     # as the student gets it
    picture: bool     # draws a chart, which is for the student alone
    points: float = 0


@dataclass(frozen=True)
class Assignment:
    name: str
    cells: list
    tasks: dict       # check cell -> its parts
    digest: str       # of all that a verdict depends on but the submission

    @property
    def checks(self):
        return [cell for cell in self.cells if cell.role == "check"]


def text_of(cell):
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def released(source):
    """A cell's source without what stands between BEGIN SOLUTION and END SOLUTION, in place of which a code cell throws."""
    lines, inside = [], False
    for line in source.split("\n"):
        if "BEGIN SOLUTION" in line:
            inside = True
            indent = line[:len(line) - len(line.lstrip())]
            lines += [indent + "// your code here", indent + STUB] if line.lstrip().startswith("//") else [indent + "*Your answer here.*"]
        elif "END SOLUTION" in line:
            inside = False
        elif not inside:
            lines.append(line)
    if inside:
        raise Problem("a solution has no END SOLUTION: %s" % source.strip().split("\n")[0])
    return "\n".join(lines)


def load(folder, secret):
    """The assignment in a folder of source notebooks. Raises Problem if it contradicts itself."""
    folder = Path(folder)
    name = folder.name
    notebook, program = folder / (name + ".ipynb"), folder / "tasks.py"
    try:
        data = json.loads(notebook.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Problem("assignment %s: %s" % (name, error)) from None
    cells = []
    for cell in data["cells"]:
        about = cell["metadata"].get("nbgrader", {})
        grade, solution, locked = (bool(about.get(key)) for key in ("grade", "solution", "locked"))
        code = cell["cell_type"] == "code"
        role = ("written" if solution and not code else "answer" if solution and not grade else "check" if grade and code and not solution
                else "given" if locked else "free" if not grade else "")
        if not role:
            raise Problem("assignment %s: cell %s is graded and a solution at once: put the check into a cell of its own"
                          % (name, about.get("grade_id")))
        source = text_of(cell)
        cells.append(Cell(role, about.get("grade_id") or cell.get("id", ""), "code" if code else "markdown", source,
                          released(source) if "BEGIN SOLUTION" in source else source, "picture" in cell["metadata"].get("tags", []),
                          float(about.get("points") or 0)))
    spec = importlib.util.spec_from_file_location("tasks_of_" + re.sub(r"\W", "_", name), program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tasks = module.tasks(random.Random("%s/%s" % (secret, name)))
    _check(name, cells, tasks)
    digest = hashlib.sha256("\0".join([secret, notebook.read_text(encoding="utf-8"), program.read_text(encoding="utf-8"),
                                       repr(tasks) if not _has_functions(tasks) else ""]).encode()).hexdigest()
    return Assignment(name, cells, tasks, digest)


def _has_functions(tasks):
    return any(part.accept for parts in tasks.values() for part in parts)


def _check(name, cells, tasks):
    ids = [cell.id for cell in cells]
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise Problem("assignment %s: two cells are called %s" % (name, ", ".join(twice)))
    checks = {cell.id: cell for cell in cells if cell.role == "check"}
    answers = {cell.id for cell in cells if cell.role == "answer"}
    for id in sorted(set(checks) ^ set(tasks)):
        raise Problem("assignment %s: %s is in %s alone" % (name, id, "the notebook" if id in checks else "tasks.py"))
    for id, parts in tasks.items():
        names = [part.name for part in parts]
        if len(names) != len(set(names)):
            raise Problem("assignment %s, %s: two parts have the same name" % (name, id))
        if not math.isclose(sum(part.points for part in parts), checks[id].points):
            raise Problem("assignment %s, %s: the parts have %g points together, the cell has %g"
                          % (name, id, sum(part.points for part in parts), checks[id].points))
        if not id.endswith("-check") or id[:-len("-check")] not in answers:
            raise Problem("assignment %s: %s should be called after the solution it checks, with -check at the end" % (name, id))


# ---- submissions: what is in the folder

@dataclass
class Submission:
    """One student's work on one assignment. cells is None if there is no notebook that can be read."""
    student: str
    assignment: str
    cells: list | None = None
    notes: list = field(default_factory=list)  # what the teacher should know
    folder: str = ""    # the student's, as it is called
    receipt: dict = field(default_factory=dict)  # the files in RECEIPT that were beside the notebook: name -> text


def student_id(folder_name):
    """A name that is safe as a file's, in a shell's pattern and in a table: letters of any script, digits, blank, . _ @ + - after the first."""
    name = unicodedata.normalize("NFC", folder_name).strip()
    safe = re.sub(r"[^\w .@+-]", "_", name).strip(" .")
    safe = re.sub(r"^[^\w]+", "", safe)[:80].encode()[:160].decode(errors="ignore").strip(" .") or "_"  # a file's name has at most 255 bytes
    return safe if safe == name else _told_apart(safe, folder_name)


def _told_apart(student, folder_name):
    return "%s-%s" % (student, hashlib.sha256(os.fsencode(folder_name)).hexdigest()[:6])


def find(folder, assignments):
    """All submissions in a folder: STUDENT/*.ipynb, or STUDENT/ASSIGNMENT/*.ipynb. Nothing but regular files is read."""
    folder = Path(folder)
    if not folder.is_dir():
        raise Problem("%s is no folder; make grade SUBMITTED=FOLDER takes one with a folder for each student" % folder)
    found, loose, taken = [], [], set()
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if entry.name in NOT_SUBMITTED:
            continue
        if entry.is_dir(follow_symlinks=False):
            student = student_id(entry.name)
            if student in taken:  # names that differ by a blank at the end, or by how an accent is written
                student = _told_apart(student, entry.name)
            taken.add(student)
            found += _of_student(Path(entry.path), student, assignments)
        elif entry.is_symlink():
            found.append(Submission(student_id(entry.name), "", notes=["the folder is a link, which is not followed"], folder=entry.name))
        else:
            loose.append(entry.name)
    if not found:
        raise Problem("%s has no folders of students%s" % (folder, ": only files, such as %s" % loose[0] if loose else ""))
    return found


def _of_student(folder, student, assignments):
    candidates, notes = {}, []
    for path in _below(folder, notes):
        if not path.name.lower().endswith(".ipynb"):
            continue
        try:
            cells, remarks = read(path)
        except Problem as problem:
            cells, remarks = None, ["%s: %s" % (path.name, problem)]
        name = _assignment_of(path.relative_to(folder), cells, assignments)
        if name is None:
            notes += remarks if cells is None else ["%s belongs to no assignment: not graded" % path.name]
            continue
        candidates.setdefault(name, []).append((path, cells, remarks))
    submissions = []
    for name, several in sorted(candidates.items()):
        # The one of the assignment's name, else the one with the most cells that are the assignment's.
        several.sort(key=lambda one: (one[1] is None, one[0].name != name + ".ipynb",
                                      -_known(one[1] or [], assignments[name]), len(one[0].parts), str(one[0])))
        path, cells, remarks = several[0]
        if len(several) > 1:
            remarks = remarks + ["%d notebooks: graded %s, not %s" % (len(several), path.name, ", ".join(str(p.relative_to(folder)) for p, _, _ in several[1:]))]
        submissions.append(Submission(student, name, cells, notes + remarks, folder.name, receipt(path.parent)))
    return submissions or [Submission(student, "", notes=notes or ["no notebook"], folder=folder.name)]


def receipt(folder):
    """When a submission was handed in, and the secret under which its feedback goes back; of a class without nbgrader's exchange, nothing."""
    found = {}
    for name in RECEIPT:
        with contextlib.suppress(OSError, ValueError):
            with os.fdopen(os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="ascii") as file:
                text = file.read(200).strip()
            if name == "timestamp.txt":
                datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f UTC")
            elif not re.fullmatch("[0-9a-f]{128}", text):
                continue
            found[name] = text
    return found


def _below(folder, notes):
    """Regular files below a folder, never through a link."""
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if entry.name in NOT_SUBMITTED:
            continue
        if entry.is_symlink():
            notes.append("%s is a link, which is not followed" % entry.name)
        elif entry.is_dir(follow_symlinks=False):
            yield from _below(Path(entry.path), notes)
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def _assignment_of(path, cells, assignments):
    for name in [*path.parts[:-1], path.stem]:
        if name in assignments:
            return name
    best = max(assignments, key=lambda name: _known(cells or [], assignments[name]), default=None)
    if best and _known(cells or [], assignments[best]) >= 2:
        return best
    return next(iter(assignments)) if len(assignments) == 1 else None


def _known(cells, assignment):
    ids = {cell.id for cell in assignment.cells}
    return len(ids & ({cell["grade_id"] for cell in cells} | {cell["id"] for cell in cells}))


def read(path):
    """The cells of a student's notebook file, and what was odd. Raises Problem if it is none."""
    descriptor = None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise Problem("it is no regular file")
        if about.st_size > SIZE_LIMIT:
            raise Problem("it has %d MB, more than %d" % (about.st_size >> 20, SIZE_LIMIT >> 20))
        with os.fdopen(descriptor, "rb") as file:
            descriptor = None
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise Problem("it cannot be read: %s" % error.strerror) from None
    finally:
        if descriptor is not None:
            os.close(descriptor)
    notes = ["it is a hard link: is it a copy of somebody else's?"] if about.st_nlink > 1 else []
    if not data.strip():
        raise Problem("it is empty")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", "replace")
        notes.append("it is not in UTF-8")
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Problem("it is no JSON (%s)" % (str(error)[:100] if isinstance(error, ValueError) else "nested too deeply")) from None
    try:
        cells = notebook.get("cells")
        if cells is None:
            cells = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        room = {"text": TEXT_LIMIT, "pictures": PICTURES_LIMIT}
        good = [_clean(cell, notes, room) for cell in cells[:CELL_LIMIT] if isinstance(cell, dict)]
    except (AttributeError, KeyError, TypeError):
        raise Problem("it is JSON, but no notebook") from None
    if len(cells) > CELL_LIMIT:
        notes.append("%d cells: those after %d are left out" % (len(cells), CELL_LIMIT))
    return good, list(dict.fromkeys(notes))


def _clean(cell, notes, room):
    source = cell.get("source", cell.get("input", ""))
    source = source if isinstance(source, str) else "".join(line for line in source if isinstance(line, str)) if isinstance(source, list) else ""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    source = "".join(c if c >= " " or c in "\n\t" else " " for c in source).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if len(source) > SOURCE_LIMIT:
        notes.append("a cell has %d characters: those after %d are left out" % (len(source), SOURCE_LIMIT))
        source = source[:SOURCE_LIMIT]
    if len(source) > room["text"]:
        notes.append("its cells have more than %d characters: the others are left out" % TEXT_LIMIT)
        source = ""
    room["text"] -= len(source)
    metadata = cell.get("metadata")
    about = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = about.get("grade_id") if isinstance(about, dict) else None
    text = lambda value: value if isinstance(value, str) else ""  # noqa: E731
    return {"kind": "code" if cell.get("cell_type") == "code" else "markdown", "source": source, "grade_id": text(grade_id), "id": text(cell.get("id")),
            "pictures": _pictures(cell.get("attachments"), notes, room) if cell.get("cell_type") != "code" else ()}


def _pictures(attachments, notes, room):
    """Of what is attached to a cell in words, the pictures that every browser shows: (name, kind, base64)."""
    found = []
    for name, kinds in attachments.items() if isinstance(attachments, dict) else ():
        kept = False
        for kind, data in kinds.items() if isinstance(kinds, dict) else ():
            data = "".join(data) if isinstance(data, list) and all(isinstance(line, str) for line in data) else data
            if kind not in PICTURES or not isinstance(data, str) or kept or len(data) > room["pictures"]:
                continue
            with contextlib.suppress(binascii.Error, ValueError):
                data = re.sub(r"\s", "", data)
                if base64.b64decode(data, validate=True).startswith(PICTURES[kind]):
                    found.append((name, kind, data))
                    room["pictures"] -= len(data)
                    kept = True
        if not kept:
            notes.append("what is attached is no picture in PNG or JPEG, or too large: look at the notebook")
    return tuple(found)


# ---- rebuilding

@dataclass(frozen=True)
class Built:
    """A cell of the rebuilt notebook: the assignment's cell, or None for one of the student's own, and the source that counts."""
    cell: Cell | None
    kind: str
    source: str
    pictures: tuple = ()  # those attached to a cell in words, see _pictures

    @property
    def runs(self):
        return self.kind == "code" and not (self.cell and (self.cell.role == "check" or self.cell.picture))


def rebuild(assignment, cells):
    """The release with the student's answers, and the student's own cells where they were; and notes on what was not as released.

    An answer is found by its grade_id; else by its cell's id; else by the method or class it declares, or the words it begins with.
    """
    notes, place = [], {}
    place.update(_match(assignment, cells, notes))
    built, used = [], set(place.values())
    after = {}  # cell of the assignment (or -1) -> the student's own cells that follow it
    at, by_index = -1, {index: number for number, index in place.items()}
    extra = 0
    for index, cell in enumerate(cells):
        if index in used:
            at = by_index[index]
        elif cell["source"].strip() and not _is_copy(cell, assignment):
            extra += 1
            if extra <= EXTRA_LIMIT:
                after.setdefault(at, []).append(Built(None, cell["kind"], cell["source"], cell["pictures"]))
    if extra > EXTRA_LIMIT:
        notes.append("%d own cells: those after %d are left out" % (extra, EXTRA_LIMIT))
    built += after.get(-1, [])
    for number, cell in enumerate(assignment.cells):
        theirs, pictures = (cells[place[number]]["source"], cells[place[number]]["pictures"]) if number in place else (None, ())
        if cell.role in ("answer", "written"):
            if theirs is None:
                notes.append("the cell %s is missing" % cell.id)
            built.append(Built(cell, cell.kind, cell.released if theirs is None else theirs, pictures))
        else:
            built.append(Built(cell, cell.kind, cell.released))
            if theirs is not None and theirs.strip() != cell.released.strip():
                if cell.role == "free":
                    built.append(Built(None, cell.kind, theirs, pictures))
                elif cell.kind == "code":  # a text may have been mended by the teacher, after the release
                    notes.append("the %s cell %s was changed: the original counts" % (cell.role, cell.id))
            elif theirs is None and cell.role == "check":
                notes.append("the check cell %s was deleted: put back" % cell.id)
        built += after.get(number, [])
    order = [place[number] for number in sorted(place)]
    if order != sorted(order):
        notes.append("cells are in another order: graded in that of the release")
    return built, notes


def _match(assignment, cells, notes):
    """Which of the student's cells stands for which of the assignment's: number -> index."""
    place, taken = {}, set()

    def take(number, index):
        place[number] = index
        taken.add(index)

    for key in ("grade_id", "id"):
        positions = {}
        for index, cell in enumerate(cells):
            if cell[key] and index not in taken:
                positions.setdefault(cell[key], []).append(index)
        for number, cell in enumerate(assignment.cells):
            several = [i for i in positions.get(cell.id, []) if i not in taken and (cells[i]["kind"] == cell.kind or cell.role != "free")]
            if number in place or not several:
                continue
            # Of copies, the last that is not as released: what counts in the notebook, too, when all its cells are run.
            changed = [i for i in several if cells[i]["source"].strip() != cell.released.strip()]
            take(number, (changed or several)[-1])
            if len(several) > 1 and cell.role in ("answer", "written"):
                notes.append("%d cells %s: graded the last that was changed" % (len(several), cell.id))
            taken.update(several if cell.role in ("check", "given") else [])
    for number, cell in enumerate(assignment.cells):
        if number in place:
            continue
        for index, theirs in enumerate(cells):
            if index not in taken and theirs["kind"] == cell.kind and (
                    theirs["source"].strip() == cell.released.strip()
                    or cell.role == "answer" and declared(cell.released) & declared(theirs["source"])
                    or cell.role == "written" and _similar(cell.released, theirs["source"])):
                take(number, index)
                if cell.role in ("answer", "written"):
                    notes.append("the cell %s has lost its name: found by what it says" % cell.id)
                break
    return place


def declared(source):
    """The methods (name and number of parameters) and classes that Java source declares at its outermost level, roughly."""
    plain = re.sub(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?(?:\*/|\Z)', "", source, flags=re.S)
    outer, depth = [], 0
    for character in plain:
        depth += (character == "{") - (character == "}")
        outer.append(character if depth == 0 or depth == 1 and character == "{" else "")
    outer = "".join(outer)
    methods = re.findall(r"[\w>\]]\s+(\w+)\s*\(([^()]*)\)\s*(?:throws[\w\s,.]+)?\{", outer)
    return {(name, parameters.count(",") + bool(parameters.strip())) for name, parameters in methods} \
        | {(name, "class") for name in re.findall(r"\b(?:class|record|interface|enum)\s+(\w+)", outer)}


def _similar(ours, theirs):
    head = ours.strip().split("\n")[0]
    return len(head) > 10 and head in theirs or difflib.SequenceMatcher(None, ours[:2000], theirs[:2000], autojunk=False).quick_ratio() > 0.9


def _is_copy(cell, assignment):
    """Whether a surplus cell is a check or given cell once more: it counts for nothing."""
    return any(cell["source"].strip() == one.released.strip() or cell["grade_id"] and cell["grade_id"] == one.id and one.role in ("check", "given")
               for one in assignment.cells)
