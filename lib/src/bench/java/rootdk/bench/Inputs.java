package rootdk.bench;

import org.ejml.simple.SimpleMatrix;
import rootdk.attention.Logits;
import rootdk.attention.Scale;
import rootdk.attention.TiledAttention;
import rootdk.backend.Backend;
import rootdk.stats.Draws;

/** Random queries, keys and values, N × 64 each, and what computes with them. */
final class Inputs {
    static final int D = 64;
    private static final int TILE = 128;

    final SimpleMatrix q;
    final SimpleMatrix k;
    final SimpleMatrix v;
    private final Backend backend;

    Inputs(int n, String backend) {
        Draws draws = Draws.of(1);
        q = draws.gaussianMatrix(n, D);
        k = draws.gaussianMatrix(n, D);
        v = draws.gaussianMatrix(n, D);
        this.backend = backend(backend);
    }

    static Backend backend(String name) {
        return name.equals("plain") ? Backend.plain() : Backend.vector().orElseThrow(
                () -> new IllegalStateException("there is no vector backend: run with --add-modules jdk.incubator.vector"));
    }

    TiledAttention forward() {
        return TiledAttention.forward(q, k, v, Logits.dividedBy(Scale.sqrt(D)), TILE, backend);
    }
}
