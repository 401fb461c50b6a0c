import java.util.Locale;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The processor's peak in float64: multiplications and additions per second in twelve independent chains of fused multiply-add that
 * never leave the registers. Run as {@code java --add-modules jdk.incubator.vector PeakFlops.java}; prints GFLOP/s and lanes.
 */
public final class PeakFlops {
    private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    private static final int STEPS = 10_000; // of a call: short, so that calls are compiled, and not a loop that already runs
    private static final int CALLS = 200;
    private static final int CHAINS = 12;

    /** @param arguments none */
    public static void main(String[] arguments) {
        double best = 0;
        double[] out = new double[SPECIES.length()];
        long end = System.nanoTime() + 3_000_000_000L; // most of it for the JIT compiler
        for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
            for (int call = 0; call < CALLS; call++) {
                chains(out);
            }
            double flops = 2.0 * CHAINS * SPECIES.length() * STEPS * CALLS;
            best = Math.max(best, flops / (System.nanoTime() - start));
        }
        System.out.printf(Locale.ROOT, "%.1f %d%n", best, SPECIES.length());
    }

    private static void chains(double[] out) {
        DoubleVector factor = DoubleVector.broadcast(SPECIES, 0.999);
        DoubleVector term = DoubleVector.broadcast(SPECIES, 0.001);
        DoubleVector a = term;
        DoubleVector b = term;
        DoubleVector c = term;
        DoubleVector d = term;
        DoubleVector e = term;
        DoubleVector f = term;
        DoubleVector g = term;
        DoubleVector h = term;
        DoubleVector i = term;
        DoubleVector j = term;
        DoubleVector k = term;
        DoubleVector l = term;
        for (int step = 0; step < STEPS; step++) {
            a = a.fma(factor, term);
            b = b.fma(factor, term);
            c = c.fma(factor, term);
            d = d.fma(factor, term);
            e = e.fma(factor, term);
            f = f.fma(factor, term);
            g = g.fma(factor, term);
            h = h.fma(factor, term);
            i = i.fma(factor, term);
            j = j.fma(factor, term);
            k = k.fma(factor, term);
            l = l.fma(factor, term);
        }
        a.add(b).add(c).add(d).add(e).add(f).add(g).add(h).add(i).add(j).add(k).add(l).intoArray(out, 0); // else they are dead code
    }
}
