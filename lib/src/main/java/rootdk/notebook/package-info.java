/**
 * What a chapter shows and checks: {@link rootdk.notebook.Notebook#show} for values, {@link rootdk.notebook.MatrixView}
 * for a matrix with labels, {@link rootdk.notebook.Claim} for the check of a claim. Works in JJava and IJava kernels, and
 * prints plain text outside.
 */
package rootdk.notebook;
