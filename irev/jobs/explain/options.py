"""What is explained, and how much is shown of it."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from irev.core.option_records import Opt
from irev.core.text import as_bytes
from irev.options import PREDICTED, EvaluationOptions, tuple_of_ids


class ExplainOptions(EvaluationOptions):
    """The choices of an explanation; which topics are averaged over plays no part."""

    without: ClassVar[Sequence[str]] = (
        "topics", "no_relevant", "only_topic", "pool", "tie_range", "seed", "residuals",
        "judged_shares", "duplicates", "classes", "weights", "threads",
        *PREDICTED,
    )  # fmt: skip

    topic: Annotated[str | bytes | int | None, Opt(
        "-t", "--topic", metavar="TOPIC",
        help="Topic to explain. Default: the one with the worst value of the first measure, of "
        "those with a relevant document.",
    )] = None  # fmt: skip
    every_rank: Annotated[bool, Opt(
        "-a", "--all",
        help="Show every rank, including those after the last change and long stretches of "
        "unjudged documents.",
    )] = False  # fmt: skip

    @property
    def topic_id(self) -> bytes | None:
        """The topic as files have it."""
        topic = str(self.topic) if isinstance(self.topic, int) else self.topic
        return None if topic is None else as_bytes(*tuple_of_ids("topic", [topic]))
