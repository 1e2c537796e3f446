"""`irev study enumerate`: all rankings of a few graded documents, under several measures."""

from collections.abc import Sequence
from typing import Any

from irev.cli.command import Command
from irev.cli.delivery import StudyOutput
from irev.errors import UsageError
from irev.jobs.studies.enumerate import EnumerateOptions


def _no_files(files: Sequence[str]) -> Sequence[Any]:
    if files:
        raise UsageError(f"irev study enumerate reads no file: {files[0]}")
    return ()


enumerate_command = Command(
    "enumerate",
    "irev.jobs.studies.enumerate:enumerate",
    EnumerateOptions,
    _no_files,
    "",
    StudyOutput,
    help="""\
Score every ranking of a few relevant documents, and compare the measures over them.

Each document is at one of the ranks or was not retrieved: three documents and five ranks
make 136 rankings. Printed are mean and standard deviation of each measure, Pearson's
correlation of every two, and the scores of the rankings given with --pick, with their ratios.""",
    measures="MSR@N, AvgNDCG(disc=jk,b=2)@N, Q(beta=1), genAP, AP",
    example="irev study enumerate --grades-present 3,2,1 --ranks 5 --pick 32000 --pick 00123 -m "
    "ndcg_cut.5 -m genAP",
)
