"""The scores of several runs, each under its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from irev.core.displayed import Displayed, Drawable
from irev.scores.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.scores.scores import Plain


class ScoresByRun(Displayed, Drawable, Mapping[str, Scores]):
    """The scores of several runs: a mapping from the name of a run to its `Scores`.

    `found["bm25"]["map"]` is a number, `found.by_run("map")` that of all runs, `found.to_frame()` a
    pandas frame: a row for each run, a column for each measure; `print` and notebooks show the
    same. Each run is averaged as if it were evaluated alone; `irev.compare` uses the same topics
    for all runs.
    """

    shown_by: ClassVar[str] = "irev.writers.scores:several_runs_document"

    def __init__(self, scores: Mapping[str, Scores]) -> None:
        """Keep the scores by the names of the runs, in their order."""
        self._scores = dict(scores)

    def __repr__(self) -> str:
        return f"<Scores of {len(self)} runs: {', '.join(self)}>"

    def __getitem__(self, run: str) -> Scores:
        """The scores of a run.

        Raises:
            KeyError: no run is called so.
        """
        return self._scores[run]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def by_run(self, measure: str) -> dict[str, Plain]:
        """The summary of a measure by run: {"bm25": 0.25, "rm3": 0.5}.

        Raises:
            UsageError: the scores have no such measure, or it has no summary.
        """
        return {name: scores[measure] for name, scores in self.items()}

    def summary(self) -> dict[str, dict[str, Plain]]:
        """The summaries of each run: {"bm25": {"map": 0.25}, "rm3": {"map": 0.5}}."""
        return {name: scores.summary() for name, scores in self.items()}

    def to_frame(self, *, per_topic: bool = False) -> pd.DataFrame:
        """The summaries as a pandas frame: a row for each run, a column for each measure.

        Args:
            per_topic: whether the rows are runs and topics, with the values of the topics.
        """
        import pandas as pd

        if per_topic:
            frames = {name: scores.to_frame() for name, scores in self.items()}
            return pd.concat(frames, names=["run", "topic"])
        names = pd.Index(list(self), name="run", dtype=object)
        return pd.DataFrame(list(self.summary().values()), index=names)
