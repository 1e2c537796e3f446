"""From rows to rankings: order, duplicates, and the join with the judgments."""
