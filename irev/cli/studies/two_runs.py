"""`irev study overlap` and `reproduction`: runs against each other."""

from irev.cli.command import Command
from irev.cli.delivery import StudyOutput
from irev.cli.studies.inputs import one_qrels_unless_run_options_are_saved, run_pair
from irev.jobs.studies.options import USUAL, measures_help
from irev.jobs.studies.overlap import OverlapOptions
from irev.jobs.studies.reproduction import ReproductionOptions

overlap_command = Command(
    "overlap",
    "irev.jobs.studies.overlap:overlap",
    OverlapOptions,
    run_pair,
    "RUN RUN",
    StudyOutput,
    help="""\
How alike two runs rank documents: rank-biased overlap (RBO), for each topic and its mean.

No judgments are needed. Documents of equal scores are tied. For documents below the end of
a ranking the point value (ext) assumes that they agree as those above do; min and max are the
bounds, res is max - min.

A topic that one run lacks counts as 0, and the notes on stderr say so.""",
    example="irev study overlap bm25.run rm3.run -p 0.95 --ties w",
)

reproduction_command = Command(
    "reproduction",
    "irev.jobs.studies.reproduction:reproduction",
    ReproductionOptions,
    one_qrels_unless_run_options_are_saved,
    "[QRELS]",
    StudyOutput,
    help="""\
How well an experiment was reproduced: an advanced run against a baseline, then and now.

Effect ratio (ER) with its interval, the difference of relative improvements (DeltaRI), RMSE and
normalised RMSE of the topics' scores, p, and RBO of the rankings. QRELS are the judgments, and
--new-qrels those of the new runs where it was replicated on other topics. Saved scores have no
rankings, and need no QRELS.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(USUAL),
    example="irev study reproduction qrels.txt --baseline bm25.run --advanced rm3.run "
    "--new-baseline my-bm25.run --new-advanced my-rm3.run -m map",
)
