package rootdk.chart;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/** What holds for the bytes of every figure. */
class FigureTest {

    /**
     * SHA-256 (first 16 digits) of each sample's SVG: the same on every machine, locale and Java. To be changed with the look
     * of the figures, and then for all at once.
     */
    private static final Map<String, String> SVG = Map.of(
            "bars", "d9a4fd3bbd3fd95e",
            "everything", "89935867a96f40f3",
            "heatMap", "89c95bb0b6f99c91",
            "heatMapPanels", "8e3582efbb0d6e06",
            "histograms", "8319d5a7e8c15fdb",
            "largeHeatMap", "1d7913ad1373488a",
            "lines", "0eb3983080bc269f",
            "manyPoints", "7bf0a61bf8f8abbf",
            "panels", "71de624b11bb07c5");

    @Test
    void svgIsSmallWellFormedAndSelfContained() throws Exception {
        for (var entry : Samples.all().entrySet()) {
            String svg = entry.getValue().svg();
            int bytes = svg.getBytes(StandardCharsets.UTF_8).length;
            assertTrue(bytes > 2_000 && bytes < 40_000, entry.getKey() + " has " + bytes + " bytes");
            Element root = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                    .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8))).getDocumentElement();
            assertEquals("svg", root.getTagName());
            assertEquals("img", root.getAttribute("role"));
            assertEquals("0 0 " + 10 * Integer.parseInt(root.getAttribute("width")) + " "
                    + 10 * Integer.parseInt(root.getAttribute("height")), root.getAttribute("viewBox"));
            assertFalse(svg.contains("<text"), "text needs a font");
            assertFalse(svg.replace("http://www.w3.org/2000/svg", "").contains("http"), "nothing from elsewhere");
        }
    }

    /** Ids come from what they name, every one is used, and every use has its definition. */
    @Test
    void idsAreDefinedUsedAndNotRandom() {
        for (Figure figure : Samples.all().values()) {
            String svg = figure.svg();
            Set<String> defined = found(svg, " id=\"([^\"]+)\"");
            Set<String> used = found(svg, "href=\"#([^\"]+)\"");
            used.addAll(found(svg, "url\\(#([^)]+)\\)"));
            assertEquals(defined, used);
            defined.forEach(id -> assertTrue(id.matches("u[0-9a-f]{2,5}|c-?\\d+(--?\\d+){3}"), id));
        }
    }

    private static Set<String> found(String text, String pattern) {
        Set<String> found = new HashSet<>();
        Matcher m = Pattern.compile(pattern).matcher(text);
        while (m.find()) {
            found.add(m.group(1));
        }
        return found;
    }

    @Test
    void drawingTwiceGivesTheSameBytes() {
        Map<String, Figure> again = Samples.all();
        Samples.all().forEach((name, figure) -> {
            assertEquals(figure.svg(), figure.svg(), name);
            assertEquals(figure.svg(), again.get(name).svg(), name);
            assertArrayEquals(figure.png(), again.get(name).png(), name);
        });
    }

    @Test
    void bytesAreTheSameOnEveryMachineAndJava() throws Exception {
        Map<String, String> hashes = new TreeMap<>();
        for (var entry : Samples.all().entrySet()) {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(entry.getValue().svg().getBytes(StandardCharsets.UTF_8));
            hashes.put(entry.getKey(), HexFormat.of().formatHex(hash).substring(0, 16));
        }
        assertEquals(new TreeMap<>(SVG), hashes);
    }

    @Test
    void localeDoesNotShow() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.ROOT);
            Map<String, String> root = texts();
            for (String tag : List.of("de-DE", "ar-EG", "hi-IN-u-nu-deva")) {
                Locale.setDefault(Locale.forLanguageTag(tag));
                assertEquals(root, texts(), tag);
            }
        } finally {
            Locale.setDefault(before);
        }
    }

    private static Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        Samples.all().forEach((name, f) -> texts.put(name, f.svg() + f.description() + f.digest()));
        return texts;
    }

    /** The PNG is the SVG's picture: its size, white at the rim, ink of every series inside. */
    @Test
    void pngIsSmallAndShowsTheData() throws Exception {
        for (var entry : Samples.all().entrySet()) {
            byte[] png = entry.getValue().png();
            assertTrue(png.length < 60_000, entry.getKey() + " has " + png.length + " bytes");
            BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
            assertTrue(entry.getValue().svg().contains("width=\"" + image.getWidth() + "\" height=\"" + image.getHeight()));
            for (int x = 0; x < image.getWidth(); x++) {
                assertEquals(0xffffffff, image.getRGB(x, 1), entry.getKey() + ": the rim is white");
            }
        }
        BufferedImage bars = ImageIO.read(new ByteArrayInputStream(Samples.bars().png()));
        Set<Integer> colors = new HashSet<>();
        for (int x = 0; x < bars.getWidth(); x++) {
            colors.add(bars.getRGB(x, bars.getHeight() - 100));
        }
        assertTrue(colors.contains(Theme.series(0, 2, false).getRGB()) && colors.contains(Theme.series(1, 2, false).getRGB()));
    }

    /** A point of known place: x = 2 of 0 to 4 is the middle of the plot, and y = 2 on the axis 0 to 2 is its top. */
    @Test
    void dataStandsWhereTheAxesSay() throws Exception {
        Lines dot = Lines.titled("").points("p", new double[] {2}, new double[] {1}).xRange(0, 4).yRange(0, 2).size(400, 300);
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(dot.png()));
        int color = Theme.series(0, 1, false).getRGB();
        double x = 0;
        double y = 0;
        int n = 0;
        for (int i = 0; i < image.getWidth(); i++) {
            for (int j = 40; j < image.getHeight(); j++) { // below the legend
                if (image.getRGB(i, j) == color) {
                    x += i;
                    y += j;
                    n++;
                }
            }
        }
        assertTrue(n > 15 && n < 40, "a dot of 7 px has 38 pixels, some of them at the rim; found " + n);
        int[] frame = frame(image);
        assertEquals((frame[0] + frame[1]) / 2.0, x / n, 1);
        assertEquals((frame[2] + frame[3]) / 2.0, y / n, 1);
    }

    /** Left, right, top and bottom of the plot, from the longest level and upright runs of the axes' colour. */
    private static int[] frame(BufferedImage image) {
        int[] f = new int[4];
        int longest = 0;
        for (int i = 0; i < image.getWidth(); i++) {
            for (int j = 0; j < image.getHeight(); j++) {
                int level = run(image, i, j, 1, 0);
                int upright = run(image, i, j, 0, 1);
                if (level > f[1] - f[0]) {
                    f[0] = i;
                    f[1] = i + level;
                    f[3] = j;
                }
                if (upright > longest) {
                    longest = upright;
                    f[2] = j;
                }
            }
        }
        return f;
    }

    private static int run(BufferedImage image, int x, int y, int dx, int dy) {
        int n = 0;
        for (int i = x, j = y; i < image.getWidth() && j < image.getHeight() && image.getRGB(i, j) == Theme.AXIS.getRGB();
                i += dx, j += dy) {
            n++;
        }
        return n;
    }

    @Test
    void digestTellsDataApartButNotRoundingErrors() {
        double[] y = Samples.UP.clone();
        String digest = Samples.lines().digest();
        assertTrue(digest.matches("[0-9a-f]{12}"), digest);
        y[2] += 1e-9;
        y[0] = 1e-16;
        assertEquals(digest, lines(y).digest());
        y[2] += 1e-4;
        assertNotEquals(digest, lines(y).digest());
        assertNotEquals(digest, Samples.lines().x("time").digest());
        assertNotEquals(digest, Samples.lines().horizontalAt("", 1).digest());
        assertNotEquals(Samples.heatMap().digest(), Samples.heatMap().range(-1, 1).digest());
    }

    @Test
    void digestTellsScalesRangesAndSizesApart() {
        Lines plain = positive();
        List<Figure> others = List.of(plain, positive().logX(), positive().logY(), positive().xRange(1, 2),
                positive().yRange(1, 2), positive().ordered(), positive().size(500, 300), Samples.bars(), Samples.bars().yRange(0, 1),
                Samples.bars().size(500, 300), Samples.heatMap(), Samples.heatMap().size(500, 300), Samples.histograms(),
                Samples.histograms().xRange(-1, 1), Panels.of(plain), Panels.of(plain).size(500, 300),
                Panels.of(positive().logX()));
        assertEquals(others.size(), others.stream().map(Figure::digest).distinct().count());
    }

    private static Lines positive() {
        return Lines.titled("t").line("a", new double[] {1, 2}, new double[] {1, 2});
    }

    /** One format in panels that differ by a parameter: 0.00, not 0, beside other entries of two decimals. */
    @Test
    void tinyEntriesOfHeatMapsKeepTheirDecimals() {
        assertEquals(List.of("1.00", "0.00"), cells(0.99999, 0.00001));
        assertEquals(List.of("0.73", "0.27"), cells(0.73, 0.27));
        assertEquals(List.of("0.00", "0.00"), cells(1e-5, 1e-4));
        assertEquals(List.of("3", "0"), cells(3, 0));
    }

    private static List<String> cells(double a, double b) {
        Type.font();
        Sketch g = new Sketch(400, 300);
        HeatMap.titled("").columns("a", "b").rows("r").matrix(new SimpleMatrix(new double[][] {{a, b}}))
                .drawWithoutBar(g, new Rectangle2D.Double(0, 0, 400, 300), 0);
        return g.marks().stream().filter(Sketch.Text.class::isInstance).map(m -> ((Sketch.Text) m).text())
                .filter(t -> t.matches("[\\d.]+")).toList();
    }

    /** Labels that would touch are thinned evenly: a reader sees where those left out would stand. */
    @Test
    void labelsThatDoNotFitAreThinnedEvenly() {
        String[] all = {"n1", "n10", "n100", "n1000", "n10000", "n100000", "n1000000"};
        assertEquals(List.of("n1", "n100", "n10000", "n1000000"), columns(400, all));
        assertEquals(List.of(all), columns(700, all));
        assertEquals(List.of("a name that is far too wide"), columns(300, "a name that is far too wide", "another one of that width"));
    }

    private static List<String> columns(int width, String... names) {
        Type.font();
        Sketch g = new Sketch(width, 300);
        HeatMap.titled("").columns(names).matrix(new SimpleMatrix(new double[20][names.length])).range(0, 1)
                .drawWithoutBar(g, new Rectangle2D.Double(0, 0, width, 300), 0);
        return g.marks().stream().filter(Sketch.Text.class::isInstance).map(m -> ((Sketch.Text) m).text())
                .filter(List.of(names)::contains).toList();
    }

    private static Lines lines(double[] y) {
        return Lines.titled("Loss with and without 1/√dₖ").x("step").y("loss").line("scaled", Samples.X, y);
    }

    @Test
    void arraysAreCopied() {
        double[] y = Samples.UP.clone();
        Lines figure = lines(y);
        String before = figure.digest();
        y[0] = 7;
        assertEquals(before, figure.digest());
    }

    /** Describing starts no AWT; drawing does, headless where nobody has decided. */
    @Test
    void awtStartsWhenAFigureIsDrawn() throws Exception {
        Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load", "-cp", System.getProperty("java.class.path"), Awt.class.getName())
                .redirectErrorStream(true).start();
        String log = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, child.waitFor(), log);
        int drawn = log.indexOf("DESCRIBED null");
        assertTrue(drawn > 0, "described, and java.awt.headless not set by that");
        String before = log.substring(0, drawn);
        for (String name : List.of("java.awt.Toolkit", "java.awt.Color", "java.awt.Font ", "java.awt.GraphicsEnvironment")) {
            assertFalse(before.contains(name), name);
            assertTrue(log.contains(name), name);
        }
        assertTrue(log.contains("DRAWN true"));
    }

    /** The child of {@link #awtStartsWhenAFigureIsDrawn}. */
    static final class Awt {
        public static void main(String[] args) {
            Samples.all().values().forEach(f -> f.description().concat(f.digest()));
            System.out.println("DESCRIBED " + System.getProperty("java.awt.headless"));
            Samples.lines().svg();
            System.out.println("DRAWN " + System.getProperty("java.awt.headless"));
        }
    }
}
