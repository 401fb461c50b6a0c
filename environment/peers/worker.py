"""The benchmarks' work in NumPy or PyTorch, one process for each: worker.py numpy|torch THREADS.

Prints a line of JSON about itself, then reads lines `task seconds`, repeats the task for that long, at least once after its first
run, and prints {"first": seconds, "times": [seconds …]}. Ends with its standard input.
"""
import json
import os
import re
import sys
import time

WHICH, THREADS = sys.argv[1], int(sys.argv[2])
for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # NumPy shall choose the kernel for this processor itself
    os.environ.pop(variable, None)
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(THREADS)

import numpy as np  # noqa: E402
import threadpoolctl  # noqa: E402

DRAWS, D = 1_000_000, 64
TASKS = {}  # name -> a function that makes the inputs and returns the function to be timed


def task(prepare):
    TASKS[prepare.__name__] = prepare
    return prepare


def normal(*shape):
    return np.random.default_rng(1).standard_normal(shape)


def numpy_tasks():
    from concurrent.futures import ThreadPoolExecutor

    @task
    def monte_carlo():
        """Four moments of q·k in chunks that stay in the cache, with a stream for each of 50 parts."""
        pool = ThreadPoolExecutor(THREADS)

        def part(seed):
            generator, chunk = np.random.default_rng(seed), 1000
            q, k, sums = np.empty((chunk, D)), np.empty((chunk, D)), np.zeros(4)
            for _ in range(DRAWS // 50 // chunk):
                generator.standard_normal(out=q)
                generator.standard_normal(out=k)
                x = np.einsum("ij,ij->i", q, k)
                square = x * x
                sums += x.sum(), square.sum(), (square * x).sum(), (square * square).sum()
            return sums

        return lambda: sum(pool.map(part, range(50)))

    @task
    def forward():
        q, k, v = normal(3, 2048, D)

        def run():
            s = q @ k.T
            s *= 0.125
            s -= s.max(1, keepdims=True)
            np.exp(s, out=s)
            s /= s.sum(1, keepdims=True)
            return s @ v
        return run

    @task
    def forward_blocked():
        """The same for 256 queries at a time, which keeps the scores in the cache, and divided at the end."""
        q, k, v = normal(3, 2048, D)

        def run():
            out = np.empty_like(q)
            for i in range(0, 2048, 256):
                s = (q[i:i + 256] * 0.125) @ k.T
                s -= s.max(1, keepdims=True)
                np.exp(s, out=s)
                out[i:i + 256] = s @ v / s.sum(1, keepdims=True)
            return out
        return run

    @task
    def softmax():
        x = normal(DRAWS) * 4
        y = np.empty_like(x)

        def run():
            np.subtract(x, x.max(), out=y)
            np.exp(y, out=y)
            return np.multiply(y, 1 / y.sum(), out=y)
        return run

    @task
    def product():
        a, b = normal(2, 2048, 2048)
        out = np.empty_like(a)
        return lambda: np.matmul(a, b, out=out)

    @task
    def copy():
        a = np.ones(1 << 25)
        b = np.ones(1 << 25)
        return lambda: np.copyto(a, b)


def torch_tasks():
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(THREADS)
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)

    @task
    def monte_carlo():
        chunk = 1000
        q, k = torch.empty(chunk, D), torch.empty(chunk, D)

        @torch.no_grad()
        def run():
            sums = torch.zeros(4)
            for _ in range(DRAWS // chunk):
                x = torch.linalg.vecdot(q.normal_(), k.normal_())
                square = x * x
                sums += torch.stack([x.sum(), square.sum(), (square * x).sum(), (square * square).sum()])
            return sums
        return run

    def attention(n, grad=False):
        return [torch.randn(1, 1, n, D, requires_grad=grad) for _ in range(3)]

    @task
    def forward():
        inputs = attention(2048)
        return torch.no_grad()(lambda: F.scaled_dot_product_attention(*inputs))

    @task
    def backward():
        inputs = attention(2048, grad=True)
        output = F.scaled_dot_product_attention(*inputs)
        d_output = torch.randn_like(output)
        return lambda: torch.autograd.grad(output, inputs, d_output, retain_graph=True)

    @task
    def long_forward():
        inputs = attention(16384)
        return torch.no_grad()(lambda: F.scaled_dot_product_attention(*inputs))

    @task
    def softmax():
        x = torch.randn(DRAWS) * 4
        return torch.no_grad()(lambda: torch.softmax(x, 0))

    @task
    def training():
        """The library's model: pairs of symbols, 16 tokens that ask and 16 to attend to, with K and V in one product."""
        batch, tokens, symbols, classes = 32, 16, 32, 10
        e = torch.nn.Parameter(torch.randn(symbols, D) * 0.5 ** 0.5)
        w_q, w_kv, w_o = (torch.nn.Parameter(torch.randn(D, n) / D ** 0.5) for n in (D, 2 * D, classes))
        bias = torch.nn.Parameter(torch.zeros(classes))
        optimiser = torch.optim.Adam([e, w_q, w_kv, w_o, bias], lr=1e-3, fused=True)
        asking, attended = torch.randint(symbols, (2, batch, tokens, 2))
        labels = torch.randint(classes, (batch * tokens,))

        def run():
            q = (F.embedding(asking, e).sum(2) @ w_q)[:, None]
            k, v = (F.embedding(attended, e).sum(2) @ w_kv)[:, None].chunk(2, -1)
            z = F.scaled_dot_product_attention(q, k, v)[:, 0] @ w_o + bias
            optimiser.zero_grad(set_to_none=True)
            F.cross_entropy(z.flatten(0, 1), labels).backward()
            optimiser.step()
        return run

    @task
    def product():
        a, b = torch.randn(2, 2048, 2048)
        out = torch.empty_like(a)
        return torch.no_grad()(lambda: torch.matmul(a, b, out=out))

    return torch


def measure(run, seconds):
    times = []
    while len(times) < 2 or sum(times[1:]) < seconds:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return {"first": times[0], "times": times[1:]}


def main():
    torch = torch_tasks() if WHICH == "torch" else numpy_tasks()
    if torch:
        mkl = re.search(r"Math Kernel Library Version (\d[\w.]*)", torch.__config__.show())
        about = {"version": torch.__version__, "kernels": "%s%s" % (
            torch.backends.cpu.get_cpu_capability(), ", MKL " + mkl.group(1) if mkl else "")}
    else:
        about = {"version": np.__version__, "kernels": ", ".join(
            "%s %s, kernel %s" % (pool["internal_api"], pool["version"], pool["architecture"])
            for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas")}
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        name, seconds = line.split()
        print(json.dumps(measure(TASKS[name](), float(seconds))), flush=True)


if __name__ == "__main__":
    main()
