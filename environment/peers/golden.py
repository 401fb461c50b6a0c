"""The library's golden data: numbers that PyTorch computed, kept in lib/src/test/resources/rootdk/golden.

    make golden                  computes them again and compares with the files there
    make golden ARGS=--write     computes them again and writes the files

All in float64 on the CPU. A file holds one variant: comments, then matrices, each a line `name rows columns` and its
rows. Inputs have three decimals, so that they are the same on every machine; the rest has every digit of a double.
Gradients d… are those of L = Σ output ∘ dOutput, by autograd.

What PyTorch has no function for is written out here: the order scale, cap, bias, mask, softmax; sinks; rows in which all
is masked (PyTorch's softmax has NaN there); and the causal mask of n_q ≠ n_k, as PyTorch's is_causal aligns at the
top left and the library at the bottom right. Where PyTorch has a function, the written-out one must agree with it.
"""
import argparse
import math
import sys
import zlib
from pathlib import Path
from unittest import mock

FILES = Path(__file__).resolve().parents[2] / "lib" / "src" / "test" / "resources" / "rootdk" / "golden"
PINS = Path(__file__).with_name("requirements.in")
TOLERANCE = 1e-12
MADE = {}  # file name -> (what it holds, the function that makes it)


# ---- the files

class Unequal(Exception):
    """The files and what was computed do not fit together; the text says where."""


def pinned(package):
    """The version of a package in requirements.in."""
    for line in PINS.read_text(encoding="utf-8").splitlines():
        name, _, version = line.partition("==")
        if name == package:
            return version
    raise KeyError(package)


def header(about):
    return ("# %s\n# PyTorch %s and NumPy %s, float64 on the CPU, by environment/peers/golden.py\n"
            % (about, pinned("torch"), pinned("numpy")))


def number(x):
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(x), repr(x))


def text_of(about, matrices):
    """matrices: name -> list of rows of floats."""
    parts = [header(about)]
    for name, rows in matrices.items():
        parts.append("%s %d %d\n" % (name, len(rows), len(rows[0])))
        parts += [" ".join(map(number, row)) + "\n" for row in rows]
    return "".join(parts)


def matrices_of(text):
    """The inverse of text_of, without the comments."""
    matrices, lines = {}, iter(line for line in text.splitlines() if not line.startswith("#"))
    for line in lines:
        name, rows, columns = line.split()
        matrices[name] = [[float(x) for x in next(lines).split()] for _ in range(int(rows))]
        if any(len(row) != int(columns) for row in matrices[name]):
            raise Unequal("%s has a row that is not %s long" % (name, columns))
    return matrices


def difference(x, y):
    """|x − y|, relative where |y| > 1; 0 for the same NaN or infinity, ∞ if only one is finite."""
    if math.isfinite(x) and math.isfinite(y):
        return abs(x - y) / max(1.0, abs(y))
    return 0.0 if repr(x) == repr(y) else math.inf


def compare(name, kept, computed):
    """The largest difference between two texts of one file. Raises Unequal if their matrices have other names or shapes."""
    old, new = matrices_of(kept), matrices_of(computed)
    shapes = [[(key, len(rows), len(rows[0])) for key, rows in m.items()] for m in (old, new)]
    if shapes[0] != shapes[1]:
        raise Unequal("%s: holds other matrices than were computed" % name)
    return max(difference(x, y) for key in old for a, b in zip(old[key], new[key]) for x, y in zip(a, b))


# ---- tools of the variants

def variant(name, about):
    """The function below makes the file of that name: from a seeded source of inputs, a dictionary of tensors."""
    def register(make):
        MADE[name + ".txt"] = (about, make)
        return make
    return register


class Source:
    """Inputs with three decimals, the same for the same file name."""

    def __init__(self, name):
        self.generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))

    def normal(self, *shape, scale=1.0):
        return (torch.randn(*shape, generator=self.generator, dtype=torch.float64) * scale * 1000).round() / 1000

    def chance(self, p, *shape):
        return torch.rand(*shape, generator=self.generator, dtype=torch.float64) < p


def rows_of(value):
    """A tensor or number as a list of rows."""
    tensor = torch.as_tensor(value, dtype=torch.float64).detach()
    return (tensor.reshape(1, -1) if tensor.dim() < 2 else tensor).tolist()


def with_gradient(*tensors):
    return [t.clone().requires_grad_() for t in tensors]


def require_equal(what, ours, theirs, tolerance=1e-13):
    if not torch.allclose(ours, theirs, rtol=tolerance, atol=tolerance):
        raise Unequal("%s: what is written out here differs from PyTorch's own by %g" % (what, (ours - theirs).abs().max()))


# ---- attention

def causal_mask(n_q, n_k):
    """Query i attends to keys j ≤ i + n_k − n_q: the last query to all."""
    return torch.arange(n_k)[None, :] <= torch.arange(n_q)[:, None] + n_k - n_q


def attend(q, k, v, divisor, cap=None, bias=None, mask=None, causal=False, sink=None):
    """(scores, logits, weights before the mask, weights, output, log Σ exp) of one head or of any number."""
    scores = q @ k.mT
    u = scores / divisor
    if cap is not None:
        u = cap * torch.tanh(u / cap)
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool)
    if bias is not None:
        seen = seen & (bias.detach() != -math.inf)
        u = u + bias.masked_fill(~seen, 0)
    if mask is not None:
        seen = seen & mask
    if causal:
        seen = seen & causal_mask(*scores.shape[-2:])
    logits = u.masked_fill(~seen, -math.inf)
    with_sink = logits if sink is None else torch.cat([logits, sink.expand(*logits.shape[:-1], 1)], -1)
    empty = (with_sink == -math.inf).all(-1, keepdim=True)
    probabilities = torch.softmax(with_sink.masked_fill(empty, 0), -1)[..., :scores.shape[-1]]
    weights = probabilities.masked_fill(~seen, 0)
    return scores, u, logits, probabilities, weights, weights @ v, torch.logsumexp(with_sink.detach(), -1)


def attention_variant(name, about, n_q=5, n_k=7, d_k=4, d_v=6, divisor=2.0, cap=None, bias=None, mask=False, causal=False,
                      sink=None):
    """bias: None, "normal", or "masking" for one with −∞ in it."""
    @variant("attention-" + name, about)
    def make(source):
        q, k, v, d_output = (source.normal(*s) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)))
        rule = {"divisor": torch.tensor(divisor, dtype=torch.float64)}
        if cap:
            rule["cap"] = torch.tensor(cap, dtype=torch.float64)
        if bias:
            rule["bias"] = source.normal(n_q, n_k)
            if bias == "masking":
                rule["bias"][2, 1] = rule["bias"][n_q - 1, 3] = -math.inf
        if mask:
            rule["mask"] = source.chance(0.6, n_q, n_k)
            rule["mask"][1] = False  # a query that may attend to nothing
        if causal:
            rule["causal"] = True
        if sink is not None:
            rule["sink"] = torch.tensor(sink, dtype=torch.float64)
        q, k, v = with_gradient(q, k, v)
        learned = {key: value.requires_grad_() for key, value in rule.items() if key in ("bias", "sink")}
        scores, u, logits, probabilities, weights, output, log_sum = attend(q, k, v, **rule)
        for inner in (scores, u, probabilities):
            inner.retain_grad()
        output.backward(d_output)
        seen = logits != -math.inf
        if not cap and sink is None and seen.any(-1).all():
            check_against_pytorch(q, k, v, (u - scores / divisor).masked_fill(~seen, -math.inf), divisor, output, d_output)
        out = {"Q": q, "K": k, "V": v, "dOutput": d_output, **rule, "scores": scores, "logits": logits, "weights": weights,
               "output": output, "logSumExp": log_sum, "dQ": q.grad, "dK": k.grad, "dV": v.grad,
               "dWeights": probabilities.grad, "dLogits": u.grad, "dScores": scores.grad}
        if sink is not None:
            out["sinkWeights"] = 1 - weights.sum(-1)
        return {**out, **{"d" + key.capitalize(): value.grad for key, value in learned.items()}}


def check_against_pytorch(q, k, v, additive, divisor, output, d_output):
    q2, k2, v2 = with_gradient(q.detach(), k.detach(), v.detach())
    theirs = torch.nn.functional.scaled_dot_product_attention(
        q2[None, None], k2[None, None], v2[None, None], attn_mask=additive.detach(), scale=1 / divisor)[0, 0]
    theirs.backward(d_output)
    for what, a, b in (("output", output, theirs), ("dQ", q.grad, q2.grad), ("dK", k.grad, k2.grad), ("dV", v.grad, v2.grad)):
        require_equal(what, a, b)


attention_variant("scale-none", "softmax(QKᵀ) V", divisor=1.0)
attention_variant("scale-sqrt-dk", "softmax(QKᵀ / √d_k) V, d_k = 4", divisor=2.0)
attention_variant("scale-dk", "softmax(QKᵀ / d_k) V, d_k = 4", divisor=4.0)
attention_variant("scale-sqrt-dmodel", "softmax(QKᵀ / √d_model) V, d_model = 12", divisor=math.sqrt(12))
attention_variant("scale-any", "softmax(QKᵀ / 0.37) V", divisor=0.37)
attention_variant("bias", "softmax(QKᵀ / 2 + bias) V", bias="normal")
attention_variant("cap", "softmax(c tanh(QKᵀ / 2 / c)) V", cap=1.5)
attention_variant("mask", "a boolean mask, 1 = may attend; row 1 is fully masked", mask=True)
attention_variant("causal", "causal, n_q < n_k, aligned at the bottom right", causal=True)
attention_variant("causal-more-queries", "causal, n_q > n_k: the first two rows are fully masked", n_q=7, n_k=5, causal=True)
attention_variant("sink", "one more logit in each row, without a value", sink=0.7)
attention_variant("combined", "scale, cap, bias (−∞ in two places), mask, causal and sink, in this order",
                  divisor=1.3, cap=2.0, bias="masking", mask=True, causal=True, sink=-0.4)
attention_variant("combined-more-queries", "scale, cap, bias (−∞ in two places), mask, causal and sink, n_q > n_k, d_k > d_v",
                  n_q=8, n_k=5, d_k=7, d_v=3, divisor=0.6, cap=3.0, bias="masking", mask=True, causal=True, sink=1.1)


@variant("heads", "multi-head, causal: batch 2, heads 3, n_q 5, n_k 7, d_k 4, d_v 6; a matrix for each member of the batch, "
                  "heads side by side")
def heads(source):
    batch, h, n_q, n_k, d_k, d_v = 2, 3, 5, 7, 4, 6
    q, k, v = with_gradient(source.normal(batch, n_q, h * d_k), source.normal(batch, n_k, h * d_k),
                            source.normal(batch, n_k, h * d_v))
    d_output = source.normal(batch, n_q, h * d_v)
    split = [x.unflatten(-1, (h, -1)).transpose(1, 2) for x in (q, k, v)]
    output = attend(*split, divisor=math.sqrt(d_k), causal=True)[5].transpose(1, 2).flatten(2)
    output.backward(d_output)
    parts = {"Q": q, "K": k, "V": v, "dOutput": d_output, "output": output, "dQ": q.grad, "dK": k.grad, "dV": v.grad}
    return {"heads": h, **{"%s%d" % (key, b): x[b] for b in range(batch) for key, x in parts.items()}}


# ---- queries and keys: norms and positions

def normalised(x, gain, kind, epsilon):
    if kind == "l2":
        return gain * x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon)


def norm_variant(name, about, kind, gains, epsilon=None):
    @variant("norm-" + name, about)
    def make(source):
        x, d_y = source.normal(5, 4), source.normal(5, 4)
        x, gain = with_gradient(x, source.normal(gains).abs() + 0.5)
        y = normalised(x, gain, kind, epsilon)
        y.backward(d_y)
        if kind == "rms":
            require_equal(name, y, torch.nn.functional.rms_norm(x, (4,), eps=epsilon) * gain)
        else:
            require_equal(name, y, torch.nn.functional.normalize(x, dim=-1) * gain)
        return {"X": x, "gain": gain, **({"epsilon": epsilon} if epsilon is not None else {}), "dOutput": d_y,
                "output": y, "dX": x.grad, "dGain": gain.grad}


norm_variant("l2", "g x / ‖x‖, one gain", "l2", 1)
norm_variant("l2-gains", "g ∘ x / ‖x‖, a gain for each component", "l2", 4)
norm_variant("rms", "g x / √(mean x² + ε), one gain", "rms", 1, 1e-6)
norm_variant("rms-gains", "g ∘ x / √(mean x² + ε), a gain for each component", "rms", 4, 0.01)


def rotated(x, interleaved, base=10000.0, offset=0, factor=1.0):
    """RoPE as a product of complex numbers: pair t of row i is x_a + i x_b, and turns by (offset + i) base^(−2t/d)."""
    d = x.shape[-1]
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :d // 2], x[..., d // 2:])
    theta = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = (offset + torch.arange(x.shape[-2], dtype=torch.float64))[:, None] * theta
    turned = factor * torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
    pairs = torch.stack([turned.real, turned.imag], -1 if interleaved else -2)
    return pairs.flatten(-2)


def yarn_factor(s):
    return 0.1 * math.log(s) + 1


def rope_variant(name, about, interleaved, scaling=None, **settings):
    @variant("rope-" + name, about)
    def make(source):
        x, d_y = source.normal(5, 6), source.normal(5, 6)
        x, = with_gradient(x)
        if scaling:
            settings["factor"] = yarn_factor(scaling)
        y = rotated(x, interleaved, **settings)
        y.backward(d_y)
        return {"interleaved": float(interleaved), **({"scaling": scaling} if scaling else {}), **settings, "X": x,
                "dOutput": d_y, "output": y, "dX": x.grad}


rope_variant("interleaved", "RoPE, pairs (2t, 2t + 1)", True)
rope_variant("half-split", "RoPE, pairs (t, t + d/2)", False)
rope_variant("interleaved-moved", "RoPE, pairs (2t, 2t + 1), with offset, base, and YaRN's factor for 8 times the context",
             True, scaling=8.0, base=500.0, offset=1234)
rope_variant("half-split-moved", "RoPE, pairs (t, t + d/2), with offset, base, and YaRN's factor for 4 times the context",
             False, scaling=4.0, base=1e6, offset=-3)


def alibi_slopes(h):
    """2^(−8k/h), k = 1 … h, if h is a power of 2; else those of the power below, and every second one of the power above."""
    if h & (h - 1) == 0:
        return [2 ** (-8 * k / h) for k in range(1, h + 1)]
    below = 1 << (h.bit_length() - 1)
    return alibi_slopes(below) + alibi_slopes(2 * below)[::2][:h - below]


@variant("alibi", "slopes of 1 to 20 heads; the bias of head 4 of 6; attention with it, causal")
def alibi(source):
    slopes = {"slopes%d" % h: torch.tensor(alibi_slopes(h), dtype=torch.float64) for h in range(1, 21)}
    require_equal("slopes of 8", slopes["slopes8"], torch.tensor([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256],
                                                                 dtype=torch.float64))
    distance = torch.arange(5)[:, None] + 7 - 5 - torch.arange(7)[None, :]
    bias = -slopes["slopes6"][4] * distance.abs()
    q, k, v = source.normal(5, 4), source.normal(7, 4), source.normal(7, 6)
    output = attend(q, k, v, 2.0, bias=bias, causal=True)[5]
    return {**slopes, "bias": bias, "Q": q, "K": k, "V": v, "output": output}


@variant("chain", "Q and K normalised (RMS, gains), rotated (half-split, queries behind a cache of 2), then capped causal attention")
def chain(source):
    q, k, v, d_output = source.normal(5, 4), source.normal(7, 4), source.normal(7, 6), source.normal(5, 6)
    q, k, v, q_gain, k_gain = with_gradient(q, k, v, source.normal(4) + 1, source.normal(4) + 1)
    q_in = rotated(normalised(q, q_gain, "rms", 1e-6), False, offset=2)
    k_in = rotated(normalised(k, k_gain, "rms", 1e-6), False)
    output = attend(q_in, k_in, v, 2.0, cap=5.0, causal=True)[5]
    output.backward(d_output)
    return {"Q": q, "K": k, "V": v, "qGain": q_gain, "kGain": k_gain, "dOutput": d_output, "output": output,
            "dQ": q.grad, "dK": k.grad, "dV": v.grad, "dQGain": q_gain.grad, "dKGain": k_gain.grad}


# ---- softmax

@variant("softmax", "row by row: small logits, large ones, equal ones, one masked; then the Jacobian of row 0 and its product with v")
def softmax(source):
    logits = torch.stack([source.normal(6, scale=2), source.normal(6, scale=300), torch.full((6,), 1.25, dtype=torch.float64),
                          source.normal(6)])
    logits[3, 2] = -math.inf
    v = source.normal(6)
    out = {"logits": logits, "weights": torch.softmax(logits, -1), "logWeights": torch.log_softmax(logits, -1),
           "logSumExp": torch.logsumexp(logits, -1), "temperatures": torch.tensor([0.1, 0.7, 3.0], dtype=torch.float64)}
    for t, temperature in enumerate(out["temperatures"]):
        out["weightsAt%d" % t] = torch.softmax(logits / temperature, -1)

    def one(x):
        return torch.softmax(x, -1)

    jacobian = torch.autograd.functional.jacobian(one, logits[0])
    weights, product = torch.autograd.functional.jvp(one, logits[0], v)
    entropy = torch.distributions.Categorical(probs=weights).entropy()
    return {**out, "jacobian": jacobian, "v": v, "jacobianTimes": product, "jacobianNorm": torch.linalg.matrix_norm(jacobian),
            "entropy": entropy}


# ---- 16-bit numbers

def near(numbers):
    """Each number with its neighbours among the floats, and the negatives of all."""
    x = torch.tensor(numbers, dtype=torch.float32)
    up, down = (torch.nextafter(x, torch.tensor(limit)) for limit in (math.inf, -math.inf))
    return torch.stack([down, x, up, -down, -x, -up]).double()


@variant("half", "rounding of floats to float16 and bfloat16: ties, subnormals, the largest, beyond it, ±0, ±∞, NaN. The floats "
                 "are exact in x, so PyTorch rounds once")
def half(source):
    fixed = near([
        0.1, 1 / 3, 1.0, 1 + 2**-11, 1 + 3 * 2**-11, 2049.0, 2051.0,  # 11 bits: ties to even
        65504.0, 65519.0, 65520.0, 65536.0,  # the largest float16, and the tie with ∞ above it
        2**-14, 2**-24, 2**-25, 3 * 2**-25, 2**-26, 1023.5 * 2**-24,  # subnormal float16
        1 + 2**-8, 1 + 3 * 2**-8, 257.0, 259.0,  # 8 bits: ties to even
        3.3895313892515355e38, 3.3961775292304957e38,  # the largest bfloat16, and the tie with ∞ above it
        2.0**-126, 2.0**-133, 2.0**-134, 3 * 2.0**-134])  # subnormal bfloat16
    special = torch.tensor([[0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45]], dtype=torch.float32).double()
    scales = 10.0 ** torch.arange(-8, 8, dtype=torch.float64)
    x = torch.cat([fixed.T, special, (torch.randn(16, 6, generator=source.generator, dtype=torch.float64)
                                      * scales[:, None]).float().double()])
    return {"x": x, "float16": x.half().double(), "bfloat16": x.bfloat16().double()}


@variant("half-of-doubles", "rounding of doubles to float16 in one step, by NumPy; by way of a float most of them would round twice")
def half_of_doubles(source):
    import numpy
    ties = [1 + 2**-11, 1 + 3 * 2**-11, 2049.0, 2**-25, 3 * 2**-25, 65520.0]
    x = numpy.array([[s * t * (1 + e) for e in (0, 2**-40, -2**-40, 2**-52, -2**-53)] for t in ties for s in (1, -1)])
    with numpy.errstate(over="ignore"):
        return {"x": torch.from_numpy(x), "float16": torch.from_numpy(x.astype(numpy.float16).astype(numpy.float64))}


# ---- optimisers

def optimiser_variant(name, about, make_optimiser, shape=(4, 3), steps=3, **settings):
    """Parameters W0, then a gradient G1 and the parameters W1 after its step, and so on."""
    @variant("optimiser-" + name, about)
    def make(source):
        w = torch.nn.Parameter(source.normal(*shape))
        out = {**settings, "W0": w.detach().clone()}
        optimiser = make_optimiser([w], settings)
        for step in range(1, steps + 1):
            w.grad = out["G%d" % step] = source.normal(*shape)
            # PyTorch's Muon rounds to bfloat16 on the way, to be fast. Not here: the library's has no such rounding.
            with mock.patch.object(torch, "bfloat16", torch.float64):
                optimiser.step()
            out["W%d" % step] = w.detach().clone()
        return out


optimiser_variant("sgd", "gradient descent", lambda w, s: torch.optim.SGD(w, s["lr"]), lr=0.1)
optimiser_variant("sgd-momentum", "gradient descent with momentum: m ← μ m + g, w ← w − lr m",
                  lambda w, s: torch.optim.SGD(w, s["lr"], momentum=s["momentum"]), lr=0.1, momentum=0.9)
optimiser_variant("adam", "Adam",
                  lambda w, s: torch.optim.Adam(w, s["lr"], betas=(s["beta1"], s["beta2"]), eps=s["epsilon"]),
                  lr=0.01, beta1=0.9, beta2=0.999, epsilon=1e-8)
for shape in ((4, 3), (3, 5), (4,)):
    optimiser_variant("adafactor-" + "x".join(map(str, shape)),
                      "Adafactor, factored for matrices, with update clipping at 1 and steps relative to the parameters: "
                      "β₂ at step t is 1 − t^−0.8, the step min(lr, 1/√t) · max(ε₂, rms w)",
                      lambda w, s: torch.optim.Adafactor(w, s["lr"], beta2_decay=-0.8, eps=(1e-30, 1e-3), d=1.0, weight_decay=0),
                      shape=shape, lr=0.05)
for shape in ((6, 3), (3, 5), (1, 4), (1, 1)):
    optimiser_variant("muon-%dx%d" % shape,
                      "Muon with Nesterov momentum 0.95 and 5 Newton–Schulz steps; lr is multiplied by 0.2 √max(rows, columns)",
                      lambda w, s: torch.optim.Muon(w, s["lr"], weight_decay=0, momentum=0.95, nesterov=True,
                                                    adjust_lr_fn="match_rms_adamw"),
                      shape=shape, lr=0.02)


# ---- the trained model

def model_variant(name, about, divisor=math.sqrt(3), cap=None, qk_norm=False, learned=False):
    """Loss and gradients of one head with embeddings before it and an output layer behind it. Tokens are pairs of symbols."""
    @variant("model-" + name, about)
    def make(source):
        batch, n_q, n_k, symbols, classes, d, d_k = 2, 3, 5, 7, 4, 6, 3
        shapes = {"E": (symbols, d), "W_q": (d, d_k), "W_k": (d, d_k), "W_v": (d, d), "W_o": (d, classes), "b": (1, classes),
                  **({"g_q": (1, d_k), "g_k": (1, d_k)} if qk_norm else {})}
        p = {key: source.normal(*shape).requires_grad_() for key, shape in shapes.items()}
        if learned:
            p["log_tau"] = torch.full((1, 1), round(math.log(divisor), 3), dtype=torch.float64).requires_grad_()
        tokens = {key: torch.randint(symbols, (batch, n, 2), generator=source.generator) for key, n in (("keys", n_k), ("queries", n_q))}
        labels = torch.randint(classes, (batch, n_q), generator=source.generator)
        x_q, x_k = (torch.nn.functional.embedding(tokens[key], p["E"]).sum(-2) for key in ("queries", "keys"))
        q, k, v = x_q @ p["W_q"], x_k @ p["W_k"], x_k @ p["W_v"]
        if qk_norm:
            q, k = (normalised(x, p[gain], "rms", 1e-6) for x, gain in ((q, "g_q"), (k, "g_k")))
        output = attend(q, k, v, p["log_tau"].exp() if learned else divisor, cap=cap)[5]
        z = output @ p["W_o"] + p["b"]
        loss = torch.nn.functional.cross_entropy(z.flatten(0, 1), labels.flatten())
        loss.backward()
        return {"divisor": divisor, **({"cap": cap} if cap else {}), **{key: t.flatten(1) for key, t in tokens.items()},
                "labels": labels, **p, "loss": loss, **{"d" + key: value.grad for key, value in p.items()}}


model_variant("plain", "x = E[a] + E[b], attention of queries to keys divided by √d_k, output layer, cross-entropy")
model_variant("cap", "model-plain with a cap of 1.5 on the logits", cap=1.5)
model_variant("qk-norm", "model-plain with RMS-normalised queries and keys, gains, divisor 1", divisor=1.0, qk_norm=True)
model_variant("learned", "model-plain with a learned divisor e^log_tau", learned=True)
model_variant("all", "model-plain with QK-norm, a learned divisor and a cap", cap=1.5, qk_norm=True, learned=True)


# ---- the command

def compute(name):
    """The text of a file, computed anew."""
    about, make = MADE[name]
    return text_of(about, {key: rows_of(value) for key, value in make(Source(name)).items()})


def check_versions():
    for package, version in (("torch", torch.__version__), ("numpy", sys.modules["numpy"].__version__)):
        if version.split("+")[0] != pinned(package):
            raise Unequal("%s is %s, but %s pins %s" % (package, version, PINS.name, pinned(package)))


def main():
    parser = argparse.ArgumentParser(prog="make golden", description="Computes the golden data, and compares or writes it.")
    parser.add_argument("--write", action="store_true", help="write the files instead of comparing")
    options = parser.parse_args()
    check_versions()
    computed = {name: compute(name) for name in sorted(MADE)}
    kept = {file.name: file.read_text(encoding="utf-8") for file in FILES.glob("*.txt")}
    if options.write:
        FILES.mkdir(parents=True, exist_ok=True)
        for name in kept.keys() - computed.keys():
            (FILES / name).unlink()
        changed = [name for name, text in computed.items() if kept.get(name) != text]
        for name in changed:
            (FILES / name).write_text(computed[name], encoding="utf-8")
        print("Golden data: %d files, written anew: %s" % (len(computed), ", ".join(changed) or "none"))
        return
    if kept.keys() != computed.keys():
        raise Unequal("the folder and this script differ in %s: make golden ARGS=--write"
                      % ", ".join(sorted(kept.keys() ^ computed.keys())))
    differences = {name: compare(name, kept[name], computed[name]) for name in computed}
    worst = max(differences, key=differences.get)
    print("Golden data: %d files computed anew; the largest difference is %.2g, in %s"
          % (len(computed), differences[worst], worst))
    if differences[worst] > TOLERANCE:
        raise Unequal("more than %g in %s" % (TOLERANCE, ", ".join(n for n in differences if differences[n] > TOLERANCE)))


if __name__ == "__main__":
    import numpy  # noqa: F401: the version that half_of_doubles runs on
    import torch
    torch.set_num_threads(1)
    try:
        main()
    except Unequal as problem:
        sys.exit("Golden data: %s" % problem)
