"""What documents add to linear measures one by one, and which measures a sample estimates."""

import numpy as np
import pytest

import irev.measures
from irev.core.judged import Judged, Settings
from irev.errors import UsageError
from irev.measures.naming.resolve import resolve_names
from irev.measures.registry import MEASURES
from irev.measures.unjudged import document_gains, estimable_and_ideal_requests, highest_values
from irev.options import Options
from tests.each import for_each

irev.measures.load_all()
RANK = np.array([1, 2, 4, 5, 9, 14])
GRADE = np.array([2.0, 0.0, 1.0, 3.0, 1.0, 2.0])
NAMES = {
    "CG": "CG CG(gain={1:1,2:5,3:7})@5",
    "DCG": "DCG DCG@10 DCG(disc=jk,b=3)@9 DCG(gain=exp)@5 dcg",
    "gP": "gP(max=3)@5",
    "MeanRelRet": "MeanRelRet MeanRelRet(rel=2)@9",
    "NumRelRet": "NumRelRet num_rel_ret NumRelRet@4",
    "P": "P@5 P(rel=2)@10 P.5,10",
    "RBP": "RBP(max=3) RBP(gain=binary,p=0.5)@5 RBP(gain=raw)",
    "SDCG": "SDCG(max=3)@10",
}


def request_of(name):
    (request,) = resolve_names([name], Options())
    return request


def judged(rank=RANK, grade=GRADE, more=(1.0, 3.0)):
    """One ranking of 20 documents, and the grades of judged ones that it lacks."""
    levels, counts = np.unique([*grade, *more], return_counts=True)
    return Judged(
        np.zeros(len(rank), np.int64), rank, grade, np.array([20]), np.array([0, len(levels)]),
        levels, counts, Settings(),
    )  # fmt: skip


def test_every_linear_measure_is_tried():
    assert {name for name, record in MEASURES.items() if record.linear} == {*NAMES}


@for_each("name", [name for names in NAMES.values() for name in names.split()])
def test_a_linear_measure_is_the_sum_of_what_documents_add(name):
    request = request_of(name)
    gains = document_gains(request, RANK, GRADE, Settings())
    np.testing.assert_allclose(gains.sum(axis=0), request.values(judged())[0], rtol=1e-12)
    # nothing else that is judged changes it
    np.testing.assert_allclose(gains.sum(axis=0), request.values(judged(more=()))[0], rtol=1e-12)
    assert not gains[GRADE == 0].any()


def test_ndcg_is_estimated_by_its_two_sums():
    for name in ("nDCG@5", "ndcg_cut.5", "nDCG(disc=jk,b=2)@5"):
        request = request_of(name)
        numerator, ideal = estimable_and_ideal_requests(request)
        assert ideal is not None
        levels, counts = np.unique([*GRADE, 1.0, 3.0], return_counts=True)
        reached = document_gains(numerator, RANK, GRADE, Settings()).sum(axis=0)
        highest = highest_values(ideal, levels, counts[None, :], Settings())[0]
        np.testing.assert_allclose(reached / highest, request.values(judged())[0])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("map", "xinfAP"),
        ("AP@10", "xinfAP"),
        ("recip_rank", "xinfAP"),
        ("ERR@20", "xinfAP"),
        ("recall.10", "xinfAP"),
        ("Rprec", "xinfAP"),
        ("bpref", "xinfAP"),
        ("rbp", "RBP"),
        ("ndcg", "not cut at a rank"),
        ("P(condensed=true)@5", "not drawn"),
        ("dcg.-1=1", "without a judgment"),
    ],
)
def test_other_measures_are_refused_by_name(name, says):
    request = request_of(name)
    with pytest.raises(UsageError, match=says) as refused:
        estimable_and_ideal_requests(request)
    assert request.columns[0].name in str(refused.value)
