"""`irev study robustness`: measures under fewer judgments."""

from irev.cli.command import Command
from irev.cli.delivery import StudyOutput
from irev.cli.studies.inputs import ONLY_GRADES, qrels_and_several_runs
from irev.jobs.studies.robustness import RobustnessOptions

robustness_command = Command(
    "robustness",
    "irev.jobs.studies.robustness:robustness",
    RobustnessOptions,
    qrels_and_several_runs("robustness", "RUN..."),
    "QRELS RUN...",
    StudyOutput,
    help="""\
Show how well measures keep the order of runs when few documents are judged.

For each rate, a random share of every topic's judgments is kept, the same for all runs and
measures, and the runs' means are compared with those of average precision under all judgments
(measures that do not estimate it: with their own): Kendall's tau, Pearson's rho, the RMS error
over runs, and the mean value over runs, each a mean over --repeat samples. QRELS must hold
complete judgments. As in Yilmaz and Aslam 2006.

--imperfect takes a share of the collection away from the runs, while all judgments stay. Alone it
does only that; with --rates you get both.

A judged topic that a run lacks counts as 0, and a warning on stderr says so.""",
    measures="bpref-10, bpref, indAP, subAP, infAP and AP",
    option_helps={
        "qrels_format": ONLY_GRADES,
        "pool": "The pool that samples are drawn from, where QRELS does not hold all of it: a "
        "file with a topic and a document on each line, or the first N documents of each RUN. "
        "What has no grade there counts as judged and not relevant.",
    },
    example="irev study robustness qrels.txt runs/* --output robustness;  "
    "irev study robustness qrels.txt runs/* --rates 5,10,30 --imperfect 50,75,100 -m infAP -m AP;  "
    "irev study robustness trec8.qrels trec8/* --collection 'trec7.qrels trec7/*' --output grid",
)
