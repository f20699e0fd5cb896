#!/usr/bin/env python3
"""The results of the Ruby paper (M. Horeni et al., ISPASS 2022), Figures 7 to 14, from the tilewright program.

    bench/studies/ruby/study.py                 # everything; resumes where it was interrupted
    bench/studies/ruby/study.py --figures 9,10
    bench/studies/ruby/study.py --quick         # less effort, the same tables
    bench/studies/ruby/study.py --figures 7 --runs 20
    bench/studies/ruby/study.py --figures 12 --streams 3       # fewer streams of the paper's random search; 0: none
    bench/studies/ruby/study.py --figures 9,10 --summary       # a line a figure, of the proven answers alone

Writes OUT/results.md (the tables), OUT/results.json (every number) and OUT/points (one file per call of tilewright).
Needs Python 3 and a built tilewright only."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
import command  # noqa: E402
from figures import ARRAYS, Figures  # noqa: E402
from summary import LINES  # noqa: E402

# Effort of each figure: mappings, seeds, seconds for what may not be proven, and (--quick) fewer layers and arrays.
FULL = {"runs": 100, "toy": 10000, "threads": 24, "extents": list(range(64, 257)), "victory": 3000, "streams": 24, "limit": 200,
        "annealed": 20000, "deepbench": "", "gemms": 0, "simba": "", "arrays": ARRAYS}
QUICK = {"runs": 5, "toy": 1000, "threads": 3, "extents": [96, 100, 113, 127, 128], "victory": 100, "streams": 2, "limit": 10,
         "annealed": 1000, "deepbench": "13_*,29_*", "gemms": 3, "simba": "layer1.0.conv1,fc", "arrays": [(7, 2), (14, 12)]}


def main(arguments):
    parser = command.parser(__doc__, "out/ruby_study", "8, 9, 10, 11, 11l, 11d, 12, 12b, 13, 13b, 7, I")
    parser.add_argument("--runs", type=int, default=0, help="of Figure 7 (default 100, as in the paper; 5 with --quick)")
    parser.add_argument("--streams", type=int, help="of the random search (default 24, as in the paper; 2 with --quick; 0 with --summary)")
    parser.add_argument("--deepbench", default="", help="only these of DeepBench's convolutions in Figure 11: patterns between commas")
    command.summary_option(parser)
    options = parser.parse_args(arguments)
    study = command.open_study(options)
    effort = dict(QUICK if options.quick else FULL)
    if options.runs > 0:
        effort["runs"] = options.runs
    if options.deepbench:
        effort["deepbench"] = options.deepbench
    if options.summary:
        effort["streams"] = 0
    if options.streams is not None:
        effort["streams"] = options.streams
    command.run(study, Figures(study, command.zoo("eyeriss", "simba"), effort).all(), options.figures,
                LINES if options.summary else None)


if __name__ == "__main__":
    main(sys.argv[1:])
