package rootdk.backend;

/**
 * Two independent normal numbers q and k from two random 64-bit words a and b (Box &amp; Muller 1958, cited at {@link Backend#dots}), by
 * additions, multiplications, divisions, square roots and fma alone, so that vectors of every length, and scalars, give the same bits:
 * <ul>
 * <li>radius R = √(−2 ln u) with u = 1 − ⌊a / 2¹²⌋ 2⁻⁵² in (0, 1]. With u = 2^e m and √½ ≤ m &lt; √2, −2 ln u = −2 e ln 2 − 2 ln m, and
 * −2 ln m = −4 artanh s = s L(s²) with s = (m − 1) / (m + 1);
 * <li>angle 2φ uniform in [−π/2, π/2): φ = y π/2 with y = (b mod 2⁵²) 2⁻⁵² − ½. From √2 sin φ = y S(y²) = s and √2 cos φ = C(y²) = c,
 * cos 2φ = 1 − s² and sin 2φ = s c. The top bit of b is a sign for the cosine, which makes the angle uniform on the whole circle.
 * </ul>
 * q = R (s² − 1), negated if b is negative, and k = R (s c). The weak lowest bits of b's generator decide the last places of y only. R
 * ends at √(104 ln 2) = 8.49.
 *
 * <p>A polynomial p is ((p₄ + p₅ z + p₆ z²) z² + p₂ + p₃ z) z² + p₀ + p₁ z, each + an fma: three short chains that
 * a processor can work at together. L, S and C have the minimax relative error of their degree, from a Remez iteration in 50 digits:
 * 2·10⁻¹⁶, 3·10⁻¹⁸ and 6·10⁻¹⁷. With all roundings, q and k are within 10⁻¹⁵ R of the exact functions of a and b.
 */
final class BoxMuller {
    /** Bits of 1: over the low 52 bits of a word they make a number of [1, 2). */
    static final long ONE = 0x3ff0000000000000L;
    static final long LOW_52 = 0x000fffffffffffffL;
    static final long SIGN = 0x8000000000000000L;

    /** Bits of √½, and the same for e + 64, which is not negative. */
    static final long ROOT_HALF = 0x3fe6a09e667f3bcdL;
    static final long ROOT_HALF_64 = ROOT_HALF - (64L << 52);

    /** Bits of 2⁵²: over a small integer they make the double 2⁵² + that integer, as not every processor converts a long. */
    static final long INTEGER = 0x4330000000000000L;
    static final double INTEGER_64 = 0x1p52 + 64;
    static final double MINUS_2_LN_2 = -0x1.62e42fefa39efp0;

    static final double L0 = -0x1.0000000000001p2;
    static final double L1 = -0x1.5555555552d11p0;
    static final double L2 = -0x1.999999a4411bfp-1;
    static final double L3 = -0x1.249240b1981e8p-1;
    static final double L4 = -0x1.c722d070f8174p-2;
    static final double L5 = -0x1.7322b6aab8fd9p-2;
    static final double L6 = -0x1.58da858b475b6p-2;

    static final double S0 = 0x1.1c5831add62e4p1;
    static final double S1 = -0x1.d3ba5c1c5f464p-1;
    static final double S2 = 0x1.cda106381db59p-4;
    static final double S3 = -0x1.b1e9f347f07cbp-8;
    static final double S4 = 0x1.dbd6f6a23e2aap-13;
    static final double S5 = -0x1.55889d4d4f3b9p-18;
    static final double S6 = 0x1.563138aa03613p-24;

    static final double C0 = 0x1.6a09e667f3bccp0;
    static final double C1 = -0x1.bea5b6072b1ddp0;
    static final double C2 = 0x1.6f5a49b28fd40p-2;
    static final double C3 = -0x1.e36ab0b571ef3p-6;
    static final double C4 = 0x1.54cb87125c330p-10;
    static final double C5 = -0x1.2af4ab0a4e047p-15;
    static final double C6 = 0x1.6166e343b9329p-21;

    private BoxMuller() { }
}
