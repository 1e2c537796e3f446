"""From bytes, tables and mappings to columns; no module here knows a measure.

inputs                   what a caller gives as runs, and what each is called
sources                  any input, opened: whoever reads one begins at `open_input`
stream                   bytes of files, pipes and compressed inputs
layout columns formats   what a line holds, columns and their names, one record for each text format
sniff                    what a wrong line looks like
pieces lines topics      a text cut into pieces, their columns, whole topics part by part
tables                   CSV, TSV and JSON
arrow_files batches      Parquet, Arrow and Feather files; datasets: folders of them
run_tables               tables of several runs
memory frames            mappings and rows in memory; frames
topic_files answers      lists, classes and weights of topics, intents; answers and their judgments

The room imports `core` and `errors` alone.
"""
