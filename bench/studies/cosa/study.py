#!/usr/bin/env python3
"""The results of the CoSA paper (Q. Huang et al., ISCA 2021), Table VI and Figures 1, 3, 4, 6, 7, 8 and 9, from
the programs tilewright and draw_mappings.

    bench/studies/cosa/study.py                  # everything; resumes where it was interrupted
    bench/studies/cosa/study.py --figures 6,7
    bench/studies/cosa/study.py --quick          # a few layers, the same tables

Writes OUT/results.md (the tables), OUT/results.json (every number) and OUT/points (one file per call of tilewright).
Needs Python 3 and the two programs, built into one folder, only."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
import command  # noqa: E402
import layers  # noqa: E402
from figures import Figures  # noqa: E402
from searches import Searches  # noqa: E402

QUICK = {"5_27_64_192_1", "3_7_512_512_1", "3_14_16_512_1", "3_7_256_512_1"}


def main(arguments):
    parser = command.parser(__doc__, "out/cosa_study",
                            "VIT, 6T, 7T, 9aT, 9bT (VI, 6, 7, 9 with the paper's baselines), W (CoSA's weights), 1, VI, V (6 and 7 on the machine "
                            "of Table V), 3, 4, 6, 7, 8, 9")
    parser.add_argument("--all-layers", action="store_true", help="Timeloop's hybrid search on all 57 layers, not on every fourth: an hour each")
    parser.add_argument("--no-searches", action="store_true", help="that search only where its result is there already")
    parser.add_argument("--layers", default="", help="only these, separated by commas")
    parser.add_argument("--streams", type=int, default=32, help="of Timeloop's hybrid search (32, as in the paper)")
    parser.add_argument("--keep", action="store_true", help="new results of that search are added to docs/evidence/kept")
    options = parser.parse_args(arguments)
    only = set(options.layers.split(",")) if options.layers else QUICK if options.quick else None
    if only is not None and not only <= set(layers.distinct()):
        sys.exit(f"there is no layer {', '.join(sorted(only - set(layers.distinct())))}")
    study = command.open_study(options)
    figures = Figures(study, command.zoo("simba-cosa", "simba-cosa-large"), only, 4000 if options.quick else 40000,
                      not options.all_layers, not options.no_searches, Searches(options.streams, options.keep))
    command.run(study, figures.all(), options.figures)


if __name__ == "__main__":
    main(sys.argv[1:])
