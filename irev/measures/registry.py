"""The one place where measures are registered, each beside its function.

A measure is one record. The command line, the help, name resolution, the reference, the order and
form of the output and the tests over every measure read it; nothing about a measure is said twice.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

from irev.core.arrays import Floats
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.naming.programs import ELSEWHERE, SPELLINGS, Elsewhere, Spelling

Function = TypeVar("Function", bound=Callable[..., Any])


class Cutoffs(NamedTuple):
    """A parameter that is a list of ranks, one output column for each."""

    default: tuple[int, ...]


class Fractions(NamedTuple):
    """A parameter that is a list of real numbers, one output column for each."""

    default: tuple[float, ...]


class Numbers(NamedTuple):
    """A parameter that is a list of real numbers, all of them for one output column.

    They are the option `numbers` of the measure's function. `length` is how many there must be
    (None: any number, at least one).
    """

    default: tuple[float, ...]
    length: int | None = None


class Gains(NamedTuple):
    """A parameter that maps grades to gains, `1=3,2=9`, and named numbers, `p=0.8`.

    They are the options `gain` and `p` of the measure's function. -1 stands for a document that is
    not in the qrels, -2 for a pooled but unjudged one.
    """

    persistence: float | None = None
    """The default of the named number `p`; None: the measure takes no `p`."""
    grades: bool = True
    """Whether grades can be given gains."""


class Option(NamedTuple):
    """One named option of a measure, as in `Q(beta=10)`."""

    meaning: str
    """What it is, in one line."""
    default: Any
    """The value if it is not given; for a scale, None is the highest grade of the qrels."""
    kind: str = "real"
    """real, whole, grade (an int where it is whole), choice, flag, gain (a name, a map or a ratio),
    map (a number for each grade), or scale (a highest grade)."""
    choices: tuple[str, ...] = ()
    """The values of a choice, and the names that a gain may have."""
    low: float = -math.inf
    high: float = math.inf
    """The least and the greatest number allowed; of a map of gains, of each gain. A whole number, a
    grade and a scale never exceed `LARGEST_NUMBER`."""
    above_low: bool = False
    """Whether the least number itself is excluded."""
    below_high: bool = False
    """Whether the greatest number itself is excluded."""
    words: Mapping[str, float] = {}
    """Words that stand for a number, and are printed in its place."""
    shown: bool = False
    """Whether the printed name has it even at its default: its default differs between programs."""
    implies: tuple[str, Any] | None = None
    """An option that is set with this one, unless it is given."""
    unbounded: str = ""
    """The value of a choice without which the measure has the upper bound 1 after all."""


def choice(
    meaning: str, default: str, *others: str, shown: bool = False, unbounded: str = ""
) -> Option:
    """An option that has one of some words as its value; the first is the default."""
    choices = (default, *others)
    return Option(meaning, default, "choice", choices, shown=shown, unbounded=unbounded)


GENERIC_OPTIONS: Mapping[str, Option] = {
    "rel": Option("the smallest relevant grade", 1, kind="grade", low=0),
    "condensed": Option("whether unjudged documents are dropped first", False, kind="flag"),
}
"""Options that every measure has."""

LARGEST_NUMBER = 2**63 - 1
"""The largest whole number that is read in a name, as in trec_eval."""

LARGEST_COUNT = 10**15
"""The most documents that an option can speak of: products with a percentage are still exact."""

HIGHEST_GAIN = 1e100
"""What a gain may be; sums of such gains are still finite."""


class NamedOptions(NamedTuple):
    """The options of a measure that is written `Name(option=value)@cutoff`."""

    options: Mapping[str, Option] = {}
    cutoff: str = "none"
    """Whether the measure is cut at a rank: none, optional or required; or at levels of recall from
    0 to 1, which it must be: recall."""


GradeMap = tuple[tuple[float, float], ...]
"""A value of an option of the kind map: (grade, number) pairs by rising grade."""
GainValue = str | GradeMap
"""A value of an option of the kind gain: "linear", "exp", or (grade, gain) pairs by rising grade;
a grade that is not listed has itself as its gain, and one below 0 has 0 unless listed."""


@record(eq=True)
class Arguments:
    """A value of a parameter: what a measure's function is called with."""

    cutoffs: tuple[int | float | None, ...] = (None,)
    """One column for each; None: not cut. Recall levels, where a measure is cut at those."""
    options: tuple[tuple[str, Any], ...] = ()
    """Every option of the measure with its value, in the measure's order."""
    level: float | None = None
    """The smallest relevant grade, where the name has one (`rel=2`)."""
    condensed: bool = False
    """Whether unjudged documents are dropped from the ranking first (`condensed=true`)."""


Parameter = Cutoffs | Fractions | Numbers | Gains | NamedOptions


class TrecName(NamedTuple):
    """A name of trec_eval's for a measure that has a name of its own (see `trec_name`)."""

    name: str
    parameter: Parameter | None
    options: Mapping[str, Any]
    compute: Callable[..., Any] | None
    differs: str


class Measure(NamedTuple):
    """Everything that is known of a measure.

    A measure is written `Name(option=value)@cutoff`, or only in trec_eval's way, `name.parameter`;
    then it has a position.
    """

    name: str
    """The printed name, without parameters."""
    title: str
    """What it is, in one line without a full stop."""
    compute: Callable[..., Any]
    """(Judged or RankedPreferences, cutoffs, option=value, ...) -> float64[T, K], a column for each
    cutoff, or float64[T] where it is never cut; T strings for the kind "text"."""
    help: str
    """What it means, with the edge cases: the function's docstring."""
    formula: str
    source: str
    """Paper or program that defines it."""
    position: int = 0
    """Its place in trec_eval's table, which is the order of the output; 0: not of that table."""
    sets: tuple[str, ...] = ()
    """The sets of trec_eval it belongs to: official, set, all_trec, all_prefs, prefs, qrels_jg."""
    needs: str = "qrels"
    """The judgments it works on: qrels, qrels_jg, prefs, subtopics, or any."""
    kind: str = "real"
    """real, count (printed as a whole number) or text."""
    average: str = "mean"
    """How topics are summed up: mean, sum, geometric (exp of the mean of the per-topic logs, which
    are what the function returns), error (the standard error of a mean of independent values, of
    which the function returns each one's, NaN where too little was drawn to know it), topics (the
    divisor), run (the run's tag), none."""
    per_topic: bool = True
    """Whether it is printed per topic."""
    parameter: Parameter | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool | None = True
    """None where neither direction is better (counts of the qrels, say)."""
    since: int = 9
    """The first major version of trec_eval that has it."""
    example: tuple[str, str, float] | None = None
    """(grades of a ranking, parameter text, value). The ranking is space-separated: a number is a
    judged document's grade, `-` a document not in the qrels, `.` pooled but unjudged; after `|`
    come the grades of judged documents that were not retrieved. All else is at its default. For
    `NamedOptions` options the parameter text is what follows the name: `(beta=10)@5`."""
    aliases: tuple[str, ...] = ()
    """Other names that mean exactly this."""
    spellings: tuple[Spelling, ...] = ()
    """Further names, and what it is called, with which defaults, by other programs."""
    checked: str = ""
    """Where the definition was checked: paper, program, or not yet."""
    caution: str = ""
    """What the literature warns of, where it bears on every use."""
    residual: str = ""
    """Which documents may be the unknown ones for `--residuals`: "ranking" (those down to the
    cutoff, or to the end of the ranking), "cutoff" (those down to the cutoff, which it must have),
    "endless" (also those that could follow the ranking). Empty: it has no bounds, since a document
    newly found relevant can lower it."""
    ties: bool = False
    """Whether it looks at which documents have equal scores (`Judged.ties`)."""
    scores: bool = False
    """Whether it looks at the scores themselves (`Judged.scores`)."""
    ids: bool = False
    """Whether it asks which unjudged documents are judged for another topic (`Unjudged`)."""
    additive: bool | Literal["uncut"] = False
    """Whether each document adds what depends on its grade and rank alone, so that as many orders
    of tied documents as there are documents have the mean of all; "uncut": where all retrieved
    documents stay in the ranking."""
    linear: bool = False
    """Whether it is the sum of what each document adds by its grade and rank alone, whatever else
    is judged or retrieved, and 0 for grade 0: then a sample of documents estimates it unbiased."""
    ratio_of: tuple[str, str] | None = None
    """The linear measure and that of its highest value, of the same options, whose ratio it is."""
    expected: Callable[..., Floats] | None = None
    """Its mean over all orders of tied documents in closed form: (judged, cutoffs, depth,
    option=value ...) -> float64[T, K], where `judged` has its ties and all retrieved documents, and
    only those up to the depth count."""
    from_pools: bool = False
    """Whether it asks which documents of the pool were not judged."""
    estimates: str = ""
    """The measure on complete judgments that it stands for, where it was made for samples."""
    cites: tuple[str, ...] = ()
    """Keys of the entries of the bibliography that it rests on, the one that defines it first."""
    elsewhere: tuple[Elsewhere, ...] = ()
    """What other programs call it, and where their numbers are others."""
    shows: tuple[str, ...] = ("relevant",)
    """What `irev explain` shows of each rank: headings of `irev.jobs.explain.topic`."""
    divisor: str = ""
    """What its sum is divided by, where that is one number: a name from there too."""
    relevant_gains: bool = False
    """Whether only relevant documents gain anything."""
    trec: tuple[TrecName, ...] = ()
    """trec_eval's names for it."""
    family: str = ""
    """The family it belongs to, which has a page: its module, unless the record says another."""

    @property
    def is_trec_evals_alone(self) -> bool:
        """Whether it is written in trec_eval's way alone, and so is of its table."""
        return self.position > 0

    @property
    def options(self) -> Mapping[str, Option]:
        """Its own named options; none where it is written in trec_eval's way."""
        return self.parameter.options if isinstance(self.parameter, NamedOptions) else {}

    @property
    def cutoff_rule(self) -> str:
        """What may stand behind an @ (see `NamedOptions`): none, optional, required or recall."""
        return self.parameter.cutoff if isinstance(self.parameter, NamedOptions) else "none"


MEASURES: dict[str, Measure] = {}
"""Every measure, by name, once `irev.measures.load_all` was called: before that, those of the
families that have a name of trec_eval's."""

TREC_MEASURES: dict[str, Measure] = {}
"""The measures as trec_eval has them, by its names, in the order of its table."""

SET_NAMES = ("official", "set", "all_trec", "all_prefs", "prefs", "qrels_jg")
"""Names that stand for several measures."""
OFFICIAL, SET, ALL_TREC = ("official", "all_trec"), ("set", "all_trec"), ("all_trec",)
"""The sets that most of trec_eval's measures belong to."""


def measure(
    name: str,
    title: str,
    *,
    formula: str,
    source: str,
    options: Mapping[str, Option] | None = None,
    cutoff: str = "none",
    position: int = 0,
    parameter: Parameter | None = None,
    family: str = "",
    **facts: Any,
) -> Callable[[Function], Function]:
    """Register the decorated function as the measure `name`; its docstring is the help.

    Args:
        name: the printed name, without parameters.
        title: what it is, in one line without a full stop.
        formula: how it is computed, in one line.
        source: paper or program that defines it.
        options: the named options.
        cutoff: what may stand behind an @ (see `NamedOptions`).
        position: the place in trec_eval's table of a measure that is written in its way alone.
        parameter: what may stand behind the dot of such a one.
        family: the family it belongs to, where that is not called as the module is.
        **facts: further fields of `Measure`.
    """

    def register(function: Function) -> Function:
        record = Measure(
            name=name,
            title=title,
            compute=function,
            help=function.__doc__ or "",
            formula=formula,
            source=source,
            position=position,
            parameter=parameter if position else NamedOptions(options or {}, cutoff),
            spellings=SPELLINGS.get(name, ()),
            elsewhere=ELSEWHERE.get(name, ()),
            family=family or family_of(function),
            **facts,
        )
        _register(MEASURES, record)
        if position:
            _register(TREC_MEASURES, record)
        return function

    return register


def family_of(function: Callable[..., Any]) -> str:
    """The name of the function's module, in words."""
    return function.__module__.rpartition(".")[2].replace("_", " ")


def _register(table: dict[str, Measure], measure: Measure) -> None:
    if measure.name in table:
        raise ValueError(f"two measures named {measure.name}")
    table[measure.name] = measure


def trec_name(
    measure_name: str,
    name: str,
    position: int,
    sets: tuple[str, ...] = (),
    parameter: Parameter | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    compute: Callable[..., Any] | None = None,
    since: int = 9,
    differs: str = "",
    **facts: Any,
) -> None:
    """Register what trec_eval calls a measure, and what is otherwise there.

    Args:
        measure_name: the measure, which is written with named options.
        name: the name, in trec_eval's way.
        position: its place in trec_eval's table.
        sets: the sets of trec_eval that it belongs to.
        parameter: what may stand behind its dot: ranks and shares are the cutoffs of the measure,
            gains its option of that name.
        options: the measure's options that it stands for, where they are not at their defaults.
        compute: its own function, if its arithmetic differs from the measure's; the docstring is
            then its help.
        since: the first major version of trec_eval that has it.
        differs: how its numbers differ from the measure's, if `options` do not say it.
        **facts: fields of `Measure` that are others.
    """
    measure = MEASURES[measure_name]
    alias = TrecName(name, parameter, options or {}, compute, differs)
    MEASURES[measure_name] = measure._replace(trec=(*measure.trec, alias))
    defaults = {name: option.default for name, option in measure.options.items()}
    facts = {
        "help": compute.__doc__ if compute else measure.help,
        "cites": tuple(dict.fromkeys((*measure.cites[:1], "trec_eval"))),
        "elsewhere": tuple(
            each for each in measure.elsewhere if each.is_cut == isinstance(parameter, Cutoffs)
        ),
        **facts,
    }
    record = measure._replace(
        name=name,
        position=position,
        sets=sets,
        parameter=parameter,
        since=since,
        compute=compute or partial(measure.compute, **{**defaults, **alias.options}),
        aliases=(),
        spellings=(),
        checked="",
        caution="",
        relevant_gains=False,
        trec=(),
        **facts,
    )
    _register(TREC_MEASURES, record)


def aliased_measure(name: str) -> tuple[Measure, TrecName] | None:
    """The measure that one of trec_eval's names is an alias of; None: it is a measure by itself."""
    every = ((measure, alias) for measure in MEASURES.values() for alias in measure.trec)
    return next(((measure, alias) for measure, alias in every if alias.name == name), None)


def irev_measure(name: str) -> Measure | None:
    """The measure that is written `name(option=value)@cutoff`; None: there is none."""
    measure = MEASURES.get(name)
    return None if measure is None or measure.is_trec_evals_alone else measure


def irev_measures() -> list[Measure]:
    """Every measure that is written so, of the families that are loaded."""
    return [measure for measure in MEASURES.values() if not measure.is_trec_evals_alone]


def output_order(measures: Sequence[Measure]) -> list[Measure]:
    """The measures without repetition, in the order of the output."""
    return sorted({m.name: m for m in measures}.values(), key=lambda m: m.position)


def measures_of_set(name: str, version: int = 10) -> list[Measure]:
    """The measures of a set, as that major version of trec_eval has it, in output order."""
    if name not in SET_NAMES:
        raise UsageError(f"no set of measures is called '{name}'; there are {', '.join(SET_NAMES)}")
    return output_order(
        [m for m in TREC_MEASURES.values() if name in m.sets and m.since <= version]
    )


Values = Floats | list[bytes]
"""What a measure's function returns."""
