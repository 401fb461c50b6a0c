"""The chapters altered on purpose: a wrong divisor goes red, every check can fail, and every solution runs."""
import re

import pytest
from chapters import (NAMES, calls, checks, code_cells, committed, differences, executed, none_of, solutions,
                      stray_results)
from copies import DIVISORS, Copy, denied, errors, with_divisor
from nbclient.exceptions import CellExecutionError

# Chapters that a wrong divisor need not turn red, and why.
EXEMPT = {"00-start-here": "a picture and a map: it makes no claim of its own"}


def copies(names, *changes):
    return pytest.mark.parametrize("copy", [Copy(name, change) for name in names for change in changes],
                                   ids=lambda copy: "-".join(copy))


def failed_claim(error):
    """The id of the claim that an error is the failure of, else None. The kernel puts the exception's class first."""
    match = re.match(r"rootdk\.notebook\.ClaimFailure, claim (\w+) failed: (expected|“.*” does not hold)", error.evalue)
    return match and match.group(1)


def first_line(error):
    return "%s: %s" % (error.ename, error.evalue.partition("\n")[0])


@copies([name for name in NAMES if name not in EXEMPT], *DIVISORS)
def test_wrong_divisor_fails_a_claim(run, copy):
    """The first thing that goes wrong is a claim, not the compiler and no other exception."""
    assert calls("\n".join(cell.source for cell in code_cells(committed(copy.chapter))), "Scale.sqrt")
    with pytest.raises(CellExecutionError) as stopped:
        run(copy)
    none_of([] if failed_claim(stopped.value) else ["no claim, but " + first_line(stopped.value)])
    print("stops at", failed_claim(stopped.value))


@pytest.mark.parametrize("name", sorted(EXEMPT))
def test_exempt_chapter_makes_no_claim(name):
    assert checks(committed(name)) == []


@copies([name for name in NAMES if name not in EXEMPT], "expectations")
def test_every_check_can_fail(run, copy):
    """Each check is asked for numbers three tolerances away from what it expects, or for the other side of its bound."""
    result = run(copy)
    asked = [cell.metadata.check for cell in result.cells if "check" in cell.metadata]
    assert asked and asked == [check.id for check in checks(committed(copy.chapter))]
    failed = errors(result)
    none_of(first_line(error) for cell, error in failed
            if "check" not in cell.metadata or failed_claim(error) != cell.metadata.check)
    assert [cell.metadata.check for cell, _ in failed] == asked


@copies([name for name in NAMES if solutions(committed(name))], "solutions")
def test_solutions_run_and_show_something(run, copy):
    result = run(copy)
    none_of("solution %s: %s" % (cell.metadata.get("solution", "none"), first_line(error))
            for cell, error in errors(result))
    added = [cell for cell in result.cells if "solution" in cell.metadata]
    none_of("solution %d shows nothing" % cell.metadata.solution for cell in added if not cell.outputs)
    none_of("solution %d shows a result that was not asked for: %s" % (cell.metadata.solution, value)
            for cell in added for value in stray_results(cell))


@copies([name for name in NAMES if solutions(committed(name))], "solutions")
def test_a_second_run_shows_the_same(run, copy):
    """The chapter in front of the solutions is unaltered: its outputs are those of the first run."""
    none_of(differences(executed(copy.chapter), run(copy)))


# ---- the alterations themselves

def test_a_divisor_is_replaced_wherever_it_stands():
    notebook = committed(NAMES[0]).copy()
    notebook.cells = [dict(cell_type="code", source='x / Scale.sqrt((int) n) + "Scale.sqrt(7)".length() * Scale.sqrt(dK);')]
    assert with_divisor(notebook, DIVISORS["by_dk"]).cells[0].source == \
        'x / ((double) ((int) n)) + "Scale.sqrt(7)".length() * ((double) (dK));'


def test_a_check_is_denied():
    assert denied('Claim.of("X1").expect(2, -1).within(0.5).is(y);') == 'Claim.of("X1").expect(3.5, -2.5).within(0.5).is(y);'
    assert denied('Claim.of("X1").expect(44).within(0).is(n);') == 'Claim.of("X1").expect(45.0).within(0.0).is(n);'
    assert denied('Claim.of("X1").expectAtMost(0.5).is(y);') == 'Claim.of("X1").expectAtLeast(0.5000000000000001).is(y);'
    assert denied('Claim.of("X1").expectAtLeast(1).is(y);') == 'Claim.of("X1").expectAtMost(0.9999999999999999).is(y);'
    assert denied('Claim.of("X1").holds(a < b);') == 'Claim.of("X1").holds(!(a < b));'
