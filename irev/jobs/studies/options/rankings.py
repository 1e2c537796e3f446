"""What the studies of rankings have in common whose judgments are changed or made up."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from irev.core.option_records import ResultOptions
from irev.core.text import parse_decimal, parse_whole
from irev.errors import UsageError
from irev.options import PREDICTED, EvaluationOptions, Options

_MEANT = (
    "level", "collection_size", "real_grades", "decimal_comma", "grade_map", "defaults", "compat",
)  # fmt: skip
_MEANT_OF_RUNS = ("max_retrieved", "run_format", "columns", "exclude")

Number = TypeVar("Number", bound=float)


class RankingStudyOptions(EvaluationOptions):
    """The choices that mean here what they mean for `irev.evaluate`; others are at defaults."""

    without: ClassVar[Sequence[str]] = (
        "qrels_format",
        *PREDICTED,
        *(name for name in Options.fields() if name not in (*_MEANT, *_MEANT_OF_RUNS)),
    )


class MadeRankingOptions(RankingStudyOptions):
    """The same where there is no run."""

    without: ClassVar[Sequence[str]] = _MEANT_OF_RUNS


def refuse_options(options: ResultOptions, field_names: Sequence[str], combined_with: str) -> None:
    """Refuse options that cannot be combined with something."""
    for field_name in field_names:
        if getattr(options, field_name) not in (None, ()):
            spelling = options.fields()[field_name].opt.names[-1]
            raise UsageError(f"{spelling} cannot be combined with {combined_with}")


def parse_numbers(text: str) -> Sequence[float]:
    """Numbers with commas between them."""
    return [_parse_word(word, parse_decimal, "number") for word in text.split(",")]


def parse_counts(text: str) -> Sequence[int]:
    """Whole numbers of at least 1, with commas between them."""
    numbers = [_parse_word(w, parse_whole, "whole number of at least 1") for w in text.split(",")]
    if min(numbers) < 1:
        raise UsageError(f"'{min(numbers)}' is not a whole number of at least 1")
    return numbers


def parse_ranking(text: str) -> Sequence[float]:
    """The grade at each rank, with commas between them; `-` is a document without a judgment."""
    return parse_numbers(",".join("-1" if word == "-" else word for word in text.split(",")))


def _parse_word(word: str, parse: Callable[[str], Number | None], noun: str) -> Number:
    number = parse(word)
    if number is None:
        raise UsageError(f"'{word}' is not a {noun}")
    return number


def check_grades_present(grades: Sequence[float]) -> None:
    """Refuse grades of relevant documents that are not above 0."""
    if grades and min(grades) <= 0:
        shown = ",".join(f"{grade:g}" for grade in grades)
        raise UsageError(f"--grades-present {shown}: the grades of relevant documents are above 0")
