#!/usr/bin/env python3
"""The study's networks on its machine as one of ours (native.yaml): our mappers under the exact model.

    native.py TILEWRIGHT

Prints a Markdown table: energy of the network by mapper and processor time for each layer, on one thread. Every mapper searches even mappings;
all but loma and salsa also choose what runs in parallel and how dimensions are split over memories.
"""
import json
import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
NETWORKS = {"AlexNet": "alexnet", "ResNet-34": "resnet34", "ResNet-50": "resnet50", "DarkNet-19": "darknet19", "MobileNetV2": "mobilenetv2"}
MAPPERS = {"`salsa`": ["salsa"], "LOMA 6": ["loma"], "LOMA 7": ["loma", "--lpf-limit", "7"], "`hybrid`": ["hybrid"], "`optimal`": ["optimal"]}


def search(tilewright, network, mapper):
    """Energy in pJ, seconds of processor time, layers, and whether all are proven."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [tilewright, "map", HERE / "native.yaml", "--net", HERE / f"{network}.yaml", "--objective", "energy", "--threads", "1", "--json",
               "--mapper", *mapper]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    layers = report["layers"]
    return (sum(layer["evaluation"]["energy_pj"] for layer in layers), seconds, len(layers),
            sum(bool(layer["search"].get("proven")) for layer in layers))


def main():
    tilewright = sys.argv[1]
    print("| network | layers | " + " | ".join(MAPPERS) + " |")
    print("|---" * (2 + len(MAPPERS)) + "|")
    for name, network in NETWORKS.items():
        found = {mapper: search(tilewright, network, arguments) for mapper, arguments in MAPPERS.items()}
        best, _, count, proven = found["`optimal`"]
        cells = [f"+{100 * (energy / best - 1):.2f} %, {1000 * seconds / count:.1f} ms" for energy, seconds, _, _ in found.values()]
        cells[-1] = f"{best * 1e-9:.3f} mJ ({proven} proven), {1000 * found['`optimal`'][1] / count:.1f} ms"
        print(f"| {name} | {count} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
