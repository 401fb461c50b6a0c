/**
 * Times of the library's long computations, by JMH. {@code make bench} runs them beside the same work in NumPy and PyTorch
 * (environment/peers) and writes BENCHMARKS.md. Not in the JAR, and not compiled without {@code -Pbench}.
 */
package rootdk.bench;
