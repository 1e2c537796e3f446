"""Measures over subtopics: against their definitions, against published and hand-made values."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pytest

from irev import InputError, MismatchError, Options, UsageError, evaluate
from irev.engine.evaluator import Evaluator
from irev.measures.registry import NamedOptions
from tests import command
from tests import plain_defined_diversity as plain
from tests.each import for_each
from tests.plain_defined_diversity import Topic
from tests.registered import NAMED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

NAMES = [name for name, measure in NAMED.items() if measure.needs == "subtopics"]


class Asked(NamedTuple):
    """A measure with its options."""

    name: str
    cutoff: int | None = None
    options: dict[str, Any] = {}  # noqa: RUF012 (never written into)
    level: int | None = None
    condensed: bool = False

    @property
    def text(self) -> str:
        """As it is asked for."""
        given = dict(self.options)
        if self.level is not None:
            given["rel"] = self.level
        if self.condensed:
            given["condensed"] = "true"
        options = ",".join(f"{name}={value}" for name, value in given.items())
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return self.name + (f"({options})" if given else "") + cutoff

    def expected(self, topic: Topic) -> float:
        """The value by the definition."""
        if self.level is not None:
            topic = replace(topic, level=self.level, gain_level=self.level)
        if self.condensed:
            topic = topic.condense()
        more = {} if self.cutoff is None else {"k": self.cutoff}
        return plain.MEASURES[self.name](topic, **more, **self.options)


def variants(name: str) -> list[Asked]:
    """A measure in the ways it may be asked for. The alphas are exact in binary: ties stay ties."""
    measure = NAMED[name]
    assert isinstance(measure.parameter, NamedOptions)
    values: dict[str, tuple[Any, ...]] = {
        "alpha": (0.0, 0.25, 0.5, 1.0), "norm": ("full", "none"), "gain": ("linear", "exp"),
        "max": (3.0, "intent"), "stop": ("ratio", "exp"), "p": (0.8,),
        "gamma": (0.5, 0.1), "denom": ("R", "min"),
        "beta": (0.5, 0.9) if "RBP" in name else (1.0, 3.0),
    }  # fmt: skip
    chosen = {o: values[o] for o in measure.parameter.options if o in values}
    cutoffs: tuple[int | None, ...] = {
        "none": (None,), "required": (1, 3, 20), "optional": (None, 1, 2, 5)
    }[measure.parameter.cutoff]  # fmt: skip
    found = [
        Asked(name, cutoff, dict(zip(chosen, options, strict=True)))
        for cutoff in cutoffs
        for options in product(*chosen.values())
    ]
    return [*found, found[0]._replace(level=2), found[-1]._replace(condensed=True)]


ALL = [asked for name in NAMES for asked in variants(name)]


def random_topic(rng: random.Random) -> Topic:
    names = [f"s{number}" for number in range(rng.randint(1, 4))]
    grades = (-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0)
    qrels = {
        name: {f"d{rng.randint(0, 12)}": rng.choice(grades) for _ in range(rng.randint(1, 8))}
        for name in names
    }
    ranking = [f"{kind}{number}" for kind in "du" for number in range(10)]
    return Topic(rng.sample(ranking, rng.randint(1, 15)), qrels)


def computed(
    topics: Sequence[Topic], measures: Sequence[Asked | AsWritten], **options: Any
) -> dict[str, dict[str, float]]:
    """The values by the library: by topic, then by the name that is asked for."""
    rows = [
        (f"t{number}", subtopic, document, grade)
        for number, topic in enumerate(topics)
        for subtopic, grades in topic.qrels.items()
        for document, grade in grades.items()
    ]
    columns = zip(*rows, strict=True)
    qrels = pa.table(dict(zip(("topic", "subtopic", "docno", "grade"), columns, strict=True)))
    run = {
        f"t{number}": {document: -float(place) for place, document in enumerate(topic.ranking)}
        for number, topic in enumerate(topics)
    }
    names = [asked.text for asked in measures]
    evaluator = Evaluator(qrels, names, Options(**options), qrels_format="subtopics")
    scores = evaluator.evaluate(run)
    asked_for = dict(zip((column.name for column in scores.columns), names, strict=True))
    return {
        topic: {asked_for[name]: float(value) for name, value in values.items()}
        for topic, values in scores.per_topic().items()
    }


def compare(topics: Sequence[Topic], measures: Sequence[Asked], **options: Any) -> None:
    values = computed(topics, measures, **options)
    for number, topic in enumerate(topics):
        for asked in measures:
            value = values[f"t{number}"][asked.text]
            expected = asked.expected(topic)
            near = math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12)
            assert near, (asked.text, topic, value, expected)


def test_every_measure_has_its_definition() -> None:
    assert sorted(NAMES) == sorted(plain.MEASURES)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "count"), [(0, 1), (1, 2), (2, 25)])
def test_values_are_those_of_the_definitions(seed: int, count: int) -> None:
    rng = random.Random(seed)
    compare([random_topic(rng) for _ in range(count)], ALL)


WITH_INTENTS = [asked for asked in ALL if asked.level is None and asked.cutoff in (None, 3)]


@pytest.mark.in_turn(3)
@pytest.mark.parametrize(("seed", "count"), [(0, 1), (1, 2), (2, 27)])
def test_intents_have_their_weights(seed: int, count: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    found, lines = [], []
    for number in range(count):
        topic = random_topic(rng)
        shares = [rng.random() for _ in topic.qrels]
        intents = {
            name: (share / sum(shares), rng.random() < 0.5)
            for name, share in zip(topic.qrels, shares, strict=True)
        }
        found.append(replace(topic, intents=intents))
        lines += [f"t{number} {s} {p!r} {'nav' if n else 'inf'}" for s, (p, n) in intents.items()]
    path = tmp_path / "intents"
    path.write_text("# topic intent probability kind\n\n" + "\n".join(lines))
    compare(found, WITH_INTENTS, intents=path)


@pytest.mark.thorough
def test_bounds() -> None:
    rng = random.Random(0)
    values = computed([random_topic(rng) for _ in range(200)], ALL)
    for asked in ALL:
        low, high = NAMED[asked.name].bounds
        name = asked.text
        if asked.options.get("norm") != "none":
            assert all(low <= of_topic[name] <= high + 1e-12 for of_topic in values.values()), name


@pytest.mark.parametrize("seed", range(10))
def test_greedy_list_is_worth_1(seed: int) -> None:
    topic = random_topic(random.Random(seed))
    best = plain.greedy(topic, 0.5)
    if not best:
        pytest.skip("no document covers anything")
    names = ["alpha_nDCG", "nERR_IA", "nNRBP"]
    asked = [Asked(name, k) for name in names for k in (1, 2, 20)]
    values = computed([replace(topic, ranking=best)], asked)["t0"]
    assert list(values.values()) == pytest.approx([1.0] * len(asked))


@for_each("name", NAMES)
def test_examples(name: str) -> None:
    """`0,2 - | 1,0`: a ranking of grades for each subtopic, then what was not retrieved."""
    measure = NAMED[name]
    assert measure.example is not None
    text, parameters, value = measure.example
    shown, _, missed = text.partition("|")
    ranking: list[str] = []
    qrels: dict[str, dict[str, float]] = {}
    for number, code in enumerate([*shown.split(), *missed.split()]):
        if number < len(shown.split()):
            ranking.append(f"d{number}")
        if code != "-":
            for subtopic, grade in enumerate(code.split(",")):
                qrels.setdefault(f"s{subtopic}", {})[f"d{number}"] = float(grade)
    values = computed([Topic(ranking, qrels)], [AsWritten(name + parameters)])["t0"]
    assert values[name + parameters] == pytest.approx(value)


class AsWritten(NamedTuple):
    """A measure as it is written."""

    text: str


# --- values from elsewhere ---

F1_QRELS = "d01 3, d02 3, d03 2, d04 2, d05 1, d06 1, d07 0, d08 0, d09 0"
F1_RUN = "d07 d03 u01 d05 d01 d08 d02 u02"


def test_one_subtopic_as_ndeval() -> None:
    """What ndeval prints for this topic, all grades above 0 being relevant."""
    pairs = [pair.split() for pair in F1_QRELS.split(", ")]
    topic = Topic(F1_RUN.split(), {"1": {d: float(grade) for d, grade in pairs}})
    asked = [Asked("alpha_nDCG", 5), Asked("ERR_IA", 5), Asked("NRBP")]
    values = computed([topic], asked)["t0"]
    assert [round(value, 4) for value in values.values()] == [0.6210, 0.4902, 0.4351]


SAKAI_QRELS = {"1": {"A": 2.0, "B": 1.0}, "2": {"A": 1.0, "C": 3.0, "D": 1.0}, "3": {"E": 1.0}}
SAKAI_INTENTS = "t0 1 .5 inf\nt0 2 .3 nav\nt0 3 .2\n"
SAKAI = {
    "I-rec@4": 0.666667, "D-nDCG@4": 0.599473, "D-Q@4": 0.493734, "D#-nDCG@4": 0.633070,
    "D#-Q@4": 0.580201, "DIN-nDCG@4": 0.475219, "IA_nDCG@4": 0.395095, "PplusQ": 0.325000,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), SAKAI.items())
def test_intents_as_ntcireval(name: str, value: float, tmp_path: Path) -> None:
    """Values of NTCIREVAL's scripts, to more digits; gains 1:2:3 are the levels."""
    intents = tmp_path / "intents"
    intents.write_text(SAKAI_INTENTS)
    if "Q@" in name:
        name = name.replace("@", "(denom=min)@")
    topic = Topic("NCAD", SAKAI_QRELS)
    values = computed([topic], [AsWritten(name)], intents=intents)["t0"][name]
    assert values == pytest.approx(value, abs=5e-7)


def test_intent_aware_err_by_hand(tmp_path: Path) -> None:
    intents = tmp_path / "intents"
    intents.write_text(SAKAI_INTENTS)
    name = "IA_ERR(max=3,stop=ratio)@4"
    values = computed([Topic("NCAD", SAKAI_QRELS)], [AsWritten(name)], intents=intents)["t0"][name]
    of_2 = 3 / 4 / 2 + 1 / 4 * 1 / 4 / 3 + 1 / 4 * 3 / 4 * 1 / 4 / 4
    assert values == pytest.approx(0.5 * (2 / 4 / 3) + 0.3 * of_2)


# --- files and options ---

QRELS = "t 1 a 1\nt 2 a 0\nt 2 b 2\nu 1 a 1\nt 3 c 0\n"
RUN = "t Q0 b 1 2 r\nt Q0 a 2 1 r\nu Q0 c 1 1 r\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Judgments of which topic t is scattered, and a run."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path / "qrels", tmp_path / "run"


def test_command(files: tuple[Path, Path]) -> None:
    ran = command.irev(
        "-R", "subtopics", "-q", "-m", "StRecall@1", "-m", "strec@2", "-m", "map", *files
    )
    assert ran.code == 0
    assert [line.split() for line in ran.out.decode().splitlines()] == [
        ["map", "t", "1.0000"],
        ["StRecall@1", "t", "0.5000"],
        ["strec@2", "t", "1.0000"],
        ["map", "u", "0.0000"],
        ["StRecall@1", "u", "0.0000"],
        ["strec@2", "u", "0.0000"],
        ["map", "all", "0.5000"],
        ["StRecall@1", "all", "0.2500"],
        ["strec@2", "all", "0.5000"],
    ]


def test_other_measures_take_the_highest_grade(files: tuple[Path, Path]) -> None:
    values = evaluate(*files, ["ndcg", "num_rel"], qrels_format="subtopics").per_topic()
    assert values["t"] == {"ndcg": pytest.approx(1.0), "num_rel": 2}


def test_missing_topics_count_as_empty(files: tuple[Path, Path], tmp_path: Path) -> None:
    run = tmp_path / "short"
    run.write_text("t Q0 b 1 2 r\nx Q0 b 1 2 r\n")
    scores = evaluate(files[0], run, ["StRecall@1"], qrels_format="subtopics", topics="qrels")
    assert scores.per_topic() == {"t": {"StRecall@1": 0.5}, "u": {"StRecall@1": 0.0}}


def test_document_may_stand_once_in_a_subtopic(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("t 1 a 1\nt 2 a 1\nt 1 a 0\n")
    with pytest.raises(InputError, match="duplicate document 'a' in topic 't': lines 1 and 3"):
        Evaluator(path, ["StRecall@1"], qrels_format="subtopics")


def test_subtopics_are_needed(files: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match=r'alpha_nDCG needs judgments .*qrels_format="subtopics"'):
        evaluate(*files, ["alpha_nDCG@5"])


def test_deep_cutoffs_are_refused_where_all_ranks_are_summed(files: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match="too deep"):
        evaluate(*files, ["alpha_DCG@9999999"], qrels_format="subtopics")
    deep = evaluate(*files, ["alpha_nDCG@9999999"], qrels_format="subtopics").per_topic()["t"]
    assert deep == {"alpha_nDCG@9999999": pytest.approx(1.0)}


WRONG_INTENTS: Mapping[str, tuple[str, type[Exception], str]] = {
    "fields": ("t 1\n", InputError, "2 fields, expected 3 or 4"),
    "number": ("t 1 x\n", InputError, "'x' is not a probability"),
    "range": ("t 1 1.5\n", InputError, "'1.5' is not a probability"),
    "kind": ("t 1 1 both\n", InputError, "an intent is inf or nav, not 'both'"),
    "twice": ("t 1 .5\nt 1 .5\n", InputError, "intents:2: duplicate intent '1' of topic 't'"),
    "sum": ("t 1 .5\nt 2 .4\n", InputError, "the probabilities of topic 't' add up to 0.9"),
    "nothing": ("# no\n", InputError, "there is no intent in this file"),
    "topic": ("t 1 .5\nt 2 .5\n", MismatchError, "topic u has no intents"),
    "subtopic": ("t 1 1\nu 1 1\n", MismatchError, "subtopic 2 of topic t has relevant documents"),
}


@pytest.mark.parametrize("case", WRONG_INTENTS)
def test_wrong_intents(case: str, files: tuple[Path, Path], tmp_path: Path) -> None:
    text, error, message = WRONG_INTENTS[case]
    path = tmp_path / "intents"
    path.write_text(text)
    with pytest.raises(error, match=message):
        evaluate(*files, ["StRecall@1"], qrels_format="subtopics", intents=path)


def test_intents_go_with_subtopics(files: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match="intents need judgments by subtopic"):
        evaluate(*files, ["map"], intents=files[0])


def test_subtopics_without_relevant_documents_need_no_intent(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    path = tmp_path / "intents"
    path.write_text("t 1 .75\nt 2 .25\nu 1 1\n")
    scores = evaluate(*files, ["P_IA@1"], qrels_format="subtopics", intents=path)
    assert scores.per_topic()["t"] == {"P_IA@1": 0.25}


def test_long_lists_and_small_patience() -> None:
    """Without a cutoff: many documents that cover the same."""
    qrels = {"s": {f"d{number:03}": 1.0 for number in range(300)}}
    ranking = [f"u{number}" if number % 2 else f"d{number:03}" for number in range(300)]
    topic = Topic(ranking, qrels)
    gains = [0.5**nth for nth in range(150)]
    system = math.fsum(gain * 0.75 ** (2 * nth) for nth, gain in enumerate(gains))
    best = math.fsum(0.5**nth * 0.75**nth for nth in range(300))
    values = computed([topic], [AsWritten("nNRBP(beta=0.75)")])["t0"]
    assert list(values.values()) == pytest.approx([system / best])
