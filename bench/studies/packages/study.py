#!/usr/bin/env python3
"""Whole networks and blocks on packages of cores: value, bound and processor seconds, beside one core.

    bench/studies/packages/study.py --limit 60                     # all of it, 60 s of wall time a search
    bench/studies/packages/study.py --packages quad-npu --nets bert-base

Prints a table in Markdown. "One core" is the package's mesh with its first core alone."""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
NETS = {
    "ResNet-50": ["--net", str(ROOT / "examples/fusion/resnet50.cascade")],
    "MobileNetV2": ["--net", str(ROOT / "examples/fusion/mobilenetv2.cascade")],
    "BERT-base": ["--net", "bert-base"],
    "product of 512": ["--einsum", "T[m,n] += A[m,k] * B[k,n]", "--extents", "m=512,n=512,k=512"],
}
ONE_CORE = """package:
  name: one-core
  mesh: [1, 1]
  cores: {{architecture: {core}, at: all}}
  link: {{words_per_cycle: 16, energy: 2, latency: 1}}
  local: {{words_per_cycle: 32, energy: 0, latency: 0}}
  dram: [{{at: [0, 0], words_per_cycle: {rate}, read: {read}, write: {read}}}]
"""
CORES = {"quad-npu": ("fused-npu", 8, 200), "simba-package": ("simba-cosa", 40, 100)}


def search(program, package, net, objective, limit):
    """Answer of a search and its processor seconds; None: no plan within the limit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "map", "--package", package, *net, "--objective", objective, "--time-limit", str(limit),
                           "--json", "--quiet"], text=True, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (json.loads(done.stdout) if done.returncode == 0 else None), seconds


def row(name, package, objective, answer, seconds):
    if answer is None:
        return [name, package, objective, "none", "", "", f"{seconds:.1f}"]
    gap = 100 * (1 - answer["bound"] / answer["value"]) if answer["value"] else 0
    return [name, package, objective, f"{answer['value']:.4g}", f"{answer['bound']:.4g}",
            "proven" if answer["proven"] else f"{gap:.1f} %", f"{seconds:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/tilewright"))
    parser.add_argument("--packages", default=",".join(CORES))
    parser.add_argument("--nets", default=",".join(NETS))
    parser.add_argument("--objectives", default="energy,latency")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of wall time of each search")
    options = parser.parse_args()
    if not os.path.exists(options.program):
        sys.exit(f"no {options.program}: build it (scripts/build release tilewright) or name one with --program")
    print("| network | package | objective | value | bound | open | processor s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for package in options.packages.split(","):
            core, rate, read = CORES[package]
            one = pathlib.Path(folder) / f"one-{core}.yaml"
            one.write_text(ONE_CORE.format(core=core, rate=rate, read=read))
            for name in options.nets.split(","):
                for objective in options.objectives.split(","):
                    for machine, label in ((package, package), (str(one), f"one {core}")):
                        answer, seconds = search(options.program, machine, NETS[name], objective, options.limit)
                        print("| " + " | ".join(row(name, label, objective, answer, seconds)) + " |", flush=True)


if __name__ == "__main__":
    main()
