"""Keys of draws against `sha256sum`; rates and sizes against hand calculation."""

from fractions import Fraction

import numpy as np
import pytest

from irev.core.draws import keys_of_rows, lowest_keys_mask, sample_size
from irev.core.ids import ids_from_bytes
from irev.errors import UsageError
from irev.jobs.pool.pool import (
    RankStratum,
    close_strata_at_depth,
    parse_rate,
    parse_rate_or_strata,
    parse_strata,
    rate_text,
    strata_of,
)

# printf -- '7\0000\0000\000q1\000a' | sha256sum | cut -c1-16, and so on
BY_SHA256SUM = {
    (7, 0, 0, b"q1", b"a"): 0x4EAE8D97DC112B00,
    (7, 0, 0, b"q1", b"b"): 0x951A9B3137866A03,
    (7, 0, 0, b"q1", b"c"): 0xD0944FCF0B486BD7,
    (7, 0, 0, b"q1", b"d"): 0x3BB28E8F78AA86C2,
    (7, 1, 2, b"q1", b"a"): 0xBA138551B539394E,
    (7, 0, -1, b"q1", b"a"): 0x47DF22FA3A744069,
    (-3, 0, 0, b"\xc3\xa9", b"x y"): 0x9A90FCF0B1CF375E,
}


def sampling_key(seed, replicate, attempt, topic, document):
    """The key of one document."""
    docs = ids_from_bytes([document])
    return keys_of_rows(seed, replicate, attempt, [topic], np.zeros(1, np.int64), docs).item()


@pytest.mark.parametrize(("what", "expected"), BY_SHA256SUM.items())
def test_a_key_is_the_head_of_sha256(what, expected):
    assert sampling_key(*what) == expected


def test_keys_of_rows_are_the_keys_of_their_topics_and_documents():
    topics, topic = [b"q1", b"none", b"q2"], np.array([0, 0, 2])
    documents = [b"a", b"b", b"a"]

    found = keys_of_rows(7, 0, 0, topics, topic, ids_from_bytes(documents))

    expected = [sampling_key(7, 0, 0, topics[t], d) for t, d in zip(topic, documents, strict=True)]
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("written", "count", "expected"),
    [
        ("10%", 14, 1),  # 1.4
        ("10%", 15, 2),  # 1.5: half upward
        ("10%", 25, 3),  # 2.5: half upward, not to even
        ("14.5%", 100, 15),  # 14.5, which 0.145 in binary is not
        ("1%", 3, 1),  # at least 1
        ("1%", 0, 0),  # of nothing, nothing
        ("100%", 7, 7),
        ("1/3", 9, 3),
    ],
)
def test_sizes_are_rounded_half_up_and_at_least_one(written, count, expected):
    assert sample_size(parse_rate(written), count) == expected


def test_lowest_takes_the_lowest_keys_of_each_group():
    keys = np.array([5, 1, 9, 3, 2**64 - 1, 0], np.uint64)
    group = np.array([0, 0, 0, 1, 1, 2])

    chosen = lowest_keys_mask(keys, group, np.array([2, 5, 0]))

    assert chosen.tolist() == [True, True, False, True, True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10%", Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (".25", Fraction(1, 4)),
        ("1", Fraction(1)),
        ("12.5%", Fraction(1, 8)),
        ("1/3", Fraction(1, 3)),
    ],
)
def test_rates(text, expected):
    assert parse_rate(text) == expected
    assert parse_rate(rate_text(expected)) == expected


@pytest.mark.parametrize("text", ["", "0", "0%", "101%", "30", "-10%", "10 %", "x", "1/0", "1e-1"])
def test_what_is_no_rate(text):
    with pytest.raises(UsageError):
        parse_rate(text)


def test_strata_in_the_order_of_their_ranks():
    assert parse_rate_or_strata("11-50=30%,1-10=100%,51-=5%") == (
        RankStratum(1, 10, Fraction(1)),
        RankStratum(11, 50, Fraction(3, 10)),
        RankStratum(51, None, Fraction(1, 20)),
    )
    assert [each.name for each in parse_strata("7=1,8-9=50%,12-=10%")] == ["7", "8-9", "12-"]


@pytest.mark.parametrize(
    "text", ["1-10", "1-10=", "10-1=10%", "0-5=10%", "1-10=5%,10-20=5%", "1-=5%,7-9=5%", "a=5%"]
)
def test_what_are_no_strata(text):
    with pytest.raises(UsageError):
        parse_strata(text)


def test_strata_of_ranks():
    found = strata_of(np.array([1, 10, 11, 50, 51, 0]), parse_strata("1-10=1,11-50=10%"))
    open_end = strata_of(np.array([1, 10, 51, 0]), parse_strata("1-10=1,51-=10%"))

    assert found.tolist() == [0, 0, 1, 1, -1, -1]
    assert open_end.tolist() == [0, 0, 1, 1]


def test_strata_hold_every_rank_of_a_pool():
    assert close_strata_at_depth(parse_strata("1-10=1,11-=10%"), 50)[0][1].last == 50
    assert close_strata_at_depth(parse_strata("1-10=1,11-30=10%"), None)[1] == 30
    for text, depth in [
        ("2-10=1", None), ("1-5=1,7-9=1", None), ("1-10=1", 20), ("1-10=1", 5),
        ("1-10=1,11-30=50%,31-=10%", 20),
    ]:  # fmt: skip
        with pytest.raises(UsageError):
            close_strata_at_depth(parse_strata(text), depth)
