"""Studies of the best run of each team: --teams and --best-per-team."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.arguments import Option

if TYPE_CHECKING:
    import click

    from irev.core.matrices import Matrices


def team_options() -> list[click.Parameter]:
    """Which run of which team is kept."""
    return [
        Option("--teams", metavar="FILE", help="Which team a run is of: RUN TEAM on each line."),
        Option(
            "--best-per-team", "best", metavar="NAME",
            help="With --teams: keep the best run of each team by the mean of this measure.",
        ),
    ]  # fmt: skip


def best_of_each(
    given: dict[str, Any], matrices: Matrices, by: str
) -> tuple[Matrices, tuple[str, ...]]:
    """The best run of each team that --teams lists, and what to say."""
    from irev.boards.teams import read_teams, team_notes, teams_of
    from irev.studies.criteria import best_of_teams

    listing = read_teams(given["teams"])
    teams = teams_of(matrices, listing)
    best = best_of_teams(matrices, teams, by)
    said = f"{len(best.runs)} of {len(matrices.runs)} runs: the best of each team by {by}"
    return best, (*team_notes(matrices, listing, teams), said)
