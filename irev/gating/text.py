"""A gate's report as people read it: plain, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.text import as_bytes
from irev.errors import shown
from irev.gating.words import baseline_name, details, facts, headline, sentence, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.gating.verdicts import Report, Verdict

_WIDTH = 10


def write_text(report: Report, places: int) -> Iterator[bytes]:
    """The headline, a line for each gate with what it stands on, and the facts."""
    lines = [headline(report), ""]
    for verdict in report.verdicts:
        lines.append(f"{verdict.outcome:<{_WIDTH}}{sentence(verdict, report, places)}")
        lines += [f"{'':<{_WIDTH}}{line}" for line in _below(verdict, report, places)]
    if not report.verdicts:
        lines += [f"{name} {told(mean, places)}" for name, mean in report.means.items()]
    lines.append("")
    told_facts = list(facts(report))
    width = max(len(what) for what, _ in told_facts) + 2
    lines += [f"{what:<{width}}{text}" for what, text in told_facts]
    yield as_bytes("\n".join(lines) + "\n")


def _below(verdict: Verdict, report: Report, places: int) -> Iterator[str]:
    yield from details(verdict, report, places)
    if verdict.outcome == "passed" or not verdict.worst:
        return
    rows = [("topic", "run", "baseline", "difference"), *_drops(verdict, places)]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    for row in rows:
        topic = row[0].ljust(widths[0])
        cells = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join([topic, *cells])


def _drops(verdict: Verdict, places: int) -> Iterator[tuple[str, str, str, str]]:
    for drop in verdict.worst:
        numbers = (told(value, places) for value in (drop.run, drop.baseline, drop.difference))
        yield (shown(drop.topic), *numbers)  # type: ignore[misc]


def write_markdown(report: Report, places: int) -> Iterator[bytes]:
    """A table of the gates, what they stand on, and the topics that dropped most."""
    lines = [
        f"### irev gate: {_safe(headline(report))}",
        "",
        "| gate | outcome | |",
        "|---|---|---|",
    ]
    for verdict in report.verdicts:
        outcome = verdict.outcome if verdict.outcome == "passed" else f"**{verdict.outcome}**"
        text = _safe(sentence(verdict, report, places))
        lines.append(f"| {_safe(verdict.name)} | {outcome} | {text} |")
    if not report.verdicts:
        lines += [f"| {_safe(m)} | measured | {told(v, places)} |" for m, v in report.means.items()]
    for verdict in report.verdicts:
        lines += _section(verdict, report, places)
    lines.append("")
    lines += [f"- {what}: {_safe(text)}" for what, text in facts(report)]
    yield as_bytes("\n".join(lines) + "\n")


def _section(verdict: Verdict, report: Report, places: int) -> Iterator[str]:
    if verdict.kind != "baseline":
        return
    yield from ("", f"**{_safe(verdict.name)}**", "")
    for line in details(verdict, report, places):
        yield f"- {_safe(line)}"
    if verdict.outcome == "passed" or not verdict.worst:
        return
    yield ""
    yield f"| topic | run | {_safe(baseline_name(report))} | difference |"
    yield "|---|---:|---:|---:|"
    for row in _drops(verdict, places):
        yield f"| {' | '.join(map(_safe, row))} |"


_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\|`*_<>[]#~"} | {"\n": " "})


def _safe(text: str) -> str:
    """Text that Markdown takes for nothing else."""
    return text.translate(_SPECIAL)
