"""What `-h` prints behind the options: the file formats, and the measures that -m names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from irev.cli.output import print_out
from irev.errors import UsageError
from irev.read.formats import JUDGMENTS, RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_RULE = "-" * 23


def print_help(measures: Sequence[str], qrels_format: str, run_format: str, version: int) -> None:
    """Print the help of the current command; a format that is not known is left out."""
    parts = [click.get_current_context().get_help() + "\n"]
    parts += [RUNS[run_format].help] if run_format in RUNS else []
    parts += [JUDGMENTS[qrels_format].help] if qrels_format in JUDGMENTS else []
    parts.append("".join(_measures(measures, version)))
    print_out([f"{_RULE}\n".join(parts).encode()])


def _measures(names: Sequence[str], version: int) -> Iterator[str]:
    if not names:
        yield "Measures: name one, or a set of them, with -m to read about it,\n"
        yield "as in: irev -h -m map -m set\n"
        return
    from irev.measures.names import Plain, describe, resolve

    yield "The measures asked for:\n"
    try:
        requests = resolve(names, Plain(version))
    except UsageError:
        # parameters play no part here; an empty one is as wrong as anywhere
        plain = [_without_parameters(name) for name in names]
        requests = resolve(plain, Plain(version))
    for request in requests:
        yield f"\n{describe(request.measure).rstrip()}\n"


def _without_parameters(name: str) -> str:
    """The name in trec_eval's way without what follows its dot; any other as it is."""
    if name.endswith(".") or set("(@:") & set(name):
        return name
    return name.partition(".")[0]
