"""What `-h` prints behind the options: the file formats, and the measures that -m names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from irev.cli.output import print_out
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_RULE = "-" * 23

_RUN_FORMATS = {
    "trec_results": """\
RUN in the format trec_results: a line for each document retrieved,
    401  Q0  FT911-3  1  14.25  bm25
that is: topic, a field nobody reads, document, a rank nobody reads, score, tag.
Documents are ranked by falling score, equal scores by document id, the later in
byte order first (with preferences the earlier). The tag of the last line names the
run. Ids are any bytes but blanks; anything behind the tag is ignored.
A table is read too: CSV or TSV whose first line names the columns (query_id,doc_id,score),
lines of JSON with such keys, Parquet, Feather or Arrow.
""",
    "msmarco": """\
RUN in the format msmarco: a line for each document retrieved,
    1048585  7187158  1
that is: topic, document, rank, with tabs or blanks between them. The lower the rank, the
earlier the document; equal ranks are ordered by document id, the later in byte order
first. Where the first line has a fourth field, it is the score, which then decides.
""",
}

_QRELS_FORMATS = {
    "qrels": """\
QRELS in the format qrels: a line for each judged document,
    401  0  FT911-3  2
that is: topic, a field nobody reads, document, grade. A grade is a whole number;
from the level on (-l, 1 by default) it means relevant, and a negative one that the
document was in the pool but not judged.
A table is read too: CSV or TSV whose first line names the columns (query-id,corpus-id,
score), lines of JSON with such keys, Parquet, Feather or Arrow.
""",
    "triples": """\
QRELS in the format triples: a line for each judged document,
    401  FT911-3  2
that is: topic, document, grade, as in the format qrels without its second field.
""",
    "qrels_jg": """\
QRELS in the format qrels_jg: a line for each judgment of a document by one of
several groups of judges,
    401  ann  FT911-3  2
that is: topic, judgment group, document, grade. Measures are computed for each
group by itself and averaged; a document may be judged once in a group.
""",
    "prefs": """\
QRELS in the format prefs: preferences between documents,
    401  ann  1  FT911-3  2.0
that is: topic, judgment group, subgroup, document, level. Within a subgroup a
document of a higher level is preferred to one of a lower level; the level itself
means nothing, but that a document of level 0 is not relevant and one above is.
""",
    "qrels_prefs": """\
QRELS in the format qrels_prefs: grades read as preferences,
    401  ann  FT911-3  2
that is: topic, judgment group, document, level, with one subgroup in each group.
A document of a higher level is preferred to one of a lower level.
""",
    "subtopics": """\
QRELS in the format subtopics: a line for each judgment of a document for one subtopic
(intent, aspect) of the topic,
    401  3  FT911-3  2
that is: topic, subtopic, document, grade. Measures of diversity work on it; for all
others a document has the highest of its grades. --intents says how likely each
subtopic is.
""",
    "ntcir": """\
QRELS in the format ntcir: a line for each judged document,
    0101  clueweb12-0000tw-25-16201  L2
that is: topic, document, level; L0 is judged and not relevant. A fourth field, if the
first line has one, names the class of documents that say the same: only the first
document of a class counts, later ones are not relevant, and the recall base counts
classes, each with its highest level.
""",
    "strata": """\
QRELS in the format strata: a line for each document of the pool, judged or not,
    401  0  FT911-3  2  1
that is: topic, a field nobody reads, document, stratum, grade. A negative grade means
that the document was not drawn into the stratum's sample. xinfAP, infNDCG and what
else is estimated from strata work on it; all other measures see the grades alone.
""",
    "prels": """\
QRELS in the format prels: a line for each judged document,
    401  FT911-3  2  1  0.35
that is: topic, document, grade, why it was judged (0 MTC, 1 statAP, 2 both), and the
probability with which it was to be judged, above 0 and at most 1, or NA. statAP and
its kin work on it; all other measures see the grades alone.
""",
}


def print_help(measures: Sequence[str], qrels_format: str, run_format: str, version: int) -> None:
    """Print the help of the current command; a format that is not known is left out."""
    parts = [click.get_current_context().get_help() + "\n"]
    if run_format in _RUN_FORMATS:
        parts.append(_RUN_FORMATS[run_format])
    if qrels_format in _QRELS_FORMATS:
        parts.append(_QRELS_FORMATS[qrels_format])
    parts.append("".join(_measures(measures, version)))
    print_out([f"{_RULE}\n".join(parts).encode()])


def _measures(names: Sequence[str], version: int) -> Iterator[str]:
    if not names:
        yield "Measures: name one, or a set of them, with -m to read about it,\n"
        yield "as in: irev -h -m map -m set\n"
        return
    from irev.measures.names import Plain, describe, resolve

    yield "The measures asked for:\n"
    try:
        requests = resolve(names, Plain(version))
    except UsageError:
        # parameters play no part here; an empty one is as wrong as anywhere
        plain = [_without_parameters(name) for name in names]
        requests = resolve(plain, Plain(version))
    for request in requests:
        yield f"\n{describe(request.measure).rstrip()}\n"


def _without_parameters(name: str) -> str:
    """The name in trec_eval's way without what follows its dot; any other as it is."""
    if name.endswith(".") or set("(@:") & set(name):
        return name
    return name.partition(".")[0]
