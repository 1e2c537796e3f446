"""The measures, each beside its record: one file for each family, called as its page is.

A family knows the registry, the options and helpers that measures share, `core` and `errors`; and
other families where a measure is made of theirs (D_nDCG of `gain`). What names, registers or prints
measures it does not know. Importing a family registers its measures.
"""
