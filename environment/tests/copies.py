"""Copies of the chapters with something changed on purpose. The tests run them to see what happens."""
import math
from typing import NamedTuple

import nbformat
from chapters import arguments, calls, check_on, committed, java_of, solutions

# The divisor √d_k of every Scale.sqrt(x), replaced by wrong ones. The last is √d_model for 8 heads.
DIVISORS = {
    "by_1": "(1.0)",
    "by_sqrt_2": "(Math.sqrt(2))",
    "by_dk": "((double) (%s))",
    "by_sqrt_dmodel": "(Math.sqrt(8.0 * (%s)))",
}


class Copy(NamedTuple):
    """A chapter and what is changed in it: a key of DIVISORS, "expectations" or "solutions"."""
    chapter: str
    change: str

    def notebook(self):
        original = committed(self.chapter)
        if self.change == "solutions":
            return with_solutions(original)
        if self.change == "expectations":
            return with_checks_denied(original)
        return with_divisor(original, DIVISORS[self.change])

    def goes_on(self):
        """Whether cells after a failed one are run, too."""
        return self.change not in DIVISORS


def with_divisor(notebook, divisor):
    """A copy in which every Scale.sqrt(x) of a code cell is another number."""
    copy = nbformat.from_dict(notebook)
    for cell in copy.cells:
        if cell.cell_type == "code":
            for start, end, x in reversed(calls(cell.source, "Scale.sqrt")):
                cell.source = cell.source[:start] + divisor.replace("%s", x) + cell.source[end:]
    return copy


def with_checks_denied(notebook):
    """A copy in which each check is denied, in a cell of its own: where it fails, it takes no other with it."""
    copy = nbformat.from_dict(notebook)
    copy.cells = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        lines = []
        for line in cell.source.splitlines() + [""]:
            found = check_on(line)
            if found:
                add(copy, "\n".join(lines))
                add(copy, denied(line), check=found[0])
                lines = []
            else:
                lines.append(line)
        add(copy, "\n".join(lines))
    return copy


def denied(line):
    """The check with an expectation that must fail if the original one holds."""
    id, expectation, measured = check_on(line)
    if expectation.relation == "true":
        return 'Claim.of("%s").holds(!(%s));' % (id, measured)
    if expectation.relation == "=":
        shift = 3 * expectation.tolerance or 1
        numbers = ", ".join(repr(x + math.copysign(shift, x)) for x in expectation.numbers)
        return 'Claim.of("%s").expect(%s).within(%r).is(%s);' % (id, numbers, expectation.tolerance, measured)
    bound = expectation.numbers[0]
    if expectation.relation == "≤":
        return 'Claim.of("%s").expectAtLeast(%r).is(%s);' % (id, math.nextafter(bound, math.inf), measured)
    return 'Claim.of("%s").expectAtMost(%r).is(%s);' % (id, math.nextafter(bound, -math.inf), measured)


def with_solutions(notebook):
    """A copy that ends with the code of each solution in a cell of its own."""
    copy = nbformat.from_dict(notebook)
    for place, solution in enumerate(solutions(notebook), 1):
        add(copy, "\n".join(java_of(solution)), solution=place)
    return copy


def add(notebook, source, **metadata):
    if source.strip():
        notebook.cells.append(nbformat.v4.new_code_cell(source, metadata=metadata))


def errors(notebook):
    """(cell, error output) of each cell that failed, in order."""
    return [(cell, output) for cell in notebook.cells if cell.cell_type == "code"
            for output in cell.outputs if output.output_type == "error"]
