"""Builds and runs the course: what the Makefile calls. `make help` lists the commands.

A step is skipped if nothing it depends on has changed, judged by contents and never by times. What a step
made is recorded only once it is whole, so an interrupted build goes on where it stopped.

This file runs first on the system's Python, with the standard library alone; `run` and `outputs`
run again in the virtual environment, which has nbformat and nbclient.
"""
import argparse
import contextlib
import csv
import datetime
import fcntl
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import tools
from tools import ROOT, Problem

HERE = ROOT / "environment"
BUILD = ROOT / "build"
VENV = BUILD / "venv"
PYTHON = VENV / "bin" / "python"
TORCH_VENV = BUILD / "torch-venv"  # NumPy and PyTorch, which the library is compared with
HUB_VENV = BUILD / "hub-venv"
KERNEL = VENV / "share" / "jupyter" / "kernels" / "java"
NOTEBOOKS = ROOT / "notebooks"
TIMINGS = NOTEBOOKS / "data" / "timings.csv"  # how long each chapter ran, for the site
EXECUTED = BUILD / "executed"
SITE = BUILD / "site"
KEYS = BUILD / "keys"  # what each finished step was made from
TARGET = ROOT / "lib" / "target"
JAR = TARGET / "rootdk.jar"


# ---- keys: has anything changed?

def digest(*parts):
    """A hash of texts, files, and folders with all the files below them."""
    total = hashlib.sha256()
    for part in parts:
        if not isinstance(part, Path):
            total.update(b"text %d " % len(part.encode()) + part.encode())
            continue
        below = (sorted(f for f in part.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
                 if part.is_dir() else [part])
        for file in below:
            data = file.read_bytes() if file.exists() else b""
            total.update(b"file %s %d " % (str(file.relative_to(part)).encode(), len(data)) + data)
    return total.hexdigest()


def write(path, text):
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name("." + path.name + ".draft")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def recorded(step):
    file = KEYS / step
    return file.read_text(encoding="utf-8") if file.exists() else ""


def record(step, key):
    write(KEYS / step, key)


# ---- steps

def say(text):
    print(text, flush=True)


def complain(text):
    with contextlib.suppress(OSError):  # stderr may be closed as well
        print(text, file=sys.stderr, flush=True)


def one_line(error):
    return " ".join(("%s: %s" % (type(error).__name__, error)).split())


def without_colour(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def call(what, command, quiet=False, **options):
    """Runs a command, naming it and its time. Raises Problem if it fails; quiet shows what it prints only then."""
    started = time.monotonic()
    say(what + " ...")
    if quiet:
        options.update(stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        if quiet:
            say(without_colour(done.stdout.decode("utf-8", "replace")).strip())
        raise Problem("%s: failed, for the reason above" % what)
    say("%s: done in %.0f s" % (what, time.monotonic() - started))


def check(need_maven):
    """The JDK, and Maven if it is needed. Raises Problem with one line for each tool that is missing or too old."""
    java, maven, problems = None, None, []
    try:
        tools.check_python()
    except Problem as problem:
        problems.append(str(problem))
    try:
        java = tools.find_java()
    except Problem as problem:
        problems.append(str(problem))
    if need_maven and java:
        try:
            maven, _ = tools.find_maven(java)
        except Problem as problem:
            problems.append(str(problem))
    elif need_maven and not shutil.which("mvn"):
        problems.append("Maven: there is no mvn on the PATH; %s" % tools.GET_MAVEN)
    if problems:
        raise Problem("\n".join(problems))
    return java, maven


def jar_key():
    return digest(ROOT / "lib" / "pom.xml", ROOT / "lib" / "src" / "main", NOTEBOOKS / "claims.csv")


def setup():
    """Virtual environment, KaTeX, JAR and kernelspec, as far as they are not there yet. Returns the JDK."""
    need_jar = not JAR.exists() or recorded("jar") != jar_key()
    java, maven = check(need_jar)
    make_venv(VENV, HERE / "requirements.txt", "Python packages, about 150 MB")
    make_npm(HERE, "npm", "KaTeX")
    if need_jar:
        make_jar(java, maven)
    text = json.dumps(kernelspec(java), indent=1)
    if not (KERNEL / "kernel.json").exists() or (KERNEL / "kernel.json").read_bytes() != text.encode():
        write(KERNEL / "kernel.json", text)
    return java


def make_venv(folder, requirements, what):
    # A virtual environment holds its own path and its Python's: it cannot be moved, nor outlive that Python.
    key = digest(requirements, str(folder), sys.version, os.path.realpath(sys.executable))
    python = folder / "bin" / "python"
    if recorded(folder.name) == key and python.exists():
        return
    (KEYS / folder.name).unlink(missing_ok=True)  # first: half a folder must not pass for a whole one
    shutil.rmtree(folder, ignore_errors=True)
    status, text = tools.run([sys.executable, "-m", "venv", folder])
    if status != 0:
        raise Problem("Python: could not make the virtual environment: %s" % " ".join(text.split()))
    # Modules are compiled when first imported: most of what the packages hold never is.
    call(what, [python, "-m", "pip", "install", "--quiet", "--no-compile", "--require-hashes",
                "--disable-pip-version-check", "-r", requirements])
    record(folder.name, key)


def make_torch_venv():
    make_venv(TORCH_VENV, HERE / "peers" / "requirements.txt", "NumPy and PyTorch, a download of about 3 GB, 6 GB on the disk")


def make_npm(folder, step, what):
    """What a folder's package.json names, into its node_modules, by the npm that came with the Python packages."""
    key = digest(folder / "package-lock.json")
    if recorded(step) == key and (folder / "node_modules").exists():
        return
    (KEYS / step).unlink(missing_ok=True)
    call(what, [VENV / "bin" / "npm", "ci", "--silent"], cwd=folder,
         env=dict(os.environ, PATH=str(VENV / "bin") + os.pathsep + os.environ["PATH"]))
    record(step, key)


def call_maven(what, java, maven, *arguments, quiet=False):
    """Runs Maven on the library, without what computes with vectors if this JDK cannot."""
    call(what, [maven, "-B", "-ntp", "-f", ROOT / "lib" / "pom.xml", *([] if java.has_vectors else ["-Dplain"]), *arguments],
         quiet=quiet, env=tools.maven_environment(java))


def make_jar(java, maven):
    key = jar_key()
    (KEYS / "jar").unlink(missing_ok=True)
    JAR.unlink(missing_ok=True)  # not overwritten: a kernel that runs still reads the old one
    for left_over in ("classes", "dependency"):  # else a deleted source or an old version stays in
        shutil.rmtree(TARGET / left_over, ignore_errors=True)
    call_maven("Library", java, maven, "-q", "-Dmaven.test.skip=true", "package", quiet=True)
    if not JAR.exists():
        raise Problem("Library: Maven made no %s" % JAR.relative_to(ROOT))
    record("jar", key)


def class_path():
    """The course's JAR and those it needs, in a fixed order."""
    return [JAR] + sorted((TARGET / "dependency").glob("*.jar"))


def kernelspec(java):
    return {
        "argv": [str(PYTHON), str(HERE / "kernel.py"), java.command, str(KERNEL / "jjava.jar"), "{connection_file}",
                 *java.vector_options()],
        "display_name": "Java",
        "language": "java",
        "interrupt_mode": "message",
        "env": {"JJAVA_CLASSPATH": os.pathsep.join(str(jar) for jar in class_path())},
        "metadata": {"jdk": java.version},
    }


def kernel_jdk():
    """The version of the JDK that runs the chapters."""
    return json.loads((KERNEL / "kernel.json").read_text(encoding="utf-8"))["metadata"]["jdk"]


# ---- chapters

def parts_of(source):
    """[type, source, tags, id] of each cell of a notebook. Raises Problem, naming it, if the file is none."""
    try:
        text = source.read_text(encoding="utf-8")
        cells = json.loads(text)["cells"]
    except json.JSONDecodeError as error:
        marker = re.search(r"^(<{7}|>{7}|={7})(?= |$)", text, re.M)
        raise Problem("%s: is no notebook, see %s" % (source.name, "the mark of a merge conflict in line %d" % (
            text.count("\n", 0, marker.start()) + 1) if marker else "line %d: %s" % (error.lineno, error.msg)))
    except (UnicodeDecodeError, KeyError, TypeError):
        raise Problem("%s: is no notebook: it is not UTF-8, or has no cells" % source.name)
    parts = []
    for number, cell in enumerate(cells, 1):
        try:
            parts.append([cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("tags"), cell.get("id")])
        except KeyError as error:
            raise Problem("%s: cell %d has no %s" % (source.name, number, error.args[0]))
        except (TypeError, AttributeError):
            raise Problem("%s: cell %d is not a cell of a notebook" % (source.name, number))
    return parts


class Chapter:
    """One notebook, and what is known of its last run."""

    def __init__(self, source, machinery):
        self.name, self.source, self.executed = source.stem, source, EXECUTED / source.name
        parts = parts_of(source)
        self.code_key = digest(machinery, json.dumps([part[:3] for part in parts if part[0] == "code"]))
        self.text_key = digest(json.dumps(parts))
        known = recorded(self.name).split() if self.executed.exists() else []
        self.must_run = known[:1] != [self.code_key]
        self.must_copy = self.must_run or known != [self.code_key, self.text_key]  # else only the prose is new

    def record(self):
        record(self.name, self.code_key + "\n" + self.text_key)


def chapters():
    sources = sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))
    if not sources:
        raise Problem("there is no chapter in %s" % NOTEBOOKS)
    library = []
    for jar in class_path():
        with zipfile.ZipFile(jar) as content:  # by contents: the same sources built twice count as the same
            library += sorted("%s %08x" % (entry.filename, entry.CRC) for entry in content.infolist())
    data = sorted(file for file in (NOTEBOOKS / "data").glob("*") if file != TIMINGS)  # which no chapter reads
    machinery = digest("\n".join(library), kernel_jdk(), HERE / "requirements.txt", HERE / "kernel.py", HERE / "compiler.json",
                       HERE / "execute.py", HERE / "tools.py", HERE / "logging.properties",
                       ROOT / "lib" / "src" / "test" / "resources" / "rootdk" / "golden",
                       *(part for file in data for part in (file.name, file)))
    return [Chapter(source, machinery) for source in sources]


def forget_removed(present):
    """Deletes what was made from chapters that are no longer there."""
    for executed in EXECUTED.glob("*.ipynb"):
        if executed.stem not in {c.name for c in present}:
            (KEYS / executed.stem).unlink(missing_ok=True)
            executed.unlink()


class Progress:
    """What runs, how far it is, and for how long: one moving line on a terminal, else a line for each chapter."""

    def __init__(self, total):
        self.total, self.finished, self.running, self.seconds = total, 0, {}, {}
        self.lock, self.moving = threading.Lock(), sys.stdout.isatty()

    def start(self, name):
        with self.lock:
            self.running[name] = [0, 0, time.monotonic()]
        self.draw()

    def cell(self, name, done, total):
        with self.lock:
            self.running[name][:2] = [done, total]
        self.draw()

    def finish(self, name, failure=None):
        """Prints the chapter's line, and below it why it failed."""
        with self.lock:
            done, total, started = self.running.pop(name)
            self.finished += 1
            self.seconds[name] = time.monotonic() - started
            line = "[%*d/%d] %-24s %3d/%d cells  %6.1f s" % (
                len(str(self.total)), self.finished, self.total, name, done, total, self.seconds[name])
            print(("\r\x1b[K" if self.moving else "") + line + ("  FAILED\n" + failure if failure else ""), flush=True)
        self.draw()

    def draw(self):
        if not self.moving:
            return
        with self.lock:
            now = time.monotonic()
            parts = ["%s %s %.0f s" % (name, "%d/%d" % (done, total) if total else "starting", now - started)
                     for name, (done, total, started) in self.running.items()]
            width = shutil.get_terminal_size().columns - 1
            print("\r\x1b[K" + (" · ".join(parts))[:width], end="", flush=True)


NOISE = re.compile(r"\s*at (\.\(#|org\.dflib\.jjava\.|rootdk\.notebook\.Claim\b)")  # lines of a trace that help nobody


def describe(error, number):
    """A failed cell in a few lines: which one, how it begins, the claim that failed, and what the kernel said."""
    code = [cell for cell in getattr(error, "notebook", {"cells": []})["cells"] if cell.cell_type == "code"]
    if number > len(code):
        return "      %s: %s" % (type(error).__name__, error)
    cell = code[number - 1]
    first_line = next((line for line in cell.source.splitlines() if line.strip()), "")
    traces = ["\n".join(out.traceback) for out in cell.outputs if out.output_type == "error"]
    lines = [line.rstrip() for line in without_colour(traces[0] if traces else str(error)).splitlines()]
    lines = [line for line in lines if line and not NOISE.match(line)]
    if len(lines) > 8:
        lines[8:] = ["..."]
    claim = re.search(r"\bclaim (\w+) failed", "\n".join(lines))
    failing = [line.strip() for line in cell.source.splitlines() if claim and '"%s"' % claim.group(1) in line]
    return "\n".join(["    code cell %d: %s" % (number, first_line)]
                     + ["      " + line for line in failing[:1] + lines])


def run_chapter(chapter, progress):
    """Executes one chapter into build/executed. Returns whether it went well."""
    import nbformat
    from execute import execute
    done = [0]

    def on_cell(number, total):
        done[0] = number
        progress.cell(chapter.name, number, total)

    progress.start(chapter.name)
    try:
        result = execute(nbformat.read(chapter.source, as_version=4), NOTEBOOKS, on_cell=on_cell)
        write(chapter.executed, nbformat.writes(result) + "\n")
        chapter.record()
    except Exception as error:  # a chapter must not take the others with it, whatever happens in it
        chapter.executed.unlink(missing_ok=True)
        (KEYS / chapter.name).unlink(missing_ok=True)
        progress.finish(chapter.name, describe(error, done[0] + 1))
        return False
    progress.finish(chapter.name)
    return True


def refresh_text(chapter):
    """Puts the present prose around the outputs of the last run."""
    import nbformat
    source, old = (nbformat.read(file, as_version=4) for file in (chapter.source, chapter.executed))
    ran = iter([cell for cell in old.cells if cell.cell_type == "code"])
    for cell in source.cells:
        if cell.cell_type == "code":
            before = next(ran)
            cell.outputs, cell.execution_count = before.outputs, before.execution_count
    source.metadata = old.metadata
    write(chapter.executed, nbformat.writes(source) + "\n")
    chapter.record()


def write_times(seconds):
    """How long each chapter ran, on which machine and when, into notebooks/data/timings.csv."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["chapter", "seconds", "machine", "jdk", "date"])
    for name in sorted(seconds):
        rows.writerow([name, "%.1f" % seconds[name], tools.machine(), kernel_jdk(), datetime.date.today()])
    write(TIMINGS, text.getvalue())
    say("Written: %s" % TIMINGS.relative_to(ROOT))


def run_chapters(timed=False):
    """In the virtual environment: brings build/executed up to date. With timed, runs all, one at a time, and writes down the times."""
    present = chapters()
    forget_removed(present)
    for chapter in present:
        if chapter.must_copy and not chapter.must_run:
            refresh_text(chapter)
            say("%s: text refreshed, nothing to run" % chapter.name)
    waiting = [chapter for chapter in present if timed or chapter.must_run]
    if not waiting:
        return
    from concurrent.futures import ThreadPoolExecutor
    import execute
    progress = Progress(len(waiting))
    pool = ThreadPoolExecutor(1 if timed else min(os.cpu_count() or 1, len(waiting)))
    jobs = {chapter.name: pool.submit(run_chapter, chapter, progress) for chapter in waiting}
    try:
        while progress.finished < len(jobs) and not all(job.done() for job in jobs.values()):
            time.sleep(0.2)
            progress.draw()
        failed = [name for name, job in jobs.items() if not job.result()]
    except BaseException as error:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        pool.shutdown(wait=False, cancel_futures=True)
        execute.stop_all()
        interrupted = isinstance(error, KeyboardInterrupt)
        if not interrupted:
            complain("The chapters could not be run: %s" % one_line(error))
        os._exit(130 if interrupted else 1)  # threads that wait for their dead kernels would hold the process
    if failed:
        raise Problem("%d of %d chapters failed: %s" % (len(failed), len(present), ", ".join(failed)))
    if timed:
        write_times(progress.seconds)


def in_venv(*command):
    """Runs a command of this file in the virtual environment. Raises Problem, already explained, if it fails."""
    process = subprocess.Popen([str(PYTHON), str(HERE / "course.py"), *command])
    try:
        status = process.wait()
    except KeyboardInterrupt:
        process.terminate()  # and let it stop its kernels
        process.wait()
        raise
    if status != 0:
        sys.exit(status)


# ---- commands

def execute_all():
    """Brings build/executed up to date. Returns whether there was anything to do."""
    present = chapters()
    stale = any(chapter.must_copy for chapter in present)
    stale |= {e.stem for e in EXECUTED.glob("*.ipynb")} != {chapter.name for chapter in present}
    if stale:
        in_venv("run")
    return stale


def build():
    """Everything: environment, JAR, chapters, site."""
    started = time.monotonic()
    setup()
    execute_all()
    key = digest(EXECUTED, HERE / "site", HERE / "requirements.txt", HERE / "package-lock.json",
                 NOTEBOOKS / "claims.csv", NOTEBOOKS / "references.bib", NOTEBOOKS / "data")
    page = SITE / "index.html"
    if recorded("site") != key or not page.exists():
        call("Site", [PYTHON, HERE / "site" / "build.py"])
        record("site", key)
        say("Done in %.0f s." % (time.monotonic() - started))
    else:
        say("Everything is up to date.")
    say("Open %s in a browser, or run `make lab` to change and run the chapters." % page.relative_to(ROOT))


def outputs(redraw, timed):
    """Executes what has changed, or all to time it, and writes the outputs into notebooks/."""
    setup()
    if timed:
        in_venv("run", "--times")
    else:
        execute_all()
    in_venv("write-outputs", *(["--redraw"] if redraw else []))


def is_figure(output):
    data = output.get("data", {})
    return "image/png" in data or "<img" in "".join(data.get("text/html", ""))


def without_pictures(output):
    """All that an output says: its HTML without the contents of its pictures, and its plain text."""
    return re.sub(r'src="[^"]*"', 'src=""', "".join(output.data.get("text/html", ""))), output.data.get("text/plain")


def merge_outputs(source, executed, redraw=False):
    """The source with the outputs of the executed notebook; a figure that says the same keeps its old picture."""
    import nbformat
    from execute import METADATA
    ran = iter([cell for cell in executed.cells if cell.cell_type == "code"])
    for cell in source.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type != "code":
            continue
        new = next(ran)
        for before, after in zip(cell.outputs, new.outputs):
            same = "data" in before and "data" in after and before.output_type == after.output_type \
                and set(before.data) == set(after.data) and without_pictures(before) == without_pictures(after)
            if same and is_figure(before) and is_figure(after) and not redraw:
                after.data = before.data
        cell.outputs, cell.execution_count = new.outputs, new.execution_count
    source.metadata = nbformat.from_dict(METADATA)
    return source


def write_outputs(redraw):
    """In the virtual environment: the outputs of build/executed into notebooks/, touching only what differs."""
    import nbformat
    changed = []
    for chapter in chapters():
        before = chapter.source.read_text(encoding="utf-8")
        merged = merge_outputs(nbformat.reads(before, as_version=4),
                               nbformat.read(chapter.executed, as_version=4), redraw)
        after = nbformat.writes(merged) + "\n"
        if after != before:
            write(chapter.source, after)
            changed.append(chapter.name)
    say("Outputs changed in: %s" % ", ".join(changed) if changed else "No output has changed.")


def first(folder, variable):
    """The environment's list of folders with one more in front."""
    return os.pathsep.join([str(folder)] + [rest for rest in [os.environ.get(variable)] if rest])


def jupyter_environment(**more):
    """Jupyter finds this course's kernel first, whatever kernels the user has, and the formgrader's template in classroom/."""
    return dict(os.environ, JUPYTER_PATH=first("%s:%s" % (VENV / "share" / "jupyter", HERE / "classroom"), "JUPYTER_PATH"), PATH=first(VENV / "bin", "PATH"), **more)


def open_lab(folder, config, arguments):
    """Becomes JupyterLab in a folder, with the settings in another."""
    command = [str(PYTHON), "-m", "jupyterlab", "--MultiKernelManager.default_kernel_name=java", *arguments]
    if os.geteuid() == 0:
        command.append("--allow-root")
    unlock()
    os.chdir(folder)
    os.execve(command[0], command, jupyter_environment(JUPYTER_CONFIG_PATH=first(config, "JUPYTER_CONFIG_PATH")))


def lab(arguments):
    setup()
    open_lab(NOTEBOOKS, HERE / "lab", arguments)  # whose settings hide the teacher's panels


def in_classroom(command):
    """Releases or grades the assignments; what to grade, and how, is in the environment, where make puts its variables."""
    setup()
    unlock()
    os.execve(str(PYTHON), [str(PYTHON), str(HERE / "classroom" / "grade.py"), command], jupyter_environment())


def classroom(arguments):
    """JupyterLab for the teacher, with nbgrader's panels on the gradebook in build/classroom."""
    setup()
    (BUILD / "classroom" / "exchange").mkdir(parents=True, exist_ok=True)
    write(BUILD / "classroom" / "config" / "nbgrader_config.py", "import os\nimport sys\n\nsys.path.insert(0, %r)\n"
          "from classroom.gradebook import configuration\n\nget_config().merge(configuration(%r, os.environ.get('DB')))\n" % (str(HERE), str(BUILD / "classroom")))
    open_lab(ROOT, BUILD / "classroom" / "config", arguments)


def hub(arguments):
    """JupyterHub with the course on this machine, for one teacher and the students named."""
    from classroom import isolation
    parser = argparse.ArgumentParser(prog="make hub ARGS=", description="JupyterHub for a teacher and students on this machine.")
    parser.add_argument("--students", nargs="+", default=["ada", "emmy"], metavar="NAME")
    parser.add_argument("--port", type=int, default=8000, help="this and the two above it must be free (default: 8000)")
    options = parser.parse_args(arguments)
    names = [name for name in options.students if not re.fullmatch("[a-z][a-z0-9_-]*", name) or name == "teacher"]
    if names:
        raise Problem("hub: %s cannot be a student's name: use small letters, digits, - and _, and not teacher" % ", ".join(names))
    if os.environ.get("ISOLATION") == "none":
        complain("Students are not isolated: they can read and write all that you can.")
    else:
        isolation.find_bubblewrap("Students could not be kept from one another and from the solutions", "make hub ISOLATION=none")
    setup()
    make_venv(HUB_VENV, HERE / "hub" / "requirements.txt", "JupyterHub with its Python packages, about 250 MB")
    make_npm(HERE / "hub", "hub-npm", "JupyterHub's proxy")
    folder = BUILD / "hub"
    (folder / "exchange").mkdir(parents=True, exist_ok=True)
    environment = jupyter_environment(HUB_PORT=str(options.port), HUB_STUDENTS=" ".join(options.students))
    python = str(HUB_VENV / "bin" / "python")
    unlock()
    os.chdir(folder)
    os.execve(python, [python, "-m", "jupyterhub", "-f", str(HERE / "hub" / "jupyterhub_config.py")], environment)


def test(arguments):
    java = setup()
    call_maven("Library tests", java, tools.find_maven(java)[0], "test")
    build()
    unlock()
    run_tests(arguments)


def run_tests(arguments, **environment):
    sys.exit(subprocess.run([str(PYTHON), "-m", "pytest", "-p", "no:cacheprovider", str(HERE / "tests"), *arguments],
                            cwd=ROOT, env=jupyter_environment(PYTHONDONTWRITEBYTECODE="1", **environment)).returncode)


def test_classroom(arguments):
    """What the tests of the classroom leave out for its length: hundreds of submissions, PostgreSQL, a hub."""
    setup()
    unlock()
    run_tests(["-k", "classroom or hub", *arguments], CLASSROOM="all")


def mutants(arguments):
    """Changes the library in thousands of places, one at a time, and counts how many changes its tests notice."""
    java, maven = check(need_maven=True)
    unlock()
    call_maven("Mutants, which takes an hour", java, maven, "test-compile", "org.pitest:pitest-maven:mutationCoverage", *arguments)
    say("Open lib/target/pit-reports/index.html in a browser: it shows each change, and whether a test failed.")


def golden(arguments):
    """Computes the library's golden data anew with PyTorch, and compares it with the files or writes them."""
    tools.check_python()
    make_torch_venv()
    unlock()
    sys.exit(subprocess.run([TORCH_VENV / "bin" / "python", HERE / "peers" / "golden.py", *arguments]).returncode)


def make_benchmarks(java, maven):
    """The benchmarks' classes. Returns their class path, the JAR among it."""
    classes, list_file = TARGET / "bench-classes", TARGET / "bench-class-path"
    key = digest(ROOT / "lib" / "pom.xml", ROOT / "lib" / "src" / "main", ROOT / "lib" / "src" / "bench")
    if recorded("bench") != key or not list_file.exists():
        (KEYS / "bench").unlink(missing_ok=True)
        shutil.rmtree(classes, ignore_errors=True)
        call_maven("Benchmarks", java, maven, "-q", "-Pbench", "process-classes", quiet=True)
        record("bench", key)
    return os.pathsep.join([str(JAR), str(classes), list_file.read_text(encoding="utf-8").strip()])


def bench(arguments):
    """Times the library beside NumPy and PyTorch, and writes lib/BENCHMARKS.md."""
    java = setup()
    make_torch_venv()
    class_path = make_benchmarks(java, tools.find_maven(java)[0])
    unlock()
    sys.exit(subprocess.run([TORCH_VENV / "bin" / "python", HERE / "peers" / "bench.py", "--java", java.command,
                             "--class-path", class_path, *(["--vectors"] if java.has_vectors else []), *arguments], env=tools.java_environment()).returncode)


_lock_file = None


def lock():
    """Waits until no other build is at work in this folder (make -j, or a second terminal)."""
    global _lock_file
    if BUILD.exists() and not BUILD.is_dir():
        raise Problem("%s is a file, but has to be a folder: move it away" % BUILD)
    BUILD.mkdir(exist_ok=True)
    _lock_file = open(BUILD / ".lock", "w")
    try:
        fcntl.flock(_lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Another build is at work in this folder; waiting for it.")
        fcntl.flock(_lock_file, fcntl.LOCK_EX)


def unlock():
    _lock_file.close()


WITH_ARGUMENTS = {"lab": lab, "classroom": classroom, "hub": hub, "test": test, "test-classroom": test_classroom, "mutants": mutants, "golden": golden, "bench": bench}  # which take further ones


def main():
    parser = argparse.ArgumentParser(description="Builds and runs the course; use it through make.", allow_abbrev=False)
    parser.add_argument("command", choices=["build", "outputs", "release", "grade", *WITH_ARGUMENTS, "doctor", "run", "write-outputs"])
    parser.add_argument("--redraw", action="store_true", help="outputs: take every figure's picture anew")
    parser.add_argument("--times", action="store_true", help="outputs: run all chapters, one at a time, and write notebooks/data/timings.csv")
    options, more = parser.parse_known_args()
    if more and options.command not in WITH_ARGUMENTS:
        raise Problem("%s: unknown argument %s" % (options.command, " ".join(more)))
    for number in (signal.SIGTERM, signal.SIGHUP):  # whatever ends us, the kernels end too
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, signal.default_int_handler)
    if options.command in ("build", "outputs", "release", "grade", *WITH_ARGUMENTS):
        lock()
    if options.command == "build":
        build()
    elif options.command == "outputs":
        outputs(options.redraw, options.times)
    elif options.command in ("release", "grade"):
        in_classroom(options.command)
    elif options.command in WITH_ARGUMENTS:
        WITH_ARGUMENTS[options.command](more)
    elif options.command == "run":
        run_chapters(options.times)
    elif options.command == "write-outputs":
        write_outputs(options.redraw)
    else:
        import doctor
        sys.exit(doctor.report())


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(1)
    except OSError as error:  # such as a full disk, a folder that cannot be written, a closed stdout
        complain(one_line(error))
        os._exit(1)  # at a plain exit Python would try to write to a closed stdout again
    except KeyboardInterrupt:
        print("\nInterrupted: what was finished is kept, run make to go on.", file=sys.stderr)
        sys.exit(130)
