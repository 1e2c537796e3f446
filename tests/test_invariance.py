"""What must not matter: order of lines, pieces, threads, blanks, compression, the way in."""

from __future__ import annotations

import bz2
import gzip
import os
import pickle
import random
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import Evaluator, evaluate
from irev.core import ids
from irev.core.ids import SEEDS, Ids
from irev.read import pieces
from tests.command import irev, process
from tests.each import for_each
from tests.strategies import examples

MEASURES = ["all_trec", "relstring", "utility", "num_nonrel_judged_ret"]
TOPICS = [b"q1", b"q2", b"10", b"9", b"Q\xe9"]
DOCS = [*(b"d%d" % n for n in range(30)), *(b"long-document-name-%03d" % n for n in range(30))]


def collection(seed, docs_of_topic=40):
    """Lines of qrels and of a run, by topic: ties, documents unjudged and not retrieved."""
    rng = random.Random(seed)
    qrels, run = [], []
    for topic in TOPICS:
        for doc in rng.sample(DOCS, rng.randint(1, 30)):
            qrels.append(b"%s 0 %s %d" % (topic, doc, rng.choice([0, 0, 1, 1, 2, 3, -1])))
        scores = rng.choice([[1.0, 2.0], [rng.random() for _ in range(20)], range(1000)])
        for doc in rng.sample(DOCS, rng.randint(1, docs_of_topic)):
            run.append(b"%s Q0 %s 0 %r tag" % (topic, doc, rng.choice(scores)))
    return qrels, run


def interleave(lines):
    """The first lines of every topic, then the second ones ..."""
    place: dict[bytes, int] = {}
    keys = []
    for line in lines:
        topic = line.split()[0]
        place[topic] = place.get(topic, 0) + 1
        keys.append(place[topic])
    return [line for _, line in sorted(zip(keys, lines, strict=True), key=lambda pair: pair[0])]


def cut(monkeypatch, size):
    monkeypatch.setattr(pieces, "PIECE", size)


def result(qrels, run, **options):
    """All that is computed, to the last bit."""
    scores = evaluate(qrels, run, MEASURES, **options)
    parts = scores.topics, scores.values.tobytes(), scores.texts, scores.summary()
    return *parts, scores.account, scores.run_id


class Folder:
    """Writes the two files and evaluates them."""

    def __init__(self, path):
        self.qrels, self.run = path / "qrels", path / "run"

    def result(self, qrels, run, **options):
        """What the lines of qrels and run give."""
        self.qrels.write_bytes(b"\n".join(qrels) + b"\n")
        self.run.write_bytes(b"\n".join(run) + b"\n")
        return result(self.qrels, self.run, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return Folder(tmp_path_factory.mktemp("invariance"))


some = examples(25)
seeds = st.integers(0, 10**6)


@pytest.mark.long
@some
@given(seeds, st.sampled_from([1, 7, 60, 300, 2000, 1 << 20]), st.sampled_from([1, 2, 5]))
def test_pieces_and_threads(folder, seed, size, threads):
    qrels, run = collection(seed)
    expected = folder.result(qrels, run, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        cut(patch, size)
        assert folder.result(qrels, run, threads=threads) == expected


@pytest.mark.long
@some
@given(
    seeds, st.sampled_from(["turns", "none", "back"]), st.randoms(use_true_random=False),
    st.sampled_from([50, 700, 1 << 20]),
)  # fmt: skip
def test_any_order_of_the_lines(folder, seed, order, rng, size):
    qrels, run = collection(seed)
    expected = folder.result(qrels, run)

    def reorder(lines):
        if order == "none":
            return rng.sample(lines, len(lines))
        return interleave(lines) if order == "turns" else lines[::-1]

    with pytest.MonkeyPatch.context() as patch:
        cut(patch, size)
        assert folder.result(reorder(qrels), run) == expected
        assert folder.result(qrels, reorder(run)) == expected


@pytest.mark.thorough
@some
@given(seeds, st.sampled_from([{"topics": "qrels"}, {"topics": "run"}, {"compat": "trec9"}]))
def test_policies_do_not_see_the_order_either(folder, seed, options):
    qrels, run = collection(seed)
    qrels = [line for line in qrels if not line.startswith(b"9 ")]
    run = [line for line in run if not line.startswith(b"10 ")]
    expected = folder.result(qrels, run, **options)
    assert folder.result(qrels, interleave(run), threads=2, **options) == expected
    assert folder.result(interleave(qrels), run[::-1], threads=2, **options) == expected


@pytest.mark.thorough
@some
@given(seeds, st.integers(0, 3))
def test_hashes(folder, seed, bits):
    qrels, run = collection(seed)
    expected = folder.result(qrels, run)
    strong = Ids.hashes

    def weak(self, seed=0):
        hashes = strong(self, seed)
        return hashes if seed else hashes & np.uint64(((1 << bits) - 1) << 60)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ids, "hashes", weak)
        assert folder.result(qrels, run) == expected
        assert folder.result(interleave(qrels), interleave(run)) == expected


KEYS = {
    "ones": np.ones((SEEDS, 32, 2), np.uint64),
    "halves": np.full((SEEDS, 32, 2), (1 << 63) + 1, np.uint64),
    "drawn": np.random.default_rng(7).integers(0, 2**64, (SEEDS, 32, 2), np.uint64) | np.uint64(1),
}


@pytest.mark.thorough
@some
@given(seeds, st.sampled_from(sorted(KEYS)))
def test_keys_of_the_hashes(folder, seed, keys):
    qrels, run = collection(seed)
    expected = folder.result(qrels, run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "_KEYS", KEYS[keys])
        assert folder.result(qrels, run) == expected


def test_judgments_handed_to_another_process_are_hashed_there(folder):
    folder.result(*collection(3))
    evaluator = Evaluator(folder.qrels, ["map"])
    evaluator.evaluate_silently(folder.run)
    given_on = pickle.dumps(evaluator.prepared_judgments.qrels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "_KEYS", KEYS["drawn"])
        there = pickle.loads(given_on)
        assert there.hashes.tolist() == there.docs.hashes().tolist()
        assert "of_topics" not in vars(there)


SPACINGS = {
    "tabs": lambda line: line.replace(b" ", b"\t"),
    "mixed": lambda line: b" \t" + line.replace(b" ", b"\t ") + b" ",
    "returns": lambda line: line + b"\r",
    "comments": lambda line: line + b"\n# q1 Q0 d1 1 1 tag\n#",
    "empty lines": lambda line: line + b"\n\n \n",
    "other blanks": lambda line: line.replace(b" ", b"\v\f"),
}


@pytest.mark.parametrize("spacing", SPACINGS)
@pytest.mark.parametrize("size", [40, 1000, 1 << 20])
def test_blanks_and_comments(monkeypatch, folder, spacing, size):
    qrels, run = collection(1)
    expected = folder.result(qrels, run)
    cut(monkeypatch, size)
    written = [[SPACINGS[spacing](line) for line in lines] for lines in (qrels, run)]
    assert folder.result(*written) == expected
    assert folder.result(*map(interleave, written)) == expected


def test_text_behind_the_tag(folder):
    qrels, run = collection(2)
    assert folder.result(qrels, [line + b" and more" for line in run]) == folder.result(qrels, run)


@for_each("end", [b"", b"\n", b"\n\n", b"\n#", b"\r\n", b"\n# q Q0 d 1 1 other\n"])
@for_each("start", [b"", b"\xef\xbb\xbf", b"\n", b"# tag\n", b"\xef\xbb\xbf#\n"])
def test_ends_of_the_files(folder, start, end):
    qrels, run = collection(3)
    expected = folder.result(qrels, run)
    folder.qrels.write_bytes(start + b"\n".join(qrels) + end)
    folder.run.write_bytes(start + b"\n".join(run) + end)
    assert result(folder.qrels, folder.run) == expected


def test_a_mark_inside_a_text_belongs_to_the_id(monkeypatch, folder):
    # wherever a piece begins
    qrels, run = collection(4)
    qrels += [b"\xef\xbb\xbfq1 0 d1 1", b"\xef\xbb\xbfq1 0 d2 0"]
    run += [b"\xef\xbb\xbfq1 Q0 d1 1 1 tag"]
    expected = folder.result(qrels, run)
    assert len(expected[0]) == len(TOPICS) + 1
    for size in (10, 40, 100):
        cut(monkeypatch, size)
        assert folder.result(qrels, run) == expected


def test_a_topic_longer_than_pieces_and_one_that_comes_back(monkeypatch, folder):
    qrels, run = collection(5)
    long = [b"long Q0 x%d 1 %d tag" % (number, number % 7) for number in range(3000)]
    qrels += [b"long 0 x%d %d" % (number, number % 2) for number in range(0, 3000, 5)]
    expected = folder.result(qrels, run + long)
    cut(monkeypatch, 500)
    assert folder.result(qrels, run + long) == expected
    assert folder.result(qrels, run[:1] + long + run[1:]) == expected
    assert folder.result(qrels, long[:1500] + run + long[1500:]) == expected


def test_the_tag_is_the_last_line_s(monkeypatch, folder):
    qrels, run = collection(6)
    run = [line[:-3] + b"t%d" % number for number, line in enumerate(run)]
    for size in (30, 1000, 1 << 20):
        cut(monkeypatch, size)
        for lines in (run, interleave(run)):
            for end in ([], [b"", b"# x Q0 d 1 1 no"]):
                tag = lines[-1].split()[5].decode()
                assert folder.result(qrels, lines + end)[-1] == tag.encode()


# --- the way in ----------------------------------------------------------------------------------


def write_to_pipe(path, content):
    """A named pipe, and the thread that writes into it."""
    os.mkfifo(path)
    writer = threading.Thread(target=Path(path).write_bytes, args=(content,))
    writer.start()
    return writer


@pytest.mark.parametrize("order", [list, interleave])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("size", [100, 1 << 20])
def test_pipes(monkeypatch, tmp_path, folder, order, compress, size):
    qrels, run = collection(7)
    expected = folder.result(qrels, run)
    cut(monkeypatch, size)
    writers = []
    for name, lines in (("a", qrels), ("b", run)):
        content = compress(b"\n".join(order(lines)))
        writers.append(write_to_pipe(tmp_path / name, content))
    assert result(tmp_path / "a", tmp_path / "b") == expected
    for writer in writers:
        writer.join()


def test_standard_input_for_either_file(folder):
    qrels, run = collection(8)
    folder.result(qrels, run)
    command = ["-q", "-m", "all_trec"]
    expected = irev(*command, folder.qrels, folder.run)
    assert expected.code == 0
    assert expected.out.count(b"\n") > 300
    for lines in (run, interleave(run)):
        text = b"\n".join(lines)
        assert irev(*command, folder.qrels, "-", stdin=text) == expected
    assert irev(*command, folder.qrels, "-", stdin=gzip.compress(b"\n".join(run))) == expected
    assert irev(*command, "-", folder.run, stdin=b"\n".join(interleave(qrels))) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/stdin is a way to a file there")
def test_standard_input_by_its_name(folder):
    qrels, run = collection(9)
    folder.result(qrels, run)
    expected = irev(folder.qrels, folder.run)
    assert process(folder.qrels, "/dev/stdin", stdin=folder.run) == expected


def test_threads_on_the_command_line(folder):
    qrels, run = collection(10)
    folder.result(qrels, interleave(run))
    outputs = {irev("-q", "--threads", n, folder.qrels, folder.run) for n in ("1", "2", "9")}
    assert len(outputs) == 1
