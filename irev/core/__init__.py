"""What flows between the rooms, and the primitives that every room stands on.

arrays keys ids pairs    columns of numbers, draws by key, ids as bytes, where documents are found
text wording             numbers and names read from texts; numbers and lists as sentences have them
model views extras       `Rows`, `Qrels` and `Judged`, and what measures see beside grades
pool classes memo        documents of several runs; classes and weights of topics; values kept
record option_records    `@record`; options, each declared once: `Opt`, `ResultOptions`
displayed held           results that show themselves; what is in memory in place of a path
progress workers signals what watches the reading, threads in order, signals that end the program

Everything may import this room. It imports nothing but `irev.errors`, at its top.
"""
