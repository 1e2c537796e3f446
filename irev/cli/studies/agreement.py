"""`irev study agreement`: two sets of judgments against each other."""

from __future__ import annotations

from typing import Any

import click

from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.gathering import evaluation_options, gathered, gathering_options
from irev.cli.studies.testing import significance_of, significance_options
from irev.errors import UsageError

MEASURES = ("map", "ndcg_cut.10", "P.10")
"""What runs are scored by where no measure is named."""


def agreement(**given: Any) -> int:
    """Two sets of judgments against each other, and what the choice between them changes for runs.

    On the documents that both judge: the confusion of grades, the share of equal ones, Cohen's
    kappa (plain, linear, quadratic), Krippendorff's alpha and the overlap of the relevant
    documents, for each topic and in all.

    With RUN...: how alike both order the runs (tau_b, tau_AP), and which conclusions about pairs of
    runs change, on the topics that both judge.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.studies.agreement import agreement as studied

    files = given["files"]
    if len(files) < 2 or len(files) == 3:
        raise click.UsageError(
            "two relevance files are wanted, and no runs or several: irev study agreement QRELS "
            "QRELS [RUN...]",
            click.get_current_context(silent=True),
        )
    how = significance_of(given)
    if given["qrels_format"] != "qrels":
        raise UsageError(f"-R {given['qrels_format']}: plain judgments (-R qrels) are compared")
    if "-" in files[:2]:
        raise UsageError("standard input (-) cannot be read twice: give the judgments as files")
    record = studied(files[0], files[1], evaluation_options(given))
    if len(files) > 2:
        from irev.plots.record import notes_of, parameters_of, run_names
        from irev.studies.agreement import with_runs
        from irev.studies.criteria import criteria_of, on_common_topics
        from irev.studies.signing import signed_by_scores

        sides = [gathered({**given, "files": (path, *files[2:])}, MEASURES) for path in files[:2]]
        matrices, notes = on_common_topics([side.matrices for side in sides])
        pairs = list(zip(*(criteria_of(each) for each in matrices), strict=True))
        record = with_runs(
            record, pairs, run_names(matrices[0]), how,
            parameters={
                **parameters_of(sides[0]), "other runs": parameters_of(sides[1])["runs"],
            },
            notes=(*notes_of(sides[0])[1:], *notes),
        )  # fmt: skip
        record = signed_by_scores(record, *matrices)
    return deliver(record, given)


command = Job(
    "agreement",
    params=[
        click.Argument(["files"], nargs=-1, metavar="QRELS QRELS [RUN...]"),
        *significance_options(), *study_options(),
        *gathering_options(MEASURES, without=("classes",)),
    ],
    callback=agreement,
    help=agreement.__doc__,
    epilog="Examples: irev study agreement nist.qrels crowd.qrels;  "
    "irev study agreement nist.qrels crowd.qrels runs/* -m map --output agreement",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
