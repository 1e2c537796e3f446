"""What commands print: a `Document`, and each form of output that writes one.

Inside, from the ground up:

document       what a command gives: headings, lines and tables for people, rows and data for
               machines, and the one place that rounds
machine        what JSON, JSON lines, CSV and TSV share: no NaN, texts that are safe to show
tables         plain text, Markdown and LaTeX, each by a `TableStyle`; `pages` HTML
forms          `OUTPUT_FORMATS`, a function for each form; what writes a document calls these
live_page      a page with a script that sorts and searches; `charts` its figures as SVG
trec           trec_eval's text, which is no table; `summary_sheet` TREC's sheet of a run
scores         one or several runs' scores as a document; `spread` how they vary over topics
account        in words, which topics a result stands on

A job builds its own `Document` and knows no form. `document`, `tables`, `pages`, `live_page`,
`charts` and `forms` import `core` and `errors` alone, `machine` also the type of a run of a table
of scores. Those that write scores may import `scores`, `engine`, `measures`, `rank` and
`statistics`. Jobs and the command line import all of this.
"""
