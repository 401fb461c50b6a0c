"""The dialect of the notebooks: rules of form that keep them alike, right on every machine, and readable in every viewer.

A rule is a function from text to the faults in it, and comes with an example that breaks it, so that each rule is
seen to work. JAVA_RULES read code cells and the code of solutions, PROSE_RULES read Markdown. The assignments keep those that suit them;
what else holds for them is in test_assignments.py.
"""
import re

import nbformat
import pytest
from chapters import CHECK, NAMES, arguments, bare, calls, code_cells, committed, java_of, none_of, prose, solutions
from course import NOTEBOOKS
from execute import METADATA

LONGEST_CELL = 14  # lines that are not blank; the cell of the imports may be longer
LONGEST_LINE = 140  # characters of code, or a page has to scroll for it; a check may be longer, as it stays on one line
ASSIGNMENTS = sorted(path.stem for path in NOTEBOOKS.glob("assignments/source/*/*.ipynb"))
HAS_OWN_FORM = {"00-start-here"}  # the map of the course: no summary, no exercises


def assignment(name):
    return nbformat.read(NOTEBOOKS / "assignments" / "source" / name / (name + ".ipynb"), as_version=4)


# ---- Java

def found(pattern, code):
    return [match.group().strip() for match in re.finditer(pattern, code, re.M)]


def looks_like_a_magic(java):
    return found(r"^\s*%+\w+", java)  # inside a text block, too: the kernel does not know one when it looks for magics


def wildcard_import(java):
    return found(r"^\s*import\s[^;]*\*\s*;", bare(java))


def float_matrix(java):
    """EJML takes integer literals for floats: new SimpleMatrix(2, 2, true, 0, 1, -1, 0) has 32-bit numbers."""
    faults = []
    for start, end, given in calls(java, "new SimpleMatrix"):
        entries = arguments(given)[3:]
        if entries and all(re.fullmatch(r"[-+]?[\d_]+[fFlL]?", x) for x in entries):
            faults.append(java[start:end])
    return faults


def clock_or_unseeded_random(java):
    return found(r"currentTimeMillis|nanoTime|\bMath\.random|\bnew\s+(Secure|Splittable)?Random\s*\(|ThreadLocalRandom|"
                 r"randomUUID|\.now\s*\(|identityHashCode", bare(java))


def what_the_machine_says(java):
    return found(r"\bnew\s+(java\.util\.)?(Date|GregorianCalendar)\s*\(|\bpid\s*\(\s*\)|\bavailableProcessors\s*\(|"
                 r"\b(Instant|LocalDate|LocalTime|LocalDateTime|ZonedDateTime)\b", bare(java))


def order_of_threads(java):
    return found(r"\bparallelStream\s*\(|\.parallel\s*\(|\bSet\.of\s*\(|\bMap\.of\s*\(", bare(java))


def assert_statement(java):
    return found(r"^\s*assert\b[^;]*;?", bare(java))


def java_time_not_imported(java):
    used = set(found(r"(?<![\w.])(Duration|Instant|LocalDate|LocalTime|LocalDateTime|ZonedDateTime)\b", bare(java)))
    return sorted(name for name in used if not re.search(r"^import java\.time\.%s;" % name, java, re.M))


def locale_of_the_machine(java):
    code = bare(java)
    faults = found(r"\.formatted\s*\(|\.to(Upper|Lower)Case\s*\(\s*\)|\bnew (DecimalFormat|Formatter|Scanner)\s*\(|"
                   r"\bNumberFormat\.get\w*\(\s*\)", code)
    for match in re.finditer(r"\.(format|printf)\s*\(", code):
        if not code[match.end():].lstrip().startswith("Locale.ROOT"):
            faults.append(java[match.start():].partition("\n")[0])
    return faults


def processor_dependent_function(java):
    exact = "abs max min sqrt floor ceil rint round signum copySign ulp nextUp nextDown nextAfter fma E PI " \
            "floorDiv floorMod addExact subtractExact multiplyExact toIntExact negateExact clamp"
    return [f for f in found(r"(?<![\w.])Math(\.|::)\w+", bare(java)) if re.split(r"\W+", f)[1] not in exact.split()]


def divisor_not_by_scale(java):
    """The divisor has one name, which the tests replace: Scale.sqrt(…), called and not passed on."""
    return found(r"Math\.sqrt\s*\(\s*(\(\w+\)\s*)?(dK|d_k)\b[^;\n]*|Scale::sqrt|import static [\w.]*\.Scale\.\w+", bare(java))


def check_not_on_one_line(java):
    """A check is one line that begins in the first column: so it is not in a loop, and the tests can read it."""
    return [line.strip() for line in java.splitlines()
            if re.search(r"\bClaim\s*\.\s*of\b", bare(line)) and not CHECK.match(line)]


JAVA_RULES = {
    looks_like_a_magic: 'String s = """\n    %maven is a magic\n    """;',
    wildcard_import: "import java.util.*;",
    float_matrix: "new SimpleMatrix(2, 2, true, 0, 1, -1, 0)",
    clock_or_unseeded_random: "long seed = System.nanoTime();",
    what_the_machine_says: "new java.util.Date()",
    order_of_threads: "IntStream.range(0, 9).parallel().sum()",
    assert_statement: "assert x > 0;",
    java_time_not_imported: "Duration d = Duration.ofSeconds(1);",
    locale_of_the_machine: 'String.format("%.1f", x)',
    processor_dependent_function: "Arrays.stream(x).map(Math::exp)",
    divisor_not_by_scale: "double c = StrictMath.sqrt(dK);",
    check_not_on_one_line: 'for (double x : xs) Claim.of("C03a").expect(0).within(1).is(x);',
}

HARMLESS_JAVA = '''
import java.util.Locale;
import java.time.Duration;
import static rootdk.notebook.Notebook.show;
SimpleMatrix a = new SimpleMatrix(2, 2, true, 0.0, 1, -1, 0), b = new SimpleMatrix(new double[][] {{1, 0}});
double c = Math.sqrt(2) * Scale.sqrt((int) n) + Math.max(Math.E, StrictMath.exp(1)) % 7;   // Math.exp would do as well
System.out.printf(Locale.ROOT, "%.3f Math.random() %n", Duration.ofDays(1));
Claim.of("C79").expect(0.3072, 0.5065).within(5e-5).is(Softmax.of("),".length(), 2));
'''


# ---- Markdown

def without_code(markdown):
    """Fences and code spans blanked out."""
    return re.sub(r"^(```+|~~~+).*?^\1|(`+)(?!`).+?(?<!`)\2(?!`)", lambda m: re.sub(r"[^\n]", " ", m.group()), markdown,
                  flags=re.S | re.M)


def formulas(markdown):
    return re.findall(r"\$\$.+?\$\$|(?<![\\$])\$(?![\s$])(?:\\.|[^$\\\n])+?(?<!\s)\$(?!\d)", without_code(markdown), re.S)


def formula_in_backslash_brackets(markdown):
    return found(r"(?<!\\)\\[()\[\]]", without_code(markdown))


def lone_dollar(markdown):
    rest = without_code(markdown)
    for formula in formulas(markdown):
        rest = rest.replace(formula, "", 1)
    return found(r".*(?<!\\)\$.*", rest)


def bar_in_a_table_formula(markdown):
    """It would end the table's cell: write \\lvert x\\rvert, \\lVert x\\rVert or \\mid."""
    rows = "\n".join(line for line in without_code(markdown).splitlines() if line.startswith("|"))
    return [formula for formula in formulas(rows) if "|" in formula]


def letter_after_less_than(markdown):
    """Some viewers take a<b in a formula for the start of an HTML tag: write a < b or \\lt."""
    return [formula for formula in formulas(markdown) if re.search(r"<[A-Za-z/!]", formula)]


def syntax_of_one_viewer(markdown):
    return found(r"\{[\w:-]+\}`|^:::.*|^(```|~~~)\s*\{.*|^\([\w-]+\)=\s*$|^\+\+\+|^%.*|\[\^[^\]]+\]|\[@[^\]]+\]", markdown)


def link_to_nothing(markdown):
    targets = re.findall(r"\]\(\s*<?([^)>\s]+)", without_code(markdown)) + re.findall(r'(?:src|href)="([^"]+)"', markdown)
    return [target for target in targets if not re.match(r"https://|mailto:|#", target)
            and not (NOTEBOOKS / target.partition("#")[0]).is_file()]


PROSE_RULES = {
    formula_in_backslash_brackets: r"the size \(d_k\) of a head",
    lone_dollar: "it costs $5, or $ x $",
    bar_in_a_table_formula: "| norm |\n|---|\n| $|x|$ |",
    letter_after_less_than: "for $i<j$",
    syntax_of_one_viewer: "see {ref}`softmax`",
    link_to_nothing: "[chapter 99](99-nothing.ipynb)",
}

HARMLESS_PROSE = r"""
The size $d_k$ costs \$5, `$` is a dollar, and $\lvert x\rvert$ or $|x|$ a length. $$a\\[2pt]b < c$$ [here](#top) [there](https://example.org)

| a | b |
|---|---|
| $\lvert x\rvert$ | $y$ |

```java
double[] x = {1};  // \(no formula\) and $
```
"""


def name_of(value):
    return value.__name__ if callable(value) else None


# ---- the tests

@pytest.mark.parametrize("rule", [*JAVA_RULES, *PROSE_RULES], ids=name_of)
def test_rule_finds_its_example_and_nothing_in_harmless_text(rule):
    assert rule({**JAVA_RULES, **PROSE_RULES}[rule])
    assert rule(HARMLESS_JAVA if rule in JAVA_RULES else HARMLESS_PROSE) == []


@pytest.mark.parametrize("java", [
    "new Date()", "ProcessHandle.current().pid()", "Runtime.getRuntime().availableProcessors()",
    "Instant start;", "LocalDate.parse(text)"])
def test_each_way_to_ask_the_machine_is_found(java):
    assert what_the_machine_says(java)


@pytest.mark.parametrize("name", NAMES)
def test_code(name):
    chapter = committed(name)
    imports = code_cells(chapter)[0].source
    sources = [(cell.id, cell.source) for cell in code_cells(chapter)]
    sources += [("solution %d" % number, "\n".join(java_of(text))) for number, text in enumerate(solutions(chapter), 1)]
    faults = ["%s, %s: %s" % (place, rule.__name__, fault) for place, java in sources for rule in JAVA_RULES
              for fault in rule(java if place == sources[0][0] or rule is not java_time_not_imported
                                else imports + "\n" + java)]
    none_of(faults)


# A student writes plain Java: neither the course's library nor digits that are the same on each machine are asked of him,
# and a generator that is made in the method, with a seed, is what some tasks are about.
NOT_ASKED_OF_STUDENTS = {divisor_not_by_scale, processor_dependent_function, clock_or_unseeded_random, check_not_on_one_line}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_code_of_assignment(name):
    code = [(cell.id, cell.source) for cell in code_cells(assignment(name))]
    faults = ["%s, %s: %s" % (place, rule.__name__, fault) for place, java in code for rule in JAVA_RULES
              if rule not in NOT_ASKED_OF_STUDENTS for fault in rule(java)]
    faults += ["%s: a generator without a seed" % place for place, java in code for fault in found(r"\bRandom\s*\(\s*\)|Math\.random", bare(java))]
    none_of(faults + import_faults(*(java for _, java in code)))


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_prose_of_assignment(name):
    """It is handed out alone: so it links to no file."""
    none_of("%s, %s: %s" % (cell.id, rule.__name__, fault) for cell in assignment(name).cells if cell.cell_type == "markdown"
            for rule in PROSE_RULES for fault in rule(cell.source))


@pytest.mark.parametrize("name", NAMES)
def test_prose(name):
    faults = ["%s, %s: %s" % (cell.id, rule.__name__, fault) for cell in committed(name).cells
              if cell.cell_type == "markdown" for rule in PROSE_RULES for fault in rule(cell.source)]
    none_of(faults)


def import_faults(first, *others):
    """All imports stand in the first code cell, which holds nothing else; and each is used."""
    faults = ["not an import: " + line for line in first.splitlines() if line.strip() and not line.startswith("import ")]
    faults += ["import after the first code cell: " + line.strip() for java in others for line in java.splitlines()
               if re.match(r"\s*import\s", line)]
    code = "\n".join(bare(java) for java in others)
    return faults + ["unused import: " + simple for simple in re.findall(r"\.(\w+);", first)
                     if not re.search(r"\b%s\b" % simple, code)]


def test_import_faults_are_found():
    assert import_faults("import java.util.List;", "List<String> names;") == []
    assert import_faults("import java.util.List;\nint x;", "import java.util.Map;") == [
        "not an import: int x;", "import after the first code cell: import java.util.Map;", "unused import: List"]


@pytest.mark.parametrize("name", NAMES)
def test_imports(name):
    chapter = committed(name)
    code = [cell.source for cell in code_cells(chapter)]
    code += ["\n".join(java_of(text)) for text in solutions(chapter)]
    none_of(import_faults(*code))


@pytest.mark.parametrize("name", NAMES)
def test_cells_are_short(name):
    lengths = {cell.id: sum(bool(line.strip()) for line in cell.source.splitlines())
               for cell in code_cells(committed(name))[1:]}
    none_of(["%s: %d lines" % (id, length) for id, length in lengths.items() if length > LONGEST_CELL])


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_short(name):
    chapter = committed(name)
    sources = [cell.source for cell in code_cells(chapter)] + ["\n".join(java_of(text)) for text in solutions(chapter)]
    none_of(line for java in sources for line in java.splitlines() if len(line) > LONGEST_LINE and not line.startswith("Claim.of("))


@pytest.mark.parametrize("name", NAMES)
def test_file_form(name):
    """As `make outputs` writes it: no metadata but tags, no version, ids that begin with the chapter's number."""
    text = (NOTEBOOKS / (name + ".ipynb")).read_text(encoding="utf-8")
    chapter = committed(name)
    nbformat.validate(chapter)
    assert (chapter.nbformat, chapter.nbformat_minor) == (4, 5)
    assert chapter.metadata == METADATA
    assert [cell.id for cell in chapter.cells if set(cell.metadata) - {"tags"} or cell.get("attachments")] == []
    ids = [cell.id for cell in chapter.cells]
    assert len(ids) == len(set(ids))
    assert [id for id in ids if not re.fullmatch(name[:2] + r"-[a-z0-9-]+", id)] == []
    none_of([] if text == nbformat.writes(chapter) + "\n" else ["not in the form of nbformat: make outputs writes it anew"])


def skeleton_faults(number, markdown):
    """What a chapter lacks of the parts that every chapter has, in their order."""
    parts = [r"# %d · .+\n" % number, r"\n\*Time: \d+ minutes · Track: .+\*\n", r"\n\*\*After this chapter you can\*\*\n",
             r"\n\*\*You need\*\* ", r"\n## %d\.1 " % number, r"\n## Summary\n", r"\n## Exercises\n", r"\n## References\n",
             r"\n\*\*Next:\*\* "]
    faults, at = [], 0
    for part in parts:
        match = re.compile(part).search(markdown, at)
        if match:
            at = match.end() - 1
        else:
            faults.append("missing, or not in this place: %r" % part)
    sections = re.findall(r"^## (\d+\.\d+) ", markdown, re.M)
    if sections != ["%d.%d" % (number, k) for k in range(1, len(sections) + 1)]:
        faults.append("sections are numbered %s" % sections)
    return faults + exercise_faults(markdown.partition("\n## Exercises\n")[2].partition("\n## References\n")[0])


def exercise_faults(markdown):
    """Three to five exercises, each with one folded solution, which holds one Java fence."""
    exercises = re.split(r"^\*\*(\d+)\.\*\* ", markdown, flags=re.M)
    numbers, texts = exercises[1::2], exercises[2::2]
    faults = [] if 3 <= len(texts) <= 5 and numbers == [str(k + 1) for k in range(len(texts))] \
        else ["exercises are numbered %s" % numbers]
    for number, text in zip(numbers, texts):
        folded = re.findall(r"\n\n<details><summary>Solution</summary>\n\n(.+?)\n\n</details>(?:\n|$)", text, re.S)
        if len(folded) != 1 or text.count("<details") != 1 or text.count("</details>") != 1:
            faults.append("exercise %s: its solution is not folded as in the other chapters" % number)
        elif len(java_of(folded[0])) != 1 or folded[0].count("```") != 2:
            faults.append("exercise %s: the solution has not exactly one ```java fence" % number)
    return faults


EXERCISE = "**%d.** Why?\n\n<details><summary>Solution</summary>\n\nSo:\n\n```java\nshow(1);\n```\n\n</details>\n\n"
GOOD_CHAPTER = "# 7 · Title\n\n*Time: 9 minutes · Track: all*\n\n**After this chapter you can**\n\n- see\n\n**You need** 6.\n\n" \
    "## 7.1 One\n\n## 7.2 Two\n\n## Summary\n\n## Exercises\n\n" + EXERCISE % 1 + EXERCISE % 2 + EXERCISE % 3 + \
    "## References\n\n**Next:** 8"


@pytest.mark.parametrize("part, other", [
    ("# 7 ·", "# 8 ·"), ("*Time: 9 minutes", "*Time: long"), ("**You need**", "You need"), ("## 7.2", "## 7.3"),
    ("## Summary", "## Short"), ("**3.** ", "**4.** "), (EXERCISE % 3, ""), ("```java\nshow(1);\n```", "none"),
    ("<details><summary>Solution</summary>", ""), ("**Next:**", "Next:")])
def test_skeleton_faults_are_found(part, other):
    assert skeleton_faults(7, GOOD_CHAPTER) == []
    assert skeleton_faults(7, GOOD_CHAPTER.replace(part, other, 1)) != []


@pytest.mark.parametrize("name", [name for name in NAMES if name not in HAS_OWN_FORM])
def test_skeleton(name):
    chapter = committed(name)
    none_of(skeleton_faults(int(name[:2]), prose(chapter)))
    assert [cell.cell_type for cell in chapter.cells[:2]] == ["markdown", "code"]


def test_chapter_with_its_own_form_has_title_and_next():
    for name in HAS_OWN_FORM:
        assert prose(committed(name)).startswith("# ") and "\n**Next:** " in prose(committed(name))
