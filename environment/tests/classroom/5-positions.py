"""Wrong answers to assignment 5: solution cell -> (what is wrong, source)."""
from answers import changed, scales

A = "5-positions"


def slip(task, name, *changes):
    return changed(A, task, name, *changes)


WRONG = {
    "rotate": [
        slip("rotate", "half-split layout", ("for (int i = 0; i < x.length; i += 2) {", "int half = x.length / 2;\n    for (int t = 0; t < half; t++) {\n        int i = 2 * t;"),
             ("turned[i] = x[i] * cos - x[i + 1] * sin", "turned[t] = x[t] * cos - x[t + half] * sin"), ("turned[i + 1] = x[i] * sin + x[i + 1] * cos", "turned[t + half] = x[t] * sin + x[t + half] * cos")),
        slip("rotate", "the other way", ("double angle = position", "double angle = -position")),
        slip("rotate", "exponent half as large", ("-(double) i / x.length", "-(double) i / 2 / x.length")),
        slip("rotate", "whole-number division in the exponent", ("-(double) i / x.length", "-(i / x.length)")),
        slip("rotate", "base fixed", ("Math.pow(base", "Math.pow(10_000")),
        slip("rotate", "degrees", ("Math.cos(angle), sin = Math.sin(angle)", "Math.cos(Math.toRadians(angle)), sin = Math.sin(Math.toRadians(angle))")),
        slip("rotate", "in place", ("double[] turned = new double[x.length]", "double[] turned = x")),
        slip("rotate", "positions from 1", ("position * Math.pow", "(position + 1) * Math.pow")),
        slip("rotate", "one speed for all pairs", (" * Math.pow(base, -(double) i / x.length)", "")),
        slip("rotate", "float", ("double cos = Math.cos(angle)", "float cos = (float) Math.cos(angle)"), (", sin = Math.sin(angle)", ", sin = (float) Math.sin(angle)")),
    ],
    "slopes": [
        slip("slopes", "begins with 1", ("-8.0 * (i + 1) / p", "-8.0 * i / p")),
        slip("slopes", "halved for every number of heads", ("-8.0 * (i + 1) / p", "-(i + 1)")),
        slip("slopes", "the formula for all numbers", ("Integer.highestOneBit(heads)", "heads")),
        slip("slopes", "the next slopes, not every other one", ("(2 * (i - p) + 1)", "(i - p + 1)")),
        slip("slopes", "the 2nd, 4th, …", ("(2 * (i - p) + 1)", "(2 * (i - p) + 2)")),
        slip("slopes", "sorted", ("return m;", "Arrays.sort(m);\n    for (int i = 0; i < m.length / 2; i++) { double x = m[i]; m[i] = m[m.length - 1 - i]; m[m.length - 1 - i] = x; }\n    return m;")),
        slip("slopes", "negative", ("m[i] = i < p ? Math.pow(2, ", "m[i] = i < p ? -Math.pow(2, ")),
        slip("slopes", "whole-number division", ("-8.0 * (i + 1) / p", "-8 * ((i + 1) / p)")),
    ],
    "alibiLogits": [
        *scales(A, "alibiLogits", "Math.sqrt(Q[i].length)", "Q[i].length"),
        slip("alibiLogits", "bias divided along", ("dot(Q[i], K[j]) / Math.sqrt(Q[i].length) - slope * distance", "(dot(Q[i], K[j]) - slope * distance) / Math.sqrt(Q[i].length)")),
        slip("alibiLogits", "bias with the wrong sign", ("- slope * distance", "+ slope * distance")),
        slip("alibiLogits", "counted from the first key", ("i + K.length - Q.length - j", "i - j")),
        slip("alibiLogits", "not causal", ("distance < 0 ? Double.NEGATIVE_INFINITY : ", ""), ("slope * distance", "slope * Math.abs(distance)")),
        slip("alibiLogits", "0 instead of minus infinity", ("Double.NEGATIVE_INFINITY", "0")),
        slip("alibiLogits", "a query does not see itself", ("distance < 0", "distance <= 0")),
        slip("alibiLogits", "root of the number of keys", ("Math.sqrt(Q[i].length)", "Math.sqrt(K.length)")),
    ],
    "isHealthy": [
        ("everybody is healthy", "boolean isHealthy(Head head) {\n    return true;\n}"),
        ("everybody is sick", "boolean isHealthy(Head head) {\n    return false;\n}"),
        slip("isHealthy", "d_k = 2", ("random.doubles(3, -2, 2)", "random.doubles(2, -2, 2)")),
        slip("isHealthy", "d_k = 1", ("random.doubles(3, -2, 2)", "random.doubles(1, -2, 2)")),
        slip("isHealthy", "one key", ("new double[5][]", "new double[1][]"), ("j < 5", "j < 1")),
        slip("isHealthy", "as many keys as components", ("new double[5][]", "new double[3][]"), ("j < 5", "j < 3")),
        slip("isHealthy", "values as wide as keys", ("random.doubles(4, -2, 2)", "random.doubles(3, -2, 2)"), ("c < 4", "c < 3")),
        slip("isHealthy", "as many queries as components", ("new double[2][]", "new double[3][]"), ("i < 2", "i < 3")),
        slip("isHealthy", "NaN passes", ("!(Math.abs(O[i][c] - right[i][c]) < 1e-9)", "Math.abs(O[i][c] - right[i][c]) > 1e-9")),
        slip("isHealthy", "no tolerance", ("!(Math.abs(O[i][c] - right[i][c]) < 1e-9)", "O[i][c] != right[i][c]")),
        slip("isHealthy", "a generous tolerance", ("< 1e-9", "< 1")),
        slip("isHealthy", "zero queries", ("random.doubles(3, -2, 2).toArray();\n    for (int j = 0; j < 5; j++) K", "new double[3];\n    for (int j = 0; j < 5; j++) K")),
        slip("isHealthy", "equal values", ("random.doubles(4, -2, 2).toArray()", "new double[] {1, 1, 1, 1}")),
    ],
    "curedA": [
        *scales(A, "curedA", "Math.sqrt(Q[i].length)", "Q[i].length"),
        slip("curedA", "not cured", ("Math.sqrt(Q[i].length)", "Math.sqrt(K.length)")),
        slip("curedA", "the number of queries", ("Math.sqrt(Q[i].length)", "Math.sqrt(Q.length)")),
        slip("curedA", "the size of the values", ("Math.sqrt(Q[i].length)", "Math.sqrt(V[0].length)")),
    ],
    "curedB": [
        *scales(A, "curedB", "Math.sqrt(part)", "part"),
        slip("curedB", "not cured", ("Math.sqrt(part)", "Math.sqrt(width)")),
        slip("curedB", "root of the number of heads", ("Math.sqrt(part)", "Math.sqrt(heads)")),
        slip("curedB", "the size of a value's part", ("Math.sqrt(part)", "Math.sqrt(partOfV)")),
        slip("curedB", "always the first part", ("h * part, (h + 1) * part", "0, part")),
    ],
    "curedC": [
        *scales(A, "curedC", "Math.sqrt(q.length)", "q.length"),
        slip("curedC", "not cured", ("Q[i].clone()", "Q[i]")),
        slip("curedC", "works in K instead", ("double[] q = Q[i].clone()", "for (double[] k : K) for (int c = 0; c < k.length; c++) k[c] /= Math.sqrt(k.length);\n        double[] q = Q[i].clone()"),
             ("        for (int c = 0; c < q.length; c++) q[c] /= Math.sqrt(q.length);\n", "")),
        slip("curedC", "multiplied back by too much", ("Q[i].clone()", "Q[i]"), ("O[i] = average(softmax(s), V);", "O[i] = average(softmax(s), V);\n        for (int c = 0; c < q.length; c++) q[c] *= q.length;")),
        slip("curedC", "copy of the first query alone", ("Q[i].clone()", "i == 0 ? Q[i].clone() : Q[i]")),
    ],
}
