"""Commands that have kinds: `irev study WHICH`, `irev plot WHICH`."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kinds(click.Group):
    """A command whose kinds are imported when one is called."""

    def __init__(self, name: str, kinds: Mapping[str, tuple[str, str]], help: str) -> None:
        """Keep the kinds: name -> (where its command is, as `module:attribute`; one line)."""
        super().__init__(
            name, help=help, subcommand_metavar="KIND ...", options_metavar="",
            context_settings={"help_option_names": ["-h", "--help"]},
        )  # fmt: skip
        self._kinds = kinds

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the kinds, in the order of their declaration."""
        return list(self._kinds)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a kind."""
        if cmd_name not in self._kinds:
            return None
        module, _, attribute = self._kinds[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), attribute))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse to go on without a kind."""
        if not args:
            raise click.UsageError(f"a kind is wanted: {', '.join(self._kinds)}", ctx)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the kind that is named, or say which is near."""
        if args and args[0] not in self._kinds:
            near = get_close_matches(args[0], self._kinds, n=1, cutoff=0.5)
            hint = f"; did you mean '{near[0]}'?" if near else f": {', '.join(self._kinds)}"
            raise click.UsageError(f"irev {self.name} has no kind '{args[0]}'{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A line for each kind, without importing it."""
        with formatter.section("Kinds"):
            formatter.write_dl([(name, line) for name, (_, line) in self._kinds.items()])
