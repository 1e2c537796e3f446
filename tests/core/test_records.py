"""Options as typed, frozen records."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from irev import Options, UsageError, evaluate
from irev.cli.commands import irev
from irev.cli.options import WarningOptions
from irev.core.option_records import OutputOptions, ResultOptions
from irev.jobs.compare.comparison import CompareOptions

QRELS, RUN = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}


def test_records_are_values() -> None:
    assert Options(level=2) == Options().replace(level=2) != Options()
    assert hash(Options(level=2)) == hash(Options(level=2))
    assert repr(Options(level=2, ties="input")) == "Options(level=2, ties='input')"
    assert pickle.loads(pickle.dumps(CompareOptions(tests=["t"]))) == CompareOptions(tests=("t",))
    with pytest.raises(AttributeError, match="cannot be changed"):
        Options().level = 2  # type: ignore[misc]


def test_a_level_is_whole_or_a_fraction() -> None:
    assert repr(Options(level=2.0).level) == "2"
    assert repr(Options(level=np.float64(0.5)).level) == "0.5"
    assert Options(level=0.5).reads_fractions
    assert not Options(level=2.0).reads_fractions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": "2"}, "level must be a finite number, not '2'"),
        ({"level": True}, "level must be a finite number, not True"),
        ({"level": math.inf}, "level must be a finite number, not inf"),
        ({"level": -0.5}, "level must be at least 0, not -0.5"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"level": -1}, "level must be at least 0, not -1"),
        ({"judged_only": 1}, "judged_only must be true or false, not 1"),
        ({"topics": "al"}, "topics cannot be 'al': both, qrels, run"),
        ({"run_format": "trec"}, "there is no format of runs 'trec': .*msmarco"),
        ({"grade_map": "1=2"}, "grade_map must be a list"),
    ],
)
def test_wrong_values_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate(QRELS, RUN, ["map"], **given)


def test_a_wrong_name_is_answered_with_a_near_one() -> None:
    with pytest.raises(TypeError, match="no option 'max_retreived'; did you mean 'max_retrieved'"):
        evaluate(QRELS, RUN, max_retreived=5)  # type: ignore[call-overload]


def test_topics_in_a_file(tmp_path: Any) -> None:
    """As the command line reads them."""
    (tmp_path / "topics").write_text("q\n")
    scores = evaluate(QRELS, RUN, ["P_1"], topics=tmp_path / "topics", sign=True)
    assert scores.signature is not None
    assert scores.signature == evaluate(QRELS, RUN, ["P_1"], topics=["q"], sign=True).signature


def test_choices_and_delivery_are_kept_apart() -> None:
    """Every option of a command that was declared is in a record of one of both kinds."""
    import click

    for name in ("eval", "compare", "gate", "leaderboard", "explain", "check", "pool", "sample"):
        command: Any = irev.get_command(click.Context(irev), name)
        kinds = [*(each.record for each in command.record_options), WarningOptions]
        assert all(
            issubclass(kind, ResultOptions) != issubclass(kind, OutputOptions) for kind in kinds
        )
        known = {each for kind in kinds for field in kind.fields().values()
                 for each in field.opts}  # fmt: skip
        shown = {p.name for p in command.params if p.expose_value and p.name != "help"}
        assert shown - {"files", "help_all"} <= known
