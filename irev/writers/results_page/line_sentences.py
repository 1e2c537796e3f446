"""Warnings and lines of a result as sentences of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.wording import shortened_list
from irev.errors import KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from irev.errors import Notice

_LISTED = 3
"""So many runs, or warnings of a kind, are told one by one."""


def notice_texts(notices: Sequence[Notice]) -> Iterator[str]:
    """Warnings, those that say the same of several runs as one, of each kind a few."""
    texts_by_kind: dict[str, list[str]] = {}
    runs_by_message: dict[tuple[str, str], list[str]] = {}
    for notice in notices:
        if notice.run:
            runs_by_message.setdefault((notice.kind, notice.message), []).append(notice.run)
        else:
            texts_by_kind.setdefault(notice.kind, []).append(str(notice))
    for (kind, message), runs in runs_by_message.items():
        texts = texts_by_kind.setdefault(kind, [])
        texts.append(f"{shortened_list(runs, _LISTED)}: {message}")
    for kind, texts in texts_by_kind.items():
        yield from texts[:_LISTED]
        if len(texts) > _LISTED:
            yield f"and {len(texts) - _LISTED} more like it: {KINDS[kind].meaning}"


def fewer_sentences(sentences: Iterable[str], most: int = 8) -> Iterator[str]:
    """The first of many sentences, and how many more there are."""
    listed = [*sentences]
    yield from listed[:most]
    if len(listed) > most:
        yield f"And {len(listed) - most} more such warnings."


def as_sentence(text: str, proper_names: Collection[str] = ()) -> str:
    """A line of a result with a capital and a full stop; a proper name at its start stays."""
    if not any(text.startswith(name) for name in proper_names):
        text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}{'' if text.endswith(('.', '!', '?')) else '.'}"


def without_heading(sentence: str) -> str:
    """A sentence such as "p: paired t test." below a heading of its own."""
    return as_sentence(sentence.partition(": ")[2])
