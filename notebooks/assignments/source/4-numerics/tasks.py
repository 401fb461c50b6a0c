"""What the program grades in assignment 4: log-sum-exp, streams, masks."""
from classroom.tasks import Part, block, call, java, normal, normal_matrix

INFINITY = float("inf")
NAN = float("nan")
LN2, LN3, LN4, LN5 = 0.6931471805599453, 1.0986122886681098, 1.3862943611198906, 1.6094379124341003
EMPTY = [-INFINITY, 0.0]


def stream(logits):
    return block("double[] state = {-1.0 / 0.0, 0}; for (double s : %s) state = add(state, s); return state;" % java(logits))


def masked(logits, visible):
    return call("maskedSoftmax", logits, visible)


def rising_and_falling(rng):
    """Logits of about -2400, 800, 6500, 1600 and -4000, in this order."""
    q = [round(x + rng.random(), 3) for x in (30, -20, 10)]
    return call("attend", q, [[round(f * x, 3) for x in q] for f in (-3, 1, 8, 2, -5)], normal_matrix(rng, 5, 2))


def tasks(rng):
    mask = [True, False, True, True, False, True, False]
    garbage = [NAN if not m and i == 1 else INFINITY if not m and i == 4 else 1e308 if not m else round(rng.gauss(0, 2), 3) for i, m in enumerate(mask)]
    return {
        "logSumExp-check": [
            Part(0.5, "1 + 2 + 5", call("logSumExp", [0.0, LN2, LN5]), "What is under the logarithm?"),
            Part(0.5, "equal and large", call("logSumExp", [1000.0, 1000.0]), "What does Math.exp(1000) give?"),
            Part(0.5, "nothing but minus infinity", call("logSumExp", [-INFINITY, -INFINITY]), "What is minus infinity less minus infinity?"),
            Part(0.5, "random logits", call("logSumExp", normal(rng, 9, 3) + [-INFINITY]), "Try other lengths.", hidden=True),
            Part(0.5, "a spread of 1000, and all about -2000", block("return new double[] {logSumExp(%s), logSumExp(%s)};"
                 % (java(normal(rng, 6, 1000)), java([-2000 + x for x in normal(rng, 5)]))), "Which number makes the largest exponent 0?", hidden=True),
            Part(0.5, "no logits, one logit", block("return new double[] {logSumExp(new double[0]), logSumExp(new double[] {%r})};" % round(rng.gauss(0, 1000), 2)),
                 "An empty sum is 0.", hidden=True),
        ],
        "add-check": [
            Part(0.5, "the first logit", call("add", EMPTY, 3.0), "Which term is 1 as soon as there is a logit?"),
            Part(0.5, "a larger logit", call("add", [3.0, 1.0], 3 + LN4), "The old sum was made with the old maximum."),
            Part(0.5, "a smaller logit", call("add", [3.0, 1.0], 3 - LN4), "The maximum stays."),
            Part(0.5, "minus infinity at the beginning", call("add", EMPTY, -INFINITY), "What is minus infinity less minus infinity?"),
            Part(0.5, "a stream of twenty", stream(normal(rng, 20, 3)), "Try streams that rise and fall.", hidden=True),
            Part(0.5, "a stream with jumps of thousands", stream(normal(rng, 8, 2000)), "Does any exponent get above 0?", hidden=True),
            Part(0.5, "minus infinities in between", stream([-INFINITY] + normal(rng, 3) + [-INFINITY] + normal(rng, 2)), "Minus infinity leaves a state as it is.", hidden=True),
            Part(0.5, "the old state stays", block("double[] old = {%r, 2.5}; double[] one = add(old, %r); return new double[][] {one, old, add(old, -1e4)};"
                 % (round(rng.gauss(0, 1), 3), round(3 + rng.random(), 3))), "Give a new array.", hidden=True),
        ],
        "merge-check": [
            Part(0.5, "two states", call("merge", [0.0, 1.0], [LN2, 3.0]), "Bring both sums to the same maximum."),
            Part(0.5, "one half is empty", call("merge", [5.0, 2.0], EMPTY), "An empty half adds nothing."),
            Part(0.5, "random states, both ways", block("double[] a = {%r, %r}, b = {%r, %r}; return new double[][] {merge(a, b), merge(b, a), a, b};"
                 % tuple(round(x, 3) for x in (rng.gauss(0, 2), 1 + 3 * rng.random(), rng.gauss(0, 2), 1 + 3 * rng.random()))),
                 "It must not matter which half is the first.", hidden=True),
            Part(0.5, "thousands apart", block("return new double[][] {merge(new double[] {%d, 1.5}, new double[] {%d, 2}), merge(new double[] {-2000, 2}, new double[] {-2001, 1})};"
                 % (rng.randint(1000, 3000), -rng.randint(1000, 3000))), "Does any exponent get above 0?", hidden=True),
            Part(1, "two empty halves, and one in front", block("double[] none = {-1.0 / 0.0, 0}; return new double[][] {merge(none, none), merge(none, new double[] {%r, 1.25})};"
                 % round(rng.gauss(0, 5), 2)), "What is minus infinity less minus infinity?", hidden=True),
        ],
        "maskedSoftmax-check": [
            Part(0.5, "the second key masked", masked([0.0, 9.0, LN3], [True, False, True]), "Those who are left share the 1."),
            Part(0.5, "NaN behind the mask", masked([1.0, NAN], [True, False]), "Do not compute with what is masked."),
            Part(0.5, "everything masked", masked([1.0, 2.0], [False, False]), "What is 0 divided by 0?"),
            Part(0.5, "nothing masked", masked(normal(rng, 6, 2), [True] * 6), "Then it is a plain softmax.", hidden=True),
            Part(0.5, "garbage behind the mask", masked(garbage, mask), "Neither NaN nor infinity may come through the mask.", hidden=True),
            Part(0.5, "large logits", block("return new double[][] {maskedSoftmax(%s, %s), maskedSoftmax(%s, %s)};"
                 % (java([1000 + x for x in normal(rng, 4)]), java([True, True, False, True]), java([-1000 + x for x in normal(rng, 4)]), java([True, False, True, True]))),
                 "Which number makes the largest visible exponent 0?", hidden=True),
            Part(0.5, "the largest is masked", masked([900.0] + normal(rng, 3) + [round(2000 + rng.random(), 3)], [False, True, True, True, False]), "The maximum of whom?", hidden=True),
            Part(0.5, "garbage, and everything masked", masked([NAN, INFINITY, -INFINITY], [False] * 3), "What is 0 divided by 0?", hidden=True),
        ],
        "attend-check": [
            Part(0.5, "the worked example", call("attend", [1.0, 0.5, -0.5, 1.0], [[0.5, 1.0, 0.0, -1.0], [1.0, 0.5, 0.5, 0.0], [-1.0, 0.0, 1.0, 0.5]],
                                                 [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]), "Sections 1.2 and 1.3 of chapter 1."),
            Part(0.5, "logits 3000 and -3000", call("attend", [3000.0], [[1.0], [-1.0]], [[7.0], [8.0]]), "Does any exponent get above 0?"),
            Part(1, "seven keys, d_k = 5, d_v = 3", call("attend", normal(rng, 5), normal_matrix(rng, 7, 5), normal_matrix(rng, 7, 3)),
                 "Is the output repaired by the same factor as the sum?", hidden=True),
            Part(0.5, "one key", call("attend", normal(rng, 3), normal_matrix(rng, 1, 3), normal_matrix(rng, 1, 4)), "A single key gets everything.", hidden=True),
            Part(0.5, "logits in the thousands, rising and falling", rising_and_falling(rng),
                 "Does any exponent get above 0?", hidden=True),
            Part(0.5, "all logits far below 0", call("attend", [1000.0, 1000.0], [[-1.0, round(-1 - rng.random() / 1000, 6)], [-1.0, round(-1 - rng.random() / 1000, 6)]], [[1.0], [2.0]]),
                 "Where does the maximum start?", hidden=True),
            Part(0.5, "asked twice", block("double[] q = %s; double[][] K = %s, V = %s; attend(q, K, V); return attend(q, K, V);"
                 % (java(normal(rng, 6)), java(normal_matrix(rng, 3, 6)), java(normal_matrix(rng, 3, 2)))), "If all else is right: does the first call leave q, K and V as they were?", hidden=True),
        ],
        "causalBias-check": [
            Part(0.5, "two and two", call("causalBias", 2, 2), "A query sees itself."),
            Part(0.5, "one query, three keys", call("causalBias", 1, 3), "The last query stands at the last key."),
            Part(0.5, "fewer queries than keys", call("causalBias", rng.randint(2, 4), rng.randint(5, 8)), "The last query stands at the last key.", hidden=True),
            Part(0.5, "more queries than keys", call("causalBias", rng.randint(5, 7), rng.randint(2, 3)), "Some queries see nothing.", hidden=True),
        ],
    }
