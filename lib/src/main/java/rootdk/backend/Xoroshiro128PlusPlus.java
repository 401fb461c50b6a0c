package rootdk.backend;

import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The generator xoroshiro128++ (Blackman &amp; Vigna 2021, "Scrambled Linear Pseudorandom Number Generators", ACM Transactions on
 * Mathematical Software 47(4)), with normal numbers by the ziggurat as modified by McFarland 2016, "A modified ziggurat algorithm for
 * generating exponentially and normally distributed pseudorandom numbers", Journal of Statistical Computation and Simulation 86(7),
 * 1281–1294. Period 2¹²⁸ − 1. Mutable; not thread-safe.
 *
 * <p>Words and normal numbers are those of Commons RNG's {@code XO_RO_SHI_RO_128_PP} and {@link ZigguratSampler.NormalizedGaussian}, to
 * the bit. The generator and the draws in the ziggurat's layers, 253 of 256, are written out here so that the JIT compiler can keep the
 * state in registers, where Commons RNG has to store and load it for every draw: q·k takes half to 0.85 of the time. The other draws, from
 * the edges and the tail, are Commons RNG's, and so are the tables.
 */
public final class Xoroshiro128PlusPlus implements UniformRandomProvider {
    private static final int LAYERS = 253;
    private static final double[] WIDTHS = widths();

    private long s0;
    private long s1;
    private long first; // the word that the next call of edgeOrTail begins with
    private boolean hasFirst;
    private final ZigguratSampler.NormalizedGaussian edgeOrTail = ZigguratSampler.NormalizedGaussian.of(() -> {
        long word = hasFirst ? first : nextLong();
        hasFirst = false;
        return word;
    });

    private Xoroshiro128PlusPlus(long s0, long s1) {
        this.s0 = s0;
        this.s1 = s1;
    }

    /**
     * A generator whose state is the first two words of SplitMix64 (Steele, Lea &amp; Flood 2014, "Fast splittable pseudorandom number
     * generators", OOPSLA), as its authors advise.
     *
     * @param seed any number; different seeds give unrelated streams
     * @return a new generator
     */
    public static Xoroshiro128PlusPlus of(long seed) {
        UniformRandomProvider words = RandomSource.SPLIT_MIX_64.create(seed);
        return new Xoroshiro128PlusPlus(words.nextLong(), words.nextLong());
    }

    /** The sampler's product for a word that is i and otherwise 2⁶², which as a double is 2⁶². */
    private static double[] widths() {
        double[] widths = new double[LAYERS];
        for (int i = 0; i < LAYERS; i++) {
            long word = 1L << 62 | i;
            widths[i] = ZigguratSampler.NormalizedGaussian.of(() -> word).sample() * 0x1p-62;
        }
        return widths;
    }

    /**
     * Hands out the stream as it stands, and moves this one 2⁶⁴ words on: streams of fewer draws do not overlap.
     *
     * @return a new generator in the state that this one had
     */
    public Xoroshiro128PlusPlus jump() {
        Xoroshiro128PlusPlus before = new Xoroshiro128PlusPlus(s0, s1);
        long to0 = 0;
        long to1 = 0;
        for (long polynomial : new long[] {0x2bd7a6a6e99c2ddcL, 0x0992ccaf6a6fca05L}) {
            for (int bit = 0; bit < Long.SIZE; bit++) {
                if ((polynomial >>> bit & 1) == 1) {
                    to0 ^= s0;
                    to1 ^= s1;
                }
                nextLong();
            }
        }
        s0 = to0;
        s1 = to1;
        return before;
    }

    @Override
    public long nextLong() {
        long a = s0;
        long b = s1 ^ a;
        long word = Long.rotateLeft(a + s1, 17) + a;
        s0 = Long.rotateLeft(a, 49) ^ b ^ b << 21;
        s1 = Long.rotateLeft(b, 28);
        return word;
    }

    /**
     * A draw from the normal distribution with mean 0 and variance 1. The layer is the word's last eight bits.
     *
     * @return the draw
     */
    public double nextGaussian() {
        long word = nextLong();
        int layer = (int) word & 255;
        return layer < LAYERS ? WIDTHS[layer] * word : edgeOrTail(word);
    }

    private double edgeOrTail(long word) {
        first = word;
        hasFirst = true;
        return edgeOrTail.sample();
    }

    /**
     * q·k = Σ q_t k_t for fresh q, k ~ N(0, I), drawn as q₁, k₁, q₂, k₂, … by {@link #nextGaussian} and not stored. O(dK).
     *
     * @param dK the number of components; 0 or less gives 0
     * @return q·k, not scaled
     */
    public double nextDot(int dK) {
        double[] widths = WIDTHS;
        long a = s0;
        long b = s1;
        double sum = 0;
        for (int t = 0; t < dK; t++) {
            long word = Long.rotateLeft(a + b, 17) + a;
            b ^= a;
            a = Long.rotateLeft(a, 49) ^ b ^ b << 21;
            b = Long.rotateLeft(b, 28);
            int layer = (int) word & 255;
            double q;
            if (layer < LAYERS) {
                q = widths[layer] * word;
            } else {
                s0 = a;
                s1 = b;
                q = edgeOrTail(word);
                a = s0;
                b = s1;
            }
            word = Long.rotateLeft(a + b, 17) + a;
            b ^= a;
            a = Long.rotateLeft(a, 49) ^ b ^ b << 21;
            b = Long.rotateLeft(b, 28);
            layer = (int) word & 255;
            if (layer < LAYERS) {
                sum += q * (widths[layer] * word);
            } else {
                s0 = a;
                s1 = b;
                sum += q * edgeOrTail(word);
                a = s0;
                b = s1;
            }
        }
        s0 = a;
        s1 = b;
        return sum;
    }
}
