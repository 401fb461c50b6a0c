package rootdk.notebook;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The .npy files were written by NumPy 2.4.6 on Python 3.11: numpy.lib.format.write_array of
 * a = np.array([[1, 2.5, -3], [0.1, np.nan, -np.inf]]) or of what the test says.
 */
class MatrixFileTest {
    private static final String HEAD = "k05VTVBZAQB2AHsnZGVzY3InOiAn";
    private static final String END = "ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg";
    /** a.astype("<f4"). */
    private static final String FLOATS = HEAD + "PGY0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsIDMpLCB9" + END
            + "ICAgICAgIAoAAIA/AAAgQAAAQMDNzMw9AADAfwAAgP8=";

    @TempDir
    Path folder;

    private String file(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("x"), bytes).toString();
    }

    private String file(String text) throws IOException {
        return file(text.getBytes(StandardCharsets.UTF_8));
    }

    private SimpleMatrix base64(String text) throws IOException {
        return MatrixFile.read(file(Base64.getDecoder().decode(text)));
    }

    private static void assertMatrix(int rows, int columns, SimpleMatrix m, double... expected) {
        assertEquals(rows, m.getNumRows());
        assertEquals(columns, m.getNumCols());
        assertArrayEquals(expected, m.getDDRM().data);
    }

    private void assertMessage(String message, String path) {
        assertEquals(path + ": " + message,
                assertThrows(IllegalArgumentException.class, () -> MatrixFile.read(path)).getMessage());
    }

    @Test
    void floatsInRows() throws IOException {
        assertMatrix(2, 3, base64(FLOATS), 1, 2.5, -3, 0.1f, Double.NaN, Double.NEGATIVE_INFINITY);
    }

    /** np.asfortranarray(a): column after column. */
    @Test
    void doublesInColumns() throws IOException {
        assertMatrix(2, 3, base64(HEAD + "PGY4JywgJ2ZvcnRyYW5fb3JkZXInOiBUcnVlLCAnc2hhcGUnOiAoMiwgMyksIH0g" + END + "ICAgICAgIAoAAAAA"
                + "AADwP5qZmZmZmbk/AAAAAAAABEAAAAAAAAD4fwAAAAAAAAjAAAAAAAAA8P8="),
                1, 2.5, -3, 0.1, Double.NaN, Double.NEGATIVE_INFINITY);
    }

    /** a.astype(">f8"): the most significant byte first. */
    @Test
    void doublesInTheOtherByteOrder() throws IOException {
        assertMatrix(2, 3, base64(HEAD + "PmY4JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsIDMpLCB9" + END + "ICAgICAgIAo/8AAA"
                + "AAAAAEAEAAAAAAAAwAgAAAAAAAA/uZmZmZmZmn/4AAAAAAAA//AAAAAAAAA="),
                1, 2.5, -3, 0.1, Double.NaN, Double.NEGATIVE_INFINITY);
    }

    /** a.astype("<f4"), version=(2, 0): the header's length has four bytes. */
    @Test
    void versionTwo() throws IOException {
        assertMatrix(2, 3, base64("k05VTVBZAgB0AAAAeydkZXNjcic6ICc8ZjQnLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMiwgMyksIH0g"
                + END + "ICAgIAoAAIA/AAAgQAAAQMDNzMw9AADAfwAAgP8="), 1, 2.5, -3, 0.1f, Double.NaN, Double.NEGATIVE_INFINITY);
    }

    private static byte[] npy(String dtype, String shape, int bytes) {
        String header = "{'descr': " + dtype + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
        String start = "\u0093NUMPY\u0001\0" + (char) header.length() + "\0" + header + "\0".repeat(bytes);
        return start.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void otherTypes() throws IOException {
        String need = ": float32 (<f4) or float64 (<f8) is needed. Save it with np.save(file, x.astype(np.float32))";
        assertMessage("it holds numbers of type <f2" + need, file(npy("'<f2'", "(1, 2)", 4)));
        assertMessage("it holds numbers of type <i8" + need, file(npy("'<i8'", "(1, 2)", 16)));
        assertMessage("it holds numbers of type |O" + need, file(npy("'|O'", "(1, 2)", 16)));
        assertMessage("it holds numbers of type record" + need, file(npy("[('a', '<f4')]", "(1, 2)", 8)));
    }

    @Test
    void otherShapes() throws IOException {
        String need = ": a table has two axes, tokens × components. Save one sequence at a time, with its heads side by side or one "
                + "head alone";
        assertMessage("its shape is (8, 4, 15)" + need, file(npy("'<f4'", "(8, 4, 15)", 1920)));
        assertMessage("its shape is (3,)" + need, file(npy("'<f4'", "(3,)", 12)));
        assertMessage("its shape is ()" + need, file(npy("'<f4'", "()", 4)));
        assertMessage("its shape is 0 × 3: it must have at least one row and one column", file(npy("'<f4'", "(0, 3)", 0)));
    }

    @Test
    void cutOff() throws IOException {
        byte[] whole = Base64.getDecoder().decode(FLOATS);
        String said = "its header says 2 × 3 numbers of 4 bytes, and %d bytes follow: it was cut off or changed. Save it again";
        assertMessage(String.format(said, 23), file(Arrays.copyOf(whole, whole.length - 1)));
        assertMessage(String.format(said, 25), file(Arrays.copyOf(whole, whole.length + 1)));
        for (int length : new int[] {6, 7, 8, 9, 10, 50, 127}) {
            assertMessage("it ends inside its header: it was cut off. Save it again", file(Arrays.copyOf(whole, length)));
        }
        assertMessage("its header says 2147483647 × 2147483647 numbers of 8 bytes, and 8 bytes follow: it was cut off or changed. "
                + "Save it again", file(npy("'<f8'", "(2147483647, 2147483647)", 8)));
    }

    @Test
    void notNumPys() throws IOException {
        byte[] changed = Base64.getDecoder().decode(FLOATS);
        changed[0] = 'x'; // the magic: then it is not text either
        assertMessage("it is neither a table of text nor a .npy file. A .npy file is written by np.save; out of an .npz or .pt file, "
                + "save the one array", file(changed));
        byte[] other = Base64.getDecoder().decode(FLOATS);
        other[11] = 'x'; // the header
        assertMessage("its header is not one of NumPy's. Save it again with np.save", file(other));
    }

    @Test
    void text() throws IOException {
        assertMatrix(2, 2, MatrixFile.read(file("q1,q2\n1, -2.5e1\n\n0.5,3\n")), 1, -25, 0.5, 3);
        assertMatrix(2, 2, MatrixFile.read(file("# np.savetxt\n1 2\n 3   4\n")), 1, 2, 3, 4);
        assertMatrix(1, 3, MatrixFile.read(file("\ufeff1;\t2; 3")), 1, 2, 3);
        assertMatrix(1, 4, MatrixFile.read(file("NaN,nan,-inf,Infinity\r\n")), Double.NaN, Double.NaN, Double.NEGATIVE_INFINITY,
                Double.POSITIVE_INFINITY);
    }

    @Test
    void textThatIsNoTable() throws IOException {
        assertMessage("it holds no numbers: a table has one row in each line", file(""));
        assertMessage("it holds no numbers: a table has one row in each line", file("a,b\n"));
        assertMessage("line 3 has 1 numbers, the lines before it 2: all lines of a table have the same number", file("1,2\n\n3\n"));
        assertMessage("line 2, column 1 is “token”, which is no number", file("1,2\ntoken,3"));
        assertMessage("line 1, column 2 is “x”, which is no number", file("1,x\n2,3"));
        assertMessage("line 1, column 2 is “”, which is no number", file("1,\n"));
        assertMessage("line 1, column 2 is “2f”, which is no number", file("1,2f\n"));
    }

    @Test
    void noFile() {
        assertMessage("there is no such file; paths start at the folder of the notebook", folder.resolve("none.npy").toString());
        assertMessage("there is no such file; paths start at the folder of the notebook", folder.toString());
    }
}
