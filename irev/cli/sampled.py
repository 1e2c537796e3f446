"""`irev eval --sample`: runs under samples of complete judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.cli.messages import say, say_error
from irev.cli.output import print_out, replaced
from irev.errors import IrevError, StrictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.cli.options import Flags
    from irev.options import Options
    from irev.sampling.evaluation import SampledEvaluator
    from irev.sampling.sampled_text import SampledResult
    from irev.writers.layout import Layout

_STDOUT = "-"


def check(flags: Flags) -> None:
    """Refuse options of the evaluation that samples leave no place for."""
    refused = {"-q": flags.per_topic, "-n": flags.no_summary, "-Z": flags.zscores is not None}
    for name, is_given in refused.items():
        if is_given:
            raise UsageError(
                f"--sample reports summaries under samples: {name} does not go with it"
            )


def run(flags: Flags, options: Callable[[Flags], Options]) -> int:
    """Evaluate and print; the exit code."""
    from irev.sampling.evaluation import SampledEvaluator

    evaluator = SampledEvaluator(
        flags.files[0],
        flags.measures,
        flags.samples,
        options(flags),
        seed=flags.seed,
        repeat=flags.repeat,
        format=flags.qrels_format,
        sign=flags.format == "json",
    )
    return _Run(flags, evaluator).run()


class _Run:
    """One call: the runs' results, and what went wrong."""

    def __init__(self, flags: Flags, evaluator: SampledEvaluator) -> None:
        from irev.writers.layout import Layout

        self._flags = flags
        self._evaluator = evaluator
        self._layout: Layout = Layout(several=len(flags.files) > 2, places=flags.places)
        self._exit_code = 0

    def run(self) -> int:
        """Evaluate and print; the exit code."""
        from irev.sampling.sampled_text import WRITERS

        flags = self._flags
        self._warn("", self._evaluator.doubts())
        for line in self._evaluator.cautions():
            say(f"irev: note: {line}")
        results = self._results()
        if results:
            for line in _notes(results[0]):
                say(f"irev: note: {line}")
        if not results or (
            self._exit_code and (flags.strict or flags.output not in (None, _STDOUT))
        ):
            if flags.output not in (None, _STDOUT):
                raise IrevError(f"{flags.output} was not written")
            return self._exit_code
        write = WRITERS[flags.format]
        if flags.output in (None, _STDOUT):
            print_out(write(results, self._layout))
            return self._exit_code
        with replaced(flags.output) as stream:
            for block in write(results, self._layout):
                stream.write(block)
        return self._exit_code

    def _results(self) -> list[SampledResult]:
        from irev.sampling.sampled_text import SampledResult
        from irev.writers.account import notes, warnings

        found = []
        for path, outcome in self._evaluator.evaluate_many(self._flags.files[1:]):
            whose = f"{path}: " if self._layout.several else ""
            if isinstance(outcome, IrevError):
                self._fail(outcome, str(path))
                continue
            found.append(SampledResult(str(path), outcome))
            self._warn(whose, warnings(outcome.full))
            for message in notes(outcome.full):
                say(f"irev: note: {whose}{message}")
        return found

    def _warn(self, whose: str, messages: list[str]) -> None:
        for message in messages:
            if self._flags.strict:
                self._fail(StrictError(f"{whose}{message}"), "")
            else:
                say(f"irev: warning: {whose}{message}")

    def _fail(self, error: IrevError, path: str) -> None:
        say_error(error, path if self._layout.several else "")
        self._exit_code = max(self._exit_code, error.exit_code)


def _notes(result: SampledResult) -> list[str]:
    """What bias and errors are against, and which topics were drawn again."""
    from irev.core.wording import counted
    from irev.writers.account import ids

    scores = result.scores
    against: dict[str, list[str]] = {}
    for column in range(len(scores.shown)):
        name, target = scores.name(column), scores.target(column)
        if name != target:
            against.setdefault(target, []).append(name)
    said = [
        f"bias and rms of {', '.join(names)} are against {target} under all judgments"
        for target, names in against.items()
    ]
    if len(scores.shown) > sum(map(len, against.values())):
        others = " of the other measures" if against else ""
        said.append(f"bias and rms{others} are against the measure itself under all judgments")
    for design, topics in scores.redrawn:
        if topics:
            said.append(
                f"sample {design}: {counted(len(topics), 'topic')} had a sample without relevant "
                f"documents and was drawn again: {ids(topics)}"
            )
    return said
