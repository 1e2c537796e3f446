"""Jobs: plain functions of inputs and one record of options, called by Python and the command line.

A job is written once, as a function of its inputs and of the record of its options:

    @run_job(ExplainOptions)
    def explain(qrels: Input, run: Input, measures: object = ("map",), *, options: ExplainOptions
    ) -> Explanation: ...

What the module then has under that name is what Python calls: the fields of the record are its
keywords (`explain(qrels, run, topic="301")`), `options=` takes a record that was made before,
warnings of the result are Python's, and errors and warnings speak of keywords, not of options. The
command calls `explain.run(qrels, run, measures, options=record)`, which is the function itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from irev.core.option_records import OptionRecord, did_you_mean
from irev.errors import IrevError, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irev.core.judged import Input
    from irev.core.option_records import Field

P = ParamSpec("P")
Result_co = TypeVar("Result_co", covariant=True)
ResultType = TypeVar("ResultType")


class JobFunction(Protocol[Result_co]):
    """What every job has beside its call.

    options  the record of its options, whose fields are the keywords
    run      the function itself: positional inputs, then `options=` a record; it warns of nothing
    """

    @property
    def options(self) -> type[OptionRecord]:
        """Its options."""

    @property
    def run(self) -> Callable[..., Result_co]:
        """The function."""


class _RunJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on judgments and one run, by measures."""

    def __call__(
        self, qrels: Input, run: Input, measures: object = ..., options: OptionRecord | None = None,
        *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _RunsJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on judgments and several runs, by measures."""

    def __call__(
        self, qrels: Input, runs: Input, measures: object = ...,
        options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _DesignJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on judgments and the design by which documents were judged."""

    def __call__(
        self, judgments: Input, design: Any, options: OptionRecord | None = None,
        *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _OptionalRunJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on judgments and one run, or on neither, by measures."""

    def __call__(
        self, qrels: Input | None = None, run: Input | None = None, measures: object = ...,
        options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _MeasureJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on measures."""

    def __call__(
        self, measures: object = ..., options: OptionRecord | None = None, *args: P.args,
        **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _PoolJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on runs alone."""

    def __call__(
        self, runs: Input, options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs
    ) -> Result_co: ...


class _QrelsJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on judgments, and on runs where it needs any."""

    def __call__(
        self, qrels: Input, runs: Input = (), options: OptionRecord | None = None,
        *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _WordJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on words, such as names of measures."""

    def __call__(
        self, words: str | Sequence[str] = ..., options: OptionRecord | None = None, *args: P.args,
        **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _NameJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on one thing that is named, such as a measure."""

    def __call__(
        self, name: str, options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs
    ) -> Result_co: ...


class _PlainJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job that has options alone."""

    def __call__(
        self, options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs
    ) -> Result_co: ...


class _FileJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on any number of files; beside `P.kwargs` the type system knows no `*files`."""

    def __call__(
        self, file: Input, file2: Input = ..., file3: Input = ..., file4: Input = ...,
        file5: Input = ..., file6: Input = ..., file7: Input = ..., file8: Input = ..., /,
        options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


def run_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _RunJob[P, ResultType]]:
    """Make a public job of `f(qrels, run, measures=..., *, options)`."""
    return _decorator(options)


def runs_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _RunsJob[P, ResultType]]:
    """Make a public job of `f(qrels, runs, measures=..., *, options)`."""
    return _decorator(options)


def design_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _DesignJob[P, ResultType]]:
    """Make a public job of `f(judgments, design, *, options)`."""
    return _decorator(options)


def optional_run_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _OptionalRunJob[P, ResultType]]:
    """Make a public job of `f(qrels=None, run=None, measures=..., *, options)`."""
    return _decorator(options)


def measure_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _MeasureJob[P, ResultType]]:
    """Make a public job of `f(measures=..., *, options)`."""
    return _decorator(options)


def pool_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _PoolJob[P, ResultType]]:
    """Make a public job of `f(runs, *, options)`."""
    return _decorator(options)


def qrels_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _QrelsJob[P, ResultType]]:
    """Make a public job of `f(qrels, runs=(), *, options)`."""
    return _decorator(options)


def word_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _WordJob[P, ResultType]]:
    """Make a public job of `f(words="", *, options)`."""
    return _decorator(options)


def name_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _NameJob[P, ResultType]]:
    """Make a public job of `f(name, *, options)`."""
    return _decorator(options)


def plain_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _PlainJob[P, ResultType]]:
    """Make a public job of `f(*, options)`."""
    return _decorator(options)


def file_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _FileJob[P, ResultType]]:
    """Make a public job of `f(*files, options)`."""
    return _decorator(options)


def _decorator(options: Any) -> Callable[[Callable[..., Any]], Any]:
    return lambda function: public_function(function, options)


def public_function(run: Callable[..., Any], options: type[OptionRecord]) -> Any:
    """What Python calls, of a function of positional inputs and `options=`.

    Its signature, and the list of keywords in its docstring, are made by its `describe()`, when the
    function is first asked for by its name in `irev`.
    """
    code = run.__code__
    num_inputs = code.co_argcount
    names = code.co_varnames[: num_inputs + code.co_kwonlyargcount]
    input_names = [name for name in names if name != "options"]
    takes_files_by_position = bool(code.co_flags & _VARARGS)

    def call(*inputs: Any, **keywords: Any) -> Any:
        named = {name: keywords.pop(name) for name in input_names if name in keywords}
        if len(inputs) > num_inputs and not takes_files_by_position:
            *inputs, keywords["options"] = inputs  # type: ignore[assignment]
        try:
            record = _make_options(
                options, keywords, job_name, takes_files_by_position=takes_files_by_position
            )
            result = run(*inputs, **named, options=record)
        except IrevError as error:
            from irev.core.option_records import reword_for_python

            reword_for_python(error, options)
            raise
        warnings = [each for each in getattr(result, "warnings", ()) if not each.is_note]
        if warnings:
            from irev.core.option_records import python_notice

            warn(python_notice(each, options) for each in warnings)
        return result

    room = run.__module__.rpartition(".")[0].rpartition(".")[2]
    job_name = f"{room}.{run.__name__}" if room in _NAMESPACES else run.__name__
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(call, name, getattr(run, name))
    vars(call).update(run=run, options=options, describe=lambda: _describe_keywords(call))
    return call


_NAMESPACES = ("plots", "studies")
"""Rooms whose jobs are public as `irev.ROOM.JOB`."""

_VARARGS = 4
"""The flag of a function that takes any number of positional arguments."""

_INPUTS = ("qrels", "run", "runs", "files")
"""What files are called that are given by their places."""


def _make_options(
    options: type[OptionRecord],
    keywords: dict[str, Any],
    job_name: str,
    *,
    takes_files_by_position: bool,
) -> OptionRecord:
    """The record of what was given by keyword."""
    base = keywords.pop("options", None)
    known_fields = options.keywords()
    for name in keywords.keys() - known_fields.keys():
        hint = options.keyword_hint(name) or did_you_mean(name, [*known_fields])
        if takes_files_by_position and name in _INPUTS:
            hint = ": give files by position, without a keyword"
        raise TypeError(f"irev.{job_name} has no option '{name}'{hint}")
    return options.from_keywords(base, keywords)


# What `help` and editors show


def _describe_keywords(function: Any) -> None:
    """Give a job its signature, and its docstring the list of its keywords, for `help`."""
    import inspect

    own = inspect.signature(function.run)
    inputs = [each for name, each in own.parameters.items() if name != "options"]
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    keywords = [
        inspect.Parameter(name, keyword_only, default=field.default, annotation=field.type)
        for name, field in _keyword_fields(function.options)
    ]
    record = inspect.Parameter(
        "options", keyword_only, default=None, annotation=f"{function.options.__name__} | None"
    )
    function.__signature__ = own.replace(parameters=[*inputs, *keywords, record])
    function.__doc__ = _add_keywords_to_doc(
        inspect.cleandoc(function.__doc__ or ""), function.options
    )


def _keyword_fields(options: type[OptionRecord]) -> list[tuple[str, Field]]:
    """The keywords, a job's own before those that others have too."""
    fields = options.fields()
    return [(name, fields[name]) for _, names in options.keywords_by_class() for name in names]


def _add_keywords_to_doc(doc: str, options: type[OptionRecord]) -> str:
    """A docstring with an entry for each keyword behind that of `options`.

    Those that many jobs share are listed without their helps.
    """
    import re
    import textwrap

    from irev.core.option_records import python_text

    entry = re.search(r"^    options: .*?(?=\n\n|\n    \w|\Z)", doc, re.DOTALL | re.MULTILINE)
    if entry is None:
        return doc
    shared = options.shared_keywords()
    lines = [
        f"{name}: {_keyword_help(python_text(field.opt.help_text, options), field.default)}"
        for name, field in _keyword_fields(options)
        if name not in shared
    ]
    if shared:
        lines.append(
            f"{', '.join(shared)}: what defines an evaluation, as fields of `irev.Options`."
        )
    filled = [
        textwrap.fill(line, 88, initial_indent=" " * 4, subsequent_indent=" " * 8) for line in lines
    ]
    return "\n".join([doc[: entry.end()], *filled]) + doc[entry.end() :]


def _keyword_help(text: str, default: Any) -> str:
    """A help without what is of the command line alone, and with the default."""
    import re

    text = re.sub(r"[;.] may be repeated", "", text, flags=re.IGNORECASE)
    if "efault" in text or default in (None, (), {}, False, ""):
        return text
    return f"{text} Default: {default!r}.".lstrip()
