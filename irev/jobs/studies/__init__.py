"""Experiments about measures, runs and judgments: tidy tables, parameters and figures.

A study is a file: its options, its computation, its tables and its figures. `criteria` has what
several studies let one choose, and what they order runs by; `judgment_changes` rankings of a topic
whose judgments change.

Arguments mean the same everywhere: `qrels` and `runs` are judgments and runs as `irev.evaluate`
takes them, `format` what a file of judgments holds, `names` whether a run is called after its file
or after its tag; `measures` are names as the command line takes them; `options` the choices that
define an evaluation, in which every judged topic counts by default; `parameters` what scores depend
on and `notes` what a reader must know of them, for the outcome; `watched` is what the work passes
through, for a progress bar. What cannot be read is an `InputError`, inputs that have no topic in
common a `MismatchError`, a measure, number or option that makes no sense a `UsageError`, and so are
fewer than two topics, or runs where runs are compared.
"""
