/**
 * Training one attention head, small enough to run hundreds of times: a model with hand-written gradients
 * ({@link rootdk.training.Model}), whose head says how scores become logits ({@link rootdk.training.Head}); two tasks
 * ({@link rootdk.training.Task}); SGD, Adam, Adafactor and Muon ({@link rootdk.training.Optimizer}); one run
 * ({@link rootdk.training.Training}) and many, over learning rates and seeds ({@link rootdk.training.Sweep}).
 * <pre>
 * Training scaled = Training.of(Task.recall(16, 8, 8, 8), Head.of(64, 16).dividedBy(Scale.sqrt(16)), Optimizer.adam(0.01));
 * Run run = scaled.run(1);     // seed 1
 * run.losses();                // one number for each step, in nats
 * </pre>
 *
 * <p>Everything depends on seeds alone: the same seed gives the same bits on every Java, every machine and any number of threads,
 * on either {@link rootdk.backend.Backend}.
 */
package rootdk.training;
