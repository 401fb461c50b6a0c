"""The chapters as the tests read them: cells, checks of claims, solutions of exercises, and the ledger."""
import csv
import difflib
import re
from functools import cache
from typing import NamedTuple

import nbformat
import pytest
from course import EXECUTED, NOTEBOOKS

NAMES = sorted(file.stem for file in NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))


@cache
def committed(name):
    """The chapter as it lies in notebooks/, with the outputs that were committed."""
    return nbformat.read(NOTEBOOKS / (name + ".ipynb"), as_version=4)


@cache
def executed(name):
    """The chapter with the outputs of the last run by `make`."""
    file = EXECUTED / (name + ".ipynb")
    none_of([] if file.exists() else ["%s has not been executed: run make first" % name])
    return nbformat.read(file, as_version=4)


def none_of(faults, heading=""):
    """Fails the test with a line for each fault."""
    faults = list(faults)
    if faults:
        pytest.fail("\n".join([heading] * bool(heading) + [str(fault) for fault in faults]), pytrace=False)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def stray_results(cell):
    """Results that the kernel shows although the cell ends in ; or }: it shows the value of any last expression."""
    return [output.data["text/plain"] for output in cell.outputs
            if output.output_type == "execute_result" and bare(cell.source).rstrip()[-1:] in (";", "}")]


def comparable(output):
    """An output as lines, with the pictures left out: their text and their alt are compared instead."""
    if output.output_type == "stream":
        return ["%s: %s" % (output.name, line) for line in output.text.splitlines()]
    if output.output_type == "error":
        return ["error: " + output.ename, "error: " + output.evalue]
    lines = []
    for mime, content in sorted(output.data.items()):
        content = content if isinstance(content, str) else repr(content)
        if mime.startswith("image/"):
            content = "a picture"
        content = re.sub(r'src="data:[^"]*"', 'src="a picture"', content)
        lines += ["%s %s: %s" % (output.output_type, mime, line) for line in content.splitlines() or [""]]
    return lines


def differences(old, new):
    """Where the outputs of two runs of a chapter differ, cell by cell."""
    faults = []
    for number, (before, after) in enumerate(zip(code_cells(old), code_cells(new)), 1):
        lines = [[line for output in cell.outputs for line in comparable(output)] for cell in (before, after)]
        diff = [line for line in difflib.unified_diff(*lines, n=0, lineterm="") if not re.match(r"---|\+\+\+|@@", line)]
        if diff:
            shown = [line if len(line) < 160 else line[:159] + "…" for line in diff[:12]] + ["…"] * (len(diff) > 12)
            faults.append("code cell %d (%s)\n  %s" % (number, before.id, "\n  ".join(shown)))
    return faults


def prose(notebook):
    """All Markdown of a notebook as one text."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def solutions(notebook):
    """The folded solutions, in order, each with its heading and fences."""
    return re.findall(r"<details>.*?</details>", prose(notebook), re.S)


def java_of(solution):
    """The Java fences of a solution."""
    return re.findall(r"^```java\n(.*?)^```", solution, re.S | re.M)


# ---- Java, as far as a test has to read it

_TOKEN = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)


def bare(java):
    """The code with comments and the insides of its literals blanked out: every character stays in its place."""
    def blank(match):
        text = match.group()
        quote = next((q for q in ('"""', '"', "'") if text.startswith(q)), "")
        inside = text[len(quote):len(text) - len(quote)]
        return quote + re.sub(r"[^\n]", " ", inside) + quote
    return _TOKEN.sub(blank, java)


def closing(code, opening):
    """Where the parenthesis that opens at this index is closed; code is bare."""
    depth = 0
    for index in range(opening, len(code)):
        depth += (code[index] in "([{") - (code[index] in ")]}")
        if depth == 0:
            return index
    raise ValueError("a parenthesis is never closed: " + code[opening:])


def calls(java, name):
    """(start, end, arguments) of each call of a method or constructor such as `Scale.sqrt`."""
    code = bare(java)
    found = []
    for match in re.finditer(r"(?<![\w.])" + re.escape(name).replace(r"\ ", r"\s+") + r"\s*\(", code):
        end = closing(code, match.end() - 1)
        found.append((match.start(), end + 1, java[match.end():end]))
    return found


def arguments(java):
    """A list of arguments, split at its outer commas."""
    code, parts, depth, start = bare(java), [], 0, 0
    for index, letter in enumerate(code):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(java[start:index].strip())
            start = index + 1
    return parts + [java[start:].strip()] if java.strip() else []


def number(literal):
    """The value of a numeric literal in Java. Raises ValueError for any other expression."""
    return float(re.sub(r"(?<=\d)_(?=\d)", "", literal).rstrip("dD"))


# ---- checks of claims, and the ledger

class Expectation(NamedTuple):
    """What a check or a row of the ledger expects: relation is =, ≤, ≥ or true."""
    relation: str
    numbers: tuple = ()
    tolerance: float | None = None


class Check(NamedTuple):
    """A line `Claim.of("C79").expect(…).within(…).is(…);` of a chapter."""
    id: str
    cell: int  # index among all cells
    line: int
    expectation: Expectation
    measured: str


CHECK = re.compile(r'Claim\.of\("(\w+)"\)(\..*);\s*$')


def check_on(line):
    """(id, expectation, measured) of a line that is a check, else None. Raises ValueError if it cannot be understood."""
    match = CHECK.match(line)
    if not match:
        return None
    id, chain = match.groups()
    called, code, at = {}, bare(chain), 0
    while at < len(code):
        call = re.compile(r"\s*\.(\w+)\(").match(code, at)
        if not call or call.group(1) in called:
            raise ValueError("not a chain of calls: " + line)
        end = closing(code, call.end() - 1)
        called[call.group(1)] = chain[call.end():end]
        at = end + 1
    numbers = {name: tuple(number(x) for x in arguments(called[name]))
               for name in ("expect", "expectAtMost", "expectAtLeast", "within") if name in called}
    tolerance = numbers["within"][0] if "within" in called else None
    shape = frozenset(called)
    if shape == {"expect", "within", "is"}:
        return id, Expectation("=", numbers["expect"], tolerance), called["is"]
    if shape == {"expectAtMost", "is"}:
        return id, Expectation("≤", numbers["expectAtMost"]), called["is"]
    if shape == {"expectAtLeast", "is"}:
        return id, Expectation("≥", numbers["expectAtLeast"]), called["is"]
    if shape == {"holds"}:
        return id, Expectation("true"), called["holds"]
    raise ValueError("neither expect.within.is, expectAtMost.is, expectAtLeast.is nor holds: " + line)


def checks(notebook):
    return [Check(found[0], index, line_number, *found[1:])
            for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"
            for line_number, line in enumerate(cell.source.splitlines())
            if (found := check_on(line))]


COLUMNS = "id part section claim article verdict kind expected tolerance chapter".split()


@cache
def ledger():
    """The rows of claims.csv, in order, each with its full id (such as C08a) under "check"."""
    with open(NOTEBOOKS / "claims.csv", encoding="utf-8", newline="") as file:
        return [dict(row, check=row["id"] + row["part"]) for row in csv.DictReader(file, strict=True)]


def expected(row):
    """What a computed row expects. Raises ValueError if it cannot be understood."""
    text, tolerance = row["expected"], row["tolerance"]
    if text == "true" or text[:1] in ("≤", "≥"):
        if tolerance:
            raise ValueError("a tolerance without a number to be near to")
        return Expectation("true") if text == "true" else Expectation(text[0], (float(text[1:]),))
    return Expectation("=", tuple(float(x) for x in text.split(" ")), float(tolerance))
