"""What people type into the search of the site, and the page that they look for.

Sphinx puts a page first if an entry of its index is what was typed. Measures have an entry for each
of their names, from their records; guides have those below. They are added while the site is built,
so that the pages themselves stay as they are.

`python -m tools.docs.search_terms FOLDER` asks Sphinx's own script, in Node.js, what the search of
a built site finds, and fails if a page of `LOOKED_FOR` is not the first.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from irev.measures import all_measures
from irev.measures.describe import measure_signature
from tools.docs.measure_pages import file_of

if TYPE_CHECKING:
    from irev.measures.registry import Measure

TERMS = {
    "tutorial": "install, installation, pip, uv, getting started, quick start, example, beginner",
    "trec_eval": "trec_eval, trec eval, treceval, differences from trec_eval",
    "notebook": "python, pandas, polars, numpy, notebook, jupyter, colab, data frame, dataframe, "
    "duckdb, api",
    "ci": "ci, github, github actions, gitlab, junit, continuous integration, regression, gate, "
    "exit code, pre-commit",
    "red-gate": "red gate, failed gate, gate failed",
    "organiser": "shared task, organiser, overview paper",
    "leaderboard": "leaderboard, codabench, tira, evalai, submissions, anonymous, teams",
    "student": "thesis, paper, methods section, bibtex",
    "tracks": "trec, track, tracks, collections, ntcir, clef, beir, mteb, ms marco, deep learning, "
    "dl19, dl20, robust04, longeval, cast, ikat, trec-covid",
    "coming-from": "ranx, ir_measures, pytrec_eval, ntcireval, migrate, migration, definitions, "
    "differences between programs",
    "upgrading": "upgrade, migrate from 0.2, breaking changes, what changed",
    "evaluating": "ties, tied scores, cutoff, missing topics, settings, configuration, toml, "
    "environment variables, weights, plugin, conversations, relevance level",
    "formats": "qrels, run file, run format, csv, jsonl, parquet, gzip, duplicates, "
    "exclude documents, msmarco",
    "output": "json, mlflow, wandb, weights and biases, html, markdown, output format, signature",
    "comparing": "latex, compare, baseline, booktabs, equivalence, confidence interval, "
    "effect size, report, html report, page",
    "statistics": "significance, significance test, p-value, p value, t-test, t test, permutation, "
    "bootstrap, wilcoxon, holm, bonferroni, multiple testing, moderated t, tukey, hsd, "
    "how many topics, enough topics, verdict",
    "predicted-judgments": "llm, llm judge, language model, prediction-powered, ppi, umbrela",
    "answers": "rag, nuggets, nugget, answers, trec rag, generation",
    "checking": "check, validate, errors in files",
    "sampling": "incomplete judgments, pool, pooling, sample, inferred",
    "studies": "kendall, tau, discriminative power, plot, figure, power analysis",
    "evidence/studies": "gallery, figures, charts, plots, pictures",
    "search-engines": "elasticsearch, opensearch, lucene, llamaindex",
    "frameworks": "solr, vespa, pyserini, anserini, langchain, haystack",
    "labels": "labels, clicks, click log, ratings, stars",
    "bridges": "pyterrier, ir_measures bridge, drop-in",
    "speed": "speed, memory, benchmark, performance, fast, spark, cluster, hadoop, databricks",
    "evidence/robustness": "fuzzing, robustness",
}
"""Page -> what is typed by whoever looks for it."""

LOOKED_FOR = {
    "mrr": "measures/precision", "recip_rank": "measures/precision", "pandas": "notebook",
    "ndcg": "measures/gain", "map": "measures/average-precision", "bpref": "measures/incomplete",
    "infap": "measures/incomplete", "err": "measures/cascade", "rbp": "measures/patience",
    "significance": "statistics", "p-value": "statistics", "t-test": "statistics",
    "ties": "evaluating", "unjudged": "measures/counts", "elasticsearch": "search-engines",
    "latex": "comparing", "ci": "ci", "github": "ci", "polars": "notebook",
    "notebook": "notebook", "trec_eval": "trec_eval", "leaderboard": "leaderboard",
    "qrels": "formats", "install": "tutorial", "llm": "predicted-judgments", "plot": "studies",
    "precision": "measures/precision", "rbo": "measures/compatibility", "nuggets": "answers",
}  # fmt: skip
"""What is typed -> the page that must be found first."""


def with_search_terms(page: str, text: str) -> str:
    """A page with the entries of the index behind its headings.

    Args:
        page: its name, without ending: "notebook", "measures/gain".
        text: its Markdown.
    """
    if page in TERMS:
        return _with_entries(text, r"^# .+$", TERMS[page].split(", "))
    for measure in measures_by_page().get(page, ()):
        heading = rf"^## `{re.escape(measure_signature(measure))}`$"
        text = _with_entries(text, heading, measure_terms(measure))
    return text


def all_terms() -> dict[str, list[str]]:
    """Every page with its terms."""
    of_guides = {page: line.split(", ") for page, line in TERMS.items()}
    of_measures = {
        page: [term for measure in measures for term in measure_terms(measure)]
        for page, measures in measures_by_page().items()
    }
    return of_guides | of_measures


_DOCS = Path(__file__).parents[2] / "docs"


@cache
def measures_by_page() -> dict[str, list[Measure]]:
    """The measures that each page describes."""
    pages: dict[str, list[Measure]] = {}
    for measure in all_measures():
        file_name = file_of(measure.family)
        if (_DOCS / "measures" / file_name).exists():  # one of a user's own file has no page
            pages.setdefault(f"measures/{file_name.removesuffix('.md')}", []).append(measure)
    return pages


def measure_terms(measure: Measure) -> list[str]:
    """The names of a measure, here and in every program: what stands before options and cutoffs."""
    names = [measure.name, *measure.aliases]
    names += [
        name for spelling in measure.spellings
        if spelling.program == "everywhere" for name in spelling.names.split()
    ]  # fmt: skip
    plain = (re.sub(r"[^\w-].*", "", name).lower() for name in names)
    return list(dict.fromkeys(filter(None, plain)))


def _with_entries(text: str, heading: str, terms: list[str]) -> str:
    """A text with main entries behind its first heading of this form."""
    block = f"\n\n```{{index}} {', '.join(f'! {term}' for term in terms)}\n```"
    return re.sub(heading, lambda found: found[0] + block, text, count=1, flags=re.MULTILINE)


# What the search finds

_ASK = """
const fs = require("fs"), vm = require("vm"), [folder, ...queries] = process.argv.slice(1);
const page = { documentElement: { dataset: { content_root: "" } }, addEventListener() {},
  getElementById() { return {}; }, readyState: "loading" };
const context = vm.createContext({ document: page, console, _: (text) => text,
  DOCUMENTATION_OPTIONS: {}, URLSearchParams, _ready() {}, SPHINX_HIGHLIGHT_ENABLED: false,
  localStorage: { setItem() {} } });
context.window = context;
for (const name of ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"]) {
  vm.runInContext(fs.readFileSync(`${folder}/${name}`, "utf8"), context);
}
context.queries = queries;
vm.runInContext(`answers = queries.map((query) => {
  const results = Search._performSearch(...Search._parseQuery(query)).reverse();
  return [...new Set(results.map((result) => result[0]))];
})`, context);
process.stdout.write(JSON.stringify(context.answers));
"""


def found_pages(site: Path, queries: list[str]) -> list[list[str]]:
    """The pages that the search of a built site finds for each query, the best first."""
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("node")
    done = subprocess.run(
        [node, "-e", _ASK, "--", str(site), *queries],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    answers: list[list[str]] = json.loads(done.stdout)
    return answers


def main() -> int:
    """Ask the site for each of `LOOKED_FOR`; 1 if another page comes first."""
    site = Path(sys.argv[1])
    try:
        answers = found_pages(site, list(LOOKED_FOR))
    except FileNotFoundError:
        print("the search was not tried: there is no Node.js")
        return 0
    wrong = 0
    for (query, page), pages in zip(LOOKED_FOR.items(), answers, strict=True):
        if pages[:1] != [page]:
            wrong += 1
            print(f"the search for {query} finds {', '.join(pages[:3])}, not {page}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
