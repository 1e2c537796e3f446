"""The options of studies, a class for each in the file of its name; `shared` is of several.

Help reads these, so that they import little.
"""
