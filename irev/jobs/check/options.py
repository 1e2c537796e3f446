"""What files are checked by."""

import os
from typing import Annotated, Literal

from irev.core.option_records import Opt
from irev.engine.confined import Limits
from irev.engine.run_files import FOLLOW_LINKS
from irev.jobs.check.rules import CheckRules


class CheckOptions(CheckRules, Limits):
    """What files are taken for, the rules, and the limits of files in directories."""

    kind: Annotated[Literal["run", "qrels"] | None, Opt(
        "--as", help_order=2,
        help="Treat all files as runs or as qrels. Default: detected from their lines.",
    )] = None  # fmt: skip
    qrels_format: Annotated[Literal["nuggets", "support"] | None, Opt(
        "-R", "--Rel_info_format", help_order=2,
        help="Treat files as judgments of answers in this format, or as answers. Default: "
        "detected from their lines.",
    )] = None  # fmt: skip
    topics: Annotated[str | os.PathLike[str] | None, Opt(
        "--topics", metavar="FILE", file="always",
        help="File with the topics that a run must have, one per line, and no others.",
    )] = None  # fmt: skip
    follow_links: Annotated[bool, FOLLOW_LINKS] = False
