"""What an assignment's tasks.py is made of: the parts of each graded cell, as Java expressions without expected values.

A tasks.py defines one function. Its keys are the grade_ids of the check cells; the check of the solution cell
`softmax` is the cell `softmax-check`. The points of a check cell's parts add up to the cell's points.

    from classroom.tasks import Part, call, normal

    def tasks(rng):  # a random.Random; its seed is the class's secret
        return {"softmax-check": [
            Part(1, "three scores", call("softmax", [0.0, 1.0, 2.0]), hint="Divide by the sum of all exponentials."),
            Part(2, "random scores", call("softmax", normal(rng, 7)), hidden=True, hint="Try other lengths than three."),
        ]}

Expected values come from the reference solutions, which are run by the runner that runs the students'.
"""
import math
import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One call of a student's method, worth some points if its value is the reference's.

    A value is right if it has the reference's shape and each element x satisfies |x - r| <= tolerance * max(1, |r|)
    for the reference's r, or |x - r| <= tolerance * |r| if relative. NaN equals NaN alone, an infinity itself alone.
    Whole numbers count as numbers; true and false, texts and null equal themselves alone.

    A part with throws is right if the call throws an exception of this class (or of a class below it): "ArithmeticException",
    or with its package if that is not java.lang. It counts only if a part of its cell that expects a value is right as well:
    else a method that always throws would earn points.
    """
    points: float
    name: str             # unique in its cell, shown to the student
    call: str             # a Java expression: call(...), block(...) or text; a visible part shows it to the student as its input
    hint: str             # one sentence for a student who got it wrong, which gives nothing away
    hidden: bool = False  # of a hidden part the student sees the name, right or wrong, and the hint
    tolerance: float = 1e-9
    relative: bool = False
    throws: str | None = None
    accept: Callable | None = None  # accept(value, expected) in place of the comparison above, for bounds

    def __post_init__(self):
        if not (self.points > 0 and math.isfinite(self.points)):
            raise ValueError("part %r has %r points; it must be a number above 0" % (self.name, self.points))
        if not self.name or not self.call or not self.hint:
            raise ValueError("part %r needs a name, a call and a hint" % self.name)
        if self.throws == "UnsupportedOperationException":
            raise ValueError("part %r expects what the untouched release throws" % self.name)


def java(value, kind=None):
    """A Java expression for a Python value: True, 3, 0.5, inf, nan, "text", None, lists of numbers, lists of lists (a null row is None).

    It is made of literals: a student's cell can declare a class Double with a NaN of its own, which is 0.
    A list with any float in it is a double array, else one of int or boolean. For an empty list, or to decide, give the kind: "double[]".
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null" if kind is None else "(%s) null" % kind
    if isinstance(value, int):
        return ("%d" if -2**31 <= value < 2**31 else "%dL") % value
    if isinstance(value, float):
        if math.isnan(value):
            return "0.0 / 0.0"
        if math.isinf(value):
            return "1.0 / 0.0" if value > 0 else "-1.0 / 0.0"
        return repr(value)
    if isinstance(value, str):
        return '"%s"' % "".join(map(_escaped, value))
    if isinstance(value, (list, tuple)):
        kind = kind or _kind(value)
        return "new %s %s" % (kind, _braces(value, kind.replace("[]", "")))
    raise TypeError("no Java for %r" % (value,))


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(character):
    if character in _ESCAPES or " " <= character <= "~":
        return _ESCAPES.get(character, character)
    units = character.encode("utf-16-be")
    return "".join("\\u%04x" % (units[i] << 8 | units[i + 1]) for i in range(0, len(units), 2))


def _leaves(value):
    for one in value:
        if isinstance(one, (list, tuple)):
            yield from _leaves(one)
        elif one is not None:
            yield one


def _kind(value):
    leaves = list(_leaves(value))
    if not leaves:
        raise ValueError("java([]) needs a kind, such as \"double[]\"")
    element = ("boolean" if isinstance(leaves[0], bool) else "String" if isinstance(leaves[0], str)
               else "double" if any(isinstance(leaf, float) for leaf in leaves) else "int")
    depth, below = 0, value
    while isinstance(below, (list, tuple)):
        depth, below = depth + 1, next((b for b in below if b is not None), None)
    return element + "[]" * depth


def _braces(value, element):
    return "{%s}" % ", ".join(
        _braces(one, element) if isinstance(one, (list, tuple)) else java(float(one) if element == "double" and one is not None else one)
        for one in value)


def call(method, *arguments):
    """A call of a method with Python values, or ready Java expressions wrapped in `raw`: call("scale", [1.0, 2.0], 4)."""
    return "%s(%s)" % (method, ", ".join(str(a) if isinstance(a, raw) else java(a) for a in arguments))


class raw(str):
    """Java text that stands for itself among the arguments of call: raw("Math.PI")."""


_BLOCK = "new java.util.concurrent.Callable<Object>() { public Object call() throws Exception { %s } }.call()"


def block(body):
    """An expression from statements that end in a return, for methods that change their arguments, or objects with several calls:
    block("double[] x = {1, 2}; scaleInPlace(x); return x;")"""
    return _BLOCK % body


_NAMES = {"0.0 / 0.0": "Double.NaN", "1.0 / 0.0": "Double.POSITIVE_INFINITY", "-1.0 / 0.0": "Double.NEGATIVE_INFINITY"}


def shown(expression):
    """A part's call as a student sees it: of a block its statements; NaN and infinities by their names."""
    before, after = _BLOCK.split("%s")
    body = expression[len(before):-len(after)] if expression.startswith(before) and expression.endswith(after) else expression
    return re.sub(r"(?<![\w.])-?[01]\.0 / 0\.0", lambda match: _NAMES.get(match.group(), match.group()), body)


def normal(rng, n, spread=1.0, digits=4):
    """n draws from N(0, spread^2), rounded to some digits so that they read well."""
    return [round(rng.gauss(0, spread), digits) + 0.0 for _ in range(n)]


def normal_matrix(rng, rows, columns, spread=1.0, digits=4):
    return [normal(rng, columns, spread, digits) for _ in range(rows)]


def draws(rng, n, low, high):
    """n whole numbers from low to high, both included."""
    return [rng.randint(low, high) for _ in range(n)]
