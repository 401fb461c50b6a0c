package rootdk.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.commons.rng.JumpableUniformRandomProvider;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Test;

/** Against the generator and the sampler of Commons RNG, which are other code: every word and every draw is the same. */
class Xoroshiro128PlusPlusTest {
    private static JumpableUniformRandomProvider commons(long seed) {
        return (JumpableUniformRandomProvider) RandomSource.XO_RO_SHI_RO_128_PP.create(seed);
    }

    @Property(seed = "1", tries = 100)
    void words(@ForAll long seed) {
        UniformRandomProvider expected = commons(seed);
        Xoroshiro128PlusPlus random = Xoroshiro128PlusPlus.of(seed);
        for (int i = 0; i < 100; i++) {
            assertEquals(expected.nextLong(), random.nextLong());
            assertEquals(expected.nextDouble(), random.nextDouble());
        }
    }

    @Property(seed = "1", tries = 20)
    void jumps(@ForAll long seed, @ForAll @IntRange(max = 5) int words) {
        JumpableUniformRandomProvider expected = commons(seed);
        Xoroshiro128PlusPlus random = Xoroshiro128PlusPlus.of(seed);
        for (int jump = 0; jump < 3; jump++) {
            for (int i = 0; i < words; i++) {
                assertEquals(expected.nextLong(), random.nextLong());
            }
            UniformRandomProvider expectedBefore = expected.jump();
            Xoroshiro128PlusPlus before = random.jump();
            assertEquals(expectedBefore.nextLong(), before.nextLong());
            long next = random.nextLong();
            assertEquals(expected.nextLong(), next);
            assertNotEquals(before.nextLong(), next);
        }
    }

    /** A million of them: 12 000 from the edges and tails, in code of every stage of the JIT compiler. */
    @Test
    void gaussians() {
        for (long seed : new long[] {0, -5, 1234567890123L}) {
            ZigguratSampler.NormalizedGaussian expected = ZigguratSampler.NormalizedGaussian.of(commons(seed));
            Xoroshiro128PlusPlus random = Xoroshiro128PlusPlus.of(seed);
            double largest = 0;
            for (int i = 0; i < 1_000_000; i++) {
                double x = random.nextGaussian();
                assertEquals(expected.sample(), x);
                largest = Math.max(largest, Math.abs(x));
            }
            assertTrue(largest > 4, "the tail, which begins at 3.64, was met");
        }
    }

    /** Draws and words in any order come from one stream. */
    @Property(seed = "1", tries = 300)
    void mixed(@ForAll long seed, @ForAll @IntRange(max = 500) int dK) {
        UniformRandomProvider words = commons(seed);
        ZigguratSampler.NormalizedGaussian normal = ZigguratSampler.NormalizedGaussian.of(words);
        Xoroshiro128PlusPlus random = Xoroshiro128PlusPlus.of(seed);
        for (int i = 0; i < 5; i++) {
            double sum = 0;
            for (int t = 0; t < dK; t++) {
                sum += normal.sample() * normal.sample();
            }
            assertEquals(sum, random.nextDot(dK));
            assertEquals(normal.sample(), random.nextGaussian());
            assertEquals(words.nextLong(), random.nextLong());
        }
    }

    @Test
    void noComponents() {
        Xoroshiro128PlusPlus random = Xoroshiro128PlusPlus.of(3);
        assertEquals(0, random.nextDot(0));
        assertEquals(0, random.nextDot(-1));
        assertEquals(Xoroshiro128PlusPlus.of(3).nextLong(), random.nextLong(), "nothing was drawn");
    }
}
