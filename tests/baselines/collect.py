#!/usr/bin/env python3
"""Writes timeloop.csv: one line for every recorded run of timeloop-mapper.

    tests/baselines/collect.py ../shared/golden/timeloop/mapper > tests/baselines/timeloop.csv

A run that found no valid mapping has no energy and no cycles.
"""

import csv
import json
import pathlib
import sys

SHAPE = ["R", "S", "P", "Q", "C", "K", "N", "Wstride", "Hstride", "Wdilation", "Hdilation"]


def row(run):
    best = run.get("best") or {}
    # Runs that a time-out killed were recorded without their shape.
    shape = run.get("instance") or {}
    return [
        run["arch"],
        run["layer"],
        run["mapspace"],
        run["metric"],
        f"{run['algorithm']}_vc{run['victory_condition']}",
        *(shape.get(name, "") for name in SHAPE),
        best.get("energy_pj", ""),
        best.get("cycles", ""),
        run["process_cpu_s"],
    ]


def main():
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["machine", "layer", "mapspace", "metric", "algorithm", *SHAPE, "energy_pj", "cycles", "cpu_s"])
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*__*.json")):
        writer.writerow(row(json.loads(path.read_text())))


if __name__ == "__main__":
    main()
