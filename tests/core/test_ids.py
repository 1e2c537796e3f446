"""Identifiers as bytes, and the sorted keys made of them."""

import random
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.core import ids as columns_of_ids
from irev.core.ids import (
    PADDING,
    SEEDS,
    DocumentIndex,
    Ids,
    concatenate_ids,
    ids_from_arrow,
    ids_from_bytes,
    index_documents,
)

ODD = [b"001", b"1", b"NA", b"1e5", b"null", b'"q', b"caf\xe9", b"\x1a", b"\xff" * 9, b"#", b","]
LONG = [b"x" * n + end for n in (7, 8, 15, 16, 63, 64) for end in (b"a", b"b", b"ab", b"")]
RISING_LENGTHS = [b"z" * n for n in range(1, 101)]

an_id = st.binary(min_size=1, max_size=40).filter(lambda text: b"\0" not in text)
some_ids = st.lists(an_id, max_size=30)


def in_the_middle(ids):
    """The same ids, as spans of one text with other bytes around them."""
    text = b"~" + b"~".join(ids) + b"~"
    data = np.frombuffer(text + b"\xaa" * PADDING, np.uint8)
    length = np.array([len(each) for each in ids], np.int64)
    return Ids(data, np.cumsum(length + 1) - length, length)


@pytest.mark.parametrize("ids", [ODD, LONG, RISING_LENGTHS, [b"a"], []])
@pytest.mark.parametrize("made", [ids_from_bytes, in_the_middle])
def test_ids_come_back_as_they_were(ids, made):
    column = made(ids)
    assert len(column) == len(ids)
    assert column.to_list() == ids
    assert [column[row] for row in range(len(ids))] == ids
    assert column.compact().to_list() == ids
    assert column.arrow_binary_column().to_pylist() == ids
    assert column.take(np.arange(len(ids))[::-1]).to_list() == ids[::-1]
    assert column.take(slice(1, 3)).to_list() == ids[1:3]


def test_words_are_eight_bytes_each_and_zero_behind_the_end():
    column = in_the_middle([b"abc", b"abcdefgh", b"abcdefghij"])
    assert column.num_words == 2
    first = [b"abc\0\0\0\0\0", b"abcdefgh", b"abcdefgh"]
    second = [b"\0" * 8, b"\0" * 8, b"ij\0\0\0\0\0\0"]
    assert column.word(0).tolist() == [int.from_bytes(word, "little") for word in first]
    assert column.word(1).tolist() == [int.from_bytes(word, "little") for word in second]


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("rising", [True, False])
@given(some_ids)
def test_sort_keys_have_the_byte_order(rising, ids):
    keys = in_the_middle(ids).sort_keys(rising=rising)
    order = np.lexsort(tuple(keys)).tolist() if keys else []
    assert [ids[row] for row in order] == sorted(ids, reverse=not rising)


@given(some_ids, some_ids)
def test_a_hash_depends_on_the_bytes_alone(ids, others):
    alone = [int(ids_from_bytes([each]).hashes()[0]) for each in ids]
    together = in_the_middle([*ids, *others]).hashes().tolist()
    assert together[: len(ids)] == alone


def test_hashes_tell_similar_ids_apart():
    ids = [*ODD, *LONG, *RISING_LENGTHS, *(b"doc-%06d" % n for n in range(50_000))]
    ids = list(dict.fromkeys(ids))
    for seed in range(SEEDS):
        hashes = ids_from_bytes(ids).hashes(seed)
        assert len(np.unique(hashes)) == len(ids)
        # the high bits serve as keys
        assert len(np.unique(hashes >> np.uint64(16))) == len(ids)


def test_short_ids_have_hashes_of_their_own():
    # look-ups rest on it: a product with an odd number can be undone, and reversing bytes too
    first, second = (int(key) for key in columns_of_ids._KEYS[0, 0])
    for each in [*ODD, b"12345678", b"a"]:
        if len(each) <= 8:
            word = int(ids_from_bytes([each]).hashes()[0]) * pow(second, -1, 2**64) % 2**64
            word = int.from_bytes(word.to_bytes(8, "big"), "little") * pow(first, -1, 2**64)
            assert (word % 2**64).to_bytes(8, "little").rstrip(b"\0") == each


ODD_KEYS = st.integers(0, 2**63 - 1).map(lambda number: 2 * number + 1)
A_WORD = st.binary(min_size=8, max_size=8).filter(lambda word: b"\0" not in word)


@given(st.lists(A_WORD, min_size=1, max_size=4), st.data())
def test_a_hash_is_the_sum_of_products_of_reversed_products(words, data):
    keys = [(data.draw(ODD_KEYS), data.draw(ODD_KEYS)) for _ in words]
    expected = 0
    for word, (first, second) in zip(words, keys, strict=True):
        product = int.from_bytes(word, "little") * first % 2**64
        expected += int.from_bytes(product.to_bytes(8, "little"), "big") * second
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_of_ids, "_KEYS", np.array([keys], np.uint64))
        found = ids_from_bytes([b"".join(words), b"another"]).hashes()
    assert int(found[0]) == expected % 2**64


@pytest.mark.parametrize(("place", "changed"), [(0, 1), (7, 0x80), (15, 0x80)])
def test_no_two_ids_collide_under_more_keys_than_they_should(place, changed):
    # ids that differ in one bit, in the worst places too
    bits, count = 6, 2_000
    rng = np.random.default_rng(place)
    one = bytes(rng.integers(1, 128, 16, np.uint8) | 2)
    other = bytearray(one)
    other[place] ^= changed
    equal = 0
    pair = ids_from_bytes([one, bytes(other)])
    with pytest.MonkeyPatch.context() as patch:
        for _ in range(count):
            keys = rng.integers(0, 2**64, (1, 2, 2), np.uint64) | np.uint64(1)
            patch.setattr(columns_of_ids, "_KEYS", keys)
            first, second = pair.hashes().tolist()
            equal += first >> (64 - bits) == second >> (64 - bits)
    expected = count * 2 / 2**bits
    assert equal <= expected + 5 * expected**0.5 + 3


def test_each_process_has_keys_of_its_own():
    code = "from irev.core.ids import ids_from_bytes; print(ids_from_bytes([b'a']).hashes()[0])"
    found = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        for _ in range(2)
    }
    assert len(found) == 2


def test_seeds_give_other_hashes():
    column = ids_from_bytes(ODD)
    assert not (column.hashes(0) == column.hashes(1)).any()


@given(st.lists(st.tuples(an_id, an_id) | an_id.map(lambda each: (each, each)), max_size=20))
def test_equal_compares_bytes(pairs):
    mine, theirs = [one for one, _ in pairs], [other for _, other in pairs]
    rows = np.arange(len(pairs))
    same = ids_from_bytes(mine).equal(rows, in_the_middle(theirs), rows)
    assert same.tolist() == [one == other for one, other in pairs]


@pytest.mark.parametrize("tail", [b"", b"-and-more-than-eight-bytes"])
def test_codes_number_distinct_ids_as_they_appear(tail):
    ids = [name + tail for name in (b"b", b"a", b"b", b"10", b"a", b"c")]
    code, distinct = in_the_middle(ids).codes()
    assert code.tolist() == [0, 1, 0, 2, 1, 3]
    assert distinct == [name + tail for name in (b"b", b"a", b"10", b"c")]


@given(some_ids)
def test_codes_give_the_ids_back(ids):
    code, distinct = ids_from_bytes(ids).codes()
    assert [distinct[each] for each in code.tolist()] == ids
    assert distinct == list(dict.fromkeys(ids))


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.string(), pa.large_string()])
def test_arrow_columns_may_be_slices(kind):
    column = pa.array([b"zero", b"one", b"", b"three", b"four"], pa.binary()).cast(kind)
    assert ids_from_arrow(column).to_list() == [b"zero", b"one", b"", b"three", b"four"]
    assert ids_from_arrow(column[1:4]).to_list() == [b"one", b"", b"three"]
    assert ids_from_arrow(column[5:]).to_list() == []


@given(some_ids, some_ids)
def test_ids_in_data_of_their_own(ids, others):
    column = in_the_middle([*others, *ids]).take(slice(len(others), None))
    assert column.compact_aligned().to_list() == ids
    assert concatenate_ids(
        [column.compact_aligned(), in_the_middle(others).compact_aligned()]
    ).to_list() == [
        *ids,
        *others,
    ]
    assert (
        len(column.compact_aligned().data)
        <= 2 * len(b"".join(ids)) + 24 * len(ids) + 2 * PADDING + 24
    )


def test_columns_can_be_joined():
    parts = [ids_from_bytes(ODD), in_the_middle(LONG), ids_from_bytes([b"last"])]
    assert concatenate_ids(parts).to_list() == [*ODD, *LONG, b"last"]
    assert concatenate_ids(parts[:1]).to_list() == ODD


# --- keys of (segment, document) -----------------------------------------------------------------


def weak_hashes(monkeypatch, bits=0, strong_from=1):
    """From here on, seeds below a given one give few bits, so that distinct ids have the same."""
    strong = Ids.hashes

    def hashes(self, seed=0):
        found = strong(self, seed)
        return found if seed >= strong_from else found & np.uint64(((1 << bits) - 1) << 60)

    monkeypatch.setattr(Ids, "hashes", hashes)


def looked_up(pairs, wanted):
    """{(segment, document): row} for the wanted pairs that are found."""
    docs = ids_from_bytes([doc for _, doc in wanted])
    segment = np.array([number for number, _ in wanted], np.int64)
    places, rows = pairs.find(segment, docs, docs.hashes())
    return {wanted[at]: row for at, row in zip(places.tolist(), rows.tolist(), strict=True)}


@pytest.mark.parametrize("few", [1, 1 << 20], ids=["a table", "sorted"])
@pytest.mark.parametrize("bits", [None, 0, 1, 3])
@pytest.mark.parametrize("strong_from", [1, 2, SEEDS])
def test_pairs_are_found_whatever_their_hashes(monkeypatch, bits, strong_from, few):
    monkeypatch.setattr("irev.core.ids._FEW", few)
    if bits is not None:
        weak_hashes(monkeypatch, bits, strong_from)
    here = [(number, b"d%d" % doc) for number in range(5) for doc in range(0, 40, number + 1)]
    docs = ids_from_bytes([doc for _, doc in here])
    pairs = index_documents(np.array([number for number, _ in here], np.int64), 5, docs)
    assert isinstance(pairs, DocumentIndex)
    expected = [(number, b"d%d" % doc) for number in range(5) for doc in range(45)]
    row_of = {pair: row for row, pair in enumerate(here)}
    assert looked_up(pairs, expected) == {pair: row_of[pair] for pair in expected if pair in row_of}


@pytest.mark.parametrize("few", [1, 1 << 20], ids=["a table", "sorted"])
@pytest.mark.parametrize("weak", [0, 1, SEEDS])
def test_repeated_pairs_are_found_whatever_their_hashes(monkeypatch, weak, few):
    monkeypatch.setattr("irev.core.ids._FEW", few)
    weak_hashes(monkeypatch, strong_from=weak)
    docs = ids_from_bytes([b"a", b"b", b"c", b"a", b"b", b"a"])
    repeated = index_documents(np.array([0, 0, 0, 0, 1, 1], np.int64), 2, docs)
    assert not isinstance(repeated, DocumentIndex)
    one, other = repeated
    assert sorted([*one.tolist(), *other.tolist()]) == [0, 3]


def test_a_repeated_pair_is_found_among_the_last(monkeypatch):
    """Where no hash tells ids apart and other documents stand between its lines."""
    weak_hashes(monkeypatch, strong_from=SEEDS)
    docs = ids_from_bytes([b"a", b"b", b"c", b"b"])
    repeated = index_documents(np.zeros(4, np.int64), 1, docs)
    assert not isinstance(repeated, DocumentIndex)
    assert [rows.tolist() for rows in repeated] == [[1], [3]]


@pytest.mark.parametrize("few", [0, 100], ids=["by keys", "by names"])
@pytest.mark.parametrize("made", [ids_from_bytes, in_the_middle])
@given(here=st.lists(an_id, min_size=1, max_size=20, unique=True), others=some_ids)
def test_documents_of_one_topic_are_found(few, made, here, others):
    """Whether they are bytes objects or spans of a text, in the order of those looked for."""
    wanted = [*others, *here[::2]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("irev.core.ids.FEW_IDS", few)
        pairs = index_documents(np.zeros(len(here), np.int64), 1, made(here))
    assert isinstance(pairs, DocumentIndex)
    docs = made(wanted)
    places, rows = pairs.find(np.zeros(len(docs), np.int64), docs, docs.hashes())
    expected = [(at, here.index(doc)) for at, doc in enumerate(wanted) if doc in here]
    assert [*zip(places.tolist(), rows.tolist(), strict=True)] == expected
    assert pairs.doc_hashes.tolist() == in_the_middle(here).hashes().tolist()


@pytest.mark.parametrize("here", [b"short", b"nine long"])
def test_a_long_id_with_the_hash_of_a_short_one(monkeypatch, here):
    """They are two documents, whichever of them is looked for among the other."""
    monkeypatch.setattr("irev.core.ids.FEW_IDS", 0)
    monkeypatch.setattr(Ids, "hashes", lambda self, seed=0: np.full(len(self), 7, np.uint64))
    pairs = index_documents(np.zeros(1, np.int64), 1, ids_from_bytes([here]))
    assert isinstance(pairs, DocumentIndex)
    others = [(0, doc) for doc in (b"short", b"nine long") if doc != here]
    assert looked_up(pairs, others) == {}


@pytest.mark.parametrize("slots", [0, 4])
@pytest.mark.parametrize("bits", [None, 4])
def test_one_repeated_pair_among_many(monkeypatch, slots, bits):
    """Whichever two they are: alone in their place of a table, or beside others there."""
    monkeypatch.setattr("irev.core.ids._FEW", 1)
    monkeypatch.setattr("irev.core.ids._SLOTS_PER_KEY", slots)
    if bits is not None:
        weak_hashes(monkeypatch, bits, strong_from=2)
    rng = random.Random(1)
    for _ in range(100):
        here = [(number, b"d%d" % doc) for number in range(3) for doc in range(rng.randint(1, 9))]
        rng.shuffle(here)
        docs = [doc for _, doc in here]
        segment = np.array([number for number, _ in here], np.int64)
        assert isinstance(index_documents(segment, 3, ids_from_bytes(docs)), DocumentIndex)
        twice, again = sorted(rng.sample(range(len(here)), 2))
        docs[again], segment[again] = docs[twice], segment[twice]
        repeated = index_documents(segment, 3, ids_from_bytes(docs))
        assert not isinstance(repeated, DocumentIndex)
        assert [rows.tolist() for rows in repeated] == [[twice], [again]]


def test_a_long_segment_beside_very_many_short_ones():
    # of so many segments each gets a few places, and the long one fills its own many times
    short, long = 1 << 18, 1 << 18
    segment = np.concatenate([np.arange(short), np.full(long, short)])
    docs = ids_from_bytes([b"%x" % number for number in range(short + long)])
    pairs = index_documents(segment, short + 1, docs)
    assert isinstance(pairs, DocumentIndex)
    assert looked_up(pairs, [(short, b"%x" % (short + long - 1)), (short, b"0")]) == {
        (short, b"%x" % (short + long - 1)): short + long - 1
    }


def cpu_seconds(call):
    """How long the best of two calls takes."""
    found = []
    for _ in range(2):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def test_ids_cannot_choose_the_time_to_find_them(monkeypatch):
    # all hashes of all seeds are equal, which no ids can bring about: still no pairs are compared
    weak_hashes(monkeypatch, strong_from=SEEDS)

    def seconds(count):
        docs = ids_from_bytes([b"document-%d" % number for number in range(count)])
        segment = np.zeros(count, np.int64)
        return cpu_seconds(lambda: index_documents(segment, 1, docs))

    # eight times as many took sixty-four times as long
    assert seconds(80_000) < 25 * seconds(10_000) + 0.1


_ARROW = 14029467366897019727, 11400714785074694791
"""What Arrow multiplies the first and the last eight bytes of a text by, to hash it."""


def alike_to_arrow(count):
    """Ids of sixteen bytes whose hashes in Arrow's table are all the same."""
    rng = random.Random(1)
    first, last = _ARROW

    def swapped(number):
        return int.from_bytes((number % 2**64).to_bytes(8, "little"), "big")

    found: list[bytes] = []
    while len(found) < count:
        head = bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=8))
        expected = swapped(int.from_bytes(head, "little") * first) ^ 0x0123456789ABCDEF
        tail = swapped(expected) * pow(last, -1, 2**64) % 2**64
        found.append(head + tail.to_bytes(8, "little"))
    return [each for each in found if b"\0" not in each]


def test_ids_cannot_choose_the_time_to_number_them():
    chosen = alike_to_arrow(20_000)
    others = [each[::-1] for each in chosen]
    taken = [cpu_seconds(ids_from_bytes(ids).codes) for ids in (chosen, others)]
    assert taken[0] < 5 * taken[1] + 0.05


def test_nothing_is_found_among_no_pairs():
    nothing = ids_from_bytes([])
    pairs = index_documents(np.zeros(0, np.int64), 0, nothing)
    assert isinstance(pairs, DocumentIndex)
    assert looked_up(pairs, [(0, b"a")]) == {}


def test_codes_of_many_ids(monkeypatch):
    ids = [b"name-of-%d" % (number * 7919 % 6000) for number in range(12_000)]
    expected = list(dict.fromkeys(ids))
    for _ in range(2):
        code, distinct = in_the_middle(ids).codes()
        assert distinct == expected
        assert [distinct[each] for each in code.tolist()] == ids
        weak_hashes(monkeypatch, 2)


def test_one_id_of_many_bytes():
    # each of its words for itself would take minutes
    ids = [b"x" * (8 << 20) + b"a", b"x" * (8 << 20) + b"b", b"c"]
    column = ids_from_bytes(ids)
    start = time.process_time()
    assert len(np.unique(column.hashes())) == 3
    assert column.codes()[0].tolist() == [0, 1, 2]
    assert column.equal(np.arange(3), column, np.array([1, 1, 2])).tolist() == [False, True, True]
    assert time.process_time() - start < 2


def test_a_few_very_long_ids_among_many():
    # they cost what they are: each of the words of the longest for all ids would take minutes
    long = [b"x" * 40_000 + end for end in (b"a", b"b", b"")]
    ids = [*(b"d%d" % number for number in range(10_000)), *long, b"y" * 300]
    column = ids_from_bytes(ids)
    assert len(np.unique(column.hashes())) == len(ids)
    assert column.hashes()[-4:].tolist() == ids_from_bytes([*long, b"y" * 300]).hashes().tolist()
    rows = np.arange(len(ids))
    assert column.equal(rows, in_the_middle(ids), rows).all()
    assert column.equal(rows[-4:], column, np.roll(rows[-4:], 1)).sum() == 0
    order = np.lexsort(tuple(column.sort_keys()))
    assert [ids[row] for row in order.tolist()] == sorted(ids)
