"""Wrong answers to assignment 3: solution cell -> (what is wrong, source)."""
from answers import changed, scales

A = "3-gradients"


def slip(task, name, *changes):
    return changed(A, task, name, *changes)


WRONG = {
    "jacobian": [
        slip("jacobian", "diagonal only", ("(i == j ? 1 : 0) - p[j]", "(i == j ? 1 - p[j] : 0)")),
        slip("jacobian", "plus instead of minus", ("(i == j ? 1 : 0) - p[j]", "(i == j ? 1 : 0) + p[j]")),
        slip("jacobian", "no diagonal", ("(i == j ? 1 : 0) - p[j]", "-p[j]")),
        slip("jacobian", "squares off the diagonal", ("(i == j ? 1 : 0) - p[j]", "(i == j ? 1 - p[j] : -p[i])")),
        slip("jacobian", "wrong sign", ("p[i] * (", "-p[i] * (")),
        slip("jacobian", "of the logarithm", ("p[i] * ((i == j ? 1 : 0) - p[j])", "(i == j ? 1 : 0) - p[j]")),
        slip("jacobian", "rounded to zero when small", ("p[i] * ((i == j ? 1 : 0) - p[j])", "Math.round(p[i] * ((i == j ? 1 : 0) - p[j]) * 1e4) / 1e4")),
    ],
    "jacobianTimes": [
        slip("jacobianTimes", "plain average", ("dot(p, a)", "Arrays.stream(a).average().getAsDouble()")),
        slip("jacobianTimes", "no average", ("(a[j] - average)", "a[j]")),
        slip("jacobianTimes", "weights forgotten", ("p[j] * (a[j] - average)", "a[j] - average")),
        slip("jacobianTimes", "wrong sign", ("a[j] - average", "average - a[j]")),
        slip("jacobianTimes", "the matrix after all", ("return product;", "double[][] J = jacobian(p);\n    for (int j = 0; j < p.length; j++) product[j] = dot(J[j], a);\n    return product;")),
        slip("jacobianTimes", "float", ("double average = dot(p, a)", "float average = (float) dot(p, a)")),
    ],
    "gap": [
        slip("gap", "n others", ("Math.log(n - 1)", "Math.log(n)")),
        slip("gap", "wrong sign", ("return Math.log(w) + Math.log(n - 1) - Math.log1p(-w)", "return Math.log1p(-w) - Math.log(w) - Math.log(n - 1)")),
        slip("gap", "two keys only", (" + Math.log(n - 1)", "")),
        slip("gap", "base 2", ("return Math.log(w) + Math.log(n - 1) - Math.log1p(-w)", "return (Math.log(w) + Math.log(n - 1) - Math.log1p(-w)) / Math.log(2)")),
        slip("gap", "the ratio itself", ("return Math.log(w) + Math.log(n - 1) - Math.log1p(-w)", "return w * (n - 1) / (1 - w)")),
        slip("gap", "never negative", ("return Math.log(w) + Math.log(n - 1) - Math.log1p(-w)", "return Math.max(0, Math.log(w) + Math.log(n - 1) - Math.log1p(-w))")),
        slip("gap", "others get all", (" - Math.log1p(-w)", "")),
    ],
    "scoreGradient": [
        *scales(A, "scoreGradient", "Math.sqrt(dK)", "dK"),
        slip("scoreGradient", "multiplied", ("/ Math.sqrt(dK)", "* Math.sqrt(dK)")),
        slip("scoreGradient", "root of the number of keys", ("Math.sqrt(dK)", "Math.sqrt(P[i].length)")),
        slip("scoreGradient", "no average", ("(dP[i][j] - average)", "dP[i][j]")),
        slip("scoreGradient", "plain average", ("dot(P[i], dP[i])", "Arrays.stream(dP[i]).average().getAsDouble()")),
        slip("scoreGradient", "one average for all queries", ("dot(P[i], dP[i])", "dot(P[0], dP[0])")),
        slip("scoreGradient", "softmax forgotten", ("P[i][j] * (dP[i][j] - average)", "dP[i][j]")),
        slip("scoreGradient", "works in dP", ("dS[i] = new double[P[i].length]", "dS[i] = dP[i]")),
    ],
    "products": [
        slip("products", "∂L/∂P of the first query for all", ("dot(dO[i], V[j])", "dot(dO[0], V[j])")),
        slip("products", "∂L/∂V of the last query alone", ("dV[j][c] +=", "dV[j][c] =")),
        slip("products", "∂L/∂Q of the last key alone", ("dQ[i][c] +=", "dQ[i][c] =")),
        slip("products", "∂L/∂K of the last query alone", ("dK[j][c] +=", "dK[j][c] =")),
        slip("products", "divided a second time", ("dS[i][j] * K[j][c]", "dS[i][j] * K[j][c] / Math.sqrt(K[j].length)")),
        slip("products", "∂L/∂K with the rows exchanged", ("dK[j][c] += dS[i][j] * Q[i][c]", "dK[j][c] += dS[i][dS[i].length - 1 - j] * Q[i][c]")),
        slip("products", "∂L/∂V without the weights", ("P[i][j] * dO[i][c]", "dO[i][c]")),
        slip("products", "∂L/∂P transposed", ("new double[dO.length][V.length]", "new double[V.length][dO.length]"), ("dP[i][j] = dot", "dP[j][i] = dot")),
    ],
    "centralDifferences": [
        slip("centralDifferences", "to one side", ("moved[i][j] = X[i][j] - h;", "moved[i][j] = X[i][j];"), ("(2 * h)", "h")),
        slip("centralDifferences", "divided by h", ("(2 * h)", "h")),
        slip("centralDifferences", "an entry is not put back", ("            moved[i][j] = X[i][j];\n", "")),
        slip("centralDifferences", "wrong sign", ("up - f.applyAsDouble(moved)", "f.applyAsDouble(moved) - up")),
        slip("centralDifferences", "a step of its own", ("{\n    // BEGIN SOLUTION", "{\n    h = 1e-5;")),
        slip("centralDifferences", "moves X itself", ("moved[i] = X[i].clone()", "moved[i] = X[i]"), ("moved[i][j] = X[i][j] + h", "moved[i][j] += h"),
             ("moved[i][j] = X[i][j] - h", "moved[i][j] -= 2 * h"), ("            moved[i][j] = X[i][j];\n", "")),
        slip("centralDifferences", "rows of one length", ("new double[X[i].length]", "new double[X[0].length]")),
    ],
}
