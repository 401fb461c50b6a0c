package rootdk.chart;

import java.awt.Color;
import java.awt.geom.AffineTransform;
import java.awt.geom.Rectangle2D;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.style.AxesChartStyler;

/** Lets an XChart chart paint its data, and nothing else, into a frame's plot. */
final class Painter {

    private Painter() {}

    static void paint(AxesChart<?, ?> chart, Axis x, Axis y, Rectangle2D plot, Sketch g) {
        AxesChartStyler s = chart.getStyler();
        s.setLegendVisible(false).setChartTitleVisible(false).setChartPadding(0).setPlotContentSize(1)
                .setPlotBorderVisible(false).setChartBackgroundColor(Theme.NONE).setPlotBackgroundColor(Theme.NONE);
        s.setAxisTitlesVisible(false).setAxisTicksVisible(false).setPlotGridLinesVisible(false).setPlotMargin(0);
        // XChart lays ticks out even when they are not shown: with this font and label that is quick and needs no system font.
        s.setAxisTickLabelsFont(Type.at(Theme.TICK));
        s.setXAxisTickLabelsFormattingFunction(v -> "0");
        s.setYAxisTickLabelsFormattingFunction(v -> "0");
        if (x != null) {
            s.setXAxisMin(x.scaled(x.min)).setXAxisMax(x.scaled(x.max));
        }
        s.setYAxisMin(y.scaled(y.min)).setYAxisMax(y.scaled(y.max));
        AffineTransform before = g.getTransform();
        g.translate(plot.getX(), plot.getY());
        chart.paint(g, (int) plot.getWidth(), (int) plot.getHeight());
        g.setTransform(before);
        g.setClip(null);
    }

    static Color shade(Color c) {
        return Theme.faded(c, 0.2);
    }
}
