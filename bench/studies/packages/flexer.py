#!/usr/bin/env python3
"""Layers on one of Flexer's machines twice: scheduled around its scratchpad, and as a package whose cores have a quarter of it each.

    bench/studies/packages/flexer.py --layers layer4.0.conv2,fc

Prints a table in Markdown: cycles and bytes of each (docs/packages-of-cores.md says why they differ)."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "examples" / "package" / "arch5.yaml"
LAYERS = "layer1.0.conv1,layer3.0.conv1,layer3.0.downsample,layer4.0.conv2,fc"


def answer(program, *words):
    result = subprocess.run([program, *words, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True,
                            env={**os.environ, "TILEWRIGHT_CACHE": ""})
    return json.loads(result.stdout)


def compare(program, net, layer):
    """Cycles and bytes by model; whether the plan is proven."""
    found = {}
    for rule in ("sum", "overlap"):
        totals = answer(program, "schedule", "--arch", "arch5", "--net", net, "--layers", layer, "--rule", rule)["totals"]
        found[rule] = (totals["latency_cycles"], totals["traffic_bytes"])
    plan = answer(program, "map", "--package", str(PACKAGE), "--net", net, "--layers", layer, "--objective", "latency")
    found["package"] = (plan["cycles"], sum(dram["words"] for dram in plan["drams"]))  # words of a byte
    return found, plan["proven"]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tilewright"))
    parser.add_argument("--net", default="resnet18")
    parser.add_argument("--layers", default=LAYERS)
    options = parser.parse_args(arguments)
    print("| layer | `schedule --rule sum`: cycles, bytes | `--rule overlap` | `map --package` |\n|---|---|---|---|")
    for layer in options.layers.split(","):
        found, proven = compare(options.program, options.net, layer)
        cells = [f"{cycles:,}, {amount:,}" for cycles, amount in found.values()]
        cells[-1] += "" if proven else " (not proven)"
        print(f"| {layer} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
