"""Grading: right answers get full marks, wrong ones do not, and no submission harms the others, the grader or the machine.

The matrix of hostile submissions is in classroom/hostile.py; the course's own assignments and their wrong answers are tested below it.
"""
import csv
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

import course
import tools
from classroom import grade, isolation, judge, notebooks, seccomp, tasks
from classroom.tasks import Part

HERE = Path(__file__).parent / "classroom"
sys.path.insert(0, str(HERE))
import hostile  # noqa: E402

LONG = os.environ.get("CLASSROOM") == "all"  # make test-classroom
LIMITS = judge.Limits(answer=4, total=100)  # scaled by the judge on a busy machine


@pytest.fixture(scope="session")
def bubblewrap():
    """bubblewrap, which these tests install where they may."""
    if not shutil.which("bwrap") and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-q", "bubblewrap"], stdin=subprocess.DEVNULL, capture_output=True)
    return isolation.find_bubblewrap()


@pytest.fixture(scope="session")
def launcher(bubblewrap, tmp_path_factory):
    return isolation.Launcher(tools.find_java(), course.JAR, tmp_path_factory.mktemp("jvm"))


@pytest.fixture(scope="session")
def sample():
    return notebooks.load(HERE / "sample", "a secret")


@pytest.fixture(scope="session")
def expected(sample, launcher):
    return judge.reference(sample, launcher.command)


class Graded:
    """A folder of submissions after make grade."""

    def __init__(self, folder, capture, **options):
        self.folder = folder
        self.grading = grade.Grading(folder / "submitted", source=HERE, folder=folder / "class", seed="a secret", limits=LIMITS, **options)
        started = time.monotonic()
        self.grading.run()
        self.seconds = time.monotonic() - started
        self.printed = capture.readouterr().out if capture else ""
        with open(folder / "class" / "grades.csv", encoding="utf-8-sig", newline="") as file:
            self.rows = {row["student"].lstrip("'"): row for row in csv.DictReader(file)}

    def row(self, name):
        return self.rows[notebooks.student_id(name)]

    def verdict(self, name):
        marker = self.folder / "class" / "recorded" / "sample" / notebooks.student_id(name)
        return json.loads((self.folder / "class" / "verdicts" / (marker.read_text()[:64] + ".json")).read_text(encoding="utf-8"))

    def points(self, name):
        checks = self.verdict(name)["checks"]
        return checks["softmax-check"]["points"], checks["logits-check"]["points"]

    def page(self, name):
        return (self.folder / "class" / "feedback" / notebooks.student_id(name) / "sample" / "sample.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def graded(bubblewrap, tmp_path_factory):
    """The whole matrix, and one who looks around, graded once."""
    folder = tmp_path_factory.mktemp("matrix")
    for name, (put, *_) in hostile.MATRIX.items():
        put(folder / "submitted" / name)
    with socket.create_server(("127.0.0.1", 0)) as server:
        look = hostile.LOOK
        for word, value in (("PROJECT", course.ROOT), ("SAMPLE", HERE / "sample"), ("CLASS", folder / "class"), ("SUBMITTED", folder / "submitted"),
                            ("PORT", server.getsockname()[1])):
            look = re.sub(r"\b%s\b" % word, lambda _, value=value: str(value), look)
        hostile.student("looks around", 4, 3, "", last=re.split(r"\n(?=look\()", look))
        hostile.MATRIX.pop("looks around")[0](folder / "submitted" / "looks around")
        return Graded(folder, None)


# ---- the matrix

@pytest.mark.parametrize("name", hostile.MATRIX)
def test_matrix(graded, name):
    _, softmax, logits, says = hostile.MATRIX[name]
    row = graded.row(name)
    assert "NOT GRADED" not in row["look"]
    assert re.search(re.escape(says), row["look"]), row["look"]
    if softmax is None:
        assert row["score"] == "" or float(row["score"]) <= 7
    else:
        assert graded.points(name) == (softmax, logits), row["look"]
        assert (float(row["automatic"]), float(row["automatic_max"]), float(row["by_hand_max"])) == (softmax + logits, 7, 2)


def test_the_right_answer_needs_no_look(graded):
    assert [graded.row(name)["look"] for name in ("ref", "王 小明", "layout", "prints to stderr", "windows", "bom")] == [""] * 6
    assert graded.row("ref")["to_grade_by_hand"] == "yes" and graded.row("release")["to_grade_by_hand"] == ""


def test_every_student_is_in_the_table(graded):
    assert len(graded.rows) == len(hostile.MATRIX) + 1
    assert graded.row("Åsa O'Brien-Ünal")["folder"] == "Åsa O'Brien-Ünal"
    text = (graded.folder / "class" / "summary.txt").read_text(encoding="utf-8")
    for name in hostile.MATRIX:
        assert notebooks.student_id(name)[:50] in text


def test_one_submission_sees_nothing_of_the_machine(graded):
    out = "".join(cell["out"] for cell in graded.verdict("looks around")["cells"].values())
    seen = dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)
    refused = {key for key, value in seen.items() if value.startswith("refused")}
    assert refused >= {"passwords", "hidden tests", "the gradebook", "the expected values", "other submissions", "write to the root", "write to the JDK",
                       "write to the runner", "write to the project", "write 20 MB", "write 30 MB in two files", "write to /dev", "write to shared memory",
                       "network", "this machine", "names", "a process by fork", "a process", "the kernel's log"}
    assert seen["other processes"] == "1 seen" and seen["write to the scratch"] == "true" and seen["descriptors"] == "[]"
    assert "environment" not in seen["the project"] and "notebooks" not in seen["the project"]
    assert set(re.findall(r"\w+", seen["environment"])) <= {"LC_ALL", "MALLOC_ARENA_MAX", "HOME", "PWD"}
    assert graded.points("looks around") == (4, 3)


def test_no_page_shows_a_hidden_input_or_value(graded, sample, expected):
    hidden = [(part, reply) for check, parts in sample.tasks.items() for part, reply in zip(parts, expected[check]) if part.hidden]
    secrets = [number for part, reply in hidden for number in re.findall(r"\d+\.\d{3,}", part.call + json.dumps(reply))]
    assert len(secrets) > 20
    shown = [path for path in (graded.folder / "class" / "feedback").rglob("*.html")]
    assert len(shown) > 60
    for path in shown:
        page = re.sub(r"<[^>]*>", "", path.read_text(encoding="utf-8"))
        assert [secret for secret in secrets if secret.rstrip("0") in page] == [], path
    assert "[0.0, 1.0, 2.0]" in graded.page("tells hidden inputs by an exception") or "{0.0, 1.0, 2.0}" in graded.page("tells hidden inputs")


def test_pages_run_no_script_and_ask_no_other_machine(graded):
    for path in (graded.folder / "class" / "feedback").rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        elements = BeautifulSoup(page, "html.parser").find_all(True)
        assert not [e for e in elements if e.name in ("script", "iframe", "object", "link", "form")]
        assert all(e.name != "img" or re.fullmatch("data:image/png;base64,[A-Za-z0-9+/=]+", e["src"]) for e in elements)
        assert not [e for e in elements for name in e.attrs if name.startswith("on") or e.get("href", "#")[0] != "#"]
        assert "default-src 'none'" in page
        assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page), path
    assert "<math" in graded.page("escapes in words")
    assert "\x1b" not in graded.page("escapes in messages") + graded.page("escapes in words") and "\u202e" not in graded.page("escapes in messages")


def test_a_photographed_page_is_kept(graded):
    page = BeautifulSoup(graded.page("photograph"), "html.parser")
    assert [image["src"] for image in page.find_all("img")] == ["data:image/png;base64," + hostile.PNG] * 2
    notebook = nbformat.read(graded.folder / "class" / "autograded" / "photograph" / "sample" / "sample.ipynb", as_version=4)
    assert [cell for cell in notebook.cells if hostile.PNG in cell.source]  # what the teacher sees in formgrader
    assert not BeautifulSoup(graded.page("attached page with a script"), "html.parser").find_all("img")


def test_a_page_can_be_read(graded):
    page = graded.page("ref")
    assert '<a href="#softmax-check">softmax</a> (4 of 4 points)' in page and "Test cell" not in page
    assert page.count("not graded yet, of 2 points") == 2 and "not all of it graded yet)" in page and "Score: 0.0 / 2.0" not in page
    assert "not graded yet" not in graded.page("release")
    assert "there is no method softmax(double[])\n" in graded.page("other name") and "pre-wrap" in page


def test_a_spreadsheet_takes_no_name_for_a_formula(graded):
    text = (graded.folder / "class" / "grades.csv").read_text(encoding="utf-8-sig")
    assert not re.search(r"""(^|,|")[=+@\-]""", text, re.M)
    assert not any(c in text for c in "\x1b\u202e\x00")


@pytest.mark.parametrize("words", ["<script>", "</b>", "<!--", "<?x", "[a](javascript:x)", "[a](\n javascript:x)", "[a](&#106;avascript:x)", "![a](data:text/html,x)",
                                   "[a]: javascript:x", "[a](<javascript:x>)", "<javascript:x>", "[a](JaVaScript:x)", "[a](//x.org)"])
def test_words_bring_no_html_and_no_odd_link(words):
    from classroom.gradebook import harmless
    from nbconvert.filters import markdown2html_mistune
    made = BeautifulSoup(markdown2html_mistune(harmless("%s and [a]" % words)), "html.parser")
    assert {element.name for element in made.find_all(True)} <= {"p"}
    assert harmless("$a<b$ [x](https://x.org) [y](#z) 1 < 2") == "$a< b$ [x](https://x.org) [y](#z) 1 < 2"


def test_formulas_become_mathml_and_prices_and_code_stay():
    from classroom.gradebook import words
    made = words("$x<y$ costs $5 or $6, `$k$`, $$\\frac12$$\n\n\\begin{align}a&=b\\end{align}")
    assert made.count("<math") == 3 and made.count('display="block"') == 2
    assert "costs $5 or $6" in made and "<code>$k$</code>" in made and "frac12$$" not in made


def test_the_page_for_grading_by_hand_asks_no_other_machine(tmp_path):
    from classroom.gradebook import configuration
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader import handlers
    config = configuration(tmp_path)
    config.HTMLExporter.update(template_name="formgrade", extra_template_basedirs=[handlers.template_path])  # as nbgrader sets them
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("$d_k$")])
    page, _ = HTMLExporter(config=config).from_notebook_node(notebook, {"base_url": "/user/teacher", "index": 0, "total": 1})
    assert "<math" in page and "MathJax = {Hub" in page
    assert re.findall(r"""(?:src|href)="((?:https?:)?//[^"]*)""", page) == []


def test_names_are_safe_in_a_path():
    assert notebooks.student_id("王 小明") == "王 小明" and notebooks.student_id("O'Brien") != "O'Brien"
    ids = [notebooks.student_id(name) for name in ("..", "../x", "a/b", ".", "-rf", "a*", "a?", " ", "x" * 300, "a\nb", "\u202egnp", "=1+1")]
    assert all(re.fullmatch(r"\w[\w .@+-]*", one) and len(one) < 100 and one == one.strip(" .") for one in ids) and len(set(ids)) == len(ids)


def test_a_text_that_differs_from_the_release_needs_no_look(sample):
    from dataclasses import replace
    mended = replace(sample, cells=[replace(c, released=c.released + " Mended.") if c.role == "given" and c.kind == "markdown" else c for c in sample.cells])
    assert mended.cells != sample.cells
    handed_in = [{"kind": c.kind, "source": c.source, "grade_id": c.id, "id": c.id, "pictures": ()} for c in sample.cells]
    assert notebooks.rebuild(mended, handed_in)[1] == []


def test_code_that_takes_hours_to_colour_is_shown_without():
    from classroom.gradebook import coloured
    assert coloured([hostile.method(hostile.RIGHT)] * 20) and not coloured(["a " * 9000], seconds=1)


def test_two_folders_are_two_students(sample, tmp_path):
    for name in ("ann", "ann ", "\u00c5sa", "A\u030asa"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sample.ipynb").write_text(hostile.notebook(), encoding="utf-8")
    found = notebooks.find(tmp_path, {"sample": sample})
    assert len({one.student for one in found}) == 4 and {"ann", "\u00c5sa"} < {one.student for one in found}


def test_a_second_run_does_nothing_anew(graded, monkeypatch, capsys):
    before = {row["student"]: row["score"] for row in graded.rows.values()}
    monkeypatch.setattr(judge, "judge", lambda *a: pytest.fail("judged again"))
    monkeypatch.setattr("classroom.gradebook.Book.record", lambda *a: pytest.fail("recorded again"))
    again = Graded(graded.folder, capsys)
    assert {row["student"]: row["score"] for row in again.rows.values()} == before
    assert "王 小明" in again.printed and "Have a look at" in again.printed


# ---- comparing

def reply(value):
    kind = "null" if value is None else "boolean" if isinstance(value, bool) else "text" if isinstance(value, str) else "array" if isinstance(value, list) else "number"
    return {"kind": kind, "value": value}


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("got, want, options, right", [
    (1.0, 1.0, {}, True), (1 + 5e-10, 1.0, {}, True), (1 + 5e-9, 1.0, {}, False), (1e6 + 5e-4, 1e6, {}, True), (3, 3.0, {}, True),
    (0.0, 1e-20, {}, True), (0.0, 1e-20, {"relative": True}, False), (1e-20, 1e-20, {"relative": True}, True),
    (NAN, NAN, {}, True), (NAN, 1.0, {}, False), (1.0, NAN, {}, False), (INF, INF, {}, True), (INF, -INF, {}, False), (INF, 1e300, {}, False), (1e300, INF, {}, False),
    (True, 1, {}, False), (1, True, {}, False), (True, True, {}, True), ("a", "a", {}, True), ("1.0", 1.0, {}, False), (None, None, {}, True), (None, 0, {}, False),
    ([1.0, 2.0], [1.0, 2.0], {}, True), ([1.0], [1.0, 2.0], {}, False), ([[1.0, 2.0]], [1.0, 2.0], {}, False), ([[1.0], [2.0]], [[1.0, 2.0]], {}, False),
    ([], [], {}, True), ([None], [[]], {}, False), ([None, [1.0]], [None, [1.0]], {}, True), (10**400, 1.0, {}, False),
    (5.0, 1.0, {"accept": lambda value, wanted: value > 4}, True), ([1], 1.0, {"accept": lambda value, wanted: value > 4}, False),
])
def test_a_value_is_right_or_not(got, want, options, right):
    assert judge.same(Part(1, "x", "f()", "h", **options), reply(got), reply(want)) is right


def test_of_many_right_values_the_page_shows_one_as_an_example():
    part = Part(1, "x", "f()", "h", accept=lambda value, wanted: value > 4)
    assert "expected  for example 5\n" in judge._verdict([part], [reply(3.0)], [reply(5.0)])["text"]


@pytest.mark.parametrize("forged", [{}, {"kind": "array"}, {"kind": 7, "value": 1}, {"kind": "number", "value": "1"}, {"kind": "number", "value": {"a": 1}},
                                    {"kind": "other", "value": 1.0}, {"error": None, "kind": "number", "value": 1.0}, {"thrown": 5}])
def test_a_forged_reply_is_data(forged):
    assert judge.same(Part(1, "x", "f()", "h"), forged, reply(1.0)) is False
    assert judge.same(Part(1, "x", "f()", "h", throws="ArithmeticException"), forged, reply(1.0)) is False
    assert isinstance(judge.show(forged), str)


def test_java_literals():
    assert tasks.java([[1, INF], None]) == "new double[][] {{1.0, 1.0 / 0.0}, null}"  # no name that a student could declare
    assert tasks.shown("f(-1.0 / 0.0, 0.0 / 0.0, 1.0 / 0.0, 11.0 / 0.0)") == "f(Double.NEGATIVE_INFINITY, Double.NaN, Double.POSITIVE_INFINITY, 11.0 / 0.0)"
    assert tasks.java('a"\\\n√') == '"a\\"\\\\\\n\\u221a"' and tasks.java([], "double[]") == "new double[] {}" and tasks.java(-0.0) == "-0.0"
    with pytest.raises(ValueError, match="kind"):
        tasks.java([])
    with pytest.raises(ValueError, match="untouched release"):
        Part(1, "x", "f()", "h", throws="UnsupportedOperationException")


# ---- release

def test_a_leaking_release_is_refused():
    source = nbformat.read(HERE / "sample" / "sample.ipynb", as_version=4)
    from classroom.gradebook import leaked
    student = nbformat.from_dict(json.loads(hostile.notebook(change=hostile.released)))
    assert leaked(source, student) == []
    assert leaked(source, source)
    student.cells[3].outputs = [nbformat.v4.new_output("stream", text="x")]
    assert leaked(source, student)


def test_an_assignment_that_contradicts_itself_is_refused(tmp_path):
    folder = tmp_path / "sample"
    shutil.copytree(HERE / "sample", folder)
    program = (folder / "tasks.py").read_text(encoding="utf-8")
    for old, new, message in (('Part(2,', 'Part(3,', "parts have 4 points together, the cell has 3"), ('"logits-check"', '"logit-check"', "alone"),
                              ('"random scores"', '"three scores"', "same name")):
        (folder / "tasks.py").write_text(program.replace(old, new), encoding="utf-8")
        with pytest.raises(tools.Problem, match=message):
            notebooks.load(folder, "1")


def test_without_bubblewrap_it_says_what_to_do():
    with pytest.raises(tools.Problem, match="ISOLATION=none"):
        isolation.find_bubblewrap(bwrap="no-such-bwrap")


@pytest.mark.parametrize("machine, audit, write, fork, clone", [("x86_64", 0xC000003E, 1, 57, 56), ("aarch64", 0xC00000B7, 64, None, 220)])
def test_the_filter_lets_threads_start_and_no_process(machine, audit, write, fork, clone):
    """Run here as the kernel runs it: each line is (operation, steps if so, steps if not, number)."""
    lines = list(struct.iter_unpack("=HBBI", seccomp.program(machine)))

    def verdict(number, flags=0, audit=audit):
        data, at, value = {0: number, 4: audit, 16: flags}, 0, None
        while True:
            operation, yes, no, constant = lines[at]
            if operation == 0x06:
                return constant
            if operation == 0x20:
                value, at = data[constant], at + 1
            else:
                at += 1 + (yes if {0x15: value == constant, 0x35: value >= constant, 0x45: value & constant}[operation] else no)

    allowed, refused, killed = 0x7FFF0000, 0x50001, 0x80000000
    assert verdict(write) == verdict(clone, seccomp.CLONE_THREAD | 0x100) == allowed
    assert verdict(clone, 0x11) == verdict(clone) == refused and verdict(435) == 0x50000 + 38
    assert fork is None or verdict(fork) == refused
    assert verdict(write, audit=0x40000003) == verdict(0x40000000 + write) == killed
    assert seccomp.program("riscv64") is None


def test_without_isolation_it_grades_when_told_and_says_so(tmp_path):
    """make grade, where there is no bubblewrap."""
    (tmp_path / "submitted" / "ann").mkdir(parents=True)
    shutil.copy(course.NOTEBOOKS / "assignments" / "source" / "1-softmax" / "1-softmax.ipynb", tmp_path / "submitted" / "ann")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(tools.find_java().command)
    program = ("import sys; sys.path.insert(0, %r); from pathlib import Path; from classroom import grade; grade.CLASSROOM = Path(%r)\n"
               "try: grade.grade()\nexcept grade.Problem as problem: sys.exit(str(problem))" % (str(course.HERE), str(tmp_path / "class")))

    def make_grade(**environment):
        variables = dict({name: value for name, value in os.environ.items() if name not in ("ISOLATION", "DB", "SHARD", "SEED", "JOBS")},
                         PATH=str(tmp_path / "bin"), SUBMITTED=str(tmp_path / "submitted"), **environment)
        return subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True)

    refused = make_grade()
    assert refused.returncode == 1 and "no bwrap on the PATH" in refused.stderr and "ISOLATION=none" in refused.stderr
    assert not (tmp_path / "class" / "grades.csv").exists() and not (tmp_path / "class" / "summary.txt").exists()
    done = make_grade(ISOLATION="none")
    assert done.returncode == 0, done.stderr
    assert "Grading without isolation" in done.stderr
    assert re.search(r"^ann +1-softmax +\S+ +20/20 ", done.stdout, re.M)
    for text in (done.stdout, (tmp_path / "class" / "summary.txt").read_text(encoding="utf-8")):
        assert "graded without isolation" in text


def test_a_reference_that_fails_is_named(sample, launcher):
    from dataclasses import replace
    broken = replace(sample, cells=[replace(c, source=c.source.replace("return p;", "return q;")) for c in sample.cells])
    with pytest.raises(tools.Problem, match="softmax"):
        judge.reference(broken, launcher.command)


# ---- other JDKs, many submissions, several machines, a gradebook on PostgreSQL: make test-classroom

def other_jdks():
    """Those of this system that are not the one in use, one of each version."""
    ours, found = tools.find_java(), {}
    for command in sorted(Path("/usr/lib/jvm").glob("*/bin/java")):
        try:
            java = tools.probe_java(str(command))
        except tools.Problem:
            continue
        if java.feature != ours.feature:
            found[java.feature] = java
    return list(found.values())


def answers_of(name):
    """Sources of a whole solution: right, as released, and twice wrong in every task."""
    from answers import solutions
    from test_assignments import wrong
    right, slips = solutions(name), wrong(name)
    return [right, {task: notebooks.released(java) for task, java in right.items()}, *({task: slips[task][n][1] for task in right} for n in (0, -1))]


@pytest.mark.skipif(not LONG, reason="minutes: make test-classroom")
def test_other_jdks_give_the_same_points(bubblewrap, tmp_path):
    from answers import SOURCE
    others = other_jdks()
    if not others:
        pytest.skip("there is one JDK here")
    points = {}
    for java in [tools.find_java(), *others]:
        launch = isolation.Launcher(java, course.JAR, tmp_path).command
        for name in sorted(folder.name for folder in SOURCE.iterdir() if folder.is_dir()):
            assignment = notebooks.load(SOURCE / name, "a secret")
            expected = judge.reference(assignment, launch)
            for number, answers in enumerate(answers_of(name)):
                built = [notebooks.Built(cell, cell.kind, answers.get(cell.id, cell.released)) for cell in assignment.cells]
                checks = judge.judge(assignment, built, expected, launch, LIMITS)["checks"]
                points.setdefault((name, number), []).append({check: verdict["right"] for check, verdict in checks.items()})
    assert {which: verdicts for which, verdicts in points.items() if any(verdict != verdicts[0] for verdict in verdicts)} == {}
    flat = lambda verdict: sum(verdict.values(), [])  # noqa: E731
    assert all(all(flat(verdicts[0])) for (_, number), verdicts in points.items() if number == 0)
    assert not any(all(flat(verdicts[0])) for (_, number), verdicts in points.items() if number > 0)



@pytest.fixture
def postgres(tmp_path_factory):
    """A PostgreSQL server of its own, as Debian has it; not as root, under which it does not run."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if not programs and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-q", "postgresql"], stdin=subprocess.DEVNULL, capture_output=True)
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if not programs:
        pytest.skip("there is no PostgreSQL, and it cannot be installed here")
    folder = Path(tempfile.mkdtemp(prefix="rootdk-postgres-"))
    user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    if user:
        shutil.chown(folder, "nobody")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    run = lambda *command: subprocess.run([*user, *map(str, command)], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=folder)  # noqa: E731
    run(programs[-1] / "initdb", "-D", folder / "data", "-U", "teacher", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
    run(programs[-1] / "pg_ctl", "-D", folder / "data", "-w", "-t", "120", "-l", folder / "log", "-o", "-p %d -k %s -c listen_addresses=127.0.0.1" % (port, folder), "start")
    try:
        run(programs[-1] / "createdb", "-h", "127.0.0.1", "-p", port, "-U", "teacher", "grades")
        yield "postgresql://teacher@127.0.0.1:%d/grades" % port
    finally:
        run(programs[-1] / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


MACHINE = """
import sys
import tempfile
sys.path[:0] = [{environment!r}, {tests!r}]
from classroom import grade
grade.Grading({submitted!r}, source={source!r}, folder={folder!r}, database={database!r}, seed="a secret", jobs=1, shard={shard!r}).run()
"""


@pytest.mark.skipif(not LONG, reason="an hour: make test-classroom")
def test_hundreds_on_two_machines_with_one_gradebook(bubblewrap, postgres, tmp_path):
    """Two machines with half of the class each; one is killed in the middle, and one JVM of the other, and nothing is lost."""
    count = int(os.environ.get("CLASSROOM_SIZE", "500"))
    wanted = {}
    for n in range(count):
        wrong = n % 5 == 0
        answer = hostile.method(("return x;" if wrong else hostile.RIGHT) + " // %d" % n)
        folder = tmp_path / "submitted" / ("学生 %03d" % n)
        folder.mkdir(parents=True)
        (folder / "sample.ipynb").write_text(hostile.notebook(softmax=answer), encoding="utf-8")
        wanted[folder.name] = 3 if wrong else 7

    def machine(k):
        program = MACHINE.format(environment=str(course.HERE), tests=str(HERE), submitted=str(tmp_path / "submitted"), source=str(HERE),
                                 folder=str(tmp_path / ("machine-%d" % k)), database=postgres, shard=(k, 2))
        return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def recorded(k):
        return len([p for p in (tmp_path / ("machine-%d" % k) / "recorded" / "sample").glob("学生*") if p.suffix != ".feedback"])

    def wait_for(k, n, process):
        while recorded(k) < n and process.poll() is None:
            time.sleep(0.2)
        assert process.poll() is None, process.stdout.read()

    started = time.monotonic()
    first = machine(1)
    wait_for(1, 1, first)  # the assignment is in the gradebook
    second = machine(2)
    wait_for(1, count // 8, first)
    first.kill()
    first.wait()
    before = recorded(1)
    wait_for(2, count // 8, second)
    for line in subprocess.run(["pgrep", "-P", str(second.pid)], capture_output=True, text=True).stdout.split():
        os.kill(int(line), 9)  # a JVM, from outside
    first = machine(1)
    outputs = [process.communicate()[0] for process in (first, second)]
    seconds = time.monotonic() - started
    assert [first.returncode, second.returncode] == [0, 0], outputs
    rows = {}
    for k in (1, 2):
        with open(tmp_path / ("machine-%d" % k) / ("grades-%d-of-2.csv" % k), encoding="utf-8-sig", newline="") as file:
            rows |= {row["student"]: row for row in csv.DictReader(file)}
    assert {student: float(row["automatic"]) for student, row in rows.items()} == wanted
    from classroom.gradebook import Book
    book = Book(tmp_path / "machine-1", postgres)
    assert {student: book.grades("sample", student)["auto"] for student in wanted} == wanted
    print("\n%d submissions, %d of them before the kill, in %.0f s: %.1f a minute on %d cores" % (count, before, seconds, 60 * count / seconds, os.cpu_count()))
