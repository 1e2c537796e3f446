"""What flows between the rooms, and the primitives that every room stands on.

arrays draws ids pairs   columns of numbers, draws by key, ids as bytes, where documents are found
text short_names         numbers and names, read from texts and written in sentences; of runs, too
judged                   `Rows`, `Qrels` and `Judged`, and what measures see beside grades
record job displayed     `@record`; jobs, and results that show themselves
option_records           options, each declared once: `Opt`, `ResultOptions`
option_values bounds     what they take in place of a file: classes, weights, a pool; ranges
workers output_files     threads in order, and who watches them; files that are written whole
lazy_names version       names of `irev` that are imported when they are used; the version

Everything may import this room. It imports nothing but `irev.errors`, at its top.
"""
