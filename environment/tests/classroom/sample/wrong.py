"""Wrong answers to the sample: solution cell -> (what is wrong, source). Each must lose points in the cell's check.

Those of the course's assignments are in the files of their names, such as 1-softmax.py, in the folder above.
"""
WRONG = {
    "softmax": [
        ("no maximum subtracted", """
double[] softmax(double[] x) {
    if (x.length == 0) throw new IllegalArgumentException("no scores");
    double sum = 0;
    double[] p = new double[x.length];
    for (int i = 0; i < x.length; i++) sum += p[i] = Math.exp(x[i]);
    for (int i = 0; i < x.length; i++) p[i] /= sum;
    return p;
}"""),
    ],
    "logits": [
        ("scale 1", """
double[][] logits(double[][] Q, double[][] K) {
    double[][] S = new double[Q.length][K.length];
    for (int i = 0; i < Q.length; i++)
        for (int j = 0; j < K.length; j++) S[i][j] = dot(Q[i], K[j]);
    return S;
}"""),
    ],
}
