"""The JVM that student code runs in, and the walls around it."""
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from classroom import seccomp
from tools import Problem

# Serial collector and quick compiler: a submission runs for a second, and others run beside it.
JVM_OPTIONS = ["-Xmx256m", "-Xss1m", "-XX:MaxMetaspaceSize=128m", "-XX:CompressedClassSpaceSize=64m", "-XX:MaxDirectMemorySize=16m",
               "-XX:ReservedCodeCacheSize=48m", "-XX:+UseSerialGC",
               "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-XX:-OmitStackTraceInFastThrow", "-XX:+DisableAttachMechanism", "-Xshare:auto",
               "-XX:ErrorFile=/dev/null", "-Xlog:disable", "-XX:+SuppressFatalErrorMessage",  # or the JVM itself would write between the answers
               "-Dfile.encoding=UTF-8", "-Djava.awt.headless=true"]
SCRATCH = 16 << 20       # bytes a submission can write in all
MEMORY = 1280 << 20      # bytes of addresses of one JVM: heap, classes and code as above, its libraries (about 750 MB in all), and what student
                         # code takes beside the heap: threads' stacks, memory from Unsafe, from zlib, or from C
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}  # one heap of C's: more would take 64 MB of addresses each
CPU_SECONDS = 300        # of one JVM, whose time limits are the judge's; this one is for threads that outlive their answers

GET_BUBBLEWRAP = "install bubblewrap (Debian, Ubuntu: apt install bubblewrap; there is none for macOS)"


def find_bubblewrap(problem="Submissions could not be isolated", command_without="make grade ISOLATION=none ...", bwrap="bwrap"):
    """bubblewrap's command. Raises Problem, with the way out, if it is not there or does not work here."""
    command = shutil.which(bwrap)
    reason = "there is no bwrap on the PATH"
    if command:
        done = subprocess.run([command, "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
                               "--proc", "/proc", "/usr/bin/true"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode == 0:
            return command
        reason = "%s does not work here (%s)" % (command, " ".join(done.stderr.split()) or "status %d" % done.returncode)
    raise Problem("%s: %s. So they could read and write all that you can. For walls around them, %s. "
                  "To do without, on a machine where nothing can be lost: %s" % (problem, reason, GET_BUBBLEWRAP, command_without))


class Launcher:
    """Makes the command of one JVM for one submission."""

    def __init__(self, java, jar, folder, isolated=True):
        """java: a tools.Java; jar: the library's, from which the runner is taken; folder: where the runner and its archive are kept."""
        self.java, self.folder = java, Path(folder).absolute()
        self.bwrap = find_bubblewrap() if isolated else None
        self.home = Path(os.path.realpath(java.home))
        self.runner = self._runner(Path(jar))
        self.archive = self._archive()
        self.filter = self._filter() if isolated else None
        self.walls = self._walls() if isolated else []

    def _runner(self, jar):
        """A JAR with the runner alone: the students' code must not find the library's attention."""
        with zipfile.ZipFile(jar) as library:
            names = sorted(name for name in library.namelist() if name.startswith("rootdk/classroom/") and name.endswith(".class"))
            classes = {name: library.read(name) for name in names}
        if not classes:
            raise Problem("%s has no runner: run make" % jar)
        key = hashlib.sha256(repr(sorted(classes.items())).encode()).hexdigest()[:16]
        path = self.folder / ("runner-%s.jar" % key)
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(".%d.draft" % os.getpid())
            with zipfile.ZipFile(draft, "w") as ours:
                for name, data in classes.items():
                    ours.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)
            os.replace(draft, path)
        return path

    def _archive(self):
        """Classes that JShell and the compiler need, ready for use (class-data sharing): about half of a submission's time. None if it fails."""
        from classroom.runner import Runner, Stopped
        key = hashlib.sha256(("%s %s %s %s" % (self.java.version, self.home, self.runner, JVM_OPTIONS)).encode()).hexdigest()[:16]
        path = self.folder / ("classes-%s.jsa" % key)
        if path.exists():
            return path
        draft = path.with_suffix(".%d.draft" % os.getpid())
        runner = Runner([self.java.command, *JVM_OPTIONS, "-XX:ArchiveClassesAtExit=%s" % draft, "-cp", self.runner, "rootdk.classroom.Runner"])
        try:
            for cell in WARM_UP:
                runner.run(cell, 120)
            for expression in ("sum(new double[] {1, 2}, 2)", "sum(null, 1)", "grid(2)", "none(1)"):
                runner.value(expression, 120)
            runner.prepare(["grid(3)", "sum(new double[] {0.5, 2}, 2)"], 120)
            runner.prepared(0, 120)
            runner.prepared(1, 120)
            runner.process.stdin.close()
            runner.process.wait(120)
            os.chmod(draft, 0o644)
            os.replace(draft, path)
            return path
        except (Stopped, OSError, subprocess.TimeoutExpired):
            return None  # it is only slower
        finally:
            runner.kill()
            draft.unlink(missing_ok=True)

    def command(self):
        """One JVM's command and environment."""
        java = [self.home / "bin" / "java", *JVM_OPTIONS, *(["-XX:SharedArchiveFile=%s" % self.archive] if self.archive else []),
                "-cp", self.runner, "rootdk.classroom.Runner"]
        limits = [sys.executable, "-I", "-S", Path(__file__).with_name("limits.py"), SCRATCH, CPU_SECONDS, MEMORY, self.filter or "-"]
        return [str(word) for word in limits + self.walls + java], ENVIRONMENT

    def _filter(self):
        """The file of the filter for system calls. None on a processor whose calls it does not know."""
        program = seccomp.program()
        if program is None:
            return None
        path = self.folder / ("calls-%s.bpf" % hashlib.sha256(program).hexdigest()[:16])
        if not path.exists():
            draft = path.with_suffix(".%d.draft" % os.getpid())
            draft.write_bytes(program)
            os.replace(draft, path)
        return path

    def _walls(self):
        """bubblewrap's command up to the JVM's: a root that holds the C library, the JDK, the runner, and 16 MB to write to."""
        walls = [self.bwrap, "--unshare-all", "--as-pid-1", "--die-with-parent", "--new-session", "--clearenv", "--uid", "65534", "--gid", "65534",
                 "--hostname", "grader", "--cap-drop", "ALL"]
        for system in ("/usr/lib", "/usr/lib64", "/lib", "/lib64"):
            if os.path.islink(system):
                walls += ["--symlink", os.readlink(system), system]
            elif os.path.isdir(system):
                walls += ["--ro-bind", system, system]
        for folder in [self.home, *self._configuration()]:
            walls += ["--ro-bind", folder, folder]
        helper = self.home / "lib" / "jspawnhelper"
        if helper.exists():
            walls += ["--ro-bind", "/dev/null", helper]  # without it Java starts no process
        walls += ["--proc", "/proc", "--dev", "/dev", "--size", SCRATCH, "--tmpfs", "/tmp"]
        for file in filter(None, [self.runner, self.archive]):
            walls += ["--ro-bind", file, file]
        if self.filter:
            walls += ["--seccomp", seccomp.DESCRIPTOR]
        walls += ["--remount-ro", "/", "--remount-ro", "/dev", "--chdir", "/tmp", "--setenv", "HOME", "/tmp"]
        return walls + [word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)] + ["--"]

    def _configuration(self):
        """The folders outside of the JDK that its links lead to: Debian keeps its configuration in /etc."""
        targets = {Path(os.path.realpath(link)) for link in self.home.rglob("*") if link.is_symlink() and link.exists()}
        folders = sorted({target.parent for target in targets if self.home not in target.parents and not str(target).startswith("/usr/")})
        return [folder for folder in folders if not any(other in folder.parents for other in folders)]


WARM_UP = [
    "import java.util.Arrays;\nimport nowhere.Nothing;",
    "/** A sum. */\ndouble sum(double[] x, int n) {\n    if (n < 0) throw new IllegalArgumentException(\"negative: \" + n);\n    double s = 0;\n"
    "    for (int i = 0; i < n; i++) s += Math.exp(x[i]) / Math.sqrt(x.length);\n    return Arrays.stream(x).sum() + s;\n}",
    "double[][] grid(int n) {\n    double[][] g = new double[n][n];\n    for (double[] row : g) Arrays.fill(row, 1.5);\n    return g;\n}\n"
    "class Point {\n    double x;\n    double twice() { return 2 * x; }\n}\nPoint p = new Point();\nSystem.out.println(p.twice());",
    "int broken( {", "double later(double x) { return missing(x); }", "double sum(double[] x, int n) { return 1.0 * x[n - 1]; }",
]

