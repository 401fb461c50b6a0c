package rootdk.training;

/**
 * How the head of a {@link Model} turns queries and keys into logits. Until a step is added it is plain dot products. The order is
 * fixed, whatever the order of the calls:
 * <ol>
 * <li>q = x W_q, k = x W_k, where W_q starts divided by c if it is {@link #folded};
 * <li>{@link #qkNorm}: q and k are normalised row by row;
 * <li>the score q·k is divided by the divisor ({@link #dividedBy}), or by a learned τ that starts there ({@link #learnDivisor});
 * <li>{@link #cap}: u ← c·tanh(u / c).
 * </ol>
 * For example {@code Head.of(64, 16).dividedBy(Scale.sqrt(16)).cap(50)}. Values have as many components as tokens, dV = dModel.
 *
 * <p>Immutable: each step returns a new instance and leaves this one as it is; called again with another
 * number, it replaces the first.
 */
public final class Head {
    final int dModel;
    final int dK;
    final double divisor;
    final double fold;
    final boolean qkNorm;
    final double cap; // +∞: none
    final boolean learned;
    final double least; // of the learned divisor; 0: none

    private Head(int dModel, int dK, double divisor, double fold, boolean qkNorm, double cap, boolean learned, double least) {
        this.dModel = dModel;
        this.dK = dK;
        this.divisor = divisor;
        this.fold = fold;
        this.qkNorm = qkNorm;
        this.cap = cap;
        this.learned = learned;
        this.least = least;
    }

    /**
     * A head whose logits are q·k and nothing else: the unscaled one.
     *
     * @param dModel the components of a token, at least 1
     * @param dK the components of a query and a key, at least 1
     * @return the head
     * @throws IllegalArgumentException if a number is below 1
     */
    public static Head of(int dModel, int dK) {
        return new Head(Checks.atLeast(1, "dModel", dModel), Checks.atLeast(1, "dK", dK), 1, 1, false, Double.POSITIVE_INFINITY, false,
                0);
    }

    /**
     * score / divisor.
     *
     * @param c the divisor, finite and above 0, for example {@code Scale.sqrt(dK)} or {@code dK}
     * @return this head with that divisor
     * @throws IllegalArgumentException if c is not finite and above 0
     */
    public Head dividedBy(double c) {
        return new Head(dModel, dK, Checks.positive("divisor", c), fold, qkNorm, cap, learned, least);
    }

    /**
     * The entries of W_q start divided by c. With c = √dK and no divisor the model starts as the same function as
     * {@code dividedBy(√dK)}, as in T5, and trains differently: in W_q's own units its gradient is c times as large.
     *
     * @param c finite and above 0, for example {@code Scale.sqrt(dK)}
     * @return this head, folded
     * @throws IllegalArgumentException if c is not finite and above 0
     */
    public Head folded(double c) {
        return new Head(dModel, dK, divisor, Checks.positive("c", c), qkNorm, cap, learned, least);
    }

    /**
     * QK-norm: y_t = g_t·x_t / √(Σx²/dK + 10⁻⁶) for each query and each key, with learned gains g_q and g_k of dK components that
     * start at 1. Then |q·k| ≤ dK·max|g_q g_k|. Without the divisor √dK logits start as large as unscaled ones.
     *
     * @return this head with QK-norm
     */
    public Head qkNorm() {
        return new Head(dModel, dK, divisor, fold, true, cap, learned, least);
    }

    /**
     * The soft cap c·tanh(u / c).
     *
     * @param c the largest logit, finite and above 0: 50 in Gemma 2
     * @return this head with the cap
     * @throws IllegalArgumentException if c is not finite and above 0
     */
    public Head cap(double c) {
        return new Head(dModel, dK, divisor, fold, qkNorm, Checks.positive("cap", c), learned, least);
    }

    /**
     * The divisor τ = e^θ is learned: θ is a parameter, {@code log_tau}, and τ starts at the divisor. Nothing keeps it from going to 0
     * or ∞.
     *
     * @return this head with a learned divisor
     */
    public Head learnDivisor() {
        return new Head(dModel, dK, divisor, fold, qkNorm, cap, true, 0);
    }

    /**
     * The same with a clamp: τ = max(e^θ, least). Where the clamp holds τ does not depend on θ, so θ gets no gradient and stays.
     *
     * @param least the smallest τ, finite and above 0: 0.01 in Swin V2, whose scores are cosines
     * @return this head with a learned and clamped divisor
     * @throws IllegalArgumentException if least is not finite and above 0
     */
    public Head learnDivisor(double least) {
        return new Head(dModel, dK, divisor, fold, qkNorm, cap, true, Checks.positive("least", least));
    }

    /** The steps in their order, such as {@code d_model 64, d_k 16, divisor 4.0, cap 50.0}. */
    @Override
    public String toString() {
        return "d_model " + dModel + ", d_k " + dK + (fold == 1 ? "" : ", W_q folded by " + fold) + (qkNorm ? ", QK-norm" : "")
                + (learned ? ", learned divisor from " : ", divisor ") + divisor + (least > 0 ? ", at least " + least : "")
                + (cap == Double.POSITIVE_INFINITY ? "" : ", cap " + cap);
    }
}
