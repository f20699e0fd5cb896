#!/usr/bin/env python3
"""The study's networks on its machine as one of ours (native.yaml): our mappers under the exact model, and random search as
Timeloop's does it.

    native.py TILEWRIGHT

Prints Markdown tables: energy of the network by mapper and processor time for each layer, on one thread; and the random searches,
of several seeds, with SALSA's energy over theirs and their time over SALSA's. Every mapper searches even mappings; all but loma and
salsa also choose what runs in parallel and how dimensions are split over memories.
"""
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
NETWORKS = {"AlexNet": "alexnet", "ResNet-34": "resnet34", "ResNet-50": "resnet50", "DarkNet-19": "darknet19", "MobileNetV2": "mobilenetv2"}
MAPPERS = {"`salsa`": ["salsa"], "LOMA 6": ["loma"], "LOMA 7": ["loma", "--lpf-limit", "7"], "`hybrid`": ["hybrid"], "`optimal`": ["optimal"]}
# Timeloop ends a search after so many legal mappings in a row that are not better: 500 unless told otherwise.
VICTORIES = (500, 3000)
SEEDS = 5


def run(tilewright, *arguments):
    command = [tilewright, *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def by_zigzag(tilewright, network, mapping):
    """Energy in pJ of a file of mappings as ZigZag counts."""
    report = run(tilewright, "evaluate", HERE / "native.yaml", "--net", HERE / f"{network}.yaml", mapping, "--account", "zigzag")
    return sum(layer["evaluation"]["energy_pj"] for layer in report["layers"])


def search(tilewright, network, mapper):
    """Of all layers: energy in pJ, the same as ZigZag counts, seconds of processor time; layers, and how many are proven."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        report = run(tilewright, "map", HERE / "native.yaml", "--net", HERE / f"{network}.yaml", "--objective", "energy", "--threads", "1",
                     "--no-cache", "-o", folder, "--mapper", *mapper)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        layers = report["layers"]
        return {"energy_pj": sum(layer["evaluation"]["energy_pj"] for layer in layers), "seconds": seconds, "layers": len(layers),
                "by_layer": [layer["evaluation"]["energy_pj"] for layer in layers],
                "zigzag_pj": by_zigzag(tilewright, network, pathlib.Path(folder) / "mapping.yaml"),
                "proven": sum(bool(layer["search"].get("proven")) for layer in layers)}


def print_mappers(found):
    print("| network | layers | " + " | ".join(MAPPERS) + " |")
    print("|---" * (2 + len(MAPPERS)) + "|")
    for name, by_mapper in found.items():
        best = by_mapper["`optimal`"]
        count = best["layers"]
        cells = [f"+{100 * (one['energy_pj'] / best['energy_pj'] - 1):.2f} %, {1000 * one['seconds'] / count:.1f} ms"
                 for one in by_mapper.values()]
        cells[-1] = f"{best['energy_pj'] * 1e-9:.3f} mJ ({best['proven']} proven), {1000 * best['seconds'] / count:.1f} ms"
        print(f"| {name} | {count} | " + " | ".join(cells) + " |", flush=True)


def middle(values, form):
    values = sorted(values)
    return f"{form % statistics.median(values)} ({form % values[0]} to {form % values[-1]})"


def print_random(tilewright, found):
    """How SALSA's answers compare with random search's: energy under the exact model, as ZigZag counts, and time."""
    print(f"\n| SALSA beside random search, {SEEDS} seeds: median (range) | energy | as ZigZag counts | layers where SALSA is worse "
          "| times faster | LOMA 7's energy |\n|---|---|---|---|---|---|")
    for victory in VICTORIES:
        for name, network in NETWORKS.items():
            salsa, seven = found[name]["`salsa`"], found[name]["LOMA 7"]
            drawn = [search(tilewright, network, ["random", "--victory", str(victory), "--seed", str(seed)]) for seed in range(1, SEEDS + 1)]
            worse = [sum(ours > theirs * (1 + 1e-9) for ours, theirs in zip(salsa["by_layer"], one["by_layer"])) for one in drawn]
            print(f"| {name}, victory {victory} | "
                  + " | ".join([middle([100 * (salsa["energy_pj"] / one["energy_pj"] - 1) for one in drawn], "%+.1f %%"),
                                middle([100 * (salsa["zigzag_pj"] / one["zigzag_pj"] - 1) for one in drawn], "%+.1f %%"),
                                middle(worse, "%d") + f" of {salsa['layers']}",
                                middle([one["seconds"] / salsa["seconds"] for one in drawn], "%.1f"),
                                middle([100 * (seven["energy_pj"] / one["energy_pj"] - 1) for one in drawn], "%+.1f %%")]) + " |", flush=True)


def main():
    tilewright = sys.argv[1]
    found = {name: {mapper: search(tilewright, network, arguments) for mapper, arguments in MAPPERS.items()}
             for name, network in NETWORKS.items()}
    print_mappers(found)
    print_random(tilewright, found)


if __name__ == "__main__":
    main()
