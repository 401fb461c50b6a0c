"""What the program grades in assignment 3: the Jacobian, the way back, and central differences."""
import math

from classroom.tasks import Part, block, call, java, normal, normal_matrix


def softmax(s):
    e = [math.exp(x - max(s)) for x in s]
    return [x / sum(e) for x in e]


def weights(rng, rows, columns, spread=1.0):
    return [softmax(row) for row in normal_matrix(rng, rows, columns, spread)]


LONG = block("int n = 300000; double[] p = new double[n], a = new double[n]; for (int j = 0; j < n; j++) { p[j] = 2.0 * (j + 1) / n / (n + 1.0); "
             "a[j] = Math.sin(j + %d); } double[] x = jacobianTimes(p, a); double sum = 0, of = 0; "
             "for (int j = 0; j < n; j++) { sum += x[j] * ((j * 7919L) %% 1000); of += Math.abs(x[j]); } return new double[] {x.length, x[0], x[n - 1], sum, of};")


def tasks(rng):
    cubic = "X -> { double s = 0; for (double[] row : X) for (double x : row) s += x * x * x; return s + X[0][0] * X[1][0]; }"
    product = "X -> X[0][0] * X[0][0] * X[0][1] - Math.sin(X[1][0])"
    return {
        "jacobian-check": [
            Part(0.5, "two equal weights", call("jacobian", [0.5, 0.5]), "Off the diagonal the other key's weight comes in with a minus."),
            Part(0.5, "a weight of 0", call("jacobian", [0.2, 0.8, 0.0]), "On the diagonal a weight meets what is left of 1."),
            Part(1, "six weights", call("jacobian", weights(rng, 1, 6)[0]), "The sum of each row is 0.", hidden=True),
            Part(0.5, "a saturated row", call("jacobian", weights(rng, 1, 4, 20)[0]), "Small entries have to be right as well: do not round.", hidden=True),
            Part(0.5, "one key", call("jacobian", [1.0]), "A single key has no choice.", hidden=True),
        ],
        "jacobianTimes-check": [
            Part(0.5, "p = (½, ½)", call("jacobianTimes", [0.5, 0.5], [3.0, 1.0]), "What is the average of a under the weights?"),
            Part(0.5, "a is constant", call("jacobianTimes", [0.2, 0.3, 0.5], [7.0, 7.0, 7.0]), "Adding a constant to all logits changes nothing."),
            Part(1, "seven weights", call("jacobianTimes", weights(rng, 1, 7)[0], normal(rng, 7, 3)), "The average is taken under the weights.", hidden=True),
            Part(1, "300,000 weights", LONG % rng.randint(1, 1000), "Without a matrix, and without a loop in a loop.", hidden=True, tolerance=1e-8, relative=True),
        ],
        "gap-check": [
            Part(0.5, "half of two", call("gap", 0.5, 2), "Solve the equation of the text for t."),
            Part(0.5, "0.9 of ten", call("gap", 0.9, 10), "How many times as large as one other must it be?"),
            Part(0.5, "less than its share", call("gap", round(rng.uniform(0.001, 0.01), 4), 50), "A gap may be negative.", hidden=True),
            Part(0.5, "many keys", call("gap", round(rng.uniform(0.6, 0.99), 3), 1_000_000), "How many others are there?", hidden=True),
        ],
        "scoreGradient-check": [
            Part(0.5, "one query, d_k = 4", call("scoreGradient", [[0.5, 0.5]], [[3.0, 1.0]], 4), "Two steps: the softmax, then the division."),
            Part(0.5, "two queries, d_k = 1", call("scoreGradient", [[1.0, 0.0], [0.25, 0.75]], [[5.0, 2.0], [4.0, 0.0]], 1), "Each query has an average of its own."),
            Part(1, "three queries, five keys, d_k = 7", call("scoreGradient", weights(rng, 3, 5), normal_matrix(rng, 3, 5), 7), "What does the division do to a derivative?", hidden=True),
            Part(1, "five queries, two keys, d_k = 64", call("scoreGradient", weights(rng, 5, 2), normal_matrix(rng, 5, 2, 100), 64), "What does the division do to a derivative?", hidden=True),
            Part(1, "asked twice", block("double[][] P = %s, dP = %s; scoreGradient(P, dP, 3); return scoreGradient(P, dP, 3);"
                                         % (java(weights(rng, 2, 3)), java(normal_matrix(rng, 2, 3)))), "If all else is right: does the first call leave P and dP as they were?", hidden=True),
        ],
        "products-check": [
            Part(0.25, "∂L/∂P of the worked example", call("weightGradient", [[1.0, -0.5]], [[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]), "Section 1.4 of chapter 1, step 1."),
            Part(0.25, "∂L/∂V, one query", call("valueGradient", [[0.5, 0.25, 0.25]], [[1.0, -0.5]]), "Section 1.4 of chapter 1, step 1."),
            Part(0.25, "∂L/∂Q, one query", call("queryGradient", [[2.0, -1.0]], [[1.0, 0.0, 3.0], [4.0, 5.0, 6.0]]), "Section 1.4 of chapter 1, step 4."),
            Part(0.25, "∂L/∂K, one query", call("keyGradient", [[2.0, -1.0]], [[1.0, 0.0, 3.0]]), "Section 1.4 of chapter 1, step 4."),
            Part(0.75, "∂L/∂P, sizes that all differ", call("weightGradient", normal_matrix(rng, 2, 3), normal_matrix(rng, 5, 3)), "Check the shape in the table.", hidden=True),
            Part(0.75, "∂L/∂V, sizes that all differ", call("valueGradient", weights(rng, 2, 5), normal_matrix(rng, 2, 3)), "Several queries use the same value.", hidden=True),
            Part(0.75, "∂L/∂Q, sizes that all differ", call("queryGradient", normal_matrix(rng, 2, 5), normal_matrix(rng, 5, 4)), "Check the shape in the table.", hidden=True),
            Part(0.75, "∂L/∂K, sizes that all differ", call("keyGradient", normal_matrix(rng, 2, 5), normal_matrix(rng, 2, 4)), "Several queries ask the same key.", hidden=True),
        ],
        "centralDifferences-check": [
            Part(0.5, "a square and a line", "centralDifferences(X -> X[0][0] * X[0][0] + 3 * X[0][1], new double[][] {{2, 7}}, 0.5)", "Of a parabola the central difference is exact for every h."),
            Part(0.5, "a cube", "centralDifferences(X -> X[0][0] * X[0][0] * X[0][0], new double[][] {{1}}, 0.5)", "To both sides, and divided by the whole way between them."),
            Part(1, "rows of different lengths", "centralDifferences(%s, %s, 0.125)" % (cubic, java([normal(rng, 3), normal(rng, 1), normal(rng, 2)])),
                 "Only one entry moves at a time.", hidden=True),
            Part(1, "a small step", "centralDifferences(%s, %s, 1e-4)" % (product, java([normal(rng, 2), normal(rng, 2)])), "Use the step that is given.", hidden=True, tolerance=1e-7),
            Part(1, "X is left as it was", block("double[][] given = %s, D = centralDifferences(%s, given, 0.25); return new double[][] {D[0], D[1], given[0], given[1]};"
                                                 % (java(normal_matrix(rng, 2, 2)), product)), "Is each entry put back to the very same number?", hidden=True, tolerance=1e-13),
        ],
    }
