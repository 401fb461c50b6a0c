"""What the chapters show: the committed outputs are those of a fresh run, and fit for every viewer."""
import base64
import binascii
import re
import xml.etree.ElementTree

import course
import nbformat
import pytest
from chapters import NAMES, code_cells, committed, comparable, differences, executed, none_of, stray_results

LARGEST_FIGURE = 40 * 1024  # bytes of SVG
PNG = "iVBORw0KGgo="  # how every PNG begins


def stale():
    return [chapter.name for chapter in course.chapters() if chapter.must_copy]


def test_build_is_up_to_date():
    assert stale() == [], "build/executed is older than these chapters: run make first"


# ---- the same as committed

@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_those_committed(name):
    old, new = committed(name), executed(name)
    assert [(c.id, c.source) for c in old.cells] == [(c.id, c.source) for c in new.cells], "run make first"
    faults = differences(old, new)
    none_of(faults, "%s: - committed, + of a fresh run. If the change is meant, run: make outputs" % name)
    assert [c.execution_count for c in code_cells(old)] == list(range(1, len(code_cells(old)) + 1))


# ---- fit to be shown

def unfit(cell):
    """What is wrong with the outputs of a cell."""
    faults = []
    for output in cell.outputs:
        text = "\n".join(comparable(output))
        if output.output_type == "error":
            faults.append("an error: " + output.evalue)
        if output.get("name") == "stderr":
            faults.append("on stderr: " + output.text)
        if re.search(r"[\w.$]@[0-9a-f]{5,8}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-", text):
            faults.append("an identity that differs from run to run: " + text)
        if "data" not in output:
            continue
        if "image/svg+xml" in output.data:
            faults.append("an SVG output, which an untrusted notebook does not show")
        if "text/plain" not in output.data:
            faults.append("no text/plain")
        if output.metadata or "transient" in output:
            faults.append("metadata: %s" % (output.metadata or output.transient))
        faults += unfit_figures(output)
    return faults + ["a result that was not asked for: " + result for result in stray_results(cell)]


def unfit_figures(output):
    faults = []
    images = re.findall(r"<img\b[^>]*>", output.data.get("text/html", ""))
    if not decoded(output.data.get("image/png", PNG)).startswith(base64.b64decode(PNG)):
        faults.append("a PNG that is none")
    if ("image/png" in output.data) != bool(images):
        faults.append("a figure needs both HTML and PNG")
    for image in images:
        if not re.search(r'\balt="[^"]{20,}"', image):
            faults.append("a figure without a description as its alt text")
        source = re.search(r'\bsrc="data:image/svg\+xml;base64,([^"]*)"', image)
        if not source:
            faults.append("a figure that is not an SVG inside the page: " + image[:200])
        else:
            faults += unfit_svg(decoded(source.group(1)))
    return faults


def unfit_svg(svg):
    try:
        root = xml.etree.ElementTree.fromstring(svg).tag
    except xml.etree.ElementTree.ParseError as error:
        return ["a figure that is not XML: %s" % error]
    faults = [] if root == "{http://www.w3.org/2000/svg}svg" else ["a figure that is no SVG, but a " + root]
    return faults + ["a figure of %d bytes" % len(svg)] * (len(svg) > LARGEST_FIGURE)


def decoded(text):
    try:
        return base64.b64decode(text)
    except binascii.Error:
        return b""


@pytest.mark.parametrize("kept", [committed, executed])
@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_fit_to_be_shown(name, kept):
    """Those committed, too: their pictures are not compared with the fresh ones."""
    none_of("%s: %s" % (cell.id, fault) for cell in code_cells(kept(name)) for fault in unfit(cell))


# ---- these tests can fail

def cell(source="x", *outputs):
    return nbformat.v4.new_code_cell(source, id="07-01", outputs=list(outputs))


def shown(**data):
    return nbformat.v4.new_output("display_data", {name.replace("_", "/"): text for name, text in data.items()})


SVG = b'<svg xmlns="http://www.w3.org/2000/svg">%s</svg>'
FIGURE = dict(text_plain="Bars: heights. Digest 1a2b", image_png=PNG,
              text_html='<figure><img alt="Bars: the heights of two towers" src="data:image/svg+xml;base64,%s"></figure>')


def figure(alt="Bars: the heights of two towers", svg=SVG % b"", **change):
    html = FIGURE["text_html"].replace("Bars: the heights of two towers", alt) % base64.b64encode(svg).decode()
    return shown(**{**FIGURE, "text_html": html, **change})


def test_differences_are_found():
    def chapter(*outputs):
        return nbformat.v4.new_notebook(cells=[cell("x", *outputs)])
    old = chapter(shown(text_plain="1.0\n2.0"), figure())
    assert differences(old, old) == []
    assert differences(old, chapter(shown(text_plain="1.0\n2.0"), figure(svg=SVG % b" ", image_png="BBBB"))) == []
    assert differences(old, chapter(shown(text_plain="1.0\n2.5"), figure())) == [
        "code cell 1 (07-01)\n  -display_data text/plain: 2.0\n  +display_data text/plain: 2.5"]
    assert differences(old, chapter(shown(text_plain="1.0\n2.0"), figure(alt="Bars: the heights of three towers")))
    assert differences(old, chapter(shown(text_plain="1.0\n2.0"), figure(text_plain="Bars: heights. Digest 1a2c")))
    assert differences(old, chapter(shown(text_plain="1.0\n2.0")))


def test_fit_outputs_are_let_pass():
    result = nbformat.v4.new_output("execute_result", {"text/plain": "4"}, execution_count=1)
    assert unfit(cell("show(a);", figure(), shown(text_plain="ok"))) == [] and unfit(cell("2 + 2  // four;", result)) == []


@pytest.mark.parametrize("unwanted", [
    nbformat.v4.new_output("error", ename="E", evalue="no", traceback=[]),
    nbformat.v4.new_output("stream", name="stderr", text="SLF4J"),
    nbformat.v4.new_output("execute_result", {"text/plain": "true"}, execution_count=1),
    shown(text_plain="rootdk.chart.Bars@1b2c3d4e"),
    shown(text_plain="2f1f2cb7-2f3b-4c39-8a3c-5d8209c26b34"),
    shown(text_html="<b>1</b>"),
    nbformat.v4.new_output("display_data", {"text/plain": "x", "image/svg+xml": "<svg/>"}),
    nbformat.v4.new_output("display_data", {"text/plain": "x"}, metadata={"width": 3}),
    figure(alt=""), figure(svg=SVG % (b" " * 50_000)), shown(text_plain="x", image_png=PNG),
    figure(svg=b"<svg"), figure(svg=b"<html/>"), figure(image_png="AAAA"), figure(image_png="A"),
    shown(text_plain="x", text_html='<img alt="a picture from somewhere" src="https://example.org/x.png">', image_png=PNG),
], ids=range(16))
def test_unfit_outputs_are_found(unwanted):
    assert unfit(cell("list.add(3);", unwanted))
