"""Comparing runs: means with intervals, paired differences, tests and corrections."""
