"""From rows to rankings: order, duplicates, and the join with the judgments.

`ranking` says where each row of a run stands, and holds whole topics of a run against the
judgments; `judgments` makes the rows of qrels and the other kinds of judgments ready, and of all
that what measures see. Of irev these know `core` and `errors` alone; `ties`, which measures several
orders of tied documents, knows the measures and the options as well and is a room of its own.
"""
