"""What a stranger's file may take: bytes, memory, time."""

import os
import re
from typing import Annotated

from irev.core.option_records import Opt, ResultOptions
from irev.core.wording import UNITS
from irev.errors import UsageError

CONFINES = os.name == "posix"
"""Whether this system has what files of strangers are read with: Windows has not."""

_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?) ?(?:([KMGT]?)(?:iB)?|B)", re.IGNORECASE | re.ASCII)


def _num_bytes(text: str) -> int:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not a size, such as 500MiB or 2GiB.")
    return int(float(match[1]) * UNITS[(match[2] or "").upper()])


_SECTION = "Limits of one submission"


class Limits(ResultOptions):
    """What a stranger's file may take: whatever needs more is reported, and the others go on."""

    max_size: Annotated[int, Opt(
        "--max-size", in_short_help=False, metavar="SIZE", section=_SECTION, parse=_num_bytes,
        least=1, most=1 << 60, effect="nothing",
        help="Largest size of a submission, after decompression. Default: 2GiB.",
    )] = 2 << 30  # fmt: skip
    """Bytes that are read of a file, decompressed."""
    max_memory: Annotated[int, Opt(
        "--max-memory", in_short_help=False, metavar="SIZE", section=_SECTION, parse=_num_bytes,
        least=1, most=1 << 60, effect="nothing",
        help="Most memory for scoring or checking a submission (on Linux). Default: 4GiB.",
    )] = 4 << 30  # fmt: skip
    """Bytes of memory that the work on a file takes, beside what the judgments take."""
    max_seconds: Annotated[float, Opt(
        "--max-seconds", in_short_help=False, metavar="S", section=_SECTION, most=10**6,
        effect="nothing", help="Most seconds for a submission.",
    )] = 300.0  # fmt: skip
    """Seconds that the work on a file takes, by the clock."""

    def _check(self) -> None:
        if not self.max_seconds > 0:
            raise UsageError(f"--max-seconds {self.max_seconds:g}: must be above 0")


def refuse_system_without_limits() -> None:
    """Refuse to read strangers' files where they cannot be confined."""
    if not CONFINES:
        raise UsageError(
            "submissions and the files of directories are read in processes with limits, which "
            "this system does not offer: use Linux, macOS or WSL"
        )
