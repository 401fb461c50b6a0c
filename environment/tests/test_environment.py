"""The tools that build the course: finding Java, the kernel, running only what has changed, writing outputs.

Each test works in a copy of the course, in a folder whose name has a blank and Chinese characters, with tiny chapters.
"""
import copy
import csv
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import course
import execute
import kernel
import tools

SYSTEM_TOOLS = ["sh", "bash", "env", "dirname", "readlink", "uname", "expr", "sed", "cat", "ls", "tr"]


class Copy:
    """A course of its own: our tools, the present virtual environment and library, no chapters."""

    def __init__(self, root):
        self.root = root
        (root / "environment").mkdir(parents=True)
        for file in [*course.HERE.glob("*.py"), *(course.HERE / name for name in ("compiler.json", "logging.properties", "requirements.txt"))]:
            shutil.copy(file, root / "environment")
        shutil.copy(course.ROOT / "Makefile", root)
        (root / "lib").mkdir()
        (root / "lib" / "target").symlink_to(course.TARGET)
        self.kernel = root / "build" / "venv" / "share" / "jupyter" / "kernels" / "java"
        self.kernel.mkdir(parents=True)
        (self.kernel / "jjava.jar").symlink_to(course.KERNEL / "jjava.jar")
        for name in ("bin", "lib", "pyvenv.cfg"):
            (root / "build" / "venv" / name).symlink_to(course.VENV / name)
        (root / "notebooks").mkdir()
        self.run("-c", "import json, course, tools; text = json.dumps(course.kernelspec(tools.find_java()));"
                       "course.write(course.KERNEL / 'kernel.json', text)")

    def run(self, *arguments, **environment):
        """Runs Python in the copy's virtual environment and environment/. Returns what it did; stdout holds stderr too."""
        return subprocess.run([str(self.root / "build" / "venv" / "bin" / "python"), *arguments],
                              cwd=self.root / "environment", env={**os.environ, **environment}, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def course(self, *arguments, **environment):
        return self.run("course.py", *arguments, **environment)

    def chapter(self, name):
        return self.root / "notebooks" / (name + ".ipynb")

    def write(self, name, text, *code):
        cells = [new_markdown_cell(text, id="0")] + [new_code_cell(c, id=str(i)) for i, c in enumerate(code, 1)]
        self.chapter(name).write_text(nbformat.writes(new_notebook(cells=cells)) + "\n", encoding="utf-8")


@pytest.fixture
def copied(tmp_path):
    return Copy(tmp_path / "my course 课程")


@pytest.fixture
def only(tmp_path, monkeypatch):
    """only(name=script, …) leaves nothing on the PATH but a shell, basic tools, Python, and these scripts."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in SYSTEM_TOOLS:
        if shutil.which(name):
            (folder / name).symlink_to(shutil.which(name))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(folder))

    def add(**scripts):
        for name, script in scripts.items():
            (folder / name).write_text("#!/bin/sh\n" + script + "\n")
            (folder / name).chmod(0o755)
        return folder
    return add


# ---- Java, Maven, Python

def java_that_says(version):
    return "echo 'openjdk version \"%s\" 2020-01-01' >&2" % version


@pytest.mark.parametrize("scripts, says", [
    ({}, ["Java: a JDK of version 17 or newer is needed, but there is no java on the PATH", "Maven: there is no mvn"]),
    ({"java": java_that_says("11.0.2"), "mvn": "exit 0"}, ["Java: a JDK of version 17 or newer", "is version 11.0.2"]),
    ({"java": java_that_says("1.8.0_402"), "mvn": "exit 0"}, ["is version 1.8.0_402"]),
    ({"java": java_that_says("21.0.1"), "mvn": "exit 0"}, ["can only run Java: there is no javac"]),
    ({"java": "echo broken; exit 3", "mvn": "exit 0"}, ["does not run: broken"]),
])
def test_missing_or_old_tool_is_one_line(copied, only, scripts, says):
    only(**scripts)
    done = copied.course("build")
    lines = done.stdout.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 2 - ("mvn" in scripts), done.stdout
    assert all(part in done.stdout for part in says), done.stdout
    assert "install a JDK" in lines[0]


def test_old_or_missing_maven(only, monkeypatch):
    java = tools.Java("java", Path("/jdk"), "17", 17, True)
    only()
    with pytest.raises(tools.Problem, match="^Maven: there is no mvn on the PATH; install Maven [^\n]*$"):
        tools.find_maven(java)
    only(mvn="echo 'Apache Maven 3.6.3 (abc)'")
    with pytest.raises(tools.Problem, match="^Maven: version 3.8 or newer is needed, but .*mvn is 3.6.3; install[^\n]*$"):
        tools.find_maven(java)
    only(mvn="echo 'Apache Maven 3.10.1'")
    assert tools.find_maven(java)[1] == "3.10.1"


def test_java_home_counts_before_the_path_if_it_will_do(only, tmp_path, monkeypatch):
    good = tools.find_java.__globals__["probe_java"](json.loads(
        (course.KERNEL / "kernel.json").read_text(encoding="utf-8"))["argv"][2])
    only(java=java_that_says("11.0.2"))
    monkeypatch.setenv("JAVA_HOME", str(good.home))
    assert tools.find_java().home == good.home
    only(java='exec "%s" "$@"' % good.command)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert tools.find_java().home == good.home


@pytest.mark.parametrize("python, says", [
    (None, "Python: 3.11 or newer is needed, but there is no python3; install it"),
    ('case "$1" in --version) echo Python 3.10.1;; *) exit 1;; esac', "but python3 is Python 3.10.1; install it"),
])
def test_missing_or_old_python_is_one_line(copied, only, python, says):
    make = shutil.which("make", path=os.defpath + ":/usr/local/bin:/opt/homebrew/bin")
    only(**({"python3": python} if python else {}))
    done = subprocess.run([make, "-C", str(copied.root)], capture_output=True, encoding="utf-8",
                          env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "PYTHON")})
    told = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode != 0 and len(told) == 1 and says in told[0], done.stderr


def test_python_without_venv(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(tools.Problem, match="^Python: .* has no module venv, [^\n]*python3-venv[^\n]*$"):
        tools.check_python()


def test_doctor_names_what_is_wrong_and_goes_on(copied, only):
    (copied.kernel / "kernel.json").unlink()
    only(java=java_that_says("11.0.2"))
    done = copied.course("doctor")
    bad = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("BAD")]
    assert done.returncode == 1 and {"java,", "Maven", "kernel"} <= set(bad) and "Traceback" not in done.stdout, done.stdout
    assert "install a JDK" in done.stdout and "install Maven" in done.stdout


def test_doctor_survives_what_is_broken(copied, only):
    (copied.kernel / "kernel.json").write_text("{")
    only(java=java_that_says("11.0.2"), javac="exit 0")
    done = copied.course("doctor", JAVA_HOME="/nowhere/jdk")
    assert done.returncode == 1 and "Traceback" not in done.stdout, done.stdout
    for part in ["BAD  JAVA_HOME              /nowhere/jdk does not exist", "javac: it prints nothing", "kernel.json is broken: run make"]:
        assert part in done.stdout, done.stdout


@pytest.mark.parametrize("given, then", [
    ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, {"LC_CTYPE": "C.UTF-8", "LANG": "C"}),
    ({}, {"LC_CTYPE": "C.UTF-8"}),
    ({"LANG": "POSIX"}, {"LC_CTYPE": "C.UTF-8", "LANG": "POSIX"}),
    ({"LANG": "de_DE.UTF-8"}, {"LANG": "de_DE.UTF-8"}),
    ({"LC_ALL": "tr_TR.UTF-8", "LANG": "C"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "C"}),
])
def test_java_keeps_the_users_language(monkeypatch, given, then):
    for name in [n for n in os.environ if n == "LANG" or n.startswith("LC_")]:
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    got = tools.java_environment()
    assert {k: v for k, v in got.items() if k == "LANG" or k.startswith("LC_")} == then


# ---- the kernel

def test_opening_a_chapter_does_not_change_it_and_errors_are_not_red_on_red():
    """JupyterLab writes what the kernel says of its language into the notebook, and shows errors on a red ground."""
    manager = KernelManager(kernel_name="java", kernel_spec_manager=KernelSpecManager(
        kernel_dirs=[str(course.KERNEL.parent)], ensure_native_kernel=False))
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=180)
        said = client.kernel_info(reply=True, timeout=60)["content"]["language_info"]
        shown = []
        for code in ('throw new IllegalStateException("no");', "int x = undefined;"):
            client.execute_interactive(code, timeout=60, output_hook=shown.append)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert said == execute.METADATA["language_info"]
    first, second = ("\n".join(message["content"]["traceback"]) for message in shown if message["msg_type"] == "error")
    assert "IllegalStateException: no" in first and "cannot find symbol" in second
    assert "\x1b[31m" not in first + second


EXECUTE = """
import sys, nbformat, execute
cells = [nbformat.v4.new_code_cell(code) for code in sys.argv[2:]]
for cell in execute.execute(nbformat.v4.new_notebook(cells=cells), sys.argv[1], allow_errors=True).cells:
    for out in cell.outputs:
        print(out.get("evalue") or out.get("text") or out.data["text/plain"])
"""


def test_kernel_works_from_any_folder_in_any_locale(copied, tmp_path):
    rival = tmp_path / "rival" / "kernels" / "java"
    rival.mkdir(parents=True)
    (rival / "kernel.json").write_text('{"argv": ["false"], "display_name": "Rival", "language": "java"}')
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    done = copied.run("-c", EXECUTE, str(elsewhere), 'System.getProperty("user.dir")', "rootdk.attention.Scale.sqrt(9)",
                      '"√ 课程 " + java.nio.charset.Charset.defaultCharset()',
                      'System.out.println("a"); System.out.println("b");',
                      'java.nio.file.Files.isRegularFile(java.nio.file.Path.of(System.getenv("JJAVA_CLASSPATH")'
                      '.split(":")[0]))',
                      'var runs = rootdk.notebook.Notebook.progress("runs"); runs.at(0, 2); runs.at(1, 2); runs.at(2, 2);',
                      "rootdk.backend.Backend.vector().isPresent()",
                      LC_ALL="C", JUPYTER_PATH=str(tmp_path / "rival"))
    vectors = "true" if tools.find_java().has_vectors else "false"
    assert done.stdout.splitlines() == [str(elsewhere), "3.0", "√ 课程 UTF-8", "a", "b", "", "true", "runs: 2 of 2", vectors]


def test_library_not_built_says_run_make(copied, tmp_path):
    (copied.root / "lib" / "target").unlink()
    done = copied.run("-c", EXECUTE, str(tmp_path), "1 + 1", "2 + 2")
    message = "rootdk is not built: run make in %s, then restart the kernel" % copied.root
    assert done.stdout.splitlines() == [message, message]


def test_java_gone_says_so(monkeypatch):
    assert kernel.what_is_missing("/nowhere/java", "x.jar").startswith("Java is gone from /nowhere/java: install a JDK")


def test_jupyter_finds_our_kernel_first(tmp_path, monkeypatch):
    rival = tmp_path / "kernels" / "java"
    rival.mkdir(parents=True)
    (rival / "kernel.json").write_text('{"argv": ["false"], "display_name": "Rival", "language": "java"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    text = subprocess.run([str(course.PYTHON), "-m", "jupyter", "kernelspec", "list", "--json"], check=True,
                          env=course.jupyter_environment(), stdout=subprocess.PIPE).stdout
    assert json.loads(text)["kernelspecs"]["java"]["resource_dir"] == str(course.KERNEL)


# ---- running what has changed, and writing outputs

def test_only_what_has_changed_is_run(copied):
    copied.write("00-a", "# A", "6 * 7", "System.out.println(1);")
    copied.write("01-b", "# B", "int x = 3;", "x + 1")
    copied.write("02-c", "# C", "1 + 1", "// why\nundefined + 1", "2 + 2")
    executed = copied.root / "build" / "executed"

    def run():
        before = {f.stem: f.read_bytes() for f in executed.glob("*.ipynb")}
        done = copied.course("run")
        after = {f.stem: f.read_bytes() for f in executed.glob("*.ipynb")}
        ran = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("[")}
        return done, ran, {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}

    done, ran, changed = run()
    assert done.returncode == 1 and ran == {"00-a", "01-b", "02-c"} and changed == {"00-a", "01-b"}, done.stdout
    for part in ["FAILED", "code cell 2: // why", "cannot find symbol", "1 of 3 chapters failed: 02-c"]:
        assert part in done.stdout
    assert "Traceback" not in done.stdout

    copied.chapter("02-c").unlink()
    done, ran, changed = run()
    assert (done.returncode, ran, changed) == (0, set(), set())

    copied.write("00-a", "# New text", "6 * 7", "System.out.println(1);")
    done, ran, changed = run()
    assert (done.returncode, ran, changed) == (0, set(), {"00-a"})
    now = nbformat.read(executed / "00-a.ipynb", as_version=4)
    assert now.cells[0].source == "# New text" and now.cells[1].outputs[0].data["text/plain"] == "42"

    copied.write("01-b", "# B", "int x = 4;", "x + 1")
    done, ran, changed = run()
    assert (done.returncode, ran, changed) == (0, {"01-b"}, {"01-b"})

    sources = {name: copied.chapter(name).read_bytes() for name in ("00-a", "01-b")}
    assert "Outputs changed in: 00-a, 01-b" in copied.course("write-outputs").stdout
    written = {name: copied.chapter(name).stat().st_mtime_ns for name in sources}
    assert "No output has changed" in copied.course("write-outputs").stdout
    assert written == {name: copied.chapter(name).stat().st_mtime_ns for name in sources}
    assert nbformat.read(copied.chapter("01-b"), as_version=4).cells[2].outputs[0].data["text/plain"] == "5"
    done, ran, _ = run()
    assert (done.returncode, ran) == (0, set()), "outputs written into a chapter make it run again"

    copied.chapter("01-b").unlink()
    done, ran, changed = run()
    assert (done.returncode, ran, changed) == (0, set(), {"01-b"})


def test_times_are_written_and_make_no_chapter_run_again(copied):
    copied.write("00-a", "# A", "6 * 7")
    copied.write("01-b", "# B", "Thread.sleep(3000);")
    (copied.root / "notebooks" / "data").mkdir()
    done = copied.course("run", "--times")
    assert done.returncode == 0, done.stdout
    with (copied.root / "notebooks" / "data" / "timings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["chapter"] for row in rows] == ["00-a", "01-b"]
    assert float(rows[1]["seconds"]) > 3
    assert {(row["machine"], row["jdk"]) for row in rows} == {(tools.machine(), course.kernel_jdk())}
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\d", row["date"]) for row in rows)
    assert "[" not in copied.course("run").stdout, "the times are data that no chapter reads"
    assert copied.course("run", "--times").stdout.count("cells") == 2, "to be timed, all chapters run"


def notebook(**data):
    data = {name.replace("_", "/"): value for name, value in data.items()}
    cell = new_code_cell("draw();", id="1", outputs=[new_output("display_data", data)], execution_count=1)
    return new_notebook(cells=[cell])


def test_outputs_keep_the_picture_of_a_figure_that_says_the_same():
    old = notebook(text_plain="bars", text_html='<img src="old">', image_png="b2xk")
    new = notebook(text_plain="bars", text_html='<img src="new">', image_png="bmV3")
    other = notebook(text_plain="lines", text_html='<img src="new">', image_png="bmV3")

    def merged(source, executed, **options):
        return course.merge_outputs(copy.deepcopy(source), copy.deepcopy(executed), **options).cells[0].outputs
    assert merged(old, new) == old.cells[0].outputs
    assert merged(old, new, redraw=True) == new.cells[0].outputs
    assert merged(old, other) == other.cells[0].outputs
    framed = notebook(text_plain="bars", text_html='<div class="wide"><img src="new"></div>', image_png="bmV3")
    assert merged(old, framed) == framed.cells[0].outputs
    table = notebook(text_plain="1 2", text_html="<table>old")
    assert merged(table, notebook(text_plain="1 2", text_html="<table>new"))[0].data["text/html"] == "<table>new"


def test_mistyped_argument_is_refused(copied):
    done = copied.course("write-outputs", "--redrw")
    assert (done.returncode, done.stdout) == (1, "write-outputs: unknown argument --redrw\n")


def good_cell(**change):
    return {"cell_type": "code", "source": "", "metadata": {}, "id": "1", **change}


@pytest.mark.parametrize("text, says", [
    ('{"cells": [\n<<<<<<< HEAD\n=======\n>>>>>>> other\n]}', "is no notebook, see the mark of a merge conflict in line 2"),
    ('{"cells": [\n,]}', "is no notebook, see line 2: Expecting value"),
    ("[]", "is no notebook: it is not UTF-8, or has no cells"),
    (json.dumps({"cells": [good_cell(), {"cell_type": "code", "source": ""}]}), "cell 2 has no metadata"),
    (json.dumps({"cells": [good_cell(metadata=None)]}), "cell 1 is not a cell of a notebook"),
], ids=range(5))
def test_broken_notebook_is_one_line(copied, text, says):
    copied.chapter("00-a").write_text(text)
    done = copied.course("run")
    assert (done.returncode, done.stdout) == (1, "00-a.ipynb: %s\n" % says)


def test_file_in_place_of_build_is_one_line(copied):
    (copied.root / "build").rename(copied.root / "other")
    (copied.root / "build").touch()
    done = subprocess.run([str(copied.root / "other" / "venv" / "bin" / "python"), "course.py", "build"],
                          cwd=copied.root / "environment", capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "%s is a file, but has to be a folder: move it away\n" % (copied.root / "build")


def test_error_that_is_no_interrupt_is_told(copied):
    copied.write("00-a", "# A", "6 * 7")
    draft = copied.root / "build" / "executed" / ".00-a.ipynb.draft"
    draft.mkdir(parents=True)
    done = copied.course("run")
    assert done.returncode == 1 and "IsADirectoryError" in done.stdout and "chapters failed: 00-a" in done.stdout, done.stdout
    draft.rmdir()
    if not os.path.exists("/dev/full"):  # as on macOS
        return
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(copied.root / "build" / "venv" / "bin" / "python"), "course.py", "run"],
                              cwd=copied.root / "environment", stdout=full, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "No space left on device" in done.stderr, done.stderr


def test_failed_claim_is_named_with_its_line():
    source = "// first\nint x = 3;\n" + 'Claim.of("C03b").expect(4).within(1e-9).is(x);\nClaim.of("C03a").holds(true);'
    trace = ["rootdk.notebook.ClaimFailure: claim C03b failed: expected 4", "\tat rootdk.notebook.Claim.is(Claim.java:1)", "    at .(#127:1)"]
    cell = new_code_cell(source, outputs=[new_output("error", ename="E", evalue="no", traceback=trace)])
    error = Exception("no")
    error.notebook = new_notebook(cells=[cell])
    assert course.describe(error, 1).splitlines() == [
        "    code cell 1: // first", '      Claim.of("C03b").expect(4).within(1e-9).is(x);', "      " + trace[0]]


def test_chapters_depend_on_all_that_the_kernel_uses(copied):
    copied.write("00-a", "# A", "6 * 7")
    show = "import course; print(course.chapters()[0].code_key)"
    before = copied.run("-c", show).stdout
    for name in ("tools.py", "kernel.py", "compiler.json", "execute.py", "logging.properties", "requirements.txt"):
        file = copied.root / "environment" / name
        file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        after = copied.run("-c", show).stdout
        assert after != before and len(after) == 65, name
        before = after


def test_outputs_leave_no_metadata_but_tags():
    source = notebook(text_plain="1")
    source.metadata = nbformat.from_dict({"language_info": {"name": "java", "version": "17.0.15"}, "widgets": {}})
    source.cells[0].metadata = nbformat.from_dict({"tags": ["raises-exception"], "execution": {"iopub.status.busy": "x"}})
    merged = course.merge_outputs(source, notebook(text_plain="1"))
    assert merged.cells[0].metadata == {"tags": ["raises-exception"]}
    assert set(merged.metadata) == {"kernelspec", "language_info"} and "version" not in merged.metadata.language_info


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "x"
    course.write(file, "old")

    def interrupted(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        course.write(file, "new")
    assert file.read_text() == "old"
