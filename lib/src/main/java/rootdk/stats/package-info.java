/**
 * Seeded random sampling whose results depend on the seed alone, from any component distribution, and the statistics to read it:
 * moments with standard errors, histograms, quantiles, the normal distribution, the distance to it, and the largest of n draws.
 * And {@link rootdk.stats.HeadStatistics}, which measures the queries and keys of a head that exists.
 *
 * <p>Transcendental functions come from {@link java.lang.StrictMath}; sums and merges run in a fixed order.
 */
package rootdk.stats;
