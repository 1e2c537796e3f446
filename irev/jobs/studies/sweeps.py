"""Parameters of measures that take several values: `beta=0.1,1,10`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from irev.core.job import FigureWidth
from irev.core.judged import Qrels
from irev.core.record import record
from irev.core.text import parse_decimal, shortened_list
from irev.errors import UsageError, id_text
from irev.jobs.plots.layout import FigureLayout
from irev.jobs.plots.style import drawn_label, plot_style, series_style
from irev.measures.naming.grammar import parse_name
from irev.measures.naming.resolve import resolve_names
from irev.measures.requests import Request, is_prefixed, relevant_per_list
from irev.options import Options

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


_BETWEEN = re.compile(r",(?![^{]*\})")
"""A comma that is not part of a map."""


@record(eq=True)
class Sweep:
    """A parameter and its values, as text."""

    name: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Sweep:
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
    reference  the other
    points     (value, the measure with it) of each point
    """

    parameter: str
    measure: str
    reference: str
    points: tuple[tuple[str, str], ...]


def make_sweep_lines(
    measures: Sequence[str],
    sweeps: Sequence[Sweep],
    references: Sequence[str],
    options: Options,
) -> list[SweepLine]:
    """The lines for each parameter, measure with that parameter, and reference.

    Where several parameters have values, there is a line for each combination of the others; the
    reference then has those values too, unless it names them or has no such parameter.

    `sweeps`: the parameters, each once. `references`: none: AP, and the measure as it is asked for.
    """
    for sweep in sweeps:
        if sum(other.name == sweep.name for other in sweeps) > 1:
            raise UsageError(f"--sweep {sweep.name}: all values of a parameter go into one list")
        if not any(has_option(measure, sweep.name, options) for measure in measures):
            raise UsageError(f"--sweep {sweep.name}: no requested measure has that parameter")
    return [
        line
        for sweep in sweeps
        for measure in measures
        if has_option(measure, sweep.name, options)
        for line in _lines_of_measure(measure, sweep, sweeps, references, options)
    ]


def _lines_of_measure(
    measure: str,
    sweep: Sweep,
    sweeps: Sequence[Sweep],
    references: Sequence[str],
    options: Options,
) -> Iterator[SweepLine]:
    if sweep.name in _options_of_name(measure):
        raise UsageError(f"--sweep {sweep.name}: {measure} already sets it")
    others = [other for other in sweeps if other is not sweep]
    open_sweeps = [other for other in others if _has_unset_option(measure, other.name, options)]
    for values in product(*(other.values for other in open_sweeps)):
        value_of_option = {
            other.name: value for other, value in zip(open_sweeps, values, strict=True)
        }
        measure_name = add_options(measure, value_of_option)
        points = tuple(
            (value, add_options(measure_name, {sweep.name: value})) for value in sweep.values
        )
        for reference in references or ("AP", measure):
            reference_options = {
                option: v
                for option, v in value_of_option.items()
                if _has_unset_option(reference, option, options)
            }
            yield SweepLine(
                sweep.name,
                measure_name,
                add_options(reference, reference_options),
                points,
            )


def has_option(measure: str, option_name: str, options: Options) -> bool:
    """Whether a measure has a named option; only irev's own names have any."""
    requests = resolve_names([measure], options, allow_unused_defaults=True)
    if is_prefixed(measure) or requests[0].measure.is_trec_evals_alone:
        return False
    return option_name in requests[0].measure.options


def _has_unset_option(measure: str, option_name: str, options: Options) -> bool:
    return has_option(measure, option_name, options) and option_name not in _options_of_name(
        measure
    )


def _options_of_name(measure: str) -> frozenset[str]:
    """The options that a name says."""
    return frozenset(option for option, _ in parse_name(measure).options)


def add_options(measure: str, value_of_option: Mapping[str, str]) -> str:
    """The name of a measure with further options: `nDCG@10` with b of 2 is `nDCG(b=2)@10`."""
    if not value_of_option:
        return measure
    option_texts = ",".join(f"{option}={value}" for option, value in value_of_option.items())
    if "(" in measure:
        end = measure.rindex(")")
        comma = "" if measure[:end].rstrip().endswith("(") else ","
        return f"{measure[:end]}{comma}{option_texts}{measure[end:]}"
    function_name, at_sign, cutoffs = measure.partition("@")
    return f"{function_name}({option_texts}){at_sign}{cutoffs}"


def printed_sweep_lines(
    lines: Sequence[SweepLine], printed_names_of: Callable[[str], Sequence[str]]
) -> list[SweepLine]:
    """The lines with the names under which the scores of their measures are found.

    A measure with several cutoffs has a line for each.
    """
    printed_lines = []
    for line in lines:
        points = [(value, printed_names_of(name)) for value, name in line.points]
        for reference in printed_names_of(line.reference):
            for cutoff_index in range(len(points[0][1])):
                printed_points = tuple((value, names[cutoff_index]) for value, names in points)
                measure = line.measure
                if len(points[0][1]) > 1:
                    function_name, _, cutoffs = measure.rpartition("@")
                    measure = f"{function_name}@{cutoffs.split(',')[cutoff_index].strip()}"
                printed_lines.append(SweepLine(line.parameter, measure, reference, printed_points))
    return printed_lines


def r_below_discount_base_notes(
    requests: Sequence[Request], qrels: Qrels, level: float
) -> Iterator[str]:
    """A line for each measure that lets all relevant documents of some topics come late."""
    topics_below_base = topics_with_r_below_discount_base(requests, qrels, level)
    for measure in dict.fromkeys(name for name, *_ in topics_below_base):
        topics = [
            (topic_id, count) for name, _, topic_id, count in topics_below_base if name == measure
        ]
        base = next(base for name, base, *_ in topics_below_base if name == measure)
        topic_texts = [f"{id_text(topic_id)} (R={count})" for topic_id, count in topics]
        yield (
            f"{measure}: up to rank {base:g} there is no discount, and "
            f"{'1 topic has' if len(topics) == 1 else f'{len(topics)} topics have'} fewer relevant "
            "documents (Sakai 2006): "
            f"{shortened_list(topic_texts, 10)}"
        )


def topics_with_r_below_discount_base(
    requests: Sequence[Request], qrels: Qrels, level: float
) -> list[tuple[str, float, bytes, int]]:
    """Topics with fewer relevant documents than the base of a logarithm has ranks without discount.

    Up to rank b of nDCG in Järvelin and Kekäläinen's form nothing is lost by coming late, so that
    with b > R > 0 all R relevant documents may come late (Sakai 2006).

    Returns:
        (printed name, b, topic, R), in the order of the measures and topics.
    """
    topics_below_base = []
    for request in requests:
        if request.measure.is_trec_evals_alone:
            continue
        options: dict[str, Any] = dict(request.arguments.options)
        if options.get("disc") != "jk":
            continue
        relevant_counts = relevant_per_list(qrels, request.arguments.level or level).tolist()
        topic_ids = [qrels.topics[topic_index] for topic_index in qrels.topic_of_list.tolist()]
        topics_below_base += [
            (request.columns[0].name, float(options["b"]), topic_id, count)
            for topic_id, count in zip(topic_ids, relevant_counts, strict=True)
            if 0 < count < options["b"]
        ]
    return topics_below_base


def long_sweep_tables_by_parameter(
    correlations: pd.DataFrame, lines: Sequence[SweepLine]
) -> dict[str, pd.DataFrame]:
    """For each parameter the correlations with the reference, a line for each of its values."""
    import pandas as pd

    coefficient_names = ["tau_b", "p", "tau_AP", "rho", "rms"]
    names = zip(correlations["measure"], correlations["with"], strict=True)
    by_names = dict(zip(names, correlations[coefficient_names].to_numpy().tolist(), strict=True))
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for line in lines:
        for value, name in line.points:
            row = (line.measure, line.reference, value, name, *by_names[line.reference, name])
            rows.setdefault(line.parameter, []).append(row)
    return {
        f"sweep-{parameter}": pd.DataFrame(
            parameter_rows,
            columns=["measure", "against", parameter, "as printed", *coefficient_names],
        )
        for parameter, parameter_rows in rows.items()
    }


def sweep_figure(table: pd.DataFrame, *, width: FigureWidth = "page") -> Figure:
    """Tau against a parameter, a line for each measure and what it is compared with.

    The axis is logarithmic for positive numbers that lie far apart; what are no such numbers stand
    beside one another at equal distances, in the order of the table.
    """
    parameter = str(table.columns[2])
    values = list(dict.fromkeys(table[parameter]))
    numbers = [number for number in map(parse_decimal, values) if number is not None and number > 0]
    if len(numbers) < len(values):
        numbers = []
    position_of_value = dict(zip(values, numbers or range(len(values)), strict=True))
    with plot_style(width):
        layout = FigureLayout(1, width=width, height=2.6)
        (axes,) = layout.panels
        lines = table.groupby(["measure", "against"], sort=False)
        for series_index, ((measure, against), points) in enumerate(lines):
            axes.plot(
                [position_of_value[value] for value in points[parameter]],
                points["tau_b"],
                label=f"{drawn_label(str(measure))} with {drawn_label(str(against))}",
                **series_style(series_index),
            )
        if numbers and max(numbers) >= 10 * min(numbers):
            axes.set_xscale("log")
        if numbers:
            layout.number_ticks(axes, "x", sorted(numbers))
        else:
            layout.name_ticks(axes, "x", range(len(values)), list(map(drawn_label, values)))
        axes.set_xlabel(parameter)
        axes.set_ylabel("Kendall's tau_b")
        axes.set_ylim(top=1.0 + 0.03 * (1.0 - axes.get_ylim()[0]))
        layout.set_panel_legend()
        return layout.finish()
