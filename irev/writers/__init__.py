"""What commands print: a `Document`, and each form of output that writes one.

Inside, from the ground up:

document       what a command gives: headings, lines and tables for people, rows and data for
               machines, and the one place that rounds
machine        what JSON, JSON lines, CSV and TSV share: no NaN, texts that are safe to show
tables         plain text, Markdown and LaTeX, each by a `TableStyle`; `pages` HTML
forms          `OUTPUT_FORMATS`, a function for each form; what writes a document calls these
results_page   the one page of results, of a report or of leaderboards, with a script of its own
trec           trec_eval's text, which is no table; `summary_sheet` TREC's sheet of a run
scores         one or several runs' scores as a document; `spread` how they vary over topics
account        in words, which topics a result stands on

A job builds its own `Document` and knows no form. `document`, `tables`, `pages` and `forms` import
`core` and `errors` alone, `machine` also the type of a run of a table of scores. Those that write
scores, and `results_page`, may import `scores`, `engine`, `measures`, `rank` and
`statistics`. Jobs and the command line import all of this.
"""
