"""`irev eval --sample`: runs under samples of complete judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.cli.options import evaluation_of
from irev.cli.output import say_error, voice, write, write_document
from irev.errors import IrevError, StrictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from irev.cli.options import EvalInputOptions, EvalOutput
    from irev.errors import Notice
    from irev.jobs.sample.document import SampledResult
    from irev.jobs.sample.evaluation import SampledEvaluator
    from irev.options import Options
    from irev.writers.trec import ScoreLayout

_STDOUT = "-"


def refuse_options(printed: EvalOutput, asked: EvalInputOptions) -> None:
    """Refuse options of the evaluation that samples leave no place for."""
    refused = {
        "-n": printed.no_summary, "-Z": asked.zscores is not None,
        "--stats": printed.stats, "--sort": printed.sort, "--percent": printed.percent,
        "--score-only": printed.score_only,
    }  # fmt: skip
    for name, is_given in refused.items():
        if is_given:
            raise UsageError(
                f"--sample reports summaries under samples: {name} cannot be combined with it"
            )


def run(
    files: tuple[str, ...], options: Options, asked: EvalInputOptions, printed: EvalOutput
) -> int:
    """Evaluate and print; the exit code."""
    from irev.jobs.sample.evaluation import SampledEvaluator, SamplingPlan

    evaluator = SampledEvaluator(
        files[0],
        asked.measures,
        SamplingPlan(asked.samples, seed=options.seed, repeat=asked.repeat),
        evaluation_of(files, asked, options),
        qrels_format=asked.qrels_format,
        sign=printed.format != "trec",
        per_topic=printed.per_topic,
    )
    return _Call(files[1:], printed, evaluator).run()


class _Call:
    """One call: the runs' results, and what went wrong."""

    def __init__(
        self, runs: tuple[str, ...], printed: EvalOutput, evaluator: SampledEvaluator
    ) -> None:
        from irev.writers.trec import ScoreLayout

        self._runs, self._printed = runs, printed
        self._evaluator = evaluator
        self._layout: ScoreLayout = ScoreLayout(
            several_runs=len(runs) > 1, decimals=printed.decimals
        )
        self._exit_code = 0

    def run(self) -> int:
        """Evaluate and print; the exit code."""
        printed = self._printed
        self._say(self._evaluator.notices)
        results = self._results()
        if results:
            for line in _note_lines(results[0]):
                voice().note(line)
        if not results or (
            self._exit_code and (voice().strict or printed.output not in (None, _STDOUT))
        ):
            if printed.output not in (None, _STDOUT):
                raise IrevError(f"{printed.output} was not written")
            return self._exit_code
        from irev.jobs.sample.document import sampled_scores_document, write_trec

        if printed.format == "trec":
            write(write_trec(results, self._layout), printed.output)
        else:
            made = sampled_scores_document(results, self._layout)
            write_document(
                made, printed.format, printed.output, printed.decimals, csv_safe=printed.csv_safe
            )
        return self._exit_code

    def _results(self) -> list[SampledResult]:
        from irev.jobs.sample.document import SampledResult
        from irev.scores.run_names import name_runs
        from irev.writers.account import topic_warnings

        results = []
        names = [*name_runs(self._runs)]
        outcomes = self._evaluator.evaluate_many(self._runs)
        for name, (path, outcome) in zip(names, outcomes, strict=True):
            owner_prefix = f"{name}: " if self._layout.several_runs else ""
            if isinstance(outcome, IrevError):
                self._fail(outcome, str(path))
                continue
            results.append(SampledResult(name, outcome, str(path)))
            more = topic_warnings(outcome.full, below_table=self._printed.tells_topics)
            self._say([*outcome.full.notices, *more], owner_prefix)
        return results

    def _say(self, notices: Iterable[Notice], owner_prefix: str = "") -> None:
        speaker = voice()
        speaker.tell(notices, owner_prefix)
        if speaker.failed:
            self._exit_code = max(self._exit_code, StrictError.exit_code)

    def _fail(self, error: IrevError, path: str) -> None:
        say_error(error, path if self._layout.several_runs else "")
        self._exit_code = max(self._exit_code, error.exit_code)


def _note_lines(result: SampledResult) -> list[str]:
    """What bias and errors are against, and which topics were drawn again."""
    from irev.core.wording import count_text
    from irev.writers.account import shortened_ids

    scores = result.scores
    against: dict[str, list[str]] = {}
    for column in range(len(scores.shown)):
        name, target = scores.name(column), scores.target(column)
        if name != target:
            against.setdefault(target, []).append(name)
    lines = [
        f"bias and rms of {', '.join(names)} are against {target} under all judgments"
        for target, names in against.items()
    ]
    if len(scores.shown) > sum(map(len, against.values())):
        others = " of the other measures" if against else ""
        lines.append(f"bias and rms{others} are against the measure itself under all judgments")
    for design, topics in scores.redrawn:
        if topics:
            lines.append(
                f"sample {design}: {count_text(len(topics), 'topic')} had a sample without "
                "relevant "
                f"documents and was drawn again: {shortened_ids(topics)}"
            )
    return lines
