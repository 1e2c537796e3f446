"""Numbers of things and lists of names in sentences."""

from __future__ import annotations

import pytest

from irev.core.text import count_text, list_beginning, shortened_list


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("topic",), "0 topics"),
        (1, ("topic",), "1 topic"),
        (2, ("topic",), "2 topics"),
        (1, ("class has", "classes have"), "1 class has"),
        (3, ("class has", "classes have"), "3 classes have"),
    ],
)
def test_counted(number: int, words: tuple[str, ...], text: str) -> None:
    assert count_text(number, *words) == text


@pytest.mark.parametrize(
    ("names", "whole", "beginning"),
    [
        ("", "", ""),
        ("a", "a", "a"),
        ("abcde", "a, b, c, d, e", "a, b, c, d, e"),
        ("abcdef", "a, b, c, d, e and 1 more", "a, b, c, d, e, ..."),
    ],
)
def test_lists(names: str, whole: str, beginning: str) -> None:
    """Up to five names are told, of texts and of ids alike."""
    ids = [name.encode() for name in names]
    assert shortened_list(list(names)) == shortened_list(ids) == whole
    assert list_beginning(list(names)) == list_beginning(ids) == beginning


def test_how_many_are_told_can_be_said() -> None:
    assert shortened_list(["a", "b", "c"], 1) == "a and 2 more"
    assert list_beginning(["a", "b", "c"], 2) == "a, b, ..."


def test_ids_are_shown_as_messages_show_them() -> None:
    assert shortened_list([b"\xff", b"a\nb"]) == r"\xff, a\nb"
