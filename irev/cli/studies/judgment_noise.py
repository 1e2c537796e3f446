"""`irev study judgment-noise`: how much a mean changes when assessors disagree."""

from collections.abc import Sequence
from typing import Any

from irev.cli.command import Command
from irev.cli.commands import usage_error
from irev.cli.delivery import StudyOutput
from irev.jobs.studies.judgment_noise import JudgmentNoiseOptions


class _JudgmentNoiseCommand(Command):
    """The command; groups of assessors stand in a file."""

    def refuse_number_of_files(self, files: Sequence[str], options: JudgmentNoiseOptions) -> None:
        """Refuse one file alone; none is needed where all is simulated."""
        if len(files) == 1 or (not files and options.qrels_format == "qrels_jg"):
            raise usage_error(
                "give qrels files and one run: irev study judgment-noise QRELS... RUN, "
                "or no file and --theta"
            )


def _qrels_and_run(files: Sequence[str]) -> Sequence[Any]:
    """QRELS... RUN: several assessors' judgments and one run; or neither."""
    return (list(files[:-1]), files[-1]) if files else (None, None)


judgment_noise_command = _JudgmentNoiseCommand(
    "judgment-noise",
    "irev.jobs.studies.judgment_noise:judgment_noise",
    JudgmentNoiseOptions,
    _qrels_and_run,
    "[QRELS... RUN]",
    StudyOutput,
    help="""\
Show how much the mean of a measure changes when assessors disagree.

Printed are, as in Kishida's Table 2: the mean, the variance between topics, the mean variance
within a topic over the judgments, their sum, the mean variance that one judgment alone gives,
and the variance of the mean over topics.

The judgments are several assessors' (QRELS QRELS... RUN, or one file with -R qrels_jg), or
simulated from one file, each right with probability --theta (QRELS RUN --theta 0.9), or
simulated entirely: without files, each document of --topic-set-size rankings of --ranks
documents is relevant with probability theta or 1 - theta, by chance.""",
    measures="AP",
    example="irev study judgment-noise --theta 0.9 --topic-set-size 50 --ranks 10;  "
    "irev study judgment-noise qrels.txt bm25.run --theta 0.9 -m AP -m ndcg_cut.10;  "
    "irev study judgment-noise anna.qrels ben.qrels bm25.run",
)
