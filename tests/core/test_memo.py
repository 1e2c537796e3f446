"""What is kept of some topics, and when it is forgotten."""

import pytest

from irev.core import judged
from irev.core.judged import TopicMemo


def asked(of: TopicMemo[str], key: str, size: int, made: list[str]) -> str:
    def make() -> tuple[str, int]:
        made.append(key)
        return key.upper(), size

    return of.get(key, make)


def test_a_value_is_made_once() -> None:
    values, made = TopicMemo[str](), list[str]()
    assert [asked(values, key, 1, made) for key in "abab"] == ["A", "B", "A", "B"]
    assert made == ["a", "b"]


def test_where_there_is_no_room_all_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "_MOST_KEPT", 10)
    values, made = TopicMemo[str](), list[str]()
    for key in ("six", "four", "one", "four", "one"):
        asked(values, key, {"six": 6, "four": 4, "one": 1}[key], made)
    # the first two fill the room; the third finds none, and is kept beside what comes later
    assert made == ["six", "four", "one", "four"]


def test_what_is_larger_than_the_room_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "_MOST_KEPT", 10)
    values, made = TopicMemo[str](), list[str]()
    assert asked(values, "a", 11, made) == asked(values, "a", 11, made) == "A"
    assert made == ["a", "a"]
