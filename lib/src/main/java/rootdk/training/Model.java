package rootdk.training;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.ejml.simple.SimpleMatrix;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

/**
 * One attention head with embeddings before it and an output layer behind it, and its gradients. For a sequence with tokens to attend
 * to (a, b) and tokens that ask, each a pair of symbols:
 * <pre>
 * x = E[a] + E[b]                     E   symbols × d
 * q = x W_q                           W_q d × dK     of the tokens that ask
 * k = x W_k,  v = x W_v               W_k d × dK, W_v d × d     of the tokens to attend to
 * S = logits of q kᵀ                  nQ × nK, as the {@link Head} says
 * P = softmax(S),  O = P v            nQ × nK, nQ × d
 * z = O W_o + b                       W_o d × classes, b 1 × classes
 * L = mean over batch and queries of −ln softmax(z)[label]     in nats
 * </pre>
 * with d = dModel. No residual path goes around the head: what the answer needs must pass through attention.
 *
 * <p><strong>Start.</strong> Independent normal entries with mean 0 and variance ½ in E, 1/d in W_q, W_k and W_v, 1/d² in W_o, and
 * b = 0. So components of x, q, k and v have variance 1, q·k has variance dK, and the loss is near ln(classes).
 *
 * <p>Mutable and not thread-safe; all arrays are allocated here, a step allocates none. Numbers that overflow become ∞ or NaN, as does
 * the loss: no exception.
 */
public final class Model {
    private static final double EPSILON = 1e-6; // of QK-norm, as in Qwen3

    private final Head head;
    private final Task task;
    private final int size; // B, sequences in a batch
    private final Backend backend;
    private final List<Parameter> parameters = new ArrayList<>();
    private final Parameter e;
    private final Parameter wQ;
    private final Parameter wK;
    private final Parameter wV;
    private final Parameter wO;
    private final Parameter bias;
    private final Parameter gQ; // null without QK-norm
    private final Parameter gK;
    private final Parameter logTau; // null unless the divisor is learned

    // Activations, row-major, and their gradients (d…). Rows: queries B·nQ, keys B·nK.
    private final double[] xQ;
    private final double[] xK;
    private final double[] q;
    private final double[] k;
    private final double[] v;
    private final Norm normQ; // null without QK-norm
    private final Norm normK;
    private final double[] s;
    private final double[] p;
    private final double[] logSum; // of each row: p = e^{s − logSum}
    private final double[] o;
    private final double[] z;
    private final double[] dXQ;
    private final double[] dXK;
    private final double[] dQ;
    private final double[] dK;
    private final double[] dV;
    private final double[] dS; // of one sequence
    private final double[] dO;
    private final double[] dZ;
    private final double[] transposed;
    private Batch batch; // of the last forward
    private double divisor; // of the last forward

    /**
     * A model at its start, computing on the plain backend.
     *
     * @param head how queries and keys become logits
     * @param task gives the numbers of tokens, symbols and classes
     * @param size how many sequences its batches have, at least 1
     * @param seed of the initial parameters; E, W_v, W_o, W_q, W_k are drawn in this order, so models that differ in dK or in the
     *     head's other settings share the first three
     * @throws IllegalArgumentException if size or a number of the task is below its minimum, or an array would be too long
     */
    public Model(Head head, Task task, int size, long seed) {
        this(head, task, size, seed, Backend.plain());
    }

    /**
     * The same on a backend of choice.
     *
     * @param head how queries and keys become logits
     * @param task gives the numbers of tokens, symbols and classes
     * @param size how many sequences its batches have, at least 1
     * @param seed of the initial parameters
     * @param backend does the products of matrices
     * @throws IllegalArgumentException if size or a number of the task is below its minimum, or an array would be too long
     */
    public Model(Head head, Task task, int size, long seed, Backend backend) {
        this.head = Checks.notNull("head", head);
        this.task = Checks.task(task);
        this.size = Checks.atLeast(1, "size", size);
        this.backend = Checks.notNull("backend", backend);
        int d = head.dModel;
        int queries = Checks.entries("queries, size × nQ", size, task.nQ());
        int keys = Checks.entries("keys, size × nK", size, task.nK());
        e = add("E", task.symbols(), d, false);
        wQ = add("W_q", d, head.dK, true);
        wK = add("W_k", d, head.dK, true);
        wV = add("W_v", d, d, true);
        wO = add("W_o", d, task.classes(), false);
        bias = add("b", 1, task.classes(), false);
        gQ = head.qkNorm ? add("g_q", 1, head.dK, false) : null;
        gK = head.qkNorm ? add("g_k", 1, head.dK, false) : null;
        logTau = head.learned ? add("log_tau", 1, 1, false) : null;
        xQ = new double[Checks.entries("queries × dModel", queries, d)];
        xK = new double[Checks.entries("keys × dModel", keys, d)];
        q = new double[Checks.entries("queries × dK", queries, head.dK)];
        k = new double[Checks.entries("keys × dK", keys, head.dK)];
        v = new double[xK.length];
        normQ = head.qkNorm ? new Norm(gQ, queries) : null;
        normK = head.qkNorm ? new Norm(gK, keys) : null;
        s = new double[Checks.entries("queries × nK", queries, task.nK())];
        p = new double[s.length];
        logSum = new double[queries];
        o = new double[xQ.length];
        z = new double[Checks.entries("queries × classes", queries, task.classes())];
        dXQ = new double[xQ.length];
        dXK = new double[xK.length];
        dQ = new double[q.length];
        dK = new double[k.length];
        dV = new double[v.length];
        dS = new double[task.nQ() * task.nK()];
        dO = new double[o.length];
        dZ = new double[z.length];
        transposed = new double[Checks.entries("a transposed matrix", Math.max(d, head.dK), Math.max(Math.max(d, task.nK()), task.classes()))];
        start(Draws.of(seed));
    }

    private Parameter add(String name, int rows, int columns, boolean hidden) {
        Parameter parameter = new Parameter(name, rows, columns, hidden);
        parameters.add(parameter);
        return parameter;
    }

    private void start(Draws draws) {
        double root = Math.sqrt(head.dModel);
        fill(e, draws, Math.sqrt(0.5));
        fill(wV, draws, 1 / root);
        fill(wO, draws, 1.0 / head.dModel);
        fill(wQ, draws, 1 / root);
        fill(wK, draws, 1 / root);
        for (int i = 0; i < wQ.value.length; i++) {
            wQ.value[i] /= head.fold;
        }
        if (head.qkNorm) {
            Arrays.fill(gQ.value, 1);
            Arrays.fill(gK.value, 1);
        }
        if (head.learned) {
            logTau.value[0] = StrictMath.log(head.divisor);
        }
    }

    private static void fill(Parameter parameter, Draws draws, double deviation) {
        for (int i = 0; i < parameter.value.length; i++) {
            parameter.value[i] = deviation * draws.gaussian();
        }
    }

    /**
     * All parameters: E, W_q, W_k, W_v, W_o and b, then g_q and g_k with QK-norm, then log_tau if the divisor is learned.
     *
     * @return an unmodifiable list of the parameters themselves, not copies
     */
    public List<Parameter> parameters() {
        return List.copyOf(parameters);
    }

    /**
     * One parameter.
     *
     * @param name one of {@link #parameters}
     * @return the parameter itself, not a copy
     * @throws IllegalArgumentException if there is none of that name
     */
    public Parameter parameter(String name) {
        for (Parameter parameter : parameters) {
            if (parameter.name.equals(name)) {
                return parameter;
            }
        }
        throw new IllegalArgumentException("there is no parameter " + name + ": this model has "
                + String.join(", ", parameters.stream().map(Parameter::name).toList()));
    }

    /**
     * The loss on a batch. Its multiplications and additions: 2·B·(nQ + nK)·d·dK for q and k, 2·B·nK·d² for v, 2·B·nQ·nK·(dK + d)
     * for the head and 2·B·nQ·d·classes for the output.
     *
     * @param batch sequences of this model's task, as many as it has room for; not modified; kept until the next call, for
     *     {@link #backward}
     * @return L ≥ 0 in nats; NaN or ∞ if the model has diverged
     * @throws IllegalArgumentException if the batch is of another task or size, or was never drawn
     */
    public double forward(Batch batch) {
        if (!Checks.notNull("batch", batch).task.equals(task) || batch.size != size) {
            throw new IllegalArgumentException("batch has " + batch + ": this model was made for " + size + " sequences of " + task);
        }
        if (!batch.isDrawn()) {
            throw new IllegalArgumentException("batch has no sequences yet: call draw first");
        }
        this.batch = batch;
        int d = head.dModel;
        int nQ = task.nQ();
        int nK = task.nK();
        int queries = size * nQ;
        int keys = size * nK;
        embed(batch.queryTokens, xQ);
        embed(batch.keyTokens, xK);
        product(queries, head.dK, d, xQ, wQ.value, q);
        product(keys, head.dK, d, xK, wK.value, k);
        product(keys, d, d, xK, wV.value, v);
        double[] left = head.qkNorm ? normQ.forward(q) : q;
        double[] right = head.qkNorm ? normK.forward(k) : k;
        divisor = divisor();
        for (int b = 0; b < size; b++) {
            transpose(nK, head.dK, right, b * nK * head.dK);
            backend.multiply(nQ, nK, head.dK, left, b * nQ * head.dK, head.dK, 1, transposed, 0, nK, s, b * nQ * nK, nK, false);
        }
        softmaxRows();
        for (int b = 0; b < size; b++) {
            backend.multiply(nQ, d, nK, p, b * nQ * nK, nK, 1, v, b * nK * d, d, o, b * nQ * d, d, false);
        }
        product(queries, task.classes(), d, o, wO.value, z);
        return crossEntropy();
    }

    /** τ, or the divisor. */
    private double divisor() {
        return head.learned ? Math.max(head.least, StrictMath.exp(logTau.value[0])) : head.divisor;
    }

    /** From scores in s to logits in s and weights in p. */
    private void softmaxRows() {
        int nK = task.nK();
        for (int i = 0; i < s.length; i++) {
            s[i] /= divisor;
        }
        if (head.cap != Double.POSITIVE_INFINITY) {
            for (int i = 0; i < s.length; i++) {
                s[i] = head.cap * StrictMath.tanh(s[i] / head.cap);
            }
        }
        for (int row = 0, from = 0; row < logSum.length; row++, from += nK) {
            logSum[row] = softmax(s, from, nK, p);
        }
    }

    /** Softmax of n numbers, which may be written over; returns ln Σe^s. NaN and +∞ make the row NaN. */
    private static double softmax(double[] s, int from, int n, double[] p) {
        double max = s[from];
        for (int i = from + 1; i < from + n; i++) {
            max = Math.max(max, s[i]);
        }
        double sum = 0;
        for (int i = from; i < from + n; i++) {
            double exp = StrictMath.exp(s[i] - max);
            p[i] = exp;
            sum += exp;
        }
        double share = 1 / sum;
        for (int i = from; i < from + n; i++) {
            p[i] *= share;
        }
        return max + StrictMath.log(sum);
    }

    /** From O W_o in z to the loss, and ∂L/∂z in dZ. */
    private double crossEntropy() {
        int classes = task.classes();
        int queries = batch.labels.length;
        double sum = 0;
        for (int row = 0, from = 0; row < queries; row++, from += classes) {
            for (int c = 0; c < classes; c++) {
                z[from + c] += bias.value[c];
            }
            int label = from + batch.labels[row];
            sum += softmax(z, from, classes, dZ) - z[label];
            for (int c = from; c < from + classes; c++) {
                dZ[c] = (dZ[c] - (c == label ? 1 : 0)) / queries;
            }
        }
        return sum / queries;
    }

    /**
     * The gradients of the last {@link #forward}'s loss for every parameter, into {@link Parameter#gradient}. To be called before the
     * parameters change. Costs about twice as much as forward.
     *
     * @throws IllegalStateException if there was no forward
     */
    public void backward() {
        requireForward();
        int d = head.dModel;
        int nQ = task.nQ();
        int nK = task.nK();
        int queries = size * nQ;
        int keys = size * nK;
        int classes = task.classes();
        gradientOfWeights(d, classes, queries, o, dZ, wO);
        bias.clearGradient();
        for (int row = 0; row < queries; row++) {
            for (int c = 0; c < classes; c++) {
                bias.gradient[c] += dZ[row * classes + c];
            }
        }
        productTransposed(queries, d, classes, dZ, wO.value, dO, false);

        double[] left = head.qkNorm ? normQ.y : q;
        double[] right = head.qkNorm ? normK.y : k;
        for (int b = 0; b < size; b++) {
            int at = b * nQ * nK;
            transpose(nK, d, v, b * nK * d);
            backend.multiply(nQ, nK, d, dO, b * nQ * d, d, 1, transposed, 0, nK, dS, 0, nK, false); // ∂L/∂P
            backend.multiply(nK, d, nQ, p, at, 1, nK, dO, b * nQ * d, d, dV, b * nK * d, d, false); // Pᵀ dO
            gradientOfScores(at);
            backend.multiply(nQ, head.dK, nK, dS, 0, nK, 1, right, b * nK * head.dK, head.dK, dQ, b * nQ * head.dK, head.dK, false);
            backend.multiply(nK, head.dK, nQ, dS, 0, 1, nK, left, b * nQ * head.dK, head.dK, dK, b * nK * head.dK, head.dK, false);
        }
        if (head.learned) {
            // A logit's argument is score / e^θ, so ∂L/∂θ = −Σ ∂L/∂score · score, and Σ over keys of ∂L/∂score · q·k is ∂L/∂q · q.
            logTau.gradient[0] = divisor > head.least ? -dot(left, dQ) : 0;
        }
        if (head.qkNorm) {
            normQ.backward(q, dQ);
            normK.backward(k, dK);
        }

        gradientOfWeights(d, head.dK, queries, xQ, dQ, wQ);
        gradientOfWeights(d, head.dK, keys, xK, dK, wK);
        gradientOfWeights(d, d, keys, xK, dV, wV);
        productTransposed(queries, d, head.dK, dQ, wQ.value, dXQ, false);
        productTransposed(keys, d, head.dK, dK, wK.value, dXK, false);
        productTransposed(keys, d, d, dV, wV.value, dXK, true);
        e.clearGradient();
        scatter(batch.queryTokens, dXQ);
        scatter(batch.keyTokens, dXK);
    }

    /** ∂L/∂P in dS becomes ∂L/∂scores, for the sequence whose weights begin at {@code at}. */
    private void gradientOfScores(int at) {
        int nK = task.nK();
        for (int from = 0; from < dS.length; from += nK) {
            double mean = 0;
            for (int j = from; j < from + nK; j++) {
                mean += p[at + j] * dS[j];
            }
            for (int j = from; j < from + nK; j++) {
                dS[j] = p[at + j] * (dS[j] - mean);
            }
        }
        double cap = head.cap;
        if (cap != Double.POSITIVE_INFINITY) {
            for (int j = 0; j < dS.length; j++) {
                double t = s[at + j] / cap; // tanh(u / cap)
                dS[j] *= (1 - t) * (1 + t);
            }
        }
        for (int j = 0; j < dS.length; j++) {
            dS[j] /= divisor;
        }
    }

    private void embed(int[] tokens, double[] x) {
        int d = head.dModel;
        double[] table = e.value;
        for (int i = 0, to = 0; to < x.length; i += 2, to += d) {
            int a = tokens[i] * d;
            int b = tokens[i + 1] * d;
            for (int t = 0; t < d; t++) {
                x[to + t] = table[a + t] + table[b + t];
            }
        }
    }

    private void scatter(int[] tokens, double[] dX) {
        int d = head.dModel;
        for (int i = 0, from = 0; from < dX.length; i++, from += i % 2 == 0 ? d : 0) {
            int to = tokens[i] * d;
            for (int t = 0; t < d; t++) {
                e.gradient[to + t] += dX[from + t];
            }
        }
    }

    private static double dot(double[] x, double[] y) {
        double sum = 0;
        for (int i = 0; i < x.length; i++) {
            sum += x[i] * y[i];
        }
        return sum;
    }

    /** C = A B. */
    private void product(int m, int n, int inner, double[] a, double[] b, double[] c) {
        backend.multiply(m, n, inner, a, 0, inner, 1, b, 0, n, c, 0, n, false);
    }

    /** C = A Bᵀ, or C += A Bᵀ, with B n × inner. */
    private void productTransposed(int m, int n, int inner, double[] a, double[] b, double[] c, boolean add) {
        transpose(n, inner, b, 0);
        backend.multiply(m, n, inner, a, 0, inner, 1, transposed, 0, n, c, 0, n, add);
    }

    /** ∂L/∂W = Xᵀ dY, with X rows × m and dY rows × n. */
    private void gradientOfWeights(int m, int n, int rows, double[] x, double[] dY, Parameter w) {
        backend.multiply(m, n, rows, x, 0, 1, m, dY, 0, n, w.gradient, 0, n, false);
    }

    private void transpose(int rows, int columns, double[] a, int from) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                transposed[j * rows + i] = a[from + i * columns + j];
            }
        }
    }

    /** QK-norm of all rows, into y; see {@link rootdk.attention.QkNorm} for the formulas. */
    private static final class Norm {
        final Parameter gain;
        final double[] root; // √(Σx²/dK + ε) of each row
        final double[] y;

        Norm(Parameter gain, int rows) {
            this.gain = gain;
            this.root = new double[rows];
            this.y = new double[rows * gain.columns];
        }

        double[] forward(double[] x) {
            int n = gain.columns;
            for (int row = 0, from = 0; row < root.length; row++, from += n) {
                double squares = 0;
                for (int t = 0; t < n; t++) {
                    squares += x[from + t] * x[from + t];
                }
                root[row] = Math.sqrt(squares / n + EPSILON);
                for (int t = 0; t < n; t++) {
                    y[from + t] = gain.value[t] * x[from + t] / root[row];
                }
            }
            return y;
        }

        /** ∂L/∂y in d becomes ∂L/∂x. */
        void backward(double[] x, double[] d) {
            int n = gain.columns;
            gain.clearGradient();
            for (int row = 0, from = 0; row < root.length; row++, from += n) {
                double along = 0;
                for (int t = 0; t < n; t++) {
                    double u = x[from + t] / root[row];
                    gain.gradient[t] += d[from + t] * u;
                    along += gain.value[t] * d[from + t] * u;
                }
                for (int t = 0; t < n; t++) {
                    d[from + t] = (gain.value[t] * d[from + t] - x[from + t] / root[row] * along / n) / root[row];
                }
            }
        }
    }

    /**
     * QK-Clip: if the largest logit M of the last {@link #forward} is above the threshold, W_q and W_k are multiplied by
     * √(threshold / M) each, so that the same batch would have the largest logit {@code threshold}. Called after an optimiser's
     * step, it leaves that step's logits slightly off the threshold. O(d · dK).
     *
     * <p>Source: Kimi Team 2025, "Kimi K2: Open Agentic Intelligence", arXiv 2507.20534, where the threshold is 100.
     *
     * @param threshold the largest logit to allow, finite and above 0
     * @return whether W_q and W_k were changed; a largest logit of NaN or ∞ leaves them
     * @throws IllegalArgumentException if the threshold is not finite and above 0
     * @throws IllegalStateException if there was no forward, or the head has QK-norm or a cap: the first undoes what this does, the
     *     second hides what it looks at
     */
    public boolean qkClip(double threshold) {
        Checks.positive("threshold", threshold);
        if (head.qkNorm || head.cap != Double.POSITIVE_INFINITY) {
            throw new IllegalStateException("QK-Clip rescales W_q and W_k by the largest logit, which QK-norm undoes and a cap hides: "
                    + "the head is " + head);
        }
        double largest = maxLogit();
        if (!(largest > threshold) || largest == Double.POSITIVE_INFINITY) {
            return false; // no factor makes a NaN or an infinity smaller
        }
        double factor = Math.sqrt(threshold / largest);
        wQ.multiplyBy(factor);
        wK.multiplyBy(factor);
        return true;
    }

    private void requireForward() {
        if (batch == null) {
            throw new IllegalStateException("there is no batch yet: call forward first");
        }
    }

    /**
     * The logits of one sequence of the last {@link #forward}.
     *
     * @param sequence from 0 to the batch's size − 1
     * @return a new nQ × nK matrix
     * @throws IllegalArgumentException if there is no such sequence
     * @throws IllegalStateException if there was no forward
     */
    public SimpleMatrix logits(int sequence) {
        return ofSequence(sequence, s);
    }

    /**
     * The attention weights of one sequence of the last {@link #forward}.
     *
     * @param sequence from 0 to the batch's size − 1
     * @return a new nQ × nK matrix whose rows sum to 1
     * @throws IllegalArgumentException if there is no such sequence
     * @throws IllegalStateException if there was no forward
     */
    public SimpleMatrix weights(int sequence) {
        return ofSequence(sequence, p);
    }

    private SimpleMatrix ofSequence(int sequence, double[] all) {
        requireForward();
        if (sequence < 0 || sequence >= size) {
            throw new IllegalArgumentException("sequence is " + sequence + ": the batch has " + size + ", from 0 to " + (size - 1));
        }
        int length = task.nQ() * task.nK();
        return new SimpleMatrix(task.nQ(), task.nK(), true, Arrays.copyOfRange(all, sequence * length, (sequence + 1) * length));
    }

    /**
     * The largest logit of the last {@link #forward}, over the whole batch. O(B · nQ · nK).
     *
     * @return max S; NaN if there is a NaN
     * @throws IllegalStateException if there was no forward
     */
    public double maxLogit() {
        requireForward();
        double max = s[0];
        for (double logit : s) {
            max = Math.max(max, logit);
        }
        return max;
    }

    /**
     * The mean entropy of the rows of weights of the last {@link #forward}, in nats: ln nK for uniform attention, 0 for one-hot.
     * −Σ p ln p is computed as ln Σe^s − Σ p s, whose rounding error is about 10⁻¹⁶ times the largest |logit|. O(B · nQ · nK).
     *
     * @return the entropy, in [0, ln nK] to rounding
     * @throws IllegalStateException if there was no forward
     */
    public double entropy() {
        requireForward();
        double sum = 0;
        for (int row = 0, from = 0; row < logSum.length; row++, from += task.nK()) {
            double mean = 0;
            for (int j = from; j < from + task.nK(); j++) {
                mean += p[j] * s[j];
            }
            sum += logSum[row] - mean;
        }
        return sum / logSum.length;
    }

    /**
     * What the last {@link #forward} divided scores by: τ if it is learned.
     *
     * @return the divisor
     * @throws IllegalStateException if there was no forward
     */
    public double lastDivisor() {
        requireForward();
        return divisor;
    }

    /**
     * The norm of the whole gradient, √Σ over all parameters. O(parameters).
     *
     * @return the norm; NaN or ∞ as the arithmetic gives it
     */
    public double gradientNorm() {
        double sum = 0;
        for (Parameter parameter : parameters) {
            sum += Parameter.squares(parameter.gradient);
        }
        return Math.sqrt(sum);
    }

    Backend backend() {
        return backend;
    }

    /** Head, task and batch size. */
    @Override
    public String toString() {
        return "model (" + head + "; " + size + " sequences of " + task + ")";
    }
}
