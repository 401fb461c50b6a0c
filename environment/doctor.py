"""make doctor: what was found on this machine, and for each bad item the way to mend it."""
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import course
import tools
from tools import Problem

DRAW = """
import java.awt.Font;
import java.awt.image.BufferedImage;
public class Draw {
    public static void main(String[] args) {
        var graphics = new BufferedImage(90, 30, BufferedImage.TYPE_INT_RGB).createGraphics();
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
        graphics.drawString("1234", 5, 20);
        System.out.println(java.util.Locale.getDefault() + " " + java.nio.charset.Charset.defaultCharset());
    }
}
"""


def short(text):
    return (text.strip().splitlines() or ["it prints nothing"])[0]


def each_java():
    """Java and javac, in JAVA_HOME and on the PATH, and which of them the course takes. Returns that one, or None."""
    home, chosen, reason = os.environ.get("JAVA_HOME"), None, ""
    try:
        chosen = tools.find_java()
    except Problem as problem:
        reason = str(problem)
    if home and not Path(home).is_dir():
        yield "JAVA_HOME", None if chosen else False, "%s does not exist: unset it, or set it to a JDK" % home
    else:
        yield "JAVA_HOME", True, home or "not set: the java on the PATH counts"
    for origin, command in tools.java_candidates():
        try:
            found = tools.probe_java(command)
            yield "java, " + origin, True, "%s: JDK %s in %s" % (command, found.version, found.home)
        except Problem as problem:
            mend = "the course takes another" if chosen else tools.GET_JAVA
            yield "java, " + origin, None if chosen else False, "%s; %s" % (problem, mend)
    if home and not Path(home, "bin", "javac").exists():
        yield "javac, JAVA_HOME", None if chosen else False, (
            "none in %s: unset JAVA_HOME, or set it to a JDK" % Path(home, "bin"))
    elif home:
        yield "javac, JAVA_HOME", True, str(Path(home, "bin", "javac"))
    javac = shutil.which("javac")
    if javac:
        yield "javac, PATH", True, "%s: %s" % (javac, short(tools.run([javac, "-version"])[1]))
    else:
        yield "javac, PATH", None if chosen else False, "none" + ("" if chosen else ": " + tools.GET_JAVA)
    if chosen:
        yield "java of the course", True, "%s (%s)" % (chosen.command, chosen.version)
    else:
        yield "java of the course", False, reason
    return chosen


def fonts(java):
    """Whether Java can draw text, which it does in every figure, and the fonts that fontconfig knows."""
    listing = tools.run(["fc-list"]) if shutil.which("fc-list") else (127, "")
    count = len(listing[1].splitlines()) if listing[0] == 0 else None
    if count is None:
        yield "fontconfig", None, "fc-list is not installed, so the fonts cannot be listed"
    else:
        yield "fontconfig", count > 0, "%d fonts" % count if count else "knows no font: " + tools.GET_FONTS
    if not java:
        return
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "Draw.java")
        source.write_text(DRAW, encoding="utf-8")
        status, text = tools.run([java.command, "-Djava.awt.headless=true", source], env=tools.java_environment())
    if status == 0:
        yield "Java draws text", True, "yes; its locale and character set: " + text.strip().splitlines()[-1]
    else:
        told = [line for line in text.splitlines() if re.search("Error|Exception", line)] or [text.strip() or "no reason"]
        yield "Java draws text", False, "no (%s): %s" % (told[0].strip(), tools.GET_FONTS)


def kernel(java):
    """What `make` has built for the notebooks, and whether the kernel answers."""
    if not course.PYTHON.exists() or not (course.KERNEL / "kernel.json").exists():
        yield "kernel", False, "not installed yet: run make"
        return
    try:
        spec = json.loads((course.KERNEL / "kernel.json").read_text(encoding="utf-8"))
    except ValueError:
        yield "kernel", False, "%s is broken: run make" % (course.KERNEL / "kernel.json")
        return
    jars = course.class_path()
    if not course.JAR.exists():
        yield "class path", False, "%s is not there: run make" % course.JAR
    elif java and spec != course.kernelspec(java):
        yield "class path", False, "the kernel was set up for another folder, Java or library: run make"
    else:
        yield "class path", True, "%s and %d more JARs" % (course.JAR, len(jars) - 1)
    course.say("%-4s %-22s %s" % ("...", "kernel", "is being started, which takes some seconds"))
    status, text = tools.run(
        [course.PYTHON, "-c", "import sys, json; sys.path.insert(0, sys.argv[1]); import nbformat, execute\n"
         "cell = nbformat.v4.new_code_cell('1 + 1'); nb = nbformat.v4.new_notebook(cells=[cell])\n"
         "print(execute.execute(nb, sys.argv[1]).cells[0].outputs[0].data['text/plain'])", course.HERE])
    answer = (text.strip().splitlines() or [""])[-1]
    yield "kernel", status == 0 and answer == "2", (
        "%s answers 1 + 1 = 2" % course.KERNEL if answer == "2" else "%s: run make" % answer)
    status, text = tools.run([course.PYTHON, "-m", "jupyter", "kernelspec", "list", "--json"],
                             env=course.jupyter_environment())
    found = re.search(r'"resource_dir": "(.*/java)"', text)
    yield "kernel in JupyterLab", bool(found) and Path(found.group(1)) == course.KERNEL, (
        found.group(1) if found else "Jupyter finds no kernel of the name java: run make")


def locale():
    names = ["%s=%s" % (name, os.environ[name]) for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)]
    code = sys.getfilesystemencoding().lower()
    return "locale", code == "utf-8", "%s; file names: %s" % (", ".join(names) or "not set", code) + (
        "" if code == "utf-8" else ": set LC_ALL=C.UTF-8")


def items():
    """(name, whether it is well, what was found or how to mend it) of each thing; None: odd, but no obstacle."""
    try:
        tools.check_python()
        yield "Python", True, "%s: %s, can make virtual environments" % (sys.executable, sys.version.split()[0])
    except Problem as problem:
        yield "Python", False, str(problem)
    java = yield from each_java()
    try:
        if java:
            yield "Maven", True, "%s: %s" % tools.find_maven(java)
        else:
            yield "Maven", bool(shutil.which("mvn")), shutil.which("mvn") or "there is none: %s" % tools.GET_MAVEN
    except Problem as problem:
        yield "Maven", False, str(problem)
    yield from fonts(java)
    yield locale()
    yield from kernel(java)


def report():
    """Prints each item as it is found. Returns 1 if any is bad, else 0."""
    bad = 0
    for name, well, text in items():
        bad += well is False
        print("%-4s %-22s %s" % ({True: "ok", False: "BAD", None: "note"}[well], name, text), flush=True)
    print("All is well." if not bad else "%d of these need mending." % bad)
    return 1 if bad else 0
