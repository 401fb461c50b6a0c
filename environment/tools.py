"""Finds Java and Maven, and says in one line how to get what is missing.

Uses the standard library alone, as it runs before anything is installed. (The Makefile checks Python's version.)
"""
import contextlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JAVA_NEEDED, MAVEN_NEEDED = 17, (3, 8)
VECTORS = ["--add-modules", "jdk.incubator.vector"]  # an incubator module, which a JDK may lack

GET_JAVA = "install a JDK (Debian, Ubuntu: apt install openjdk-17-jdk; macOS: brew install openjdk@17)"
GET_MAVEN = "install Maven (Debian, Ubuntu: apt install maven; macOS: brew install maven)"
GET_FONTS = "install fontconfig and a font (Debian, Ubuntu: apt install fontconfig fonts-dejavu-core)"


class Problem(Exception):
    """Something the user has to mend; the text is one line that says how."""


class Java:
    """A JDK that has been started once: its command, home, full version, feature number such as 17, and whether it has vectors."""

    def __init__(self, command, home, version, feature, has_vectors):
        self.command, self.home, self.version, self.feature = command, home, version, feature
        self.has_vectors = has_vectors

    def vector_options(self):
        """What lets its JVM compute with vectors. Nothing if it cannot: the JVM would not start."""
        return VECTORS if self.has_vectors else []


def java_environment():
    """The environment for a Java process: as it is, but with UTF-8 file names where the locale is plain C.

    In the C locale Java can open no file whose path has a letter outside ASCII. Only the character set is
    changed: the language stays what the user has, so that a mistake that shows in one language alone still shows.
    """
    environment = dict(os.environ)
    effective = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or "C"
    if effective in ("C", "POSIX"):
        if environment.pop("LC_ALL", ""):
            environment["LANG"] = "C"
            for name in [n for n in environment if n.startswith("LC_")]:
                del environment[name]
        environment["LC_CTYPE"] = "C.UTF-8"
    return environment


def run(command, **options):
    """Runs a command and returns (exit status, all that it printed); (127, reason) if it cannot be started."""
    try:
        done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, str(error)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def probe_java(command):
    """The JDK behind a java command. Raises Problem, saying what is wrong with it."""
    if not os.path.exists(command):
        raise Problem("%s does not exist" % command)
    about = ["-XshowSettings:properties", "-version"]
    status, text = run([command, *VECTORS, *about], env=java_environment())
    has_vectors = status == 0
    if not has_vectors:  # or it is no JDK that will do
        status, text = run([command, *about], env=java_environment())
    version = re.search(r'version "([^"]+)"', text)
    if status != 0 or not version:
        raise Problem("%s does not run: %s" % (command, (text.strip().splitlines() or ["it prints nothing"])[0]))
    full = re.search(r"^\s*java\.runtime\.version = (.*)$", text, re.M)
    home = re.search(r"^\s*java\.home = (.*)$", text, re.M)
    home = Path(home.group(1).strip()) if home else Path(command).resolve().parent.parent
    number = re.match(r"(?:1\.)?(\d+)", version.group(1))
    feature = int(number.group(1)) if number else 0
    if feature < JAVA_NEEDED:
        raise Problem("%s is version %s" % (command, version.group(1)))
    if not (home / "bin" / "javac").exists():
        raise Problem("%s can only run Java: there is no javac in %s" % (command, home / "bin"))
    return Java(str(home / "bin" / "java"), home, full.group(1).strip() if full else version.group(1), feature, has_vectors)


def java_candidates():
    """(where it comes from, command) of each java there is to try, the preferred one first."""
    found = []
    if os.environ.get("JAVA_HOME"):
        found.append(("JAVA_HOME", os.path.join(os.environ["JAVA_HOME"], "bin", "java")))
    if shutil.which("java"):
        found.append(("PATH", shutil.which("java")))
    return found


def find_java():
    """The JDK in JAVA_HOME if it will do, else the one on the PATH. Raises Problem if neither does."""
    faults = []
    for _, command in java_candidates():
        try:
            return probe_java(command)
        except Problem as problem:
            faults.append(str(problem))
    raise Problem("Java: a JDK of version %d or newer is needed, but %s; %s"
                  % (JAVA_NEEDED, "; ".join(faults) or "there is no java on the PATH", GET_JAVA))


def maven_environment(java):
    """The environment for Maven, which takes the JDK from JAVA_HOME."""
    return dict(java_environment(), JAVA_HOME=str(java.home))


def find_maven(java):
    """(command, version) of Maven. Raises Problem if it is missing, broken or too old."""
    command = shutil.which("mvn")
    if not command:
        raise Problem("Maven: there is no mvn on the PATH; %s" % GET_MAVEN)
    status, text = run([command, "-v"], env=maven_environment(java))
    version = re.search(r"Apache Maven (\d+)\.(\d+)\S*", text)
    if status != 0 or not version:
        raise Problem("Maven: %s does not run: %s" % (command, (text.strip().splitlines() or ["it prints nothing"])[0]))
    name = version.group(0).split("\x1b")[0][len("Apache Maven "):]
    if (int(version.group(1)), int(version.group(2))) < MAVEN_NEEDED:
        raise Problem("Maven: version %d.%d or newer is needed, but %s is %s; %s"
                      % (MAVEN_NEEDED + (command, name, GET_MAVEN)))
    return command, name


def check_python():
    """Raises Problem if this Python cannot make a virtual environment."""
    for module in ("venv", "ensurepip"):  # Debian has the second, and so a venv that works, in a package of its own
        if importlib.util.find_spec(module) is None:
            raise Problem("Python: %s has no module %s, which makes virtual environments; install it "
                          "(Debian, Ubuntu: apt install python3-venv)" % (sys.executable, module))


def machine():
    """Processor, number of processors, memory and system, for what is measured."""
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):  # Linux says more
        told = dict(re.findall(r"^(model name|cpu family|model)\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M))
        name = "%s (family %s, model %s)" % tuple(told.get(key, "?") for key in ("model name", "cpu family", "model"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30
    return "%s, %d processors, %.0f GiB, %s" % (name, os.cpu_count(), memory, platform.system())
