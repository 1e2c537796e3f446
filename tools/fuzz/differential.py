"""irev against trec_eval 10 byte for byte where there is one, and against the plain twins.

What trec_eval itself gets wrong is in the table in docs/trec_eval.md, and told apart here;
everything else that differs is a finding.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest import mock

from irev.core.text import parse_c_number
from tests import plain, plain_preferences
from tools.fuzz.generated import BLANKS, Generated, disguise, excluded, generate, text_of
from tools.fuzz.harness import Case, Finding, unsound

QRELS_MEASURES = (
    "map", "P", "P.1,3,7", "ndcg", "ndcg_cut", "ndcg_cut.1,2,3", "bpref", "recip_rank", "Rprec",
    "recall", "iprec_at_recall", "infAP", "set_F", "set_F.0.5", "gm_map", "11pt_avg", "success",
    "map_cut", "relative_P", "utility", "utility.1,-1,2,0", "num_rel", "num_nonrel_judged_ret",
    "Rprec_mult", "set_map", "relstring", "relstring.5", "binG", "G", "rbp", "ndcg_rel", "Rndcg",
    "ndcg_p", "yaap", "dcg", "ideal_dcg", "gm_bpref", "success.1,2", "ndcg.1=3,2=9", "all_trec",
    "official", "set", "runid", "num_q", "num_ret", "num_rel_ret", "set_P", "set_recall",
    "set_relative_P", "rbp_resid", "unj", "iprec_at_recall.0.1,0.25", "P_5,10",
)  # fmt: skip
ALONE = {"rbp", "all_trec", "rbp_resid"}
"""trec_eval's rbp has leftovers of the measures before it."""

MEASURES = {
    "qrels": QRELS_MEASURES,
    "qrels_jg": ("map_avgjg", "P_avgjg", "P_avgjg.1,4", "Rprec_mult_avgjg", "qrels_jg"),
    "prefs": (*plain_preferences.MEASURES, "all_prefs", "prefs"),
    "qrels_prefs": (*plain_preferences.MEASURES, "all_prefs"),
}
STYLES = ("qrels", "qrels", "qrels", *MEASURES)
WITH_PARAMETERS = ("utility_", "relstring_", "rbp_resid_")

READS_PAST = {"prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"}
"""Where a group has negative levels, trec_eval reads behind the documents of the lowest."""

PIECES = (1, 16, 64, 200, 1000, 0, 0, 0)
"""Bytes of a piece; 0 leaves it as it is."""


class Pair(NamedTuple):
    """What both programs are asked.

    case     for irev, maybe in disguise
    clean    the same for trec_eval, whose files are called so; None: it has no such option
    drawn    what the files say, without what --exclude leaves out
    piece    bytes of a piece, 0: as it is
    """

    case: Case
    clean: Case | None
    drawn: Generated
    piece: int


def trec_eval() -> str | None:
    """The program: $TREC_EVAL, or the one on PATH."""
    return shutil.which(os.environ.get("TREC_EVAL") or "trec_eval")


def pair(seed: int) -> Pair | None:
    """The pair of a seed; None where nothing came out."""
    r = Random(seed)
    style = r.choice(STYLES)
    drawn = generate(r, style)
    if not drawn.judgments or not drawn.run:
        return None
    blank = r.choice(BLANKS)
    qrels = text_of([line.fields() for line in drawn.judgments], blank)
    run = text_of([line.fields(i) for i, line in enumerate(drawn.run)], blank)
    words = _options(r, style)
    clean = Case({"q": qrels, "r": run}, [*words, "q", "r"])
    mine = clean._replace(files={name: disguise(r, text) for name, text in clean.files.items()})
    if r.random() < 0.1:
        name = r.choice("qr")
        mine = mine._replace(words=[*words, *("-" if n == name else n for n in "qr")], stdin=name)
    piece = r.choice(PIECES)
    left_out = excluded(r, drawn.run) if r.random() < 0.2 else []
    if not left_out:
        return Pair(mine, clean, drawn, piece)
    text = text_of([[line.topic, line.document] for line in left_out], b" ")
    mine = Case({**mine.files, "x": text}, ["--exclude", "x", *mine.words], mine.stdin)
    gone = {(line.topic, line.document) for line in left_out}
    kept = [line for line in drawn.run if (line.topic, line.document) not in gone]
    return Pair(mine, None, drawn._replace(run=kept), piece)


def case(seed: int) -> Case:
    """What irev is given for a seed."""
    inputs = pair(seed)
    return inputs.case if inputs else Case({}, [])


def _options(r: Random, style: str) -> list[str]:
    words = [] if style == "qrels" and r.random() < 0.9 else ["-R", style]
    words += ["-q"] if r.random() < 0.6 else []
    words += ["-c"] if r.random() < 0.3 else []
    words += ["-l", str(r.choice([1, 2, 3, 0]))] if r.random() < 0.3 else []
    words += ["-M", str(r.choice([1, 2, 5, 10, 100]))] if r.random() < 0.3 else []
    words += ["-J"] if r.random() < 0.2 else []
    words += ["-n"] if r.random() < 0.1 else []
    words += ["-N", str(r.choice([10, 1000]))] if r.random() < 0.1 else []
    names = r.sample(MEASURES[style], r.randint(1, 4))
    if ALONE & {*names}:
        names = names[:1]
    return words + [word for name in names for word in ("-m", name)]


def try_seed(
    seed: int, folder: Path, program: str | None
) -> tuple[Case, str, Finding | None] | None:
    """Run both on the pair of a seed: what irev was given, the outcome's class, what is wrong."""
    inputs = pair(seed)
    if inputs is None:
        return None
    inputs.case.write(folder)
    with mock.patch("irev.read.pieces.PIECE", inputs.piece or 4 << 20):
        ran = inputs.case.call(folder)
    finding = unsound(ran)
    if finding is not None:
        return inputs.case, "unsound", finding
    is_for_twins = not program or inputs.clean is None or seed % 8 == 0
    difference = twins_difference(inputs, ran.out, ran.code) if is_for_twins else ""
    if difference:
        return inputs.case, "values", Finding("not as the plain twins", f"{difference}\n{ran.err}")
    if not program or inputs.clean is None:
        return inputs.case, "equal to the plain twins", None
    inputs.clean.write(folder)
    try:
        theirs = subprocess.run(
            [program, *inputs.clean.words], capture_output=True, timeout=20, cwd=folder, check=False
        )
    except subprocess.TimeoutExpired:
        return inputs.case, "trec_eval too slow", None
    outcome = _outcome_class(inputs, ran.out, ran.code, ran.err, theirs)
    if outcome.startswith("DIFFERENT"):
        details = (
            f"irev {ran.code}\n{ran.err}\n{_printable(ran.out)}\ntrec_eval {theirs.returncode}\n"
        )
        details += f"{_printable(theirs.stderr)}\n{_printable(theirs.stdout)}\npiece {inputs.piece}"
        return inputs.case, outcome, Finding(outcome, details)
    return inputs.case, outcome, None


def _printable(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")[:20000]


def _outcome_class(
    inputs: Pair, output: bytes, code: int, errors: str, theirs: subprocess.CompletedProcess[bytes]
) -> str:
    """The class of an outcome; it begins with DIFFERENT where nothing explains it."""
    if theirs.returncode:
        return f"trec_eval ends with {theirs.returncode}, irev with {code}"
    if code:
        refusals = (
            "contradict",
            "no topic",
            "has both",
            "two levels",
            "is judged twice",
            "by strata",
        )
        what = next((word for word in refusals if word in errors), "")
        return f"irev refuses: {what}" if what else f"DIFFERENT: irev alone refuses: {errors[:80]}"
    if output == theirs.stdout:
        return "equal"
    ours, others = output.splitlines(), theirs.stdout.splitlines()
    if len(ours) != len(others):
        return "DIFFERENT: number of lines"
    differing = [other for own, other in zip(ours, others, strict=True) if own != other]
    return difference_class(inputs, differing)


def difference_class(inputs: Pair, lines: Sequence[bytes]) -> str:
    """The class of an outcome, given the lines of trec_eval's output that irev's does not have.

    Each of them must be explained by a known difference; the class names all that explain some.
    """
    unexplained, classes = set(), set()
    for line in lines:
        known = [name for name, explains in KNOWN_DIFFERENCES.items() if explains(inputs, line)]
        classes.update(known[:1])
        unexplained.update([] if known else [_measure_of(line)])
    if unexplained:
        return f"DIFFERENT: {','.join(sorted(unexplained))}"
    return " and ".join(sorted(classes))


def _measure_of(line: bytes) -> str:
    return line.partition(b"\t")[0].strip().decode("latin-1")


def _topic_of(line: bytes) -> bytes:
    return line.split(b"\t")[1]


def _is_not_a_number(_: Pair, line: bytes) -> bool:
    return b"nan" in line


def _is_num_rel_at_a_level(inputs: Pair, line: bytes) -> bool:
    has_both = {"-c", "-l"} <= {*inputs.case.words}
    return has_both and _measure_of(line) == "num_rel" and _topic_of(line) == b"all"


def _is_of_a_dummy_document(inputs: Pair, line: bytes) -> bool:
    drawn = inputs.drawn
    lacking = {each.topic for each in drawn.judgments} - {each.topic for each in drawn.run}
    is_of_them = "-c" in inputs.case.words and _topic_of(line) in {*lacking, b"all"}
    return bool(lacking) and is_of_them and _measure_of(line).startswith(WITH_PARAMETERS)


def _has_negative_grades(inputs: Pair) -> bool:
    return any(each.grade.startswith(b"-") for each in inputs.drawn.judgments)


def _is_ideal_of_negative_grades(inputs: Pair, line: bytes) -> bool:
    return _measure_of(line) == "ideal_dcg" and _has_negative_grades(inputs)


def _is_read_past_the_documents(inputs: Pair, line: bytes) -> bool:
    return _measure_of(line) in READS_PAST and _has_negative_grades(inputs)


KNOWN_DIFFERENCES: dict[str, Callable[[Pair, bytes], bool]] = {
    "nan of trec_eval": _is_not_a_number,
    "num_rel under -c -l": _is_num_rel_at_a_level,
    "a dummy document under -c": _is_of_a_dummy_document,
    "ideal_dcg with negative grades alone": _is_ideal_of_negative_grades,
    "Rnonrel with negative levels": _is_read_past_the_documents,
}
"""What trec_eval gets wrong, and whether that explains a line of its output."""


def twins_difference(inputs: Pair, output: bytes, code: int) -> str:
    """What the twins say otherwise of the topics' values; nothing where they are not asked."""
    words = inputs.case.words
    if (
        code
        or "-q" not in words
        or (inputs.drawn.style in ("prefs", "qrels_prefs") and "-J" in words)
    ):
        return ""
    twins = _Twins(inputs.drawn, words)
    for line in output.splitlines():
        name, topic, text = line.split(b"\t")
        if topic == b"all":
            continue
        value = twins.value(name.strip().decode(), topic)
        if value is not None and not _agree(value, text):
            return f"{name.decode()} of {topic!r}: {text.decode()}, the twin has {value}"
    return ""


def _agree(value: float | str, text: bytes) -> bool:
    if isinstance(value, str):
        return f"'{value}'".encode() == text
    return abs(value - float(text)) <= 0.00005000001 * max(1, abs(value))


CUT = ("P", "recall", "ndcg_cut", "map_cut", "success", "P_avgjg")


class _Twins:
    """Values of the plain twins, for the measures that take no parameters or cutoffs alone."""

    def __init__(self, drawn: Generated, words: Sequence[str]) -> None:
        options = dict(pairwise(words))
        self._cut = int(options["-M"]) if "-M" in options else None
        self._condensed = "-J" in words
        self._settings = {
            "level": int(options.get("-l", 1)), "collection_size": int(options.get("-N", 0))
        }  # fmt: skip
        self._drawn = drawn

    def value(self, name: str, topic: bytes) -> float | str | None:
        """Of a measure as it is printed; None where the twins do not have it."""
        scores = {
            line.document: parse_c_number(line.score) or 0.0
            for line in self._drawn.run
            if line.topic == topic
        }
        if self._drawn.style in ("prefs", "qrels_prefs"):
            return self._preferences_value(name, topic, scores)
        stem, _, cutoff = name.rpartition("_")
        if name in plain.MEASURES:
            stem, cutoff = name, ""
        elif stem not in CUT:
            return None
        values = [self._group_value(stem, cutoff, scores, qrels) for qrels in self._groups(topic)]
        if any(isinstance(value, list) for value in values):
            return None
        return values[0] if isinstance(values[0], str) else sum(values) / len(values)

    def _groups(self, topic: bytes) -> list[dict[bytes, float]]:
        groups: dict[bytes, dict[bytes, float]] = {}
        for judgment in self._drawn.judgments:
            if judgment.topic == topic:
                groups.setdefault(judgment.group, {})[judgment.document] = float(judgment.grade)
        return [*groups.values()]

    def _group_value(
        self, stem: str, cutoff: str, scores: dict[bytes, float], qrels: dict[bytes, float]
    ) -> Any:
        seen = plain.judge(scores, qrels, self._cut, self._condensed, **self._settings)
        twin = plain.MEASURES[stem]
        return twin(seen, (int(cutoff),))[0] if cutoff else twin(seen)

    def _preferences_value(
        self, name: str, topic: bytes, scores: dict[bytes, float]
    ) -> float | None:
        if name not in plain_preferences.MEASURES:
            return None
        # with preferences, equal scores stand by rising id
        ranking = sorted(sorted(scores), key=lambda document: -scores[document])[: self._cut]
        lines = [
            plain_preferences.Line(
                j.group.decode("latin-1"),
                j.subgroup.decode("latin-1"),
                j.document.decode("latin-1"),
                float(j.grade),
            )
            for j in self._drawn.judgments
            if j.topic == topic
        ]
        seen = plain_preferences.Topic([d.decode("latin-1") for d in ranking], lines)
        return float(plain_preferences.MEASURES[name](seen))
