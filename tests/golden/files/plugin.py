"""A measure of one's own."""

import irev


@irev.topic_measure("Found")
def found(grades, ideal):
    """The gain retrieved, as a share of the gain there is."""
    return sum(grade or 0 for grade in grades) / (sum(ideal) or 1)
