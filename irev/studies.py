"""Studies: experiments about measures, runs and judgments.

    irev.studies.correlation(qrels, runs, "AP Q", top=10)

What is named here is loaded when it is first used. `studies.pyi` has the types.
"""

from irev.core import lazy_names

_STUDIES = (
    "agreement", "correlation", "design", "discriminative_power", "enumerate", "judgment_noise",
    "overlap", "preference", "reproduction", "robustness", "sensitivity", "topic_difficulty",
)  # fmt: skip

_HOMES = {name: f"irev.jobs.studies.{name}" for name in _STUDIES}

__all__ = sorted(_HOMES)

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
