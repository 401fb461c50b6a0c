"""The ledger of claims and the chapters agree: each computed row is checked by one cell, with the same numbers."""
import re
from decimal import Decimal

import pytest
from chapters import (COLUMNS, NAMES, Expectation, bare, check_on, checks, code_cells, committed, executed, expected,
                      ledger, none_of, prose)
from course import NOTEBOOKS

VERDICTS = {"holds", "if", "wrong", "cite", "ours"}
KINDS = {"computed", "literature", "ours"}
CLAIMS = ["C%02d" % number for number in range(1, 92)] + ["X%d" % number for number in range(1, 7)]
CHAPTERS = ["%02d" % number for number in range(15)]
LONGEST_CLAIM = 110
WIDE = {  # rows of written chapters that need a tolerance of more than a tenth of their smallest number
    "C08n": "Monte Carlo: the shares for few and for many keys have one tolerance, fit for the largest",
    "C21c": "Monte Carlo: a share of some ten millionths is a handful of weights",
    "X4e": "Monte Carlo: an excess kurtosis, a fourth moment, has a large sampling error",
}
ARITHMETIC = {  # numbers that the sentence itself makes, and no cell has to
    "02-variance": {"2.0794": "ln 8", "2.773": "ln 16"},
    "03-saturation": {"0.02": "2 (1 − 0.99)"},
}


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
        if row["chapter"] in [name[:2] for name in NAMES] and row["check"] not in WIDE:
            faults += width_faults(row["expected"], wanted)
        if row["verdict"] == "wrong":
            faults += article_faults(row["article"], wanted)
    return faults


def tolerance_faults(wanted):
    """A tolerance as large as a number lets 0 pass for it. A number that is 0 has no size: 1 stands for it."""
    if not 0 <= wanted.tolerance < float("inf"):
        return ["the tolerance is no finite number from 0 on"]
    smallest = min((abs(x) for x in wanted.numbers if x), default=1)
    return ["the tolerance %g is not below the number %g" % (wanted.tolerance, smallest)] * (wanted.tolerance >= smallest)


def width_faults(text, wanted):
    """The tolerance is at most a tenth of the smallest number, or half a unit of the last decimal that is written."""
    smallest = min((abs(x) for x in wanted.numbers if x), default=None)
    last = min(Decimal(x).as_tuple().exponent for x in text.split())
    allowed = max(smallest / 10, 10.0 ** last / 2 if last < 0 else 0) if smallest else float("inf")
    return ["the tolerance %g is above %g, a tenth of the smallest number" % (wanted.tolerance, allowed)] * (
        wanted.tolerance > allowed * 1.000001)


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
                verdict="wrong", kind="computed", expected="0.27 0.73", tolerance="5e-3", chapter="01", check="C78")


@pytest.mark.parametrize("change", [
    dict(verdict="false"), dict(kind="measured"), dict(chapter="15"), dict(part="aa"), dict(section="two"),
    dict(claim=""), dict(claim="x" * 111), dict(claim="$d_k$"), dict(expected=""), dict(tolerance=""), dict(expected="0.27, 0.73"),
    dict(expected="true"), dict(tolerance="0.27"), dict(tolerance="0.03", article=""), dict(tolerance="-1"), dict(article="0.272 0.73"), dict(kind="literature")], ids=str)
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


# ---- numbers in words

def decimals(text):
    """The decimal numbers in a text, without their signs; 0.0180 counts as 0.018."""
    text = re.sub(r"(?<=\d)(?:,|_|\{,\})(?=\d{3}(?!\d))", "", text)
    return {Decimal(number).normalize() for number in re.findall(r"(?<![\w.])\d+\.\d+(?!\.?\d)", text)}


def made(code, outputs):
    """The decimal numbers in code, comments excepted, and in outputs, the words of claims excepted."""
    said = [re.sub(r"^✓.*?(· computed|$)|· the article has .*", "", line) for text in outputs for line in text.splitlines()]
    return decimals("\n".join(re.sub(r"//.*", "", java) for java in code)) | decimals("\n".join(said))


def made_in(name):
    outputs = [out.get("text") or out.get("data", {}).get("text/plain", "")
               for cell in code_cells(executed(name)) for out in cell.outputs]
    return made([cell.source for cell in code_cells(committed(name))], outputs)


QUOTED = re.compile(r"^> (✓ .*)$", re.M)  # the line of a check, shown in the prose


def stated(markdown):
    """The decimal numbers that Markdown states: not in code, solutions, headings, links, lines of checks, and names of sections."""
    text = re.sub(r"<details>.*?</details>|^(```+|~~~+).*?^\1|(`+)(?!`).+?(?<!`)\2(?!`)|^#.*?$|\[[^\]]*\]\([^)]*\)", " ",
                  markdown, flags=re.S | re.M)
    text = QUOTED.sub(" ", text)
    section = r"\d+\.\d+"
    return decimals(re.sub(r"\b[Ss]ections? %s((, | and | to )%s)*" % (section, section), " ", text))


def test_decimals_are_found_whatever_their_form():
    assert decimals("−0.0180·10¹¹, 67.88; 1,234.5 v1.2 3.4.5 7") == decimals("0.018 67.880 1234.5")
    assert made(["f(0.3);  // 0.4"], ["✓ C78  it is 0.5 · computed 0.6 · the article has 0.8", "✓ C79  0.9", "0.7"]) == decimals("0.3 0.6 0.7")
    assert stated("## 7.1 One\n\nIt is $-0.25$ in sections 7.1, 7.2 and 7.3, [7.4](x), `0.5` and 0.75\n\n```java\n0.1\n```\n\n"
                  "<details>0.2</details>\n\n> ✓ **C78** 0.6\n") == decimals("0.25 0.75")


def missing(name, text_numbers):
    """Those of the numbers that the chapter neither has nor, with three decimals or more, rounds to."""
    return sorted(text_numbers - {Decimal(x) for x in ARITHMETIC.get(name, {})} - rounded(made_in(name)))


def rounded(numbers):
    return numbers | {round(x, places).normalize() for x in numbers for places in range(3, -x.as_tuple().exponent)}


def test_rounding_keeps_three_decimals():
    assert rounded(decimals("0.38941")) == decimals("0.38941 0.3894 0.389")


@pytest.mark.parametrize("name", NAMES)
def test_numbers_in_the_words_of_claims_are_computed(name):
    none_of("%s: %s is in the claim, but in no code or output" % (row["check"], number)
            for row in computed(name) for number in missing(name, decimals(row["claim"])))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_in_the_prose_are_computed(name):
    none_of("%s is in the prose, but in no code or output" % number
            for number in missing(name, stated(prose(committed(name)))))


def not_shown(quoted, shown):
    """Which lines of checks, quoted in Markdown, are not among those shown."""
    def plain(line):
        return " ".join(line.replace("*", "").split())
    return [line for line in quoted if plain(line) not in {plain(other) for other in shown}]


def test_lines_of_checks_that_are_not_shown_are_found():
    assert not_shown(["✓ **C78** it is 1 · computed **1**"], ["✓ C78  it is 1 · computed 1"]) == []
    assert not_shown(["✓ **C78** it is 1 · computed **2**"], ["✓ C78  it is 1 · computed 1"]) != []


@pytest.mark.parametrize("name", NAMES)
def test_lines_of_checks_in_the_prose_are_those_shown(name):
    shown = [output.get("data", {}).get("text/plain", "")
             for other in NAMES for cell in code_cells(executed(other)) for output in cell.outputs]
    none_of(not_shown(QUOTED.findall(prose(committed(name))), shown))
