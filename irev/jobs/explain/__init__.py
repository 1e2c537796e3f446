"""How a score comes about, rank by rank.

What a document adds to a score is the value of the ranking that ends with it less the value of
the ranking that ends before it; the judgments stay as they are. Every measure can be taken apart
in this way, and the parts always add up to the score, since each is what the engine itself says of
a beginning of the ranking. Measures of a known form show more beside it: gain and discount,
precision so far, the blended ratio, the chance that a user comes this far.
"""
