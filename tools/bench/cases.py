"""What is measured: each case a qrels file, one or more runs, and how they are handed over."""

from __future__ import annotations

from dataclasses import dataclass

TREC_RUNS = tuple(f"trec-{number:03}.run" for number in range(100))
TABLES = (".parquet", ".feather")
SHORT_RUNS = tuple(f"short-{number:03}.run" for number in range(1_000))


@dataclass(frozen=True)
class Case:
    """One comparison; the file names are relative to the folder of the inputs."""

    key: str
    title: str
    qrels: str = ""
    runs: tuple[str, ...] = ()
    measures: str = "all_trec"
    """Names, separated by blanks where only irev is measured."""
    options: str = ""
    """What irev is given besides."""
    peer_options: str = ""
    """What trec_eval is given besides."""
    stdin: bool = False
    """Whether the run comes from standard input."""
    packed: str = ""
    """The program that unpacks the run for a peer that cannot."""
    beside: str = "peers"
    """What irev is measured beside: `peers`, or the name of one of `programs.OWN`."""
    aim: str = ""
    """The ratio, irev to peer, that is aimed at."""
    needs: str = ""
    """The module without which irev cannot do it."""
    long: bool = False
    """Whether it is left out unless asked for."""

    @property
    def is_plain_text(self) -> bool:
        """Whether its inputs are text that any peer can read."""
        return not self.packed and not any(run.endswith(TABLES) for run in self.runs)


SPARSE = "sparse.qrels"
TEN_RATES = " ".join(f"--sample={rate}%" for rate in (1, 2, 5, 10, 20, 30, 40, 50, 70, 90))
SPARK = "--engine spark"

CASES = [
    Case("a", "blanks, about one judgment a topic", SPARSE, ("blanks.run",), aim="wall 0.09"),
    Case("b", "tabs", SPARSE, ("tabs.run",), aim="wall 0.1"),
    Case("c", "shuffled inside topics, 5% of scores tied", SPARSE, ("ties.run",),
        aim="wall 0.125"),
    Case("d", "all lines shuffled", SPARSE, ("shuffled.run",), aim="wall 0.125"),
    Case("a-q", "as a, topic by topic", SPARSE, ("blanks.run",),
        options="-q", peer_options="-q"),
    Case("a-json", "as a, topic by topic in JSON, beside -q", SPARSE, ("blanks.run",),
        options="-q --format json", peer_options="-q"),
    Case("a-gz", "as a, gzip, beside zcat to a file", SPARSE, ("blanks.run.gz",),
        packed="gzip -dc"),
    Case("a-zst", "as a, zstd, beside the plain run", SPARSE, ("blanks.run.zst",),
        packed="-", beside="text"),
    Case("a-parquet", "as a, Parquet packed by Snappy, beside the plain run", SPARSE,
        ("blanks.parquet",), beside="text", aim="CPU 0.7"),
    Case("a-lz4", "as a, Parquet packed by LZ4, beside the plain run", SPARSE,
        ("blanks.lz4.parquet",), beside="text", aim="CPU 0.7"),
    Case("a-feather", "as a, Feather, beside the plain run", SPARSE,
        ("blanks.feather",), beside="text", aim="CPU 0.7"),
    Case("a-stdin", "as a, from standard input", SPARSE, ("blanks.run",), stdin=True),
    Case("d-stdin", "as d, from standard input", SPARSE, ("shuffled.run",), stdin=True),
    Case("e", "every retrieved document judged", "dense.qrels", ("blanks.run",)),
    Case("f", "as a, ten times as long: memory", "long.qrels", ("long.run",), long=True),
    Case("g", "one small run", "trec.qrels", ("trec-000.run",)),
    Case("g-start", "one small run, beside importing what irev stands on", "trec.qrels",
        ("trec-000.run",), beside="imports", aim="CPU 1"),
    Case("help", "irev --help, beside importing click", options="--help",
        measures="", beside="click", aim="CPU 1.3"),
    Case("h", "100 small runs in one call", "trec.qrels", TREC_RUNS, measures="official"),
    Case("h-short", "1,000 runs of 500 lines in one call", "trec.qrels", SHORT_RUNS,
        measures="official", aim="CPU 1"),
    Case("i", "32 small runs under 10 samples at each of 10 rates, beside no sample",
        "trec.qrels", TREC_RUNS[:32], measures="infAP indAP subAP bpref-10", options=TEN_RATES,
        beside="one sample less", aim="wall 10"),
    Case("spark-start", "one small run by Spark, beside one process; wall time and output alone",
        "trec.qrels", ("trec-000.run",), options=SPARK, beside="one process", needs="pyspark"),
    Case("spark", "as a, by Spark, beside one process; wall time and output alone",
        SPARSE, ("blanks.run",), options=SPARK, beside="one process", needs="pyspark"),
    Case("spark-scattered", "as d, by Spark, beside one process; wall time and output alone",
        SPARSE, ("shuffled.run",), options=SPARK, beside="one process", needs="pyspark"),
]  # fmt: skip
