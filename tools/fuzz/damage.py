"""Damaged files of every kind that irev reads: each reader, configuration, pools' designs.

What may come of it is an answer, or an error in a few words; never a traceback, output beside an
error, or a call without an end. A crash of the process is seen by whoever runs this.
"""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from tests.command import irev
from tools.fuzz.generated import LINES, join_lines_or_part_ids, text_of
from tools.fuzz.harness import Case, Finding, unsound

CORPUS = Path(__file__).parent / "corpus"

X = "X"
"""Where the damaged file stands in a command line; it is called so, with its own suffix."""

FAST = ("--ci", "none", "--test", "none")
QUICK = ("--ci", "t", "--test", "t")
MANY = (
    "nDCG(b=2)@10", "Q(beta=10)", "ERR@20", "RBP", "INST", "bpref-10", "infAP", "AP",
    "suite:sakai06",
)  # fmt: skip


def _measures(*names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in ("-m", name))


RUNS = (
    "run.csv", "run.tsv", "run.jsonl", "run.json", "run.parquet", "plain.parquet", "run.feather",
    "run.arrow", "run.gz", "run.bz2", "run.xz", "run.zst", "run.lz4",
)  # fmt: skip
REFUSED = "v1.feather"
"""What Arrow would crash on."""

SAVED = ("saved.json", "saved.csv", "saved.tsv", "matrix.csv")
TARGETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("qrels", ("-q", "-m", "all_trec", X, "run")),
    ("run", ("-q", "-m", "all_trec", "qrels", X)),
    ("run", ("--format", "json", "-m", "map", "qrels", X)),
    ("qrels_jg", ("-R", "qrels_jg", "-q", "-m", "qrels_jg", X, "run")),
    ("prefs", ("-R", "prefs", "-m", "all_prefs", X, "run")),
    ("qrels_prefs", ("-R", "qrels_prefs", "-m", "all_prefs", X, "run")),
    ("strata", ("-R", "strata", *_measures("xinfAP", "infNDCG"), X, "run")),
    ("prels", ("-R", "prels", "-m", "statAP", X, "run")),
    ("subtopics", (
        "-R", "subtopics", *_measures("alpha_nDCG@5", "ERR_IA@5", "StRecall@5"), X, "run",
    )),
    ("intents", ("-R", "subtopics", "--intents", X, "-m", "alpha_nDCG@5", "subtopics", "run")),
    ("ntcir", ("-R", "ntcir", *_measures("Q", "nDCG@3"), X, "run")),
    ("ntcir_classes", ("-R", "ntcir", *_measures("Q", "nERR@3"), X, "run")),
    ("ntcir", ("-m", "map", X, "run")),
    ("triples", ("-R", "triples", "-m", "map", X, "run")),
    ("msmarco", ("-T", "msmarco", "-m", "map", "qrels", X)),
    ("msmarco_scores", ("-T", "msmarco", "-m", "map", "qrels", X)),
    ("ranked.csv", ("--ties", "rank", "-m", "map", "qrels", X)),
    ("run.csv", ("--grades", "real", "-m", "map", X, "run")),
    ("run.csv", ("--decimal", "comma", "-m", "map", "qrels", X)),
    ("run.json", ("-m", "map", X, "run")),
    ("run.parquet", ("-m", "map", X, "run")),
    *((name, ("-m", "map", "qrels", X)) for name in (*RUNS, REFUSED)),
    *((name, ("compare", *QUICK, X)) for name in SAVED),
    ("matrix.csv", ("leaderboard", *FAST, X)),
    ("one.json", ("gate", "--min", "map=0.1", X)),
    ("board.toml", ("leaderboard", "--config", X)),
    ("gate.toml", ("gate", "--config", X)),
    ("eval.toml", ("--config", X, "qrels", "run")),
    ("topics", ("--topics", X, "-m", "map", "qrels", "run")),
    ("classes", ("--group-by", X, "-m", "map", "qrels", "run")),
    ("weights", ("--topic-weights", X, "-m", "map", "qrels", "run")),
    ("pool", ("--pool", X, "-m", "map", "qrels", "run")),
    ("zscores", ("-q", "-Z", X, "-m", "map", "qrels", "run")),
    ("teams", ("leaderboard", *FAST, "--teams", X, "-m", "map", "qrels", "run", "run2")),
    ("groups", ("pool", "--leave-out", "--groups", X, "qrels", "run", "run2")),
    *((name, ("check", X)) for name in ("run", "qrels", "run.csv", "run.json", "run.gz")),
    *((name, ("check", X)) for name in ("run.parquet", "run.arrow", "prefs")),
    ("run", ("check", "qrels", X)),
    ("topics", ("check", "--topics", X, "run")),
    ("run", ("leaderboard", *FAST, "--format", "html", "-m", "map", "qrels", X, "run2")),
    ("run", ("explain", "-m", "ndcg_cut.5", "-t", "1", "qrels", X)),
    ("qrels", ("explain", "-m", "map", "-t", "1", X, "run")),
    ("qrels", ("sample", "--rate", "50%", X)),
    ("budget", ("sample", "--by", "budget", "--budget", X, "qrels")),
    ("run", ("pool", "--depth", "2", X)),
    ("design", ("pool", "--design", X, "--judgments", "qrels")),
    ("run", ("study", "correlation", "-m", "map", "-m", "P.2", "qrels", X, "run2")),
    ("subtopics", ("-R", "subtopics", "-m", "map", X, "run")),
    ("run", ("--ties", "average", "--tie-range", *_measures("P.5", "nDCG@5"), "qrels", X)),
    ("run", ("--residuals", "--judged", *_measures("P.5", "RBP", "ERR@5"), "qrels", X)),
    ("qrels", (*_measures(*MANY), X, "run")),
)  # fmt: skip
"""(a file of the corpus, the call that reads it)."""

WORDS = (
    *b"\0|\n|\r\n|\r| |\t|\"|#|,|{|}|[|]|:|nan|inf|-inf|1e999|-1|99999999999999999999".split(b"|"),
    b"4294967296", b"9223372036854775807", b"-9223372036854775808", b"2147483648", b"0x1p4",
    b"1e-320", b"1_000", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xae",
    b"\x85", b"\xc2\x9b31m", b"\xa0", b"\x1c", b"\v", b"\f", b"null", b"true", b"all", b"1.5",
    b"1e3", b"+1", b"-0.0", b"\x1b[31m", b"\\u0000", b"\\ud800", b'""', b"'''", b"\xd9\xa1",
    b"\xff\xfe", b"PAR1", b"ARROW1", b"FEA1", b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd",
    b"L9999999999", b"L-1", b"L", b"=1+1", b"../x", b"1" * 400, b"9" * 5000, b"a" * 100000,
    b"[" * 3000, b'{"a":' * 3000,
)  # fmt: skip


@cache
def corpus() -> dict[str, bytes]:
    """The sound files, those that irev writes itself too."""
    files = {path.name: path.read_bytes() for path in sorted(CORPUS.iterdir())}
    scores = ("-q", *_measures("map", "P_5"), "qrels", "run", "run2")
    for form in ("json", "csv", "tsv"):
        files[f"saved.{form}"] = irev("--format", form, *scores, cwd=CORPUS).out
    files["one.json"] = irev("--format", "json", *scores[:-1], cwd=CORPUS).out
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "design"
        irev("pool", "--sample", "50%", "--depth", "2", "--design", path, "run", "run2", cwd=CORPUS)
        files["design"] = path.read_bytes()
    return files


def joined_pair(seed: int) -> tuple[Case, Case]:
    """A call on a sound file, and on one whose lines were joined, or whose ids have blanks."""
    r = Random(seed)
    files = {name: (CORPUS / name).read_bytes() for name in ("qrels", "run")}
    lines, blank = r.choice(LINES), r.choice((b" ", b"\t"))
    rows = map(bytes.split, files["run" if lines.is_run else "qrels"].splitlines())
    chosen = [[row[field] for field in lines.fields] for row in rows]
    words = [*lines.options, "-m", "map", "qrels", X] if lines.is_run else [
        *lines.options, "-m", "map", X, "run"
    ]  # fmt: skip
    sound = Case({**files, X: text_of(chosen, blank)}, words)
    damaged = join_lines_or_part_ids(r, chosen, blank)
    return sound, Case({**sound.files, X: damaged}, words)


def try_joined(seed: int, folder: Path) -> tuple[Case, str, Finding | None]:
    """Hold the scores of a file with joined lines against those of the sound one."""
    sound, damaged = joined_pair(seed)
    sound.write(folder)
    expected = sound.call(folder)
    damaged.write(folder)
    ran = damaged.call(folder)
    finding = unsound(ran)
    if finding is None and ran.code == 0 and "warning" not in ran.err and ran.out != expected.out:
        finding = Finding("other scores without a word", ran.err)
    return damaged, f"joined, exit {ran.code}", finding


def is_joined(seed: int) -> bool:
    """Whether the case of a seed is a file of joined lines."""
    return seed % 8 == 7


def case(seed: int) -> Case:
    """The damaged file of a seed, and the call that reads it."""
    if is_joined(seed):
        return joined_pair(seed)[1]
    r = Random(seed)
    name, words = r.choice(TARGETS)
    data = damage_bytes(r, corpus()[name]) if r.random() < 0.97 else r.randbytes(r.randint(0, 300))
    return case_of(name, words, data)


def case_of(name: str, words: tuple[str, ...], data: bytes) -> Case:
    """A call with some bytes in the place of a file of the corpus."""
    called = X + Path(name).suffix
    needed = (*words, "qrels", "run", "run2") if name.endswith("toml") else words
    files = {each: corpus()[each] for each in needed if each in corpus()}
    return Case({**files, called: data}, [called if word == X else word for word in words])


def try_seed(seed: int, folder: Path) -> tuple[Case, str, Finding | None]:
    """Call irev on the case of a seed: the case, the outcome's class, what is wrong."""
    if is_joined(seed):
        return try_joined(seed, folder)
    damaged = case(seed)
    damaged.write(folder)
    ran = damaged.call(folder)
    return damaged, f"exit {ran.code}", unsound(ran)


def damage_bytes(r: Random, sound: bytes) -> bytes:
    """The bytes with one to eight changes."""
    data = sound
    for _ in range(r.choice([1, 1, 1, 2, 3, 8])):
        data = _changed_data(r, data) if data else r.choice(WORDS)
    return data


def _changed_data(r: Random, data: bytes) -> bytes:
    """One change: of a bit, a byte, a stretch, a line, a word, the end."""
    start = r.randrange(len(data))
    end = min(len(data), start + r.randint(1, 16))
    before, inside, behind = data[:start], data[start:end], data[end:]
    match r.randrange(9):
        case 0:
            return before + bytes([data[start] ^ 1 << r.randrange(8)]) + data[start + 1 :]
        case 1:
            return before + r.randbytes(1) + data[start + 1 :]
        case 2:
            return before + r.choice(WORDS) + data[start:]
        case 3:
            return before + r.choice(WORDS) + behind
        case 4:
            return before + behind
        case 5:
            return before + inside * r.randint(2, 5) + behind
        case 6:
            return before
        case 7:
            return _changed_lines(r, data)
        case _:
            words = [*re.finditer(rb'[^\s,:{}"\[\]]+', data)]
            if not words:
                return data
            word = r.choice(words)
            return data[: word.start()] + r.choice(WORDS) + data[word.end() :]


def _changed_lines(r: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, other = r.randrange(len(lines)), r.randrange(len(lines))
    match r.randrange(4):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            lines.insert(other, lines[one])
        case 2:
            del lines[one]
        case _:
            fields = lines[one].split() or [b""]
            fields[r.randrange(len(fields))] = r.choice(WORDS)
            lines[one] = b" ".join(fields)
    return b"\n".join(lines)
