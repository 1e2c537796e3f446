"""Gates: whether a run may pass, by limits on its means and by a baseline.

`rules` has what can be chosen, `gate` scores both sides and judges them, `verdicts` has what is
found, `document` shows it, and `github` tells a continuous build.
"""
