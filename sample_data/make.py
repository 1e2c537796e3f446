"""Makes the sample collection: judgments and runs, the same bytes on every machine.

    python sample_data/make.py [FOLDER]

Nothing here is random and nothing is a real number: the "noise" comes from SHA-256 of a name, and
every score is counted in whole thousandths. `README.md` says what each file shows.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TOPICS = ["1", "2", "3", "7", "007", "9", "10", "11", "20", "100", "1e5", "NA"]
"""The judged topics, as a person would order them; byte order is 007, 1, 10, 100, 11, 1e5, ..."""
WITHOUT_RELEVANT = "11"
"""A judged topic for which nothing in the collection is relevant."""
MISSING_FROM_DENSE = "20"
UNJUDGED = "13"
"""A topic that has a ranking in one run and no judgments."""

ODD_DOCUMENTS = ["007", "7", "NA", "nan", "1e5", "100000", '"q', "café-17", "東京-03", "#42"]
DOCUMENTS = [f"d{number:04}" for number in range(1, 391)] + ODD_DOCUMENTS

CANDIDATES = 110
"""How many documents of a topic the runs choose from."""
POOL_DEPTH = 20
"""Documents to this rank in any run were given to the assessor."""


@dataclass(frozen=True)
class System:
    """A made-up retrieval system: how well it sees relevance, and how its run is written."""

    name: str
    file: str
    skill: int
    """What one grade adds to a score, in thousandths; noise is between 0 and 3000."""
    depth: int
    step: int = 1
    """Scores are rounded down to multiples of this many thousandths: large steps make ties."""
    first_rank: int = 1


BM25 = System("bm25", "bm25.run", skill=250, depth=50)
RM3 = System("rm3", "rm3.run", skill=350, depth=50, step=250, first_rank=0)
DENSE = System("dense", "dense.run.gz", skill=450, depth=40)
FUSION = System("fusion", "fusion.run", skill=900, depth=30)
SYSTEMS = [BM25, RM3, DENSE, FUSION]


def draw(size: int, *names: object) -> int:
    """A whole number from 0 to size - 1 that depends on nothing but the names."""
    name = "/".join(map(str, names)).encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8]) % size


def hidden_grades(topic: str) -> dict[str, int]:
    """What a perfect assessor would say of each candidate of a topic."""
    chosen = sorted(DOCUMENTS, key=lambda doc: draw(1 << 60, "candidate", topic, doc))[:CANDIDATES]
    # the odd ids are candidates everywhere, so that every topic puts them to the test
    grades = {doc: hidden_grade(topic, doc) for doc in [*ODD_DOCUMENTS, *chosen]}
    return dict.fromkeys(grades, 0) if topic == WITHOUT_RELEVANT else grades


def hidden_grade(topic: str, doc: str) -> int:
    """One grade: 74 in 100 are 0, then 13, 9 and 4 are 1, 2 and 3."""
    percent = draw(100, "grade", topic, doc)
    return (percent >= 74) + (percent >= 87) + (percent >= 96)


def ranking(system: System, topic: str) -> list[tuple[str, int]]:
    """The system's documents for a topic with their scores in thousandths, best first."""
    scored = []
    for doc, grade in hidden_grades(topic).items():
        noise = sum(draw(1001, "noise", part, system.name, topic, doc) for part in range(3))
        score = system.skill * grade + noise
        scored.append((score - score % system.step, doc))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    return [(doc, score) for score, doc in scored[: system.depth]]


def rankings(system: System) -> dict[str, list[tuple[str, int]]]:
    """The system's rankings, by topic."""
    topics = [topic for topic in TOPICS if system is not DENSE or topic != MISSING_FROM_DENSE]
    if system is RM3:
        topics.append(UNJUDGED)
    return {topic: ranking(system, topic) for topic in topics}


def rows(system: System) -> list[tuple[str, str, int, int]]:
    """The run as (topic, document, rank, score in thousandths), topic by topic."""
    return [
        (topic, doc, rank, score)
        for topic, docs in rankings(system).items()
        for rank, (doc, score) in enumerate(docs, system.first_rank)
    ]


def decimal(thousandths: int) -> str:
    """Thousandths as a decimal number."""
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def scientific(thousandths: int) -> str:
    """Thousandths in scientific notation with all their digits, such as 3.071e+00 or 8.9e-02."""
    digits = str(thousandths)
    return f"{digits[0]}.{digits[1:] or 0}e{len(digits) - 4:+03}"


def bm25_run() -> str:
    """As most runs are: blanks, ranks from 1, topics one after another, best document first."""
    return lines(
        f"{topic} Q0 {doc} {rank} {decimal(score)} bm25" for topic, doc, rank, score in rows(BM25)
    )


def rm3_run() -> str:
    """Tabs, CRLF line ends, ranks from 0, many equal scores, a topic that nobody judged."""
    fields = (
        (topic, "Q0", doc, str(rank), decimal(score), "rm3")
        for topic, doc, rank, score in rows(RM3)
    )
    return lines(map("\t".join, fields), end="\r\n")


def dense_run() -> str:
    """Scientific notation, one judged topic missing."""
    return lines(
        f"{topic} Q0 {doc} {rank} {scientific(score)} dense"
        for topic, doc, rank, score in rows(DENSE)
    )


def fusion_run() -> str:
    """Worst document first and topics interleaved; the rank column says the same for all."""
    ordered = sorted(rows(FUSION), key=lambda row: -row[2])
    return "# lowest ranks first\n" + lines(
        f"{topic} Q0 {doc} 1 {decimal(score)} fusion" for topic, doc, _, score in ordered
    )


def pool(topic: str) -> list[str]:
    """The documents that reached the assessor, and two that were found in another way."""
    found = {doc for system in SYSTEMS for doc, _ in ranking(system, topic)[:POOL_DEPTH]}
    others = [doc for doc, grade in hidden_grades(topic).items() if grade and doc not in found]
    return sorted([*found, *others[:2]])


def judgments(topic: str) -> dict[str, int]:
    """The grades of a topic's pool; -1 where the assessor ran out of time (3 in 100)."""
    hidden = hidden_grades(topic)
    return {
        doc: -1 if draw(100, "unjudged", topic, doc) < 3 else hidden[doc] for doc in pool(topic)
    }


def qrels() -> str:
    """The judgments of all topics."""
    return lines(
        f"{topic} 0 {doc} {grade}" for topic in TOPICS for doc, grade in judgments(topic).items()
    )


def qrels_jg() -> str:
    """Three topics judged by two assessors, the second one more generous."""
    return lines(
        f"{topic} {assessor} {doc} {min(3, grade + extra)}"
        for topic in ("1", "10", "NA")
        for assessor, extra_for_one in (("anna", 0), ("ben", 1))
        for doc, grade in list(judgments(topic).items())[:20]
        if grade >= 0
        for extra in [extra_for_one if draw(3, assessor, topic, doc) == 0 else 0]
    )


def prefs() -> str:
    """Preferences between documents that bm25 retrieved: by level, and pair by pair."""
    best, good, fair, poor = (doc for doc, _ in ranking(BM25, "1")[:8:2])
    levels = ((poor, 3), (best, 2), (good, 1), (fair, 0))
    text = [f"1 anna 0 {doc} {level}" for doc, level in levels]
    first, second, third = (doc for doc, _ in ranking(BM25, "10")[:9:3])
    for number, (better, worse) in enumerate(((second, first), (first, third)), 1):
        text += [f"10 ben p{number} {better} 2", f"10 ben p{number} {worse} 1"]
    return lines(text)


MANY = [str(number) for number in range(201, 261)]
"""Topics that a model judged, all of them."""
BY_PEOPLE = sorted(MANY, key=lambda topic: draw(1 << 60, "given to people", topic))[:20]
"""Those that people judged too, drawn at random."""
SPARSE = System("sparse", "sparse.run", skill=500, depth=10)
LATE = System("late", "late.run", skill=900, depth=10)
LLM = System("llm", "llm.run", skill=950, depth=10)


def true_grades(topic: str) -> dict[str, int]:
    """What people say, or would say, of the 30 documents that were judged for a topic."""
    chosen = sorted(DOCUMENTS[:390], key=lambda doc: draw(1 << 60, "judged", topic, doc))[:30]
    grades = {doc: draw(100, "true grade", topic, doc) for doc in sorted(chosen)}
    return {doc: (n >= 60) + (n >= 80) + (n >= 93) for doc, n in grades.items()}


def found_of_many(system: System, topic: str) -> list[tuple[str, int]]:
    """The first documents of a system; topics are not equally easy."""
    ease = draw(1001, "ease", topic)
    scored = []
    for doc, grade in true_grades(topic).items():
        noise = sum(draw(1001, "noise", part, system.name, topic, doc) for part in range(3))
        scored.append((system.skill * grade * ease // 700 + noise, doc))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    return [(doc, score) for score, doc in scored[: system.depth]]


def model_grades(topic: str) -> dict[str, int]:
    """The model's grades: too kind, and kinder to what it ranked first itself."""
    own = [doc for doc, _ in found_of_many(LLM, topic)[:6]]
    return {
        doc: min(3, grade + (draw(100, "model", topic, doc) < (95 if doc in own else 15)))
        for doc, grade in true_grades(topic).items()
    }


def predicted() -> dict[str, str]:
    """Judgments by a model and by people, and three runs."""
    texts = {
        "auto.qrels": lines(
            f"{topic} 0 {doc} {grade}"
            for topic in MANY
            for doc, grade in model_grades(topic).items()
        ),
        "people.qrels": lines(
            f"{topic} 0 {doc} {grade}"
            for topic in sorted(BY_PEOPLE)
            for doc, grade in true_grades(topic).items()
        ),
    }
    for system in (SPARSE, LATE, LLM):
        texts[system.file] = lines(
            f"{topic} Q0 {doc} {rank} {decimal(score)} {system.name}"
            for topic in MANY
            for rank, (doc, score) in enumerate(found_of_many(system, topic), 1)
        )
    return {f"predicted/{name}": text for name, text in texts.items()}


FIRST_TOPICS = [str(number) for number in range(301, 311)]
"""Topics of the set for a first look, whose ids are as ordinary as its documents'."""
FIRST_DOCUMENTS = [f"doc{number:03}" for number in range(1, 201)]
FIRST_SYSTEMS = [
    System("bm25", "bm25.run", skill=300, depth=20),
    System("neural", "neural.run", skill=350, depth=20),
]


def first_grades(topic: str) -> dict[str, int]:
    """What an assessor says of the 20 documents that were judged for a topic."""
    chosen = sorted(FIRST_DOCUMENTS, key=lambda doc: draw(1 << 60, "first", topic, doc))[:20]
    grades = {doc: draw(100, "first grade", topic, doc) for doc in sorted(chosen)}
    return {doc: (n >= 60) + (n >= 80) for doc, n in grades.items()}


def first_ranking(system: System, topic: str) -> list[tuple[str, int]]:
    """The first documents of a system with their scores in thousandths, no two scores equal."""
    grades = first_grades(topic)
    others = sorted(FIRST_DOCUMENTS, key=lambda doc: draw(1 << 60, "other", topic, doc))[:15]
    scored = []
    for doc in {*grades, *others}:
        noise = sum(draw(1001, "first noise", part, system.name, topic, doc) for part in range(3))
        scored.append((system.skill * (grades.get(doc, 0) + (doc in grades)) + noise, doc))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    return [(doc, score) for score, doc in scored[: system.depth]]


def first() -> dict[str, str]:
    """Ten topics, some judgments, two runs: nothing odd, for whoever tries a first command."""
    texts = {
        "qrels.txt": lines(
            f"{topic} 0 {doc} {grade}"
            for topic in FIRST_TOPICS
            for doc, grade in first_grades(topic).items()
        )
    }
    for system in FIRST_SYSTEMS:
        texts[system.file] = lines(
            f"{topic} Q0 {doc} {rank} {decimal(score)} {system.name}"
            for topic in FIRST_TOPICS
            for rank, (doc, score) in enumerate(first_ranking(system, topic), 1)
        )
    return {f"first/{name}": text for name, text in texts.items()}


def lines(texts: Iterable[str], end: str = "\n") -> str:
    """The texts as lines, the last one ended too."""
    return "".join(text + end for text in texts)


def files() -> dict[str, bytes]:
    """Every file of the collection, by name."""
    texts = {
        "qrels.txt": qrels(),
        "qrels_jg.txt": qrels_jg(),
        "prefs.txt": prefs(),
        BM25.file: bm25_run(),
        RM3.file: rm3_run(),
        DENSE.file: dense_run(),
        FUSION.file: fusion_run(),
        **predicted(),
        **first(),
    }
    contents = {name: text.encode() for name, text in texts.items()}
    contents[DENSE.file] = gzip.compress(contents[DENSE.file], mtime=0)
    return contents


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name in ("predicted", "first"):
        (folder / name).mkdir(exist_ok=True)
    for file_name, content in files().items():
        (folder / file_name).write_bytes(content)
