"""The measures, each beside its record: one file for each family."""
