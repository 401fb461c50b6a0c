"""Wrong answers to assignment 1: solution cell -> (what is wrong, source)."""
from answers import changed, scales

A = "1-softmax"


def slip(task, name, *changes):
    return changed(A, task, name, *changes)


WRONG = {
    "logits": [
        *scales(A, "logits", "Math.sqrt(dK)", "dK"),
        slip("logits", "root of the number of keys", ("Math.sqrt(dK)", "Math.sqrt(K.length)")),
        slip("logits", "multiplied by the root", ("dot / Math.sqrt(dK)", "dot * Math.sqrt(dK)")),
        slip("logits", "transposed", ("new double[Q.length][K.length]", "new double[K.length][Q.length]"), ("S[i][j]", "S[j][i]")),
        slip("logits", "float", ("double dot = 0", "float dot = 0")),
        slip("logits", "last component left out", ("c < dK", "c < dK - 1")),
        slip("logits", "as many rows as keys", ("new double[Q.length][K.length]", "new double[K.length][K.length]")),
        slip("logits", "divides Q where it lies", ("double dot = 0;", "double dot = 0; if (j == 0) for (int c = 0; c < dK; c++) Q[i][c] /= Math.sqrt(dK);"),
             ("dot / Math.sqrt(dK)", "dot")),
    ],
    "softmax": [
        slip("softmax", "no maximum subtracted", ("Math.exp(s[j] - max)", "Math.exp(s[j])")),
        slip("softmax", "maximum begins at 0", ("max = Double.NEGATIVE_INFINITY", "max = 0")),
        slip("softmax", "maximum begins at Double.MIN_VALUE", ("max = Double.NEGATIVE_INFINITY", "max = Double.MIN_VALUE")),
        slip("softmax", "largest absolute value", ("Math.max(max, x)", "Math.max(max, Math.abs(x))")),
        slip("softmax", "first logit subtracted", ("s[j] - max", "s[j] - s[0]")),
        slip("softmax", "base 2", ("Math.exp(s[j] - max)", "Math.pow(2, s[j] - max)")),
        slip("softmax", "float", ("double sum = 0", "float sum = 0")),
        slip("softmax", "divided by the number of logits", ("p[j] /= sum", "p[j] /= s.length")),
        slip("softmax", "not divided", ("p[j] /= sum", "p[j] /= 1")),
        slip("softmax", "minus infinity skipped with its place", ("p[j] = Math.exp(s[j] - max);", "if (s[j] == Double.NEGATIVE_INFINITY) continue; p[p.length - 1 - j] = Math.exp(s[j] - max);"),
             ("sum += p[j]", "sum += p[p.length - 1 - j]")),
        slip("softmax", "works in s", ("double[] p = new double[s.length]", "double[] p = s")),
        slip("softmax", "a small number added to the sum", ("double sum = 0", "double sum = 1e-6")),
    ],
    "weights": [
        slip("weights", "rows that all have the first row's weights", ("softmax(S[i])", "softmax(S[0])")),
        slip("weights", "along the columns", ("P[i] = softmax(S[i]);", """{
        P[i] = new double[S[i].length];
        for (int j = 0; j < S[i].length; j++) {
            double[] column = new double[S.length];
            for (int r = 0; r < S.length; r++) column[r] = S[r][j];
            P[i][j] = softmax(column)[i];
        }
    }""")),
        slip("weights", "over all entries", ("P[i] = softmax(S[i]);", """{
        double[] all = softmax(Arrays.stream(S).flatMapToDouble(Arrays::stream).toArray());
        P[i] = Arrays.copyOfRange(all, i * S[i].length, (i + 1) * S[i].length);
    }""")),
        slip("weights", "divided twice", ("P[i] = softmax(S[i]);", "{ P[i] = softmax(S[i]); for (int j = 0; j < P[i].length; j++) P[i][j] /= S.length; }")),
        slip("weights", "softmax twice", ("softmax(S[i])", "softmax(softmax(S[i]))")),
        slip("weights", "hard maximum", ("P[i] = softmax(S[i]);", "{ P[i] = new double[S[i].length]; int best = 0; "
             "for (int j = 1; j < S[i].length; j++) if (S[i][j] > S[i][best]) best = j; P[i][best] = 1; }")),
    ],
    "output": [
        slip("output", "last key left out", ("j < V.length", "j < V.length - 1")),
        slip("output", "size of the keys taken for the values'", ("int dV = V[0].length", "int dV = V.length")),
        slip("output", "plain mean", ("P[i][j] * V[j][c]", "V[j][c] / V.length")),
        slip("output", "only the last key", ("O[i][c] +=", "O[i][c] =")),
        slip("output", "transposed weights", ("P[i][j]", "P[j % P.length][i]")),
        slip("output", "float", ("O[i][c] += P[i][j] * V[j][c]", "O[i][c] += (float) (P[i][j] * V[j][c])")),
        slip("output", "divided by the number of keys", ("P[i][j] * V[j][c]", "P[i][j] * V[j][c] / V.length")),
    ],
    "attention": [
        *[(name, """double[][] attention(double[][] Q, double[][] K, double[][] V) {
    double[][] S = new double[Q.length][K.length];
    for (int i = 0; i < Q.length; i++)
        for (int j = 0; j < K.length; j++)
            for (int c = 0; c < Q[i].length; c++) S[i][j] += Q[i][c] * K[j][c] / %s;
    return output(weights(S), V);
}""" % divisor) for name, divisor in [("scale 1", "1"), ("scale √2", "Math.sqrt(2)"), ("scale d_k", "Q[i].length"), ("scale √d_model", "Math.sqrt(8 * Q[i].length)"),
                                      ("root of the size of the values", "Math.sqrt(V[0].length)")]],
        slip("attention", "keys and values exchanged", ("output(weights(logits(Q, K)), V)", "output(weights(logits(Q, V)), K)")),
        slip("attention", "no softmax", ("weights(logits(Q, K))", "logits(Q, K)")),
        slip("attention", "the weights instead of the output", ("output(weights(logits(Q, K)), V)", "weights(logits(Q, K))")),
        slip("attention", "softmax twice", ("weights(logits(Q, K))", "weights(weights(logits(Q, K)))")),
    ],
    "entropy": [
        slip("entropy", "NaN for a weight of 0", ("if (w > 0) ", "")),
        slip("entropy", "base 2", ("Math.log(w)", "Math.log(w) / Math.log(2)")),
        slip("entropy", "wrong sign", ("h -=", "h +=")),
        slip("entropy", "a small number in the logarithm", ("if (w > 0) h -= w * Math.log(w)", "h -= w * Math.log(w + 1e-6)")),
        slip("entropy", "logarithm of base 10", ("Math.log(w)", "Math.log10(w)")),
        slip("entropy", "the mean over keys", ("return h;", "return h / p.length;")),
        slip("entropy", "float", ("double h = 0", "float h = 0")),
    ],
}
