package rootdk.notebook;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Both kernels' base classes with their real renderers; what is displayed is kept instead of sent. */
final class Kernels {

    /** A kernel and the pieces that were displayed on it, each as its MIME types and data. */
    interface UnderTest {

        List<Map<String, Object>> displayed();

        /** What the kernel makes of a cell's result. */
        Map<String, Object> result(Object value);

        /** How the kernel shows an error. */
        List<String> error(Exception error);
    }

    private Kernels() {
    }

    static Stream<UnderTest> both() {
        return Stream.of(new JJava(), new IJava());
    }

    /** jjava-jupyter 1.0-a6, the newest in Maven's repository; its display API is that of the 1.0a8 kernel. */
    static class JJava extends org.dflib.jjava.jupyter.kernel.BaseKernel implements UnderTest {

        private final List<Map<String, Object>> displayed = new ArrayList<>();

        JJava() {
            super("test", "1", new org.dflib.jjava.jupyter.kernel.LanguageInfo("Java", "17.0.1+12", "text/x-java-source", ".jshell", "java",
                    "java", null), List.of(), null,
                    new org.dflib.jjava.jupyter.kernel.JupyterIO(StandardCharsets.UTF_8),
                    new org.dflib.jjava.jupyter.kernel.comm.CommManager(),
                    new org.dflib.jjava.jupyter.kernel.display.Renderer(),
                    null,
                    new org.dflib.jjava.jupyter.kernel.magic.MagicsRegistry(), true,
                    new org.dflib.jjava.jupyter.kernel.util.StringStyler.Builder()
                            .addSecondaryStyle(org.dflib.jjava.jupyter.kernel.util.TextColor.BOLD_RED_FG).build());
        }

        @Override
        public void display(org.dflib.jjava.jupyter.kernel.display.DisplayData data) {
            displayed.add(contents(data));
        }

        @Override
        public List<Map<String, Object>> displayed() {
            return displayed;
        }

        @Override
        public Map<String, Object> result(Object value) {
            return contents(getRenderer().render(value));
        }

        @Override
        public Object evalRaw(String code) {
            throw new UnsupportedOperationException();
        }

        @Override
        public org.dflib.jjava.jupyter.kernel.display.DisplayData inspect(String code, int at, boolean detail) {
            throw new UnsupportedOperationException();
        }

        @Override
        public org.dflib.jjava.jupyter.kernel.ReplacementOptions complete(String code, int at) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String isComplete(String code) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> error(Exception error) {
            return formatError(error);
        }
    }

    /** basekernel 2.3.0, on which IJava 1.3.0 is built. */
    static final class IJava extends io.github.spencerpark.jupyter.kernel.BaseKernel implements UnderTest {

        private final List<Map<String, Object>> displayed = new ArrayList<>();
        private final io.github.spencerpark.jupyter.kernel.LanguageInfo languageInfo =
                new io.github.spencerpark.jupyter.kernel.LanguageInfo("Java", "17.0.1+12", "text/x-java-source", ".jshell", "java",
                        "java", null);

        @Override
        public void display(io.github.spencerpark.jupyter.kernel.display.DisplayData data) {
            displayed.add(contents(data));
        }

        @Override
        public List<Map<String, Object>> displayed() {
            return displayed;
        }

        @Override
        public Map<String, Object> result(Object value) {
            return contents(getRenderer().render(value));
        }

        @Override
        public io.github.spencerpark.jupyter.kernel.display.DisplayData eval(String code) {
            throw new UnsupportedOperationException();
        }

        @Override
        public io.github.spencerpark.jupyter.kernel.LanguageInfo getLanguageInfo() {
            return languageInfo;
        }

        @Override
        public List<String> error(Exception error) {
            return formatError(error);
        }
    }

    /** The MIME types of a DisplayData that this library may set, with their data. */
    private static Map<String, Object> contents(Object displayData) {
        try {
            Class<?> type = Class.forName(displayData.getClass().getPackageName() + ".mime.MIMEType");
            Method parse = type.getMethod("parse", String.class);
            Method get = displayData.getClass().getMethod("getData", type);
            Map<String, Object> contents = new LinkedHashMap<>();
            for (String mime : List.of("text/plain", "text/html", "image/png", "image/svg+xml")) {
                Object data = get.invoke(displayData, parse.invoke(null, mime));
                if (data != null) {
                    contents.put(mime, data);
                }
            }
            return contents;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
