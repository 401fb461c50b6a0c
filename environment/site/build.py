"""Builds the site: build/executed/*.ipynb become build/site, which opens by build/site/index.html, without a server.

    python environment/site/build.py [--executed DIR] [--out DIR]

The notebooks are staged in build/site-work/source, with the index page written from index.md and from the notebooks
themselves; Sphinx reads only what changed there, and writes all pages. Every warning is an error, and names the cell.
"""
import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class SiteError(Exception):
    """Something an author can mend; the message is all they need."""


def write_if_changed(path, data):
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def markdown_cells(notebook):
    return [(number, "".join(cell["source"])) for number, cell in enumerate(notebook["cells"], 1)
            if cell["cell_type"] == "markdown"]


def without_spare_images(notebook):
    """A figure comes as HTML, PNG and text for different readers. A page shows the HTML: the PNG would be copied for nothing."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                output["data"] = {"text/html": data["text/html"]}
    return notebook


def times(notebooks):
    """How long each chapter ran, from data/timings.csv: the texts {chapter: "9 s"}, and where and when that was measured."""
    path = notebooks / "data" / "timings.csv"
    if not path.is_file():
        return {}, ""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    places = {(row["machine"], row["jdk"], row["date"]) for row in rows}
    if len(places) != 1:
        raise SiteError(f"{path.name}: {len(places)} machines, JDKs or days in one file: run `make outputs ARGS=--times`, which writes it anew")
    (machine, jdk, date), = places
    return ({row["chapter"]: f"{max(1, round(float(row['seconds'])))} s" for row in rows},
            f"How long a chapter runs, from the start of its kernel to its last cell, was measured on {date}: {machine}; JDK {jdk}.")


def say_time(notebook, runs):
    """`*Time: 40 minutes · …` under the title becomes `*Time: 40 minutes · Runs in 9 s · …`."""
    opening = next(cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    opening["source"] = re.sub(r"^(\*Time: \d+ minutes)", rf"\1 · Runs in {runs}", "".join(opening["source"]), flags=re.M)


def chapter_line(name, notebook, runs):
    """The chapter in the index: its `# title`, how long it takes and runs, and the first thing that one can do after it."""
    opening = next((source for _, source in markdown_cells(notebook)), "")
    title = re.match(r"# +(?:\d+ · )?(.+)", opening)
    time = re.search(r"Time: (\d+ minutes)", opening)
    ability = re.search(r"^[-*] +(.+(?:\n +.+)*)", opening, re.M)
    for found, what in ((title, "a title, `# 7 · …`"), (time, "a time, `Time: 30 minutes`"), (ability, "a list of what one can do afterwards")):
        if not found:
            raise SiteError(f"{name}: the first Markdown cell has to have {what}")
    text = " ".join(ability[1].split()).rstrip(";,.")
    long = f"{time[1]} · runs in {runs}" if runs else time[1]
    return f"- *{int(name[:2])}* [{title[1].strip()}]({name}) **{long}**\n\n  {text[0].upper() + text[1:]}.\n"


def linked_files(name, notebook, notebooks):
    """Files next to the notebooks that a chapter links to, such as the ledger: the site gets a copy of each."""
    for number, source in markdown_cells(notebook):
        for target in re.findall(r"\]\(([^)\s#]+)", source):
            if re.match(r"[a-z]+:", target) or target.endswith(".ipynb"):
                continue
            path = (notebooks / urllib.parse.unquote(target)).resolve()
            if not path.is_file() or notebooks.resolve() not in path.parents:
                raise SiteError(f"{name}, cell {number}: the link to {target} leads to no file in {notebooks.name}/")
            yield path.relative_to(notebooks.resolve())


def stage(executed, notebooks, source):
    """Brings `source` to what the site is made of, touching only files that change, and returns the names of the chapters."""
    chapters = sorted(executed.glob("[0-9][0-9]-*.ipynb"))
    if not chapters:
        raise SiteError(f"no chapter in {executed}: run `make`, which executes the notebooks first")
    staged, lines = set(), []
    runs, measured = times(notebooks)
    for path in chapters:
        notebook = json.loads(path.read_text("utf-8"))
        if not path.name.startswith("00"):      # 00 is no chapter: index.md itself names it
            lines.append(chapter_line(path.name, notebook, runs.get(path.stem, "")))
        if path.stem in runs:
            say_time(notebook, runs[path.stem])
        for extra in linked_files(path.name, notebook, notebooks):
            write_if_changed(source / extra, (notebooks / extra).read_bytes())
            staged.add(source / extra)
        text = json.dumps(without_spare_images(notebook), ensure_ascii=False, indent=1)
        write_if_changed(source / path.name, text.encode("utf-8"))
        staged.add(source / path.name)
    index = (HERE / "index.md").read_text("utf-8")
    index = index.replace("%CHAPTERS%", "\n".join(lines)).replace("%TIMES%", measured)
    index = index.replace("%PAGES%", "\n".join(path.stem for path in chapters))
    write_if_changed(source / "index.md", index.encode("utf-8"))
    staged.add(source / "index.md")
    for path in source.rglob("*"):
        if path.is_file() and path not in staged:
            path.unlink()
    return [path.stem for path in chapters]


def readable(message, source):
    """`…/02-variance.ipynb:120003: WARNING: …` is cell 12, line 3, in the counting of myst-nb."""
    def place(match):
        cell, line = divmod(int(match[2]), 10000)
        return f"{match[1]}, cell {cell}, line {line}:" if cell else f"{match[1]}:"
    message = message.replace(str(source) + "/", "")
    return re.sub(r"(\S+\.ipynb):(\d+):", place, message)


def build(executed, notebooks, out, work):
    source, pages = work / "source", work / "html"
    source.mkdir(parents=True, exist_ok=True)
    chapters = stage(executed, notebooks, source)
    shutil.rmtree(pages, ignore_errors=True)
    done = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-q", "-a", "-W", "--keep-going", "-j", "auto",
                           "--color" if sys.stderr.isatty() else "--no-color",
                           "-c", str(HERE), "-d", str(work / "doctrees"), str(source), str(pages)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")
    if done.returncode:
        raise SiteError(readable(done.stdout.strip(), source))
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(pages, out, ignore=shutil.ignore_patterns(".buildinfo*", "objects.inv", "_sources"))
    return chapters


def main():
    arguments = argparse.ArgumentParser(description="Build the site from the executed notebooks.")
    arguments.add_argument("--executed", type=pathlib.Path, default=ROOT / "build" / "executed", help="executed notebooks (build/executed)")
    arguments.add_argument("--notebooks", type=pathlib.Path, default=ROOT / "notebooks", help="where files stand that chapters link to (notebooks)")
    arguments.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "site", help="the site (build/site)")
    arguments.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "site-work", help="working files (build/site-work)")
    given = arguments.parse_args()
    try:
        chapters = build(*(path.resolve() for path in (given.executed, given.notebooks, given.out, given.work)))
    except SiteError as error:
        sys.exit(f"The site was not built:\n{error}")
    print(f"site: {len(chapters)} chapters, open {given.out / 'index.html'}")


if __name__ == "__main__":
    main()
