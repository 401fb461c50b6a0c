"""The ledger of claims and the chapters agree: each computed row is checked by one cell, with the same numbers."""
import re

import pytest
from chapters import (COLUMNS, NAMES, Expectation, bare, check_on, checks, committed, executed, expected, ledger,
                      none_of)
from course import NOTEBOOKS

VERDICTS = {"holds", "if", "wrong", "cite", "ours"}
KINDS = {"computed", "literature", "ours"}
CLAIMS = ["C%02d" % number for number in range(1, 92)] + ["X%d" % number for number in range(1, 7)]
CHAPTERS = ["%02d" % number for number in range(15)]
LONGEST_CLAIM = 110


def computed(name):
    """The computed rows whose place is this chapter."""
    return [row for row in ledger() if row["kind"] == "computed" and row["chapter"] == name[:2]]


# ---- the ledger by itself

def test_ledger_is_written_as_agreed():
    data = (NOTEBOOKS / "claims.csv").read_bytes()
    assert b"\r" not in data and data.endswith(b"\n") and not data.startswith(b"\xef\xbb\xbf")
    assert data.decode("utf-8").splitlines()[0].split(",") == COLUMNS
    assert [row for row in ledger() if len(row) != len(COLUMNS) + 1 or None in row.values()] == []


def test_every_claim_is_in_the_ledger_in_order():
    rows = [(row["id"], row["part"]) for row in ledger()]
    assert list(dict.fromkeys(id for id, _ in rows)) == CLAIMS
    assert rows == sorted(rows, key=lambda row: (CLAIMS.index(row[0]), row[1]))
    assert len(rows) == len(set(rows))


def row_faults(row):
    """What is wrong with a row of the ledger, whatever the chapters say."""
    faults = []
    if row["verdict"] not in VERDICTS or row["kind"] not in KINDS or row["chapter"] not in CHAPTERS:
        faults.append("unknown verdict, kind or chapter")
    if not re.fullmatch("[a-z]?", row["part"]) or not re.fullmatch(r"\d+(\.\d+)?|", row["section"]):
        faults.append("part is not a letter, or section not a number")
    if not row["claim"].strip() or len(row["claim"]) > LONGEST_CLAIM or re.search(r"[$\\\n]", row["claim"]):
        faults.append("the claim is not one line of at most %d characters without TeX" % LONGEST_CLAIM)
    if row["kind"] != "computed":
        return faults + ["a row that is not computed expects a number"] * bool(row["expected"] or row["tolerance"])
    try:
        wanted = expected(row)
    except ValueError as error:
        return faults + ["expected or tolerance: %s" % error]
    if wanted.relation == "=":
        faults += tolerance_faults(wanted)
        if row["verdict"] == "wrong":
            faults += article_faults(row["article"], wanted)
    return faults


def tolerance_faults(wanted):
    """A tolerance as large as a number lets 0 pass for it. A number that is 0 has no size: 1 stands for it."""
    if not 0 <= wanted.tolerance < float("inf"):
        return ["the tolerance is no finite number from 0 on"]
    smallest = min((abs(x) for x in wanted.numbers if x), default=1)
    return ["the tolerance %g is not below the number %g" % (wanted.tolerance, smallest)] * (wanted.tolerance >= smallest)


def article_faults(article, wanted):
    """The article's numbers must be outside the tolerance, or the check could not tell that they are wrong."""
    try:
        numbers = [float(x) for x in article.split()]
    except ValueError:
        return []  # words
    if len(numbers) != len(wanted.numbers):
        return []
    farthest = max(abs(a - b) for a, b in zip(numbers, wanted.numbers))
    return ["the article's numbers are within the tolerance"] * (farthest <= wanted.tolerance)


GOOD_ROW = dict(id="C78", part="", section="15.2", claim="softmax([0, 1]) = [0.27, 0.73]", article="0.28 0.73",
                verdict="wrong", kind="computed", expected="0.27 0.73", tolerance="5e-3", chapter="01")


@pytest.mark.parametrize("change", [
    dict(verdict="false"), dict(kind="measured"), dict(chapter="15"), dict(part="aa"), dict(section="two"),
    dict(claim=""), dict(claim="x" * 111), dict(claim="$d_k$"), dict(expected=""), dict(tolerance=""), dict(expected="0.27, 0.73"),
    dict(expected="true"), dict(tolerance="0.27"), dict(tolerance="-1"), dict(article="0.272 0.73"), dict(kind="literature")], ids=str)
def test_row_faults_are_found(change):
    assert row_faults(GOOD_ROW) == []
    assert row_faults({**GOOD_ROW, **change}) != []


def test_rows():
    none_of(row["check"] + ": " + fault for row in ledger() for fault in row_faults(row))


# ---- the ledger and the chapters

def test_check_is_read():
    line = 'Claim.of("C79").expect(0.3, -1_000).within(5e-5).is(f("a, (b)", x), 2);'
    assert check_on(line) == ("C79", Expectation("=", (0.3, -1000.0), 5e-5), 'f("a, (b)", x), 2')
    assert check_on('Claim.of("X1").expectAtMost(1e-9).is(y);') == ("X1", Expectation("≤", (1e-9,)), "y")
    assert check_on('Claim.of("X1").holds(a < b);') == ("X1", Expectation("true"), "a < b")
    assert check_on('    Claim.of("X1").holds(a < b);') is None
    for wrong in ['.expect(1).is(y)', '.expect(z).within(1).is(y)', '.expectAtMost(1).within(1).is(y)', '.expect(1).within(2)']:
        with pytest.raises(ValueError):
            check_on('Claim.of("X1")%s;' % wrong)


@pytest.mark.parametrize("name", NAMES)
def test_chapter_checks_its_rows_with_their_numbers(name):
    wanted = {row["check"]: expected(row) for row in computed(name)}
    made = checks(committed(name))
    ids = [check.id for check in made]
    faults = ["%s: is checked %d times" % (id, ids.count(id)) for id in sorted(set(ids)) if ids.count(id) > 1]
    faults += ["%s: no cell checks it; the ledger expects %s" % (id, show(wanted[id])) for id in wanted if id not in ids]
    for check in made:
        if check.id not in wanted:
            faults.append("%s: is no computed row of chapter %s in the ledger" % (check.id, name[:2]))
        elif check.expectation != wanted[check.id]:
            faults.append("%s: the cell expects %s, the ledger %s" % (check.id, show(check.expectation), show(wanted[check.id])))
    none_of(faults)


def show(expectation):
    numbers = " ".join("%g" % x if float("%g" % x) == x else repr(x) for x in expectation.numbers)
    return ("%s %s" % (expectation.relation, numbers)).strip() + (
        " within %g" % expectation.tolerance if expectation.tolerance is not None else "")


@pytest.mark.parametrize("name", NAMES)
def test_each_check_has_its_line_in_the_output(name):
    chapter = executed(name)
    missing = [check.id for check in checks(chapter) if not any(
        output.get("data", {}).get("text/plain", "").startswith("✓ %s " % check.id)
        for output in chapter.cells[check.cell].outputs)]
    none_of(missing)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_measured_is_computed(name):
    """A check of a literal, such as the expected numbers themselves, would show nothing."""
    none_of(check.id for check in checks(committed(name)) if is_literal(check.measured))


def is_literal(measured):
    return not re.search(r"[A-Za-z_]\w*", re.sub(r"\b(\d[\w.]*|true|false)\b", "", bare(measured)))


def test_literals_are_found():
    assert is_literal("0.5, 1e-3") and is_literal("!true") and not is_literal("x") and not is_literal("2 * f(3)")
