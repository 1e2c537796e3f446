"""Draw every kind of figure in every size and width, and say what is cut, covered or too small.

python -m tools.figures.check                          all kinds in all sizes (an hour)
python -m tools.figures.check --sample 6 plot          six sizes of each kind of `irev plot`
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from itertools import product
from multiprocessing import Pool
from typing import TYPE_CHECKING, NamedTuple

from tools.figures.faults import figure_faults
from tools.figures.invented import KINDS, WIDTHS, Invented, invented_figure, sizes_of

if TYPE_CHECKING:
    from irev.core.job import FigureWidth


class Case(NamedTuple):
    """A figure to draw."""

    kind: str
    size: Invented
    width: FigureWidth


def case_faults(case: Case) -> list[str]:
    """What is wrong with a figure."""
    warnings.simplefilter("ignore")
    try:
        return figure_faults(invented_figure(*case))
    except Exception as error:  # a figure that cannot be drawn is the worst of faults
        return [f"not drawn: {error!r}"]


def main() -> int:
    """Print the faults and how many figures were drawn; 1 if there are faults."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", help="beginnings of the names of kinds; none: all")
    parser.add_argument("--sample", type=int, help="so many sizes of each kind, drawn by a seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if kind.startswith(tuple(options.kinds) or "")]
    num_faulty = num_drawn = 0
    with Pool(options.processes) as pool:
        for kind in kinds:
            cases = [Case(kind, *rest) for rest in product(sizes_of(kind), WIDTHS)]
            if options.sample:
                chosen = random.Random(f"{options.seed} {kind}")
                cases = chosen.sample(cases, min(options.sample, len(cases)))
            faulty = 0
            for case, faults in zip(cases, pool.imap(case_faults, cases), strict=True):
                faulty += bool(faults)
                for fault in faults[:4]:
                    size = f"{case.size.num_runs} runs, {case.size.num_topics} topics"
                    print(f"  {kind}, {size}, {case.size.naming} names, {case.width}: {fault}")
            print(f"{kind}: {len(cases)} figures, {faulty} with faults", flush=True)
            num_faulty, num_drawn = num_faulty + faulty, num_drawn + len(cases)
    print(f"{num_drawn} figures of {len(kinds)} kinds: {num_faulty} with faults")
    return int(num_faulty > 0)


if __name__ == "__main__":
    sys.exit(main())
