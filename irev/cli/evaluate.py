"""`irev eval`: trec_eval's job, for one run or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import click

from irev.cli.commands import Job
from irev.cli.files import check_files
from irev.cli.messages import say, say_error
from irev.cli.options import TOPICS, Flags, parameters
from irev.cli.output import print_out, replaced
from irev.errors import IrevError, StrictError, UsageError
from irev.read.formats import JUDGMENTS, RUNS
from irev.writers import SHEETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.core.scores import Scores
    from irev.engine.evaluator import Evaluator
    from irev.engine.zscores import ZScores
    from irev.options import Options
    from irev.read.formats import RunFormat
    from irev.sampling.pools import Pool
    from irev.writers.layout import Layout, Result

_STDIN = _STDOUT = "-"


def evaluate(**given: Any) -> int:
    """Evaluate each RUN against QRELS and print trec_eval's lines.

    Either file may be - for standard input, compressed (gzip, bzip2, xz, zstd, lz4), and hold
    blank lines and # comments. Options and files come in any order, and long options may be cut
    short. With one run and trec_eval's options the output is trec_eval's, byte for byte; several
    runs are evaluated one after another, with a line "# RUN" before each.
    """
    flags = Flags(**given)
    load_plugins(flags.plugins)
    if flags.help:
        from irev.cli.help import print_help

        print_help(flags.measures, flags.qrels_format, flags.run_format, _version(flags))
        return 0
    _check(flags)
    if flags.format in SHEETS:
        from irev.cli.sheets import prepared

        flags = prepared(flags)
    if flags.samples:
        from irev.cli.sampled import run

        return run(flags, options_of)
    return _Evaluation(flags).run()


def load_plugins(names: Sequence[str]) -> None:
    """Make the measures of the plugins that were named known."""
    if names:
        from irev.measures.plugins import load

        for name in names:
            load(name)


def _check(flags: Flags) -> None:
    """Refuse what makes no sense before any file is opened."""
    if len(flags.files) < 2:
        raise click.UsageError(
            "a relevance file and a run are wanted: irev QRELS RUN...",
            click.get_current_context(silent=True),
        )
    if flags.samples:
        from irev.cli import sampled

        sampled.check(flags)
    _check_format("-R", flags.qrels_format, JUDGMENTS)
    _check_format("-T", flags.run_format, RUNS)
    if flags.every_judged_topic and flags.topics not in (None, "qrels"):
        raise UsageError(f"-c means --topics qrels: it contradicts --topics {flags.topics}")
    pool = None if (flags.pool or "").startswith("depth:") else flags.pool
    more = (
        flags.zscores, flags.intents, pool, _topics_file(flags), flags.group_by,
        flags.topic_weights,
    )  # fmt: skip
    check_files([*flags.files, *more], [("--output", flags.output)])


def _check_format(option: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        raise UsageError(f"{option}: there is no format '{name}'; there is {', '.join(known)}")


def _topics_file(flags: Flags) -> str | None:
    return None if flags.topics is None or flags.topics in TOPICS else flags.topics


def _version(flags: Flags) -> int:
    return 9 if flags.compat == "trec9" else 10


class _Evaluation:
    """One call: the runs are evaluated, shown, and what went wrong is kept in mind."""

    def __init__(self, flags: Flags) -> None:
        from irev.writers import BLOCKWISE, writer
        from irev.writers.layout import Layout

        self.flags = flags
        self.layout: Layout = Layout(
            per_topic=flags.per_topic,
            summary=not flags.no_summary,
            several=len(flags.files) > 2,
            places=flags.places,
            zscores=flags.zscores is not None,
        )
        self.write = writer(flags.format)
        self.at_once = flags.format in BLOCKWISE and not flags.strict and not flags.output
        self.failed = False
        self.exit_code = 0

    def run(self) -> int:
        """Evaluate and print; the exit code."""
        evaluator, zscores = self._prepare()
        if self.flags.output in (None, _STDOUT):
            results = self._results(evaluator, zscores)
            if results and not (self.failed and self.flags.strict):
                print_out(self.write(results, self.layout))
            return self.exit_code
        with replaced(self.flags.output) as stream:
            results = self._results(evaluator, zscores)
            if self.failed:
                raise _NotWrittenError(self.flags.output)
            for block in self.write(results, self.layout):
                stream.write(block)
        return self.exit_code

    def _prepare(self) -> tuple[Evaluator, ZScores | None]:
        from irev.engine.evaluator import Evaluator

        flags = self.flags
        options = options_of(flags)
        # trec_eval's text has no place for a signature
        evaluator = Evaluator(
            flags.files[0],
            flags.measures,
            options,
            format=flags.qrels_format,
            sign=flags.format != "trec",
        )
        for line in evaluator.cautions():
            say(f"irev: note: {line}")
        if flags.zscores is None:
            return evaluator, None
        from irev.engine.zscores import read_zscores

        return evaluator, read_zscores(flags.zscores)

    def _results(self, evaluator: Evaluator, zscores: ZScores | None) -> list[Result]:
        """The runs' results that are still to be printed."""
        from irev.writers.layout import Result

        waiting = []
        for given, outcome in evaluator.evaluate_many(self.flags.files[1:]):
            path = str(given)
            if isinstance(outcome, IrevError):
                self._fail(outcome, path)
                continue
            result = Result(path, zscores.apply(outcome) if zscores else outcome)
            if self.at_once:
                print_out(self.write([result], self.layout))
            else:
                waiting.append(result)
            self._tell(path, outcome)
        return waiting

    def _fail(self, error: IrevError, path: str) -> None:
        say_error(error, path if self.layout.several else "")
        self.failed = True
        self.exit_code = max(self.exit_code, error.exit_code)

    def _tell(self, path: str, scores: Scores) -> None:
        """Say which topics were left out."""
        from irev.writers.account import notes, warnings

        whose = f"{path}: " if self.layout.several else ""
        for message in warnings(scores):
            if self.flags.strict:
                self._fail(StrictError(message), path)
            else:
                say(f"irev: warning: {whose}{message}")
        for message in notes(scores):
            say(f"irev: note: {whose}{message}")
        if scores.ties is not None:
            from irev.writers.ties import tie_notes

            for message in tie_notes(scores.ties):
                say(f"irev: note: {whose}{message}")


class _NotWrittenError(IrevError):
    """Some run failed, so that the file is left as it was."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was not written")


def options_of(flags: Flags) -> Options:
    """The choices that define the evaluation."""
    from irev.options import Options

    topics: Any = "qrels" if flags.every_judged_topic else flags.topics or "both"
    listed = _topics_file(flags)
    if listed is not None:
        from irev.cli.topics import read_topics
        from irev.measures.names import Plain, resolve

        # a wrong name is said before a file is opened
        spare = ("max",) if flags.residuals else ()
        resolve(flags.measures, Plain(_version(flags), _defaults(flags), spare))
        topics = read_topics(listed)
    return Options(
        level=flags.level,
        collection_size=flags.collection_size,
        max_retrieved=flags.max_retrieved,
        judged_only=flags.judged_only,
        topics=topics,
        no_relevant=cast("Literal['zero', 'skip']", flags.no_relevant),
        only_topic=flags.debug[1:] if flags.debug else None,
        compat=cast("Literal['trec10', 'trec9']", flags.compat),
        real_grades=flags.grades == "real",
        decimal_comma=flags.decimal == "comma",
        run_format=cast("RunFormat", flags.run_format),
        grade_map=_grade_map(flags.map_grades),
        intents=flags.intents,
        pool=_pool(flags),
        defaults=_defaults(flags),
        ties=cast("Any", flags.ties),
        tie_range=flags.tie_range,
        seed=flags.seed,
        residuals=flags.residuals,
        judged_shares=flags.judged_shares,
        duplicates=cast("Literal['error', 'first']", flags.duplicates),
        classes=flags.group_by,
        weights=flags.topic_weights,
        threads=flags.threads,
    )


def _pool(flags: Flags) -> str | Pool | None:
    """The pool: a file, or made of the runs to a depth."""
    if flags.pool is None or not flags.pool.startswith("depth:"):
        return flags.pool
    from irev.core.numbers import whole
    from irev.sampling.pools import pooled

    depth = whole(flags.pool.removeprefix("depth:"))
    if depth is None or depth < 1:
        raise UsageError(f"--pool {flags.pool}: a depth is a whole number from 1 on: depth:100")
    if _STDIN in flags.files[1:]:
        raise UsageError("--pool reads each run twice, which standard input (-) does not allow")
    return pooled(flags.files[1:], depth, threads=flags.threads, run_format=flags.run_format)


def _grade_map(text: str | None) -> Sequence[tuple[float, float]]:
    if text is None:
        return ()
    from irev.read.values import grade_map

    return grade_map(text)


def _defaults(flags: Flags) -> tuple[tuple[str, str], ...]:
    """The options of measures that hold for all."""
    given = (
        ("beta", flags.beta),
        ("b", flags.log_base),
        ("gain", flags.gains),
        ("max", flags.max_grade),
    )
    return tuple((name, text) for name, text in given if text is not None)


command = Job(
    "eval",
    params=parameters(),
    callback=evaluate,
    help=evaluate.__doc__,
    epilog="Example: irev -q -m map -m ndcg_cut.10 qrels.txt bm25.run",
    add_help_option=False,
)
