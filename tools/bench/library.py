"""Evaluates a run with another Python library: `python library.py NAME QRELS RUN...`.

A program of its own, started by whichever interpreter has the library. pytrec_eval computes all its
measures; the others, which have no such set, a dozen of the usual ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def pytrec_eval(qrels: str, runs: list[str]) -> None:
    """All measures for each topic, and the means."""
    library = import_module("pytrec_eval")
    with open(qrels, encoding="utf-8") as file:
        evaluator = library.RelevanceEvaluator(library.parse_qrel(file), library.supported_measures)
    for run in runs:
        with open(run, encoding="utf-8") as file:
            results = evaluator.evaluate(library.parse_run(file))
        for name in sorted(next(iter(results.values()))):
            values = [topic[name] for topic in results.values()]
            print(name, library.compute_aggregated_measure(name, values))


def ir_measures(qrels: str, runs: list[str]) -> None:
    """The means of a dozen measures."""
    library = import_module("ir_measures")
    names = "AP RR Rprec Bpref nDCG nDCG@10 P@5 P@10 R@100 R@1000 SetP NumRelRet"
    measures = [library.parse_measure(name) for name in names.split()]
    for run in runs:
        judged, ranked = library.read_trec_qrels(qrels), library.read_trec_run(run)
        print(library.calc_aggregate(measures, judged, ranked))


def ranx(qrels: str, runs: list[str]) -> None:
    """The means of a dozen measures."""
    library = import_module("ranx")
    names = (
        "map mrr r-precision bpref ndcg ndcg@10 precision@5 precision@10 recall@100 recall@1000 "
        "precision hits"
    )
    judged = library.Qrels.from_file(qrels, kind="trec")
    for run in runs:
        ranked = library.Run.from_file(run, kind="trec")
        print(library.evaluate(judged, ranked, names.split(), make_comparable=True))


LIBRARIES: dict[str, Callable[[str, list[str]], None]] = {
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}

if __name__ == "__main__":
    LIBRARIES[sys.argv[1]](sys.argv[2], sys.argv[3:])
