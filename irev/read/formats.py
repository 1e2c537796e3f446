"""The text formats that are read: one record each, and what options change in reading them.

A new format is a record here, and its name in `RunFormat` if it is one of runs. What tells it from
the others is asked of the last record first: a format that many a line could be in stands before
those that few could be in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from irev.core.text import parse_c_number, parse_whole
from irev.errors import InputError, Problem, UsageError
from irev.read.columns import (
    falling_ranks,
    level_grade,
    parse_grades,
    parse_reals_or_nan,
    real_grade,
    replace_commas,
    whole_grade,
)
from irev.read.layout import (
    ITERATIONS,
    ChosenLayout,
    Fields,
    FirstLines,
    Format,
    Layout,
    NumberParser,
    Passages,
    first_fields,
    looks_like_scores,
    sample_first_lines,
)

if TYPE_CHECKING:
    from irev.core.arrays import RowValues
    from irev.core.ids import Ids

NTCIR = "NTCIR qrels"

_GRADES: NumberParser = partial(parse_grades, parse=whole_grade)
_NUMBERS: NumberParser = partial(parse_grades, parse=parse_c_number)
_LEVELS: NumberParser = partial(parse_grades, parse=level_grade)

# --- Runs ---

SAVED = "saved scores by topic; compare, leaderboard and gate take them in place of a run"
"""What a file looks like that another room reads."""

RUN = Layout(
    kind="run",
    looks="a run (topic Q0 document rank score tag)",
    fields=("topic", "Q0", "document", "rank", "score", "tag"),
    ids=("document",),
    number="score",
    parse=parse_reals_or_nan,
    expected="a number",
    more_allowed=True,
)
_UNTAGGED = RUN._replace(fields=RUN.fields[:-1])
_SCORES = RUN._replace(
    looks="a run of scores alone (topic document score)",
    fields=("topic", "document", "score"),
    more_allowed=False,
)
_RANKS = Layout(
    kind="run of MS MARCO",
    looks="a run of MS MARCO (topic document rank)",
    fields=("topic", "document", "rank"),
    ids=("document",),
    number="rank",
    parse=falling_ranks,
    expected="a whole number",
)
_RANKS_AND_SCORES = _RANKS._replace(
    looks="a run of MS MARCO (topic document rank score)",
    fields=("topic", "document", "rank", "score"),
    number="score",
    parse=parse_reals_or_nan,
    expected="a number",
)


def _is_trec_run(sample: FirstLines) -> bool:
    """Of five fields, where the tag is missing, no other file has Q0 on every line."""
    if sample.width == len(_SCORES.fields):
        return _has_fractions(sample)
    if sample.width == len(_UNTAGGED.fields):
        return sample.column(1) <= {b"Q0", b"q0"} and sample.mostly(_has_score)
    if sample.width < len(RUN.fields):
        return False
    # with more than six fields, which are ignored, a whole number for the fourth tells little
    return sample.mostly(_has_score) or (
        sample.width == len(RUN.fields) and sample.mostly(lambda f: parse_whole(f[3]) is not None)
    )


def _has_fractions(sample: FirstLines) -> bool:
    """Of three fields, with a number last: it is no rank and no grade, where some are no whole."""
    numbers = [fields[2] for fields in sample.rows]
    return None not in map(parse_c_number, numbers) and None in map(parse_whole, numbers)


def _has_score(fields: Fields) -> bool:
    return len(fields) >= len(RUN.fields) - 1 and parse_c_number(fields[4]) is not None


def _missing_field_of_run(fields: Fields) -> str:
    """Which of the six fields a line of five or four lacks."""
    if len(fields) == len(QRELS.fields) and fields[1] in (b"Q0", b"q0"):
        # with a fraction it is no line of qrels, whose second field may be the same
        is_score = parse_c_number(fields[3]) is not None and parse_whole(fields[3]) is None
        awk = "awk '{print $1, $2, $3, NR, $4, \"run\"}' FILE adds them"
        return f"the rank and the run tag are missing: {awk}" if is_score else ""
    if len(fields) != len(RUN.fields) - 1:
        return ""
    no_q0 = fields[1] not in ITERATIONS and parse_whole(fields[2]) is not None
    no_q0 = no_q0 and parse_c_number(fields[3]) is not None
    no_tag = parse_whole(fields[3]) is not None and parse_c_number(fields[4]) is not None
    if no_q0 and no_tag:
        return "a field is missing: Q0, the second, or the run tag, the last"
    if no_q0:
        return "Q0, the second field, is missing: awk '{$1 = $1 \" Q0\"; print}' FILE adds it"
    return "the run tag, the last field, is missing" if no_tag else ""


def _has_rank_as_third_field(fields: Fields) -> bool:
    """With a score behind the rank, it is no grade, and no iteration stands before the document."""
    if len(fields) not in (3, 4) or parse_whole(fields[2]) is None:
        return False
    return len(fields) == len(_RANKS.fields) or (
        fields[1] not in ITERATIONS
        and whole_grade(fields[3]) is None
        and parse_c_number(fields[3]) is not None
    )


def _is_msmarco(sample: FirstLines) -> bool:
    """In no topic does a rank come again, as grades do."""
    if not sample.mostly(_has_rank_as_third_field):
        return False
    if sample.width == len(_RANKS.fields):
        if _has_fractions(sample):
            return False
        starts = not sample.column(2).isdisjoint((b"0", b"1"))
        return starts and sample.distinct(0) < sample.distinct(0, 2) == len(sample.rows)
    return sample.column(1).isdisjoint(ITERATIONS)


_RUNS = (
    Format(
        "trec_results",
        "-T",
        (RUN,),
        """\
RUN in the format trec_results: a line for each document retrieved,
    401  Q0  FT911-3  1  14.25  bm25
that is: topic, an ignored field, document, an ignored rank, score, tag. Documents are
ranked by decreasing score, equal scores by document id in reverse byte order (with
preferences in byte order). The tag of the last line names the run. Ids are any bytes
but blanks; text behind the tag is ignored with a warning, after # without one.
The tag may be missing; and three columns, topic, document and score, are read where the
scores have fractions.
A table is read too: CSV or TSV whose first line names the columns (query_id,doc_id,score),
lines of JSON with such keys, Parquet, Feather or Arrow.
""",
        line=_has_score,
        file=_is_trec_run,
        crooked=_missing_field_of_run,
    ),
    Format(
        "msmarco",
        "-T",
        (_RANKS, _RANKS_AND_SCORES),
        """\
RUN in the format msmarco: a line for each document retrieved,
    1048585  7187158  1
that is: topic, document, rank, with tabs or blanks between them. Documents are
ordered by rank, equal ranks by document id in reverse byte order. Where the first line
has a fourth field, it is the score, which then decides.
""",
        brief="topic, document and rank, and maybe a score",
        line=_has_rank_as_third_field,
        file=_is_msmarco,
        crooked="either every line of the file has a score, or none does",
    ),
    Format(
        "scores",
        "-T",
        (_SCORES,),
        """\
RUN in the format scores: a line for each document retrieved,
    401  FT911-3  14
that is: topic, document, score, with tabs or blanks between them. Without -T such lines
are read where some scores have fractions, since whole numbers may be ranks.
""",
        brief="topic, document and score",
        line=_has_rank_as_third_field,
        # with a whole number last there are too many of them for grades
        file=lambda sample: (
            sample.width == len(_SCORES.fields)
            and sample.mostly(_has_rank_as_third_field)
            and sample.distinct(2) > max(10, len(sample.rows) // 2)
        ),
    ),
)
RUNS: dict[str, Format] = {each.name: each for each in _RUNS}
"""The formats of runs, by the names that -T gives them."""

RunFormat: TypeAlias = Literal[
    "trec_results",
    "msmarco",
    "scores",
]
"""The names in `RUNS`."""

# --- Judgments ---

QRELS = Layout(
    kind="qrels",
    looks="qrels (topic iteration document grade)",
    fields=("topic", "iteration", "document", "grade"),
    ids=("document",),
    number="grade",
    parse=_GRADES,
    expected="a whole number",
)
_TRIPLES = QRELS._replace(
    kind="qrels of three fields",
    looks="judgments without an iteration column (topic document grade)",
    fields=("topic", "document", "grade"),
)
_GROUPED = QRELS._replace(
    kind="qrels_jg file",
    looks="judgments by groups or subtopics (topic group document grade)",
    fields=("topic", "group", "document", "grade"),
    ids=("document", "group"),
)
_PREFERENCES = Layout(
    kind="preference file",
    looks="preferences (topic group subgroup document level)",
    fields=("topic", "group", "subgroup", "document", "level"),
    ids=("document", "group", "subgroup"),
    number="level",
    parse=_NUMBERS,
    expected="a number",
)
_GRADED_PREFERENCES = _PREFERENCES._replace(
    looks="grades read as preferences (topic group document level)",
    fields=("topic", "group", "document", "level"),
    ids=("document", "group"),
)
_SUBTOPICS = QRELS._replace(
    kind="subtopic qrels",
    looks="judgments by subtopics (topic subtopic document grade)",
    fields=("topic", "subtopic", "document", "grade"),
    ids=("document", "subtopic"),
)
LEVELS = Layout(
    kind=NTCIR,
    looks="NTCIR's judgments (topic document level)",
    fields=("topic", "document", "grade"),
    ids=("document",),
    number="grade",
    parse=_LEVELS,
    expected="a level such as L2",
)
CLASSES = LEVELS._replace(
    looks="NTCIR's judgments with classes (topic document level class)",
    fields=("topic", "document", "grade", "class"),
    ids=("document", "class"),
)
_STRATA = QRELS._replace(
    kind="file of judgments by strata",
    looks="judgments by strata (topic iteration document stratum grade)",
    fields=("topic", "iteration", "document", "stratum", "grade"),
    ids=("document", "stratum"),
)
_PRELS = QRELS._replace(
    kind="prels file",
    looks="a prels file (topic document grade method probability)",
    fields=("topic", "document", "grade", "method", "probability"),
    ids=("document", "method", "probability"),
)

_NUGGETS = Layout(
    kind="file of assignments",
    looks="assignments of nuggets (lines of JSON with qid, run_id and nuggets)",
    fields=("topic", "nugget", "grade"),
    ids=("document",),
    number="grade",
    parse=_NUMBERS,
    expected="a number",
)
_SUPPORT = _NUGGETS._replace(
    kind="file of support",
    looks="support of citations (lines of JSON with topic_id, run_id and sentences)",
    fields=("topic", "citation", "grade"),
)


def _tool_layout(tool: str, looks: str) -> Layout:
    """A file of a tool, whose rows are those of plain qrels."""
    return QRELS._replace(kind=f"{tool} file", looks=looks, tool=tool)


def _has_level(fields: Fields) -> bool:
    return len(fields) in (3, 4) and level_grade(fields[2]) is not None


def _has_five_fields(fields: Fields) -> bool:
    return len(fields) == len(_PREFERENCES.fields) and parse_c_number(fields[4]) is not None


def _has_repeats(sample: FirstLines) -> list[bool] | None:
    """Which of the three middle ones of five fields come again in a topic: documents do not."""
    if sample.width != len(_STRATA.fields) or len(sample.rows) < len(("too", "few", "lines")):
        return None
    return [sample.distinct(0, field) < len(sample.rows) for field in (1, 2, 3)]


def _is_strata(sample: FirstLines) -> bool:
    return _has_repeats(sample) == [True, False, True] and _all_whole(sample.column(4))


def _is_prels(sample: FirstLines) -> bool:
    return (
        _has_repeats(sample) == [False, True, True]
        and _all_whole(sample.column(2))
        and sample.column(3) <= {b"0", b"1", b"2", b"4"}
        and all(text == b"NA" or _is_probability(text) for text in sample.column(4))
    )


LEGAL = (
    "a file of the TREC legal track with probabilities (topic iteration document grade "
    "probability), which is not read; a prels file is 'topic document grade method probability'"
)


def is_legal(sample: FirstLines) -> bool:
    """Whether a text that begins so is what `LEGAL` says."""
    return (
        _has_repeats(sample) == [True, False, True]
        and not _is_strata(sample)
        and _all_whole(sample.column(3))
        and all(map(_is_probability, sample.column(4)))
        and any(
            0 < (parse_c_number(text) or 0) < 1 for text in sample.column(4)
        )  # not levels 0 and 1
    )


DOCUMENTS_SECOND = (
    "judgments whose documents stand in the second field, as those of CACM and CISI do (topic "
    "document 0 0): the third field is one value throughout, and the fourth tells no grade"
)
DOCUMENTS_SECOND_HINT = (
    "awk '{print $1, 0, $2, 1}' FILE gives qrels in which all these documents are relevant"
)


def has_documents_second(sample: FirstLines) -> bool:
    """Whether a text that begins so is what `DOCUMENTS_SECOND` says: every line is a relevant one.

    Where the fourth field is not 0 throughout, a third field that is may be believed nevertheless.
    """
    if sample.width != len(QRELS.fields) or not sample.column(1).isdisjoint(ITERATIONS):
        return False
    is_constant = len(sample.column(2)) == 1 < len(sample.column(1))
    has_zeros = all(parse_c_number(text) == 0 for text in sample.column(3))
    return is_constant and (has_zeros or sample.column(2) == {b"0"})


def _all_whole(texts: Iterable[bytes]) -> bool:
    return all(whole_grade(text) is not None for text in texts)


def _is_probability(text: bytes) -> bool:
    number = parse_c_number(text)
    return number is not None and 0 <= number <= 1


_JUDGMENTS = (
    Format(
        "qrels",
        "-R",
        (QRELS,),
        """\
QRELS in the format qrels: a line for each judged document,
    401  0  FT911-3  2
that is: topic, an ignored field, document, grade. A grade is a whole number. Grades
from the level on (-l, 1 by default) mean relevant; a negative grade means that the
document was in the pool but not judged.
A table is read too: CSV or TSV whose first line names the columns (query-id,corpus-id,
score), lines of JSON with such keys, Parquet, Feather or Arrow.
""",
        line=lambda fields: len(fields) == len(QRELS.fields) and whole_grade(fields[3]) is not None,
        file=lambda sample: sample.width == len(QRELS.fields),
    ),
    Format(
        "qrels_jg",
        "-R",
        (_GROUPED,),
        """\
QRELS in the format qrels_jg: a line for each judgment of a document by one of
several groups of judges,
    401  ann  FT911-3  2
that is: topic, judgment group, document, grade. Measures are computed for each
group by itself and averaged; a document may be judged once in a group.
""",
        # the second field is no iteration, and a topic has several
        file=lambda sample: (
            sample.width == len(_GROUPED.fields)
            and sample.column(1).isdisjoint(ITERATIONS)
            and sample.distinct(0, 1) > sample.distinct(0)
        ),
        gives=("qrels_jg",),
    ),
    Format(
        "prefs",
        "-R",
        (_PREFERENCES,),
        """\
QRELS in the format prefs: preferences between documents,
    401  ann  1  FT911-3  2.0
that is: topic, judgment group, subgroup, document, level. Within a subgroup a
document of a higher level is preferred to one of a lower level. Only the order of
levels counts, but a document of level 0 is not relevant, and one above 0 is.
""",
        line=_has_five_fields,
        file=lambda sample: sample.width == len(_PREFERENCES.fields),
        gives=("prefs",),
    ),
    Format(
        "qrels_prefs",
        "-R",
        (_GRADED_PREFERENCES,),
        """\
QRELS in the format qrels_prefs: grades read as preferences,
    401  ann  FT911-3  2
that is: topic, judgment group, document, level, with one subgroup in each group.
A document of a higher level is preferred to one of a lower level.
""",
        gives=("prefs",),
    ),
    Format(
        "subtopics",
        "-R",
        (_SUBTOPICS,),
        """\
QRELS in the format subtopics: a line for each judgment of a document for one subtopic
(intent, aspect) of the topic,
    401  3  FT911-3  2
that is: topic, subtopic, document, grade. Measures of diversity work on it; for all
others a document has the highest of its grades. --intents says how likely each
subtopic is.
""",
        gives=("subtopics", "qrels"),
    ),
    Format(
        "ntcir",
        "-R",
        (LEVELS, CLASSES),
        """\
QRELS in the format ntcir: a line for each judged document,
    0101  clueweb12-0000tw-25-16201  L2
that is: topic, document, level; L0 is judged and not relevant. A fourth field, if the
first line has one, names the class of documents that say the same: only the first
document of a class counts, later ones are not relevant, and the recall base counts
classes, each with its highest level.
""",
        line=_has_level,
        # a class is no number: with one, a document of plain qrels may be called L2
        file=lambda sample: (
            sample.mostly(_has_level)
            and not sample.mostly(
                lambda fields: (
                    len(fields) == len(CLASSES.fields) and whole_grade(fields[3]) is not None
                )
            )
        ),
        is_sure=True,
        crooked="either every line of the file names a class, or none does",
    ),
    Format(
        "strata",
        "-R",
        (_STRATA,),
        """\
QRELS in the format strata: a line for each document of the pool, judged or not,
    401  0  FT911-3  2  1
that is: topic, an ignored field, document, stratum, grade. A negative grade means
that the document was not drawn into the stratum's sample. xinfAP, infNDCG and what
else is estimated from strata work on it; all other measures see the grades alone.
""",
        line=_has_five_fields,
        file=_is_strata,
        is_sure=True,
        gives=("strata", "qrels"),
    ),
    Format(
        "prels",
        "-R",
        (_PRELS,),
        """\
QRELS in the format prels: a line for each judged document,
    401  FT911-3  2  1  0.35
that is: topic, document, grade, why it was judged (0 MTC, 1 statAP, 2 both), and the
probability with which it was to be judged, above 0 and at most 1, or NA. statAP and
its kin work on it; all other measures see the grades alone.
""",
        line=_has_five_fields,
        file=_is_prels,
        is_sure=True,
        gives=("prels", "qrels"),
    ),
    Format(
        "triples",
        "-R",
        (_TRIPLES,),
        """\
QRELS in the format triples: a line for each judged document,
    401  FT911-3  2
that is: topic, document, grade, as in the format qrels without its second field.
""",
        line=lambda fields: (
            len(fields) == len(_TRIPLES.fields) and parse_c_number(fields[2]) is not None
        ),
        file=lambda sample: (
            sample.width == 3 and sample.mostly(lambda f: whole_grade(f[2]) is not None)
        ),
    ),
    Format(
        "nuggets",
        "-R",
        (_NUGGETS,),
        """\
QRELS in the format nuggets: a line of JSON for each answer that was judged, of all runs,
    {"qid": "401", "run_id": "A", "nuggets": [{"text": "It rained for three weeks.",
     "importance": "vital", "assignment": "support"}]}
that is: topic, run, and each nugget of the topic with its importance (vital or okay, or failed:
nobody knows) and what the answer does (support, partial_support, not_support, or failed).
--unknown-labels says what other labels are. A RUN is a
file of answers, lines of JSON with the topic (metadata.narrative_id, topic_id) and run_id, or
the name of a run in QRELS; without RUN all of these are scored.
""",
        gives=("nuggets",),
        holds_runs=True,
    ),
    Format(
        "support",
        "-R",
        (_SUPPORT,),
        """\
QRELS in the format support: a line of JSON for each answer that was judged, of all runs,
    {"topic_id": "401", "run_id": "A", "sentences": [{"text": "It rained for three weeks.",
     "citations": [{"reference": "d7", "support": 2}]}]}
that is: topic, run, and each sentence of the answer with its citations, each with its support: 2
full, 1 partial, 0 none, -1 not judged. A RUN is as with -R nuggets.
""",
        gives=("support",),
        holds_runs=True,
    ),
    Format(
        "quepid",
        "-R",
        (_tool_layout("quepid", "ratings of Quepid"),),
        """\
QRELS in the format quepid: a case or its ratings as Quepid exports them, in JSON
    {"queries": [{"query_text": "laptop", "ratings": [{"doc_id": "12", "rating": 3}]}]}
    {"queries": [{"query": "laptop", "ratings": {"12": 3}}]}
or in CSV with the columns query, docid and rating. The topic is the text of the query; what
has no rating is not judged. JSON is read without -R, too.
""",
    ),
    Format(
        "opensearch",
        "-R",
        (_tool_layout("opensearch", "judgments of OpenSearch"),),
        """\
QRELS in the format opensearch: a list of judgments of OpenSearch's Search Relevance, as it is
imported or answered,
    {"judgmentRatings": [{"query": "laptop", "ratings": [{"docId": "12", "rating": "3.000"}]}]}
The topic is the text of the query. Such a file is read without -R, too.
""",
    ),
    Format(
        "rre",
        "-R",
        (_tool_layout("rre", "ratings of RRE"),),
        """\
QRELS in the format rre: ratings of the Rated Ranking Evaluator, by groups of queries,
    {"topics": [{"query_groups": [{"queries": [{"placeholders": {"$query": "laptop"}}],
     "relevant_documents": {"12": {"gain": 3}}}]}]}
or by gains, {"3": ["12"]}. The topic is the text of the query. Such a file is read without -R,
too.
""",
    ),
    Format(
        "letor",
        "-R",
        (
            _tool_layout(
                "letor", "lists for learning to rank (grade qid:topic 1:0.5 ... # document)"
            ),
        ),
        """\
QRELS in the format letor: a line for each judged document, as SVMrank and RankLib learn from,
    2 qid:401 1:0.31 2:0.07 # FT911-3
that is: grade, topic, features, which are not looked at, and in the comment the document: the
first word, or what stands behind docid =. Such a file is read without -R, too.
""",
    ),
    Format(
        "pairs",
        "-R",
        (_tool_layout("pairs", "pairs (topic document)"),),
        """\
QRELS in the format pairs: a line for each relevant document,
    401  FT911-3
that is: topic and document; each has grade 1. Such a file is read without -R, too, with a note.
""",
    ),
)
JUDGMENTS: dict[str, Format] = {each.name: each for each in _JUDGMENTS}
"""The formats of judgments, by the names that -R gives them."""

DEFAULTS = ("trec_results", "qrels")
"""The formats of runs and of judgments where no other is named."""

GRADED = tuple(each.name for each in _JUDGMENTS if each.gives == ("qrels",))
"""Those that say the grades of documents, and nothing more."""

# --- What tells them apart, and what options change ---


def format_names(formats: Mapping[str, Format]) -> str:
    """The names of some formats, as the help of their option lists them."""
    words = [
        each.name
        + (f" ({each.brief})" if each.brief else "")
        + (" (the default)" if each.name in DEFAULTS else "")
        for each in formats.values()
    ]
    return f"{', '.join(words[:-1])} or {words[-1]}"


LETOR_FIELD = b"qid:"
"""How the second field of a line begins that models learn from."""


def likely_format(sample: FirstLines, formats: dict[str, Format]) -> Format | None:
    """Which of some formats a text is probably of that begins so."""
    for record in reversed(formats.values()):
        if record.file is not None:
            is_like = record.file(sample)
        else:
            is_like = record.line is not None and sample.mostly(record.line)
        if is_like:
            return record
    return None


def run_layout(
    format: str = "trec_results",
    *,
    by_rank: bool = False,
    decimal_comma: bool = False,
    columns: tuple[tuple[str, str], ...] = (),
    may_repeat: bool = False,
    passages: str | None = None,
) -> ChosenLayout:
    """How the lines of a run are read.

    Args:
        format: one of `RUNS`. Of several layouts one is chosen by how the file begins.
        by_rank: whether the number is the rank column, as it stands, whatever else there is.
        decimal_comma: whether numbers may have a decimal comma.
        columns: which columns of a table hold which fields, where the user says so.
        may_repeat: whether a document may stand twice in a list.
        passages: how the ids of passages become those of documents, as `Options.passages`.

    The function that chooses raises an InputError where a text holds saved scores.
    """
    record = RUNS[format]
    if by_rank and not all("rank" in layout.fields for layout in record.layouts):
        raise UsageError(f"--ties rank needs ranks, which a run of the format {format} lacks")
    # no closure: what evaluates runs is pickled for other processes
    choose = partial(
        _run_layout_of_head,
        format=format,
        by_rank=by_rank,
        decimal_comma=decimal_comma,
        columns=columns,
        may_repeat=may_repeat,
        passages=None if passages is None else Passages(passages, by_rank),
    )
    has_one = len(record.layouts) == 1 and record.layouts != (RUN,)
    return choose(b"") if has_one else choose


def _run_layout_of_head(
    head: bytes,
    *,
    format: str,
    by_rank: bool,
    decimal_comma: bool,
    columns: tuple[tuple[str, str], ...],
    may_repeat: bool,
    passages: Passages | None,
) -> Layout:
    layouts = RUNS[format].layouts
    if layouts == (RUN,):
        layout = _trec_layout(head, by_rank=by_rank)
    elif len(layouts) == 1:
        layout = layouts[0]
    elif head:
        layout = RUNS[format].layout(len(first_fields(head)))
    else:
        layout = RUN  # what has no lines, a table, names its columns
    if by_rank:
        layout = layout._replace(number="rank", parse=parse_reals_or_nan, expected="a number")
    if columns or may_repeat or passages is not None:
        layout = layout._replace(columns=columns, may_repeat=may_repeat, passages=passages)
    return allow_decimal_comma(layout) if decimal_comma else layout


def _trec_layout(head: bytes, *, by_rank: bool) -> Layout:
    """How a run in TREC's format is read that begins so: as six fields, five or three."""
    width = len(first_fields(head))
    layout = next((each for each in (_UNTAGGED, _SCORES) if len(each.fields) == width), RUN)
    if layout is RUN or (layout is _SCORES and by_rank):
        return RUN
    if layout is _SCORES and looks_like_scores(head):
        message = f"this is not a run: it looks like {SAVED}"
        raise InputError([Problem("", None, "other-kind", message)])
    sample = sample_first_lines(head)
    is_short = sample is not None and sample.width == width and _is_trec_run(sample)
    return layout if is_short else RUN


def judgments_layout(
    format: str,
    head: bytes,
    *,
    real_grades: bool = False,
    decimal_comma: bool = False,
    columns: tuple[tuple[str, str], ...] = (),
    may_repeat: bool = False,
    needs_documents: bool = False,
) -> Layout:
    """How the lines of a file of judgments are read that begins so.

    A file of NTCIR's three columns, topic, document and level, can be nothing else: it is read as
    that where plain qrels are expected.
    """
    record, first = JUDGMENTS[format], first_fields(head)
    layout = record.layout(len(first))._replace(needs_documents=needs_documents)
    if columns or may_repeat:
        layout = layout._replace(columns=columns, may_repeat=may_repeat)
    if format == "qrels" and len(first) == len(LEVELS.fields) and _has_level(first):
        layout = LEVELS
    if layout.kind == NTCIR:
        return layout
    _refuse_other_formats(record, layout, head)
    if real_grades and layout.number == "grade":
        layout = allow_real_grades(layout)
    return allow_decimal_comma(layout) if decimal_comma else layout


def _refuse_other_formats(record: Format, layout: Layout, head: bytes) -> None:
    """Refuse judgments that cannot be of this format, though they have as many fields."""
    sample = sample_first_lines(head)
    if sample is not None and layout.kind == QRELS.kind and has_documents_second(sample):
        message = f"this is not qrels: it looks like {DOCUMENTS_SECOND}"
        raise InputError([Problem("", None, "other-kind", message, DOCUMENTS_SECOND_HINT)])
    if sample is None or not len(QRELS.fields) <= sample.width == len(layout.fields):
        return
    if layout.kind == QRELS.kind and _all_whole(sample.column(3)):
        return  # qrels as they mostly are
    likely = likely_format(sample, JUDGMENTS)
    looks = LEGAL if is_legal(sample) else ""
    if likely is not None and likely.is_sure and likely is not record:
        looks = f"{likely.layout(sample.width).looks}; {likely.reading}"
    if looks:
        message = f"this is not a file for -R {record.name}: it looks like {looks}"
        raise InputError([Problem("", None, "other-kind", message)])


def allow_real_grades(layout: Layout) -> Layout:
    """The layout, its grades real numbers instead of whole ones."""
    return layout._replace(
        parse=partial(parse_grades, parse=real_grade), expected="a finite number"
    )


def allow_decimal_comma(layout: Layout) -> Layout:
    """The layout, its numbers with a decimal comma or a decimal point."""
    return layout._replace(parse=partial(_parse_commas, parse=layout.parse))


def _parse_commas(texts: Ids, *, parse: NumberParser) -> RowValues:
    return parse(replace_commas(texts))
