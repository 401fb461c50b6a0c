package rootdk.backend;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * {@link VectorBackend#multiply}: C in blocks of a few rows and vectors, whose sums stay in registers. For it the rows of A are packed
 * side by side, unless they are already; the columns of B are taken where they are, but for an incomplete vector of them.
 */
final class VectorProduct {
    private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();

    /**
     * How many rows and columns of C a block has. Its sums, its vectors of B and one of A must fit into the registers: 5 × 2 vectors into
     * the 16 of AVX2 (6 × 2 do not on JDK 25), 8 × 3 into the 32 of AVX-512. The smaller blocks are for what is left.
     */
    private static final boolean LARGE = LANES >= 8;
    private static final int HIGH = LARGE ? 8 : 5; // rows
    private static final int LOW = LARGE ? 8 : 4;
    private static final int WIDE = LARGE ? 3 * LANES : 2 * LANES; // columns
    private static final int NARROW = 2 * LANES;
    private static final int PACKED = LARGE ? 64 : 65; // rows of A at a time
    private static final int PAGE = 512; // numbers, 4 KiB: where columns of A are that far apart, each is on a page of its own

    private static final VectorShuffle<Double> SWAP_FOUR = swap(4);
    private static final VectorShuffle<Double> SWAP_TWO = swap(2);
    private static final VectorShuffle<Double> SWAP_ONE = swap(1);
    private static final VectorMask<Double> ODD_FOUR = odd(4);
    private static final VectorMask<Double> ODD_TWO = odd(2);
    private static final VectorMask<Double> ODD_ONE = odd(1);

    private VectorProduct() { }

    /** Exchanges neighbours that are so many lanes wide. */
    private static VectorShuffle<Double> swap(int width) {
        return VectorShuffle.fromOp(SPECIES, lane -> (lane ^ width) % LANES);
    }

    /** The second of two neighbours. */
    private static VectorMask<Double> odd(int width) {
        boolean[] second = new boolean[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            second[lane] = (lane & width) != 0;
        }
        return VectorMask.fromArray(SPECIES, second, 0);
    }

    static void multiply(int m, int n, int k, double[] a, int aFrom, int aRow, int aColumn, double[] b, int bFrom, int bRow,
            double[] c, int cFrom, int cRow, boolean add) {
        boolean inPlace = LARGE && aRow == 1 && aColumn < PAGE; // a column of a block stands side by side already
        int pitch = k % 256 == 0 ? k + 2 : k; // blocks whole pages apart would share places of the cache
        double[] packed = VectorBackend.kept(Math.multiplyExact(inPlace ? LOW : Math.min(PACKED, m + LOW - 1), pitch));
        double[] edge = new double[HIGH * WIDE];
        int wide = inLarge(n, WIDE, NARROW);
        int wholeColumns = n - (n - wide) % NARROW;
        double[] lastColumns = wholeColumns == n ? null : new double[Math.multiplyExact(k, NARROW)]; // filled up with zeros
        if (lastColumns != null) {
            copy(k, n - wholeColumns, b, bFrom + wholeColumns, bRow, lastColumns, 0, NARROW);
        }
        for (int first = 0; first < m; first += PACKED) {
            int rows = Math.min(PACKED, m - first);
            int high = inLarge(rows, HIGH, LOW);
            int wholeRows = rows - (rows - high) % LOW;
            int aAt = aFrom + first * aRow;
            int lastAt = inPlace ? 0 : wholeRows * pitch;
            if (!inPlace) {
                pack(wholeRows, high, k, pitch, a, aAt, aRow, aColumn, packed);
            }
            packLast(rows - wholeRows, k, a, aAt + wholeRows * aRow, aRow, aColumn, packed, lastAt);
            int width;
            for (int j = 0; j < n; j += width) {
                width = j < wide ? WIDE : NARROW;
                int columns = Math.min(width, n - j);
                double[] right = columns == width ? b : lastColumns;
                int rightAt = columns == width ? bFrom + j : 0;
                int rightRow = columns == width ? bRow : NARROW;
                int height;
                for (int i = 0; i < rows; i += height) {
                    height = i < high ? HIGH : LOW;
                    boolean whole = i < wholeRows;
                    double[] left = inPlace && whole ? a : packed;
                    int leftAt = !whole ? lastAt : inPlace ? aAt + i * aRow : i * pitch;
                    int leftColumn = inPlace && whole ? aColumn : height;
                    int at = cFrom + (first + i) * cRow + j;
                    if (whole && columns == width) {
                        block(height, width, k, left, leftAt, leftColumn, right, rightAt, rightRow, c, at, cRow, add);
                    } else {
                        int lines = Math.min(height, rows - i);
                        if (add) {
                            copy(lines, columns, c, at, cRow, edge, 0, width);
                        }
                        block(height, width, k, left, leftAt, leftColumn, right, rightAt, rightRow, edge, 0, width, add);
                        copy(lines, columns, edge, 0, width, c, at, cRow);
                    }
                }
            }
        }
    }

    /**
     * How many of n rows or columns to take in large blocks, so that with small ones for the others as few as possible are computed in
     * vain: 16 rows are four fours, 17 a five and three fours. 0 where large blocks are as small as small ones.
     */
    private static int inLarge(int n, int large, int small) {
        int best = 0;
        int least = Integer.MAX_VALUE;
        int most = large == small ? 0 : n / large;
        for (int blocks = most; blocks >= 0 && blocks > most - small; blocks--) { // fewer would come to one of these again
            int all = blocks * large + (n - blocks * large + small - 1) / small * small;
            if (all < least) {
                least = all;
                best = blocks * large;
            }
        }
        return best;
    }

    /**
     * The rows of whole blocks, side by side: row i of column t, in a block of {@code height} rows that begins with row {@code first}, goes
     * to first * pitch + t * height + i - first. A is read in the order of memory, which is how it comes from the far caches soonest.
     */
    private static void pack(int rows, int high, int k, int pitch, double[] a, int aAt, int aRow, int aColumn, double[] packed) {
        if (aColumn == 1) {
            for (int i = 0; i < high; i++) {
                packHighRow(k, a, aAt + i * aRow, packed, i / HIGH * HIGH * pitch + i % HIGH);
            }
            for (int i = high; i < rows; i += LOW) {
                int eights = LANES == 8 ? k - k % 8 : 0;
                packEightRows(eights, a, aAt + i * aRow, aRow, packed, i * pitch);
                for (int j = 0; j < LOW && eights < k; j++) {
                    packLowRow(eights, k, a, aAt + (i + j) * aRow, packed, i * pitch + j);
                }
            }
            return;
        }
        for (int t = 0; t < k; t++) {
            int at = aAt + t * aColumn;
            if (aRow == 1 && LOW == LANES) {
                packHighs(high, a, at, packed, t * HIGH, pitch * HIGH);
                packLows(high, rows, a, at, packed, high * pitch + t * LOW, pitch * LOW);
            } else {
                packColumn(0, high, HIGH, a, at, aRow, packed, t * HIGH, pitch * HIGH);
                packColumn(high, rows, LOW, a, at, aRow, packed, high * pitch + t * LOW, pitch * LOW);
            }
        }
    }

    /** The rows of the last, incomplete block, and the last of them again where it has no more. */
    private static void packLast(int rows, int k, double[] a, int aAt, int aRow, int aColumn, double[] packed, int to) {
        for (int i = 0; i < LOW && rows > 0; i++) {
            int at = aAt + Math.min(i, rows - 1) * aRow;
            for (int t = 0; t < k; t++) {
                packed[to + t * LOW + i] = a[at + t * aColumn];
            }
        }
    }

    private static void packHighRow(int k, double[] a, int at, double[] packed, int to) {
        for (int t = 0; t < k; t++) {
            packed[to + t * HIGH] = a[at + t];
        }
    }

    private static void packLowRow(int from, int k, double[] a, int at, double[] packed, int to) {
        for (int t = from; t < k; t++) {
            packed[to + t * LOW] = a[at + t];
        }
    }

    /**
     * Eight rows of k numbers, a multiple of 8, at once: twice as fast. Eight vectors are transposed by exchanging what lies beside the
     * diagonal, of blocks of four, of two and of one.
     */
    private static void packEightRows(int k, double[] a, int at, int aRow, double[] packed, int to) {
        for (int t = 0; t < k; t += 8) {
            DoubleVector r0 = DoubleVector.fromArray(SPECIES, a, at + t);
            DoubleVector r1 = DoubleVector.fromArray(SPECIES, a, at + t + aRow);
            DoubleVector r2 = DoubleVector.fromArray(SPECIES, a, at + t + 2 * aRow);
            DoubleVector r3 = DoubleVector.fromArray(SPECIES, a, at + t + 3 * aRow);
            DoubleVector r4 = DoubleVector.fromArray(SPECIES, a, at + t + 4 * aRow);
            DoubleVector r5 = DoubleVector.fromArray(SPECIES, a, at + t + 5 * aRow);
            DoubleVector r6 = DoubleVector.fromArray(SPECIES, a, at + t + 6 * aRow);
            DoubleVector r7 = DoubleVector.fromArray(SPECIES, a, at + t + 7 * aRow);
            DoubleVector s0 = r0.blend(r4.rearrange(SWAP_FOUR), ODD_FOUR);
            DoubleVector s4 = r0.rearrange(SWAP_FOUR).blend(r4, ODD_FOUR);
            DoubleVector s1 = r1.blend(r5.rearrange(SWAP_FOUR), ODD_FOUR);
            DoubleVector s5 = r1.rearrange(SWAP_FOUR).blend(r5, ODD_FOUR);
            DoubleVector s2 = r2.blend(r6.rearrange(SWAP_FOUR), ODD_FOUR);
            DoubleVector s6 = r2.rearrange(SWAP_FOUR).blend(r6, ODD_FOUR);
            DoubleVector s3 = r3.blend(r7.rearrange(SWAP_FOUR), ODD_FOUR);
            DoubleVector s7 = r3.rearrange(SWAP_FOUR).blend(r7, ODD_FOUR);
            DoubleVector t0 = s0.blend(s2.rearrange(SWAP_TWO), ODD_TWO);
            DoubleVector t2 = s0.rearrange(SWAP_TWO).blend(s2, ODD_TWO);
            DoubleVector t1 = s1.blend(s3.rearrange(SWAP_TWO), ODD_TWO);
            DoubleVector t3 = s1.rearrange(SWAP_TWO).blend(s3, ODD_TWO);
            DoubleVector t4 = s4.blend(s6.rearrange(SWAP_TWO), ODD_TWO);
            DoubleVector t6 = s4.rearrange(SWAP_TWO).blend(s6, ODD_TWO);
            DoubleVector t5 = s5.blend(s7.rearrange(SWAP_TWO), ODD_TWO);
            DoubleVector t7 = s5.rearrange(SWAP_TWO).blend(s7, ODD_TWO);
            DoubleVector u0 = t0.blend(t1.rearrange(SWAP_ONE), ODD_ONE);
            DoubleVector u1 = t0.rearrange(SWAP_ONE).blend(t1, ODD_ONE);
            DoubleVector u2 = t2.blend(t3.rearrange(SWAP_ONE), ODD_ONE);
            DoubleVector u3 = t2.rearrange(SWAP_ONE).blend(t3, ODD_ONE);
            DoubleVector u4 = t4.blend(t5.rearrange(SWAP_ONE), ODD_ONE);
            DoubleVector u5 = t4.rearrange(SWAP_ONE).blend(t5, ODD_ONE);
            DoubleVector u6 = t6.blend(t7.rearrange(SWAP_ONE), ODD_ONE);
            DoubleVector u7 = t6.rearrange(SWAP_ONE).blend(t7, ODD_ONE);
            u0.intoArray(packed, to + t * 8);
            u1.intoArray(packed, to + (t + 1) * 8);
            u2.intoArray(packed, to + (t + 2) * 8);
            u3.intoArray(packed, to + (t + 3) * 8);
            u4.intoArray(packed, to + (t + 4) * 8);
            u5.intoArray(packed, to + (t + 5) * 8);
            u6.intoArray(packed, to + (t + 6) * 8);
            u7.intoArray(packed, to + (t + 7) * 8);
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

    /** A column whose numbers are side by side: a vector at once, where that is as long as a low block is high. */
    private static void packHighs(int rows, double[] a, int at, double[] packed, int to, int step) {
        for (int i = 0; i < rows; i += HIGH) {
            DoubleVector.fromArray(SPECIES, a, at + i).intoArray(packed, to);
            for (int j = LOW; j < HIGH; j++) {
                packed[to + j] = a[at + i + j];
            }
            to += step;
        }
    }

    private static void packLows(int from, int rows, double[] a, int at, double[] packed, int to, int step) {
        for (int i = from; i < rows; i += LOW) {
            DoubleVector.fromArray(SPECIES, a, at + i).intoArray(packed, to);
            to += step;
        }
    }

    private static void copy(int rows, int columns, double[] from, int fromAt, int fromRow, double[] to, int toAt, int toRow) {
        for (int i = 0; i < rows; i++) {
            System.arraycopy(from, fromAt + i * fromRow, to, toAt + i * toRow, columns);
        }
    }

    /**
     * height × width entries of C, with A packed, or where it is: columns aColumn apart, which only AVX-512 asks for. The blocks are methods
     * of their own, as a method with two of them is compiled to boxed vectors; those of AVX-512 call no method of ours, which would not be
     * inlined in one so large. Hence the copies with other numbers of rows and columns.
     */
    private static void block(int height, int width, int k, double[] a, int aAt, int aColumn, double[] b, int bAt, int bRow,
            double[] c, int cAt, int cRow, boolean add) {
        if (LARGE) {
            if (width == WIDE) {
                eightByThree(k, a, aAt, aColumn, b, bAt, bRow, c, cAt, cRow, add);
            } else {
                eightByTwo(k, a, aAt, aColumn, b, bAt, bRow, c, cAt, cRow, add);
            }
        } else if (height == HIGH) {
            fiveByTwo(k, a, aAt, b, bAt, bRow, c, cAt, cRow, add);
        } else {
            fourByTwo(k, a, aAt, b, bAt, bRow, c, cAt, cRow, add);
        }
    }

    private static void fiveByTwo(int k, double[] a, int aAt, double[] b, int bAt, int bRow, double[] c, int cAt, int cRow, boolean add) {
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
            DoubleVector x = broadcast(a[aAt]);
            s00 = x.fma(b0, s00);
            s01 = x.fma(b1, s01);
            x = broadcast(a[aAt + 1]);
            s10 = x.fma(b0, s10);
            s11 = x.fma(b1, s11);
            x = broadcast(a[aAt + 2]);
            s20 = x.fma(b0, s20);
            s21 = x.fma(b1, s21);
            x = broadcast(a[aAt + 3]);
            s30 = x.fma(b0, s30);
            s31 = x.fma(b1, s31);
            x = broadcast(a[aAt + 4]);
            s40 = x.fma(b0, s40);
            s41 = x.fma(b1, s41);
            aAt += 5; // a constant: with a step from outside this is up to a tenth slower
            bAt += bRow;
        }
        store(s00, s01, c, cAt, add);
        store(s10, s11, c, cAt + cRow, add);
        store(s20, s21, c, cAt + 2 * cRow, add);
        store(s30, s31, c, cAt + 3 * cRow, add);
        store(s40, s41, c, cAt + 4 * cRow, add);
    }

    /** A tenth or two slower for each number than five rows: with eight sums the processor waits for one now and then. */
    private static void fourByTwo(int k, double[] a, int aAt, double[] b, int bAt, int bRow, double[] c, int cAt, int cRow, boolean add) {
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
            DoubleVector x = broadcast(a[aAt]);
            s00 = x.fma(b0, s00);
            s01 = x.fma(b1, s01);
            x = broadcast(a[aAt + 1]);
            s10 = x.fma(b0, s10);
            s11 = x.fma(b1, s11);
            x = broadcast(a[aAt + 2]);
            s20 = x.fma(b0, s20);
            s21 = x.fma(b1, s21);
            x = broadcast(a[aAt + 3]);
            s30 = x.fma(b0, s30);
            s31 = x.fma(b1, s31);
            aAt += 4;
            bAt += bRow;
        }
        store(s00, s01, c, cAt, add);
        store(s10, s11, c, cAt + cRow, add);
        store(s20, s21, c, cAt + 2 * cRow, add);
        store(s30, s31, c, cAt + 3 * cRow, add);
    }

    private static void eightByThree(int k, double[] a, int aAt, int aColumn, double[] b, int bAt, int bRow, double[] c, int cAt, int cRow, boolean add) {
        DoubleVector s00 = DoubleVector.zero(SPECIES);
        DoubleVector s01 = s00;
        DoubleVector s02 = s00;
        DoubleVector s10 = s00;
        DoubleVector s11 = s00;
        DoubleVector s12 = s00;
        DoubleVector s20 = s00;
        DoubleVector s21 = s00;
        DoubleVector s22 = s00;
        DoubleVector s30 = s00;
        DoubleVector s31 = s00;
        DoubleVector s32 = s00;
        DoubleVector s40 = s00;
        DoubleVector s41 = s00;
        DoubleVector s42 = s00;
        DoubleVector s50 = s00;
        DoubleVector s51 = s00;
        DoubleVector s52 = s00;
        DoubleVector s60 = s00;
        DoubleVector s61 = s00;
        DoubleVector s62 = s00;
        DoubleVector s70 = s00;
        DoubleVector s71 = s00;
        DoubleVector s72 = s00;
        for (int t = 0; t < k; t++) {
            DoubleVector b0 = DoubleVector.fromArray(SPECIES, b, bAt);
            DoubleVector b1 = DoubleVector.fromArray(SPECIES, b, bAt + LANES);
            DoubleVector b2 = DoubleVector.fromArray(SPECIES, b, bAt + 2 * LANES);
            DoubleVector x = DoubleVector.broadcast(SPECIES, a[aAt]);
            s00 = x.fma(b0, s00);
            s01 = x.fma(b1, s01);
            s02 = x.fma(b2, s02);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 1]);
            s10 = x.fma(b0, s10);
            s11 = x.fma(b1, s11);
            s12 = x.fma(b2, s12);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 2]);
            s20 = x.fma(b0, s20);
            s21 = x.fma(b1, s21);
            s22 = x.fma(b2, s22);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 3]);
            s30 = x.fma(b0, s30);
            s31 = x.fma(b1, s31);
            s32 = x.fma(b2, s32);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 4]);
            s40 = x.fma(b0, s40);
            s41 = x.fma(b1, s41);
            s42 = x.fma(b2, s42);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 5]);
            s50 = x.fma(b0, s50);
            s51 = x.fma(b1, s51);
            s52 = x.fma(b2, s52);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 6]);
            s60 = x.fma(b0, s60);
            s61 = x.fma(b1, s61);
            s62 = x.fma(b2, s62);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 7]);
            s70 = x.fma(b0, s70);
            s71 = x.fma(b1, s71);
            s72 = x.fma(b2, s72);
            aAt += aColumn;
            bAt += bRow;
        }
        if (add) {
            s00 = DoubleVector.fromArray(SPECIES, c, cAt).add(s00);
            s01 = DoubleVector.fromArray(SPECIES, c, cAt + LANES).add(s01);
            s02 = DoubleVector.fromArray(SPECIES, c, cAt + 2 * LANES).add(s02);
            s10 = DoubleVector.fromArray(SPECIES, c, cAt + cRow).add(s10);
            s11 = DoubleVector.fromArray(SPECIES, c, cAt + cRow + LANES).add(s11);
            s12 = DoubleVector.fromArray(SPECIES, c, cAt + cRow + 2 * LANES).add(s12);
            s20 = DoubleVector.fromArray(SPECIES, c, cAt + 2 * cRow).add(s20);
            s21 = DoubleVector.fromArray(SPECIES, c, cAt + 2 * cRow + LANES).add(s21);
            s22 = DoubleVector.fromArray(SPECIES, c, cAt + 2 * cRow + 2 * LANES).add(s22);
            s30 = DoubleVector.fromArray(SPECIES, c, cAt + 3 * cRow).add(s30);
            s31 = DoubleVector.fromArray(SPECIES, c, cAt + 3 * cRow + LANES).add(s31);
            s32 = DoubleVector.fromArray(SPECIES, c, cAt + 3 * cRow + 2 * LANES).add(s32);
            s40 = DoubleVector.fromArray(SPECIES, c, cAt + 4 * cRow).add(s40);
            s41 = DoubleVector.fromArray(SPECIES, c, cAt + 4 * cRow + LANES).add(s41);
            s42 = DoubleVector.fromArray(SPECIES, c, cAt + 4 * cRow + 2 * LANES).add(s42);
            s50 = DoubleVector.fromArray(SPECIES, c, cAt + 5 * cRow).add(s50);
            s51 = DoubleVector.fromArray(SPECIES, c, cAt + 5 * cRow + LANES).add(s51);
            s52 = DoubleVector.fromArray(SPECIES, c, cAt + 5 * cRow + 2 * LANES).add(s52);
            s60 = DoubleVector.fromArray(SPECIES, c, cAt + 6 * cRow).add(s60);
            s61 = DoubleVector.fromArray(SPECIES, c, cAt + 6 * cRow + LANES).add(s61);
            s62 = DoubleVector.fromArray(SPECIES, c, cAt + 6 * cRow + 2 * LANES).add(s62);
            s70 = DoubleVector.fromArray(SPECIES, c, cAt + 7 * cRow).add(s70);
            s71 = DoubleVector.fromArray(SPECIES, c, cAt + 7 * cRow + LANES).add(s71);
            s72 = DoubleVector.fromArray(SPECIES, c, cAt + 7 * cRow + 2 * LANES).add(s72);
        }
        s00.intoArray(c, cAt);
        s01.intoArray(c, cAt + LANES);
        s02.intoArray(c, cAt + 2 * LANES);
        s10.intoArray(c, cAt + cRow);
        s11.intoArray(c, cAt + cRow + LANES);
        s12.intoArray(c, cAt + cRow + 2 * LANES);
        s20.intoArray(c, cAt + 2 * cRow);
        s21.intoArray(c, cAt + 2 * cRow + LANES);
        s22.intoArray(c, cAt + 2 * cRow + 2 * LANES);
        s30.intoArray(c, cAt + 3 * cRow);
        s31.intoArray(c, cAt + 3 * cRow + LANES);
        s32.intoArray(c, cAt + 3 * cRow + 2 * LANES);
        s40.intoArray(c, cAt + 4 * cRow);
        s41.intoArray(c, cAt + 4 * cRow + LANES);
        s42.intoArray(c, cAt + 4 * cRow + 2 * LANES);
        s50.intoArray(c, cAt + 5 * cRow);
        s51.intoArray(c, cAt + 5 * cRow + LANES);
        s52.intoArray(c, cAt + 5 * cRow + 2 * LANES);
        s60.intoArray(c, cAt + 6 * cRow);
        s61.intoArray(c, cAt + 6 * cRow + LANES);
        s62.intoArray(c, cAt + 6 * cRow + 2 * LANES);
        s70.intoArray(c, cAt + 7 * cRow);
        s71.intoArray(c, cAt + 7 * cRow + LANES);
        s72.intoArray(c, cAt + 7 * cRow + 2 * LANES);
    }

    private static void eightByTwo(int k, double[] a, int aAt, int aColumn, double[] b, int bAt, int bRow, double[] c, int cAt, int cRow, boolean add) {
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
        DoubleVector s50 = s00;
        DoubleVector s51 = s00;
        DoubleVector s60 = s00;
        DoubleVector s61 = s00;
        DoubleVector s70 = s00;
        DoubleVector s71 = s00;
        for (int t = 0; t < k; t++) {
            DoubleVector b0 = DoubleVector.fromArray(SPECIES, b, bAt);
            DoubleVector b1 = DoubleVector.fromArray(SPECIES, b, bAt + LANES);
            DoubleVector x = DoubleVector.broadcast(SPECIES, a[aAt]);
            s00 = x.fma(b0, s00);
            s01 = x.fma(b1, s01);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 1]);
            s10 = x.fma(b0, s10);
            s11 = x.fma(b1, s11);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 2]);
            s20 = x.fma(b0, s20);
            s21 = x.fma(b1, s21);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 3]);
            s30 = x.fma(b0, s30);
            s31 = x.fma(b1, s31);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 4]);
            s40 = x.fma(b0, s40);
            s41 = x.fma(b1, s41);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 5]);
            s50 = x.fma(b0, s50);
            s51 = x.fma(b1, s51);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 6]);
            s60 = x.fma(b0, s60);
            s61 = x.fma(b1, s61);
            x = DoubleVector.broadcast(SPECIES, a[aAt + 7]);
            s70 = x.fma(b0, s70);
            s71 = x.fma(b1, s71);
            aAt += aColumn;
            bAt += bRow;
        }
        if (add) {
            s00 = DoubleVector.fromArray(SPECIES, c, cAt).add(s00);
            s01 = DoubleVector.fromArray(SPECIES, c, cAt + LANES).add(s01);
            s10 = DoubleVector.fromArray(SPECIES, c, cAt + cRow).add(s10);
            s11 = DoubleVector.fromArray(SPECIES, c, cAt + cRow + LANES).add(s11);
            s20 = DoubleVector.fromArray(SPECIES, c, cAt + 2 * cRow).add(s20);
            s21 = DoubleVector.fromArray(SPECIES, c, cAt + 2 * cRow + LANES).add(s21);
            s30 = DoubleVector.fromArray(SPECIES, c, cAt + 3 * cRow).add(s30);
            s31 = DoubleVector.fromArray(SPECIES, c, cAt + 3 * cRow + LANES).add(s31);
            s40 = DoubleVector.fromArray(SPECIES, c, cAt + 4 * cRow).add(s40);
            s41 = DoubleVector.fromArray(SPECIES, c, cAt + 4 * cRow + LANES).add(s41);
            s50 = DoubleVector.fromArray(SPECIES, c, cAt + 5 * cRow).add(s50);
            s51 = DoubleVector.fromArray(SPECIES, c, cAt + 5 * cRow + LANES).add(s51);
            s60 = DoubleVector.fromArray(SPECIES, c, cAt + 6 * cRow).add(s60);
            s61 = DoubleVector.fromArray(SPECIES, c, cAt + 6 * cRow + LANES).add(s61);
            s70 = DoubleVector.fromArray(SPECIES, c, cAt + 7 * cRow).add(s70);
            s71 = DoubleVector.fromArray(SPECIES, c, cAt + 7 * cRow + LANES).add(s71);
        }
        s00.intoArray(c, cAt);
        s01.intoArray(c, cAt + LANES);
        s10.intoArray(c, cAt + cRow);
        s11.intoArray(c, cAt + cRow + LANES);
        s20.intoArray(c, cAt + 2 * cRow);
        s21.intoArray(c, cAt + 2 * cRow + LANES);
        s30.intoArray(c, cAt + 3 * cRow);
        s31.intoArray(c, cAt + 3 * cRow + LANES);
        s40.intoArray(c, cAt + 4 * cRow);
        s41.intoArray(c, cAt + 4 * cRow + LANES);
        s50.intoArray(c, cAt + 5 * cRow);
        s51.intoArray(c, cAt + 5 * cRow + LANES);
        s60.intoArray(c, cAt + 6 * cRow);
        s61.intoArray(c, cAt + 6 * cRow + LANES);
        s70.intoArray(c, cAt + 7 * cRow);
        s71.intoArray(c, cAt + 7 * cRow + LANES);
    }

    private static void store(DoubleVector left, DoubleVector right, double[] c, int at, boolean add) {
        if (add) {
            left = DoubleVector.fromArray(SPECIES, c, at).add(left);
            right = DoubleVector.fromArray(SPECIES, c, at + LANES).add(right);
        }
        left.intoArray(c, at);
        right.intoArray(c, at + LANES);
    }

    private static DoubleVector broadcast(double x) {
        return DoubleVector.broadcast(SPECIES, x);
    }
}
