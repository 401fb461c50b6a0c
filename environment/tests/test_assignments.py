"""The assignments: the reference gets full marks, the release none, each wrong answer less than full; and their notebooks' form.

The grader that these tests use has tests of its own, in test_classroom.py.
"""
import importlib.util
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import course
import nbformat
import pytest
import tools
from answers import SOURCE, WRONG_SCALES, solutions
from chapters import code_cells, none_of
from classroom import isolation, judge, notebooks
from execute import METADATA, execute

ASSIGNMENTS = sorted(folder.name for folder in SOURCE.iterdir() if folder.is_dir())
SCALED = {"1-softmax": {"logits", "attention"}, "2-variance": {"logits", "scoreVariance"}, "3-gradients": {"scoreGradient"},
          "4-numerics": {"attend"}, "5-positions": {"alibiLogits", "isHealthy", "curedA", "curedB", "curedC"}}
SEED = "the secret of a class"


def source(name):
    return nbformat.read(SOURCE / name / (name + ".ipynb"), as_version=4)


def wrong(name):
    """solution cell -> [(what is wrong, source)]"""
    path = Path(__file__).parent / "classroom" / (name + ".py")
    spec = importlib.util.spec_from_file_location("wrong_" + re.sub(r"\W", "_", name), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WRONG


@pytest.fixture(scope="session")
def launch(tmp_path_factory):
    """JVMs without walls: all that they run here is ours."""
    return isolation.Launcher(tools.find_java(), course.JAR, tmp_path_factory.mktemp("jvm"), isolated=False).command


class Marked:
    """An assignment in one warm JVM that holds its reference solutions."""

    def __init__(self, name, launch):
        self.assignment = notebooks.load(SOURCE / name, SEED)
        self.expected = judge.reference(self.assignment, launch)
        self.session = judge.Session(launch, [notebooks.Built(cell, cell.kind, cell.source) for cell in self.assignment.cells],
                                     judge.Limits(answer=30, total=3600))

    def points(self, task):
        return sum(part.points for part, want in self.parts(task) if judge.same(part, self.session.value(part.call), want))

    def is_full(self, task):
        """Stops at the first part that is wrong."""
        return all(judge.same(part, self.session.value(part.call), want) for part, want in self.parts(task))

    def parts(self, task):
        """Each part with the reference's reply."""
        check = task + "-check"
        return zip(self.assignment.tasks[check], self.expected[check])

    def run(self, java):
        """Declares a method anew. Returns the compiler's complaint, if any."""
        return self.session.runner.run(java, 30).get("error")


@pytest.fixture(scope="session")
def marked(launch):
    """marked(name), with its JVM for all tests."""
    known = {}

    def get(name):
        if name not in known:
            known[name] = Marked(name, launch)
            known[name].session.__enter__()
        return known[name]
    yield get
    for one in known.values():
        one.session.__exit__()


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_reference_gets_full_marks_and_release_none(name, marked):
    this = marked(name)
    full = {task: float(next(cell.points for cell in this.assignment.checks if cell.id == task + "-check")) for task in solutions(name)}
    assert sum(full.values()) == 20
    assert {task: this.points(task) for task in full} == full  # in another JVM than that of the expected values
    for java in solutions(name).values():
        assert this.run(notebooks.released(java)) is None
    assert {task: this.points(task) for task in full} == dict.fromkeys(full, 0)
    for java in solutions(name).values():
        assert this.run(java) is None


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_what_is_asked_for_is_a_value(name, marked):
    """Not whether something is right, which a student's JVM could say; and its inputs are not what a student's class Double says."""
    this = marked(name)
    for task in solutions(name):
        for part, want in this.parts(task):
            assert want["kind"] != "boolean", part.name
            assert not re.search(r"\bDouble\b", part.call), part.name


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_wrong_answers_get_less_than_full_marks(name, marked):
    this, right, faults = marked(name), solutions(name), []
    for task, answers in wrong(name).items():
        for what, java in answers:
            error = this.run(java)
            if error or this.is_full(task):
                faults.append("%s, %s: %s" % (task, what, error or "full marks"))
        this.run(right[task])
    assert all(map(this.is_full, right))  # so it was the answers that failed, not the JVM
    none_of(faults)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_there_are_enough_wrong_answers(name):
    answers = wrong(name)
    assert set(answers) == set(solutions(name))
    assert {task: len(given) for task, given in answers.items() if len({java for _, java in given}) < 5} == {}
    for task in SCALED[name] - {"isHealthy", "scoreVariance"}:
        assert {"scale " + scale for scale in WRONG_SCALES} <= {what for what, _ in answers[task]}, task


@pytest.fixture(scope="session")
def seen():
    """seen(name): the release, then the source in the same kernel, as a student sees them."""
    def run(name):
        notebook = source(name)
        release = notebook.copy()
        release.cells = [nbformat.v4.new_code_cell(notebooks.released(cell.source)) for cell in code_cells(notebook)] + code_cells(notebook)
        for number, cell in enumerate(release.cells):
            cell.id = "cell-%d" % number
        return execute(release, course.NOTEBOOKS, allow_errors=True)
    with ThreadPoolExecutor(2) as pool:
        running = {name: pool.submit(run, name) for name in ASSIGNMENTS}
        yield lambda name: running[name].result()


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_what_a_student_sees(name, seen):
    """No cell ends in an error. Before the work each check and picture says so, after it each check has its tick, each picture is drawn."""
    cells = seen(name).cells
    half = len(cells) // 2
    faults = []
    for number, cell in enumerate(cells):
        texts = [output.data.get("text/plain", "") for output in cell.outputs if "data" in output]
        checks = cell.source.count("SelfCheck.of(")
        pictures = cell.source.count("SelfCheck.show(")
        marks = [text[0] for text in texts if text[:1] in "✓✗"]
        if any(output.output_type in ("error", "stream", "execute_result") for output in cell.outputs):
            faults.append("cell %d: %s" % (number, cell.outputs))
        if len(texts) != checks + pictures or len(marks) != checks:
            faults.append("cell %d: %d checks and %d pictures, but %s" % (number, checks, pictures, texts))
        if number < half and "✓" in marks or number >= half and "✗" in marks:
            faults.append("cell %d: %s" % (number, texts))
        if pictures and number >= half and any(text.startswith("No picture") for text in texts):
            faults.append("cell %d: %s" % (number, texts))
    none_of(faults)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_form(name):
    """nbgrader's metadata, no outputs, a rubric for each answer in words which adds up to its points, stubs that end a method's body."""
    notebook = source(name)
    text = (SOURCE / name / (name + ".ipynb")).read_text(encoding="utf-8")
    nbformat.validate(notebook)
    assert text == nbformat.writes(notebook) + "\n"
    assert notebook.metadata == METADATA
    assert [cell.id for cell in code_cells(notebook) if cell.outputs or cell.execution_count] == []
    by_hand = 0
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader")
        assert about or cell.metadata.get("tags") == ["picture"], cell.id
        if about:
            assert (about.grade_id, about.schema_version) == (cell.id, 3)
        if cell.cell_type == "markdown" and about.grade:
            by_hand += about.points
            rubric = cell.source.partition("| points | for |")[2]
            assert sum(int(points) for points in re.findall(r"^\| (\d+) \|", rubric, re.M)) == about.points, cell.id
            assert notebooks.released(cell.source).strip() == "*Your answer here.*"
    assert by_hand == 10
