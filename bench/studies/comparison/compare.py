#!/usr/bin/env python3
"""Ten layers of ResNet-50 on one machine: every mapper of Tilewright beside recorded runs of timeloop-mapper.

The machine and its constraints are tests/baselines/eyeriss_rs.yaml, as timeloop-mapper got them; the layers and the recorded
results are those of tests/baselines/timeloop.csv (perfect factors, energy-delay product). Each mapper runs on one thread, and the
exact model costs the mapping it returns. Prints docs/comparison.md's tables.

    bench/studies/comparison/compare.py                                # about 25 s of one core
    bench/studies/comparison/compare.py --layers resnet50_13 --mappers optimal,random
"""

import argparse
import csv
import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
BASELINES = ROOT / "tests" / "baselines"
LAYERS = [f"resnet50_{number:02}" for number in (0, 2, 4, 6, 8, 12, 13, 16, 18, 22)]
MAPPERS = ["optimal", "hybrid", "anneal", "genetic", "random", "linear-pruned", "cosa", "timeloop-hybrid", "timeloop-random-pruned"]
PROBLEM = """problem:
  version: 0.4
  shape:
    name: {name}
    dimensions: [R, S, P, Q, C, K, N]
    data_spaces:
    - {{name: Weights, projection: [[[C]], [[K]], [[R]], [[S]]]}}
    - {{name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]}}
    - {{name: Outputs, projection: [[[N]], [[K]], [[Q]], [[P]]], read_write: true}}
    coefficients:
    - {{name: Wstride, default: {Wstride}}}
    - {{name: Hstride, default: {Hstride}}}
    - {{name: Wdilation, default: {Wdilation}}}
    - {{name: Hdilation, default: {Hdilation}}}
  instance: {{R: {R}, S: {S}, P: {P}, Q: {Q}, C: {C}, K: {K}, N: {N}}}
"""


def recorded():
    """By layer its runs with a mapping, the smallest energy-delay product first."""
    runs = {}
    for row in csv.DictReader((BASELINES / "timeloop.csv").open()):
        if row["machine"] == "eyeriss_rs" and row["mapspace"] == "uber" and row["metric"] == "edp" and row["cycles"]:
            row["edp"] = float(row["energy_pj"]) * float(row["cycles"])
            runs.setdefault(row["layer"], []).append(row)
    return {layer: sorted(found, key=lambda row: row["edp"]) for layer, found in runs.items()}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def mapped(program, problem, mapper, evaluations):
    """Energy-delay product (pJ x cycles), processor seconds, and whether it is proven."""
    limit = [] if mapper in ("optimal", "cosa") else ["--evaluations", str(evaluations)]
    before = processor_seconds()
    result = subprocess.run([program, "map", BASELINES / "eyeriss_rs.yaml", problem, "--mapper", mapper, "--objective", "edp",
                             "--threads", "1", "--json", *limit], capture_output=True, text=True, env={**os.environ, "TILEWRIGHT_CACHE": ""})
    seconds = processor_seconds() - before
    layer = json.loads(result.stdout)["layers"][0]
    if layer["status"] != "evaluated":
        return math.nan, seconds, False
    return layer["evaluation"]["edp_pj_cycles"], seconds, layer["search"]["proven"]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def compare(program, layers, mappers, evaluations):
    theirs = recorded()
    answers = {}
    with tempfile.TemporaryDirectory() as folder:
        for layer in layers:
            problem = pathlib.Path(folder, f"{layer}.yaml")
            problem.write_text(PROBLEM.format(name=layer, **{key: theirs[layer][0][key] for key in theirs[layer][0] if key != "layer"}))
            for mapper in mappers:
                answers[layer, mapper] = mapped(program, problem, mapper, evaluations)
    return theirs, answers


def summary(theirs, answers, layers, mappers):
    """A row for each mapper: its product over the best one's, geometric mean over the layers; seconds; proofs."""
    best = {layer: min(answers[layer, mapper][0] for mapper in mappers if answers[layer, mapper][0] > 0) for layer in layers}
    rows = []
    for mapper in mappers:
        found = [answers[layer, mapper] for layer in layers]
        ratios = [found[i][0] / best[layer] for i, layer in enumerate(layers) if found[i][0] > 0]
        rows.append([f"`{mapper}`", f"{geometric_mean(ratios):.3f}" if ratios else "-", f"{max(ratios):.2f}" if ratios else "-",
                     f"{len(ratios)}", f"{sum(f[2] for f in found)}", f"{sum(f[1] for f in found):.2f}"])
    runs = [theirs[layer][0] for layer in layers]
    ratios = [run["edp"] / best[layer] for run, layer in zip(runs, layers)]
    rows.append(["timeloop-mapper, best recorded run", f"{geometric_mean(ratios):.3f}", f"{max(ratios):.2f}", f"{len(ratios)}", "0",
                 f"{sum(float(run['cpu_s']) for run in runs):.2f}"])
    return table(["mapper", "EDP over the best", "worst layer", "mapped", "proven", "processor seconds"], rows)


def by_layer(theirs, answers, layers, mappers):
    def product(value):
        return f"{value:.3e}" if value > 0 else "-"
    rows = [[layer] + [product(answers[layer, mapper][0]) for mapper in mappers] + [product(theirs[layer][0]["edp"])] for layer in layers]
    return table(["layer"] + [f"`{mapper}`" for mapper in mappers] + ["timeloop-mapper"], rows)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tilewright"))
    options.add_argument("--layers", default=",".join(LAYERS))
    options.add_argument("--mappers", default=",".join(MAPPERS))
    options.add_argument("--evaluations", type=int, default=10000, help="legal mappings that a sampling mapper costs at most")
    given = options.parse_args()
    layers, mappers = given.layers.split(","), given.mappers.split(",")
    theirs, answers = compare(given.program, layers, mappers, given.evaluations)
    print(summary(theirs, answers, layers, mappers))
    print(by_layer(theirs, answers, layers, mappers))


if __name__ == "__main__":
    main()
