"""Times the library beside NumPy and PyTorch, and writes lib/BENCHMARKS.md. `make bench` calls it with the JDK and the class path.

Five rounds. In each, every row is timed for the library (a fresh JVM under JMH), for NumPy and for PyTorch (a fresh process each,
kept for the round), one after the other and on the same processors, so that whatever else the machine does meets all alike; a ratio
is the median of the rounds' ratios. With names of rows as arguments only these are run, once, and nothing is written.
"""
import argparse
import contextlib
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import tools  # noqa: E402

LIB = HERE.parents[1] / "lib"
TABLE = LIB / "BENCHMARKS.md"
JMH = "1.37"
ROUNDS = 5
SECONDS = 1.0  # for each peer in each round, after its first run
N, D = 2048, 64


class Row:
    """One kind of work: what it is called, the JMH benchmark, the workers' task, and what it aims at.

    must, stretch: for each backend, how many times as fast as numpy or torch to be, and at which part of the peak.
    amount, unit: how much is done, FLOP (multiplications and additions), B (read and written at least) or normal numbers drawn;
    cold: whether to time the first call too."""

    def __init__(self, name, title, benchmark, task, peers, must, stretch, amount, unit="FLOP", threads=1, cold=True):
        self.name, self.title, self.benchmark, self.task, self.peers = name, title, benchmark, task, peers
        self.must, self.stretch, self.amount, self.unit, self.threads = must, stretch, amount, unit, threads
        self.cold = cold


MONTE_CARLO = {"plain": {"numpy": 4.5}, "vector": {"numpy": 8}}, {"plain": {"numpy": 5}, "vector": {"numpy": 10}}
FORWARD = ({"plain": {"numpy": 0.75}, "vector": {"numpy": 1.5, "torch": 1.2, "peak": 0.68}},
           {"plain": {"numpy": 1}, "vector": {"numpy": 2, "torch": 1.5, "peak": 0.8}})
BACKWARD = {"vector": {"torch": 1}}, {"vector": {"torch": 1.3}}
ROWS = [
    Row("moments", "q·k Monte Carlo: 10⁶ draws, d = 64, four moments", "QkMoments.moments", "monte_carlo", ["numpy", "torch"],
        *MONTE_CARLO, amount=128e6, unit="normals"),
    Row("forward", "attention forward, N = 2048, d = 64", "AttentionAt2048.forward", "forward", ["numpy", "torch"],
        *FORWARD, amount=4 * N * N * D),
    Row("backward", "attention backward, N = 2048, d = 64", "AttentionAt2048.backward", "backward", ["torch"],
        *BACKWARD, amount=10 * N * N * D),
    Row("long", "attention forward, N = 16,384, d = 64, heap 64 MB", "LongAttention.forward", "long_forward", ["torch"],
        {"vector": {"torch": 1.15}}, {"vector": {"torch": 1.35}}, amount=4 * 16384 ** 2 * D, cold=False),
    Row("softmax", "softmax of 10⁶ numbers", "SoftmaxOfAMillion.softmax", "softmax", ["numpy", "torch"],
        {"vector": {"torch": 1.1}}, {"vector": {"torch": 1.25}}, amount=16e6, unit="B"),
    Row("training", "training step: batch 32, 16 tokens, d = 64, Adam", "TrainingStep.step", "training", ["torch"],
        {"vector": {"torch": 2}}, {"vector": {"torch": 2.5}}, amount=3 * 2 * 32 * 16 * D * (3 * D + 2 * 16 + 10)),
    Row("moments2", "q·k Monte Carlo, as above", "QkMoments.moments", "monte_carlo", ["numpy"],
        *MONTE_CARLO, amount=128e6, unit="normals", threads=2, cold=False),
    Row("forward2", "attention forward, as above", "AttentionAt2048.forward", "forward", ["numpy", "torch"],
        *FORWARD, amount=4 * N * N * D, threads=2, cold=False),
]
COLD_MUST, COLD_STRETCH = {("moments", "plain"): 2.5}, {("moments", "plain"): 4}  # first call, times NumPy
SCALING = [1024, 4096, 16384, 65536]
PEERS = {"numpy": "NumPy", "torch": "PyTorch"}


# ---- running

def keep_to(threads):
    """What a child process calls to keep to the first `threads` processors. Not every system can: there it may move between them."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    mine = sorted(os.sched_getaffinity(0))[:threads]
    return lambda: os.sched_setaffinity(0, mine)


class Worker:
    """A process of worker.py."""

    def __init__(self, which, threads):
        self.process = subprocess.Popen([sys.executable, str(HERE / "worker.py"), which, str(threads)], encoding="utf-8",
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=keep_to(threads))
        self.about = json.loads(self.process.stdout.readline())

    def measure(self, task, seconds=SECONDS):
        print(task, seconds, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("Benchmarks: %s: failed, for the reason above" % task)
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Java:
    """The JVM that runs the benchmarks, with as many processors as a row has threads."""

    def __init__(self, command, class_path, vectors):
        self.command, self.class_path = command, class_path
        self.module = ["--add-modules", "jdk.incubator.vector"] if vectors else []
        self.backends = ["plain", "vector"] if vectors else ["plain"]
        self.version = subprocess.run([command, "--version"], capture_output=True, encoding="utf-8").stdout.splitlines()[1].strip()

    def run(self, *arguments, threads=1):
        done = subprocess.run([self.command, *self.module, "-XX:ActiveProcessorCount=%d" % threads, "-cp", self.class_path,
                               *arguments], capture_output=True, encoding="utf-8", preexec_fn=keep_to(threads))
        if done.returncode != 0:
            sys.exit("Benchmarks: %s failed:\n%s%s" % (" ".join(arguments[-4:]), done.stdout, done.stderr))
        return done.stdout

    def peak(self):
        """The FLOP of a second that one core can do just now."""
        return float(self.run(str(LIB / "src" / "bench" / "PeakFlops.java")).split()[0]) * 1e9

    def jmh(self, benchmark, backend, threads, *options):
        """The seconds of each iteration of one fork, which takes over the options of the JVM that starts it."""
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "result.json"
            self.run("org.openjdk.jmh.Main", r"^rootdk\.bench\.%s$" % re.escape(benchmark), "-p", "backend=" + backend,
                     "-f", "1", "-foe", "true", "-rf", "json", "-rff", str(result), *options, threads=threads)
            return json.loads(result.read_text(encoding="utf-8"))[0]["primaryMetric"]["rawData"][0]


def say(text):
    print(text, flush=True)


def one_round(java, rows, results):
    """Times every row once: results[row name][who] gets the median of its iterations, and results[row name]["first " + who] its first."""
    with contextlib.ExitStack() as stack:
        workers = {}
        for row in rows:
            times, line = results.setdefault(row.name, {}), []

            def note(who, seconds, first):
                times.setdefault(who, []).append(seconds)
                line.append("%s %s" % (PEERS.get(who, who), duration(seconds)))
                if first is not None:
                    times.setdefault("first " + who, []).append(first)

            def ours(backend):
                first = java.jmh(row.benchmark, backend, row.threads, "-bm", "ss", "-wi", "0", "-i", "1")[0] if row.cold else None
                note(backend, statistics.median(java.jmh(row.benchmark, backend, row.threads)), first)

            ours("plain")
            for peer in row.peers:
                key = peer, row.threads
                if key not in workers:
                    workers[key] = Worker(*key)
                    stack.callback(workers[key].close)
                    results.setdefault("about", {})[peer] = workers[key].about
                measured = workers[key].measure(row.task)
                note(peer, statistics.median(measured["times"]), measured["first"] if row.cold else None)
            if "vector" in java.backends:
                ours("vector")
                if "peak" in row.must["vector"]:
                    times.setdefault("peak", []).append(java.peak())
            if row.name == "forward":
                times.setdefault("blocked", []).append(
                    statistics.median(workers["numpy", 1].measure("forward_blocked")["times"]))
            say("  %-9s %s" % (row.name, ", ".join(line)))


def limits(java):
    """The most that one core does in a second: of FLOP (0 if there is no Vector API to measure it with), of B copied in memory, and
    the peers' FLOP in products of matrices."""
    # The best of three JVMs: now and then one keeps its vectors in memory.
    peak = max(java.peak() for _ in range(3)) if java.module else 0
    found = {"FLOP": peak}
    for which, threads in (("numpy", 1), ("torch", 1)):
        worker = Worker(which, threads)
        found[which] = 2 * 2048 ** 3 / min(worker.measure("product")["times"])
        if which == "numpy":
            found["B"] = 2 * 8 * 2 ** 25 / min(worker.measure("copy")["times"])
        worker.close()
    return found


def scaling(java):
    """(N, heap in MB, seconds, error) for each length: Q, K, V and output with a quarter more, and 16 MB for the JVM."""
    table = []
    for n in SCALING:
        heap = 16 + 5 * n * D * 8 // 2 ** 20
        seconds, error = java.run("-Xmx%dm" % heap, "-XX:+UseSerialGC", "rootdk.bench.AttentionScaling", str(n),
                                  java.backends[-1]).split()
        if not float(error) < 1e-12:
            sys.exit("Benchmarks: attention of N = %d is wrong by %s" % (n, error))
        table.append((n, heap, float(seconds), float(error)))
        say("  N = %-6d  heap %3d MB  %s, error %s" % (n, heap, duration(float(seconds)), error))
    return table


# ---- writing

def duration(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return "%.3g %s" % (seconds * factor, unit)
    return "%.3g ns" % (seconds * 1e9)


def ratios(times, peer, who):
    return [theirs / ours for theirs, ours in zip(times[peer], times[who])]


def ratio_text(values):
    return "**%.2f** (%.2f–%.2f)" % (statistics.median(values), min(values), max(values))


def target_text(targets):
    return ", ".join("%g × %s" % (value, PEERS[key]) if key in PEERS else "%g %% of peak" % (100 * value)
                     for key, value in targets.items()) or "–"


def reached(measured, must, stretch):
    """measured, must, stretch: peer or "peak" -> number."""
    if not must:
        return "–"
    if all(measured.get(key, 0) >= value for key, value in stretch.items()):
        return "stretch"
    return "must" if all(measured.get(key, 0) >= value for key, value in must.items()) else "no"


def main_table(java, results, found):
    lines = ["| work | threads | backend | time | NumPy | × | PyTorch | × | rate | must | stretch | reached |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for row in ROWS:
        times = results[row.name]
        for who in java.backends:
            ours, cells, measured = statistics.median(times[who]), [], {}
            for peer in PEERS:
                if peer in times:
                    values = ratios(times, peer, who)
                    measured[peer] = statistics.median(values)
                    cells += [duration(statistics.median(times[peer])), ratio_text(values)]
                else:
                    cells += ["–", "–"]
            rate = "%.3g G%s/s" % (row.amount / ours / 1e9, row.unit)
            if row.unit in found and found[row.unit]:
                shares = [row.amount / seconds / peak / row.threads
                          for seconds, peak in zip(times[who], times.get("peak") or [found[row.unit]] * len(times[who]))]
                measured["peak"] = statistics.median(shares)
                rate += ", %.0f %%" % (100 * measured["peak"])
            must, stretch = row.must.get(who, {}), row.stretch.get(who, {})
            lines.append("| %s |" % " | ".join([row.title, str(row.threads), who, duration(ours), *cells, rate, target_text(must),
                                                target_text(stretch), reached(measured, must, stretch)]))
    return lines


def cold_table(java, results):
    lines = ["| work | %s | NumPy | PyTorch |" % " | ".join(java.backends), "|---|%s---|---|" % ("---|" * len(java.backends))]
    for row in ROWS:
        if row.cold:
            times = results[row.name]
            lines.append("| %s | %s |" % (row.title, " | ".join(
                duration(statistics.median(times["first " + who])) if "first " + who in times else "–"
                for who in [*java.backends, *PEERS])))
    for (name, who), must in COLD_MUST.items():
        measured = statistics.median(ratios(results[name], "first numpy", "first " + who))
        lines.append("\nFirst call of %s, %s: %.2f times as fast as NumPy's; must %g, stretch %g: %s." % (
            name, who, measured, must, COLD_STRETCH[name, who],
            reached({"x": measured}, {"x": must}, {"x": COLD_STRETCH[name, who]})))
    return lines


def report(java, results, found, lengths, minutes):
    numpy, torch = results["about"]["numpy"], results["about"]["torch"]
    forward = results["forward"]
    return "\n".join([
        "# Benchmarks",
        "",
        "Written by `make bench` on %s, in %.0f minutes. Everything is float64." % (datetime.date.today(), minutes),
        "",
        "- Machine: %s." % tools.machine(),
        "- Java: %s, JMH %s." % (java.version, JMH),
        "- NumPy %s: %s." % (numpy["version"], numpy["kernels"]),
        "- PyTorch %s on the CPU: %s." % (torch["version"], torch["kernels"]),
        "",
        "**How.** %d rounds; in each the library (a fresh JVM), NumPy and PyTorch (a fresh process each) do the same work one after the"
        % ROUNDS,
        "other, for as long as it takes to be warm and then to be timed. A time is the median over rounds, × the median of the rounds'",
        "ratios (least and greatest in brackets): above 1 the library is faster. With one thread all sides keep to the same one processor; with",
        "two they use both.",
        "NumPy's way is the fast one, in place and in chunks; for the forward pass by blocks of 256 queries it took %s."
        % duration(statistics.median(forward["blocked"])),
        "PyTorch's is eager, with its fused attention, fused Adam, and one product for keys and values.",
        "",
        *main_table(java, results, found),
        "",
        "**Limits of one core**, of which the rate has its percentage (for the forward pass, of that measured right after it in each",
        "round): %scopying memory %.1f GB/s, reading and writing counted."
        % ("fused multiply-add that never leaves the registers %.1f GFLOP/s; " % (found["FLOP"] / 1e9) if found["FLOP"] else "",
           found["B"] / 1e9),
        "For comparison, a product of two 2048 × 2048 matrices: NumPy %.1f GFLOP/s, PyTorch %.1f. The exponentials of the attention and"
        % (found["numpy"] / 1e9, found["torch"] / 1e9),
        "all but the products of the training step are not counted as FLOP.",
        "",
        "## The first call",
        "",
        "In a fresh JVM, and for the peers the task's first run in a fresh process after the import: what a cell that runs once costs.",
        "",
        *cold_table(java, results),
        "",
        "## Time and memory over N",
        "",
        "Tiled attention forward, d = 64, %s backend, one thread, in a JVM whose heap is bounded by 16 MB + 2.5 kB · N"
        % java.backends[-1],
        "(Q, K, V and output are 2 kB · N). Eight rows of each output are checked against the definition. The weights alone would",
        "take 8 B · N².",
        "",
        "| N | time | time / N² | heap | N × N weights | largest error |",
        "|---|---|---|---|---|---|",
        *["| %s | %s | %s | %d MB | %s MB | %.1g |" % (
            format(n, ","), duration(seconds), duration(seconds / n / n), heap, format(8 * n * n // 2 ** 20, ","), error)
          for n, heap, seconds, error in lengths],
        ""])


def main():
    parser = argparse.ArgumentParser(prog="make bench", description="Times the library beside NumPy and PyTorch.")
    parser.add_argument("--java", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--class-path", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--vectors", action="store_true", help=argparse.SUPPRESS)
    names = [row.name for row in ROWS]
    parser.add_argument("rows", nargs="*", metavar="row", help="time only these, once, and write nothing: " + ", ".join(names))
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in names]
    if unknown:
        parser.error("there is no row %s; there are %s" % (", ".join(unknown), ", ".join(names)))
    java = Java(options.java, options.class_path, options.vectors)
    started, results = datetime.datetime.now(), {}
    if options.rows:
        one_round(java, [row for row in ROWS if row.name in options.rows], results)
        return
    say("Benchmarks: the limits of the machine ...")
    found = limits(java)
    for number in range(1, ROUNDS + 1):
        say("Benchmarks: round %d of %d ..." % (number, ROUNDS))
        one_round(java, ROWS, results)
    say("Benchmarks: time and memory over N ...")
    lengths = scaling(java)
    minutes = (datetime.datetime.now() - started).total_seconds() / 60
    TABLE.write_text(report(java, results, found, lengths, minutes), encoding="utf-8")
    say("Benchmarks: written to lib/%s in %.0f minutes." % (TABLE.name, minutes))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # of which the caller tells
        sys.exit(130)
