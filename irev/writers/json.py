"""JSON: one object with everything that is known of the results, in full precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.text import as_text
from irev.writers.account import left_out
from irev.writers.entries import both_forms
from irev.writers.layout import Layout, Result, rows, shown_columns
from irev.writers.machine import as_json, finite
from irev.writers.version import version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.scores import Column


def write(results: Sequence[Result], layout: Layout) -> Iterator[bytes]:
    """`irev` (the version), `measures` (printed names), `canonical` and `runs`.

    `canonical` has irev's own name for each measure that is printed under another.

    Each of the runs has `run` (its path), `runid` (its tag), `averaged_over` (the divisor of the
    means), the summary `all`, per-topic values in `topics`, and lists of topic ids: `missing` from
    the run (`missing_count_as_zero` says whether they are in the averages), `unjudged`, `skipped`
    by choice, and `without_relevant` documents; `duplicates`, topic -> how many repeated lines were
    left out; and its `signature`, all parts with the `short` form, where there is one. NaN and
    infinities are null. Bytes that are not UTF-8 are lone surrogates U+DC80..U+DCFF.

    Where there are `classes` of topics, these are listed (class -> topics), and in a run they are
    class -> `averaged_over` and the summary `all[CLASS]`. Where topics have `weights`, these are
    listed, and the summaries are called `all[weighted]` and `all[CLASS,weighted]`.
    """
    columns = shown_columns(results[0].scores, layout)
    names = [results[0].scores.columns[index].name for index in columns]
    whole = {
        "irev": version(),
        "measures": names,
        "canonical": _canonical(results[0].scores.columns),
        **_classes_and_weights(results),
        "runs": [_run(result, layout, columns, names) for result in results],
    }
    yield as_json(whole)


def _canonical(columns: Sequence[Column]) -> dict[str, str]:
    return {c.name: c.canonical for c in columns if c.canonical and c.canonical != c.name}


def _run(result: Result, layout: Layout, columns: list[int], names: list[str]) -> dict[str, Any]:
    scores, account = result.scores, result.scores.account
    about: dict[str, Any] = {
        "run": result.path,
        "runid": as_text(scores.run_id),
        "averaged_over": scores.divisor,
        "missing": [as_text(topic) for topic in account.missing],
        "missing_count_as_zero": bool(account.missing) and not left_out(scores),
        "unjudged": [as_text(topic) for topic in account.unjudged],
        "skipped": [as_text(topic) for topic in account.skipped],
        "without_relevant": [as_text(topic) for topic in account.without_relevant],
        "duplicates": {as_text(topic): count for topic, count in account.repeats},
    }
    if scores.signature is not None:
        about["signature"] = both_forms(scores.signature)
    if layout.per_topic:
        about["topics"] = {}
    for row in rows(scores, layout, columns):
        values = {
            name: finite(cell)
            for name, cell in zip(names, row.cells, strict=True)
            if cell is not None
        }
        if row.of is None:
            about["topics"][row.topic] = values
        elif row.of.of is None:
            about[row.topic] = values
        else:
            of_class = {"averaged_over": row.of.divisor, row.topic: values}
            about.setdefault("classes", {})[row.of.of] = of_class
    return about


def _classes_and_weights(results: Sequence[Result]) -> dict[str, Any]:
    """The classes of topics and the weights that the summaries are formed by, if any."""
    found: dict[str, Any] = {}
    bases = [result.scores.basis for result in results if result.scores.basis is not None]
    classes = bases[0].classes if bases else None
    if classes is not None:
        found["classes"] = {
            name: [as_text(topic) for topic in sorted(classes.members[name])]
            for name in classes.names
        }
    weights = {
        topic: weight
        for basis in bases
        if basis.weights is not None
        for topic, weight in zip(basis.topics, basis.weights.tolist(), strict=True)
    }
    if weights:
        found["weights"] = {as_text(topic): weights[topic] for topic in sorted(weights)}
    return found
