"""The expected values of statistics, and real matrices of scores where there are any."""

import csv
import json
import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from tests.files import CASES

FILE = CASES / "statistics" / "stats_expected.csv"
MARKS = CASES / "statistics" / "marks_expected.csv"


@cache
def every_row():
    with FILE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def rows(*sections):
    """(section, case, quantity, expected, tolerance) of each row, as parameters of a test."""
    return [
        pytest.param(
            row["section"],
            row["case"],
            row["quantity"],
            json.loads(row["expected"]),
            float(row["tol"]),
            id=f"{row['section']}-{row['case']}-{row['quantity']}",
        )
        for row in every_row()
        if row["section"] in sections
    ]


def marks_rows(section, case):
    """The rows of a case of ties with the best ("best") or of Hall's intervals ("hall")."""
    with MARKS.open(encoding="utf-8", newline="") as lines:
        return [
            row for row in csv.DictReader(lines) if (row["section"], row["case"]) == (section, case)
        ]


def plain_hall_interval(values, level=0.95):
    """Both ends of Hall's interval of a mean: his cubic turned round by bisection."""
    count = len(values)
    mean = math.fsum(values) / count
    second, third = (
        math.fsum((value - mean) ** power for value in values) / count for power in (2, 3)
    )
    if not second:
        return mean, mean
    sd, skew = math.sqrt(second * count / (count - 1)), third / second**1.5

    def cubic(w):
        return w + skew * w**2 / 3 + skew**2 * w**3 / 27 + skew / (6 * count)

    def turned_round(target):
        low, high = -1e3, 1e3
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if cubic(middle) < target else (low, middle)
        return low

    reach = stats.t.ppf((1 + level) / 2, count - 1) / math.sqrt(count)
    return mean - sd * turned_round(reach), mean - sd * turned_round(-reach)


def matrix(case):
    """The scores, topics x runs, that a case is about, and the names of its runs.

    A case is "F1", or with some of the runs "F2[A,B,C]".
    """
    base = case[:2]
    names = {"F1": "XYZ", "F2": "ABCD"}[base]
    (text,) = (r["expected"] for r in every_row() if (r["section"], r["case"]) == ("data", base))
    scores = np.array(json.loads(text))
    kept = case[3:-1].split(",") if "[" in case else list(names)
    return scores[:, [names.index(name) for name in kept]], kept


def pair_of(case):
    """The scores of the two runs of a case such as "F2:A-B"."""
    scores, names = matrix(case[:2])
    first, second = case[3:].split("-")
    return scores[:, [names.index(first), names.index(second)]]
