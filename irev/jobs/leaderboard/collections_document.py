"""What is shown of runs on several collections: a document, and the table of a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core import __version__
from irev.core.text import WIDTH, as_bytes, count_text, full_list
from irev.jobs.leaderboard.board import board_signature
from irev.jobs.leaderboard.collections import (
    CollectionsBoard,
    MeasureOfCollections,
    RunOfCollections,
)
from irev.read.stream import sha256_of
from irev.statistics.methods import CORRECTIONS
from irev.writers.document import (
    Cell,
    Document,
    Head,
    Heading,
    Keyed,
    Lines,
    Part,
    Records,
    Table,
    p_text,
    signature_data,
)
from irev.writers.forms import text_table
from irev.writers.scores import measure_head, paper_run_names, paper_table

if TYPE_CHECKING:
    from irev.core.judged import Column


def collections_document(result: CollectionsBoard, decimals: int = 4) -> Document:
    """The verdict, the runs with their means, the collections, and how that was found."""
    return Document(
        result.options.title or "Leaderboard of collections",
        _parts(result, decimals, details=True),
        [_records(result)],
        partial(_json_data, result),
        brief=_parts(result, decimals, details=False),
    )


def lead_text(result: CollectionsBoard, rows: MeasureOfCollections, decimals: int) -> str:
    """Which run leads in the mean, by how much, and on how many collections it is best."""
    num = len(result.collections)
    of_all = f"the mean of {count_text(num, 'collection')}"
    best, name = rows.runs[0], rows.column.name
    if best.mean is None:
        return f"no run has all {count_text(num, 'collection')}, so none has a mean"
    value = f"{name} {best.mean:.{decimals}f}"
    if rows.lead is None:
        alone = "one run" if len(rows.runs) == 1 else "the only run with all collections"
        return f"{alone}, {best.run}: {value} in {of_all}"
    lead = rows.lead
    if rows.runs[1].place == 1:
        same = full_list([each.run for each in rows.runs if each.place == 1])
        return f"{same} have the same mean over {count_text(num, 'collection')} ({value})"
    by = f"by {lead.difference:.{decimals}f}"
    if lead.low is not None and lead.high is not None:
        by += f" [{lead.low:.{decimals}f}, {lead.high:.{decimals}f}]"
    if lead.p is not None:
        p = p_text(lead.p, decimals)
        by += f", p {p}" if p.startswith("<") else f", p = {p}"
    best_on = f"{best.run} is best on {best.best_on} of {num}"
    if lead.p is None:
        return f"not tested: {best.run} leads {lead.second} in {of_all} {by} ({value}); {best_on}"
    if lead.p <= result.options.alpha:
        return f"{best.run} is better than {lead.second} in {of_all}, {by} ({value}); {best_on}"
    return (
        f"it cannot be decided whether {best.run} is better than {lead.second} in {of_all}: it "
        f"leads {by} ({value}); {best_on}"
    )


def _parts(result: CollectionsBoard, decimals: int, *, details: bool) -> Iterator[Part]:
    several = len(result.measures) > 1
    for rows in result.measures:
        if several:
            yield Heading(rows.column.name, 2)
        yield Lines([lead_text(result, rows, decimals)], listed=False)
        names = _all_names(result) if details else result.collections
        whole = _table(result, rows, names)
        if details or _fits(whole, decimals):
            yield whole
            continue
        yield _table(result, rows, ())
        yield _turned_table(rows, names)
    yield Lines([*_fact_lines(result, details=details)])


def _fits(table: Table, decimals: int) -> bool:
    return max(map(len, text_table(table, decimals).split("\n"))) <= WIDTH


def _all_names(result: CollectionsBoard) -> list[str]:
    """The collections, behind each group its members."""
    return [name for top in result.collections for name in (top, *result.members.get(top, ()))]


def _table(
    result: CollectionsBoard, rows: MeasureOfCollections, collections: Sequence[str]
) -> Table:
    """A row for each run: its place and mean, and its value on some collections."""
    options = result.options
    heads = [Head("place"), Head("run", "text"), Head(f"mean {rows.column.name}")]
    has_intervals = any(each.low is not None for each in rows.runs)
    is_tested = any(each.p_best is not None for each in rows.runs)
    heads += [Head(f"{100 * (1 - options.alpha):g}% interval", "text")] * has_intervals
    heads += [Head("p", "text")] * is_tested
    heads += [Head("best on")] if len(rows.runs) > 1 else []
    heads += map(Head, collections)
    cells: list[list[Cell]] = []
    for each in rows.runs:
        row: list[Cell] = ["-" if each.place is None else each.place, each.run, _value(each.mean)]
        row += [_interval(each)] * has_intervals
        row += [_marked_p(each, options.alpha)] * is_tested
        row += [each.best_on] if len(rows.runs) > 1 else []
        cells.append([*row, *(_value(each.values[name]) for name in collections)])
    return Table(heads, cells, caption=f"Means of {rows.column.name} over collections")


def _turned_table(rows: MeasureOfCollections, collections: Sequence[str]) -> Table:
    """A row for each collection, where a row for each run would be too long."""
    heads = [Head("collection", "text"), *(Head(each.run) for each in rows.runs)]
    cells: list[list[Cell]] = [
        [name, *(_value(each.values[name]) for each in rows.runs)] for name in collections
    ]
    return Table(heads, cells, caption=f"{rows.column.name} by collection")


def _value(value: float | None) -> float:
    """NaN is shown as "-"."""
    return float("nan") if value is None else value


def _interval(row: RunOfCollections) -> Cell:
    if row.mean is None:
        return "-"
    return (_value(row.low), _value(row.high))


def _marked_p(row: RunOfCollections, alpha: float) -> Cell:
    if row.p_best is None:
        return ""
    return Keyed(p_text(row.p_best) + (" *" if row.p_best <= alpha else ""), row.p_best)


def _fact_lines(result: CollectionsBoard, *, details: bool) -> Iterator[str]:
    options, rows = result.options, result.measures[0]
    groups = [f"{top} counts once, the mean of {len(m)}" for top, m in result.members.items()]
    yield "; ".join(
        [
            f"mean: every collection has the same weight; {_topics_text(result)}",
            *groups,
            "topics that a run lacks count as 0",
        ]
    )
    level = f"{100 * (1 - options.alpha):g}%"
    if any(each.low is not None for each in rows.runs):
        yield (
            f"{level} interval: t by Welch and Satterthwaite, for other topics of these "
            "collections; nothing is said of other collections"
        )
    if result.is_tested:
        pairs = "1 pair" if rows.num_pairs == 1 else f"{rows.num_pairs} pairs"
        title = CORRECTIONS[options.correction].title.removeprefix("corrected by ")
        yield f"p against the best: the same t, two-sided, {title}, {pairs}; * <= {options.alpha:g}"
    yield from result.notes
    for board in result.boards:
        yield from (f"{board.name}: not scored: {each}" for each in board.listed_broken())
    if details:
        for name, signature in _signatures(result).items():
            yield f"signature of {name}: {signature.short}"
    yield f"signature {_brief_signature(result)}"


def _brief_signature(result: CollectionsBoard) -> str:
    """The version, and the digits of a hash of the digits of all collections."""
    choices = [result.options.test, result.options.ci]
    signed = [f"{name}={each.digest}" for name, each in _signatures(result).items()]
    return f"irev:{__version__}@{sha256_of(as_bytes(' '.join([*choices, *signed])))[:8]}"


def _topics_text(result: CollectionsBoard) -> str:
    numbers = sorted(len(board.table.topics) for board in result.boards if board.parts)
    if numbers[0] == numbers[-1]:
        return f"{count_text(numbers[0], 'topic')} in each"
    return f"{numbers[0]:,} to {numbers[-1]:,} topics"


def _signatures(result: CollectionsBoard) -> dict[str, Any]:
    signed = {board.name: board_signature(board.parts[0]) for board in result.boards if board.parts}
    return {name: signature for name, signature in signed.items() if signature is not None}


def _records(result: CollectionsBoard) -> Records:
    """A row for each run under each measure; last, with an `error`, what could not be scored."""
    names = _all_names(result)
    about = ["measure", "place", "run", "mean", "low", "high", "p_best", "best_on"]

    def rows() -> Iterator[list[Any]]:
        for measure in result.measures:
            for each in measure.runs:
                known = each._asdict() | {"measure": measure.column.name}
                yield [*map(known.get, about), *map(each.values.get, names), ""]
        for board in result.boards:
            for broken in board.broken:
                where = [broken.path if name == "run" else None for name in about]
                yield [*where, *[None] * len(names), f"{board.name}: {broken}"]

    return Records("runs", [*about, *names, "error"], rows())


def _json_data(result: CollectionsBoard) -> dict[str, Any]:
    """`irev` (the version) and `collections`; what a run lacks is null."""
    options = result.options
    data = {
        "collections": list(result.collections),
        "groups": {top: list(members) for top, members in result.members.items()},
        "averaged_over": {b.name: len(b.table.topics) for b in result.boards if b.parts},
        "interval": "t by Welch and Satterthwaite, for other topics of these collections",
        "alpha": options.alpha,
        "correction": options.correction if result.is_tested else None,
        "verdict": lead_text(result, result.measures[0], 4),
        "measures": [
            {
                "measure": rows.column.name,
                "lead": rows.lead and rows.lead._asdict(),
                "family": rows.num_pairs if result.is_tested else 0,
                "runs": [each._asdict() for each in rows.runs],
            }
            for rows in result.measures
        ],
        "signature": _brief_signature(result),
        "signatures": {n: signature_data(each) for n, each in _signatures(result).items()},
        "broken": [
            {"collection": board.name, **each.data()}
            for board in result.boards
            for each in board.broken
        ],
        "notes": list(result.notes),
    }
    return {"irev": __version__, "leaderboard_of_collections": data}


# --- The table of a paper ---


def collections_paper(result: CollectionsBoard) -> Document:
    """A table for each measure: runs, collections and their mean, the best in bold."""
    tables = [_paper_table(result, rows) for rows in result.measures]
    return collections_document(result)._replace(parts=tables, brief=None)


def _paper_table(result: CollectionsBoard, rows: MeasureOfCollections) -> Table:
    full_names = [each.run for each in rows.runs]
    names, left_out = paper_run_names(full_names)
    head = measure_head(rows.column)
    has_intervals = any(each.low is not None for each in rows.runs)
    heads = [Head("run", "text"), *(head._replace(name=name) for name in result.collections)]
    heads += [head._replace(name="mean"), *([Head("interval")] if has_intervals else [])]
    cells: list[list[Cell]] = []
    for name, each in zip(names, rows.runs, strict=True):
        row: list[Cell] = [name, *(_value(each.values[top]) for top in result.collections)]
        cells.append([*row, _value(each.mean), *([_interval(each)] if has_intervals else [])])
    sentences = [*_caption(result, rows.column, has_intervals=has_intervals), *left_out]
    label = rows.column.name if len(result.measures) > 1 else "collections"
    return paper_table(heads, cells, sentences, label=label)


def _caption(result: CollectionsBoard, column: Column, *, has_intervals: bool) -> Iterable[str]:
    num = count_text(len(result.collections), "collection")
    yield f"{column.name} on {num} ({_topics_text(result)}) and its mean at equal weights."
    if result.members:
        yield f"{full_list([*result.members])}: the mean of its collections."
    if has_intervals:
        level = f"{100 * (1 - result.options.alpha):g}%"
        yield (
            f"The {level} interval (t, Welch and Satterthwaite) is for other topics of these "
            "collections."
        )
    yield 'Best in bold; "-": not run.'
