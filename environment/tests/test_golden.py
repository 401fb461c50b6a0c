"""The script behind `make golden`, as far as it runs without PyTorch."""
import sys

import pytest

from course import HERE

sys.path.insert(0, str(HERE / "peers"))
import golden  # noqa: E402

FILES = sorted(golden.FILES.glob("*.txt"))
SMALL = golden.text_of("a test", {"Q": [[1.0, float("-inf")], [0.1, -0.0]], "z": [[float("nan")]]})


def test_each_file_is_one_that_the_script_makes():
    assert [file.name for file in FILES] == sorted(golden.MADE)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_file_names_the_pinned_versions_and_holds_every_digit(file):
    text = file.read_text(encoding="utf-8")
    assert golden.text_of(golden.MADE[file.name][0], golden.matrices_of(text)) == text


def test_the_files_are_small():
    assert sum(file.stat().st_size for file in FILES) < 300_000


def test_the_lock_has_the_pins():
    lock = (HERE / "peers" / "requirements.txt").read_text(encoding="utf-8")
    for package in ("torch", "numpy", "threadpoolctl"):
        assert "\n%s==%s " % (package, golden.pinned(package)) in "\n" + lock


def test_text_and_matrices_are_inverse():
    matrices = golden.matrices_of(SMALL)
    assert matrices["Q"] == [[1.0, float("-inf")], [0.1, 0.0]]
    assert golden.text_of("a test", matrices) == SMALL


@pytest.mark.parametrize("before, after, difference", [
    ("0.1", "0.1", 0.0),
    ("0.1", "0.10000000000200000", 2e-12),
    ("1.0", "4.0", 0.75),  # relative to 4
    ("NaN", "1.0", float("inf")),
    ("NaN", "Infinity", float("inf")),
    ("-Infinity", "Infinity", float("inf")),
])
def test_a_difference_is_found(before, after, difference):
    assert golden.compare("x", SMALL, SMALL.replace(before, after)) == pytest.approx(difference)


@pytest.mark.parametrize("before, after", [("z 1 1", "y 1 1"), ("z 1 1\nNaN\n", "")])
def test_another_matrix_is_found(before, after):
    with pytest.raises(golden.Unequal, match="^x: holds other matrices than were computed$"):
        golden.compare("x", SMALL, SMALL.replace(before, after))


def test_a_row_of_another_length_is_found():
    with pytest.raises(golden.Unequal, match="Q has a row that is not 2 long"):
        golden.compare("x", SMALL, SMALL.replace("0.1 -0.0", "0.1"))
