"""What the program grades in assignment 2: variance, its error bar, the exponent, the general formula."""
import statistics

from classroom.tasks import Part, block, call, java, normal, normal_matrix


def covariance(rng, d):
    """A random symmetric matrix L Lᵀ, which is a covariance matrix."""
    l = normal_matrix(rng, d, d, digits=2)
    return [[sum(a * b for a, b in zip(row, other)) for other in l] for row in l]


HINT = "Are q and k fresh in each draw, independent, with standard normal components, and is nothing divided?"


def standard_error(d_k, n):
    """Of a measured variance of q·k, whose kurtosis is 3 + 6/d_k."""
    return d_k * ((2 + 6 / d_k) / n) ** 0.5


def measured(points, d_k, n):
    """One seed: within five standard errors of d_k."""
    return Part(points, "d_k = %d, %d draws" % (d_k, n), "scoreVariance(%dL, %d, %d)" % (d_k, d_k, n), HINT,
                accept=lambda value, expected: abs(value - d_k) < 5 * standard_error(d_k, n))


def scattered(rng, points, d_k, n):
    """Many seeds: their mean within five standard errors, and they scatter as measurements do, which no formula with a little of the seed does.

    Of twelve right ones the deviation is below 0.2 standard errors, or above 3, less often than once in a million classes' students."""
    seeds = rng.sample(range(3, 10**6), 12)

    def accept(values, expected):
        off = [(value - d_k) / standard_error(d_k, n) for value in values]
        return len(off) == len(seeds) and abs(statistics.mean(off)) < 5 / len(off) ** 0.5 and 0.2 < statistics.stdev(off) < 3
    return Part(points, "d_k = %d, %d draws, twelve seeds" % (d_k, n),
                "new double[] {%s}" % ", ".join("scoreVariance(%dL, %d, %d)" % (seed, d_k, n) for seed in seeds), HINT, hidden=True, accept=accept)


def tasks(rng):
    eighths = [1e9 + rng.randint(-800, 800) / 8 for _ in range(9)]
    shifted = [5.0 + x for x in normal(rng, 12, 2)]
    sizes = [2.0, 4.0, 16.0, 64.0]
    power = round(rng.uniform(-3, 3), 3)
    return {
        "meanAndVariance-check": [
            Part(0.5, "1, 2, 3, 4", call("meanAndVariance", [1.0, 2.0, 3.0, 4.0]), "By which number is the sum of squares divided?"),
            Part(0.5, "a thousand million and a little", call("meanAndVariance", [1e9, 1e9 + 1, 1e9 + 2]), "What is left if two numbers of size 3e18 are subtracted?"),
            Part(1, "random numbers", call("meanAndVariance", normal(rng, 17, 3)), "By which number is the sum of squares divided?", hidden=True),
            Part(0.5, "two numbers", call("meanAndVariance", normal(rng, 2, 10)), "By which number is the sum of squares divided?", hidden=True),
            Part(1, "a large mean", call("meanAndVariance", eighths), "What is left if two numbers of size 1e18 are subtracted?", hidden=True),
            Part(0.5, "equal numbers", call("meanAndVariance", [round(rng.gauss(0, 100), 1)] * 7), "Equal numbers have the variance 0.", hidden=True),
        ],
        "logits-check": [
            Part(0.5, "one pair, d_k = 4", call("logits", [[1.0, 2.0, 3.0, 4.0]], [[1.0, -1.0, 1.0, 1.0]]), "What is the dot product, and what is it divided by?"),
            Part(0.5, "two pairs, d_k = 1", call("logits", [[2.0], [-1.0]], [[5.0], [3.0]]), "One number for each pair of rows."),
            Part(1, "five pairs, d_k = 3", call("logits", normal_matrix(rng, 5, 3), normal_matrix(rng, 5, 3)), "Row i of Q belongs to row i of K, and to no other.", hidden=True),
            Part(1, "three pairs, d_k = 48", call("logits", normal_matrix(rng, 3, 48), normal_matrix(rng, 3, 48)), "Which size is under the root?", hidden=True),
            Part(1, "asked twice", block("double[][] Q = %s, K = %s; logits(Q, K); return logits(Q, K);" % (java(normal_matrix(rng, 2, 6)), java(normal_matrix(rng, 2, 6)))),
                 "If all else is right: does the first call leave Q and K as they were?", hidden=True),
        ],
        "scoreVariance-check": [
            measured(0.5, 16, 10000),
            measured(0.5, 3, 20000),
            scattered(rng, 0.75, 4, 3000),
            scattered(rng, 0.75, 64, 1500),
            scattered(rng, 0.5, 2, 5000),
            Part(0.5, "two seeds, two numbers", "new double[] {scoreVariance(1, 8, 2000), scoreVariance(2, 8, 2000)}", "Does the seed reach the generator?",
                 accept=lambda value, expected: value[0] != value[1] and all(4 < v < 12 for v in value)),
            Part(0.5, "one seed, one number", "new double[] {%s}" % ", ".join(["scoreVariance(%dL, 8, 3000)" % rng.randint(3, 10**6)] * 2),
                 "Is there any source of chance besides new Random(seed)?", hidden=True,
                 accept=lambda value, expected: value[0] == value[1] and 4 < value[0] < 12 and value[0] != 8),
        ],
        "varianceError-check": [
            Part(0.5, "0, 0, 0, 4", call("varianceError", [0.0, 0.0, 0.0, 4.0]), "Compute both moments by hand: their deviations are -1, -1, -1 and 3."),
            Part(0.5, "1, -1, 1, -1", call("varianceError", [1.0, -1.0, 1.0, -1.0]), "All deviations have the same size here."),
            Part(1, "numbers with a mean", call("varianceError", shifted), "Both moments are central: deviations from the mean.", hidden=True),
            Part(1, "heavy tails", call("varianceError", [round(x ** 3, 4) for x in normal(rng, 25)]), "Such numbers are not normal, so 2/n will not do.", hidden=True),
        ],
        "exponent-check": [
            Part(0.5, "y = 5/x²", call("exponent", [1.0, 2.0, 10.0], [5.0, 1.25, 0.05]), "Take logarithms on both axes."),
            Part(0.5, "y = 1, 2, 4 at x = 1, 4, 16", call("exponent", [1.0, 4.0, 16.0], [1.0, 2.0, 4.0]), "Which of the two is the fitted one?"),
            Part(0.5, "an exact power", call("exponent", sizes, [7 * x ** power for x in sizes]), "The line need not go through the origin.", hidden=True),
            Part(0.5, "points off the line", call("exponent", [3.0, 5.0, 11.0, 40.0, 41.0], [round(rng.uniform(1, 50), 2) for _ in range(5)]),
                 "Use all points, not the first and last.", hidden=True),
        ],
        "generalVariance-check": [
            Part(0.5, "white, means 0", call("generalVariance", [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0]), "What is the trace of the identity?"),
            Part(0.5, "white, one mean", call("generalVariance", [[1.0, 0.0], [0.0, 1.0]], [3.0, 4.0], [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0]), "The squared length of the mean is added."),
            Part(1, "covariances, no means", call("generalVariance", covariance(rng, 3), [0.0] * 3, covariance(rng, 3), [0.0] * 3),
                 "The trace is of the product, not the product of traces.", hidden=True, relative=True),
            Part(1, "covariances and means", call("generalVariance", covariance(rng, 4), normal(rng, 4), covariance(rng, 4), normal(rng, 4)),
                 "Which mean meets which covariance?", hidden=True, relative=True),
        ],
    }
