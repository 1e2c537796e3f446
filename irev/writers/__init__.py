"""What commands print: a `Document`, and each form of output that writes one.

Inside, from the ground up:

document       what a command gives: headings, lines and tables for people, rows and data for
               machines, and the one place that rounds
forms          `OUTPUT_FORMATS`, a function for each form; text and LaTeX, each by a `TableStyle`,
               HTML, notebooks; what writes a document calls these
machine        what JSON, JSON lines, CSV and TSV share: no NaN, texts that are safe to show
account        in words, which topics a result stands on
estimates      what is said of scores estimated from a sample of documents
trec           trec_eval's text, which is no table
scores         one or several runs' scores as a document; how they vary over topics; TREC's sheet of
               a run; Parquet
paper          the tables of papers
results_page   the one page of results, of a report or of leaderboards, with a script of its own

A job builds its own `Document` and knows no form. `document` and `forms` import `core` and `errors`
alone, `machine` also the type of a run of a table of scores. Those that write scores, and
`results_page`, may import `scores`, `engine`, `measures`, `rank` and `statistics`. Jobs and the
command line import all of this.
"""
