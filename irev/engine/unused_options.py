"""Options of rankings and judgments, which change no scores that are there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.wording import full_list
from irev.errors import Notice
from irev.options import Options, ScoringOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.judged import Column
    from irev.scores.signature import Signature
    from irev.scores.table import RunInfo

_READING_OPTIONS = ("run_format", "duplicates")
"""Options of reading that decide which documents a run has, and in which order."""


def unused_option_warnings(
    runs: Sequence[RunInfo],
    columns: Sequence[Column],
    options: ScoringOptions,
    *,
    are_all_runs: bool,
) -> Iterator[Notice]:
    """A warning of options that are not at their default, and that some scores were made without.

    Args:
        runs: those whose scores were there already. Of scores in memory that do not tell how they
            were made nothing is said: it may have been with these options.
        columns: the measures that are compared; their names may hold defaults of measures.
        options: those of the job.
        are_all_runs: whether no run is scored. If one is, topics without a relevant document are
            left out of saved scores, too.
    """
    runs = [run for run in runs if run.is_saved or run.signature is not None]
    if not runs:
        return
    values = _option_values_to_sign(options)
    if not are_all_runs:
        values.pop("no_relevant", None)
    spellings = [
        ScoringOptions.fields()["qrels_format" if name == "format" else name].opt.names[0]
        for name, value in values.items()
        if not all(_is_made_with(run.signature, name, value) for run in runs)
    ]
    spellings += _unused_default_spellings(options, columns)
    if spellings:
        change, they_act = ("changes", "it acts") if len(spellings) == 1 else ("change", "they act")
        yield Notice(
            "unused-option",
            f"{full_list(spellings)} {change} no saved scores: {they_act} where runs are scored "
            "(irev eval)",
        )


def _option_values_to_sign(options: ScoringOptions) -> dict[str, Any]:
    """Option of rankings or judgments -> its value as a signature has it, unless the default.

    Of files it is not known here what they hold: their value is None.
    """
    from irev.scores.signature import options_part

    evaluation = options.evaluation()
    values = options_part(evaluation, options.qrels_format)
    default_values = options_part(Options(), options.qrels_format)
    changed: dict[str, Any] = {}
    for name, field in Options.fields().items():
        opt = field.opt
        acts = opt.effect == "values" or name in (*_READING_OPTIONS, "no_relevant")
        if not acts or opt.pair_key:
            continue
        if opt.sign_content and getattr(evaluation, name) != field.default:
            changed[name] = None
        elif name in values and values[name] != default_values.get(name):
            changed[name] = values[name]
    if options.qrels_format != ScoringOptions.qrels_format:
        changed["format"] = options.qrels_format
    return changed


def _is_made_with(signature: Signature | None, name: str, value: Any) -> bool:
    """Whether scores are known to be made with an option; of files, with one."""
    if signature is None:
        return False
    if value is None:
        return name in signature.options or name in signature.files
    return signature.has_option(name, value)


def _unused_default_spellings(options: ScoringOptions, columns: Sequence[Column]) -> list[str]:
    """The defaults of measures that stand in no name of a measure."""
    opts = {opt.pair_key: opt for opt in ScoringOptions.fields()["defaults"].opts.values()}
    names = [f"{column.name} {column.canonical}" for column in columns]
    return [
        opts[key].names[0] if key in opts else key
        for key, _ in options.defaults
        if not any(f"{key}=" in name for name in names)
    ]
