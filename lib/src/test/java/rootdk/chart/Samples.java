package rootdk.chart;

import java.util.LinkedHashMap;
import java.util.Map;
import org.ejml.simple.SimpleMatrix;

/** One figure of every kind and trait, made of plain arithmetic so that every Java and processor has the same data. */
final class Samples {

    static final double[] X = {0, 1, 2, 3, 4};
    static final double[] UP = {0, 0.5, 1.25, 1.75, 2};

    private Samples() {}

    static Lines lines() {
        return Lines.titled("Loss with and without 1/√dₖ").x("step").y("loss").line("scaled", X, UP);
    }

    static Lines manyPoints() {
        double[] x = new double[400];
        double[] y = new double[400];
        for (int i = 0; i < 400; i++) {
            x[i] = i + 1;
            y[i] = 1 + (i * 7919 % 1000) / 1000.0;
        }
        return Lines.titled("noise").logX().line("a", x, y).dashed("b", x, x).points("c", x, y);
    }

    static Lines everything() {
        double[] dK = {1, 2, 4, 8, 16, 32, 64};
        double[] half = {0.5, 1, 2, 4, 8, 16, 32};
        double[] twice = {2, 4, 8, 16, 32, 64, 128};
        return Lines.titled("Variance of q·k").x("head size dₖ").y("Var(q·k)").logX().logY().dashed("theory", dK, dK)
                .points("measured", dK, dK, half).band("theory", dK, half, twice).verticalAt("dₖ = 8", 8)
                .horizontalAt("1", 1);
    }

    static Bars bars() {
        return Bars.titled("Attention weights").x("key").y("weight").categories("k₁", "k₂", "k₃")
                .series("right", 0.3072, 0.5065, 0.1863).series("article", new double[] {0.295, 0.487, 0.218},
                        new double[] {0.01, 0.02, 0.005});
    }

    static Histograms histograms() {
        double[] values = new double[1000];
        for (int i = 0; i < 1000; i++) {
            values[i] = (i - 499.5) / 250;
        }
        return Histograms.titled("A uniform sample").x("x").bins(-2, 2, 20).sample("sample", values).density("flat", v -> 0.25);
    }

    static HeatMap heatMap() {
        return HeatMap.titled("Jacobian of softmax").x("j").y("i")
                .matrix(new SimpleMatrix(new double[][] {{0.2, -0.1, -0.1}, {-0.1, 0.25, -0.15}, {-0.1, -0.15, 0.25}}));
    }

    static HeatMap largeHeatMap() {
        SimpleMatrix m = new SimpleMatrix(64, 64);
        for (int i = 0; i < 64; i++) {
            for (int j = 0; j < 64; j++) {
                m.set(i, j, j > i ? Double.NEGATIVE_INFINITY : (i * 31 + j * 17) % 101 - 50);
            }
        }
        return HeatMap.titled("Masked logits").x("key").y("query").matrix(m);
    }

    static Map<String, Figure> all() {
        Map<String, Figure> all = new LinkedHashMap<>();
        all.put("lines", lines());
        all.put("manyPoints", manyPoints());
        all.put("everything", everything());
        all.put("bars", bars());
        all.put("histograms", histograms());
        all.put("heatMap", heatMap());
        all.put("largeHeatMap", largeHeatMap());
        all.put("panels", Panels.of(lines(), everything()).titled("Two panels"));
        all.put("heatMapPanels", Panels.of(heatMap(), heatMap(), heatMap()));
        return all;
    }
}
