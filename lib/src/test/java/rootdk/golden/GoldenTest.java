package rootdk.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import rootdk.attention.Alibi;
import rootdk.attention.Attention;
import rootdk.attention.Half;
import rootdk.attention.Heads;
import rootdk.attention.Logits;
import rootdk.attention.QkNorm;
import rootdk.attention.Rope;
import rootdk.attention.Softmax;
import rootdk.attention.StreamingSoftmax;
import rootdk.attention.TiledAttention;
import rootdk.backend.Backend;
import rootdk.stats.Draws;
import rootdk.training.Batch;
import rootdk.training.Head;
import rootdk.training.Model;
import rootdk.training.Task;

/**
 * Against PyTorch: attention, forward and backward, in every variant, and the model that is trained. {@code make golden} computes the
 * data again. The optimisers are in {@code rootdk.training.OptimizerGoldenTest}.
 */
class GoldenTest {
    private static final int[] TILES = {1, 2, 3, 100};

    static List<String> attentions() {
        return Golden.names("attention-");
    }

    static List<String> norms() {
        return Golden.names("norm-");
    }

    static List<String> ropes() {
        return Golden.names("rope-");
    }

    private static Logits rule(Golden golden) {
        Logits rule = Logits.dividedBy(golden.number("divisor"));
        rule = golden.has("cap") ? rule.cap(golden.number("cap")) : rule;
        rule = golden.has("bias") ? rule.bias(golden.matrix("bias")) : rule;
        rule = golden.has("mask") ? rule.mask(mask(golden.matrix("mask"))) : rule;
        rule = golden.has("causal") && golden.number("causal") == 1 ? rule.causal() : rule;
        return golden.has("sink") ? rule.sink(golden.number("sink")) : rule;
    }

    private static boolean[][] mask(SimpleMatrix m) {
        boolean[][] mask = new boolean[m.getNumRows()][m.getNumCols()];
        for (int i = 0; i < mask.length; i++) {
            for (int j = 0; j < mask[i].length; j++) {
                mask[i][j] = m.get(i, j) == 1;
            }
        }
        return mask;
    }

    @ParameterizedTest
    @MethodSource("attentions")
    void attention(String name) {
        Golden golden = Golden.of(name);
        Attention a = Attention.forward(golden.matrix("Q"), golden.matrix("K"), golden.matrix("V"), rule(golden));
        golden.agrees("scores", a.scores());
        golden.agrees("logits", a.logits());
        golden.agrees("weights", a.weights());
        golden.agrees("output", a.output());
        Attention.Gradients d = a.backward(golden.matrix("dOutput"));
        golden.agrees("dQ", d.dQ());
        golden.agrees("dK", d.dK());
        golden.agrees("dV", d.dV());
        golden.agrees("dWeights", d.dWeights());
        golden.agrees("dLogits", d.dLogits());
        golden.agrees("dScores", d.dScores());
        if (golden.has("bias")) {
            golden.agrees("dBias", d.dBias());
        }
        if (golden.has("sink")) {
            golden.agrees("sinkWeights", a.sinkWeights());
            golden.agrees("dSink", d.dSink());
        }
        for (int tile : TILES) {
            for (Backend backend : backends()) {
                tiled(golden, tile, backend);
            }
        }
        golden.assertAllWasRead();
    }

    private static List<Backend> backends() {
        return Stream.concat(Stream.of(Backend.plain()), Backend.vector().stream()).toList();
    }

    private static void tiled(Golden golden, int tile, Backend backend) {
        TiledAttention a = TiledAttention.forward(golden.matrix("Q"), golden.matrix("K"), golden.matrix("V"), rule(golden), tile,
                backend);
        golden.agrees("output", a.output());
        golden.agrees("logSumExp", a.logSumExp());
        TiledAttention.Gradients d = a.backward(golden.matrix("dOutput"));
        golden.agrees("dQ", d.dQ());
        golden.agrees("dK", d.dK());
        golden.agrees("dV", d.dV());
        assertEquals(golden.has("bias"), d.dBias().isPresent());
        d.dBias().ifPresent(dBias -> golden.agrees("dBias", dBias));
        if (golden.has("sink")) {
            golden.agrees("dSink", d.dSink());
        }
    }

    /** Batch, heads, n_q, n_k, d_k and d_v are all different: 2, 3, 5, 7, 4 and 6. */
    @Test
    void heads() {
        Golden golden = Golden.of("heads");
        int h = (int) golden.number("heads");
        for (int b = 0; b < 2; b++) {
            List<SimpleMatrix> q = Heads.split(golden.matrix("Q" + b), h);
            List<SimpleMatrix> k = Heads.split(golden.matrix("K" + b), h);
            List<SimpleMatrix> v = Heads.split(golden.matrix("V" + b), h);
            List<SimpleMatrix> up = Heads.split(golden.matrix("dOutput" + b), h);
            List<SimpleMatrix> output = new ArrayList<>();
            List<SimpleMatrix> dQ = new ArrayList<>();
            List<SimpleMatrix> dK = new ArrayList<>();
            List<SimpleMatrix> dV = new ArrayList<>();
            for (int head = 0; head < h; head++) {
                Attention a = Attention.forward(q.get(head), k.get(head), v.get(head), Logits.dividedBy(2).causal());
                Attention.Gradients d = a.backward(up.get(head));
                output.add(a.output());
                dQ.add(d.dQ());
                dK.add(d.dK());
                dV.add(d.dV());
            }
            golden.agrees("output" + b, Heads.merge(output));
            golden.agrees("dQ" + b, Heads.merge(dQ));
            golden.agrees("dK" + b, Heads.merge(dK));
            golden.agrees("dV" + b, Heads.merge(dV));
        }
        golden.assertAllWasRead();
    }

    @ParameterizedTest
    @MethodSource("norms")
    void norm(String name) {
        Golden golden = Golden.of(name);
        QkNorm norm = golden.has("epsilon")
                ? QkNorm.rms(golden.matrix("X"), golden.number("epsilon"), golden.numbers("gain"))
                : QkNorm.l2(golden.matrix("X"), golden.numbers("gain"));
        golden.agrees("output", norm.output());
        QkNorm.Gradients d = norm.backward(golden.matrix("dOutput"));
        golden.agrees("dX", d.dX());
        golden.agrees("dGain", d.dGain());
        golden.assertAllWasRead();
    }

    @ParameterizedTest
    @MethodSource("ropes")
    void rope(String name) {
        Golden golden = Golden.of(name);
        SimpleMatrix x = golden.matrix("X");
        Rope rope = golden.number("interleaved") == 1 ? Rope.interleaved(x.getNumCols()) : Rope.halfSplit(x.getNumCols());
        if (golden.has("offset")) {
            golden.agrees("factor", Rope.yarnFactor(golden.number("scaling")));
            rope = rope.offset((int) golden.number("offset")).base(golden.number("base")).factor(golden.number("factor"));
        }
        golden.agrees("output", rope.rotate(x));
        golden.agrees("dX", rope.backward(golden.matrix("dOutput")));
        golden.assertAllWasRead();
    }

    @Test
    void alibi() {
        Golden golden = Golden.of("alibi");
        for (int h = 1; h <= 20; h++) {
            golden.agrees("slopes" + h, Alibi.slopes(h));
        }
        SimpleMatrix bias = Alibi.bias(Alibi.slopes(6)[4], 5, 7);
        golden.agrees("bias", bias);
        golden.agrees("output", Attention.forward(golden.matrix("Q"), golden.matrix("K"), golden.matrix("V"),
                Logits.dividedBy(2).bias(bias).causal()).output());
        golden.assertAllWasRead();
    }

    /** The parts together: norm, rotation and attention, and their gradients back through the chain. */
    @Test
    void chain() {
        Golden golden = Golden.of("chain");
        QkNorm q = QkNorm.rms(golden.matrix("Q"), 1e-6, golden.numbers("qGain"));
        QkNorm k = QkNorm.rms(golden.matrix("K"), 1e-6, golden.numbers("kGain"));
        Rope atQueries = Rope.halfSplit(4).offset(2);
        Rope atKeys = Rope.halfSplit(4);
        Attention a = Attention.forward(atQueries.rotate(q.output()), atKeys.rotate(k.output()), golden.matrix("V"),
                Logits.dividedBy(2).cap(5).causal());
        golden.agrees("output", a.output());
        Attention.Gradients d = a.backward(golden.matrix("dOutput"));
        QkNorm.Gradients dQ = q.backward(atQueries.backward(d.dQ()));
        QkNorm.Gradients dK = k.backward(atKeys.backward(d.dK()));
        golden.agrees("dQ", dQ.dX());
        golden.agrees("dK", dK.dX());
        golden.agrees("dV", d.dV());
        golden.agrees("dQGain", dQ.dGain());
        golden.agrees("dKGain", dK.dGain());
        golden.assertAllWasRead();
    }

    @Test
    void softmax() {
        Golden golden = Golden.of("softmax");
        SimpleMatrix logits = golden.matrix("logits");
        golden.agrees("weights", Softmax.rows(logits));
        golden.agrees("weights", eachRow(logits, Softmax::of));
        for (Backend backend : backends()) {
            golden.agrees("weights", eachRow(logits, row -> Softmax.of(backend, row)));
        }
        golden.agrees("logWeights", eachRow(logits, Softmax::log));
        golden.agrees("logSumExp", rows(logits).mapToDouble(row -> StreamingSoftmax.empty().add(row).logSumExp()).toArray());
        double[] temperatures = golden.numbers("temperatures");
        for (int t = 0; t < temperatures.length; t++) {
            double temperature = temperatures[t];
            golden.agrees("weightsAt" + t, eachRow(logits, row -> Softmax.atTemperature(temperature, row)));
        }
        double[] p = Softmax.of(logits.getRow(0).getDDRM().getData());
        golden.agrees("jacobian", Softmax.jacobian(p));
        golden.agrees("jacobianTimes", Softmax.jacobianTimes(p, golden.numbers("v")));
        golden.agrees("jacobianNorm", Softmax.jacobianNorm(p));
        golden.agrees("entropy", Softmax.entropy(p));
        golden.assertAllWasRead();
    }

    private static Stream<double[]> rows(SimpleMatrix m) {
        return Arrays.stream(m.toArray2());
    }

    private static SimpleMatrix eachRow(SimpleMatrix m, UnaryOperator<double[]> f) {
        return new SimpleMatrix(rows(m).map(f).toArray(double[][]::new));
    }

    /** To the bit, also the sign of 0. */
    @Test
    void half() {
        Golden floats = Golden.of("half");
        assertArrayEquals(floats.numbers("float16"), Half.float16(floats.matrix("x")).getDDRM().getData());
        assertArrayEquals(floats.numbers("bfloat16"), Half.bfloat16(floats.matrix("x")).getDDRM().getData());
        floats.assertAllWasRead();
        Golden doubles = Golden.of("half-of-doubles");
        assertArrayEquals(doubles.numbers("float16"), Half.float16(doubles.matrix("x")).getDDRM().getData());
        doubles.assertAllWasRead();
    }

    static List<String> models() {
        return Golden.names("model-");
    }

    @ParameterizedTest
    @MethodSource("models")
    void model(String name) {
        Golden golden = Golden.of(name);
        Head head = Head.of(6, 3).dividedBy(golden.number("divisor"));
        head = golden.has("cap") ? head.cap(golden.number("cap")) : head;
        head = golden.has("g_q") ? head.qkNorm() : head;
        head = golden.has("log_tau") ? head.learnDivisor() : head;
        Task task = new Given(golden.matrix("keys"), golden.matrix("queries"), golden.matrix("labels"));
        for (Backend backend : backends()) {
            Model model = new Model(head, task, 2, 1, backend);
            model.parameters().forEach(parameter -> parameter.set(golden.matrix(parameter.name())));
            golden.agrees("loss", model.forward(new Batch(task, 2).draw(Draws.of(1))));
            model.backward();
            model.parameters().forEach(parameter -> golden.agrees("d" + parameter.name(), parameter.gradient()));
        }
        golden.assertAllWasRead();
    }

    /** The sequences of the file, one after the other, instead of random ones. */
    private static final class Given implements Task {
        private final SimpleMatrix keys;
        private final SimpleMatrix queries;
        private final SimpleMatrix answers;
        private int next;

        Given(SimpleMatrix keys, SimpleMatrix queries, SimpleMatrix answers) {
            this.keys = keys;
            this.queries = queries;
            this.answers = answers;
        }

        @Override
        public int nK() {
            return keys.getNumCols() / 2;
        }

        @Override
        public int nQ() {
            return answers.getNumCols();
        }

        @Override
        public int symbols() {
            return 7;
        }

        @Override
        public int classes() {
            return 4;
        }

        @Override
        public void draw(Draws draws, int[] tokens, int[] labels) {
            int sequence = next++ % answers.getNumRows();
            for (int i = 0; i < 2 * nK(); i++) {
                tokens[i] = (int) keys.get(sequence, i);
            }
            for (int i = 0; i < 2 * nQ(); i++) {
                tokens[2 * nK() + i] = (int) queries.get(sequence, i);
            }
            for (int i = 0; i < nQ(); i++) {
                labels[i] = (int) answers.get(sequence, i);
            }
        }
    }

    @Test
    void everyFileHasATest() {
        List<String> tested = Stream.of(attentions(), norms(), ropes(), models(),
                List.of("heads", "alibi", "chain", "softmax", "half", "half-of-doubles"), Golden.names("optimiser-"))
                .flatMap(List::stream).sorted().toList();
        assertEquals(tested, Golden.names(""));
        assertTrue(tested.size() > 30);
    }
}
