"""`irev.evaluate_arrays`: arrays of grades and scores, as scikit-learn's functions take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, offsets, ranks_in_segments
from irev.core.job import job
from irev.engine.evaluate import evaluate
from irev.errors import InputError, Problem
from irev.options import EvaluationOptions

if TYPE_CHECKING:
    import numpy.typing as npt

    from irev.scores.scores import Scores
    from irev.scores.table import ScoreTable


@job(EvaluationOptions)
def evaluate_arrays(
    y_true: Any,
    y_score: Any,
    measures: object = (),
    *,
    groups: Any = None,
    mask: Any = None,
    options: EvaluationOptions,
) -> Scores | ScoreTable:
    """Evaluate arrays of grades and scores, as scikit-learn's functions of ranking take them.

    Args:
        y_true: grades, a row for each topic and a column for each document; or one dimension, the
            documents of one topic or of the topics in `groups`. NaN, or a masked cell, is a
            document without judgment. Lists, pandas' columns and tensors will do.
        y_score: scores in the same shape, the higher the better. A masked cell is a document that
            was not retrieved; NaN is an error. A mapping from names to such arrays is several runs.
        measures: names as `evaluate` takes them: "nDCG@10 AP".
        groups: the topic of each document, where the arrays have one dimension; in any order.
        mask: True where there is a document, False where a cell only fills up its row.
        options: as those of `evaluate`.

    Returns:
        What `evaluate` gives. Topics are called after their rows, "0", "1", ..., or by `groups`;
        a document is its place, d0, d1, ..., so that of equal scores the last place comes first.
        `ties="average"` takes the mean over all orders.

    Raises:
        UsageError: a measure or option that makes no sense.
        InputError: arrays that are no numbers, or whose shapes do not match; a score that is NaN.

    Warns:
        IrevWarning: the scores may mislead, for instance since equal scores decide.

    Example:
        >>> scores = evaluate_arrays([[1, 0, 2]], [[0.1, 0.4, 0.3]], "nDCG AP")
        >>> scores.summary()
        {'nDCG': 0.66967181649423, 'AP': 0.5833333333333333}
    """
    grades, is_unjudged = _numbers_and_mask("y_true", y_true)
    is_there = np.ones(grades.shape, bool) if mask is None else np.asarray(mask)
    if is_there.dtype != bool or is_there.shape != grades.shape:
        wrong = f"it must be True or False in the shape of y_true, {grades.shape}"
        raise _array_error("mask", wrong, "True is a document")
    topics, documents = _array_topics_and_documents(grades, groups)

    def rows(numbers: Floats, cells: Bools, field: str) -> dict[str, Any]:
        flags = cells.ravel()
        numbers = numbers.ravel()[flags]
        return {"topic": topics[flags], "document": documents[flags], field: numbers}

    is_judged = is_there & ~is_unjudged & ~np.isnan(grades)
    if not is_judged.any():
        raise _array_error(
            "y_true", "there is no grade in it", "NaN is a document without judgment"
        )
    runs = {}
    for name, array in (y_score if isinstance(y_score, Mapping) else {"": y_score}).items():
        noun = f"y_score[{name!r}]" if name else "y_score"
        scores, is_missing = _numbers_and_mask(noun, array)
        if scores.shape != grades.shape:
            wrong = f"its shape is {scores.shape}, that of y_true {grades.shape}"
            raise _array_error(noun, wrong, "give a score for each grade")
        is_retrieved = is_there & ~is_missing
        nan_cells = np.argwhere(is_retrieved & np.isnan(scores))
        if len(nan_cells):
            cell = nan_cells[0].tolist()
            hint = "mask= leaves out what only fills up a row, a masked array what is not retrieved"
            raise _array_error(f"{noun}{cell}", "the score is NaN", hint)
        runs[str(name)] = rows(scores, is_retrieved, "score")
    several = isinstance(y_score, Mapping)
    return evaluate.run(
        rows(grades, is_judged, "grade"), runs if several else runs[""], measures, options=options
    )


def _numbers_and_mask(noun: str, given: Any) -> tuple[Floats, Bools]:
    """An array of one or two dimensions, and which of its cells are masked."""
    try:
        array = given if isinstance(given, np.ma.MaskedArray) else np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:
        hint = "fill up short rows and say mask=, or give one dimension with groups="
        raise _array_error(noun, f"this is no array: {error}", hint) from None
    if array.ndim not in (1, 2):
        hint = "write .toarray()" if hasattr(given, "toarray") else "topics x documents, or groups="
        raise _array_error(noun, f"there are {array.ndim} dimensions, not 1 or 2", hint)
    if array.dtype.kind not in "biuf":
        raise _array_error(
            noun, f"the array holds {array.dtype}, not numbers", "write .astype(float)"
        )
    if not array.size:
        raise _array_error(noun, "the array is empty", "")
    return np.ma.getdata(array).astype(np.float64), np.ma.getmaskarray(array)


def _array_topics_and_documents(
    grades: Floats, groups: Any
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The topic and the document of each cell, row after row; a document is called by its place."""
    if grades.ndim == 2:
        if groups is not None:
            raise _array_error(
                "groups", "y_true has two dimensions, so its rows are topics", "leave groups out"
            )
        topic_ids, place = (index.ravel() for index in np.indices(grades.shape))
    elif groups is None:
        topic_ids, place = np.zeros(len(grades), np.int64), np.arange(len(grades))
    else:
        topic_ids = np.asarray(groups)
        if topic_ids.shape != grades.shape:
            is_sizes = topic_ids.dtype.kind in "iu" and topic_ids.sum() == len(grades)
            hint = "of sizes write np.repeat(np.arange(len(sizes)), sizes)" if is_sizes else ""
            wrong = f"the shape is {topic_ids.shape}, that of y_true {grades.shape}"
            raise _array_error("groups", wrong, hint or "give the topic of each document")
        if topic_ids.dtype.kind not in "USOiu":
            raise _array_error(
                "groups", f"the array holds {topic_ids.dtype}, no ids", "write .astype(str)"
            )
        number_of: dict[Any, int] = {}
        numbers = [number_of.setdefault(topic, len(number_of)) for topic in topic_ids.tolist()]
        code = np.array(numbers)
        order = np.argsort(code, kind="stable")
        place = np.empty(len(code), np.int64)
        place[order] = ranks_in_segments(offsets(np.bincount(code))) - 1
    width = len(str(int(place.max())))
    names = np.array([f"d{number:0{width}}" for number in range(int(place.max()) + 1)])
    return topic_ids, names[place]


def _array_error(noun: str, wrong: str, hint: str) -> InputError:
    return InputError([Problem(noun, None, "bad-table", wrong, hint)])
