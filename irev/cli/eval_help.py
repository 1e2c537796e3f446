"""What `irev -h` prints: the help, and the formats and measures that are named beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.core import ParameterSource

from irev.cli.help import full_help
from irev.cli.output import print_out
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import click

_RULE = "-" * 23


def print_help(ctx: click.Context) -> None:
    """Print the short page or all of it, then the formats and measures that are named.

    A format that is not known is left out.
    """
    values, is_all = ctx.params, ctx.params["help_all"]
    if values["plugins"]:
        from irev.measures.plugins import load_plugins

        load_plugins(values["plugins"])
    parts = [f"{full_help(ctx) if is_all else ctx.get_help()}\n"]
    parts.extend(
        _format_help(values[name], name)
        for name in ("run_format", "qrels_format")
        if is_all or ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    )
    if values["measures"] or is_all:
        version = 9 if values["compat"] == "trec9" else 10
        parts.append("".join(_measure_helps(values["measures"], version)))
    print_out([f"{_RULE}\n".join(filter(None, parts)).encode()])


def _format_help(name: str, option_name: str) -> str:
    from irev.read.formats import JUDGMENTS, RUNS

    formats = RUNS if option_name == "run_format" else JUDGMENTS
    return formats[name].help if name in formats else ""


def _measure_helps(names: Sequence[str], version: int) -> Iterator[str]:
    if not names:
        yield "Measures: name one, or a set of them, with -m to read about it,\n"
        yield "as in: irev -h -m map -m set\n"
        return
    from irev.measures.describe import measure_help
    from irev.measures.naming.resolve import PlainNaming, resolve_names

    yield "The measures asked for:\n"
    try:
        requests = resolve_names(names, PlainNaming(version))
    except UsageError:
        # parameters play no part here; an empty one is as wrong as anywhere
        bare_names = [_drop_parameters(name) for name in names]
        requests = resolve_names(bare_names, PlainNaming(version))
    for request in requests:
        yield f"\n{measure_help(request.measure).rstrip()}\n"


def _drop_parameters(name: str) -> str:
    """The name in trec_eval's way up to its dot; any other as it is."""
    if name.endswith(".") or set("(@:") & set(name):
        return name
    return name.partition(".")[0]
