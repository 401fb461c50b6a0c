package rootdk.notebook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import rootdk.chart.Figure;
import rootdk.stats.Progress;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.Table;

class BridgeTest {

    private static final SimpleMatrix M = new SimpleMatrix(new double[][] {{1, 2}, {3, 4.5}});
    private static final String M_TEXT = "2 × 2 matrix\n1.0  2.0\n3.0  4.5";

    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private Object installed;

    @BeforeEach
    void captureOutput() {
        System.setOut(new PrintStream(new BufferedOutputStream(printed), false, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restore() {
        Bridge.uninstall(installed);
        System.setOut(out);
        System.setErr(err);
        Locale.setDefault(Locale.Category.FORMAT, format);
    }

    private void install(Object kernel) throws ReflectiveOperationException {
        installed = kernel;
        Bridge.install(kernel);
    }

    private static final class Dot implements Figure {
        @Override
        public String svg() {
            return "<svg/>";
        }

        @Override
        public byte[] png() {
            return new byte[] {1, 2, 3};
        }

        @Override
        public String description() {
            return "A dot: \"x\" < 1 & more.";
        }

        @Override
        public String digest() {
            return "0a1b";
        }
    }

    private static final class Broken implements Figure {
        @Override
        public String svg() {
            throw new IllegalArgumentException("0 on a log axis");
        }

        @Override
        public byte[] png() {
            throw new IllegalArgumentException("0 on a log axis");
        }

        @Override
        public String description() {
            return "broken";
        }

        @Override
        public String digest() {
            return "";
        }
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void theKernelSaysOfItsLanguageWhatTheChaptersHold(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        Object language = kernel.getClass().getMethod("getLanguageInfo").invoke(kernel);
        List<Object> said = new ArrayList<>();
        for (String what : List.of("Name", "Mimetype", "FileExtension", "Version", "PygmentsLexer", "CodemirrorMode")) {
            said.add(language.getClass().getMethod("get" + what).invoke(language));
        }
        assertEquals(Arrays.asList("java", "text/x-java-source", ".jshell", null, null, null), said);
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void anErrorIsNotRedOnRed(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        String red = "\u001b[31m";
        assertTrue(String.join("\n", kernel.error(new IllegalStateException("no"))).contains(red));
        install(kernel);
        String error = String.join("\n", kernel.error(new IllegalStateException("no")));
        assertTrue(error.contains("IllegalStateException: no"), error);
        assertFalse(error.contains(red), error);
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void aResultAndAShownValueLookAlike(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        Notebook.show(M);
        assertEquals(List.of(kernel.result(M)), kernel.displayed());
        assertEquals(M_TEXT, kernel.result(M).get("text/plain"));
        assertEquals(Set.of("text/plain", "text/html"), kernel.result(M).keySet());
        assertTrue(kernel.result(M).get("text/html").toString().startsWith("<table class=\"rootdk-matrix\">"));
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void everyKindIsRendered(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        assertEquals("P (2 × 2)\n1.0  2.0\n3.0  4.5",
                kernel.result(MatrixView.of(M).titled("P")).get("text/plain"));
        assertEquals(M_TEXT, kernel.result(new double[][] {{1, 2}, {3, 4.5}}).get("text/plain"));
        assertEquals("sizes\n n\n 1\n20",
                kernel.result(Table.create("sizes", IntColumn.create("n", 1, 20))).get("text/plain"));
        assertEquals("[0.25, 3.00]", kernel.result(new double[] {0.25, 3}).get("text/plain"));
        assertEquals("[1, 20]", kernel.result(new int[] {1, 20}).get("text/plain"));
        assertEquals("[1, 20]", kernel.result(new long[] {1, 20}).get("text/plain"));
        assertEquals("[a, b]", kernel.result(new String[] {"a", "b"}).get("text/plain"));
        assertEquals("as always", kernel.result("as always").get("text/plain"));
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void aFigureIsAnImageWithItsDescription(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        assertEquals(Map.of(
                "text/plain", "A dot: \"x\" < 1 & more.\ndata 0a1b",
                "text/html", "<figure class=\"rootdk-figure\"><img alt=\"A dot: &quot;x&quot; &lt; 1 &amp; more.\" "
                        + "src=\"data:image/svg+xml;base64,PHN2Zy8+\"></figure>",
                "image/png", "AQID"), kernel.result(new Dot()));
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void anXChartChartIsAnImageInWords(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        XYChart chart = new XYChartBuilder().width(60).height(40).title("Squares").build();
        chart.addSeries("n²", new double[] {1, 2}, new double[] {1, 4});
        Map<String, Object> shown = kernel.result(chart);
        assertEquals("XYChart “Squares” with the series n²", shown.get("text/plain"));
        byte[] png = Base64.getDecoder().decode(shown.get("image/png").toString());
        assertEquals("PNG", new String(png, 1, 3, StandardCharsets.US_ASCII));
        assertTrue(shown.get("text/html").toString().contains("alt=\"XYChart “Squares” with the series n²\""));
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void whatWasPrintedBeforeIsSentBefore(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        System.out.print("before");
        assertEquals("", printed.toString(StandardCharsets.UTF_8));
        Notebook.show(M);
        assertEquals("before", printed.toString(StandardCharsets.UTF_8));
        assertEquals(1, kernel.displayed().size());
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void aClaimShowsOneLine(Kernels.UnderTest kernel) throws Exception {
        install(kernel);
        Claim.of("C1", ClaimTest.ledger()).expect(0.5).within(1e-3).is(0.50004);
        assertEquals(List.of(Map.of(
                "text/plain", "✓ C1  half < 1 · computed 0.500 · the article has 0.6",
                "text/html", "<div class=\"rootdk-claim\"><span style=\"color:#2e8b57\">✓</span> <b>C1</b> half &lt; 1"
                        + " · computed <b>0.500</b> · <i>the article has 0.6</i></div>")), kernel.displayed());
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void anErrorInDrawingReachesTheReaderAsItIs(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        Exception shown = assertThrows(IllegalArgumentException.class, () -> Notebook.show(new Broken()));
        assertEquals("0 on a log axis", shown.getMessage());
        assertThrows(IllegalArgumentException.class, () -> kernel.result(new Broken()));
        assertEquals(List.of(), kernel.displayed());
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void installingTwiceIsInstallingOnce(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        install(kernel);
        Notebook.show(M);
        assertEquals(1, kernel.displayed().size());
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void numbersAreFormattedAlikeInEveryCountry(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.GERMANY);
        install(kernel);
        assertEquals("1.5", String.format("%.1f", 1.5));
    }

    @Test
    void jjavaFindsAndCallsTheExtension() {
        Kernels.JJava kernel = new Kernels.JJava();
        installed = kernel;
        JJavaExtension extension = assertInstanceOf(JJavaExtension.class, ServiceLoader
                .load(org.dflib.jjava.jupyter.Extension.class).stream()
                .filter(p -> p.type() == JJavaExtension.class).findFirst().orElseThrow().get());
        extension.install(kernel);
        assertEquals(M_TEXT, kernel.result(M).get("text/plain"));
        extension.uninstall(kernel);
        Notebook.show(M);
        assertEquals(List.of(), kernel.displayed());
        System.out.flush();
        assertEquals(M_TEXT + System.lineSeparator(), printed.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aFailureToInstallIsToldAndThrowsNothing() {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        new JJavaExtension().install(new Kernels.JJava() {
            @Override
            public org.dflib.jjava.jupyter.kernel.display.Renderer getRenderer() {
                throw new IllegalStateException("none");
            }
        });
        assertTrue(told.toString(StandardCharsets.UTF_8).startsWith("rootdk: "), told.toString(StandardCharsets.UTF_8));
        assertFalse(Bridge.display(M));
    }

    @ParameterizedTest
    @MethodSource("rootdk.notebook.Kernels#both")
    void progressTakesOnePlace(Kernels.UnderTest kernel) throws ReflectiveOperationException {
        install(kernel);
        Progress runs = Notebook.progress("runs");
        runs.at(0, 2);
        runs.at(1, 2);
        runs.at(2, 2);
        assertEquals(List.of(Map.of("text/plain", "runs: 0 of 2")), kernel.displayed(), "the others are updates of it");
    }

    @Test
    void outsideAKernelOnlyTheEndOfProgressIsPrinted() {
        Progress runs = Notebook.progress("runs");
        runs.at(0, 2);
        runs.at(2, 2);
        System.out.flush();
        assertEquals(List.of("runs: 2 of 2"), printed.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @Test
    void outsideAKernelThePlainTextIsPrinted() {
        Notebook.install();
        Notebook.show(M);
        Notebook.show("text");
        Notebook.show(null);
        System.out.flush();
        assertEquals(List.of("2 × 2 matrix", "1.0  2.0", "3.0  4.5", "text", "null"),
                printed.toString(StandardCharsets.UTF_8).lines().toList());
    }
}
