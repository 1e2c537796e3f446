"""The runs of judgments that hold them, where a command line names none."""

from collections.abc import Sequence

from irev.errors import UsageError


def add_names_of_judged_runs(files: Sequence[str], qrels_format: str | None) -> Sequence[str]:
    """The files of a command line; of judgments of answers alone, with the names of their runs."""
    if len(files) != 1 or qrels_format is None:
        return files
    from irev.read.formats import JUDGMENTS

    if qrels_format not in JUDGMENTS or not JUDGMENTS[qrels_format].holds_runs:
        return files
    from irev.engine.prepared_judgments import read_judged_answers

    if files[0] == "-":
        raise UsageError("judgments on standard input (-) are read once: name the runs")
    return [*files, *read_judged_answers(files[0], qrels_format).run_names]
