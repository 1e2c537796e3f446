"""What is measured: each case a qrels file, one or more runs, and how they are handed over."""

from __future__ import annotations

from dataclasses import dataclass

TREC_RUNS = [f"trec-{number:03}.run" for number in range(100)]


@dataclass(frozen=True)
class Case:
    """One comparison; the file names are relative to the folder of the inputs."""

    key: str
    title: str
    qrels: str
    runs: tuple[str, ...]
    measures: str = "all_trec"
    """Names, separated by blanks where only irev is measured."""
    stdin: bool = False
    """Whether the run comes from standard input."""
    imports: bool = False
    """Whether importing what irev stands on, and nothing else, is one of the peers."""
    samples: tuple[str, ...] = ()
    """Designs of samples of the judgments; the one peer is then irev without any."""
    wanted: float | None = None
    """The ratio of wall times, irev to peer, that is aimed at."""
    long: bool = False
    """Whether it is left out unless asked for."""


CASES = [
    Case("a", "blanks, about one judgment a topic", "sparse.qrels", ("blanks.run",), wanted=0.125),
    Case("b", "tabs", "sparse.qrels", ("tabs.run",), wanted=0.125),
    Case(
        "c", "shuffled inside topics, 5% of scores tied", "sparse.qrels", ("ties.run",),
        wanted=0.125,
    ),
    Case("d", "all lines shuffled", "sparse.qrels", ("shuffled.run",), wanted=0.125),
    Case(
        "a-stdin", "as a, from standard input", "sparse.qrels", ("blanks.run",),
        stdin=True, wanted=0.125,
    ),
    Case(
        "d-stdin", "as d, from standard input", "sparse.qrels", ("shuffled.run",),
        stdin=True, wanted=0.125,
    ),
    Case("e", "every retrieved document judged", "dense.qrels", ("blanks.run",), wanted=0.125),
    Case("f", "as a, ten times as long: memory", "long.qrels", ("long.run",), long=True),
    Case("g", "one small run", "trec.qrels", ("trec-000.run",), imports=True),
    Case("h", "100 small runs in one call", "trec.qrels", tuple(TREC_RUNS), measures="official"),
    Case(
        "i", "32 small runs under 10 samples at each of 10 rates, beside no sample", "trec.qrels",
        tuple(TREC_RUNS[:32]), measures="infAP indAP subAP bpref-10",
        samples=("1%", "2%", "5%", "10%", "20%", "30%", "40%", "50%", "70%", "90%"), wanted=10,
    ),
]  # fmt: skip
