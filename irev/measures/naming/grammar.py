"""How measures are written: `Name(option=value, ...)@cutoff,cutoff`, several at once, and suites.

    measure  = NAME [ "(" [ option { "," option } ] ")" ] [ "@" ATOM { "," ATOM } ]
    option   = ATOM "=" value
    value    = ATOM | quoted | ATOM ":" ATOM { ":" ATOM } | "{" [ pair { "," pair } ] "}"
    pair     = ATOM ":" ATOM

An atom is a number or a bare word; blanks may stand anywhere between the parentheses. What an atom
means is for the measure's record to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from irev.core.record import record
from irev.errors import UsageError, quote, shown_value
from irev.measures.registry import TREC_MEASURES


@record(eq=True)
class WrittenMap:
    """A map as written: `{1:1,2:5}`."""

    items: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in self.items) + "}"


@record(eq=True)
class Ratio:
    """A ratio as written: `10:5:1`."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ":".join(self.parts)


Literal: TypeAlias = str | WrittenMap | Ratio
"""A value as written: a number, a word, a map or a ratio."""


class WrittenName(NamedTuple):
    """A name taken apart."""

    name: str
    options: tuple[tuple[str, Literal], ...] = ()
    cutoffs: tuple[str, ...] = ()
    head: str = ""
    """What stands before the cutoffs, without blanks."""


_TOKEN = re.compile(r"""\s+|'[^']*'|"[^"]*"|[^\s(){}=:,@'"]+|.""", re.DOTALL)
_SPECIAL = frozenset("(){}=:,@'\"")


class _Token(NamedTuple):
    text: str
    place: int

    @property
    def is_blank(self) -> bool:
        return self.text.isspace()

    @property
    def is_quoted(self) -> bool:
        return len(self.text) > 1 and self.text[0] in "'\""

    @property
    def is_atom(self) -> bool:
        return bool(self.text) and self.text[0] not in _SPECIAL and not self.is_blank


def parse_name(text: str) -> WrittenName:
    """Take a name with named options apart."""
    return _Reader(text).measure()


def parse_value(text: str) -> Literal:
    """Take a value apart that stands by itself; a map may also be written `1=1,2=5`."""
    return _Reader(text).lone_value()


class _Reader:
    """Reads a text token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [_Token(m.group(), m.start()) for m in _TOKEN.finditer(text)]
        self.tokens.append(_Token("", len(text)))
        self.at = 0
        self.inside = False

    @property
    def next(self) -> _Token:
        while self.inside and self.tokens[self.at].is_blank:
            self.at += 1
        return self.tokens[self.at]

    def measure(self) -> WrittenName:
        name = self.atom("a measure's name")
        options = self.options() if self.next.text == "(" else ()
        head = "".join(token.text for token in self.tokens[: self.at] if not token.is_blank)
        cutoffs: list[str] = []
        while self.take("," if cutoffs else "@"):
            cutoffs.append(self.atom("a cutoff"))
        self.end("," if cutoffs else "@")
        return WrittenName(name, options, tuple(cutoffs), head)

    def lone_value(self) -> Literal:
        if self.text[:1] != "{" and "=" in self.text:
            items = [self.pair("=")]
            while self.take(","):
                items.append(self.pair("="))
            self.end(",")
            return WrittenMap(tuple(items))
        value = self.value()
        self.end("")
        return value

    def options(self) -> tuple[tuple[str, Literal], ...]:
        self.inside = self.take("(")
        options: dict[str, Literal] = {}
        while self.next.text != ")":
            token = self.next
            name = self.atom("an option's name or ')'")
            if name in options:
                place = _place_text(token)
                raise UsageError(f"{quote(self.text)}: at {place} {name} is given twice")
            self.need("=", f"'=' and a value for {name}")
            options[name] = self.value()
            if self.next.text != ")":
                self.need(",", "',' or ')'")
                if self.next.text == ")":
                    raise self.expectation_error("an option after the comma")
        self.inside = False
        self.at += 1
        return tuple(options.items())

    def value(self) -> Literal:
        token = self.next
        if token.text == "{":
            return self.map()
        if token.is_quoted:
            self.at += 1
            return token.text[1:-1]
        parts = [self.atom("a value")]
        while self.take(":"):
            parts.append(self.atom("a number after ':'"))
        return parts[0] if len(parts) == 1 else Ratio(tuple(parts))

    def map(self) -> WrittenMap:
        self.need("{", "'{'")
        items: list[tuple[str, str]] = []
        while self.next.text != "}":
            items.append(self.pair(":"))
            if not self.take(","):
                break
        self.need("}", "',' or '}'")
        return WrittenMap(tuple(items))

    def pair(self, separator: str) -> tuple[str, str]:
        left = self.atom("a grade")
        self.need(separator, f"'{separator}' and a gain")
        return left, self.atom("a gain")

    def atom(self, noun: str) -> str:
        token = self.next
        if not token.is_atom:
            raise self.expectation_error(noun)
        self.at += 1
        return token.text

    def take(self, text: str) -> bool:
        is_next = self.next.text == text
        self.at += is_next
        return is_next

    def need(self, text: str, noun: str) -> None:
        if not self.take(text):
            raise self.expectation_error(noun)

    def end(self, further: str) -> None:
        if self.next.text:
            raise self.expectation_error(f"'{further}' or the end" if further else "the end")

    def expectation_error(self, noun: str) -> UsageError:
        actual = f", not {quote(self.next.text)}" if self.next.text else ""
        return UsageError(
            f"{quote(self.text)}: expected {noun} at {_place_text(self.next)}{actual}"
        )


def _place_text(token: _Token) -> str:
    return f"character {token.place + 1}" if token.text else "the end"


# --- Several measures in one piece ---


_PART = r"""(?P<quoted>'[^']*'|"[^"]*")|[({]|[)}]|[, \t]+"""
_PARAMETER = r"\w+=|(?i:inf|infinity|nan)(?!\w)"
"""What stands before a parameter's value, as in `rbp.1=2,p=0.5`, or a number in letters."""
_WITH_COMMA = r"(?:^|[:, \t])NCU(?:gu|rb),(P|BR|IE)(?![\w.])"
"""Names that NTCIREVAL writes with a comma."""

SUITE_PREFIX = "suite:"
"""What stands before a suite's name where measures are asked for."""

WANTED = "write 'map ndcg@10', ['map', 'ndcg@10'], or a measure's object"


def measure_names(measures: object) -> tuple[str, ...]:
    """The names of measures, one by one, however asked for (see `texts_before_splitting`)."""
    return tuple(name for text in texts_before_splitting(measures) for name in _split_names(text))


def texts_before_splitting(measures: object) -> tuple[str, ...]:
    """What measures are asked for by; each text may have several names.

    Args:
        measures: a text with one name or several, behind commas or blanks; an object whose text is
            a measure's name, such as one of ir_measures; or some of these together.
    """
    if isinstance(measures, str) or _is_measure(measures):
        return (str(measures),)
    if not isinstance(measures, Iterable) or isinstance(measures, bytes | Mapping):
        raise _wrong(measures)
    # the order of a set is another in each process
    ordered = sorted(measures, key=str) if isinstance(measures, set | frozenset) else measures
    texts = []
    for each in ordered:
        if not isinstance(each, str) and not _is_measure(each):
            raise _wrong(each)
        texts.append(str(each))
    return tuple(texts)


def _is_measure(value: Any) -> bool:
    """Whether an object may be a measure of another program: its class says how it is written."""
    kind: Any = type(value)
    if kind.__module__ == "builtins" or isinstance(value, type | Iterable):
        return False
    return kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__


def _wrong(value: object) -> UsageError:
    return UsageError(f"{shown_value(value)} ({type(value).__name__}) is not a measure: {WANTED}")


def _split_names(text: str) -> Iterator[str]:
    """The names in a text: they end at a comma or a blank before a letter, outside brackets."""
    if not any(between in text for between in ", \t"):
        yield text
        return
    start = depth = 0
    for match in re.finditer(_PART, text):
        part, end = match[0], match.end()
        if part in "({":
            depth += 1
        elif part in ")}":
            depth -= 1
        elif not depth and not match["quoted"] and _name_begins(text, start, end):
            if match.start() > start:
                yield text[start : match.start()]
            start = end
    yield text[start:].rstrip()


def _name_begins(text: str, last_start: int, position: int) -> bool:
    """Whether a name begins at a place, where the one before it began at `last_start`."""
    with_digits = tuple(name for name in TREC_MEASURES if name[0].isdigit())
    if not text[position : position + 1].isalpha() and not text.startswith(with_digits, position):
        return False
    comma = re.search(_WITH_COMMA, text[last_start : position + 3])
    is_second_half = comma is not None and last_start + comma.start(1) == position
    return not re.match(_PARAMETER, text[position:]) and not is_second_half


# --- Measures that belong together: those that a collection, a track or a paper reports ---
# `-m suite:dl19` asks for the measures of a suite, `-m suite:dl19/1` for those of its first
# version. A suite that is changed gets a new version, and the old one stays.


class Suite(NamedTuple):
    """A list of measures with its reason."""

    name: str
    title: str
    measures: tuple[str, ...]
    source: str
    version: int = 1


_FIRST_COVID_ROUNDS = ("nDCG@10", "P@5", "AP", "Bpref", "RBP(p=0.5)")

SUITES = (
    Suite(
        "dl19",
        "TREC Deep Learning 2019, passages: grades 2 and 3 are relevant",
        ("nDCG@10", "AP(rel=2)", "RR(rel=2)", "R(rel=2)@100", "R(rel=2)@1000"),
        "Craswell et al. 2020, Overview of the TREC 2019 Deep Learning Track; the track's binary "
        "measures take grades from 2 on, its nDCG the grades themselves",
    ),
    Suite(
        "dl20",
        "TREC Deep Learning 2020, passages: grades 2 and 3 are relevant",
        ("nDCG@10", "AP(rel=2)", "RR(rel=2)", "R(rel=2)@100", "R(rel=2)@1000"),
        "Craswell et al. 2021, Overview of the TREC 2020 Deep Learning Track",
    ),
    Suite(
        "dl19-doc",
        "TREC Deep Learning 2019, documents: every grade above 0 is relevant",
        ("nDCG@10", "AP", "RR", "R@100"),
        "Craswell et al. 2020, Overview of the TREC 2019 Deep Learning Track",
    ),
    Suite(
        "dl21",
        "TREC Deep Learning 2021 to 2023, passages: grades 2 and 3 are relevant",
        ("nDCG@10", "AP(rel=2)@100", "RR(rel=2)@100", "R(rel=2)@100", "R(rel=2)@1000"),
        "Anserini's reproductions of 2021 to 2023; NIST's pages of the judgments say that the "
        "binary measures take grades from 2 on",
    ),
    Suite(
        "msmarco",
        "MS MARCO passage ranking",
        ("RR@10", "R@100", "R@1000"),
        "Bajaj et al. 2016, MS MARCO; the leaderboard's measure is RR@10",
    ),
    Suite(
        "beir",
        "BEIR",
        ("nDCG@10", "R@100"),
        "Thakur et al. 2021, BEIR, NeurIPS Datasets and Benchmarks: nDCG@10 throughout, R@100 "
        "beside it",
    ),
    Suite(
        "beir-all",
        "BEIR, everything that its programs print",
        tuple(f"{name}@{k}" for name in ("nDCG", "AP", "R", "P") for k in (1, 3, 5, 10, 100, 1000)),
        "the package beir, EvaluateRetrieval with its default cutoffs",
    ),
    Suite(
        "ntcir",
        "NTCIR's graded measures: Microsoft's nDCG, Q, and normalised ERR",
        ("nDCG@10", "Q(denom=min)@10", "nERR(stop=ratio)@10"),
        "Sakai, NTCIREVAL; the measures of the NTCIR WWW tasks",
    ),
    Suite(
        "sakai06",
        "Late arrival of relevant documents: Q with several beta, with AP and nDCG",
        ("AP", "Q(beta=1)", "Q(beta=10)", "nDCG(b=2)@1000"),
        "Sakai 2006, Controlling the Penalty on Late Arrival of Relevant Documents in Information "
        "Retrieval Evaluation with Graded Relevance (without the cut of AP and Q at 1000)",
    ),
    Suite(
        "sakai06",
        "Late arrival of relevant documents: Q with several beta, with AP and nDCG",
        ("AP@1000", "Q(beta=1)@1000", "Q(beta=10)@1000", "nDCG(b=2)@1000"),
        "Sakai 2006, Controlling the Penalty on Late Arrival of Relevant Documents in Information "
        "Retrieval Evaluation with Graded Relevance (its guideline: Q with beta 1 and 10, "
        "AP being beta 0, and nDCG with base 2; all of the first 1000 documents)",
        version=2,
    ),
    Suite(
        "kishida05",
        "The graded measures that Kishida compares",
        ("AP", "MSR@5", "AvgNDCG(b=2)@5", "Q(beta=1)", "genAP"),
        "Kishida 2005, NII-2005-014E, section 4.3: lists of five documents",
    ),
    Suite(
        "definitions",
        "Rival definitions that go by one name, side by side",
        (
            "nDCG",
            "nDCG(gain=exp)",
            "nDCG(b=2)",
            "AP@10",
            "AP(denom=min)@10",
            "Bpref(def=te)",
            "Bpref(def=eq)",
            "Bpref(def=te7)",
            "bpref-10",
            "IPrecAvg(rule=ge)",
            "IPrecAvg(rule=band)",
            "IPrecAvg(rule=te9)",
            "IPrecAvg(rule=te10)",
            "SetF(beta=2)",
            "set_F.2",
            "SetE(beta=2)",
        ),
        "what Järvelin and Kekäläinen 2002, Burges et al. 2005, Buckley and Voorhees 2004, Yilmaz "
        "and Aslam 2006, van Rijsbergen 1979 and the versions of trec_eval mean by nDCG, AP@k, "
        "bpref, interpolated precision, F (set_F.2 has beta^2 = 2) and E",
    ),
    Suite(
        "covid",
        "TREC-COVID, the first rounds: what suite:trec-covid/1 has, too",
        _FIRST_COVID_ROUNDS,
        "Roberts et al. 2020 and Voorhees et al. 2020, TREC-COVID",
    ),
    Suite(
        "trec-covid",
        "TREC-COVID, rounds 1 to 3",
        _FIRST_COVID_ROUNDS,
        "NIST's board of round 1, and its result files of rounds 2 and 3 (ndcg, P_5, map, bpref, "
        "rbp_p5); RBP has gains by grade; 32 runs of the board have these numbers by --compat "
        "trec9",
    ),
    Suite(
        "trec-covid",
        "TREC-COVID, rounds 4 and 5",
        ("nDCG@20", "P@20", "AP", "Bpref", "RBP(p=0.5)"),
        "NIST's result files of rounds 4 and 5: ndcg_20, P_20, map, bpref, rbp_p5; RBP as in "
        "round 1",
        version=2,
    ),
    Suite(
        "cast",
        "TREC CAsT 2020 and 2021: grades from 2 on are relevant",
        ("nDCG@3", "nDCG@5", "nDCG@500", "AP(rel=2)@500", "RR(rel=2)", "R(rel=2)@500"),
        "Dalton et al., Overviews of the TREC Conversational Assistance Track",
    ),
    Suite(
        "tar",
        "Technology-assisted review: the qrels judge the whole candidate set",
        (
            "AP",
            "LastRel",
            "WSS(recall=0.95)",
            "WSS(recall=1)",
            "RecallArea",
            "R@10%",
            "R@20%",
            "R@50%",
        ),
        "Kanoulas et al., Overviews of the CLEF tracks on Technologically Assisted Reviews",
    ),
    Suite(
        "robust04",
        "TREC Robust 2004 as it is usually reported",
        ("AP", "P@20", "nDCG@20"),
        "Voorhees 2004, Overview of the TREC 2004 Robust Track (AP, P); nDCG@20 in later papers",
    ),
    Suite(
        "web",
        "TREC Web tracks 2010 to 2014, ad hoc task: grades up to 4",
        ("ERR(max=4)@20", "nDCG(gain=exp)@20", "P@20", "AP"),
        "Clarke et al., Overviews of the TREC Web Track; the program gdeval",
    ),
    Suite(
        "web-diversity",
        "TREC Web tracks, diversity task (-R subtopics)",
        ("ERR_IA@20", "alpha_nDCG@20", "NRBP", "P_IA@20", "AP_IA", "StRecall@20"),
        "Clarke et al., Overviews of the TREC Web Track; the program ndeval",
    ),
    Suite(
        "tot",
        "TREC Tip of the Tongue 2023 to 2025: one relevant document",
        ("nDCG@1000", "nDCG@10", "RR@1000", "Success@1000"),
        "the track's guidelines: DCG first, then reciprocal rank and success@k; the cutoffs are "
        "those of its baselines",
    ),
    Suite(
        "neuclir",
        "TREC NeuCLIR 2022 to 2024, ranked retrieval",
        ("nDCG@20", "AP", "R@1000"),
        "Anserini's reproductions of NeuCLIR 2022",
    ),
    Suite(
        "rag24",
        "TREC RAG 2024, retrieval",
        ("nDCG@20", "nDCG@100", "R@100"),
        "Anserini's reproductions of TREC RAG 2024",
    ),
    Suite(
        "atomic",
        "TREC AToMiC 2023",
        ("RR@10", "R@1000", "Success@1000"),
        "the track's page for beginners: trec_eval -c -M 10 -m recip_rank; recall and success at "
        "1000",
    ),
    Suite(
        "trials",
        "TREC Clinical Trials 2021 to 2023: grade 2 is eligible",
        ("nDCG@10", "P(rel=2)@10", "RR(rel=2)"),
        "NIST's result files of 2021 and 2022: ndcg_cut_10; the other two are usual, not checked",
    ),
    Suite(
        "ikat",
        "TREC iKAT, passages",
        ("nDCG@5", "nDCG", "AP", "P@20", "R@20"),
        "usual; not checked against the track's overviews",
    ),
    Suite(
        "product",
        "TREC Product Search 2023 and 2024",
        ("nDCG@10", "R@100"),
        "usual; not checked against the track's overviews",
    ),
    Suite(
        "longeval",
        "CLEF LongEval: retrieval on each snapshot",
        ("nDCG", "nDCG@10"),
        "the lab's program longeval-code, which compares these between snapshots",
    ),
    Suite(
        "checkthat",
        "CLEF CheckThat! 2025, task 4b: the paper that a post means",
        ("RR@5", "RR@1", "RR@10"),
        "Alam et al. 2025, The CLEF-2025 CheckThat! Lab: MRR@5; the others are usual",
    ),
    Suite(
        "bioasq",
        "BioASQ task b, phase A, documents",
        ("AP(denom=min)@10", "SetP", "SetR", "SetF"),
        "BioASQ's tables of results and questions and answers: since its 8th year AP is divided "
        "by 10 or the number of relevant documents, if that is smaller (without its GMAP)",
    ),
    Suite(
        "erisk",
        "CLEF eRisk 2023 to 2025: sentences for symptoms",
        ("AP", "Rprec", "P@10", "nDCG@1000"),
        "usual; not checked against the lab's overviews",
    ),
    Suite(
        "simpletext",
        "CLEF SimpleText 2022 to 2025, and JOKER: passages",
        ("nDCG@10", "P@10", "AP"),
        "usual; not checked against the lab's overviews",
    ),
    Suite(
        "cmir",
        "FIRE CMIR 2024 and 2025: code-mixed retrieval",
        ("AP", "nDCG", "P@5", "P@10"),
        "AP is the task's; the others are usual, not checked",
    ),
)
"""Every version of every suite; of a name the last is the newest."""


def find_suite(name_and_version: str) -> Suite:
    """The suite that `dl19`, or `dl19/1` with a version, names."""
    name, slash, version = name_and_version.partition("/")
    suites = [suite for suite in SUITES if suite.name == name]
    if not suites:
        names = dict.fromkeys(suite.name for suite in SUITES)
        raise UsageError(f"no suite is called '{name}'; there are {', '.join(names)}")
    if not slash:
        return suites[-1]
    for suite in suites:
        if str(suite.version) == version:
            return suite
    versions = ", ".join(str(suite.version) for suite in suites)
    raise UsageError(f"suite {name} has no version '{version}'; there is {versions}")
