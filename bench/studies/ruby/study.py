#!/usr/bin/env python3
"""The results of the Ruby paper (M. Horeni et al., ISPASS 2022), Figures 7 to 14, from the tilewright program.

    bench/studies/ruby/study.py                 # everything; resumes where it was interrupted
    bench/studies/ruby/study.py --figures 9,10
    bench/studies/ruby/study.py --quick         # less effort, the same tables
    bench/studies/ruby/study.py --figures 7 --runs 100

Writes OUT/results.md (the tables), OUT/results.json (every number) and OUT/points (one file per call of tilewright).
Needs Python 3 and a built tilewright only."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from figures import Figures  # noqa: E402
from points import Study  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Evaluated mappings of each search, and how much of each figure.
FULL = {"runs": 20, "toy": 10000, "extents": list(range(64, 257)), "single": 50000, "network": 10000, "deepbench": 3000,
        "sweep": 2000}
QUICK = {"runs": 5, "toy": 1000, "extents": [96, 100, 113, 127, 128], "single": 2000, "network": 500, "deepbench": 200,
         "sweep": 200}


def markdown(title, tables):
    lines = [f"### {title}", ""]
    for header, rows in tables:
        lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
        lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def has_padding(program):
    """Whether this tilewright can pad a whole network by itself."""
    text = subprocess.run([program, "map", "--help"], capture_output=True, text=True, check=True).stdout
    return "padded" in text


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tilewright"))
    parser.add_argument("--out", default="out/ruby_study", help="folder for results, resumed if it exists")
    parser.add_argument("--figures", default="", help="7, 8, 9, 10, 11, 12, 12b, 13, 13b; separated by commas (default all)")
    parser.add_argument("--runs", type=int, default=0, help="of Figure 7; the paper has 100, we 20 (5 with --quick)")
    parser.add_argument("--threads", type=int, default=0, help="0: all there are; does not change the results")
    parser.add_argument("--quick", action="store_true", help="less effort: the shape of the results, not their figures")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if not os.path.exists(options.program):
        sys.exit(f"no {options.program}: build it (scripts/build release tilewright) or name one with --program")
    study = Study(options.program, options.out, options.threads, lambda text: print(text, file=sys.stderr, flush=True))
    zoo = {name: (ROOT / "data" / "arch" / f"{name}.yaml").read_text() for name in ("eyeriss", "simba")}
    effort = dict(QUICK if options.quick else FULL, padded=["padded"] if has_padding(options.program) else [])
    if options.runs > 0:
        effort["runs"] = options.runs
    figures = Figures(study, zoo, effort).all()
    wanted = options.figures.split(",") if options.figures else list(figures)
    for name in wanted:
        if name not in figures:
            sys.exit(f"there is no figure '{name}'; there are {', '.join(figures)}")
    text, results = "", {}
    for name in wanted:
        title, tables, results[name] = figures[name]()
        section = markdown(title, tables)
        print(section, flush=True)
        text += section + "\n"
    (study.folder / "results.md").write_text(text)
    (study.folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
