"""The measures, each beside its record: one file for each family, called as its page is.

Five files hold no measure but what several families compute with: `gain_lists` the gains of
rankings and of ideal lists, `continuation` the user of the C/W/L measures, `subtopic_coverage` what
documents cover of the subtopics, `strata_estimates` and `preferred_pairs` what follows from strata
and from preferences.

A family knows the registry, the options and helpers that measures share, the names that other
programs have for them, `core` and `errors`; and other families where a measure is made of theirs
(D_nDCG of `gain`). What names, registers or prints measures it does not know. Importing a family
registers its measures.
"""
