"""In the place of other packages, and inside them: one module for each, under its name.

Each is imported by its own name: `import irev.compat.pytrec_eval as pytrec_eval`. They import any
room up to `engine`; nothing in irev imports them.
"""
