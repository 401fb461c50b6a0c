"""Submissions to the sample assignment as a class of careless and hostile students might hand them in.

MATRIX: student -> (how the folder is made, points for softmax, points for logits, what the summary must say). A full solution has 4 and 3.
"""
import copy
import json
import os
from pathlib import Path

SAMPLE = json.loads((Path(__file__).parent / "sample" / "sample.ipynb").read_text(encoding="utf-8"))
SOFTMAX, CHECK, LOGITS, WORDS = 2, 3, 5, 7  # numbers of its cells
FULL = 4, 3
MATRIX = {}


def text_of(cell):
    return "".join(cell["source"])


def code(source):
    return {"cell_type": "code", "id": "own-%d" % abs(hash(source)), "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def notebook(softmax=None, words=None, first=(), last=(), change=None):
    """The sample solved, or with something else in its place."""
    nb = copy.deepcopy(SAMPLE)
    if softmax is not None:
        nb["cells"][SOFTMAX]["source"] = softmax
    if words is not None:
        nb["cells"][WORDS]["source"] = words
    nb["cells"] = [code(c) for c in first] + nb["cells"] + [code(c) for c in last]
    if change:
        nb = change(nb) or nb
    return json.dumps(nb, ensure_ascii=False)


def student(name, softmax_points, logits_points, says="", file="sample.ipynb", data=None, make=None, **changes):
    """A student whose folder holds one file, or what make(folder) puts there."""
    def put(folder):
        folder.mkdir(parents=True)
        if make:
            make(folder)
        else:
            content = notebook(**changes) if data is None else data
            (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    MATRIX[name] = put, softmax_points, logits_points, says


def method(body, before=""):
    """A cell with a softmax of this body."""
    return "%s\ndouble[] softmax(double[] x) {\n%s\n}" % (before, body)


RIGHT = """
    if (x.length == 0) throw new IllegalArgumentException("no scores");
    double max = Arrays.stream(x).max().getAsDouble(), sum = 0;
    double[] p = new double[x.length];
    for (int i = 0; i < x.length; i++) sum += p[i] = Math.exp(x[i] - max);
    for (int i = 0; i < x.length; i++) p[i] /= sum;
    return p;"""


# ---- as handed in by most

student("ref", *FULL)
student("release", 0, 0, change=lambda nb: released(nb))
student("王 小明", *FULL)
student("Åsa O'Brien-Ünal", *FULL)
student("layout", *FULL, make=lambda folder: (os.mkdir(folder / "sample"), (folder / "sample" / "my work.ipynb").write_text(notebook(), encoding="utf-8")))


def released(nb):
    import classroom.notebooks
    for cell in nb["cells"]:
        cell["source"] = classroom.notebooks.released(text_of(cell))


# ---- answers that are wrong

student("not compiling", 0, 3, "softmax: it does not compile", softmax=method("return x"))
student("missing symbol", 0, 3, softmax=method("return normalise(x);"))
student("other name", 0, 3, softmax="double[] softMax(double[] x) {" + RIGHT + "}")
student("throws", 0, 3, softmax=method('throw new IllegalStateException("no");'))
student("always the expected exception", 0, 3, softmax=method('throw new IllegalArgumentException("no");'))
student("nan", 0, 3, softmax=method("double[] p = new double[x.length]; Arrays.fill(p, Double.NaN); return p;"))
student("null", 0, 3, softmax=method("return null;"))
student("visible case by heart", 1, 3, softmax=method("return new double[] {0.09003057317038046, 0.24472847105479764, 0.6652409557748218};"))
student("too many elements", 0, 3, softmax=method("return new double[1_000_000];"))
student("contains itself", 0, 3, softmax="Object softmax(double[] x) { List<Object> a = new ArrayList<>(); a.add(a); return a; }")
student("own class", 0, 3, softmax="class P { public String toString() { return \"[0.09003057317038046, 0.24472847105479764, 0.6652409557748218]\"; } }\n"
        "Object softmax(double[] x) { return new P(); }")

# ---- right answers in odd company

student("prints to stderr", *FULL, softmax=method('System.err.println("debug");' + RIGHT))
student("ends in an expression", *FULL, softmax=method(RIGHT) + "\n1000.0", last=["1000.0", "Double.NaN", "-3"])
student("imports what is not there", *FULL, softmax="import rootdk.attention.Softmax;\n" + method(RIGHT), first=["import org.nowhere.*;\nimport java.util.Arrays;"])
student("redefines later", *FULL, last=["double[] softmax(double[] x) { return x; }", "double dot(double[] a, double[] b) { return 0; }"])
student("failing own cells", *FULL, first=["int x = ;", 'throw new RuntimeException("a");'], last=["int y = 1 / 0;"])
student("magic", *FULL, softmax="%%time\n" + method(RIGHT))
student("interrupts and blinds", *FULL, softmax=method("Thread.currentThread().interrupt(); System.setOut(null);" + RIGHT))
student("answers with what is given declared anew", *FULL, "logits: declares anew what is in the locked cell given", change=lambda nb: nb["cells"][LOGITS].update(
    source="double dot(double[] a, double[] b) { return 0; }\n" + text_of(nb["cells"][LOGITS])))
student("copies a cell and goes on in the copy", *FULL, "2 cells softmax: graded the last", change=lambda nb: nb["cells"].insert(SOFTMAX, {**nb["cells"][SOFTMAX], "source": method("return x;")}))
student("slow", *FULL, softmax=method("Thread.sleep(300);" + RIGHT).replace("(double[] x)", "(double[] x) throws Exception"))
student("shadows Math", 0, 0, first=["class Math { static double exp(double x) { return 1; } }"])

# ---- code that does not come back, or takes the JVM with it

student("endless", 0, 3, "no answer within", softmax=method("while (true) { }"))
student("endless own cell", *FULL, "an own cell: no answer", last=["while (true) { }"])
student("endless first cell", *FULL, "an own cell: no answer", first=["while (true) { }"])
student("waits for input", 0, 3, softmax=method("System.in.read(); return new Scanner(System.in).hasNext() ? x : null;")
        .replace("(double[] x)", "(double[] x) throws Exception"))
student("runaway threads", *FULL, first=["for (int i = 0; i < 2; i++) new Thread(() -> { while (true) { } }).start();"])
student("thread bomb", *FULL, "", last=["for (int i = 0; i < 100_000; i++) new Thread(() -> { try { Thread.sleep(1_000_000); } catch (Exception e) { } }).start();"])
student("crashes its JVM", 0, 3, "JVM ended", softmax=method(
    'var f = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe"); f.setAccessible(true); ((sun.misc.Unsafe) f.get(null)).putAddress(0, 0); return x;')
    .replace("(double[] x)", "(double[] x) throws Exception"))
student("exit", 0, 3, "JVM ended", softmax=method("System.exit(0); return x;"))
student("halt in a cell", *FULL, "JVM ended", last=["Runtime.getRuntime().halt(0);"])
student("kills itself", 0, 3, softmax=method('new ProcessBuilder("kill", "-9", "-1").start().waitFor(); ProcessHandle.current().destroyForcibly(); return x;')
        .replace("(double[] x)", "(double[] x) throws Exception"))
student("forks", 0, 3, softmax=method('return new double[] {new ProcessBuilder("sh", "-c", "echo").start().waitFor()};')
        .replace("(double[] x)", "(double[] x) throws Exception"))
student("hook", 0, 3, "no answer within", softmax=method("Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) { } })); System.exit(0); return x;"))
student("out of memory", 0, 3, softmax=method("List<long[]> all = new ArrayList<>(); while (true) all.add(new long[1_000_000]);"))
student("keeps all memory", 0, 3, softmax="List<long[]> all = new ArrayList<>();\n" + method("while (true) all.add(new long[1_000_000]);"))
# These would be right if they got what they ask for.
UNSAFE = 'var f = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe"); f.setAccessible(true); var unsafe = (sun.misc.Unsafe) f.get(null);'
student("2 GB from Unsafe", 0, 3, softmax=method(UNSAFE + "for (int i = 0; i < 32; i++) unsafe.setMemory(unsafe.allocateMemory(64 << 20), 64 << 20, (byte) 1);" + RIGHT)
        .replace("(double[] x)", "(double[] x) throws Exception"))
student("2 GB from C", 0, 3, softmax=method(
    'var type = Class.forName("java.lang.foreign.Arena"); var arena = type.getMethod("global").invoke(null); '
    'for (int i = 0; i < 32; i++) type.getMethod("allocate", long.class, long.class).invoke(arena, 64L << 20, 1L);' + RIGHT)
    .replace("(double[] x)", "(double[] x) throws Exception"))
student("2 GB from zlib", 0, 3, softmax=method(
    "var all = new ArrayList<Object>(); for (int i = 0; i < 25_000; i++) { var one = new java.util.zip.Deflater(); one.setInput(new byte[9]); one.deflate(new byte[9]); all.add(one); }"
    + RIGHT))
student("64 MB of direct memory", 0, 3, softmax=method(
    "var all = new ArrayList<Object>(); for (int i = 0; i < 64; i++) all.add(java.nio.ByteBuffer.allocateDirect(1 << 20));" + RIGHT))
student("5000 threads", 0, 3, softmax=method(
    "for (int i = 0; i < 5000; i++) { var t = new Thread(() -> { try { Thread.sleep(1_000_000); } catch (Exception e) { } }); t.setDaemon(true); t.start(); }" + RIGHT))
student("2 GB of stack", 0, 3, softmax=method("for (int i = 0; i < 2; i++) new Thread(null, () -> { while (true); }, \"large\", 1L << 30).start();" + RIGHT))
student("10 GB of files", 0, 3, softmax=method(
    'byte[] b = new byte[1 << 20]; for (int i = 0; i < 10_000; i++) Files.write(Path.of("/tmp/" + i), b);' + RIGHT).replace("(double[] x)", "(double[] x) throws Exception"))
student("stack overflow", 0, 3, softmax=method("return softmax(x);"))
student("compiler's stack", *FULL, "", last=["int much = " + " + ".join(["1"] * 9000) + ";", "String s = " + " + ".join(["s()"] * 3300) + ";"])
student("50 MB in one print", *FULL, "", softmax=method('if (x.length == 3) System.out.println("x".repeat(50_000_000));' + RIGHT))
student("prints 50 MB in a cell", *FULL, "printed", last=['System.out.println("x".repeat(25_000_000)); System.err.println("x".repeat(25_000_000));'])
student("flood of prints", 0, 3, "no answer within", softmax=method('while (true) System.out.println("x");'))

# ---- notebooks that are not as released

student("deleted checks", *FULL, "softmax-check was deleted", change=lambda nb: nb.update(cells=[c for c in nb["cells"] if not c["metadata"].get("nbgrader", {}).get("points") == 4]))
student("duplicated", *FULL, "2 cells", change=lambda nb: nb.update(cells=nb["cells"] + nb["cells"]))
student("reordered", *FULL, "another order", change=lambda nb: nb["cells"].reverse())
student("deleted given cell", *FULL, change=lambda nb: nb["cells"].pop(4) and nb)
student("deleted answer", 0, 3, "the cell softmax is missing", change=lambda nb: nb["cells"].pop(SOFTMAX) and nb)
student("wrong kernel", *FULL, change=lambda nb: nb.update(metadata={"kernelspec": {"name": "python3", "language": "python"}}))
student("old format", *FULL, data=json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [
    {"cells": [{"cell_type": c["cell_type"], "metadata": c["metadata"], ("input" if c["cell_type"] == "code" else "source"): text_of(c)} for c in SAMPLE["cells"]]}]}))


def edit_checks(nb):
    nb["cells"][CHECK]["source"] = "4.0"
    nb["cells"][CHECK]["metadata"]["nbgrader"].update(points=1000)
    nb["cells"][SOFTMAX]["metadata"]["nbgrader"].update(grade=True, points=1000)
    nb["cells"][SOFTMAX]["source"] = "1000.0"


def without_metadata(nb):
    for number, cell in enumerate(nb["cells"]):
        cell["metadata"], cell["id"] = {}, "x%d" % number


def odd_types(nb):
    nb["cells"][0]["metadata"] = {"nbgrader": [1]}
    nb["cells"][1]["source"] = ["import java.util.Arrays;", 7, None]
    nb["cells"] += [None, 3, {"cell_type": "code"}, {"cell_type": 5, "source": {"a": 1}, "id": [], "metadata": 4}, code("int a = 1; // \ud800 \u0000 \u202e \x1b[31m")]


student("edited checks", 0, 3, "softmax-check was changed", change=edit_checks)
student("no metadata", *FULL, "lost its name", change=without_metadata)
student("odd types", *FULL, data=json.dumps((lambda nb: (odd_types(nb), nb)[1])(copy.deepcopy(SAMPLE))))

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def attached(nb, words="See ![my page](attachment:my%20page.png) <![x](attachment:my%20page.png).", **attachments):
    nb["cells"][WORDS].update(source=words, attachments=attachments or {"my page.png": {"image/png": PNG}})


student("photograph", *FULL, change=attached)
student("photograph that no browser shows", *FULL, "no picture in PNG or JPEG", change=lambda nb: attached(nb, "![](attachment:a.heic)", **{"a.heic": {"image/heic": "AAAA"}}))
student("attached page with a script", *FULL, "no picture in PNG or JPEG", change=lambda nb: attached(
    nb, "![](attachment:a.svg) ![](attachment:b.png)", **{"a.svg": {"image/svg+xml": "<svg onload='alert(1)'/>"}, "b.png": {"image/png": "\"><script>alert(1)</script>"}, "c": 7, "d": {"image/png": [1]}}))

# ---- files

student("windows", *FULL, data=notebook().replace("\\n", "\\r\\n").replace("\n", "\r\n"))
student("bom", *FULL, data=b"\xef\xbb\xbf" + notebook().encode())
student("utf-16", *FULL, data=notebook().encode("utf-16"))
student("latin-1", 4, 3, "not in UTF-8", data=notebook(words="Wei\xdf nicht").encode("utf-8").replace(b"\xc3\x9f", b"\xdf"))
student("broken json", 0, 0, "no JSON", data=notebook()[:-50])
student("deep json", 0, 0, "no JSON", data="[" * 200_000)
student("not a notebook", 0, 0, "no notebook", data="[1, 2]")
student("empty file", 0, 0, "it is empty", data="")
student("huge file", 0, 0, "MB", make=lambda folder: (folder / "sample.ipynb").write_bytes(b" " * (65 << 20)))
student("huge outputs", *FULL, change=lambda nb: nb["cells"][1].update(outputs=[{"output_type": "stream", "name": "stdout", "text": "x" * (30 << 20)}]))
student("huge cell", *FULL, "are left out", last=["// " + "x" * 1_000_000])
student("many large cells", *FULL, "more than 200000 characters", last=["// " + "x" * 19_000] * 20)
student("code that is slow to colour", *FULL, last=["a " * 9000, "a[] " * 4500, "final " * 3000])
student("open comments and no metadata", *FULL, "lost its name", change=lambda nb: [without_metadata(nb), nb["cells"].extend(code("/* " * 6000) for _ in range(9))] and None)
student("thousands of cells", *FULL, "cells", last=["1"] * 2000)
student("two notebooks", *FULL, "2 notebooks", make=lambda folder: [(folder / name).write_text(text, encoding="utf-8") for name, text in (
    ("sample.ipynb", notebook()), ("sample (copy).ipynb", notebook(softmax="")))] and None)
student("linked notebook", None, None, "link", make=lambda folder: os.symlink(Path(__file__).parent / "sample" / "sample.ipynb", folder / "sample.ipynb"))
student("linked folder", None, None, "link", make=lambda folder: os.symlink(Path(__file__).parent / "sample", folder / "sample"))
student("hard link", *FULL, "hard link", make=lambda folder: ((folder / "sample.ipynb").write_text(notebook(), encoding="utf-8"),
                                                              os.link(folder / "sample.ipynb", folder / "other.txt")))
student("pipe", None, None, "no notebook", make=lambda folder: os.mkfifo(folder / "sample.ipynb"))
student("no notebook", None, None, "no notebook", make=lambda folder: (folder / "answers.txt").write_text("I have none"))
student("=HYPERLINK(\"http:x\",\"1\")", *FULL)
student("-rf $(touch x); [a]*", *FULL)
student("..secret..", *FULL)
student("长" * 83, *FULL)

# ---- attacks on the grader

FRAME = ('byte[] b = "{\\"id\\":%s,\\"kind\\":\\"array\\",\\"value\\":[1,2,3],\\"out\\":\\"\\",\\"dropped\\":0}".formatted(n).getBytes(); '
         "var o = new DataOutputStream(new FileOutputStream(FileDescriptor.out)); o.writeInt(b.length); o.write(b); o.flush();")
student("forges replies", 0, 3, softmax=method("for (int n = 1; n < 40; n++) { %s } while (true) { }" % FRAME).replace("(double[] x)", "(double[] x) throws Exception"))
student("answers later requests", None, None, "grader's channel", first=["new Thread(() -> { try { for (int n = 1; ; n++) { %s } } catch (Exception e) { } }).start();" % FRAME])
student("garbage on the channel", 0, 3, "grader's channel", softmax=method('new FileOutputStream(FileDescriptor.out).write("hello, grader\\n".repeat(1000).getBytes()); return x;')
        .replace("(double[] x)", "(double[] x) throws Exception"))
student("a reply without end", 0, 3, "", softmax=method("var o = new DataOutputStream(new FileOutputStream(FileDescriptor.out)); o.writeInt(Integer.MAX_VALUE); o.flush(); return x;")
        .replace("(double[] x)", "(double[] x) throws Exception"))
student("a deep reply", 0, 3, "grader's channel", softmax=method(
    'byte[] b = "[".repeat(1_000_000).getBytes(); var o = new DataOutputStream(new FileOutputStream(FileDescriptor.out)); o.writeInt(b.length); o.write(b); o.flush(); return x;')
    .replace("(double[] x)", "(double[] x) throws Exception"))
student("a very large number", 0, 3, "", softmax="Object softmax(double[] x) { return new java.math.BigInteger(\"9\".repeat(5000)); }")
student("reflection", 0, 3, softmax=method(
    'var runner = Class.forName("rootdk.classroom.Runner"); for (var f : runner.getDeclaredFields()) { f.setAccessible(true); System.out.println(f); } '
    "for (var t : Thread.getAllStackTraces().keySet()) System.out.println(t); return x;").replace("(double[] x)", "(double[] x) throws Exception"))
student("evil exception", 0, 3, softmax="class Evil extends RuntimeException { public String getMessage() { throw new Evil(); } public String toString() { return null; } }\n"
        + method("throw new Evil();"))
student("escapes in messages", 0, 3, softmax=method('throw new RuntimeException("\\u001b[31m<script>alert(1)</script>\\u202e\\u0000=1+1");'))
student("escapes in words", *FULL, words='<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) $\\href{javascript:alert(1)}{x}$ $a<b$ <!-- ',
        last=['System.out.println("<script>alert(1)</script>\\u001b[2J");'])
student("tells hidden inputs", *FULL, first=["List<String> seen = new ArrayList<>();"], softmax=method(
    "seen.add(Arrays.toString(x)); System.out.println(seen); System.err.println(seen); if (x.length == 99) throw new RuntimeException(seen.toString());" + RIGHT),
    last=["System.out.println(seen);"])
student("tells hidden inputs by an exception", 2, 3, softmax=method(
    "if (x.length > 3) throw new RuntimeException(Arrays.toString(x));" + RIGHT))

LOOK = r'''
void look(String what, java.util.concurrent.Callable<?> action) {
    try { System.out.println(what + ": " + action.call()); }
    catch (Throwable e) { System.out.println(what + ": refused, " + e.getClass().getSimpleName()); }
}
byte[] megabytes = new byte[20_000_000];
look("passwords", () -> Files.readString(Path.of("/etc/passwd")));
look("the project", () -> Files.exists(Path.of("PROJECT")) ? "seen " + Arrays.toString(new File("PROJECT").list()) : "not there");
look("hidden tests", () -> Files.readString(Path.of("SAMPLE/tasks.py")));
look("the gradebook", () -> Files.size(Path.of("CLASS/gradebook.db")));
look("the expected values", () -> new File("CLASS/expected").list().length);
look("other submissions", () -> new File("SUBMITTED").list().length);
look("home", () -> new File(System.getProperty("user.home")).list().length + " files");
look("environment", () -> System.getenv().keySet());
look("other processes", () -> ProcessHandle.allProcesses().count() + " seen");
look("write to the root", () -> Files.writeString(Path.of("/x"), "x"));
look("write to the JDK", () -> Files.writeString(Path.of(System.getProperty("java.home"), "x"), "x"));
look("write to the runner", () -> Files.writeString(Path.of(System.getProperty("java.class.path")), "x"));
look("write to the project", () -> Files.writeString(Path.of("PROJECT/x"), "x"));
look("write to the scratch", () -> Files.writeString(Path.of("x"), "x") != null);
look("write 20 MB", () -> Files.write(Path.of("big"), megabytes));
look("write 30 MB in two files", () -> { Files.write(Path.of("a"), Arrays.copyOf(megabytes, 15_000_000)); return Files.write(Path.of("b"), Arrays.copyOf(megabytes, 15_000_000)); });
look("write to /dev", () -> Files.writeString(Path.of("/dev/x"), "x"));
look("write to shared memory", () -> Files.writeString(Path.of("/dev/shm/x"), "x"));
look("network", () -> { new Socket().connect(new InetSocketAddress("1.1.1.1", 80), 2000); return "connected"; });
look("this machine", () -> { new Socket().connect(new InetSocketAddress("127.0.0.1", PORT), 2000); return "connected"; });
look("names", () -> InetAddress.getByName("example.org"));
look("a process by fork", () -> {
    System.setProperty("jdk.lang.Process.launchMechanism", "FORK");
    return new String(new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-version").redirectErrorStream(true).start().getInputStream().readAllBytes());
});
look("a process", () -> new ProcessBuilder("/bin/sh", "-c", "id").start().pid());
look("the kernel's log", () -> Files.readString(Path.of("/dev/kmsg")));
look("a signal to init", () -> ProcessHandle.of(1).get().destroyForcibly());
look("descriptors", () -> Files.list(Path.of("/proc/self/fd")).map(p -> { try { return Files.readSymbolicLink(p).toString(); } catch (IOException e) { return ""; } }).filter(s -> s.startsWith("/") && !s.startsWith("/dev") && !s.contains("java") && !s.contains("/proc") && !s.contains("/jvm/")).toList());
'''
