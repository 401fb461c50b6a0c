package rootdk.attention;

/** The divisors of the dot product q · k. */
public final class Scale {
    private Scale() { }

    /**
     * √d_k: the divisor that gives q · k variance 1 when the components of q and k are independent with mean 0 and variance 1.
     * Used as {@code score / Scale.sqrt(dK)}.
     *
     * <p>Source: Vaswani et al. 2017, "Attention Is All You Need", §3.2.1.
     *
     * @param dK the number of components of a query or a key, at least 1
     * @return √dK, correctly rounded
     * @throws IllegalArgumentException if dK &lt; 1
     */
    public static double sqrt(int dK) {
        if (dK < 1) {
            throw new IllegalArgumentException("dK is " + dK + ": a query and a key have at least 1 component");
        }
        return Math.sqrt(dK);
    }
}
