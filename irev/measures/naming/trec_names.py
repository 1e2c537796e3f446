"""Names in trec_eval's way: how they are read, and the table of what it calls irev's measures.

`P` is a measure, `P.5,10` the measure with a parameter, `P_5` one column, `official` a set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

from irev.core.judged import Column
from irev.core.text import parse_c_number, parse_whole, pattern
from irev.errors import UsageError, quote
from irev.measures.families.average_precision import (
    RECALL_LEVELS,
    average_over_levels,
    iprec_at_recall,
)
from irev.measures.families.gain import PAPER as JARVELIN
from irev.measures.families.patience import PAPER as MOFFAT
from irev.measures.families.patience import (
    rbp_of_topic_scaled_gains,
    residual_of_unjudged_and_unseen,
)
from irev.measures.families.precision import precision_at_multiples, set_f_by_square
from irev.measures.naming.programs import same
from irev.measures.registry import (
    ALL_TREC,
    LARGEST_NUMBER,
    OFFICIAL,
    SET,
    SET_NAMES,
    TREC_MEASURES,
    Arguments,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    Numbers,
    aliased_measure,
    measures_of_set,
    output_order,
    trec_name,
)
from irev.measures.requests import Request
from irev.measures.shared import STANDARD_CUTOFFS

Number = TypeVar("Number", int, float)

ColumnNames: TypeAlias = list[str]
"""The columns that a name alone asks for, as they are printed."""

LONGEST_HINT = 60
"""How many characters of what should be written are shown."""


class _TrecRequest(NamedTuple):
    """That a name asks for a measure."""

    measure: Measure
    printed_name: str = ""
    """Of a single column, with the parameter in it."""
    parameter: str | None = None
    """What stands behind the dot, or in the printed name; None: the bare name, or a set's."""


class TrecRequests:
    """What is asked for of trec_eval's table of measures."""

    def __init__(self, version: int) -> None:
        self._version = version
        self._measures = {name: m for name, m in TREC_MEASURES.items() if m.since <= version}
        self._trec_requests: list[_TrecRequest] = []

    def add(self, name: str) -> ColumnNames:
        """Take a name in.

        Returns:
            The columns that the name alone asks for; none where trec_eval has no such name.
        """
        trec_requests = _requests_if_trec_name(name, self._measures, self._version)
        self._trec_requests += trec_requests
        return [
            column.name
            for request in _ordered_requests(trec_requests)
            for column in request.columns
        ]

    def requests(self) -> list[Request]:
        """What was asked for, in the order of the table."""
        return _ordered_requests(self._trec_requests)


def repeated_parameter_warnings(names: Sequence[str]) -> Iterator[str]:
    """A line for each measure that is asked for with parameters again, of which the first hold."""
    parameters: dict[str, dict[str, None]] = {}
    for name in names:
        head, dot, text = name.partition(".")
        if dot and head in TREC_MEASURES:
            parameters.setdefault(head, {})[text] = None
    for head, texts in parameters.items():
        first, *others = texts
        if not others:
            continue
        more = f" and {len(others) - 1} more are" if len(others) > 1 else " is"
        all_values = dict.fromkeys(",".join(texts).split(","))
        joined = f"{head}.{','.join(all_values)}" if is_listed(head) else f"{head}_{others[0]}"
        if len(joined) > LONGEST_HINT:
            joined = f"{head}.{first},{others[0]},..."
        yield (
            f"-m {head}.{others[0]}{more} not used, since of several the first holds, as in "
            f"trec_eval: {head}.{first}; write -m {joined}"
        )


def is_listed(name: str) -> bool:
    """Whether the parameter of a measure of trec_eval's is a list with a column for each value."""
    return isinstance(TREC_MEASURES[name].parameter, Cutoffs | Fractions)


def _requests_if_trec_name(
    name: str, measures: Mapping[str, Measure], version: int
) -> list[_TrecRequest]:
    """The measures that one name asks for; none where it is no name of trec_eval's."""
    head, dot, text = name.partition(".")
    if head in SET_NAMES:
        if dot:
            raise UsageError(f"{quote(name)}: a set takes no parameters; write {head}")
        return [_TrecRequest(measure) for measure in measures_of_set(head, version)]
    if "(" in name or "@" in name:
        return []
    if head not in measures:
        return _parse_printed_name(name, measures)
    measure = measures[head]
    if not dot:
        return [_TrecRequest(measure)]
    if not text:
        raise UsageError(
            f"{quote(name)}: no parameters after the dot; write {head}"
            + (f" or {usage_example(measure, 2)}" if measure.parameter else "")
        )
    parse_parameter(measure, text)
    return [_TrecRequest(measure, "", text)]


def _parse_printed_name(name: str, measures: Mapping[str, Measure]) -> list[_TrecRequest]:
    """The measure and the parameter of a column as it is printed, such as `P_5`."""
    fitting = [m for m in measures.values() if m.parameter and name.startswith(f"{m.name}_")]
    if not fitting:
        return []
    measure = max(fitting, key=lambda m: len(m.name))
    text = name[len(measure.name) + 1 :]
    if not pattern(r"[-+.,0-9]|.*=").match(text):  # how no parameter begins is a wrong name
        return []
    if is_listed(measure.name):
        listed = text.replace("_", ",")
        printed = printed_names(measure, parse_parameter(measure, listed), listed)
        if printed != (name,):
            raise UsageError(
                f"no column is called {quote(name)}, it would be {' and '.join(printed)}; "
                f"write {measure.name}.{listed}"
            )
    parse_parameter(measure, text)
    return [_TrecRequest(measure, name, text)]


def _ordered_requests(trec_requests: Sequence[_TrecRequest]) -> list[Request]:
    """The requests in the order of the table."""
    by_measure: dict[str, list[_TrecRequest]] = {}
    for asking in trec_requests:
        by_measure.setdefault(asking.measure.name, []).append(asking)
    measures = output_order([asking.measure for asking in trec_requests])
    return [each for m in measures for each in _measure_requests(m, by_measure[m.name])]


def _measure_requests(measure: Measure, trec_requests: Sequence[_TrecRequest]) -> Iterator[Request]:
    """The requests for one measure: one for all values of a list, else one for each parameter.

    Of several parameters behind dots the first holds, also for the bare name.
    """
    is_plain = any(asking.parameter is None for asking in trec_requests)
    dotted = next((a.parameter for a in trec_requests if a.parameter and not a.printed_name), None)
    printed = {a.printed_name: a.parameter for a in trec_requests if a.printed_name}
    if is_listed(measure.name):
        values: list[float] = []
        if is_plain or dotted is not None:
            values += _values(measure, dotted)
        there = printed_names(measure, Arguments(tuple(values)), None)
        for name, text in printed.items():
            if name not in there:
                values += _values(measure, text)
        rising = Arguments(tuple(sorted(values)))
        yield Request(measure, rising, _columns(measure, rising, None))
        return
    texts = [dotted] if is_plain or dotted is not None else []
    texts += [text for text in printed.values() if text != dotted]
    for text in texts:
        arguments = default_arguments(measure) if text is None else parse_parameter(measure, text)
        yield Request(measure, arguments, _columns(measure, arguments, text))


def _values(measure: Measure, text: str | None) -> list[float]:
    """The values of a list; without a text the usual ones."""
    arguments = default_arguments(measure) if text is None else parse_parameter(measure, text)
    return [value for value in arguments.cutoffs if value is not None]


def _columns(measure: Measure, arguments: Arguments, text: str | None) -> tuple[Column, ...]:
    return tuple(
        Column(name, measure.name, measure.kind, measure.average, measure.per_topic)
        for name in printed_names(measure, arguments, text)
    )


def default_arguments(measure: Measure) -> Arguments:
    """The arguments of a measure whose parameter is not given."""
    match measure.parameter:
        case Cutoffs(default=cutoffs) | Fractions(default=cutoffs):
            return Arguments(cutoffs)
        case Numbers(default=numbers):
            return Arguments(options=(("numbers", numbers),))
        case Gains():
            return _gain_arguments_or_defaults(measure.parameter, {}, None)
    return Arguments(options=tuple((name, o.default) for name, o in measure.options.items()))


def parse_parameter(measure: Measure, text: str) -> Arguments:
    """The arguments that a parameter's text stands for."""
    match measure.parameter:
        case Cutoffs():
            ranks = _parse_numbers_in_typed_order(measure, text, parse_whole, "whole number")
            for rank in ranks:
                if rank < 1:
                    problem = f"a cutoff is a rank, at least 1, not {rank}"
                    raise _parameter_error(measure, text, problem)
                if rank > LARGEST_NUMBER:
                    raise _parameter_error(measure, text, f"a cutoff is at most {LARGEST_NUMBER}")
            return Arguments(_sort_and_refuse_repeats(measure, text, ranks))
        case Fractions():
            numbers = _parse_numbers_in_typed_order(measure, text, parse_c_number, "number")
            return Arguments(_sort_and_refuse_repeats(measure, text, numbers))
        case Numbers(length=length):
            numbers = _parse_numbers_in_typed_order(measure, text, parse_c_number, "number")
            if length is not None and len(numbers) != length:
                problem = f"{length} numbers expected, found {len(numbers)}"
                raise _parameter_error(measure, text, problem)
            return Arguments(options=(("numbers", numbers),))
        case Gains():
            return _parse_gains(measure, measure.parameter, text)
    name, aliased = measure.name, aliased_measure(measure.name)
    can_be_cut = aliased is not None and aliased[0].cutoff_rule == "optional"
    raise UsageError(
        f"measure {name} takes no parameters, but got {quote(text)}; write {name}"
        + (f" or {name}@{text}" if can_be_cut and parse_whole(text) else "")
    )


def printed_names(measure: Measure, arguments: Arguments, text: str | None) -> tuple[str, ...]:
    """The names of the columns; `text` is the parameter as it was given, if it was."""
    match measure.parameter:
        case Cutoffs():
            return tuple(f"{measure.name}_{cutoff}" for cutoff in arguments.cutoffs)
        case Fractions():
            return tuple(f"{measure.name}_{f'{level:3.2f}'[:8]}" for level in arguments.cutoffs)
    return (measure.name if text is None else f"{measure.name}_{text}",)


def usage_example(measure: Measure, max_values: int | None = None) -> str:
    """How a parameter of this measure is written: its default, or at most so many values of it."""
    match measure.parameter:
        case Cutoffs(default=default):
            text = ",".join(map(str, default[:max_values]))
        case Numbers(default=default, length=int()):
            text = ",".join(f"{number:g}" for number in default)
        case Fractions(default=default) | Numbers(default=default):
            text = ",".join(f"{number:g}" for number in default[:max_values])
        case Gains(persistence=persistence, grades=grades):
            parts = [] if persistence is None else [f"p={persistence:g}"]
            text = ",".join([*parts, *(["1=3", "2=9"] if grades else [])])
        case _:
            return measure.name
    return f"{measure.name}.{text}"


def _parameter_error(measure: Measure, text: str, problem: str) -> UsageError:
    name, example = quote(f"{measure.name}.{text}"), usage_example(measure, 2)
    return UsageError(f"measure {name}: {problem}; write for instance {example}")


def _parse_numbers_in_typed_order(
    measure: Measure, text: str, parse_number: Callable[[str], Number | None], kind_of_number: str
) -> tuple[Number, ...]:
    """The numbers between the commas."""
    numbers: list[Number] = []
    for part in text.split(","):
        number = parse_number(part)
        if number is None:
            raise _parameter_error(measure, text, f"{quote(part)} is not a {kind_of_number}")
        numbers.append(number)
    return tuple(numbers)


def _sort_and_refuse_repeats(
    measure: Measure, text: str, numbers: tuple[Number, ...]
) -> tuple[Number, ...]:
    rising = tuple(sorted(numbers))
    for number, following in pairwise(rising):
        if number == following:
            raise _parameter_error(measure, text, f"{number} is given twice")
    return rising


def _parse_gains(measure: Measure, parameter: Gains, text: str) -> Arguments:
    gains: dict[int, float] = {}
    persistence: float | None = None
    for part in text.split(","):
        left, equals, right = part.partition("=")
        number = parse_c_number(right)
        if not equals or "=" in right:
            raise _parameter_error(measure, text, f"{quote(part)} is not a pair with one '='")
        if number is None:
            problem = f"{quote(right)} in {quote(part)} is not a number"
            raise _parameter_error(measure, text, problem)
        grade = parse_whole(left) if parameter.grades else None
        if left == "p" and parameter.persistence is not None:
            if persistence is not None:
                raise _parameter_error(measure, text, "p is given twice")
            persistence = number
        elif grade is None or abs(grade) > LARGEST_NUMBER:
            keys = ["p"] if parameter.persistence is not None else []
            keys += ["a whole grade"] if parameter.grades else []
            problem = f"{quote(left)} in {quote(part)} is not {' or '.join(keys)}"
            raise _parameter_error(measure, text, problem)
        elif grade in gains:
            raise _parameter_error(measure, text, f"the gain of {grade} is given twice")
        else:
            gains[grade] = number
    return _gain_arguments_or_defaults(parameter, gains, persistence)


def _gain_arguments_or_defaults(
    parameter: Gains, gains: Mapping[int, float], persistence: float | None
) -> Arguments:
    """Gains for some grades, and the persistence, at their defaults where there are none."""
    options: list[tuple[str, Any]] = []
    if parameter.grades:
        options.append(("gain", tuple(gains.items()) or "linear"))
    if parameter.persistence is not None:
        options.append(("p", parameter.persistence if persistence is None else persistence))
    return Arguments(options=tuple(options))


# --- What trec_eval calls irev's measures, in the order of its table, and what differs there ---
# The other measures of that table are measures by themselves, with a `position` in their records.


BASIC_SETS = ("official", "set", "all_trec")
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
TREC_PERSISTENCE = 0.9

trec_name(
    "NumQ",
    "num_q",
    2,
    SET_NAMES,
    needs="any",
    help="""How many topics the averages divide by.

    Topics of the qrels that the run lacks count only where they were asked for (`-c`). It
    appears in the summary only.
    """,
)
trec_name(
    "NumRet",
    "num_ret",
    3,
    BASIC_SETS,
    help="""How many documents were retrieved, judged or not.

    The ranking is taken after it was cut (`-M`) and freed of unjudged documents (`-J`). The
    summary is the sum over the topics.
    """,
)
trec_name(
    "NumRel",
    "num_rel",
    4,
    BASIC_SETS,
    help="""How many documents the qrels hold as relevant, retrieved or not.

    Relevant is a document whose grade reaches the level (`-l`, 1 by default). The summary
    is the sum over the topics.
    """,
)
trec_name(
    "NumRelRet",
    "num_rel_ret",
    5,
    BASIC_SETS,
    formula="rr",
    example=("2 0 - 1 | 1", "", 2.0),
    help="""How many relevant documents were retrieved, at whatever rank.

    The summary is the sum over the topics.
    """,
)
trec_name(
    "AP",
    "map",
    6,
    OFFICIAL,
    formula="1/R * sum over relevant documents retrieved, at rank i, of (relevant up to i) / i",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    example=("2 0 - 1 | 1", "", 0.5),
    help="""The precision at each relevant document, averaged over all relevant documents.

    A relevant document that was not retrieved adds 0; a topic without relevant documents
    has 0. Unjudged documents count as not relevant. The summary is the mean over the
    topics.
    """,
)
trec_name(
    "GMAP",
    "gm_map",
    7,
    OFFICIAL,
    formula="exp(mean of log(max(map, 0.00001)))",
    source="Robertson 2006, On GMAP and Other Transformations, CIKM; trec_eval 10",
)
trec_name(
    "Rprec",
    "Rprec",
    8,
    OFFICIAL,
    title="R-precision",
    formula="(relevant documents at ranks up to R) / R",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    example=("2 0 - 1 | 1", "", 1 / 3),
    help="""Precision at rank R, the number of relevant documents; recall is the same
    there.

    A ranking shorter than R is still divided by R. A topic without relevant documents has
    0.
    """,
)
trec_name(
    "Bpref",
    "bpref",
    9,
    OFFICIAL,
    formula="1/R * sum over relevant documents retrieved of "
    "1 - min(judged non-relevant before, R) / min(judged non-relevant in the qrels, R)",
    source="Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete Information, "
    "SIGIR; trec_eval 10",
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
    help="""How rarely documents judged non-relevant rank above relevant ones.

    Documents without a judgment are passed over, as if they had not been retrieved. A
    relevant document with no judged non-relevant one before it counts 1; one that was not
    retrieved counts 0. A topic without relevant documents has 0.
    """,
)
trec_name(
    "RR",
    "recip_rank",
    10,
    OFFICIAL,
    formula="1 / (rank of the first relevant document)",
    source="Kantor and Voorhees 2000, The TREC-5 Confusion Track; trec_eval 10",
    example=("- 0 1 | 1", "", 1 / 3),
    help="One over the rank of the first relevant document; 0 if none was retrieved.",
)
trec_name(
    "IPrec",
    "iprec_at_recall",
    11,
    OFFICIAL,
    Fractions(RECALL_LEVELS),
    options={"rule": "te10"},
    compute=iprec_at_recall,
    title="Interpolated precision at recall levels",
    formula="max over i with at least t relevant documents up to i of "
    "(relevant up to i) / i, t = level * R rounded to a whole number, halves up",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    example=("2 0 - 1 | 1", "0.5", 0.5),
)
trec_name(
    "P",
    "P",
    12,
    OFFICIAL,
    Cutoffs(STANDARD_CUTOFFS),
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    example=("2 0 - 1 | 1", "5", 0.4),
)
trec_name(
    "R",
    "recall",
    14,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    formula="(relevant documents at ranks up to k) / R",
    example=("2 0 - 1 | 1", "2", 1 / 3),
    help="""The share of all relevant documents that are among the first k.

    A topic without relevant documents has 0.
    """,
)
trec_name(
    "infAP",
    "infAP",
    15,
    ALL_TREC,
    # e is `incomplete.SMOOTHING`
    formula="1/R * sum over relevant documents retrieved, at rank i, of 1/i + (i-1)/i * "
    "(r+m+u)/(i-1) * (r+e)/(r+m+2e); before it r relevant, m judged non-relevant, "
    "u pooled but unjudged; e = 0.00001",
    help="""An estimate of average precision when a random part of the pool was judged.

    Of the pooled but unjudged documents (a negative grade) the same share is taken to be
    relevant as of the judged ones before the document; a document outside the pool (not in
    the qrels) is taken to be non-relevant. A topic without relevant documents has 0.
    """,
)
trec_name(
    "Rprec",
    "Rprec_mult",
    17,
    ALL_TREC,
    Fractions(MULTIPLES),
    compute=precision_at_multiples,
    differs="Rprec(mult=x)",
    title="Precision at multiples of R",
    formula="(relevant documents at ranks up to c) / c, c = trunc(multiple * R + 0.9)",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "1.2", 0.5),
    cites=("trec_eval",),
    elsewhere=(),
    divisor="",
)
trec_name(
    "IPrecAvg",
    "11pt_avg",
    19,
    ALL_TREC,
    Numbers(RECALL_LEVELS),
    options={"rule": "te10"},
    compute=average_over_levels,
    title="Interpolated precision, averaged over recall levels",
    formula="mean of iprec_at_recall over the levels",
    source="Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval 10",
    example=("2 0 - 1 | 1", "", 7 / 11),
)
trec_name(
    "DCG",
    "dcg",
    22,
    (),
    Gains(),
    since=10,
    formula="sum over i of gain(i) / log2(i + 1)",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "", 2 + 1 / math.log2(5)),
    help="""The gains of all retrieved documents, each divided by the logarithm of its rank
    plus one.

    A grade is its own gain unless the parameter gives it another, as in `dcg.1=3,2=9`; the
    grade -1 stands for documents that are not in the qrels, -2 for pooled but unjudged
    ones, which have 0 otherwise. Negative gains count too. The level (`-l`) plays no role.
    """,
)
trec_name(
    "IDCG",
    "ideal_dcg",
    23,
    (),
    Gains(),
    since=10,
    title="Discounted cumulated gain of the ideal ranking",
    formula="sum over i of ideal(i) / log2(i + 1), ideal: the positive gains, highest first",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "", 2.5 + 1 / math.log2(3)),
    help="""The highest DCG that a ranking of the judged documents can have.

    The ideal ranking holds every judged document with a positive gain, retrieved or not,
    however many documents were retrieved. Gains are set as for `dcg`.
    """,
)
trec_name(
    "nDCG",
    "ndcg",
    24,
    ALL_TREC,
    Gains(),
    formula="dcg / ideal_dcg",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "", (2 + 1 / math.log2(5)) / (2.5 + 1 / math.log2(3))),
    help="""DCG of the whole ranking as a share of the highest possible.

    Gains are set as for `dcg`; the level (`-l`) plays no role. A topic without a positive
    gain in the qrels has 0.
    """,
)
trec_name(
    "nDCG",
    "ndcg_cut",
    27,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    title="Normalised discounted cumulated gain at k",
    formula="sum over i <= k of grade(i) / log2(i + 1), divided by the same sum for "
    "the ideal ranking",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "2", 2 / (2 + 1 / math.log2(3))),
    help="""DCG of the first k documents as a share of the highest possible at k.

    The grades are the gains; a negative one counts as 0. The level (`-l`) plays no role. A
    topic without a positive grade has 0.
    """,
)
trec_name(
    "AP",
    "map_cut",
    28,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    title="Average precision of the first k documents",
    formula="1/R * sum over relevant documents at rank i <= k of (relevant up to i) / i",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "2", 1 / 3),
    cites=("trec_eval",),
    help="""Average precision as if the ranking ended at rank k.

    The divisor stays R, the number of relevant documents, also where R is larger than k:
    the best possible value is then below 1. A topic without relevant documents has 0.
    """,
)
trec_name(
    "RelP",
    "relative_P",
    29,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    title="Precision at k, relative to the best possible",
    example=("2 0 - 1 | 1", "4", 2 / 3),
)
trec_name("Success", "success", 30, ALL_TREC, Cutoffs((1, 5, 10)), example=("- 0 1 | 1", "5", 1.0))
trec_name("SetP", "set_P", 31, SET, formula="rr / n", source="trec_eval 10", residual="ranking")
trec_name(
    "SetP",
    "set_relative_P",
    32,
    SET,
    options={"relative": True},
    title="Precision of the set, relative to the best possible",
    formula="rr / min(n, R)",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "", 2 / 3),
    elsewhere=same(irm="SetP(relative=True)"),
    cites=("trec_eval",),
    help="""Precision of the set divided by the highest that a set of this size could have.

    It is 0 if nothing was retrieved, or nothing is relevant.
    """,
)
trec_name("SetR", "set_recall", 33, SET, source="trec_eval 10")
trec_name(
    "SetAP",
    "set_map",
    34,
    SET,
    help="""What average precision becomes when a set has no order.

    Each relevant document retrieved counts with the precision of the whole set, each of the
    others with 0. It is 0 if nothing was retrieved, or nothing is relevant.
    """,
)
trec_name(
    "SetF",
    "set_F",
    35,
    SET,
    Numbers((1.0,)),
    compute=set_f_by_square,
    differs="set_F.x has the square of beta: set_F.4 is F2",
    formula="(x + 1) * P * Q / (x*P + Q), P precision and Q recall of the set",
    source="van Rijsbergen 1979, Information Retrieval; trec_eval 10",
    example=("2 0 - 1 | 1", "", 4 / 7),
)
trec_name(
    "AP",
    "map_avgjg",
    51,
    ("qrels_jg",),
    differs="the mean over judgment groups",
    title="Average precision, averaged over judgment groups",
    formula="mean of map over the topic's judgment groups",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "", 0.5),
    needs="qrels_jg",
    cites=("trec_eval",),
    elsewhere=(),
    divisor="",
    help="""Average precision by each judgment group on its own, averaged over the topic's
    groups.

    A group without relevant documents counts as 0.
    """,
)
trec_name(
    "P",
    "P_avgjg",
    52,
    ("qrels_jg",),
    Cutoffs(STANDARD_CUTOFFS),
    differs="the mean over judgment groups",
    title="Precision at k, averaged over judgment groups",
    formula="mean of P at k over the topic's judgment groups",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "5", 0.4),
    needs="qrels_jg",
    cites=("trec_eval",),
    elsewhere=(),
    divisor="",
    residual="",
    help="""Precision at k by each judgment group on its own, averaged over the topic's
    groups.

    A document that a group did not judge is not relevant to it.
    """,
)
trec_name(
    "Rprec",
    "Rprec_mult_avgjg",
    53,
    ("qrels_jg",),
    Fractions(MULTIPLES),
    compute=precision_at_multiples,
    differs="the mean over judgment groups",
    title="Precision at multiples of R, averaged over judgment groups",
    formula="mean of Rprec_mult over the topic's judgment groups",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "1.2", 0.5),
    needs="qrels_jg",
    cites=("trec_eval",),
    elsewhere=(),
    divisor="",
    help="""Precision at multiples of R by each judgment group on its own, averaged over the
    groups.

    R is the number of documents that the group at hand holds as relevant.
    """,
)
trec_name(
    "RBP",
    "rbp",
    55,
    ALL_TREC,
    Gains(persistence=TREC_PERSISTENCE),
    compute=rbp_of_topic_scaled_gains,
    since=10,
    differs="p is 0.9; grades are scaled by the topic's highest where one exceeds 1",
    formula="(1 - p) * sum over i of gain(i) * p^(i-1), gains scaled into 0..1",
    source=MOFFAT + "; trec_eval 10",
    example=("2 0 - 1 | 1", "p=0.5", 0.53125),
    residual="",
    linear=False,
)
trec_name(
    "RBPresid",
    "rbp_resid",
    56,
    ALL_TREC,
    Gains(persistence=TREC_PERSISTENCE, grades=False),
    compute=residual_of_unjudged_and_unseen,
    since=10,
    differs="what could follow counts only where an unjudged document was retrieved",
    formula="p^n + (1 - p) * sum over documents without a grade, at rank i, of p^(i-1)",
    source=MOFFAT + "; trec_eval 10",
    example=("2 0 - 1 | 1", "p=0.5", 0.1875),
    shows=("unjudged",),
    additive="uncut",
)
trec_name(
    "Unjudged",
    "unj",
    57,
    ALL_TREC,
    Cutoffs((5, 10, 20)),
    since=10,
    title="Share of unjudged documents at the top",
    formula="(documents without a grade at ranks up to k) / k",
    example=("2 0 - 1 | 1", "5", 0.2),
    cites=("trec_eval",),
    shows=("unjudged",),
    divisor="cutoff",
    help="""How much of the first k places is taken by documents that nobody judged.

    These are the documents missing from the qrels and those that were pooled but left
    unjudged (a negative grade). A ranking shorter than k is still divided by k: the places
    that it leaves empty hold no unjudged document.
    """,
)
