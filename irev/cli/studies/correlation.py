"""`irev study correlation`: how alike measures or judgments order the same runs."""

from irev.cli.command import Command
from irev.cli.delivery import StudyOutput
from irev.cli.studies.inputs import scored_runs
from irev.jobs.studies.correlation import CorrelationOptions
from irev.jobs.studies.options import FOUR, measures_help

correlation_command = Command(
    "correlation",
    "irev.jobs.studies.correlation:correlation",
    CorrelationOptions,
    scored_runs("correlation"),
    "[QRELS] RUN...",
    StudyOutput,
    help="""\
How alike several measures, or several judgments, order the same runs.

QRELS RUN..., or saved scores, where a matrix (topics x runs) is a measure by the name of its
file. For all pairs of measures: Kendall's tau_b and tau_a with p, tau_AP (the row is the truth)
and tau_AP,b, Spearman's rho, Pearson's r, the RMS error of the means, and how many pairs of
runs are found significantly different in the same or in opposite directions.

--sweep draws the correlation against a parameter of measures: lines over beta, over the base
of a logarithm, over gain ratios. --other-qrels adds the orders under other judgments, on the
topics that all of them have.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures=measures_help(FOUR),
    example="irev study correlation qrels.txt runs/* -m AP -m Q -m 'nDCG(b=2)@1000';  "
    "irev study correlation qrels.txt runs/* -m Q --sweep beta=0.1,1,10,100,1000 --output tau;  "
    "irev study correlation ap.csv p10.csv --resamples 1000",
)
