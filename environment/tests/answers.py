"""Wrong answers to the assignments, made from the right ones: a reference solution with a slip in it."""
import json
from functools import cache

from course import NOTEBOOKS

SOURCE = NOTEBOOKS / "assignments" / "source"
WRONG_SCALES = {"1": "1", "√2": "Math.sqrt(2)", "d_k": "({d})", "√d_model": "Math.sqrt(8 * ({d}))"}  # with d_model = 8 d_k


@cache
def solutions(assignment):
    """The sources of the code cells that a student is to write, by grade_id."""
    notebook = json.loads((SOURCE / assignment / (assignment + ".ipynb")).read_text(encoding="utf-8"))
    return {about["grade_id"]: "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"
            and (about := cell["metadata"].get("nbgrader", {})).get("solution")}


def changed(assignment, task, name, *changes):
    """(name, source): the reference solution with each (old, new) replaced. An old text that is not there is an error."""
    source = solutions(assignment)[task]
    for old, new in changes:
        if old not in source:
            raise ValueError("%s, %s, %s: the solution has no %r" % (assignment, task, name, old))
        source = source.replace(old, new)
    return name, source


def scales(assignment, task, divisor, d_k):
    """The wrong scales in place of the divisor."""
    return [changed(assignment, task, "scale " + name, (divisor, text.format(d=d_k))) for name, text in WRONG_SCALES.items()]
