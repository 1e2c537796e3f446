"""Studies: experiments about measures, runs and judgments.

    irev.studies.correlation(qrels, runs, "AP Q", top=10)

What is imported here is loaded when it is first used.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as type checkers read it
if TYPE_CHECKING:
    from typing import Any

    from irev.jobs.studies.agreement import agreement as agreement
    from irev.jobs.studies.correlation import correlation as correlation
    from irev.jobs.studies.design import design as design
    from irev.jobs.studies.discriminative_power import discriminative_power as discriminative_power
    from irev.jobs.studies.enumerate import enumerate as enumerate
    from irev.jobs.studies.judgment_noise import judgment_noise as judgment_noise
    from irev.jobs.studies.overlap import overlap as overlap
    from irev.jobs.studies.preference import preference as preference
    from irev.jobs.studies.reproduction import reproduction as reproduction
    from irev.jobs.studies.robustness import robustness as robustness
    from irev.jobs.studies.sensitivity import sensitivity as sensitivity
    from irev.jobs.studies.topic_difficulty import topic_difficulty as topic_difficulty

__all__ = [
    "agreement", "correlation", "design", "discriminative_power", "enumerate", "judgment_noise",
    "overlap", "preference", "reproduction", "robustness", "sensitivity", "topic_difficulty",
]  # fmt: skip
"""The studies, each in the module of its name."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(
            f"module 'irev.studies' has no attribute '{name}'", name=name, obj=sys.modules[__name__]
        )
    from importlib import import_module

    study = getattr(import_module(f"irev.jobs.studies.{name}"), name)
    study.describe()
    globals()[name] = study
    return study


def __dir__() -> list[str]:
    return __all__
