/**
 * Runs the code of a submission, cell by cell, for a grader in another process.
 *
 * <p>Nothing here judges: a {@linkplain rootdk.classroom.Runner runner} gives values as plain data, and the grader compares them with
 * those of the reference solutions. Student code shares the runner's JVM and can do to it what it likes, so that nothing it says is trusted.
 */
package rootdk.classroom;
