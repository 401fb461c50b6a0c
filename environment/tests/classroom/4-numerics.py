"""Wrong answers to assignment 4: solution cell -> (what is wrong, source)."""
from answers import changed, scales

A = "4-numerics"


def slip(task, name, *changes):
    return changed(A, task, name, *changes)


WRONG = {
    "logSumExp": [
        slip("logSumExp", "no maximum subtracted", ("Math.exp(x - max)", "Math.exp(x)"), ("max + Math.log(sum)", "Math.log(sum)")),
        slip("logSumExp", "maximum begins at 0", ("max = Double.NEGATIVE_INFINITY;", "max = 0;")),
        slip("logSumExp", "maximum begins at Double.MIN_VALUE", ("max = Double.NEGATIVE_INFINITY;", "max = Double.MIN_VALUE;")),
        slip("logSumExp", "NaN when there is nothing", ("if (max == Double.NEGATIVE_INFINITY) return max;", "")),
        slip("logSumExp", "maximum not added", ("max + Math.log(sum)", "Math.log(sum)")),
        slip("logSumExp", "the maximum alone", ("max + Math.log(sum)", "max")),
        slip("logSumExp", "mean instead of sum", ("Math.log(sum)", "Math.log(sum / s.length)")),
        slip("logSumExp", "float", ("double sum = 0", "float sum = 0")),
    ],
    "add": [
        slip("add", "old sum not repaired", ("state[1] * Math.exp(state[0] - m)", "state[1]")),
        slip("add", "repaired the wrong way", ("Math.exp(state[0] - m)", "Math.exp(m - state[0])")),
        slip("add", "NaN for minus infinity", ("if (s == Double.NEGATIVE_INFINITY) return state.clone();", "")),
        slip("add", "the new logit always counts 1", ("+ Math.exp(s - m)", "+ 1")),
        slip("add", "no maximum", ("double m = Math.max(state[0], s)", "double m = 0")),
        slip("add", "the newest instead of the largest", ("Math.max(state[0], s)", "s")),
        slip("add", "changes the old state", ("return new double[] {m, state[1] * Math.exp(state[0] - m) + Math.exp(s - m)};",
             "state[1] = state[1] * Math.exp(state[0] - m) + Math.exp(s - m);\n    state[0] = m;\n    return state;")),
        slip("add", "float", ("state[1] * Math.exp(state[0] - m) + Math.exp(s - m)", "(float) (state[1] * Math.exp(state[0] - m) + Math.exp(s - m))")),
    ],
    "merge": [
        slip("merge", "sums added as they are", ("a[1] * Math.exp(a[0] - m) + b[1] * Math.exp(b[0] - m)", "a[1] + b[1]")),
        slip("merge", "only the second repaired", ("a[1] * Math.exp(a[0] - m)", "a[1]")),
        slip("merge", "NaN for two empty halves", ("if (m == Double.NEGATIVE_INFINITY) return new double[] {m, 0};", "")),
        slip("merge", "maxima added", ("double m = Math.max(a[0], b[0])", "double m = a[0] + b[0]")),
        slip("merge", "the smaller maximum", ("Math.max(a[0], b[0])", "Math.min(a[0], b[0])")),
        slip("merge", "b counts as one logit", ("b[1] * Math.exp(b[0] - m)", "Math.exp(b[0] - m)")),
        slip("merge", "an empty half empties all", ("if (m == Double.NEGATIVE_INFINITY)", "if (a[0] == Double.NEGATIVE_INFINITY)")),
        slip("merge", "by plain exponentials", ("a[1] * Math.exp(a[0] - m) + b[1] * Math.exp(b[0] - m)", "(a[1] * Math.exp(a[0]) + b[1] * Math.exp(b[0])) / Math.exp(m)")),
    ],
    "maskedSoftmax": [
        slip("maskedSoftmax", "maximum of all", ("if (mayAttend[j]) max = ", "max = ")),
        slip("maskedSoftmax", "NaN when all is masked", ("if (mayAttend[j]) p[j] /= sum", "p[j] /= sum")),
        slip("maskedSoftmax", "mask turned round", ("if (mayAttend[j])", "if (!mayAttend[j])")),
        slip("maskedSoftmax", "not shared among the others", ("        if (mayAttend[j]) {\n            p[j]", "        {\n            p[j]")),
        slip("maskedSoftmax", "times 0 instead of left out", ("        if (mayAttend[j]) {\n            p[j] = Math.exp(s[j] - max);", "        {\n            p[j] = (mayAttend[j] ? 1 : 0) * Math.exp(s[j] - max);"),
             ("if (mayAttend[j]) p[j] /= sum", "p[j] = sum > 0 ? p[j] / sum : 0")),
        slip("maskedSoftmax", "no maximum subtracted", ("s[j] - max", "s[j]")),
        slip("maskedSoftmax", "equal weights when all is masked", ("return p;", "if (sum == 0) Arrays.fill(p, 1.0 / p.length);\n    return p;")),
        slip("maskedSoftmax", "minus a thousand million instead of infinity", ("double max = Double.NEGATIVE_INFINITY, sum = 0;",
             "s = s.clone();\n    for (int j = 0; j < s.length; j++) if (!mayAttend[j]) s[j] = -1e9;\n    mayAttend = new boolean[s.length];\n    Arrays.fill(mayAttend, true);\n"
             "    double max = Double.NEGATIVE_INFINITY, sum = 0;")),
        slip("maskedSoftmax", "float", ("sum = 0;", "sum = 0; float total = 0;"), ("sum += p[j]", "total += p[j]"), ("p[j] /= sum", "p[j] /= total")),
    ],
    "attend": [
        *scales(A, "attend", "Math.sqrt(q.length)", "q.length"),
        slip("attend", "root of the number of keys", ("Math.sqrt(q.length)", "Math.sqrt(K.length)")),
        slip("attend", "output not repaired", ("o[c] * old", "o[c]")),
        slip("attend", "sum not repaired", ("l = l * old + now", "l = l + now")),
        slip("attend", "not divided at the end", ("o[c] /= l", "o[c] /= 1")),
        slip("attend", "no maximum", ("double larger = Math.max(m, s)", "double larger = 0")),
        slip("attend", "maximum begins at 0", ("double m = Double.NEGATIVE_INFINITY", "double m = 0")),
        slip("attend", "maximum never grows", ("        m = larger;\n", "        if (j == 0) m = larger;\n")),
        slip("attend", "float", ("l = 0;", "zero = 0; float l = 0;"), ("l = l * old + now", "l = (float) (l * old + now)")),
    ],
    "causalBias": [
        slip("causalBias", "counted from the first key", ("i + nK - nQ", "i")),
        slip("causalBias", "a query does not see itself", ("j > i", "j >= i")),
        slip("causalBias", "looks ahead only", ("j > i + nK - nQ", "j < i + nK - nQ")),
        slip("causalBias", "one key too many", ("j > i", "j > 1 + i")),
        slip("causalBias", "a thousand million instead of infinity", ("Double.NEGATIVE_INFINITY", "-1e9")),
        slip("causalBias", "transposed", ("new double[nQ][nK]", "new double[nK][nQ]"), ("B[i][j]", "B[j][i]")),
        slip("causalBias", "first queries see a key after all", ("j > i + nK - nQ", "j > Math.max(0, i + nK - nQ)")),
        slip("causalBias", "ones for what may be seen", ("B[i][j] = Double.NEGATIVE_INFINITY;", "B[i][j] = Double.NEGATIVE_INFINITY; else B[i][j] = 1;")),
    ],
}
