"""The classroom: student versions, grading, feedback."""
