package rootdk.notebook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ejml.simple.SimpleMatrix;

/**
 * Reads a table of numbers from a file: NumPy's format .npy, or text with one row in each line, its numbers separated by commas,
 * semicolons, tabs or spaces. Which of the two it is, the file's first bytes tell, not its name.
 *
 * <p>Of .npy, versions 1 to 3 of the format are read, with float32 or float64 in either byte order, in C or Fortran order. Of text,
 * a first line that holds no number is a header and left out, as are empty lines and lines that begin with {@code #}; {@code NaN}
 * and {@code inf} are numbers, in any case.
 *
 * <p>Source: the format's description in NumPy, {@code numpy.lib.format}.
 */
public final class MatrixFile {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final Pattern DTYPE = Pattern.compile("'descr'\\s*:\\s*(?:'([^']*)'|\\[)");
    private static final Pattern FORTRAN = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([^)]*)\\)");

    private final String path;

    private MatrixFile(String path) {
        this.path = path;
    }

    /**
     * Reads a file. Memory is about twice its size.
     *
     * @param path the file; a relative path starts at the folder of the notebook
     * @return a new matrix of doubles, at least 1 × 1; NaN and ±∞ stay as they are
     * @throws IllegalArgumentException if there is no such file, or it does not hold such a table; the message names the file,
     *     what was found and what to do
     */
    public static SimpleMatrix read(String path) {
        Path file = Path.of(path);
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(path + ": there is no such file; paths start at the folder of the notebook");
        }
        try {
            byte[] bytes = Files.readAllBytes(file);
            MatrixFile reader = new MatrixFile(path);
            boolean npy = bytes.length >= MAGIC.length && Arrays.equals(MAGIC, 0, MAGIC.length, bytes, 0, MAGIC.length);
            return npy ? reader.npy(ByteBuffer.wrap(bytes)) : reader.text(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(path + " cannot be read", e);
        }
    }

    private SimpleMatrix npy(ByteBuffer bytes) {
        String header = header(bytes.order(ByteOrder.LITTLE_ENDIAN));
        String dtype = entry(DTYPE, header);
        if (dtype == null || !dtype.matches("[<>]f[48]")) {
            throw wrong("it holds numbers of type " + (dtype == null ? "record" : dtype)
                    + ": float32 (<f4) or float64 (<f8) is needed. Save it with np.save(file, x.astype(np.float32))");
        }
        String[] axes = entry(SHAPE, header).replaceAll("\\s|,$", "").split(",");
        if (axes.length != 2) {
            throw wrong("its shape is (" + entry(SHAPE, header) + "): a table has two axes, tokens × components. Save one sequence at a "
                    + "time, with its heads side by side or one head alone");
        }
        long rows = Long.parseLong(axes[0]);
        long columns = Long.parseLong(axes[1]);
        int size = dtype.charAt(2) - '0';
        if (rows == 0 || columns == 0) {
            throw wrong("its shape is " + rows + " × " + columns + ": it must have at least one row and one column");
        }
        if (columns > Integer.MAX_VALUE || rows > Integer.MAX_VALUE || bytes.remaining() / size / columns < rows
                || bytes.remaining() != rows * columns * size) {
            throw wrong("its header says " + rows + " × " + columns + " numbers of " + size + " bytes, and " + bytes.remaining()
                    + " bytes follow: it was cut off or changed. Save it again");
        }
        bytes.order(dtype.charAt(0) == '<' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        boolean byColumns = entry(FORTRAN, header).equals("True");
        SimpleMatrix out = new SimpleMatrix((int) rows, (int) columns);
        for (int at = 0; at < rows * columns; at++) {
            double x = size == 4 ? bytes.getFloat() : bytes.getDouble();
            if (byColumns) {
                out.set((int) (at % rows), (int) (at / rows), x);
            } else {
                out.set(at, x);
            }
        }
        return out;
    }

    /** The header, a Python dictionary in text; afterwards the buffer stands at the data. */
    private String header(ByteBuffer bytes) {
        bytes.position(MAGIC.length);
        int lengthBytes = bytes.remaining() < 2 ? 0 : bytes.get() == 1 ? 2 : 4; // the second byte is a minor version
        long length = -1;
        if (lengthBytes > 0 && bytes.remaining() > lengthBytes) {
            bytes.get();
            length = lengthBytes == 2 ? bytes.getShort() & 0xffff : bytes.getInt() & 0xffffffffL;
        }
        if (length < 0 || length > bytes.remaining()) {
            throw wrong("it ends inside its header: it was cut off. Save it again");
        }
        byte[] text = new byte[(int) length];
        bytes.get(text);
        String header = new String(text, StandardCharsets.UTF_8);
        if (!DTYPE.matcher(header).find() || entry(FORTRAN, header) == null || entry(SHAPE, header) == null) {
            throw wrong("its header is not one of NumPy's. Save it again with np.save");
        }
        return header;
    }

    private static String entry(Pattern pattern, String header) {
        Matcher matcher = pattern.matcher(header);
        return matcher.find() ? matcher.group(1) : null;
    }

    private SimpleMatrix text(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                throw wrong("it is neither a table of text nor a .npy file. A .npy file is written by np.save; "
                        + "out of an .npz or .pt file, save the one array");
            }
        }
        List<double[]> rows = new ArrayList<>();
        List<String> lines = new String(bytes, StandardCharsets.UTF_8).replace("\ufeff", "").lines().toList();
        boolean first = true;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] cells = line.split("\\s*[,;\\t]\\s*|\\s+", -1);
            boolean header = first && Arrays.stream(cells).allMatch(cell -> Double.isNaN(number(cell)) && !isNan(cell));
            first = false;
            if (!header) {
                rows.add(row(cells, i + 1));
                if (rows.get(0).length != cells.length) {
                    throw wrong("line " + (i + 1) + " has " + cells.length + " numbers, the lines before it " + rows.get(0).length
                            + ": all lines of a table have the same number");
                }
            }
        }
        if (rows.isEmpty()) {
            throw wrong("it holds no numbers: a table has one row in each line");
        }
        return new SimpleMatrix(rows.toArray(double[][]::new));
    }

    private double[] row(String[] cells, int line) {
        double[] row = new double[cells.length];
        for (int j = 0; j < row.length; j++) {
            row[j] = number(cells[j]);
            if (Double.isNaN(row[j]) && !isNan(cells[j])) {
                throw wrong("line " + line + ", column " + (j + 1) + " is “" + cells[j] + "”, which is no number");
            }
        }
        return row;
    }

    private static boolean isNan(String cell) {
        return cell.equalsIgnoreCase("nan");
    }

    /** The number, NaN if it is none. */
    private static double number(String cell) {
        String plain = cell.toLowerCase(Locale.ROOT);
        if (plain.matches("[+-]?inf(inity)?")) {
            return plain.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        try { // Java would also take 1d and 1f for numbers
            return plain.matches(".*[df]|0x.*") ? Double.NaN : Double.parseDouble(plain);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(path + ": " + what);
    }
}
