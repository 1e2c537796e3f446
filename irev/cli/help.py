"""The help of a command: a page that fits a screen, and one with everything (`--help-all`)."""

from __future__ import annotations

import inspect
import re
import textwrap

import click

from irev.cli.arguments import SectionOption
from irev.cli.output import terminal_columns

SCREEN = 47
"""The most lines of the short page: a screen of 48 and the prompt."""

HELP_NAMES = {"help_option_names": ["-h", "--help"]}
_ALL = "irev.help-all"
_WIDEST_NAME = 24


class WideContext(click.Context):
    """A call, whose help is as wide as click makes it, without what click imports for that."""

    def make_formatter(self) -> click.HelpFormatter:
        """A writer of help."""
        width = click.formatting.FORCED_WIDTH
        return self.formatter_class(width=width or max(min(terminal_columns(), 80) - 2, 50))


def help_all_option(section: str) -> SectionOption:
    """The option that prints the long page."""

    def show(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
        if is_set and not ctx.resilient_parsing:
            click.echo(full_help(ctx))
            ctx.exit()

    return SectionOption(
        "--help-all", section=section, help_order=1001, is_flag=True, is_eager=True,
        expose_value=False,
        callback=show, in_short_help=False, help="Print all options and exit.",
    )  # fmt: skip


def full_help(ctx: click.Context) -> str:
    """The long page of a call's command."""
    ctx.meta[_ALL] = True
    return ctx.get_help()


class HelpedCommand(click.Command):
    """A command with two pages of help: what is needed every day, and everything."""

    context_class = WideContext

    def get_help(self, ctx: click.Context) -> str:
        """The page, without a newline at its end; the short one says as much as fits a screen."""
        # an option takes a line at the least: so many need not be written out to be counted
        if _ALL in ctx.meta or len(self.get_params(ctx)) < SCREEN:
            full = super().get_help(ctx)
            if _ALL in ctx.meta or full.count("\n") < SCREEN:
                return full
        paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(self.help or ""))
        pages = (
            self._short_page(ctx, paragraphs[:count], lists_other_options)
            for lists_other_options in (True, False)
            for count in range(len(paragraphs), 0, -1)
        )
        page = ""
        for page in pages:
            if page.count("\n") < SCREEN:
                break
        return page

    def _short_page(
        self, ctx: click.Context, paragraphs: list[str], lists_other_options: bool
    ) -> str:
        """The page with these paragraphs; at its end the options that only the long one has."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        for paragraph in paragraphs:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(paragraph)
        self.format_commands(ctx, formatter)
        params = [p for p in self.get_params(ctx) if isinstance(p, SectionOption) and not p.hidden]
        with formatter.section("Options"):
            formatter.write_dl(
                [
                    (_names_that_fit(p, ctx), _first_sentence_with_choices(p))
                    for p in params
                    if p.in_short_help
                ],
                col_max=_WIDEST_NAME + 4,
            )
        names = [p.opts[0] for p in params if not p.in_short_help]
        others = [name for name in names if name != "--help-all"]
        if others:
            path = ctx.command_path.removesuffix(" eval")
            end = f": {' '.join(others)}" if lists_other_options else ""
            text = f"{path} --help-all explains {len(others)} more{end}"
            # options are not broken at their dashes
            lines = textwrap.wrap(text, formatter.width - 2, break_on_hyphens=False)
            formatter.write("\n" + "".join(f"  {line}\n" for line in lines))
        self.format_epilog(ctx, formatter)
        return formatter.getvalue().rstrip("\n")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands beside this one, where it is the one that needs no name."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, then the options by section, in the order of their declaration."""
        self.format_commands(ctx, formatter)
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if isinstance(param, SectionOption) and record is not None:
                sections.setdefault(param.section, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _names_that_fit(option: SectionOption, ctx: click.Context) -> str:
    """The spellings that fit in a narrow column, with what the value is called."""
    value = ""
    if not option.is_flag:
        value = option.make_metavar(ctx)
        if isinstance(option.type, click.Choice) and not option.metavar:
            value = option.opts[-1].lstrip("-").rpartition("-")[2].upper()
        value = f" {value}"
    names = [name for name in option.opts if "_" not in name]
    both = ", ".join(names) + value
    return both if len(both) <= _WIDEST_NAME else option.opts[0] + value


def _first_sentence_with_choices(option: SectionOption) -> str:
    """What the help says first, without what follows a semicolon; which choices there are."""
    sentence = re.split(r"(?<=[\w)])(?<! al)\. |; (?![^(]*\))", option.help or "")[0].rstrip(".")
    if isinstance(option.type, click.Choice) and not option.metavar:
        return f"{sentence}: {', '.join(map(str, option.type.choices))}."
    return f"{sentence}."
