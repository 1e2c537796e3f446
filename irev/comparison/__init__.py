"""Runs set against each other: means with intervals, paired differences, tests and corrections."""
