"""Write docs/measures/: a page for each family of measures, an index, suites and references.

Run as `python -m tools.docs.measure_pages`, or `make docs`. Everything comes from the records
of the measures and from `irev/measures/pages.toml`; the worked examples come from `irev explain`.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from irev.jobs.explain.explain import explain
from irev.measures import all_measures
from irev.measures.describe import (
    Reference,
    describe_measure,
    direction_text,
    escape_markdown,
    example_in_words,
    example_name_ranking_and_value,
    measure_signature,
    measures_by_family,
    page_markdown,
    page_texts,
    range_text,
    suite_list_item_markdown,
)
from irev.measures.naming.grammar import SUITES

if TYPE_CHECKING:
    from irev.jobs.explain.explain import Cell, ExplainedScore
    from irev.measures.registry import Measure

FOLDER = Path(__file__).parents[2] / "docs" / "measures"

NOTATION = """\
**Notation of the examples.** `2 0 - 1 | 1` is a ranking: grade 2 at rank 1, grade 0 at rank 2, a
document that is not in the qrels (`-`) at rank 3, grade 1 at rank 4. Behind `|` are judged
documents that were not retrieved: here one of grade 1. `.` is a document that was pooled but not
judged. `1,0` are the grades for two subtopics. `1/2` is grade 1 in stratum 2, or with `-R prels` a
grade and the probability with which the document was judged. The symbols of the formulas are
[explained once](index.md#symbols).
"""

INDEX = """\
# Measures

Which measure answers your question, and what exactly does it compute?

| you have | take | family |
|---|---|---|
| binary judgments, whole rankings | `AP` | [average precision](average-precision.md) |
| graded judgments, the top of the ranking | `nDCG@10` | [cumulated gain](gain.md) |
| one right answer | `RR@10` | [precision, recall](precision.md) |
| a first stage of a pipeline | `R@100`, `R@1000` | [precision, recall](precision.md) |
| users who stop early | `RBP`, `ERR` | [patience](patience.md), [cascade](cascade.md) |
| judgments that are incomplete, or a sample | `infAP`, `bpref` | [incomplete](incomplete.md) |
| topics with subtopics | `alpha_nDCG@20` | [diversity](diversity.md) |
| answers with nuggets | `V_strict` | [nuggets](nuggets.md) |
| answers with citations | `SupP` | [support](support.md) |
| a track or a benchmark | `suite:dl19`, `suite:beir` ... | [suites](suites.md) |

Add `judged@10` to see how much of the top was judged. Some names mean another number in another
program: see [where definitions differ](../coming-from.md#where-definitions-differ).

Names in lower case, such as `ndcg_cut.10`, are trec_eval's and compute what trec_eval computes;
their parameters follow a dot. The other names are written `Name(option=value)@cutoff`, such as
`nDCG(gain=exp)@10`. Each of these also takes `rel=N`, the smallest relevant grade, and
`condensed=true`, which removes unjudged documents first.

Below is every measure, by family. Each has its formula, options, edge cases, a worked example, its
source, its names in other programs, and a sentence for a paper. On the command line `irev measures
NAME` prints the same, and `irev measures WORD...` searches.
"""

SUITES_HEAD = """\
# Suites

Measures that are reported together: `-m suite:beir`, or with a version `-m suite:beir/1`. A suite
that changes gets a new version; the old one stays.

"""


def pages() -> dict[str, str]:
    """The text of every page, by its file's name."""
    order = list(page_texts()["families"])
    families = sorted(
        measures_by_family(all_measures()),
        key=lambda item: order.index(item[0]) if item[0] in order else len(order),
    )
    written = {file_of(family): _family(family, records) for family, records in families}
    return {
        "index.md": _index(families),
        **written,
        "suites.md": SUITES_HEAD + "".join(map(suite_list_item_markdown, SUITES)),
        "references.md": _references(families),
    }


def file_of(family: str) -> str:
    """The file of a family's page."""
    return f"{family.replace(' ', '-')}.md"


def _family(family: str, records: list[Measure]) -> str:
    texts = page_texts()["families"].get(family, {})
    parts = [f"# {_title(family)}\n"]
    if texts:
        parts += [f"**When to use:** {texts['use']}\n", f"**When not:** {texts['avoid']}\n"]
    parts.append(NOTATION)
    with tempfile.TemporaryDirectory() as scratch:
        for measure in records:
            worked = "\n".join(_example_lines(measure, Path(scratch)))
            parts.append(page_markdown(describe_measure(measure), worked, "references.md"))
    return "\n".join(parts)


def _title(family: str) -> str:
    title: str = page_texts()["families"].get(family, {}).get("title", family.capitalize())
    return title


def _index(families: list[tuple[str, list[Measure]]]) -> str:
    parts = [INDEX]
    for family, records in families:
        parts.append(f"## [{_title(family)}]({file_of(family)})\n")
        rows = ["| measure | what it is | values |", "|---|---|---|"]
        for measure, anchor in zip(records, anchors(records), strict=True):
            values = ", ".join(filter(None, (range_text(measure), direction_text(measure))))
            name = f"[`{measure_signature(measure)}`]({file_of(family)}#{anchor})"
            rows.append(f"| {name} | {escape_markdown(measure.title)} | {values} |")
        parts.append("\n".join(rows) + "\n")
    parts.append("## Suites and references\n")
    parts.append("[Suites](suites.md) of measures that are reported together; [references]"
                 "(references.md) with BibTeX.\n")  # fmt: skip
    parts.append("## Symbols\n")
    rows = ["| symbol | meaning |", "|---|---|"]
    rows += [f"| ${symbol}$ | {meaning} |" for symbol, meaning in page_texts()["notation"].items()]
    parts.append("\n".join(rows) + "\n")
    names = [Path(file_of(family)).stem for family, _ in families]
    parts.append("\n".join(["```{toctree}", ":hidden:", *names, "suites", "references", "```\n"]))
    return "\n".join(parts)


def anchors(records: list[Measure]) -> list[str]:
    """The anchors of the headings of a page, as GitHub and Sphinx make them."""
    slugs: list[str] = []
    for measure in records:
        slug = re.sub(r"[^\w\- ]", "", measure_signature(measure).lower()).replace(" ", "-")
        again = sum(each == slug or each.startswith(f"{slug}-") for each in slugs)
        slugs.append(f"{slug}-{again}" if again else slug)
    return slugs


def _references(families: list[tuple[str, list[Measure]]]) -> str:
    cited: dict[str, Reference] = {}
    for _, records in families:
        for measure in records:
            cited.update((each.key, each) for each in describe_measure(measure).references)
    parts = ["# References\n"]
    for key in sorted(cited):
        parts.append(f"## {key}\n\n{cited[key].short}\n\n```bibtex\n{cited[key].bibtex}```\n")
    return "\n".join(parts)


# --- worked examples ---

_LINES = {
    "qrels": "q 0 {document} {grade}",
    "qrels_jg": "q 1 {document} {grade}",
    "strata": "q 0 {document} {rest} {grade}",
    "prels": "q {document} {grade} 1 {rest}",
}
"""A line of judgments, by format."""


def _example_lines(measure: Measure, scratch: Path) -> Iterator[str]:
    """The example rank by rank; nothing where a measure has none."""
    if measure.example is None:
        return
    name, ranking, value = example_name_ranking_and_value(measure)
    qrels = scratch / "qrels"
    qrels.write_text("".join(f"{line}\n" for line in _judgments(ranking, measure.needs)))
    count = len(ranking.partition("|")[0].split())
    run: object = {"q": {f"d{place}": float(count - place) for place in range(count)}}
    run = "A" if measure.needs in ("nuggets", "support") else run
    format = "qrels" if measure.needs == "any" else measure.needs
    explanation = None
    if measure.per_topic and measure.average != "geometric":
        explained = explain(str(qrels), run, [name], topic="q", qrels_format=format)
        (explanation,) = explained.scores
    yield f"**Worked example:** `{name}` of `{ranking}` is {value:.6g}."
    yield _sentence(example_in_words(ranking, measure.needs))
    if explanation:
        yield from ("", *_table(explanation), "")
        yield from _sum_lines(explanation)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _judgments(ranking: str, needs: str) -> Iterator[str]:
    ranked, _, missed = ranking.partition("|")
    if needs == "nuggets":
        yield _assignments(ranked.split(), missed.split())
        return
    if needs == "support":
        yield _support(ranked.split())
        return
    for number, code in enumerate([*ranked.split(), *missed.split()]):
        if code == "-":
            continue
        grade, _, rest = code.partition("/")
        fields = {"document": f"d{number}", "rest": rest}
        if needs == "subtopics":
            for subtopic, each in enumerate(grade.split(","), 1):
                yield f"q {subtopic} d{number} {each}"
        else:
            line = _LINES["qrels" if needs == "any" else needs]
            yield line.format(grade="-1" if grade == "." else grade, **fields)


def _assignments(supported: list[str], others: list[str]) -> str:
    """The line of an answer that supports some nuggets, given the grades of all."""
    labels = [*["support"] * len(supported), *["not_support"] * len(others)]
    nuggets = [
        {"text": f"n{number}", "assignment": label,
         "importance": "vital" if grade == "2" else "okay"}
        for number, (grade, label) in enumerate(zip([*supported, *others], labels, strict=True))
    ]  # fmt: skip
    return json.dumps({"qid": "q", "run_id": "A", "nuggets": nuggets})


def _support(sentences: list[str]) -> str:
    """The line of an answer, given the labels of the citations of each sentence, "-" for none."""
    labels = [[] if each == "-" else [*map(int, each.split(","))] for each in sentences]
    lines = [{"citations": [{"support": label} for label in each]} for each in labels]
    return json.dumps({"topic_id": "q", "run_id": "A", "sentences": lines})


def _table(explanation: ExplainedScore) -> Iterator[str]:
    columns = {n: c for n, c in explanation.columns.items() if n not in ("document", "score")}
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---:|' * len(columns)}"
    for row in zip(*columns.values(), strict=True):
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(cell: Cell) -> str:
    if cell is None or cell != cell:
        return "–"
    if isinstance(cell, float):
        return (
            f"{cell:.4f}".rstrip("0").rstrip(".").replace("-0", "0" if abs(cell) < 5e-5 else "-0")
        )
    return str(cell)


def _sum_lines(explanation: ExplainedScore) -> Iterator[str]:
    """What the sum starts from and is divided by."""
    text = "`adds` is what each rank adds to the value; together they are the value."
    if explanation.start:
        text = f"An empty ranking has {explanation.start:.6g}. {text}"
    for fact in explanation.facts:
        if fact.name == "divisor" and fact.value is not None:
            text += f" Divisor: {_cell(fact.value)} ({fact.meaning})."
    yield text


def main() -> None:
    """Write all pages, and remove those of families that are no more."""
    written = pages()
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    for path in FOLDER.glob("*.md"):
        if path.name not in written:
            path.unlink()


if __name__ == "__main__":
    main()
