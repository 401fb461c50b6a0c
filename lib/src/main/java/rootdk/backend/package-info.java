/**
 * The inner loops of the library on {@code double[]}, in two forms behind one interface, {@link rootdk.backend.Backend}: plain Java, and
 * the JVM's Vector API where it is present. Both compute the same bits, except of random numbers. {@link rootdk.backend.Threads} has
 * the threads for work that is spread over processors.
 */
package rootdk.backend;
