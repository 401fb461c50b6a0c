r"""Sets every formula with KaTeX while the site is built: the pages need neither a script nor the network for it.

One Node process sets the formulas of all pages before the first page is written, so parallel writing is safe. A formula
that KaTeX refuses is a warning with notebook and cell. Also copies KaTeX's style sheet and fonts, and the text font.
"""
import json
import pathlib
import re
import shutil
import subprocess
import unicodedata

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util import logging

log = logging.getLogger(__name__)

SCRIPT = r"""
const katex = require(process.argv[1]);
let text = '';
process.stdin.on('data', chunk => text += chunk).on('end', () => {
  const set = ([tex, displayMode]) => {
    try {
      return {html: katex.renderToString(tex, {displayMode, throwOnError: true, trust: false, output: 'htmlAndMathml',
        strict: code => code === 'unicodeTextInMathMode' ? 'error' : 'ignore'})};
    } catch (e) { return {error: e.message}; }
  };
  process.stdout.write(JSON.stringify(JSON.parse(text).map(set)));
});"""

OPENING = "([{“‘„«"
MATH = (nodes.math, nodes.math_block)

SIGNS = {r"\sqrt": "√", r"\sigma": "σ", r"\mu": "μ", r"\tau": "τ", r"\kappa": "κ", r"\Sigma": "Σ", r"\cdot": "·", r"\top": "ᵀ",
         r"\partial": "∂", r"\infty": "∞", r"\approx": "≈", r"\neq": "≠", r"\leq": "≤", r"\geq": "≥", r"\times": "×", "_k": "ₖ"}


def plain(tex):
    """A formula as text, for the two places that can show no formula: the browser's tab and the list of search results."""
    tex = re.sub("|".join(re.escape(sign) + r"(?![A-Za-z])" for sign in SIGNS), lambda m: SIGNS[m[0]], tex.replace("_{k}", "_k"))
    return re.sub(r"[\\{}$^]|\\[,;!]", "", re.sub(r"\\(?:operatorname|mathrm|text|mathbf|mathbb|bigl|bigr|left|right)(?![A-Za-z])", "", tex))


class math(nodes.math):
    """A formula in a heading: set as any other, but read by the search index as plain text."""
    def astext(self):
        return plain(super().astext())


def formula(node):
    """The TeX of a node and whether it is set on a line of its own. Numbers are Sphinx's business, not KaTeX's: hence the star."""
    block = isinstance(node, nodes.math_block)
    tex = nodes.math.astext(node) if not block else node.astext()
    return (re.sub(r"\\(begin|end)\{(align|gather|equation|alignat)\}", r"\\\1{\2*}", tex) if block else tex), block


def set_formulas(app, env):
    if app.builder.format != "html":
        return
    found = {}
    for name in sorted(env.found_docs):
        trees = [env.get_doctree(name), env.titles.get(name), env.longtitles.get(name)]
        for tree in filter(None, trees):
            for node in tree.findall(lambda n: isinstance(n, MATH)):
                found.setdefault(formula(node), node)
    script = pathlib.Path(app.config.katex_dist, "katex.min.js")
    if not script.is_file():
        raise ExtensionError(f"KaTeX is not at {script}: run `make` (or `npm ci` in environment/) first")
    done = subprocess.run([app.config.katex_node, "-e", SCRIPT, str(script)], input=json.dumps(list(found)),
                          capture_output=True, text=True, encoding="utf-8", timeout=300)
    if done.returncode:
        raise ExtensionError(f"Node could not run KaTeX: {done.stderr.strip()}")
    app.katex_html = {}
    for (key, node), result in zip(found.items(), json.loads(done.stdout), strict=True):
        if "error" in result:
            log.warning("the formula %s: %s", key[0], result["error"], location=node, type="katex")
        app.katex_html[key] = result.get("html", "")


def plain_page_titles(app, env):
    """What the browser's tab and the search results call a page."""
    for name, title in env.longtitles.items():
        if any(title.findall(nodes.math)):
            text = "".join(plain(n.astext()) if isinstance(n.parent, nodes.math) else n.astext() for n in title.findall(nodes.Text))
            env.longtitles[name] = nodes.title("", text)


def plain_headings(app, tree, name):
    for title in tree.findall(nodes.title):
        for node in list(title.findall(nodes.math)):
            node.replace_self(math(node.rawsource, node.astext(), **node.attributes))


def keep_punctuation(app, tree, name):
    """A browser breaks a line even between a formula and its comma. So both get a span in which no line breaks but within the formula."""
    for node in list(tree.findall(nodes.math)):
        opening = closing = ""
        before, after = (beside if isinstance(beside, nodes.Text) else "" for beside in (
            node.previous_sibling(), node.next_node(descend=False, siblings=True)))
        while before.endswith(tuple(OPENING)):
            before, opening = before[:-1], before[-1] + opening
        while after and unicodedata.category(after[0]).startswith("P"):
            after, closing = after[1:], closing + after[0]
        if opening or closing:
            parent, at = node.parent, node.parent.index(node)
            first, last = at - bool(opening), at + bool(closing)
            kept = nodes.inline("", "", nodes.Text(opening), node.deepcopy(), nodes.Text(closing), classes=["kept"])
            parent[first:last + 1] = [*([nodes.Text(before)] if opening else []), kept, *([nodes.Text(after)] if closing else [])]


def visit_inline(self, node):
    html = self.builder.app.katex_html[formula(node)]
    if "kept" in node.parent.get("classes", []):
        first, *more = html.split('<span class="base">')
        html = first + '<span class="base">' + '<wbr><span class="base">'.join(more)
    self.body.append(f'<span class="math">{html}</span>')
    raise nodes.SkipNode


def visit_block(self, node):
    self.body.append(f'<div class="math">{self.builder.app.katex_html[formula(node)]}</div>')
    raise nodes.SkipNode


def copy_fonts(app, error):
    if error or app.builder.format != "html":
        return
    static = pathlib.Path(app.outdir, "_static")
    katex, text = pathlib.Path(app.config.katex_dist), pathlib.Path(app.config.course_fonts)
    (static / "katex" / "fonts").mkdir(parents=True, exist_ok=True)
    (static / "text" / "files").mkdir(parents=True, exist_ok=True)
    for font in sorted((katex / "fonts").glob("*.woff2")):
        shutil.copyfile(font, static / "katex" / "fonts" / font.name)
    css = (katex / "katex.min.css").read_text("utf-8")      # every browser of the last ten years reads woff2
    css = re.sub(r",url\([^)]*\.(?:woff|ttf)\) format\([^)]*\)", "", css)
    (static / "katex" / "katex.min.css").write_text(css, "utf-8")
    faces = []
    for style in ("", "-italic"):
        for face in re.findall(r"@font-face \{.*?\}", (text / f"wght{style}.css").read_text("utf-8"), re.S):
            name = re.search(r"files/([\w-]+\.woff2)", face)[1]
            if re.search(r"-4-(latin|latin-ext|greek)-wght", name):
                shutil.copyfile(text / "files" / name, static / "text" / "files" / name)
                faces.append(face)
    (static / "text" / "text.css").write_text("\n".join(faces) + "\n", "utf-8")


def setup(app):
    app.add_html_math_renderer("katex", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    app.add_config_value("katex_dist", "", "")
    app.add_config_value("katex_node", "node", "")
    app.add_config_value("course_fonts", "", "")
    app.add_css_file("katex/katex.min.css")
    app.add_css_file("text/text.css")
    app.connect("env-updated", plain_page_titles)
    app.connect("env-updated", set_formulas)
    app.connect("doctree-resolved", plain_headings)
    app.connect("doctree-resolved", keep_punctuation)
    app.connect("build-finished", copy_fonts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
