package rootdk.training;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import rootdk.backend.Threads;
import rootdk.stats.Progress;
import rootdk.stats.Quantiles;

/**
 * Runs of several trainings at several learning rates with several seeds each, on all processors
 * ({@link Runtime#availableProcessors}). Each run has one thread and depends
 * on its training, rate and seed alone, so the results do not depend on the number of threads. Runs that diverge are results like
 * others.
 * <pre>{@code
 * Map<String, Training> variants = new LinkedHashMap<>();   // keeps the order; that of Map.of changes from run to run
 * variants.put("none", unscaled);
 * variants.put("√dₖ", scaled);
 * Sweep sweep = Sweep.of(variants, new double[] {0.01, 0.1, 1}, 5);
 * sweep.medians("√dₖ");       // one final loss for each rate
 * sweep.usable("√dₖ", 0.1);   // the rates that reach 0.1
 * }</pre>
 */
public final class Sweep {
    private final Map<String, Run[][]> runs; // by variant, then rate, then seed
    private final double[] rates;

    private Sweep(Map<String, Run[][]> runs, double[] rates) {
        this.runs = runs;
        this.rates = rates;
    }

    /**
     * All runs, without word of progress.
     *
     * @param variants the trainings by name
     * @param rates the learning rates, which replace the trainings' own
     * @param seeds how many seeds, at least 1: 0, 1, …, seeds − 1
     * @return the finished sweep
     * @throws IllegalArgumentException if there is no variant or no rate, a rate is not finite and above 0, or seeds is below 1
     * @throws CancellationException as the other method says
     */
    public static Sweep of(Map<String, Training> variants, double[] rates, int seeds) {
        return of(variants, rates, seeds, (done, total) -> { });
    }

    /**
     * All runs. When the calling thread is interrupted (the stop button of a notebook) or {@code progress} throws, every run stops
     * before its next step; the call waits for that. Nothing keeps running.
     *
     * @param variants the trainings by name; the map's order is kept
     * @param rates the learning rates, which replace the trainings' own
     * @param seeds how many seeds, at least 1: 0, 1, …, seeds − 1
     * @param progress hears how many runs are done
     * @return the finished sweep
     * @throws IllegalArgumentException if there is no variant or no rate, a rate is not finite and above 0, or seeds is below 1
     * @throws CancellationException if the calling thread is interrupted; its flag stays set
     */
    public static Sweep of(Map<String, Training> variants, double[] rates, int seeds, Progress progress) {
        return of(variants, rates, seeds, progress, Runtime.getRuntime().availableProcessors());
    }

    static Sweep of(Map<String, Training> variants, double[] rates, int seeds, Progress progress, int threads) {
        Checks.atLeast(1, "the number of variants", Checks.notNull("variants", variants).size());
        Checks.atLeast(1, "the number of rates", Checks.notNull("rates", rates).length);
        Checks.atLeast(1, "seeds", seeds);
        Checks.notNull("progress", progress);
        Map<String, Run[][]> runs = new LinkedHashMap<>();
        ExecutorService pool = Threads.pool(threads, "sweep");
        try {
            List<Future<?>> futures = new ArrayList<>();
            variants.forEach((name, variant) -> {
                Checks.notNull("variants[" + name + "]", variant);
                Run[][] table = new Run[rates.length][seeds];
                runs.put(name, table);
                for (int r = 0; r < rates.length; r++) {
                    Training training = variant.rate(rates[r]);
                    for (int seed = 0; seed < seeds; seed++) {
                        Run[] row = table[r];
                        int s = seed;
                        futures.add(pool.submit(() -> row[s] = training.run(s)));
                    }
                }
            });
            await(futures, progress);
        } finally {
            Threads.stop(pool); // which takes a step's time
        }
        return new Sweep(runs, rates.clone());
    }

    private static void await(List<Future<?>> futures, Progress progress) {
        long told = System.nanoTime();
        for (int done = 0; done < futures.size(); ) {
            try {
                futures.get(done).get(Progress.INTERVAL, TimeUnit.MILLISECONDS);
                done++;
            } catch (TimeoutException e) {
                // tell, and wait on
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CancellationException("the sweep was interrupted after " + done + " of " + futures.size() + " runs");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) e.getCause(); // Training.run declares no checked exception
            }
            if (done < futures.size() && System.nanoTime() - told >= TimeUnit.MILLISECONDS.toNanos(Progress.INTERVAL)) {
                progress.at(done, futures.size());
                told = System.nanoTime();
            }
        }
        progress.at(futures.size(), futures.size());
    }

    /**
     * The names of the variants, in the order of the map given to {@link #of(Map, double[], int)}.
     *
     * @return a new list
     */
    public List<String> variants() {
        return List.copyOf(runs.keySet());
    }

    /**
     * The learning rates.
     *
     * @return a copy, in the order given
     */
    public double[] rates() {
        return rates.clone();
    }

    /**
     * The runs of one variant at one rate.
     *
     * @param variant its name
     * @param rate one of {@link #rates}
     * @return one run for each seed
     * @throws IllegalArgumentException if there is no such variant or rate
     */
    public List<Run> runs(String variant, double rate) {
        for (int r = 0; r < rates.length; r++) {
            if (rates[r] == rate) {
                return List.of(table(variant)[r]);
            }
        }
        throw new IllegalArgumentException("there is no rate " + rate + ": this sweep has " + Arrays.toString(rates));
    }

    /**
     * A quantile over seeds of the final loss, for each rate.
     *
     * @param variant its name
     * @param probability in [0, 1]: 0 the best seed, ½ the median, 1 the worst
     * @return a new array, one number for each rate; +∞ where that seed diverged
     * @throws IllegalArgumentException if there is no such variant, or the probability is outside [0, 1]
     */
    public double[] finalLosses(String variant, double probability) {
        return Arrays.stream(table(variant))
                .mapToDouble(row -> Quantiles.of(Arrays.stream(row).mapToDouble(Run::finalLoss).toArray(), probability)[0])
                .toArray();
    }

    /**
     * The median over seeds of the final loss, for each rate.
     *
     * @param variant its name
     * @return a new array, one number for each rate; +∞ where half the seeds diverged
     * @throws IllegalArgumentException if there is no such variant
     */
    public double[] medians(String variant) {
        return finalLosses(variant, 0.5);
    }

    /**
     * The rates whose median final loss is at most a bound: the usable window of learning rates, if they are neighbours.
     *
     * @param variant its name
     * @param loss the bound in nats
     * @return a new array with those of {@link #rates}, in their order; empty if there is none
     * @throws IllegalArgumentException if there is no such variant
     */
    public double[] usable(String variant, double loss) {
        double[] medians = medians(variant);
        double[] usable = new double[rates.length];
        int count = 0;
        for (int r = 0; r < rates.length; r++) {
            if (medians[r] <= loss) {
                usable[count++] = rates[r];
            }
        }
        return Arrays.copyOf(usable, count);
    }

    private Run[][] table(String variant) {
        Run[][] table = runs.get(Checks.notNull("variant", variant));
        if (table == null) {
            throw new IllegalArgumentException("there is no variant " + variant + ": this sweep has "
                    + String.join(", ", runs.keySet()));
        }
        return table;
    }

    /** The variants and the numbers of rates and seeds; the losses would fill pages. */
    @Override
    public String toString() {
        int seeds = runs.values().iterator().next()[0].length;
        return "sweep of " + String.join(", ", runs.keySet()) + " at " + rates.length + " rates with " + seeds + " seeds each";
    }
}
