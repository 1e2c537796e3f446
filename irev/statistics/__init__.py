"""Statistics over score matrices: tests, intervals, corrections, rank correlation.

Everything here takes a matrix of scores, float64[T, S]: T topics in byte order of their ids, S runs
in order of their names, one measure. Nothing here reads a file or knows a run. scipy is imported by
the functions that need it.
"""
