#!/usr/bin/env python3
"""The results of the Ruby paper (M. Horeni et al., ISPASS 2022), Figures 7 to 14, from the tilewright program.

    bench/studies/ruby/study.py                 # everything; resumes where it was interrupted
    bench/studies/ruby/study.py --figures 9,10
    bench/studies/ruby/study.py --quick         # less effort, the same tables
    bench/studies/ruby/study.py --figures 7 --runs 20

Writes OUT/results.md (the tables), OUT/results.json (every number) and OUT/points (one file per call of tilewright).
Needs Python 3 and a built tilewright only."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
import command  # noqa: E402
from figures import Figures  # noqa: E402

# Evaluated mappings of each search, and how much of each figure.
FULL = {"runs": 100, "toy": 10000, "extents": list(range(64, 257)), "single": 50000, "network": 10000, "deepbench": 10000,
        "sweep": 5000}
QUICK = {"runs": 5, "toy": 1000, "extents": [96, 100, 113, 127, 128], "single": 2000, "network": 500, "deepbench": 200,
         "sweep": 200}


def has_padding(program):
    """Whether this tilewright can pad a whole network by itself."""
    text = subprocess.run([program, "map", "--help"], capture_output=True, text=True, check=True).stdout
    return "padded" in text


def main(arguments):
    parser = command.parser(__doc__, "out/ruby_study", "7, 8, 9, 10, 11, 12, 12b, 13, 13b")
    parser.add_argument("--runs", type=int, default=0, help="of Figure 7 (default 100, as in the paper; 5 with --quick)")
    options = parser.parse_args(arguments)
    study = command.open_study(options)
    effort = dict(QUICK if options.quick else FULL, padded=["padded"] if has_padding(options.program) else [])
    if options.runs > 0:
        effort["runs"] = options.runs
    command.run(study, Figures(study, command.zoo("eyeriss", "simba"), effort).all(), options.figures)


if __name__ == "__main__":
    main(sys.argv[1:])
