"""The files of the project: none is generated, and none knows the machine it was written on."""
import re
import subprocess

import pytest
from course import ROOT

GENERATED = re.compile(r"(^|/)(build|target|node_modules|__pycache__|\.ipynb_checkpoints|\.pytest_cache)/|"
                       r"\.(class|jar|pyc|log|draft|svg\.gz|hprof)$|(^|/)nohup\.out$|~$")
LOCAL = re.compile(r"(?<![\w.:/])/(home|root|Users|tmp|work|var/folders)/[\w.]|[A-Z]:\\\\?Users\b")
REGISTRY = re.compile(r"pypi\.org|pythonhosted\.org|npmjs\.(org|com)|repo1?\.maven\b|artifact[o]ry|--(extra-)?index[-]url")


def files():
    """What is in the repository, or about to be: all files that are not ignored."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=True).stdout.decode("utf-8")
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


def lines_with(pattern):
    found = []
    for name in files():
        data = (ROOT / name).read_bytes()
        if b"\0" not in data[:8000]:
            found += ["%s:%d: %s" % (name, number, match.group())
                      for number, line in enumerate(data.decode("utf-8").splitlines(), 1)
                      for match in pattern.finditer(line)]
    return found


def stale_in_readme(text, folder=ROOT):
    """Relative links that lead nowhere, and commands `make x` that the Makefile does not know."""
    links = re.findall(r"\]\(([^)#\s]+)", text)
    named = re.findall(r"^make ([a-z][\w-]*)|`make ([a-z][\w-]*)", text, re.M)
    targets = set(re.findall(r"^([\w-]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    return [link for link in links if not re.match(r"https://|mailto:", link) and not (folder / link).exists()] \
        + ["make " + (a or b) for a, b in named if (a or b) not in targets]


@pytest.mark.parametrize("name", ["README.md", "notebooks/assignments/README.md"])
def test_readme_is_true(name):
    assert stale_in_readme((ROOT / name).read_text(encoding="utf-8"), (ROOT / name).parent) == []


def test_a_stale_readme_is_found():
    assert stale_in_readme("[x](LICENSE) `make lab`\nmake doctor  # see") == []
    assert stale_in_readme("[x](nowhere.md) `make tea` and\nmake coffee  # hot") == ["nowhere.md", "make tea", "make coffee"]


def test_patterns_find_what_they_are_for():
    assert all(map(GENERATED.search, ["build/x", "lib/target/a.txt", "a/__pycache__/b", "A.class", "lib/x.jar"]))
    assert not any(map(GENERATED.search, ["environment/site/build.py", "notebooks/00-start-here.ipynb"]))
    assert all(map(LOCAL.search, ["in /" + "home/ann/x", '"/' + 'tmp/a"', "/" + "root/.m2"]))
    assert not any(map(LOCAL.search, ["https://example.org/home/x", "a/tmp/b", "//root/x"]))
    assert all(map(REGISTRY.search, ["https://py" + "pi.org/simple", "https://registry.npm" + "js.org/katex"]))


def test_no_generated_file():
    assert [name for name in files() if GENERATED.search(name)] == []


def test_no_path_of_a_machine():
    assert lines_with(LOCAL) == []


def test_no_registry():
    assert lines_with(REGISTRY) == []
