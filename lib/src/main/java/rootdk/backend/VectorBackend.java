package rootdk.backend;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The Vector API. It is an incubator module, whose compiler warning cannot be silenced on JDK 17, so this file,
 * {@link VectorDots} and {@link VectorProduct} are compiled by an execution of their own (pom.xml), and this one is found by
 * {@link VectorLookup}.
 *
 * <p>The methods are small on purpose. In one with more than some 30 vector operations, calls of other methods of ours are no longer
 * inlined; their vectors, and those of a loop in a loop, then are boxed, a hundred times slower.
 */
final class VectorBackend implements Backend {
    private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();

    /** For the packed rows and the parts of exponentials, kept from call to call: new memory would be outside the near caches every time. */
    private static final ThreadLocal<double[]> KEPT = ThreadLocal.withInitial(() -> new double[0]);
    private static final int MOST_KEPT = 1 << 16; // numbers

    VectorBackend() { }

    /**
     * This thread's array, of so many numbers or more, with whatever was left in it. The next call on this thread may return the same one:
     * it is not to be held across a call of the backend.
     */
    static double[] kept(int size) {
        if (size > MOST_KEPT) {
            return new double[size];
        }
        if (KEPT.get().length < size) {
            KEPT.set(new double[size]);
        }
        return KEPT.get();
    }

    @Override
    public void multiply(int m, int n, int k, double[] a, int aFrom, int aRow, int aColumn, double[] b, int bFrom, int bRow,
            double[] c, int cFrom, int cRow, boolean add) {
        VectorProduct.multiply(m, n, k, a, aFrom, aRow, aColumn, b, bFrom, bRow, c, cFrom, cRow, add);
    }

    @Override
    public void max(int rows, int n, double[] s, int sFrom, int sRow, double[] max) {
        int whole = SPECIES.loopBound(n);
        for (int j = 0; j < whole; j += LANES) {
            maxOfColumns(rows, s, sFrom + j, sRow, max, j);
        }
        for (int j = whole; j < n; j++) {
            for (int i = 0; i < rows; i++) {
                double x = s[sFrom + i * sRow + j];
                max[j] = x > max[j] ? x : max[j];
            }
        }
    }

    private static void maxOfColumns(int rows, double[] s, int at, int sRow, double[] max, int j) {
        DoubleVector m = DoubleVector.fromArray(SPECIES, max, j);
        for (int i = 0; i < rows; i++) {
            DoubleVector x = DoubleVector.fromArray(SPECIES, s, at + i * sRow);
            m = m.blend(x, x.compare(VectorOperators.GT, m));
        }
        m.intoArray(max, j);
    }

    /**
     * {@link Exp#of}, operation by operation, for one row after the other in two loops: the chain of operations of the whole is longer than
     * a processor looks ahead, and it would wait.
     */
    @Override
    public void exp(int rows, int n, double[] s, int sFrom, int sRow, double[] max, double[] sum) {
        int whole = SPECIES.loopBound(n);
        double[] reduced = kept(3 * whole); // n + ROUND of each number, then r of each, then what r lost
        for (int i = 0; i < rows; i++) {
            int at = sFrom + i * sRow;
            reduce(whole, s, at, max, reduced);
            raise(whole, reduced, s, at, sum);
            for (int j = whole; j < n; j++) {
                s[at + j] = Exp.of(s[at + j] - max[j]);
                sum[j] += s[at + j];
            }
        }
    }

    private static void reduce(int columns, double[] s, int at, double[] max, double[] reduced) {
        for (int j = 0; j < columns; j += LANES) {
            DoubleVector below = DoubleVector.fromArray(SPECIES, s, at + j).sub(DoubleVector.fromArray(SPECIES, max, j));
            DoubleVector x = below.blend(Exp.LOWEST, below.compare(VectorOperators.LT, Exp.LOWEST));
            DoubleVector scaled = x.fma(broadcast(Exp.PER_LN2), broadcast(Exp.ROUND));
            DoubleVector n = scaled.sub(Exp.ROUND);
            DoubleVector high = n.fma(broadcast(-Exp.LN2_HIGH), x);
            DoubleVector r = n.fma(broadcast(-Exp.LN2_LOW), high);
            DoubleVector low = n.fma(broadcast(-Exp.LN2_LOW), high.sub(r));
            scaled.intoArray(reduced, j);
            r.intoArray(reduced, columns + j);
            low.intoArray(reduced, 2 * columns + j);
        }
    }

    private static void raise(int columns, double[] reduced, double[] s, int at, double[] sum) {
        for (int j = 0; j < columns; j += LANES) {
            DoubleVector scaled = DoubleVector.fromArray(SPECIES, reduced, j);
            DoubleVector r = DoubleVector.fromArray(SPECIES, reduced, columns + j);
            DoubleVector low = DoubleVector.fromArray(SPECIES, reduced, 2 * columns + j);
            DoubleVector r2 = r.mul(r);
            DoubleVector even = r2.fma(broadcast(Exp.Q8), broadcast(Exp.Q6));
            even = even.fma(r2, broadcast(Exp.Q4));
            even = even.fma(r2, broadcast(Exp.Q2));
            even = even.fma(r2, broadcast(Exp.Q0));
            DoubleVector odd = r2.fma(broadcast(Exp.Q9), broadcast(Exp.Q7));
            odd = odd.fma(r2, broadcast(Exp.Q5));
            odd = odd.fma(r2, broadcast(Exp.Q3));
            odd = odd.fma(r2, broadcast(Exp.Q1));
            DoubleVector fraction = r.add(r2.fma(odd.fma(r, even), low)).add(1);
            DoubleVector scale = scaled.reinterpretAsLongs().lanewise(VectorOperators.LSHL, 52).reinterpretAsDoubles();
            DoubleVector e = fraction.mul(scale).mul(Exp.LAST_SCALE);
            e.intoArray(s, at + j);
            DoubleVector.fromArray(SPECIES, sum, j).add(e).intoArray(sum, j);
        }
    }

    private static DoubleVector broadcast(double x) {
        return DoubleVector.broadcast(SPECIES, x);
    }

    @Override
    public void dots(Xoroshiro128PlusPlus random, int dK, int n, double[] dots) {
        new VectorDots(random).fill(dK, n, dots);
    }

    @Override
    public String toString() {
        return "vector, " + LANES + " doubles";
    }
}
