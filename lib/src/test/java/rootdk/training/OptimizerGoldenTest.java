package rootdk.training;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import rootdk.backend.Backend;
import rootdk.golden.Golden;

/** Three steps of each optimiser with given gradients, against PyTorch. */
class OptimizerGoldenTest {
    static List<String> adafactors() {
        return Golden.names("optimiser-adafactor-");
    }

    static List<String> muons() {
        return Golden.names("optimiser-muon-");
    }

    private static void steps(Golden golden, Function<Parameter, Rule> optimizer) {
        Parameter w = new Parameter("W", golden.matrix("W0").getNumRows(), golden.matrix("W0").getNumCols(), true);
        w.set(golden.matrix("W0"));
        Rule rule = optimizer.apply(w);
        for (int step = 1; golden.has("G" + step); step++) {
            System.arraycopy(golden.numbers("G" + step), 0, w.gradient, 0, w.gradient.length);
            rule.step(golden.number("lr"));
            golden.agrees("W" + step, w.value());
        }
    }

    @Test
    void sgd() {
        Golden plain = Golden.of("optimiser-sgd");
        steps(plain, w -> new Rule.Sgd(w, 0));
        plain.assertAllWasRead();
        Golden momentum = Golden.of("optimiser-sgd-momentum");
        steps(momentum, w -> new Rule.Sgd(w, momentum.number("momentum")));
        momentum.assertAllWasRead();
    }

    @Test
    void adam() {
        Golden golden = Golden.of("optimiser-adam");
        steps(golden, w -> new Rule.Adam(w, golden.number("beta1"), golden.number("beta2"), golden.number("epsilon")));
        golden.assertAllWasRead();
    }

    @ParameterizedTest
    @MethodSource("adafactors")
    void adafactor(String name) {
        Golden golden = Golden.of(name);
        steps(golden, Rule.Adafactor::new);
        golden.assertAllWasRead();
    }

    /** PyTorch's with its rounding to bfloat16 left out: tall, wide, a row, a single number. */
    @ParameterizedTest
    @MethodSource("muons")
    void muon(String name) {
        Golden golden = Golden.of(name);
        Stream.concat(Stream.of(Backend.plain()), Backend.vector().stream())
                .forEach(backend -> steps(golden, w -> new Rule.Muon(w, backend)));
        golden.assertAllWasRead();
    }

    @Test
    void everyFileHasATest() {
        assertEquals(3 + adafactors().size() + muons().size(), Golden.names("optimiser-").size());
    }
}
