"""`irev study sensitivity`: what one more relevant document at each rank does to a measure."""

from collections.abc import Sequence

from irev.cli.command import Command
from irev.cli.commands import usage_error
from irev.cli.delivery import StudyOutput
from irev.jobs.studies.sensitivity import CHANGED, SensitivityOptions


class _SensitivityCommand(Command):
    """The command; a made ranking needs no files."""

    def refuse_number_of_files(self, files: Sequence[str], options: SensitivityOptions) -> None:
        """Refuse all but qrels and a run, or no file where options give the ranking."""
        is_made = options.ranking_grades or options.undiscovered is not None
        if len(files) not in (0, 2) or not (files or is_made):
            raise usage_error(
                "give a ranking, or qrels and one run: irev study sensitivity "
                "--ranking 1,0,0,1, or QRELS RUN"
            )


sensitivity_command = _SensitivityCommand(
    "sensitivity",
    "irev.jobs.studies.sensitivity:sensitivity",
    SensitivityOptions,
    lambda files: files or (None, None),
    "[QRELS RUN]",
    StudyOutput,
    help="""\
Show how measures change when the document at rank j becomes relevant, for every j.

For an artificial ranking (--ranking), one topic of a run (QRELS RUN -t TOPIC), one document of
it (-t TOPIC --doc DOC), or, with QRELS RUN alone, the mean over the topics whose document at
rank j is not relevant. The change is the new score minus the old one, by Kishida's equations
where a measure has one, otherwise by scoring the ranking again, which works for any measure of
grades.

The slopes below the changes are those by the gain of each relevant document.

--undiscovered DEPTH shows what a relevant document does that a pool of that depth missed, which
stands at the next rank: by formula for average precision, or for the topics of a run.""",
    measures=", ".join(CHANGED),
    example="irev study sensitivity --ranking 1,0,0,1,0,1,0,0 --relevant 4 -m AP;  "
    "irev study sensitivity qrels.txt bm25.run -t 301 --output sensitivity;  "
    "irev study sensitivity --undiscovered 100 --places 5",
)
