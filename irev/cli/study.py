"""`irev study`: experiments about measures, runs and judgments."""

from __future__ import annotations

from irev.cli.groups import Kinds

STUDIES: dict[str, tuple[str, str]] = {
    "sensitivity": (
        "irev.cli.studies.sensitivity:command",
        "What one more relevant document at each rank does to a measure.",
    ),
    "enumerate": (
        "irev.cli.studies.enumerate:command",
        "All rankings of a few graded documents, under several measures.",
    ),
    "judgment-noise": (
        "irev.cli.studies.judgment_noise:command",
        "How far assessors who disagree move a mean.",
    ),
}
"""Kind -> (where it is, as `module:attribute`; one line for the help)."""

command = Kinds(
    "study",
    STUDIES,
    "Experiments about measures, runs and judgments.\n\nEach prints its main tables; --output DIR "
    "also writes all its data, its parameters and its figures.",
)
