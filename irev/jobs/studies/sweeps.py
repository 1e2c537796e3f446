"""Parameters of measures that take several values: `beta=0.1,1,10`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from irev.core.model import Qrels
from irev.core.record import record
from irev.core.text import parse_decimal
from irev.core.wording import shortened_list
from irev.errors import UsageError, id_text
from irev.jobs.plots.style import add_axes_legend, drawn_label, new_figure, plot_style, series_style
from irev.measures.cautions import relevant_per_list
from irev.measures.naming.grammar import parse_name
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import Request, is_prefixed
from irev.options import Options

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


_BETWEEN = re.compile(r",(?![^{]*\})")
"""A comma that is not part of a map."""

_MOST_TOPICS = 10


@record(eq=True)
class Sweep:
    """A parameter and its values, as text."""

    name: str
    values: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Sweep:
        """Take `NAME=VALUE,VALUE,...` apart; a value may be a map, `{1:1,2:5}`."""
        name, _, listed = text.partition("=")
        values = tuple(_BETWEEN.split(listed))
        if not name or len(values) < 2 or not all(values) or len(set(values)) < len(values):
            raise UsageError(
                f"--sweep {text}: must be a parameter and two or more values, such as beta=0.1,1,10"
            )
        return cls(name, values)


@record(eq=True)
class SweepLine:
    """One line of a figure: a measure under the values of a parameter, against another measure.

    parameter  its name
    measure    how the measure is called, without the parameter
    against    the other
    points     (value, the measure with it) of each point
    """

    parameter: str
    measure: str
    against: str
    points: tuple[tuple[str, str], ...]


def swept(
    measures: Sequence[str],
    sweeps: Sequence[Sweep],
    against: Sequence[str],
    options: Options,
) -> list[SweepLine]:
    """The lines for each parameter, measure with that parameter, and reference.

    Where several parameters have values, there is a line for each combination of the others; the
    reference then has those values too, unless it names them or has no such parameter.

    `sweeps`: the parameters, each once. `against`: the references; none: AP, and the measure as it
    is asked for.
    """
    for sweep in sweeps:
        if sum(other.name == sweep.name for other in sweeps) > 1:
            raise UsageError(f"--sweep {sweep.name}: all values of a parameter go into one list")
        if not any(has_option(measure, sweep.name, options) for measure in measures):
            raise UsageError(f"--sweep {sweep.name}: no measure asked for has that parameter")
    return [
        line
        for sweep in sweeps
        for measure in measures
        if has_option(measure, sweep.name, options)
        for line in _lines(measure, sweep, sweeps, against, options)
    ]


def _lines(
    measure: str,
    sweep: Sweep,
    sweeps: Sequence[Sweep],
    against: Sequence[str],
    options: Options,
) -> Iterator[SweepLine]:
    if sweep.name in _named(measure):
        raise UsageError(f"--sweep {sweep.name}: {measure} already sets it")
    others = [other for other in sweeps if other is not sweep]
    mine = [other for other in others if _is_open(measure, other.name, options)]
    for values in product(*(other.values for other in mine)):
        set_to = {other.name: value for other, value in zip(mine, values, strict=True)}
        base = with_options(measure, set_to)
        points = tuple((value, with_options(base, {sweep.name: value})) for value in sweep.values)
        for reference in against or ("AP", measure):
            fitting = {n: v for n, v in set_to.items() if _is_open(reference, n, options)}
            yield SweepLine(sweep.name, base, with_options(reference, fitting), points)


def has_option(name: str, option: str, options: Options) -> bool:
    """Whether a measure has a named option; only irev's own names have any."""
    requests = resolve_names([name], options, allow_unused_defaults=True)
    if is_prefixed(name) or requests[0].measure.position:
        return False
    return option in requests[0].measure.options


def _is_open(name: str, option: str, options: Options) -> bool:
    return has_option(name, option, options) and option not in _named(name)


def _named(name: str) -> frozenset[str]:
    """The options that a name says."""
    return frozenset(option for option, _ in parse_name(name).options)


def with_options(name: str, options: Mapping[str, str]) -> str:
    """The name of a measure with further options: `nDCG@10` with b of 2 is `nDCG(b=2)@10`."""
    if not options:
        return name
    added = ",".join(f"{option}={value}" for option, value in options.items())
    if "(" in name:
        end = name.rindex(")")
        comma = "" if name[:end].rstrip().endswith("(") else ","
        return f"{name[:end]}{comma}{added}{name[end:]}"
    head, at, cutoffs = name.partition("@")
    return f"{head}({added}){at}{cutoffs}"


def with_printed_names(
    lines: Sequence[SweepLine], printed: Callable[[str], Sequence[str]]
) -> list[SweepLine]:
    """The lines with the names under which the scores of their measures are found.

    A measure with several cutoffs has a line for each.
    """
    found = []
    for line in lines:
        points = [(value, printed(name)) for value, name in line.points]
        for reference in printed(line.against):
            for number in range(len(points[0][1])):
                mine = tuple((value, names[number]) for value, names in points)
                called = line.measure
                if len(points[0][1]) > 1:
                    head, _, cutoffs = called.rpartition("@")
                    called = f"{head}@{cutoffs.split(',')[number].strip()}"
                found.append(SweepLine(line.parameter, called, reference, mine))
    return found


def late_notes(requests: Sequence[Request], qrels: Qrels, level: int) -> Iterator[str]:
    """A line for each measure that lets all relevant documents of some topics come late."""
    late = late_arrivals(requests, qrels, level)
    for measure in dict.fromkeys(name for name, *_ in late):
        topics = [(topic, count) for name, _, topic, count in late if name == measure]
        base = next(base for name, base, *_ in late if name == measure)
        named = [f"{id_text(topic)} (R={count})" for topic, count in topics]
        yield (
            f"{measure}: up to rank {base:g} there is no discount, and "
            f"{len(topics)} topics have fewer relevant documents (Sakai 2006): "
            f"{shortened_list(named, _MOST_TOPICS)}"
        )


def late_arrivals(
    requests: Sequence[Request], qrels: Qrels, level: int
) -> list[tuple[str, float, bytes, int]]:
    """Topics with fewer relevant documents than the base of a logarithm has ranks without discount.

    Up to rank b of nDCG in Järvelin and Kekäläinen's form nothing is lost by coming late, so that
    with b > R > 0 all R relevant documents may come late (Sakai 2006).

    Returns:
        (printed name, b, topic, R), in the order of the measures and topics.
    """
    found = []
    for request in requests:
        if request.measure.position:
            continue
        options: dict[str, Any] = dict(request.arguments.options)
        if options.get("disc") != "jk":
            continue
        relevant = relevant_per_list(qrels, request.arguments.level or level).tolist()
        topics = [qrels.topics[number] for number in qrels.topic_of_list.tolist()]
        found += [
            (request.columns[0].name, float(options["b"]), topic, count)
            for topic, count in zip(topics, relevant, strict=True)
            if 0 < count < options["b"]
        ]
    return found


def sweep_tables(tidy: pd.DataFrame, lines: Sequence[SweepLine]) -> dict[str, pd.DataFrame]:
    """For each parameter the correlations with the reference, a line for each of its values."""
    import pandas as pd

    facts_of = ["tau_b", "p", "tau_AP", "rho", "rms"]
    names = zip(tidy["measure"], tidy["with"], strict=True)
    by_names = dict(zip(names, tidy[facts_of].to_numpy().tolist(), strict=True))
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for line in lines:
        for value, name in line.points:
            found = (line.measure, line.against, value, name, *by_names[line.against, name])
            rows.setdefault(line.parameter, []).append(found)
    return {
        f"sweep-{parameter}": pd.DataFrame(
            each, columns=["measure", "against", parameter, "as printed", *facts_of]
        )
        for parameter, each in rows.items()
    }


_WIDE = 10
"""Where the largest value is so many times the smallest, the axis is logarithmic."""


def sweep_figure(table: pd.DataFrame) -> Figure:
    """Tau against a parameter, a line for each measure and what it is compared with.

    The axis is logarithmic for positive numbers that lie far apart; what are no such numbers stand
    beside one another at equal distances, in the order of the table.
    """
    parameter = str(table.columns[2])
    values = list(dict.fromkeys(table[parameter]))
    numbers = _numbers(values)
    places = dict(zip(values, numbers or range(len(values)), strict=True))
    with plot_style():
        figure, (axes,) = new_figure(width=5.6, height=3.8)
        lines = table.groupby(["measure", "against"], sort=False)
        for number, ((measure, against), points) in enumerate(lines):
            axes.plot(
                [places[value] for value in points[parameter]], points["tau_b"],
                label=f"{drawn_label(str(measure))} with {drawn_label(str(against))}",
                **series_style(number),
            )  # fmt: skip
        if numbers and max(numbers) >= _WIDE * min(numbers):
            axes.set_xscale("log")
        axes.set_xticks(list(places.values()), [drawn_label(value) for value in values])
        axes.set_xticks([], minor=True)
        axes.set_xlabel(parameter)
        axes.set_ylabel("Kendall's tau_b")
        axes.set_ylim(top=1.0 + 0.03 * (1.0 - axes.get_ylim()[0]))
        add_axes_legend(figure, axes)
    return figure


def _numbers(values: Sequence[str]) -> list[float]:
    """The values as positive finite numbers; none where one is no such number."""
    found = []
    for value in values:
        number = parse_decimal(value)
        if number is None or number <= 0:
            return []
        found.append(number)
    return found
