package rootdk.chart;

import java.awt.BasicStroke;
import java.awt.Color;

/** The one look of all figures: sizes in px, colours, strokes. */
final class Theme {

    static final double TITLE = 17;
    static final double LABEL = 15;
    static final double TICK = 14;
    static final double MARGIN = 14;

    static final Color INK = new Color(0x1f2328);
    static final Color SOFT = new Color(0x4b5259);
    static final Color AXIS = new Color(0x767c82);
    static final Color GRID = new Color(0xe7e9eb);
    static final Color MISSING = new Color(0xc9ccd0);
    static final Color WHITE = Color.WHITE;
    static final Color NONE = new Color(255, 255, 255, 0);

    static final BasicStroke HAIR = new BasicStroke(1f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER);
    static final BasicStroke LINE = new BasicStroke(2.2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    static final BasicStroke OUTLINE = new BasicStroke(1.5f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER);
    static final BasicStroke DASHED = dashes(1.8f, 7, 4.5f);
    static final BasicStroke REFERENCE = dashes(1.2f, 2, 3);

    /**
     * Chosen for contrast (at least 3:1 on white) and to stay apart under the three colour-vision deficiencies; close to
     * Okabe and Ito, "Color Universal Design" (2008), darkened for thin lines.
     */
    private static final int[] SERIES = {0x0060a8, 0xd55e00, 0x12997a, 0xa03070, 0x4598d3, 0x3c3c3c};

    /** Dark to light, every step lighter than the one before: for families ordered by a parameter. */
    private static final int[] ORDERED = {0x3b1055, 0x433d84, 0x30698e, 0x218f8d, 0x38b077, 0x74bd46};

    /** White to dark blue, ColorBrewer "Blues": lightness falls evenly, so the order survives a grey print. */
    private static final int[] SEQUENTIAL = {
        0xf7fbff, 0xdeebf7, 0xc6dbef, 0x9ecae1, 0x6baed6, 0x4292c6, 0x2171b5, 0x08519c, 0x08306b
    };

    /** Red, white, blue, ColorBrewer "RdBu": safe for colour-blind readers, white is zero. */
    private static final int[] DIVERGING = {
        0x8e1a2b, 0xb2182b, 0xd6604d, 0xf4a582, 0xfddbc7, 0xf9f9f9, 0xd1e5f0, 0x92c5de, 0x4393c3, 0x2166ac, 0x0f4478
    };

    private Theme() {}

    private static BasicStroke dashes(float width, float on, float off) {
        return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, new float[] {on, off}, 0f);
    }

    /** Colour of series {@code i} of {@code n}: the palette, or the ordered scale when asked for or when n exceeds it. */
    static Color series(int i, int n, boolean ordered) {
        if (ordered || n > SERIES.length) {
            return between(ORDERED, n == 1 ? 0 : (double) i / (n - 1));
        }
        return new Color(SERIES[i]);
    }

    /** Colour of a heat map's value at {@code t} in [0, 1] of its range. */
    static Color heat(double t, boolean diverging) {
        return between(diverging ? DIVERGING : SEQUENTIAL, t);
    }

    static Color faded(Color c, double alpha) {
        return new Color(c.getRed(), c.getGreen(), c.getBlue(), (int) Math.round(255 * alpha));
    }

    /** Black or white, whichever reads better on {@code ground} (WCAG relative luminance, with gamma 2.2). */
    static Color inkOn(Color ground) {
        double luminance = 0.2126 * linear(ground.getRed()) + 0.7152 * linear(ground.getGreen())
                + 0.0722 * linear(ground.getBlue());
        return luminance > 0.22 ? INK : WHITE;
    }

    private static double linear(int channel) {
        return StrictMath.pow(channel / 255.0, 2.2);
    }

    private static Color between(int[] stops, double t) {
        double at = Math.max(0, Math.min(1, t)) * (stops.length - 1);
        int i = Math.min((int) at, stops.length - 2);
        double f = at - i;
        return new Color(mix(stops[i] >> 16, stops[i + 1] >> 16, f), mix(stops[i] >> 8, stops[i + 1] >> 8, f),
                mix(stops[i], stops[i + 1], f));
    }

    private static int mix(int a, int b, double f) {
        return (int) Math.round((a & 255) + f * ((b & 255) - (a & 255)));
    }
}
