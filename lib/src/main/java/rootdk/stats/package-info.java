/**
 * Seeded random sampling whose results depend on the seed alone, and the statistics to read them: moments with standard errors,
 * histograms, quantiles and the normal distribution.
 *
 * <p>Transcendental functions come from {@link java.lang.StrictMath}; sums and merges run in a fixed order.
 */
package rootdk.stats;
