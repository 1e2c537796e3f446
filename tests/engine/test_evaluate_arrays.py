"""`irev.evaluate_arrays`: labels and scores as scikit-learn takes them, and its numbers.

The expected values are scikit-learn 1.9.1's: `ndcg_score` and `dcg_score`, `roc_auc_score`,
`average_precision_score`, `label_ranking_average_precision_score`, `label_ranking_loss` and
`coverage_error`, row by row or as the mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from irev import InputError, compare, evaluate, evaluate_arrays
from tests.each import for_each

LABELS = [[3, 2, 0, 0, 1], [0, 1, 0, 2, 0], [1, 0, 0, 0, 3]]
SCORES = [[0.1, 0.9, 0.8, 0.3, 0.5], [0.4, 0.6, 0.2, 0.3, 0.7], [0.9, 0.1, 0.8, 0.2, 0.3]]
TIED = [[0.5, 0.5, 0.5, 0.1, 0.1], [0.2, 0.2, 0.9, 0.9, 0.2], [0.3, 0.3, 0.3, 0.3, 0.3]]


@for_each(("scores", "measure", "ties", "expected"), [
    (SCORES, "nDCG", None, [0.7687245741317422, 0.5672074169568708, 0.6885288809404667]),
    (SCORES, "nDCG@3", None, [0.5250049893849102, 0.2398124665681314, 0.6885288809404667]),
    (SCORES, "DCG@3", None, [2.5, 0.6309297535714573, 2.5]),
    (SCORES, "AUC", None, [0.5, 0.5, 0.8333333333333334]),
    (SCORES, "AP", None, [0.7555555555555555, 0.5, 0.8333333333333333]),
    # equal scores: scikit-learn takes the mean of their gains, and half of a pair
    (TIED, "nDCG", "average", [0.8316739009202506, 0.7868344663569813, 0.6496317624386375]),
    (TIED, "nDCG@3", "average", [0.7458325017691817, 0.6832551944033881, 0.46950613714857603]),
    (TIED, "DCG@3", "average", [3.5515495892857625, 1.797596420238124, 1.704743802857166]),
    (TIED, "AUC", None, [0.5833333333333333, 0.5833333333333334, 0.5]),
])  # fmt: skip
def test_numbers_are_those_of_scikit_learn(scores, measure, ties, expected):
    found = evaluate_arrays(LABELS, scores, measure, ties=ties).by_topic(measure)
    assert found == pytest.approx(dict(zip("012", expected, strict=True)), abs=1e-14)


def test_means_are_those_of_scikit_learn():
    scores = evaluate_arrays(np.array(LABELS), np.array(SCORES), "AP AUC LastRel")
    assert scores["AP"] == pytest.approx(0.6962962962962962)  # label ranking average precision
    assert 1 - scores["AUC"] == pytest.approx(0.3888888888888889)  # label ranking loss
    assert scores["LastRel"] == 4.0  # coverage error


def test_groups_are_topics_in_any_order():
    order = np.random.default_rng(3).permutation(15)
    groups = np.repeat(["x", "y", "z"], 5)[order]
    labels, scores = np.ravel(LABELS)[order], np.ravel(SCORES)[order]
    expected = dict(
        zip("xyz", evaluate_arrays(LABELS, SCORES, "nDCG").by_topic("nDCG").values(), strict=True)
    )
    frame = pd.DataFrame({"group": groups, "label": labels, "score": scores})
    for y_true, y_score, group in (
        (labels, scores, groups),
        (labels.tolist(), scores.tolist(), groups.tolist()),
        (frame["label"], frame["score"], frame["group"]),
    ):
        assert evaluate_arrays(y_true, y_score, "nDCG", groups=group).by_topic("nDCG") == expected
    # one dimension alone is one topic
    one = evaluate_arrays(LABELS[0], SCORES[0], "nDCG").by_topic("nDCG")
    assert one == {"0": pytest.approx(0.7687245741317422)}


def test_cells_that_are_no_document_and_documents_without_judgment():
    """As mappings have it: d1 is not judged, d3 of the second topic is no document."""
    nan = float("nan")
    labels, scores = [[1, nan, 0, 2], [0, 1, 1, nan]], [[0.1, 0.4, 0.2, 0.3], [0.5, 0.2, 0.3, nan]]
    is_there = [[True] * 4, [True, True, True, False]]
    qrels = {"0": {"d0": 1, "d2": 0, "d3": 2}, "1": {"d0": 0, "d1": 1, "d2": 1}}
    run: dict[str, dict[str, float]] = {
        "0": {"d0": 0.1, "d1": 0.4, "d2": 0.2, "d3": 0.3}, "1": {"d0": 0.5, "d1": 0.2, "d2": 0.3},
    }  # fmt: skip
    names = "nDCG AP Judged@4 NumRet"
    expected = evaluate(qrels, run, names).values.tolist()
    assert evaluate_arrays(labels, scores, names, mask=is_there).values.tolist() == expected
    masked_labels, masked_scores = np.ma.masked_invalid(labels), np.ma.masked_invalid(scores)
    assert evaluate_arrays(masked_labels, masked_scores, names).values.tolist() == expected
    # a masked score is a document that was judged, but not retrieved
    hidden = np.ma.array([[0.9, 0.1]], mask=[[True, False]])
    assert evaluate_arrays([[1, 1]], hidden, "AP").by_topic("AP") == {"0": 0.5}


def test_several_arrays_of_scores_are_runs():
    table = evaluate_arrays(LABELS, {"one": SCORES, "two": TIED}, "nDCG", ties="average")
    assert table["one", "nDCG"] == pytest.approx(0.6748202906763599)
    assert table["two", "nDCG"] == pytest.approx(0.7560467099352898)
    assert compare(table).table.run_names == ("one", "two")


def test_equal_scores_are_warned_of():
    with pytest.warns(UserWarning, match="equal scores"):
        evaluate_arrays([[0, 1] * 10], [[0.5] * 20], "nDCG@10")


GOOD: dict[str, Any] = {"y_true": [[1, 0]], "y_score": [[0.2, 0.1]]}


@for_each(("arrays", "message"), [
    ({"y_true": [[1, 0], [1]]}, "y_true: this is no array: .* mask="),
    ({"y_true": [[["1"]]]}, "y_true: there are 3 dimensions"),
    ({"y_true": 1}, "y_true: there are 0 dimensions"),
    ({"y_true": []}, "y_true: the array is empty"),
    ({"y_true": [["1", "0"]]}, "y_true: the array holds <U1, not numbers"),
    ({"y_true": [[float("nan")] * 2]}, "y_true: there is no grade in it"),
    ({"y_score": [[0.2]]}, r"y_score: its shape is \(1, 1\), that of y_true \(1, 2\)"),
    ({"y_score": [0.2, 0.1]}, r"y_score: its shape is \(2,\)"),
    ({"y_score": {"bm25": [[0.2]]}}, r"y_score\['bm25'\]: its shape"),
    ({"y_score": [[0.2, float("nan")]]}, r"y_score\[0, 1\]: the score is NaN"),
    ({"mask": [[True]]}, "mask: it must be True or False"),
    ({"mask": [[1, 0]]}, "mask: it must be True or False"),
    ({"groups": [1, 1]}, "groups: y_true has two dimensions"),
    ({"y_true": [1, 0, 1], "y_score": [1, 2, 3], "groups": [2, 1]}, "np.repeat"),
    ({"y_true": [1, 0], "y_score": [1, 2], "groups": ["a"]}, "give the topic of each document"),
    ({"y_true": [1, 0], "y_score": [1, 2], "groups": [0.5, 1]}, "groups: the array holds float64"),
])  # fmt: skip
def test_arrays_that_make_no_sense(arrays, message):
    arguments = {**GOOD, **arrays}
    with pytest.raises(InputError, match=f"(?s){message}"):
        evaluate_arrays(arguments.pop("y_true"), arguments.pop("y_score"), "AP", **arguments)
