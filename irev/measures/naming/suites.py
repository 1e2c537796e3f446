"""Measures that belong together: those that a collection, a track or a paper reports.

`-m suite:dl19` asks for the measures of a suite, `-m suite:dl19/1` for those of its first version.
A suite that is changed gets a new version, and the old one stays.
"""

from __future__ import annotations

from typing import NamedTuple

from irev.errors import UsageError


class Suite(NamedTuple):
    """A list of measures with its reason."""

    name: str
    title: str
    measures: tuple[str, ...]
    source: str
    version: int = 1


_FIRST_COVID_ROUNDS = ("nDCG@10", "P@5", "AP", "Bpref", "RBP(p=0.5)")

SUITES = (
    Suite(
        "dl19",
        "TREC Deep Learning 2019, passages: grades 2 and 3 are relevant",
        ("nDCG@10", "AP(rel=2)", "RR(rel=2)", "R(rel=2)@100", "R(rel=2)@1000"),
        "Craswell et al. 2020, Overview of the TREC 2019 Deep Learning Track; the track's binary "
        "measures take grades from 2 on, its nDCG the grades themselves",
    ),
    Suite(
        "dl20",
        "TREC Deep Learning 2020, passages: grades 2 and 3 are relevant",
        ("nDCG@10", "AP(rel=2)", "RR(rel=2)", "R(rel=2)@100", "R(rel=2)@1000"),
        "Craswell et al. 2021, Overview of the TREC 2020 Deep Learning Track",
    ),
    Suite(
        "dl19-doc",
        "TREC Deep Learning 2019, documents: every grade above 0 is relevant",
        ("nDCG@10", "AP", "RR", "R@100"),
        "Craswell et al. 2020, Overview of the TREC 2019 Deep Learning Track",
    ),
    Suite(
        "dl21",
        "TREC Deep Learning 2021 to 2023, passages: grades 2 and 3 are relevant",
        ("nDCG@10", "AP(rel=2)@100", "RR(rel=2)@100", "R(rel=2)@100", "R(rel=2)@1000"),
        "Anserini's reproductions of 2021 to 2023; NIST's pages of the judgments say that the "
        "binary measures take grades from 2 on",
    ),
    Suite(
        "msmarco",
        "MS MARCO passage ranking",
        ("RR@10", "R@100", "R@1000"),
        "Bajaj et al. 2016, MS MARCO; the leaderboard's measure is RR@10",
    ),
    Suite(
        "beir",
        "BEIR",
        ("nDCG@10", "R@100"),
        "Thakur et al. 2021, BEIR, NeurIPS Datasets and Benchmarks: nDCG@10 throughout, R@100 "
        "beside it",
    ),
    Suite(
        "beir-all",
        "BEIR, everything that its programs print",
        tuple(f"{name}@{k}" for name in ("nDCG", "AP", "R", "P") for k in (1, 3, 5, 10, 100, 1000)),
        "the package beir, EvaluateRetrieval with its default cutoffs",
    ),
    Suite(
        "ntcir",
        "NTCIR's graded measures: Microsoft's nDCG, Q, and normalised ERR",
        ("nDCG@10", "Q(denom=min)@10", "nERR(stop=ratio)@10"),
        "Sakai, NTCIREVAL; the measures of the NTCIR WWW tasks",
    ),
    Suite(
        "sakai06",
        "Late arrival of relevant documents: Q with several beta, with AP and nDCG",
        ("AP", "Q(beta=1)", "Q(beta=10)", "nDCG(b=2)@1000"),
        "Sakai 2006, Controlling the Penalty on Late Arrival of Relevant Documents in Information "
        "Retrieval Evaluation with Graded Relevance (without the cut of AP and Q at 1000)",
    ),
    Suite(
        "sakai06",
        "Late arrival of relevant documents: Q with several beta, with AP and nDCG",
        ("AP@1000", "Q(beta=1)@1000", "Q(beta=10)@1000", "nDCG(b=2)@1000"),
        "Sakai 2006, Controlling the Penalty on Late Arrival of Relevant Documents in Information "
        "Retrieval Evaluation with Graded Relevance (its guideline: Q with beta 1 and 10, "
        "AP being beta 0, and nDCG with base 2; all of the first 1000 documents)",
        version=2,
    ),
    Suite(
        "kishida05",
        "The graded measures that Kishida compares",
        ("AP", "MSR@5", "AvgNDCG(b=2)@5", "Q(beta=1)", "genAP"),
        "Kishida 2005, NII-2005-014E, section 4.3: lists of five documents",
    ),
    Suite(
        "definitions",
        "Rival definitions that go by one name, side by side",
        (
            "nDCG",
            "nDCG(gain=exp)",
            "nDCG(b=2)",
            "AP@10",
            "AP(denom=min)@10",
            "Bpref(def=te)",
            "Bpref(def=eq)",
            "Bpref(def=te7)",
            "bpref-10",
            "IPrecAvg(rule=ge)",
            "IPrecAvg(rule=band)",
            "IPrecAvg(rule=te9)",
            "IPrecAvg(rule=te10)",
            "SetF(beta=2)",
            "set_F.2",
            "SetE(beta=2)",
        ),
        "what Järvelin and Kekäläinen 2002, Burges et al. 2005, Buckley and Voorhees 2004, Yilmaz "
        "and Aslam 2006, van Rijsbergen 1979 and the versions of trec_eval mean by nDCG, AP@k, "
        "bpref, interpolated precision, F (set_F.2 has beta^2 = 2) and E",
    ),
    Suite(
        "covid",
        "TREC-COVID, the first rounds: what suite:trec-covid/1 has, too",
        _FIRST_COVID_ROUNDS,
        "Roberts et al. 2020 and Voorhees et al. 2020, TREC-COVID",
    ),
    Suite(
        "trec-covid",
        "TREC-COVID, rounds 1 to 3",
        _FIRST_COVID_ROUNDS,
        "NIST's board of round 1, and its result files of rounds 2 and 3 (ndcg, P_5, map, bpref, "
        "rbp_p5); RBP has gains by grade; 32 runs of the board have these numbers by --compat "
        "trec9",
    ),
    Suite(
        "trec-covid",
        "TREC-COVID, rounds 4 and 5",
        ("nDCG@20", "P@20", "AP", "Bpref", "RBP(p=0.5)"),
        "NIST's result files of rounds 4 and 5: ndcg_20, P_20, map, bpref, rbp_p5; RBP as in "
        "round 1",
        version=2,
    ),
    Suite(
        "cast",
        "TREC CAsT 2020 and 2021: grades from 2 on are relevant",
        ("nDCG@3", "nDCG@5", "nDCG@500", "AP(rel=2)@500", "RR(rel=2)", "R(rel=2)@500"),
        "Dalton et al., Overviews of the TREC Conversational Assistance Track",
    ),
    Suite(
        "tar",
        "Technology-assisted review: the qrels judge the whole candidate set",
        (
            "AP",
            "LastRel",
            "WSS(recall=0.95)",
            "WSS(recall=1)",
            "RecallArea",
            "R@10%",
            "R@20%",
            "R@50%",
        ),
        "Kanoulas et al., Overviews of the CLEF tracks on Technologically Assisted Reviews",
    ),
    Suite(
        "robust04",
        "TREC Robust 2004 as it is usually reported",
        ("AP", "P@20", "nDCG@20"),
        "Voorhees 2004, Overview of the TREC 2004 Robust Track (AP, P); nDCG@20 in later papers",
    ),
    Suite(
        "web",
        "TREC Web tracks 2010 to 2014, ad hoc task: grades up to 4",
        ("ERR(max=4)@20", "nDCG(gain=exp)@20", "P@20", "AP"),
        "Clarke et al., Overviews of the TREC Web Track; the program gdeval",
    ),
    Suite(
        "web-diversity",
        "TREC Web tracks, diversity task (-R subtopics)",
        ("ERR_IA@20", "alpha_nDCG@20", "NRBP", "P_IA@20", "AP_IA", "StRecall@20"),
        "Clarke et al., Overviews of the TREC Web Track; the program ndeval",
    ),
    Suite(
        "tot",
        "TREC Tip of the Tongue 2023 to 2025: one relevant document",
        ("nDCG@1000", "nDCG@10", "RR@1000", "Success@1000"),
        "the track's guidelines: DCG first, then reciprocal rank and success@k; the cutoffs are "
        "those of its baselines",
    ),
    Suite(
        "neuclir",
        "TREC NeuCLIR 2022 to 2024, ranked retrieval",
        ("nDCG@20", "AP", "R@1000"),
        "Anserini's reproductions of NeuCLIR 2022",
    ),
    Suite(
        "rag24",
        "TREC RAG 2024, retrieval",
        ("nDCG@20", "nDCG@100", "R@100"),
        "Anserini's reproductions of TREC RAG 2024",
    ),
    Suite(
        "atomic",
        "TREC AToMiC 2023",
        ("RR@10", "R@1000", "Success@1000"),
        "the track's page for beginners: trec_eval -c -M 10 -m recip_rank; recall and success at "
        "1000",
    ),
    Suite(
        "trials",
        "TREC Clinical Trials 2021 to 2023: grade 2 is eligible",
        ("nDCG@10", "P(rel=2)@10", "RR(rel=2)"),
        "NIST's result files of 2021 and 2022: ndcg_cut_10; the other two are usual, not checked",
    ),
    Suite(
        "ikat",
        "TREC iKAT, passages",
        ("nDCG@5", "nDCG", "AP", "P@20", "R@20"),
        "usual; not checked against the track's overviews",
    ),
    Suite(
        "product",
        "TREC Product Search 2023 and 2024",
        ("nDCG@10", "R@100"),
        "usual; not checked against the track's overviews",
    ),
    Suite(
        "longeval",
        "CLEF LongEval: retrieval on each snapshot",
        ("nDCG", "nDCG@10"),
        "the lab's program longeval-code, which compares these between snapshots",
    ),
    Suite(
        "checkthat",
        "CLEF CheckThat! 2025, task 4b: the paper that a post means",
        ("RR@5", "RR@1", "RR@10"),
        "Alam et al. 2025, The CLEF-2025 CheckThat! Lab: MRR@5; the others are usual",
    ),
    Suite(
        "bioasq",
        "BioASQ task b, phase A, documents",
        ("AP(denom=min)@10", "SetP", "SetR", "SetF"),
        "BioASQ's tables of results and questions and answers: since its 8th year AP is divided "
        "by 10 or the number of relevant documents, if that is smaller (without its GMAP)",
    ),
    Suite(
        "erisk",
        "CLEF eRisk 2023 to 2025: sentences for symptoms",
        ("AP", "Rprec", "P@10", "nDCG@1000"),
        "usual; not checked against the lab's overviews",
    ),
    Suite(
        "simpletext",
        "CLEF SimpleText 2022 to 2025, and JOKER: passages",
        ("nDCG@10", "P@10", "AP"),
        "usual; not checked against the lab's overviews",
    ),
    Suite(
        "cmir",
        "FIRE CMIR 2024 and 2025: code-mixed retrieval",
        ("AP", "nDCG", "P@5", "P@10"),
        "AP is the task's; the others are usual, not checked",
    ),
)
"""Every version of every suite; of a name the last is the newest."""


def find_suite(name_and_version: str) -> Suite:
    """The suite that `dl19`, or `dl19/1` with a version, names."""
    name, slash, version = name_and_version.partition("/")
    suites = [suite for suite in SUITES if suite.name == name]
    if not suites:
        names = dict.fromkeys(suite.name for suite in SUITES)
        raise UsageError(f"no suite is called '{name}'; there are {', '.join(names)}")
    if not slash:
        return suites[-1]
    for suite in suites:
        if str(suite.version) == version:
            return suite
    versions = ", ".join(str(suite.version) for suite in suites)
    raise UsageError(f"suite {name} has no version '{version}'; there is {versions}")
