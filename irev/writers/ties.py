"""How many ties a result rests on, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import counted

if TYPE_CHECKING:
    from irev.core.scores import TieAccount


def tie_notes(ties: TieAccount) -> list[str]:
    """What is said beside means over orders of tied documents, or beside ranges."""
    if not ties.groups:
        return ["ties: no judged document shares its score with another"]
    said = f"ties: {counted(ties.groups, 'group')} of equal scores with a judged document, "
    said += f"in {counted(ties.topics, 'topic')}"
    if ties.at_cutoff:
        across = [f"{count} across rank {cutoff}" for cutoff, count in ties.at_cutoff if count]
        said += f"; {', '.join(across) or 'none across a cutoff'}"
    found = [said]
    if ties.drawn:
        found.append(
            f"ties: too many orders to look at all in {counted(len(ties.drawn), 'topic')}: there "
            f"{', '.join(ties.measures)} {'is a mean' if len(ties.measures) == 1 else 'are means'} "
            f"over {ties.draws} drawn orders; all other means are exact"
        )
    return found
