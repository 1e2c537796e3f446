"""What commands print: a `Document`, and each form of output that writes one.

Inside, from the ground up:

document       what a command gives: headings, lines and tables for people, rows and data for
               machines, without NaN; and the one place that rounds
forms          `OUTPUT_FORMATS`, a function for each form; text and LaTeX, each by a `TableStyle`,
               HTML, notebooks, JSON and CSV; what writes a document calls these
trec           trec_eval's text, which is no table; in words, which topics a result stands on
scores         one or several runs' scores as a document; how they vary over topics; TREC's sheet of
               a run; Parquet; what is said of estimates; the tables of papers
results_page   the one page of results, of a report or of leaderboards, with a script of its own

A job builds its own `Document` and knows no form. `document` and `forms` import `core` and `errors`
alone, but for the type of a run. Those that write scores, and `results_page`, may import `scores`,
`engine`, `measures`, `rank` and `statistics`. Jobs and the command line import all of this.
"""
