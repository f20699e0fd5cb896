#!/usr/bin/env python3
"""Whole networks and blocks on packages of cores: value, bound and processor seconds, beside one core.

    bench/studies/packages/study.py --limit 60                     # all of it, 60 s of wall time a search
    bench/studies/packages/study.py --packages quad-npu --nets bert-base
    bench/studies/packages/study.py --blocks --objectives energy    # of networks, on 4 x 4 cores
    bench/studies/packages/study.py --set FOLDER                    # beside recorded runs of SET

Prints a table in Markdown. "One core" is the package's mesh with its first core alone."""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import set_runs

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
SIXTEEN = """package:
  name: npu-4x4
  mesh: [4, 4]
  cores: {architecture: fused-npu, at: all}
  link: {words_per_cycle: 16, energy: 2, latency: 1}
  local: {words_per_cycle: 32, energy: 0, latency: 0}
  dram: [{at: [0, 0], words_per_cycle: 16, read: 200, write: 200}]
"""
BLOCKS = {  # network, first and last einsum
    "MobileNetV2 block 2": ("mobilenetv2", "block2.expand", "block2.add"),
    "MobileNetV2 blocks 4, 5": ("mobilenetv2", "block4.expand", "block5.add"),
    "MobileNetV2 blocks 8, 9": ("mobilenetv2", "block8.expand", "block9.add"),
    "ResNet-50 stage 2 block 1": ("resnet50", "stage2.block1.reduce", "stage2.block1.add"),
    "ResNet-50 stage 2 blocks 1, 2": ("resnet50", "stage2.block1.reduce", "stage2.block2.add"),
    "ResNet-50 stage 2, chain of 6": ("resnet50", "stage2.block1.reduce", "stage2.block2.expand"),
}
CORES = {"quad-npu": ("fused-npu", 8, 200), "simba-package": ("simba-cosa", 40, 100)}


def cut(net, first, last):
    """The cascade of einsums first .. last of a network of examples/fusion."""
    text = re.sub(r"#.*", "", (ROOT / f"examples/fusion/{net}.cascade").read_text())
    sizes = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", text.split(";")[0])}
    weights = set(re.findall(r"\w+", re.search(r"\bweight\b([^;]*);", text).group(1)))
    einsums = re.findall(r"[\w.]+:[^;]*;", text)
    names = [einsum.split(":")[0] for einsum in einsums]
    shapes = {}
    for einsum in einsums:
        result, axes = re.match(r"[\w.]+:\s*(\w+)\[([^\]]*)\]", einsum).groups()
        shapes[result] = [sizes[axis] for axis in axes.split(",")]
    part = einsums[names.index(first):names.index(last) + 1]
    made = {re.match(r"[\w.]+:\s*(\w+)", einsum).group(1) for einsum in part}
    read = {tensor for einsum in part for tensor in re.findall(r"(\w+)\[", einsum.split("=", 1)[1])} - made
    used = {name for einsum in part for name in re.findall(r"[a-z]\d+", einsum.split(":", 1)[1]) if name in sizes}
    inputs = ", ".join(f"{tensor}[{','.join(map(str, shapes[tensor]))}]" for tensor in sorted(read - weights))
    return "\n".join(["size " + ", ".join(f"{name}={sizes[name]}" for name in sorted(used)) + ";",
                      f"weight {', '.join(sorted(read & weights))};", f"input {inputs};", *part]) + "\n"


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
    parser.add_argument("--blocks", action="store_true", help="blocks of networks on 4 x 4 cores")
    parser.add_argument("--set", help="a folder of recorded runs of SET (set_runs.py)")
    parser.add_argument("--runs", default="", help="with --set: names of runs")
    options = parser.parse_args()
    if not os.path.exists(options.program):
        sys.exit(f"no {options.program}: build it (scripts/build release tilewright) or name one with --program")
    if options.set:
        set_runs.study(options.program, options.set, options.limit, [name for name in options.runs.split(",") if name])
        return
    print("| network | package | objective | value | bound | open | processor s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        if options.blocks:
            machine = pathlib.Path(folder) / "npu-4x4.yaml"
            machine.write_text(SIXTEEN)
            for name, block in BLOCKS.items():
                net = pathlib.Path(folder) / "block.cascade"
                net.write_text(cut(*block))
                for objective in options.objectives.split(","):
                    answer, seconds = search(options.program, str(machine), ["--net", str(net)], objective, options.limit)
                    print("| " + " | ".join(row(name, "npu-4x4", objective, answer, seconds)) + " |", flush=True)
            return
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
