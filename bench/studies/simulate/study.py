#!/usr/bin/env python3
"""Figures 3, 4, 9a and 10 of the CoSA paper (Q. Huang et al., ISCA 2021) in simulated cycles, from the program tilewright.

    bench/studies/simulate/study.py                  # everything; resumes where it was interrupted
    bench/studies/simulate/study.py --figures 3,4
    bench/studies/simulate/study.py --layers 3_7_512_512_1,1_1_2048_1000_1 --seeds 2
    bench/studies/simulate/study.py --quick          # a few layers and seeds, the same tables

Writes OUT/results.md (the tables), OUT/results.json (every number) and OUT/points (one file per call of tilewright).
Layers and machines are those of bench/studies/cosa. Needs Python 3 and the program only."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cosa"), str(HERE.parent / "common")]
import command  # noqa: E402
import layers  # noqa: E402
from simulated import Figures  # noqa: E402

QUICK = {"3_7_512_512_1", "3_13_256_256_1", "1_1_2048_1000_1"}


def main(arguments):
    parser = command.parser(__doc__, "out/simulate_study", "C (10 on CoSA's network), T (the same on ours), 3, 4, 10, V (10 on the machine of Table V), 9a")
    parser.add_argument("--seeds", type=int, default=5, help="how often five random mappings are drawn (5; --quick: 2)")
    parser.add_argument("--layers", default="", help="only these, separated by commas")
    parser.add_argument("--sample", action="store_true", help="every fourth layer: 15 of 57")
    parser.add_argument("--no-searches", action="store_true", help="Timeloop's hybrid search only where its mapping is there already")
    options = parser.parse_args(arguments)
    only = set(options.layers.split(",")) if options.layers else QUICK if options.quick else set(layers.sample()) if options.sample else None
    if only is not None and not only <= set(layers.distinct()):
        sys.exit(f"there is no layer {', '.join(sorted(only - set(layers.distinct())))}")
    if options.seeds < 1:
        sys.exit("--seeds takes a number of at least 1")
    study = command.open_study(options)
    figures = Figures(study, command.zoo("simba-cosa", "simba-cosa-large"), only, min(options.seeds, 2) if options.quick else options.seeds,
                      not options.no_searches)
    command.run(study, figures.all(), options.figures)


if __name__ == "__main__":
    main(sys.argv[1:])
