#!/usr/bin/env python3
"""SALSA beside Timeloop's own search, which the paper compares with: its random-pruned search (`--mapper timeloop-random-pruned`),
four streams as the paper's four cores, 500 legal mappings in a row that are no better.

    timeloop.py TILEWRIGHT [--networks alexnet,resnet34] [--timeout 20000] [--streams 4] [--seeds 1] [--summary]

Both search even mappings on the machine as one of ours (native.yaml). What they find is costed by Timeloop's model, which judges
Timeloop's search, and by ZigZag's; SALSA's search is judged by the exact model. Beside them stands SALSA on ZigZag's files
(machine.yaml), uneven and even, by ZigZag's model alone. A row for each network; with --summary a line for docs/papers.md.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
NETWORKS = {"alexnet": "AlexNet", "resnet34": "ResNet-34", "resnet50": "ResNet-50", "darknet19": "DarkNet-19", "mobilenetv2": "MobileNetV2"}
ACCOUNTS = ("timeloop", "zigzag")


def run(tilewright, *arguments):
    """The layers of a report; statuses other than 0 are those of layers without a mapping."""
    result = subprocess.run([tilewright, *map(str, arguments), "--json"], check=False, capture_output=True, text=True)
    if not result.stdout:
        raise RuntimeError(f"{arguments}: {result.stderr}")
    return json.loads(result.stdout)["layers"]


def costs(tilewright, network, mapper):
    """By layer: what the mapping that a search finds costs by each account; draws, evaluations and seconds of processor time of all."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        found = run(tilewright, "map", HERE / "native.yaml", "--net", HERE / f"{network}.yaml", "--objective", "energy", "--threads", "1",
                    "--no-cache", "-o", folder, "--mapper", *mapper)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        energies = {}
        for account in ACCOUNTS:
            layers = run(tilewright, "evaluate", HERE / "native.yaml", "--net", HERE / f"{network}.yaml",
                         pathlib.Path(folder) / "mapping.yaml", "--account", account)
            energies[account] = {layer["name"]: layer["evaluation"]["energy_pj"] for layer in layers if layer["status"] == "evaluated"}
        return {"energies": energies, "seconds": seconds, "layers": len(found),
                "evaluations": sum(layer.get("search", {}).get("evaluations", 0) for layer in found)}


def own_files(tilewright, network, *more):
    """By layer: ZigZag's energy of SALSA's order on ZigZag's files."""
    layers = run(tilewright, "map", HERE / "machine.yaml", HERE / f"{network}.yaml", HERE / f"{network}-mapping.yaml", "--mapper", "salsa",
                 "--no-cache", "--threads", "1", *more)
    return {layer["name"]: layer["evaluation"]["energy_pj"] for layer in layers if layer["status"] == "evaluated"}


def over(ours, theirs):
    """Percent that ours is over theirs, layers that both have."""
    both = [name for name in theirs if name in ours]
    return 100 * (sum(ours[name] for name in both) / sum(theirs[name] for name in both) - 1), both


def compare(tilewright, network, options):
    salsa = costs(tilewright, network, ["salsa"])
    uneven, even = own_files(tilewright, network), own_files(tilewright, network, "--even")
    rows = []
    for seed in range(1, options.seeds + 1):
        found = costs(tilewright, network, ["timeloop-random-pruned", "--streams", options.streams, "--timeout", options.timeout,
                                            "--seed", seed])
        changes = [over(salsa["energies"][account], found["energies"][account]) for account in ACCOUNTS]
        changes += [over(own, found["energies"]["zigzag"]) for own in (uneven, even)]
        worse = [sum(salsa["energies"][account][name] > found["energies"][account][name] * (1 + 1e-9) for name in changes[0][1])
                 for account in ACCOUNTS]
        rows.append({"changes": [change for change, _ in changes], "worse": worse, "layers": len(changes[0][1]), "of": found["layers"],
                     "evaluations": found["evaluations"] / found["layers"], "faster": found["seconds"] / salsa["seconds"]})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilewright")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--timeout", default="20000", help="illegal mappings in a row after which a stream gives up (Timeloop: 1000)")
    parser.add_argument("--streams", default="4")
    parser.add_argument("--seeds", type=int, default=1, help="seed 1 has Timeloop's own draws")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if not options.summary:
        print("| network, seed | Timeloop's model | ZigZag's | layers where SALSA is worse, by each | uneven, ZigZag's files "
              "| even, ZigZag's files | layers | legal mappings a layer | times faster |\n|---|---|---|---|---|---|---|---|---|")
    for network in options.networks.split(","):
        for seed, row in enumerate(compare(options.tilewright, network, options), 1):
            timeloop, zigzag, uneven, even = (f"{change:+.1f} %" for change in row["changes"])
            if options.summary:
                print(f"SALSA Fig. 5b: {NETWORKS[network]} by Timeloop's model {timeloop}, by ZigZag's {zigzag}; ZigZag's files: "
                      f"uneven {uneven}, even {even}", flush=True)
                continue
            print(f"| {NETWORKS[network]}, {seed} | {timeloop} | {zigzag} | {row['worse'][0]}, {row['worse'][1]} | {uneven} | {even} "
                  f"| {row['layers']} of {row['of']} | {row['evaluations']:,.0f} | {row['faster']:.1f} |", flush=True)


if __name__ == "__main__":
    main()
