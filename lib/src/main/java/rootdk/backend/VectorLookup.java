package rootdk.backend;

import java.util.Optional;

/** Finds {@code VectorBackend} by its name: a reference in code would fail to link in a JVM without the Vector API's module. */
final class VectorLookup {
    static final Optional<Backend> FOUND = find();

    private VectorLookup() { }

    private static Optional<Backend> find() {
        if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of((Backend) Class.forName("rootdk.backend.VectorBackend").getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the JVM has the Vector API, but rootdk.backend.VectorBackend is missing: build the JAR anew", e);
        }
    }
}
