"""The site as a reader meets it: opened from build/site as files, in a Chromium that reaches no network."""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import pytest
from playwright.sync_api import sync_playwright

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
EXECUTED = ROOT / "build" / "executed"
BUILD_PY = ROOT / "environment" / "site" / "build.py"
AXE = ROOT / "environment" / "node_modules" / "axe-core" / "axe.min.js"
CHAPTERS = sorted(path.stem for path in EXECUTED.glob("[0-9][0-9]-*.ipynb"))
PAGES = ["index", *CHAPTERS]


# ---- what a chapter's source says, read by other means than the site's parser

def prose(markdown):
    """Markdown without its code."""
    markdown = re.sub(r"^(`{3,}|~{3,}).*?^\1\s*$", "", markdown, flags=re.S | re.M)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", markdown, flags=re.S)


def count_formulas(markdown):
    text, total = prose(markdown), 0
    for pattern in (r"\$\$.+?\$\$",
                    r"\\begin\{(align|gather|equation|alignat)\*?\}.+?\\end\{\1\*?\}",
                    r"(?<![\\$])\$(?![\s$])(?:\\.|[^$\\\n]|\n(?!\n))+?(?<!\s)\$(?!\$)"):
        text, found = re.subn(pattern, "", text, flags=re.S)
        total += found
    return total


def markdown_of(chapter):
    notebook = json.loads((EXECUTED / f"{chapter}.ipynb").read_text("utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]


def formulas_of(chapter):
    return sum(count_formulas(source) for source in markdown_of(chapter))


def test_the_count_of_formulas_counts():
    assert count_formulas("a $x_1$ and $$\ny\n$$ not `$z$`\n\n```java\nint $a$;\n```\n\n\\begin{align*}u\\end{align*} $v$, $w$") == 5


# ---- the checker

LOOK = r"""() => {
  document.querySelectorAll('details').forEach(d => d.open = true);
  const all = selector => [...document.querySelectorAll(selector)], ids = all('[id]').map(e => e.id), stray = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; n = walker.nextNode();)
    if (!n.parentElement.closest('script,style,pre,code,.katex,template,noscript') && /\$|\\[([]|\\[a-z]{2,}|\*\*|```/.test(n.textContent))
      stray.push(n.textContent.trim().slice(0, 60));
  return {
    lang: document.documentElement.lang, title: document.title, h1: all('h1').length, stray,
    formulas: all('article .katex').length, formulaErrors: all('.katex-error, merror').length,
    emptyFormulas: all('article .katex-html').filter(e => e.offsetWidth < 2).length,
    badAlt: all('img').filter(i => i.alt.trim().length < 15 || /\.(svg|png|jpe?g)$|No description/i.test(i.alt)).map(i => i.alt),
    brokenImages: all('img').filter(i => !i.complete || !i.naturalWidth).map(i => i.src.slice(0, 80)),
    badFonts: [...document.fonts].filter(f => f.status === 'error').map(f => f.family),
    duplicates: ids.filter((id, i) => ids.indexOf(id) !== i),
    links: all('a[href]').map(a => a.href)};
}"""


def faults(chromium, page, formulas=None):
    """Everything that is wrong with a page, each in a few words. `formulas` is how many it has to show."""
    found, requests = [], []
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    tab.on("request", lambda r: requests.append(r.url))
    tab.on("requestfailed", lambda r: found.append(f"request failed: {r.url[:100]}"))
    tab.on("console", lambda m: found.append(f"console: {m.text}") if m.type in ("error", "warning") else None)
    tab.on("pageerror", lambda e: found.append(f"script error: {e}"))
    tab.goto(page.as_uri())
    tab.evaluate("document.fonts.ready")
    seen = tab.evaluate(LOOK)
    found += [f"network request: {url}" for url in requests if not url.startswith(("file:", "data:"))]
    if seen["lang"] != "en":
        found.append(f"lang is {seen['lang']!r}")
    if seen["h1"] != 1:
        found.append(f"{seen['h1']} h1 headings")
    if not seen["title"].strip() or re.search(r"[\\$]", seen["title"]):
        found.append(f"title is {seen['title']!r}")
    if formulas is not None and seen["formulas"] != formulas:
        found.append(f"{seen['formulas']} formulas, the notebook has {formulas}")
    for key, words in (("formulaErrors", "formulas in error"), ("emptyFormulas", "formulas of no width")):
        if seen[key]:
            found.append(f"{seen[key]} {words}")
    for key, words in (("stray", "stray mark-up"), ("badAlt", "image without a real alt text"), ("brokenImages", "image does not load"),
                       ("badFonts", "font does not load"), ("duplicates", "duplicate id")):
        found += [f"{words}: {value}" for value in seen[key]]
    found += [f"dead link: {link}" for link in seen["links"] if dead(link)]
    for width in (360, 800, 1280, 1600):
        tab.set_viewport_size({"width": width, "height": 800})
        wide = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wide > 1:
            found.append(f"scrolls sideways by {wide} at a width of {width}")
    context.close()
    return found


def dead(link):
    """Whether a link leads nowhere. Outside links are not followed, but have to be https."""
    target, _, anchor = link.partition("#")
    if not target.startswith("file:"):
        return not target.startswith("https:")
    path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(target).path))
    if not path.is_file():
        return True
    return bool(anchor) and f'id="{urllib.parse.unquote(anchor)}"' not in path.read_text("utf-8")


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        started = browser.launch(playwright)
        yield started
        started.close()


@pytest.fixture
def tab(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, permissions=["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


def uri(page):
    return (SITE / f"{page}.html").as_uri()


# ---- every page

def test_there_is_a_page_for_each_chapter_and_no_other():
    assert CHAPTERS, f"no chapter in {EXECUTED}: run make"
    assert sorted(path.stem for path in SITE.glob("*.html")) == sorted([*PAGES, "search"])


@pytest.mark.parametrize("page", [*PAGES, "search"])
def test_page_has_no_fault(chromium, page):
    assert faults(chromium, SITE / f"{page}.html", formulas_of(page) if page in CHAPTERS else None) == []


# For axe, which takes a minute for a page of ten thousand elements: formulas, of which it knows nothing, become text,
# and one piece of code of each colour stays. Folded code fades in when it opens, and is pale until it has.
LIGHTEN = """() => {
  document.querySelectorAll('details').forEach(d => d.open = true);
  document.querySelectorAll('.katex').forEach(e => e.replaceWith(e.querySelector('math').textContent));
  const seen = new Set();
  document.querySelectorAll('.highlight span').forEach(e => seen.has(e.className) ? e.replaceWith(e.textContent) : seen.add(e.className));
  return Promise.all(document.getAnimations().map(animation => animation.finished)).then(() => null);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_page_is_accessible(chromium, page, scheme):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(uri(page))
    tab.evaluate(LIGHTEN)
    tab.evaluate(AXE.read_text("utf-8"))
    rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}       # the dark page differs in colours alone
    result = tab.evaluate("options => axe.run(document, options)", {"preload": False, "resultTypes": ["violations"], **rules})
    context.close()
    assert result["passes"], "axe looked at nothing"
    assert [(v["id"], v["nodes"][0]["html"][:200], len(v["nodes"])) for v in result["violations"]
            if v["impact"] in ("serious", "critical")] == []


def test_pages_say_how_long_a_chapter_runs(tab):
    timings = ROOT / "notebooks" / "data" / "timings.csv"
    assert timings.is_file(), "run: make outputs ARGS=--times"
    with timings.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["chapter"] for row in rows] == CHAPTERS, "run: make outputs ARGS=--times"
    tab.goto(uri("index"))
    text, lines = tab.locator("article").inner_text(), tab.locator(".chapters li strong").all_inner_texts()
    assert all(rows[0][what] in text for what in ("machine", "jdk", "date"))
    for row, line in zip(rows[1:], lines, strict=True):        # 00 is no chapter
        seconds = f"{max(1, round(float(row['seconds'])))} s"
        assert re.fullmatch(rf"\d+ minutes · runs in {seconds}", line), row
        tab.goto(uri(row["chapter"]))
        assert re.match(rf"Time: \d+ minutes · Runs in {seconds} · Track: ", tab.locator("h1 ~ p").first.inner_text()), row


@pytest.mark.parametrize("page", CHAPTERS)
def test_code_and_outputs_are_all_there(tab, page):
    notebook = json.loads((EXECUTED / f"{page}.ipynb").read_text("utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]
    outputs = json.dumps([cell["outputs"] for cell in code])
    tab.goto(uri(page))
    assert tab.locator(".cell_input .highlight-java").count() == len(code)
    assert tab.locator(".cell_output .rootdk-claim").count() == outputs.count('<div class=\\"rootdk-claim\\"')
    assert tab.locator(".cell_output img").count() == outputs.count("<img ")
    assert tab.locator(".cell_output table").count() == outputs.count("<table")


@pytest.mark.parametrize("page", CHAPTERS)
def test_folded_solutions_hold_highlighted_code(tab, page):
    folded = [block for source in markdown_of(page) for block in re.findall(r"<details.*?</details>", source, re.S)]
    fences = sum(len(re.findall(r"^```java$", block, re.M)) for block in folded)
    tab.goto(uri(page))
    solutions = "article details:not(.hide)"        # .hide is a code cell that is folded, the imports
    assert tab.locator(solutions).count() == len(folded)
    assert tab.locator(solutions + " .highlight-java:has(span)").count() == fences


@pytest.mark.parametrize("page", CHAPTERS)
def test_imports_are_folded_and_open(tab, page):
    tab.goto(uri(page))
    fold = tab.locator("article details.hide")
    assert fold.count() == 1 and not fold.locator("pre").is_visible()
    fold.locator("summary").click()
    assert fold.locator("pre").inner_text().startswith("import ")


# A formula that is alone at the end of a line, its punctuation on the next; and how many formulas take several lines.
BROKEN = r"""() => {
  const apart = [], all = [...document.querySelectorAll('article span.math')].filter(m => m.getClientRects().length);
  let long = 0;
  for (const m of all) {
    const bases = [...m.querySelectorAll('.katex-html > .base')].map(b => b.getBoundingClientRect());
    if (bases.length > 1 && bases[0].bottom < bases.at(-1).top + 3) long++;
    const text = m.nextSibling;
    if (text?.nodeType !== 3 || !/^\p{P}/u.test(text.textContent)) continue;
    const range = document.createRange();
    range.setStart(text, 0); range.setEnd(text, 1);
    if (range.getBoundingClientRect().top > bases.at(-1).bottom - 3) apart.push(m.querySelector('annotation').textContent);
  }
  return [apart, long];
}"""


def test_punctuation_stays_with_its_formula(tab):
    tab.goto(uri(max(CHAPTERS, key=formulas_of)))
    long = 0
    for width in range(360, 800, 20):
        tab.set_viewport_size({"width": width, "height": 800})
        apart, found = tab.evaluate(BROKEN)
        assert apart == [], width
        long += found
    assert long > 20, "formulas do not break themselves any more"
    tab.add_style_tag(content=".kept { white-space: normal; }")
    assert any([tab.set_viewport_size({"width": width, "height": 800}), tab.evaluate(BROKEN)][1][0] for width in range(360, 800, 20))


def test_a_box_fades_where_it_scrolls_on(chromium):
    context = chromium.new_context(viewport={"width": 360, "height": 740})
    tab = context.new_page()
    tab.goto(uri(next(chapter for chapter in CHAPTERS if "<figure" in (SITE / f"{chapter}.html").read_text("utf-8"))))
    figure = tab.locator(".cell_output figure").first
    figure.evaluate("e => e.querySelector('img').decode()")
    mask, seen = "e => getComputedStyle(e).maskImage", {}
    for place, left in (("start", "0"), ("middle", "40"), ("end", "e.scrollWidth")):
        figure.evaluate(f"e => {{ e.scrollLeft = {left}; }}")
        tab.wait_for_timeout(100)
        seen[place] = sorted(set(figure.get_attribute("class").split()) & {"more-left", "more-right"})
        assert "gradient" in figure.evaluate(mask)
    assert seen == {"start": ["more-right"], "middle": ["more-left", "more-right"], "end": ["more-left"]}
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.wait_for_timeout(100)
    assert figure.evaluate(mask) == "none"
    context.close()


# ---- what a reader does

def test_next_leads_through_all_pages(tab):
    tab.goto(uri("index"))
    visited = ["index"]
    while tab.locator("a.next-page").count():
        tab.locator("a.next-page").click()
        tab.wait_for_load_state()
        visited.append(pathlib.PurePosixPath(urllib.parse.urlsplit(tab.url).path).stem)
        assert len(visited) <= len(PAGES), visited
    assert visited == PAGES


@pytest.mark.parametrize("word", ["softmax", "variance", "Jacobian"])
def test_search_finds(tab, word):
    tab.goto(uri("index"))
    tab.locator("input[name=q]").first.fill(word)
    tab.keyboard.press("Enter")
    tab.locator("#search-results li a").first.wait_for()
    tab.wait_for_function("!document.querySelector('#search-progress')?.textContent.includes('earching')")
    assert not re.search(r"[\\$<>]", tab.locator("#search-results").inner_text())
    for link in tab.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)"):
        assert not dead(link.replace("?highlight=" + word, "")), link


def test_search_finds_nothing_for_nonsense(tab):
    tab.goto(uri("search") + "?q=qxzvw")
    tab.locator("#search-results", has_text="did not match").wait_for()
    assert tab.locator("#search-results li").count() == 0


def test_theme_switches_and_is_kept(tab):
    tab.goto(uri("index"))
    grounds = {}
    for _ in range(3):
        tab.locator(".theme-toggle:visible").first.click()
        grounds[tab.evaluate("document.body.dataset.theme")] = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert set(grounds) == {"auto", "light", "dark"} and grounds["dark"] != grounds["light"]
    while tab.evaluate("document.body.dataset.theme") != "dark":
        tab.locator(".theme-toggle:visible").first.click()
    tab.goto(uri(CHAPTERS[-1]))
    assert tab.evaluate("document.body.dataset.theme") == "dark"


def test_code_can_be_copied(tab):
    tab.goto(uri(CHAPTERS[-1]))
    cell = tab.locator(".cell_input:visible").first
    cell.hover()
    cell.locator("button.copybtn").click()
    tab.wait_for_timeout(200)
    assert tab.evaluate("navigator.clipboard.readText()").strip() == cell.locator("pre").inner_text().strip()


def test_paper_shows_solutions(tab):
    page = next(chapter for chapter in CHAPTERS if any("<details" in source for source in markdown_of(chapter)))
    tab.goto(uri(page))
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("article details:not([open])").count() == 0
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("article details[open]").count() == 0


# ---- the checker sees what it is there for

PLANTED = {
    "image does not load": '<img alt="a picture that is not there" src="nowhere.png">',
    "request failed": '<script src="nowhere.js"></script>',
    "image without a real alt text": '<img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
    "network request": '<img alt="a picture from far away" src="http://example.org/x.png">',
    "dead link: file": '<a href="99-nowhere.html">x</a>',
    "#nowhere": '<a href="#nowhere">x</a>',
    "dead link: http:": '<a href="http://example.org/">x</a>',
    "formulas in error": '<span class="katex-error">x</span>',
    "formulas of no width": '<span class="katex"><span class="katex-html"></span></span>',
    "formulas, the notebook has": '<span class="katex">x</span>',
    "stray mark-up: $x$": "<p>$x$</p>",
    "stray mark-up: \\frac": "<p>\\frac</p>",
    "stray mark-up: **bold**": "<p>**bold**</p>",
    "duplicate id": '<p id="twice"></p><p id="twice"></p>',
    "2 h1 headings": "<h1>x</h1>",
    "console: oh": "<script>console.warn('oh')</script>",
    "script error": "<script>throw new Error('oh')</script>",
    "sideways by": '<div style="width: 3000px">x</div>',
}


def test_checker_catches_planted_faults(chromium, tmp_path):
    copy = tmp_path / "site"
    shutil.copytree(SITE, copy)
    page = copy / f"{CHAPTERS[0]}.html"
    text = page.read_text("utf-8")
    assert text.count("</article>") == 1
    page.write_text(text.replace("</article>", "".join(PLANTED.values()) + "</article>"), "utf-8")
    found = faults(chromium, page, formulas_of(CHAPTERS[0]))
    assert [words for words in PLANTED if not any(words in fault for fault in found)] == []


# ---- the build

def build(executed, folder):
    return subprocess.run([sys.executable, BUILD_PY, "--executed", executed, "--out", folder / "site", "--work", folder / "work"],
                          capture_output=True, text=True, encoding="utf-8")


def test_a_build_from_nothing_gives_the_same_bytes(tmp_path):
    done = build(EXECUTED, tmp_path)
    assert done.returncode == 0, done.stderr
    fresh, kept = ({path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
                   for root in (tmp_path / "site", SITE))
    assert [str(path) for path in sorted(fresh.keys() | kept.keys()) if fresh.get(path) != kept.get(path)] == []


@pytest.mark.parametrize("planted, message", [
    ("A formula $\\frac{1}{$ goes wrong.", "KaTeX parse error"),
    ("See [the next](77-nowhere.ipynb).", "77-nowhere"),
    ("See [the data](nowhere.csv).", "nowhere.csv leads to no file"),
])
def test_a_mistake_is_named_with_notebook_and_cell(tmp_path, planted, message):
    notebook = json.loads((EXECUTED / f"{CHAPTERS[0]}.ipynb").read_text("utf-8"))
    notebook["cells"].append({"cell_type": "markdown", "id": "planted", "metadata": {}, "source": planted})
    for cell in notebook["cells"][:-1]:
        if cell["cell_type"] == "markdown":        # this chapter is built alone
            cell["source"] = re.sub(r"\]\([^)]*\.ipynb\)", "]", "".join(cell["source"]))
    (tmp_path / "executed").mkdir()
    (tmp_path / "executed" / f"{CHAPTERS[0]}.ipynb").write_text(json.dumps(notebook), "utf-8")
    done = build(tmp_path / "executed", tmp_path)
    assert done.returncode != 0
    assert f"{CHAPTERS[0]}.ipynb, cell {len(notebook['cells'])}" in done.stderr
    assert message in done.stderr
    assert not (tmp_path / "site").exists()
