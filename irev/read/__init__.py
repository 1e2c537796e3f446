"""From bytes, tables and mappings to columns; no module here knows a measure.

stream                   bytes of files, pipes and compressed inputs
layout values formats    what a line holds, numbers of a column, one record for each text format
sniff headers            what a wrong line looks like; the first line of a table as text
pieces columns topics    a text cut into pieces, their columns, whole topics part by part
tables nested            CSV, TSV and JSON
arrow_files batches      Parquet, Arrow and Feather files; datasets: folders of them
memory frames rows       mappings, frames and rows that are in memory
sources                  any of these, opened
topic_files              lists, classes and weights of topics; intents

The room imports `core` and `errors` alone. Whoever reads an input begins at `sources.open_input`.
"""
