"""The options of `irev.studies.enumerate`."""

from collections.abc import Sequence
from typing import Annotated

from irev.core.option_records import Opt
from irev.errors import UsageError
from irev.jobs.studies.options.rankings import (
    MadeRankingOptions,
    check_grades_present,
    parse_numbers,
)


class EnumerateOptions(MadeRankingOptions):
    """All rankings of which documents, and which of them are shown by themselves."""

    present: Annotated[Sequence[float], Opt(
        "--grades-present", metavar="GRADES", parse=parse_numbers,
        help="The grades of the relevant documents. Default: 3,2,1.",
    )] = (3.0, 2.0, 1.0)  # fmt: skip
    ranks: Annotated[int, Opt(
        "--ranks", metavar="N", least=1, most=1000, help="How many ranks there are."
    )] = 5  # fmt: skip
    picked: Annotated[Sequence[str | Sequence[float]], Opt(
        "--pick", metavar="RANKING",
        help="Show this ranking by itself, a digit a rank (30210) or grades with commas, "
        "and its scores over those of the rankings picked before it; may be repeated.",
    )] = ()  # fmt: skip

    def _check(self) -> None:
        super()._check()
        check_grades_present(self.present)
        self.picked_rankings()

    def picked_rankings(self) -> list[Sequence[float]]:
        """The rankings that are shown by themselves, each a grade for every rank."""
        rankings: list[Sequence[float]] = []
        for picked in self.picked:
            texts = picked.split() if isinstance(picked, str) else ()
            rankings += [self._parse_ranking(text) for text in texts]
            if not isinstance(picked, str):
                rankings.append(tuple(map(float, picked)))
        return rankings

    def _parse_ranking(self, text: str) -> Sequence[float]:
        """A digit for each rank, or grades with commas."""
        try:
            ranking = parse_numbers(text if "," in text else ",".join(text))
        except UsageError as error:
            raise UsageError(f"--pick {text}: {error}") from None
        if len(ranking) != self.ranks:
            raise UsageError(f"--pick {text}: {self.ranks} grades expected, one for each rank")
        return ranking
