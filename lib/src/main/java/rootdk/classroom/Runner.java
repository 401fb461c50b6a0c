package rootdk.classroom;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.EvalException;
import jdk.jshell.JShell;
import jdk.jshell.JShellException;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.UnresolvedReferenceException;
import jdk.jshell.execution.DirectExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;
import jdk.jshell.spi.SPIResolutionException;

/**
 * Runs notebook cells and gives the values of expressions, for a grader that drives it over stdin and stdout.
 *
 * <p>A frame is a length (4 bytes, big-endian) and as many bytes of UTF-8. A request is {@code C} and a cell's source; {@code V} and an
 * expression; {@code B} and several expressions with a zero character between each two, which are compiled together, as that is much
 * faster; or {@code P} and the number, from 0, of one of them, whose value is wanted. The reply is one JSON object, with {@code id}, the
 * request's number counted from 1, and
 * <ul>
 * <li>{@code error}: why it did not compile or run to its end, else absent; {@code thrown}: the exception's classes, its own first;
 * <li>{@code kind} and {@code value}, of an expression: see {@link #appendValue};
 * <li>{@code out}: what was printed to {@code System.out} and {@code System.err}, at most {@value #OUT_LIMIT} bytes, and {@code dropped}, the number
 *     of bytes beyond;
 * <li>{@code replaced}, of a cell: the numbers of the earlier requests whose methods, classes or variables it declares anew;
 * <li>{@code broken}: true if this JVM should be given up (no memory left, the compiler's stack overflown).
 * </ul>
 *
 * <p>Cells run as in the notebooks' kernel: on JShell in this same JVM, up to the first snippet that fails; lines that begin with a
 * {@code %} are skipped, and so are imports of what is not there. There is no time limit: the grader ends this process.
 *
 * <p>Student code can read requests, forge replies and change this class by reflection. It gains nothing by that: a reply is a value that
 * it could have returned, and the grader's expected values never enter this process.
 */
public final class Runner {
    static final int OUT_LIMIT = 1 << 16;
    private static final int ELEMENT_LIMIT = 200_000, TEXT_LIMIT = 20_000, REQUEST_LIMIT = 1 << 24, DEPTH_LIMIT = 4;
    private static final long STACK = 64L << 20; // for javac on a long sum, which it compiles recursively
    private static final List<String> IMPORTS = List.of("java.io", "java.math", "java.net", "java.nio.file", "java.util", "java.util.concurrent",
            "java.util.function", "java.util.prefs", "java.util.regex", "java.util.stream"); // those that every JShell begins with

    private final JShell shell;
    private final SourceCodeAnalysis analysis;
    private final Capture capture = new Capture();
    private final PrintStream printed = new PrintStream(capture, false, StandardCharsets.UTF_8);
    private final Map<String, Integer> requestOfSnippet = new HashMap<>();
    private Object value;     // what the last snippet returned
    private Throwable thrown; // what it threw
    private Calls calls;
    private int id;

    private Runner() {
        Locale.setDefault(Locale.ROOT);
        shell = JShell.builder().executionEngine(new Provider(), Map.of()).compilerOptions("-proc:none", "-Xlint:none").build();
        analysis = shell.sourceCodeAnalysis();
        for (String name : IMPORTS) {
            shell.eval("import " + name + ".*;");
        }
    }

    /**
     * Serves requests until stdin ends.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        Thread thread = new Thread(null, Runner::serve, "cells", STACK);
        thread.start();
    }

    private static void serve() {
        DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
        System.setIn(InputStream.nullInputStream());
        try {
            Runner runner = new Runner();
            while (true) {
                int length = in.readInt();
                if (length < 1 || length > REQUEST_LIMIT) {
                    throw new IOException("a request of " + length + " bytes");
                }
                byte[] reply = runner.answer(new String(in.readNBytes(length), StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
                out.writeInt(reply.length);
                out.write(reply);
                out.flush();
            }
        } catch (EOFException end) {
            Runtime.getRuntime().halt(0); // whatever threads and shutdown hooks there are
        } catch (Throwable failure) { // out of memory, or student code has changed something here
            Runtime.getRuntime().halt(70);
        }
    }

    private String answer(String request) {
        id++;
        capture.clear();
        System.setOut(printed);
        System.setErr(printed);
        StringBuilder json = new StringBuilder("{\"id\":").append(id);
        try {
            String text = request.substring(1);
            switch (request.charAt(0)) {
                case 'C' -> runCell(text, json);
                case 'B' -> prepare(text.split("\0"), json);
                case 'P' -> call(Integer.parseInt(text), json);
                default -> evaluate(text, json);
            }
        } catch (Throwable failure) { // of the compiler: what student code throws does not come here
            appendText(json.append(",\"broken\":true,\"error\":"), "the compiler gave up: " + failure);
        }
        printed.flush();
        capture.appendTo(json);
        return json.append('}').toString();
    }

    private void runCell(String cell, StringBuilder json) {
        TreeSet<Integer> replaced = new TreeSet<>();
        String rest = withoutMagics(cell);
        while (!rest.isBlank()) {
            SourceCodeAnalysis.CompletionInfo info = analysis.analyzeCompletion(rest);
            if (info.completeness() == SourceCodeAnalysis.Completeness.EMPTY) {
                break;
            }
            if (!info.completeness().isComplete() && info.completeness() != SourceCodeAnalysis.Completeness.UNKNOWN) {
                appendText(json.append(",\"error\":"), "the cell ends in the middle: a brace, bracket or semicolon is missing");
                break;
            }
            String source = info.source() == null ? rest : info.source();
            rest = info.source() == null ? "" : info.remaining();
            String error = run(source, replaced);
            if (error != null && !source.stripLeading().startsWith("import ")) {
                appendFailure(json, error);
                break;
            }
        }
        json.append(",\"replaced\":").append(replaced);
    }

    private static String withoutMagics(String cell) {
        return cell.replaceAll("(?m)^%.*$", "");
    }

    private void evaluate(String expression, StringBuilder json) {
        String error = run(expression, new TreeSet<>());
        if (error != null) {
            appendFailure(json, error);
        } else {
            appendValue(json, value, 0, new int[] {ELEMENT_LIMIT});
        }
        value = null;
    }

    private void prepare(String[] expressions, StringBuilder json) {
        StringBuilder source = new StringBuilder("rootdk.classroom.Runner.Calls $calls = new rootdk.classroom.Runner.Calls() {"
                + " public Object $value(int $number) throws Throwable { switch ($number) {");
        for (int i = 0; i < expressions.length; i++) {
            source.append(" case ").append(i).append(": return ").append(expressions[i]).append(';');
        }
        String error = run(source.append(" default: throw new IndexOutOfBoundsException(); } } };").toString(), new TreeSet<>());
        calls = error == null && value instanceof Calls ? (Calls) value : null;
        if (calls == null) {
            appendText(json.append(",\"error\":"), "they do not compile together: " + error);
        }
        value = null;
    }

    private void call(int number, StringBuilder json) {
        thrown = null;
        try {
            appendValue(json, calls.$value(number), 0, new int[] {ELEMENT_LIMIT});
        } catch (Throwable exception) {
            boolean unresolved = exception instanceof SPIResolutionException;
            thrown = unresolved ? null : exception;
            appendFailure(json, unresolved ? missing() : describe(exception.getClass().getName(), exception));
        }
    }

    /** What {@code B} compiles its expressions to. */
    public interface Calls {
        /**
         * The value of an expression.
         *
         * @param $number its number, from 0; the odd name is none of a student's
         * @return its value
         * @throws Throwable what it throws
         */
        Object $value(int $number) throws Throwable;
    }

    private String missing() {
        return "it uses " + shell.snippets().filter(snippet -> shell.status(snippet) == Snippet.Status.RECOVERABLE_DEFINED)
                .flatMap(snippet -> shell.unresolvedDependencies((DeclarationSnippet) snippet)).distinct().collect(Collectors.joining(", "))
                + ", which is not there";
    }

    private static String describe(String name, Throwable exception) {
        return name + (exception == null || exception.getMessage() == null ? "" : ": " + exception.getMessage());
    }

    /** Evaluates one snippet. Returns what is wrong, or null; adds to replaced the requests whose declarations it replaces. */
    private String run(String source, TreeSet<Integer> replaced) {
        value = null;
        thrown = null;
        String error = null;
        for (SnippetEvent event : shell.eval(source)) {
            Snippet snippet = event.snippet();
            if (event.causeSnippet() == null) {
                Integer before = requestOfSnippet.put(snippet.id(), id); // a method declared anew keeps its snippet's id
                if (before != null && before != id) {
                    replaced.add(before);
                }
                if (error == null) {
                    error = failure(event);
                }
            } else if (event.status() == Snippet.Status.OVERWRITTEN && requestOfSnippet.getOrDefault(snippet.id(), id) != id) {
                replaced.add(requestOfSnippet.get(snippet.id()));
            }
        }
        return error;
    }

    private String failure(SnippetEvent event) {
        JShellException exception = event.exception();
        if (exception instanceof UnresolvedReferenceException) {
            return missing();
        }
        if (exception != null) {
            return describe(exception instanceof EvalException ? ((EvalException) exception).getExceptionClassName() : exception.getClass().getName(), thrown);
        }
        if (event.status() == Snippet.Status.REJECTED) {
            StringBuilder text = new StringBuilder("it does not compile");
            for (Diag diagnostic : shell.diagnostics(event.snippet()).toList()) {
                if (diagnostic.isError()) {
                    text.append(": ").append(inOneLine(diagnostic.getMessage(Locale.ROOT)));
                }
            }
            return text.toString();
        }
        return null; // also of a method that uses what is not declared yet: it may still be, as in the kernel
    }

    /** The compiler's "cannot find symbol" with symbol and location in lines of their own; the location is often a class of JShell's. */
    private static String inOneLine(String message) {
        return message.replaceAll("\\s+location: class *$", "").replaceAll("cannot find symbol\\s+symbol:\\s+", "there is no ").replaceAll("\\s+location:\\s+", " in ");
    }

    private void appendFailure(StringBuilder json, String error) {
        appendText(json.append(",\"error\":"), error);
        if (thrown == null) {
            return;
        }
        json.append(",\"thrown\":[");
        for (Class<?> type = thrown.getClass(); type != Object.class; type = type.getSuperclass()) {
            appendText(json.append(type == thrown.getClass() ? "" : ","), type.getName());
        }
        json.append(']');
        if (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError)) {
            json.append(",\"broken\":true");
        }
        thrown = null;
    }

    /**
     * Appends {@code kind} and {@code value}: {@code number} (int, long, double, float …), {@code boolean}, {@code text}, {@code null};
     * {@code array} of arrays, lists of the JDK and these, in which a null is JSON's null; and {@code other}, whose value is the class's name.
     */
    private static void appendValue(StringBuilder json, Object value, int depth, int[] left) {
        StringBuilder data = new StringBuilder();
        String kind = value == null ? "null" : value instanceof Boolean ? "boolean" : value instanceof Number && isPlain(value) ? "number"
                : value instanceof String || value instanceof Character ? "text" : value.getClass().isArray() || isPlainList(value) ? "array" : "other";
        if (!appendData(data, value, depth, left)) {
            kind = "other";
            data.setLength(0);
            appendText(data, value.getClass().isArray() || isPlainList(value) ? "an array that is too large, too deep, or of other things than numbers"
                    : value.getClass().getName());
        }
        json.append(",\"kind\":\"").append(kind).append("\",\"value\":").append(data);
    }

    /** Appends a value as JSON, NaN and infinities as Python reads them. Returns false if it cannot be. */
    private static boolean appendData(StringBuilder data, Object value, int depth, int[] left) {
        if (--left[0] < 0 || depth > DEPTH_LIMIT) {
            return false;
        }
        if (value == null || value instanceof Boolean || isPlain(value)) {
            data.append(value);
        } else if (value instanceof String || value instanceof Character) {
            appendText(data, value.toString());
        } else if (value.getClass().isArray() || isPlainList(value)) {
            int length = value instanceof List ? ((List<?>) value).size() : java.lang.reflect.Array.getLength(value);
            data.append('[');
            for (int i = 0; i < length; i++) {
                data.append(i == 0 ? "" : ",");
                if (!appendData(data, value instanceof List ? ((List<?>) value).get(i) : java.lang.reflect.Array.get(value, i), depth + 1, left)) {
                    return false;
                }
            }
            data.append(']');
        } else {
            return false;
        }
        return true;
    }

    private static boolean isPlain(Object value) {
        return value instanceof Double || value instanceof Integer || value instanceof Long || value instanceof Float
                || value instanceof Short || value instanceof Byte;
    }

    private static boolean isPlainList(Object value) {
        return value instanceof List && value.getClass().getClassLoader() == null;
    }

    private static void appendText(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < Math.min(text.length(), TEXT_LIMIT); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
                json.append(c);
            } else {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        json.append('"');
    }

    /** Keeps the first bytes and counts the others. */
    private static final class Capture extends java.io.OutputStream {
        private final byte[] kept = new byte[OUT_LIMIT];
        private int size;
        private long dropped;

        @Override
        public synchronized void write(int b) {
            if (size < OUT_LIMIT) {
                kept[size++] = (byte) b;
            } else {
                dropped++;
            }
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            int fits = Math.min(length, OUT_LIMIT - size);
            System.arraycopy(bytes, from, kept, size, fits);
            size += fits;
            dropped += length - fits;
        }

        synchronized void clear() {
            size = 0;
            dropped = 0;
        }

        synchronized void appendTo(StringBuilder json) {
            String text = new String(kept, 0, size, StandardCharsets.UTF_8);
            json.append(",\"out\":\"");
            for (int from = 0; from < text.length(); from += TEXT_LIMIT) { // appendText is for one line
                StringBuilder piece = new StringBuilder();
                appendText(piece, text.substring(from, Math.min(text.length(), from + TEXT_LIMIT)));
                json.append(piece, 1, piece.length() - 1);
            }
            json.append("\",\"dropped\":").append(dropped);
        }
    }

    /** Runs snippets in this thread and JVM, and keeps what they return or throw. */
    private final class Provider implements ExecutionControlProvider {
        @Override
        public String name() {
            return "runner";
        }

        @Override
        public ExecutionControl generate(ExecutionEnv environment, Map<String, String> parameters) {
            return new DirectExecutionControl() {
                @Override
                protected String invoke(Method method) throws Exception {
                    try {
                        value = method.invoke(null);
                    } catch (InvocationTargetException exception) {
                        thrown = exception.getCause();
                        throw exception;
                    }
                    return "";
                }
            };
        }
    }
}
