"""What the program grades in assignment 5: RoPE, ALiBi, a test that can fail, and three patients."""
from classroom.tasks import Part, block, call, java, normal, normal_matrix, raw

HEALTHY = "dividingBy(d -> Math.sqrt(d))"


def says(*heads):
    """What isHealthy says of these heads, as an array."""
    return "new boolean[] {%s}" % ", ".join("isHealthy(%s)" % head for head in heads)


def tells(rng, *sick):
    """What isHealthy says of the healthy head, and of the sick ones, in an order that nobody knows before."""
    return says(*rng.sample([HEALTHY, *sick], len(sick) + 1))


def divides(divisor):
    return "(Q, K, V) -> { double nQ = Q.length, nK = K.length, dK = Q[0].length, dV = V[0].length; return dividingBy(d -> %s).attend(Q, K, V); }" % divisor


def after(change):
    """A head that changes the numbers o of the healthy head's output."""
    return ("(Q, K, V) -> { double[][] O = dividingBy(d -> Math.sqrt(d)).attend(Q, K, V); "
            "for (double[] row : O) for (int c = 0; c < row.length; c++) { double o = row[c]; row[c] = %s; } return O; }" % change)


def sizes(rng, n_q, n_k, d_k, d_v):
    return normal_matrix(rng, n_q, d_k), normal_matrix(rng, n_k, d_k), normal_matrix(rng, n_k, d_v)


def tasks(rng):
    two_q, three_k = [[2.0, 0.0, 2.0, 0.0], [4.0, 4.0, 0.0, 0.0]], [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]
    c_q, c_k, c_v = sizes(rng, 2, 5, 3, 2)
    again = "double[][] Q = %s, K = %s, V = %s; " % (java(c_q), java(c_k), java(c_v))
    return {
        "rotate-check": [
            Part(0.5, "one pair, position 1", call("rotate", [1.0, 0.0], 1, 10000.0), "The first pair is turned by the angle m itself."),
            Part(0.5, "the second hand is slower", call("rotate", [1.0, 0.0, 0.0, 2.0], 10, 100.0), "Which power of the base belongs to pair 1 of 2?"),
            Part(0.5, "position 0", call("rotate", [3.0, 1.0, 4.0, 1.0, 5.0, 9.0], 0, 10000.0), "At position 0 nothing turns."),
            Part(1, "eight components", call("rotate", normal(rng, 8), rng.randint(2, 50), 10000.0), "Which two components form a pair, and which way do they turn?", hidden=True),
            Part(0.5, "a far position, another base", call("rotate", normal(rng, 6), rng.randint(1000, 3000), 500.0), "Is the base the one that is given?", hidden=True),
            Part(0.5, "a negative position", call("rotate", normal(rng, 4), -rng.randint(1, 20), 10000.0), "Negative angles turn the other way.", hidden=True),
            Part(0.5, "asked twice", block("double[] x = %s; rotate(x, 3, 100); return rotate(x, 3, 100);" % java(normal(rng, 4))), "If all else is right: does the first call leave x as it was?", hidden=True),
        ],
        "slopes-check": [
            Part(0.5, "four heads", call("slopes", 4), "Each slope is the same multiple of the one before."),
            Part(0.5, "three heads", call("slopes", 3), "First the slopes of two heads, then of four heads the 1st."),
            Part(0.5, "eight and sixteen heads", block("return new double[][] {slopes(8), slopes(16)};"), "The last slope is 1/256.", hidden=True),
            Part(1, "no power of two", call("slopes", rng.choice([12, 6, 10, 20])), "Of the slopes of 2p heads every other one is left out.", hidden=True),
            Part(0.5, "one head", call("slopes", 1), "1 is a power of two.", hidden=True),
        ],
        "alibiLogits-check": [
            Part(0.5, "two queries, three keys", call("alibiLogits", two_q, three_k, 0.5), "Where does query 0 stand among three keys?"),
            Part(0.5, "one component", call("alibiLogits", [[3.0]], [[5.0], [7.0]], 10.0), "What is divided, and what is not?"),
            Part(1, "four and four, d_k = 5", call("alibiLogits", normal_matrix(rng, 4, 5), normal_matrix(rng, 4, 5), 0.25), "What is divided, and what is not?", hidden=True),
            Part(1, "two and six, d_k = 3", call("alibiLogits", normal_matrix(rng, 2, 3), normal_matrix(rng, 6, 3), 0.7071), "The last query stands at the last key.", hidden=True),
            Part(1, "slope 0", call("alibiLogits", normal_matrix(rng, 3, 7), normal_matrix(rng, 4, 7), 0.0), "Without a slope they are the causal logits.", hidden=True),
        ],
        "isHealthy-check": [
            Part(0.5, "tells √d_k from 1", says(HEALTHY, "dividingBy(d -> 1)"), "A healthy head is healthy, a sick one is sick: both are asked."),
            Part(0.5, "tells √d_k from d_k", says(HEALTHY, "dividingBy(d -> d)"), "A healthy head is healthy, a sick one is sick: both are asked."),
            Part(0.5, "tells √d_k from √2", tells(rng, divides("Math.sqrt(2)")), "At which d_k are they the same?", hidden=True),
            Part(0.5, "tells √d_k from √d_model", tells(rng, divides("Math.sqrt(8 * dK)")), "With how many keys does no divisor show?", hidden=True),
            Part(1, "tells √d_k from the root of another size", tells(rng, *map(divides, ("Math.sqrt(nK)", "Math.sqrt(nQ)", "Math.sqrt(dV)", "Math.sqrt(nK + nQ)"))),
                 "Which of your sizes are equal?", hidden=True),
            Part(0.5, "NaN is sick", tells(rng, after("0.0 / 0.0")), "What does a comparison with NaN give?", hidden=True),
            Part(0.5, "rounding is healthy", says(*rng.sample([after("o * (1 + 1e-13)"), "dividingBy(d -> 1)"], 2)), "Two right programs may differ in the last digits.", hidden=True),
        ],
        "curedA-check": [
            Part(0.25, "two keys, d_k = 4", call("curedA", raw("new double[][] {{ln3, ln3, ln3, ln3}}"), [[1.0, 1.0, 0.0, 0.0], [0.0] * 4], [[1.0], [0.0]]), "Which size is under the root?"),
            Part(0.25, "many keys", call("curedA", *sizes(rng, 2, 9, 3, 2)), "Which size is under the root?", hidden=True),
            Part(0.25, "few keys", call("curedA", *sizes(rng, 5, 2, 7, 3)), "Which size is under the root?", hidden=True),
            Part(0.25, "one component", call("curedA", *sizes(rng, 2, 6, 1, 4)), "Which size is under the root?", hidden=True),
        ],
        "curedB-check": [
            Part(0.5, "two heads", call("curedB", raw("new double[][] {{ln3, 0, 0, 0, 0, ln3, ln3, 0}}"), [[2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0], [0.0] * 8], [[1.0, 1.0], [0.0, 0.0]], 2),
                 "How many components does one head have?"),
            Part(1.25, "three heads of two", call("curedB", *sizes(rng, 3, 4, 6, 9), 3), "How many components does one head have?", hidden=True),
            Part(0.25, "one head", call("curedB", *sizes(rng, 2, 3, 5, 2), 1), "With one head it is attention as ever.", hidden=True),
        ],
        "curedC-check": [
            Part(0.5, "asked again", block("double[][] Q = {{ln3, ln3, ln3, ln3}}, K = {{1, 1, 0, 0}, {0, 0, 0, 0}}, V = {{1}, {0}}; "
                                           "return new double[][][] {curedC(Q, K, V), curedC(Q, K, V)};"), "What is different when it is called again?"),
            Part(0.5, "sizes that all differ", call("curedC", *sizes(rng, 3, 4, 5, 2)), "The division is still needed.", hidden=True),
            Part(1, "Q, K and V afterwards", block(again + "return new double[][][] {curedC(Q, K, V), Q, K, V};"), "Who owns the array that is changed?", hidden=True),
        ],
    }
