"""The measures, each beside its record; a family has a page, and a file may hold several of them.

A family knows the registry, the options and helpers that measures share, `core` and `errors`; and
other families where a measure is made of theirs (D_nDCG of `gain`). What names, registers or prints
measures it does not know. Importing a file registers its measures.
"""
