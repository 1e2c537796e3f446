"""Gates: whether a run may pass, by limits on its means and by a baseline.

`options` has what can be chosen, `gate` scores both sides and judges them, `document` shows what is
found: in words, as a document, to GitHub and to JUnit.
"""
