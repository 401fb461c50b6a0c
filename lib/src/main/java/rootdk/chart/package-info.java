/**
 * The course's figures: {@link rootdk.chart.Lines}, {@link rootdk.chart.Bars}, {@link rootdk.chart.Histograms},
 * {@link rootdk.chart.HeatMap}, and {@link rootdk.chart.Panels} of them.
 *
 * <p>XChart paints the data; the frame around it, the typeface and the bytes are made here, so that a figure is small, looks
 * the same everywhere, and comes with a sentence that says what it shows.
 */
package rootdk.chart;
