"""The driver behind `make bench`, as far as it runs without a JVM, NumPy or PyTorch: what it makes of the times."""
import re
import sys
from types import SimpleNamespace

import pytest

from course import HERE, ROOT

sys.path.insert(0, str(HERE / "peers"))
import bench  # noqa: E402

JAVA = SimpleNamespace(backends=["plain", "vector"], version="a JDK")


def results():
    """Two rounds in which NumPy takes 8 and 12 times, PyTorch 2 and 3 times as long as plain, and vector half as long."""
    times = {"plain": [0.1, 0.1], "vector": [0.05, 0.05], "numpy": [0.8, 1.2], "torch": [0.2, 0.3], "blocked": [0.7, 0.7]}
    about = {"version": "1", "kernels": "some"}
    return {"about": {"numpy": about, "torch": about}, **{row.name: {
        key: value for who, value in times.items() for key, value in ((who, value), ("first " + who, value))
        if who not in bench.PEERS or who in row.peers} for row in bench.ROWS}}


def test_each_row_names_a_benchmark_that_there_is():
    for row in bench.ROWS:
        name, method = row.benchmark.split(".")
        source = (bench.LIB / "src" / "bench" / "java" / "rootdk" / "bench" / (name + ".java")).read_text(encoding="utf-8")
        assert re.search(r"@Benchmark\n    public .* %s\(" % method, source), row.benchmark


def test_each_row_names_tasks_that_there_are():
    source = (HERE / "peers" / "worker.py").read_text(encoding="utf-8")
    both = dict(zip(("numpy", "torch"), re.split(r"^def torch_tasks", source, flags=re.M)))
    for row in bench.ROWS:
        assert all("@task\n    def %s()" % row.task in both[peer] for peer in row.peers), row.name


def test_a_ratio_is_the_median_of_the_rounds():
    times = {"plain": [1.0, 2.0, 4.0], "numpy": [3.0, 4.0, 4.0]}
    assert bench.ratios(times, "numpy", "plain") == [3.0, 2.0, 1.0]
    assert bench.ratio_text([3.0, 2.0, 1.0]) == "**2.00** (1.00–3.00)"


@pytest.mark.parametrize("measured, says", [
    ({"numpy": 2.1, "peak": 0.81}, "stretch"), ({"numpy": 2.1, "peak": 0.7}, "must"), ({"numpy": 1.5, "peak": 0.68}, "must"),
    ({"numpy": 2.1, "peak": 0.6}, "no"), ({"numpy": 2.1}, "no"),
])
def test_a_target_is_reached_if_all_its_parts_are(measured, says):
    assert bench.reached(measured, {"numpy": 1.5, "peak": 0.68}, {"numpy": 2, "peak": 0.8}) == says
    assert bench.reached(measured, {}, {}) == "–"


@pytest.mark.parametrize("seconds, text", [(2.5, "2.5 s"), (0.05, "50 ms"), (3e-5, "30 µs"), (2e-9, "2 ns")])
def test_durations(seconds, text):
    assert bench.duration(seconds) == text


def test_the_report():
    found = {"FLOP": 40e9, "numpy": 30e9, "torch": 31e9, "B": 20e9}
    text = bench.report(JAVA, results(), found, [(1024, 18, 0.01, 1e-16), (4096, 26, 0.17, 2e-16)], 12)
    assert "| attention forward, N = 2048, d = 64 | 1 | plain | 100 ms | 1 s | **10.00** (8.00–12.00) | 250 ms | " \
           "**2.50** (2.00–3.00) | 10.7 GFLOP/s, 27 % | 0.75 × NumPy | 1 × NumPy | stretch |" in text
    assert "First call of moments, plain: 10.00 times as fast as NumPy's; must 2.5, stretch 4: stretch." in text
    assert "| 4,096 | 170 ms | 10.1 ns | 26 MB | 128 MB | 2e-16 |" in text
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
    assert len(tables) == 3 and all(len({line.count("|") for line in table.splitlines()}) == 1 for table in tables)


def test_the_part_of_the_peak_is_of_the_one_measured_in_the_same_round():
    times = results()
    times["forward"]["peak"] = [20e9, 40e9]
    found = {"FLOP": 50e9, "numpy": 30e9, "torch": 31e9, "B": 20e9}
    lines = bench.report(JAVA, times, found, [(1024, 18, 0.01, 1e-16)], 12).splitlines()
    assert sum("10.7 GFLOP/s, 40 % |" in line for line in lines) == 1, "the median of 54 and 27 %"


def test_the_report_without_the_vector_api():
    found = {"FLOP": 0, "numpy": 30e9, "torch": 31e9, "B": 20e9}
    text = bench.report(SimpleNamespace(backends=["plain"], version="a JDK"), results(), found, [(1024, 18, 0.01, 1e-16)], 12)
    assert "| vector |" not in text and "10.7 GFLOP/s |" in text and "0.16 GB/s, 1 % |" in text


def test_the_committed_table_is_by_the_pinned_versions():
    if bench.TABLE.exists():
        text = bench.TABLE.read_text(encoding="utf-8")
        pins = dict(re.findall(r"^(\w+)==(.*)$", (HERE / "peers" / "requirements.in").read_text(encoding="utf-8"), re.M))
        assert "- NumPy %s: " % pins["numpy"] in text and "- PyTorch %s" % pins["torch"] in text


def test_jmh_is_of_the_version_that_the_report_names():
    pom = (ROOT / "lib" / "pom.xml").read_text(encoding="utf-8")
    assert "<jmh.version>%s</jmh.version>" % bench.JMH in pom
