"""Wrong answers to assignment 2: solution cell -> (what is wrong, source)."""
from answers import changed, scales

A = "2-variance"


def slip(task, name, *changes):
    return changed(A, task, name, *changes)


def variance(name, body):
    return name, "double[] meanAndVariance(double[] x) {\n    double sum = 0, squares = 0;\n    for (double v : x) {\n        sum += v;\n" \
        "        squares += v * v;\n    }\n    double mean = sum / x.length;\n    %s\n}" % body


def dots(name, draw):
    return slip("scoreVariance", name, ("dots[i] += random.nextGaussian() * random.nextGaussian();", draw))


WRONG = {
    "meanAndVariance": [
        slip("meanAndVariance", "divided by n", ("(x.length - 1)", "x.length")),
        variance("the short cut", "return new double[] {mean, (squares - x.length * mean * mean) / (x.length - 1)};"),
        variance("the short cut, made positive", "return new double[] {mean, Math.max(0, squares / x.length - mean * mean) * x.length / (x.length - 1)};"),
        slip("meanAndVariance", "standard deviation", ("(squares - rest * rest / x.length) / (x.length - 1)", "Math.sqrt((squares - rest * rest / x.length) / (x.length - 1))")),
        slip("meanAndVariance", "about 0 instead of the mean", ("(v - mean) * (v - mean)", "v * v")),
        slip("meanAndVariance", "variance first", ("{mean, (squares - rest * rest / x.length) / (x.length - 1)}", "{(squares - rest * rest / x.length) / (x.length - 1), mean}")),
        slip("meanAndVariance", "float", ("double squares = 0", "float squares = 0")),
        slip("meanAndVariance", "absolute deviations", ("(v - mean) * (v - mean)", "Math.abs(v - mean)")),
    ],
    "logits": [
        *scales(A, "logits", "Math.sqrt(dK)", "dK"),
        slip("logits", "root of the number of pairs", ("Math.sqrt(dK)", "Math.sqrt(Q.length)")),
        slip("logits", "always the first key", ("K[i][c]", "K[0][c]")),
        slip("logits", "float", ("double dot = 0", "float dot = 0")),
        slip("logits", "multiplied", ("dot / Math.sqrt(dK)", "dot * Math.sqrt(dK)")),
        slip("logits", "divides Q where it lies", ("double dot = 0;", "double dot = 0; for (int c = 0; c < dK; c++) Q[i][c] /= Math.sqrt(dK);"), ("dot / Math.sqrt(dK)", "dot")),
    ],
    "scoreVariance": [
        dots("uniform on 0 to 1", "dots[i] += random.nextDouble() * random.nextDouble();"),
        dots("uniform on -1 to 1", "dots[i] += (2 * random.nextDouble() - 1) * (2 * random.nextDouble() - 1);"),
        dots("q = k", "{ double z = random.nextGaussian(); dots[i] += z * z; }"),
        dots("scaled by √d_k", "dots[i] += random.nextGaussian() * random.nextGaussian() / Math.sqrt(dK);"),
        dots("scaled by √2", "dots[i] += random.nextGaussian() * random.nextGaussian() / Math.sqrt(2);"),
        dots("scaled by d_k", "dots[i] += random.nextGaussian() * random.nextGaussian() / dK;"),
        dots("scaled by √d_model", "dots[i] += random.nextGaussian() * random.nextGaussian() / Math.sqrt(8 * dK);"),
        dots("one component too few", "if (c > 0) dots[i] += random.nextGaussian() * random.nextGaussian();"),
        slip("scoreVariance", "one query for all keys", ("double[] dots", "double[] q = new double[dK]; for (int c = 0; c < dK; c++) q[c] = 1 + random.nextGaussian();\n    double[] dots"),
             ("random.nextGaussian() * random.nextGaussian()", "q[c] * random.nextGaussian()")),
        slip("scoreVariance", "the seed is not used", ("new Random(seed)", "new Random(42)")),
        slip("scoreVariance", "no seed at all", ("new Random(seed)", "new Random()")),
        slip("scoreVariance", "standard deviation", ("return meanAndVariance(dots)[1]", "return Math.sqrt(meanAndVariance(dots)[1])")),
        slip("scoreVariance", "what the theory says, without a draw", ("return meanAndVariance(dots)[1]", "return dK")),
        slip("scoreVariance", "the theory with a trace of the seed", ("return meanAndVariance(dots)[1]", "return dK + 1e-9 * seed")),
        slip("scoreVariance", "the theory with a trace of chance", ("return meanAndVariance(dots)[1]", "return dK * (1 + 1e-3 * new Random(seed).nextGaussian())")),
        slip("scoreVariance", "the theory with a little of the seed", ("return meanAndVariance(dots)[1]", "return dK * (1 + seed)")),
    ],
    "varianceError": [
        slip("varianceError", "that of a normal variable", ("Math.sqrt(Math.max(0, m4 - m2 * m2) / x.length)", "m2 * Math.sqrt(2.0 / x.length)")),
        slip("varianceError", "that of the mean", ("Math.sqrt(Math.max(0, m4 - m2 * m2) / x.length)", "Math.sqrt(m2 / x.length)")),
        slip("varianceError", "no root", ("Math.sqrt(Math.max(0, m4 - m2 * m2) / x.length)", "(m4 - m2 * m2) / x.length")),
        slip("varianceError", "moments about 0", ("(v - mean) * (v - mean)", "v * v")),
        slip("varianceError", "not divided by n", ("Math.max(0, m4 - m2 * m2) / x.length", "Math.max(0, m4 - m2 * m2)")),
        slip("varianceError", "m₂ not subtracted", ("m4 - m2 * m2", "m4")),
        slip("varianceError", "third powers", ("d2 * d2 / x.length", "d2 * Math.abs(v - mean) / x.length")),
    ],
    "exponent": [
        slip("exponent", "no logarithm of y", ("Math.log(y[i])", "y[i]")),
        slip("exponent", "no logarithm of x", ("Math.log(x[i])", "x[i]")),
        slip("exponent", "x and y exchanged", ("return above / below", "return below / above")),
        slip("exponent", "through the origin", ("return above / below;", "above = 0; below = 0; for (int i = 0; i < x.length; i++) { above += Math.log(x[i]) * Math.log(y[i]); "
             "below += Math.log(x[i]) * Math.log(x[i]); }\n    return above / below;")),
        slip("exponent", "first and last point", ("return above / below;", "int n = x.length - 1;\n    return Math.log(y[n] / y[0]) / Math.log(x[n] / x[0]);")),
        slip("exponent", "wrong sign", ("return above / below", "return -above / below")),
        slip("exponent", "float", ("double u = 0", "float f = 0; double u = 0"), ("return above / below", "return (float) (above / below)")),
    ],
    "generalVariance": [
        slip("generalVariance", "product of traces", ("double sum = 0;", "double sum = 0, tq = 0, tk = 0;\n    for (int i = 0; i < muQ.length; i++) { tq += sigmaQ[i][i]; tk += sigmaK[i][i]; }\n    sum = tq * tk;"),
             ("sigmaQ[i][j] * sigmaK[j][i] + ", "")),
        slip("generalVariance", "covariances exchanged", ("muQ[i] * sigmaK[i][j] * muQ[j] + muK[i] * sigmaQ[i][j] * muK[j]", "muQ[i] * sigmaQ[i][j] * muQ[j] + muK[i] * sigmaK[i][j] * muK[j]")),
        slip("generalVariance", "one term left out", (" + muK[i] * sigmaQ[i][j] * muK[j]", "")),
        slip("generalVariance", "no means", (" + muQ[i] * sigmaK[i][j] * muQ[j] + muK[i] * sigmaQ[i][j] * muK[j]", "")),
        slip("generalVariance", "diagonals only", ("j = 0; j < muQ.length", "j = i; j <= i")),
        slip("generalVariance", "second moment", ("return sum;", "double mean = 0;\n    for (int i = 0; i < muQ.length; i++) mean += muQ[i] * muK[i];\n    return sum + mean * mean;")),
    ],
}
