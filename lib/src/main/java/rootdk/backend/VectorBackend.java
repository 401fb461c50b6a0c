package rootdk.backend;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The Vector API. It is an incubator module, whose compiler warning cannot be silenced on JDK 17, so this file and
 * {@link VectorDots} are compiled by an execution of their own (pom.xml), and this one is found by {@link VectorLookup}.
 *
 * <p>The loops are short on purpose: a method with more than some 30 vector operations, or with a loop in a loop, is compiled to boxed
 * vectors, a hundred times slower.
 */
final class VectorBackend implements Backend {
    private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();
    private static final int FIVE = 5; // rows: 5 × 2 sums, 2 vectors of B and those of A must fit into the 16 registers of AVX2: 6 do not on JDK 25
    private static final int FOUR = 4;
    private static final VectorSpecies<Double> FOUR_DOUBLES = DoubleVector.SPECIES_256;
    private static final int COLUMNS = 2 * LANES;
    private static final int PACKED = 13 * FIVE; // rows of A packed at a time: 64 and one more

    /** For the packed rows and the parts of exponentials, kept from call to call: new memory would be outside the near caches every time. */
    private static final ThreadLocal<double[]> KEPT = ThreadLocal.withInitial(() -> new double[0]);
    private static final int MOST_KEPT = 1 << 16; // numbers

    VectorBackend() { }

    private static double[] kept(int size) {
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
        int pitch = k % 256 == 0 ? k + 2 : k; // blocks whole pages apart would share places of the cache
        double[] packed = kept(PACKED * pitch);
        double[] edge = new double[FIVE * COLUMNS];
        double[] lastColumns = new double[n % COLUMNS == 0 ? 0 : k * COLUMNS]; // filled up with zeros
        for (int first = 0; first < m; first += PACKED) {
            int rows = Math.min(PACKED, m - first);
            int fives = rowsInFives(rows);
            pack(rows, fives, k, pitch, a, aFrom + first * aRow, aRow, aColumn, packed);
            for (int j = 0; j < n; j += COLUMNS) {
                int width = Math.min(COLUMNS, n - j);
                double[] right = b;
                int rightAt = bFrom + j;
                int rightRow = bRow;
                if (width < COLUMNS) {
                    copy(k, width, b, bFrom + j, bRow, lastColumns, 0, COLUMNS);
                    right = lastColumns;
                    rightAt = 0;
                    rightRow = COLUMNS;
                }
                int at = cFrom + first * cRow + j;
                for (int i = 0; i < fives; i += FIVE) {
                    if (width == COLUMNS) {
                        blockOfFive(k, packed, i * pitch, right, rightAt, rightRow, c, at + i * cRow, cRow, add);
                    } else {
                        if (add) {
                            copy(FIVE, width, c, at + i * cRow, cRow, edge, 0, COLUMNS);
                        }
                        blockOfFive(k, packed, i * pitch, right, rightAt, rightRow, edge, 0, COLUMNS, add);
                        copy(FIVE, width, edge, 0, COLUMNS, c, at + i * cRow, cRow);
                    }
                }
                for (int i = fives; i < rows; i += FOUR) {
                    int height = Math.min(FOUR, rows - i);
                    if (height == FOUR && width == COLUMNS) {
                        blockOfFour(k, packed, i * pitch, right, rightAt, rightRow, c, at + i * cRow, cRow, add);
                    } else {
                        if (add) {
                            copy(height, width, c, at + i * cRow, cRow, edge, 0, COLUMNS);
                        }
                        blockOfFour(k, packed, i * pitch, right, rightAt, rightRow, edge, 0, COLUMNS, add);
                        copy(height, width, edge, 0, COLUMNS, c, at + i * cRow, cRow);
                    }
                }
            }
        }
    }

    /** How many of the rows to take in blocks of five, so that blocks of four take the others: 16 rows are four fours, 17 a five and three fours. */
    private static int rowsInFives(int rows) {
        int blocks = (rows + FIVE - 1) / FIVE;
        return Math.max(0, rows - blocks * FOUR) * FIVE;
    }

    /**
     * Rows of A side by side, block by block, the last row again where the last block has no more: row i of column t, in a block of
     * {@code height} rows that begins with row {@code first}, at first * pitch + t * height + i - first. A is read in the order of memory,
     * which is how it comes from the far caches soonest.
     */
    private static void pack(int rows, int fives, int k, int pitch, double[] a, int aAt, int aRow, int aColumn, double[] packed) {
        int last = rows - 1;
        if (aColumn == 1) {
            for (int i = 0; i < fives; i++) {
                packRowOfFive(k, a, aAt + i * aRow, packed, i / FIVE * FIVE * pitch + i % FIVE);
            }
            for (int i = 0; i < rows - fives || i % FOUR != 0; i++) {
                packRowOfFour(k, a, aAt + Math.min(fives + i, last) * aRow, packed, (fives + i / FOUR * FOUR) * pitch + i % FOUR);
            }
            return;
        }
        int whole = rows - (rows - fives) % FOUR;
        for (int t = 0; t < k; t++) {
            int at = aAt + t * aColumn;
            if (aRow == 1 && LANES >= FOUR) {
                packFives(fives, a, at, packed, t * FIVE, pitch * FIVE);
                packFours(fives, whole, a, at, packed, fives * pitch + t * FOUR, pitch * FOUR);
            } else {
                packColumn(0, fives, FIVE, a, at, aRow, packed, t * FIVE, pitch * FIVE);
                packColumn(fives, whole, FOUR, a, at, aRow, packed, fives * pitch + t * FOUR, pitch * FOUR);
            }
            for (int i = 0; i < FOUR && whole < rows; i++) {
                packed[whole * pitch + t * FOUR + i] = a[at + Math.min(whole + i, last) * aRow];
            }
        }
    }

    private static void packRowOfFive(int k, double[] a, int at, double[] packed, int to) {
        for (int t = 0; t < k; t++) {
            packed[to + t * FIVE] = a[at + t];
        }
    }

    private static void packRowOfFour(int k, double[] a, int at, double[] packed, int to) {
        for (int t = 0; t < k; t++) {
            packed[to + t * FOUR] = a[at + t];
        }
    }

    private static void packColumn(int from, int rows, int height, double[] a, int at, int aRow, double[] packed, int to, int step) {
        for (int i = from; i < rows; i += height) {
            for (int j = 0; j < height; j++) {
                packed[to + j] = a[at + (i + j) * aRow];
            }
            to += step;
        }
    }

    /** A column whose numbers are side by side: four of them at once, where vectors are that long. */
    private static void packFives(int rows, double[] a, int at, double[] packed, int to, int step) {
        for (int i = 0; i < rows; i += FIVE) {
            DoubleVector.fromArray(FOUR_DOUBLES, a, at + i).intoArray(packed, to);
            packed[to + FOUR] = a[at + i + FOUR];
            to += step;
        }
    }

    private static void packFours(int from, int rows, double[] a, int at, double[] packed, int to, int step) {
        for (int i = from; i < rows; i += FOUR) {
            DoubleVector.fromArray(FOUR_DOUBLES, a, at + i).intoArray(packed, to);
            to += step;
        }
    }

    private static void copy(int rows, int columns, double[] from, int fromAt, int fromRow, double[] to, int toAt, int toRow) {
        for (int i = 0; i < rows; i++) {
            System.arraycopy(from, fromAt + i * fromRow, to, toAt + i * toRow, columns);
        }
    }

    /** Five rows of COLUMNS entries of C. */
    private static void blockOfFive(int k, double[] packed, int aAt, double[] b, int bAt, int bRow, double[] c, int cAt, int cRow, boolean add) {
        DoubleVector s00 = DoubleVector.zero(SPECIES);
        DoubleVector s01 = s00;
        DoubleVector s10 = s00;
        DoubleVector s11 = s00;
        DoubleVector s20 = s00;
        DoubleVector s21 = s00;
        DoubleVector s30 = s00;
        DoubleVector s31 = s00;
        DoubleVector s40 = s00;
        DoubleVector s41 = s00;
        for (int t = 0; t < k; t++) {
            DoubleVector b0 = DoubleVector.fromArray(SPECIES, b, bAt);
            DoubleVector b1 = DoubleVector.fromArray(SPECIES, b, bAt + LANES);
            DoubleVector a = broadcast(packed[aAt]);
            s00 = a.fma(b0, s00);
            s01 = a.fma(b1, s01);
            a = broadcast(packed[aAt + 1]);
            s10 = a.fma(b0, s10);
            s11 = a.fma(b1, s11);
            a = broadcast(packed[aAt + 2]);
            s20 = a.fma(b0, s20);
            s21 = a.fma(b1, s21);
            a = broadcast(packed[aAt + 3]);
            s30 = a.fma(b0, s30);
            s31 = a.fma(b1, s31);
            a = broadcast(packed[aAt + 4]);
            s40 = a.fma(b0, s40);
            s41 = a.fma(b1, s41);
            aAt += FIVE;
            bAt += bRow;
        }
        store(s00, s01, c, cAt, add);
        store(s10, s11, c, cAt + cRow, add);
        store(s20, s21, c, cAt + 2 * cRow, add);
        store(s30, s31, c, cAt + 3 * cRow, add);
        store(s40, s41, c, cAt + 4 * cRow, add);
    }

    /** Four rows of them: not as fast, by a tenth or two, as the processor then waits for a sum now and then. */
    private static void blockOfFour(int k, double[] packed, int aAt, double[] b, int bAt, int bRow, double[] c, int cAt, int cRow, boolean add) {
        DoubleVector s00 = DoubleVector.zero(SPECIES);
        DoubleVector s01 = s00;
        DoubleVector s10 = s00;
        DoubleVector s11 = s00;
        DoubleVector s20 = s00;
        DoubleVector s21 = s00;
        DoubleVector s30 = s00;
        DoubleVector s31 = s00;
        for (int t = 0; t < k; t++) {
            DoubleVector b0 = DoubleVector.fromArray(SPECIES, b, bAt);
            DoubleVector b1 = DoubleVector.fromArray(SPECIES, b, bAt + LANES);
            DoubleVector a = broadcast(packed[aAt]);
            s00 = a.fma(b0, s00);
            s01 = a.fma(b1, s01);
            a = broadcast(packed[aAt + 1]);
            s10 = a.fma(b0, s10);
            s11 = a.fma(b1, s11);
            a = broadcast(packed[aAt + 2]);
            s20 = a.fma(b0, s20);
            s21 = a.fma(b1, s21);
            a = broadcast(packed[aAt + 3]);
            s30 = a.fma(b0, s30);
            s31 = a.fma(b1, s31);
            aAt += FOUR;
            bAt += bRow;
        }
        store(s00, s01, c, cAt, add);
        store(s10, s11, c, cAt + cRow, add);
        store(s20, s21, c, cAt + 2 * cRow, add);
        store(s30, s31, c, cAt + 3 * cRow, add);
    }

    private static void store(DoubleVector left, DoubleVector right, double[] c, int at, boolean add) {
        if (add) {
            left = DoubleVector.fromArray(SPECIES, c, at).add(left);
            right = DoubleVector.fromArray(SPECIES, c, at + LANES).add(right);
        }
        left.intoArray(c, at);
        right.intoArray(c, at + LANES);
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
