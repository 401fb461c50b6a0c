"""What the program grades in assignment 1: logits, softmax, attention, entropy."""
from classroom.tasks import Part, block, call, java, normal, normal_matrix

LN2, LN3, LN5 = 0.6931471805599453, 1.0986122886681098, 1.6094379124341003
MINUS_INFINITY = float("-inf")
PAPER_Q = [[1.0, 0.5, -0.5, 1.0]]
PAPER_K = [[0.5, 1.0, 0.0, -1.0], [1.0, 0.5, 0.5, 0.0], [-1.0, 0.0, 1.0, 0.5]]
PAPER_V = [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]


def twice(method, *matrices):
    """The second answer to the same question: another one if the first call has changed its arguments."""
    names = "QKV"[:len(matrices)]
    given = " ".join("double[][] %s = %s;" % (name, java(m, "double[][]")) for name, m in zip(names, matrices))
    asked = "%s(%s)" % (method, ", ".join(names))
    return block("%s %s; return %s;" % (given, asked, asked))


def around(rng, x):
    return [round(x + rng.random(), 3)]


def weights(rng, n):
    """Random weights: positive, with the sum 1 up to rounding."""
    raw = [rng.random() + 0.01 for _ in range(n)]
    return [x / sum(raw) for x in raw]


def tasks(rng):
    return {
        "logits-check": [
            Part(0.5, "the worked example", call("logits", PAPER_Q, PAPER_K), "Compare your three numbers with section 1.2 of chapter 1."),
            Part(0.5, "one component, two queries", call("logits", [[3.0], [-2.0]], [[2.0]]), "Which loop runs over the queries, which over the keys?"),
            Part(1, "more keys than queries", call("logits", normal_matrix(rng, 2, 5), normal_matrix(rng, 6, 5)),
                 "Try sizes that all differ: queries, keys and components.", hidden=True),
            Part(1, "more queries than keys", call("logits", normal_matrix(rng, 7, 3), normal_matrix(rng, 2, 3)),
                 "Try sizes that all differ: queries, keys and components.", hidden=True),
            Part(0.5, "large numbers", call("logits", normal_matrix(rng, 2, 8, 1000), normal_matrix(rng, 3, 8)), "How many digits do your sums keep?", hidden=True),
            Part(0.5, "asked twice", twice("logits", normal_matrix(rng, 2, 6), normal_matrix(rng, 3, 6)), "If all else is right: does the first call leave Q and K as they were?", hidden=True),
        ],
        "softmax-check": [
            Part(0.5, "weights 1/8, 2/8, 5/8", call("softmax", [0.0, LN2, LN5]), "What is the sum of the three exponentials?"),
            Part(0.5, "equal and large", call("softmax", [1000.0, 1000.0]), "What does Math.exp(1000) give?"),
            Part(0.5, "one key", call("softmax", [-7.0]), "A single key gets everything."),
            Part(0.5, "nine logits", call("softmax", normal(rng, 9, 2)), "Try other lengths than three.", hidden=True),
            Part(1, "logits around 1000 and around -1000",
                 block("return new double[][] {softmax(%s), softmax(%s)};" % (java([1000 + x for x in normal(rng, 5, 3)]), java([-1000 + x for x in normal(rng, 4, 3)]))),
                 "Which number makes the largest exponent 0, also when all logits are negative?", hidden=True),
            Part(0.5, "a spread of 1000", call("softmax", around(rng, -1000) + normal(rng, 3, 300) + around(rng, 900) + around(rng, -900)), "The right weights may be 0 or 1 to all digits, but never NaN.", hidden=True),
            Part(0.5, "equal logits", call("softmax", [round(rng.gauss(0, 50), 2)] * 11), "Equal logits have equal weights.", hidden=True),
            Part(0.5, "a logit of minus infinity", call("softmax", normal(rng, 3) + [MINUS_INFINITY] + normal(rng, 2)), "What is the weight of a logit of minus infinity?", hidden=True),
            Part(0.5, "asked twice", block("double[] s = %s; softmax(s); return softmax(s);" % java(normal(rng, 5, 2))), "If all else is right: does the first call leave s as it was?", hidden=True),
        ],
        "weights-check": [
            Part(0.5, "two queries, two keys", call("weights", [[0.0, LN3], [LN3, LN3]]), "Whose weights have the sum 1: a query's or a key's?"),
            Part(0.5, "four equal logits", call("weights", [[0.0, 0.0, 0.0, 0.0]]), "Whose weights have the sum 1: a query's or a key's?"),
            Part(0.5, "two queries, five keys", call("weights", normal_matrix(rng, 2, 5, 2)), "The shape stays: one row for each query.", hidden=True),
            Part(0.5, "five queries, two keys", call("weights", normal_matrix(rng, 5, 2, 2)), "The shape stays: one row for each query.", hidden=True),
        ],
        "output-check": [
            Part(0.5, "one query", call("output", [[0.5, 0.25, 0.25]], PAPER_V), "Add up weight times value, component by component."),
            Part(0.5, "one key has it all", call("output", [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], PAPER_V), "If one weight is 1, the output is that key's value."),
            Part(1, "two queries, three keys, five components", call("output", [weights(rng, 3), weights(rng, 3)], normal_matrix(rng, 3, 5)),
                 "Which size does a row of the output have?", hidden=True),
            Part(1, "four queries, five keys, one component", call("output", [weights(rng, 5) for _ in range(4)], normal_matrix(rng, 5, 1, 100)),
                 "Which size does a row of the output have?", hidden=True),
        ],
        "attention-check": [
            Part(0.5, "the worked example", call("attention", PAPER_Q, PAPER_K, PAPER_V), "Compare with section 1.3 of chapter 1."),
            Part(0.5, "two equal keys", call("attention", [[5.0, -1.0]], [[2.0, 3.0], [2.0, 3.0]], [[8.0], [4.0]]), "Equal keys have equal weights."),
            Part(1, "sizes that all differ", call("attention", normal_matrix(rng, 3, 5), normal_matrix(rng, 4, 5), normal_matrix(rng, 4, 2)),
                 "Does each of your four steps take its size from the right array?", hidden=True),
            Part(0.5, "very large logits", call("attention", normal_matrix(rng, 2, 3, 100), normal_matrix(rng, 5, 3, 100), normal_matrix(rng, 5, 3)),
                 "Is your softmax safe for logits of thousands?", hidden=True),
            Part(0.5, "asked twice", twice("attention", normal_matrix(rng, 2, 7), normal_matrix(rng, 3, 7), normal_matrix(rng, 3, 2)),
                 "If all else is right: does the first call leave Q, K and V as they were?", hidden=True),
        ],
        "entropy-check": [
            Part(0.5, "four equal weights", call("entropy", [0.25] * 4), "Which logarithm is it, and which sign?"),
            Part(0.5, "one key has it all", call("entropy", [0.0, 1.0, 0.0]), "What does 0 times the logarithm of 0 give in Java?"),
            Part(1, "random weights", call("entropy", weights(rng, 13)), "Which logarithm is it, and which sign?", hidden=True),
            Part(1, "some weights are 0", call("entropy", [0.0] + weights(rng, 4) + [0.0]), "What does 0 times the logarithm of 0 give in Java?", hidden=True),
        ],
    }
