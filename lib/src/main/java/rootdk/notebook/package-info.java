/**
 * What a chapter shows and checks: {@link rootdk.notebook.Notebook#show} for values, {@link rootdk.notebook.MatrixView}
 * for a matrix with labels, {@link rootdk.notebook.MatrixFile} for one in a file, {@link rootdk.notebook.Claim} for the check
 * of a claim, {@link rootdk.notebook.SelfCheck} for a student's look at a method of theirs. Works in JJava and IJava kernels,
 * and prints plain text outside.
 */
package rootdk.notebook;
