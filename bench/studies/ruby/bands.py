#!/usr/bin/env python3
"""Ruby's Fig. 14: the range of our means over what the paper leaves open: which arrays it took between the two that it names.

    bench/studies/ruby/bands.py

From docs/evidence/kept/ruby_arrays.csv, the proven energy-delay products of `study.py --figures 13,13b` (J cycles): of every choice of
arrays that has the smallest and the largest, the geometric mean of Ruby-S over perfect factors."""

import csv
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from inputs import geomean  # noqa: E402

KEPT = pathlib.Path(__file__).resolve().parents[3] / "docs" / "evidence" / "kept" / "ruby_arrays.csv"
PAPER = {"resnet50": "mean -24 % (section V: -20 %)", "deepbench": "mean of the front -20 %"}


def ratios():
    """By network: Ruby-S over perfect, from the smallest array to the largest."""
    found = {}
    for row in csv.DictReader(KEPT.read_text().splitlines()):
        found.setdefault(row["network"], []).append(float(row["ruby_s"]) / float(row["perfect"]))
    return found


def band(values):
    """The least and the largest mean over the choices that have the first and the last."""
    middle = values[1:-1]
    means = [geomean([values[0], *chosen, values[-1]])
             for size in range(len(middle) + 1) for chosen in itertools.combinations(middle, size)]
    return min(means), max(means)


def main():
    for network, values in ratios().items():
        least, most = (100 * (one - 1) for one in band(values))
        print(f"Ruby Fig. 14: {network}: mean of all {len(values)} arrays {100 * (geomean(values) - 1):+.1f} %, over every choice from "
              f"{most:+.1f} to {least:+.1f} %; best array {100 * (min(values) - 1):+.1f} %; the paper: {PAPER[network]}")


if __name__ == "__main__":
    main()
