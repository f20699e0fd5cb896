#!/usr/bin/env python3
"""How long proofs take on machines without constraints, and beside another optimal mapper's layers.

    bench/studies/optimal/study.py                          # everything; resumes where it was interrupted
    bench/studies/optimal/study.py --figures shapes --machines npu32 --networks bert-base --limit 10
    bench/studies/optimal/study.py --figures shapes --every 5    # every fifth shape: a thinned grid

Machines are files NAME.yaml in the folder --free, or of the zoo. Figures:

    shapes        machine x network x objective: shapes, proven, seconds of processor time, memory
    certificates  the same grid: seconds of `map -o` and of `check`, and what was confirmed
    peer          two layers of ResNet-50 on eyeriss, even and uneven mappings

Every shape is one call of optimal_layers (build it beside tilewright), on one thread; --limit is in seconds of the wall clock
per shape. Writes OUT/results.md (the tables), OUT/results.json (every number) and OUT/points (one file per shape)."""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import command  # noqa: E402

FREE = command.ROOT.parent / "shared" / "examples" / "free"
MACHINES = "npu32,two-level,deep,edge"
NETWORKS = "resnet50,mobilenetv2,bert-base,llama-7b-prefill,llama-7b-decode"
OBJECTIVES = "energy,latency,edp"
# 1x1 of 28 x 28, 128 to 512 channels, and 3x3 of 14 x 14, 256 to 256.
PEER_LAYERS = ("layer2.0.conv3", "layer3.1.conv2")


class Grid:
    """The combinations that were asked for, and what each shape took."""

    def __init__(self, study, options):
        self.study, self.limit, self.every, self.factors = study, options.limit, options.every, options.factors
        self.machines = {name: self.machine(pathlib.Path(options.free), name) for name in options.machines.split(",")}
        self.networks, self.objectives = options.networks.split(","), options.objectives.split(",")
        words = [word for network in self.networks for word in ("--net", network)]
        self.names = study.beside("shapes-" + "-".join(self.networks), "optimal_layers", ["--shapes", *words], dict)

    @staticmethod
    def machine(folder, name):
        path = folder / f"{name}.yaml"
        return str(path) if path.exists() else name

    def combinations(self):
        return [(machine, network, objective) for machine in self.machines for network in self.networks
                for objective in self.objectives]

    def layers(self, network):
        return self.names[network][::self.every]

    def shape(self, machine, network, objective, layer):
        """Seconds, proven, memory of one shape."""
        return self.study.beside(
            f"{machine}-{network}-{objective}-{self.factors}-{layer}", "optimal_layers",
            ["--json", "--arch", self.machines[machine], "--net", network, "--objective", objective, "--layer", layer,
             "--factors", self.factors, "--limit", str(self.limit)], of_one_layer)

    def rows(self, machine, network, objective):
        return [self.shape(machine, network, objective, layer) for layer in self.layers(network)]

    def claim(self, machine, network, objective):
        """Seconds of `map -o` and of `check`, and how many layers were confirmed."""
        words = [self.machines[machine], "--net", network] if self.machines[machine].endswith(".yaml") else \
            ["--arch", machine, "--net", network]
        words += ["--objective", objective, "--factors", self.factors, "--layers", ",".join(self.layers(network)),
                  "--mapper", "optimal", "--time-limit", str(self.limit * len(self.layers(network)))]
        path = self.study.folder / "points" / f"certificate-{machine}-{network}-{objective}-{self.factors}.json"
        if path.exists() and (kept := json.loads(path.read_text()))["arguments"] == words:
            return kept["result"]
        self.study.say(f"{path.stem}: tilewright map {' '.join(words)}")
        with tempfile.TemporaryDirectory() as folder:
            searched, _ = seconds_of([str(self.study.program), "map", *words, "--no-cache", "-o", folder])
            checked, said = seconds_of([str(self.study.program), "check", f"{folder}/certificate.json", "--json"])
        result = {"layers": len(self.layers(network)), "confirmed": confirmed(said), "map": searched, "check": checked}
        path.write_text(json.dumps({"arguments": words, "result": result}, indent=1))
        return result


def of_one_layer(report):
    return {**report["layers"][0], "memory_kib": report["memory_kib"]}


def seconds_of(words):
    """Processor seconds of a program, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def confirmed(report):
    """Of the JSON that `check` prints: how many layer shapes it confirmed."""
    return sum(finding.startswith("confirmed:") for finding in json.loads(report)["sound"])


def shapes(grid):
    table, values = [], {}
    for combination in grid.combinations():
        rows = grid.rows(*combination)
        seconds = [row["seconds"] for row in rows]
        values[" ".join(combination)] = rows
        table.append([*combination, len(rows), sum(row["proven"] for row in rows), f"{statistics.median(seconds):.3f}",
                      f"{max(seconds):.2f}", f"{max(row['memory_kib'] for row in rows) / 1024:.0f}"])
    header = ["machine", "network", "objective", "shapes", "proven", "median s", "longest s", "memory MiB"]
    return f"Shapes, {grid.factors}, at most {grid.limit} s each", [(header, table)], values


def certificates(grid):
    table, values = [], {}
    for combination in grid.combinations():
        one = values[" ".join(combination)] = grid.claim(*combination)
        table.append([*combination, one["layers"], one["confirmed"], f"{one['map']:.1f}", f"{one['check']:.1f}"])
    header = ["machine", "network", "objective", "layers", "confirmed", "map s", "check s"]
    return "Certificates", [(header, table)], values


def peer(grid):
    table, values = [], {}
    for layer in PEER_LAYERS:
        for space in ("even", "uneven"):
            words = ["--json", "--arch", "eyeriss", "--net", "resnet50", "--objective", "energy", "--layer", layer,
                     "--limit", str(grid.limit), *(["--uneven"] if space == "uneven" else [])]
            row = grid.study.beside(f"peer-{layer}-{space}", "optimal_layers", words, of_one_layer)
            values[f"{layer} {space}"] = row
            table.append([layer, space, f"{row['value'] * 1e-6:.3f}", "yes" if row["proven"] else "no", f"{row['seconds']:.3f}"])
    header = ["layer of ResNet-50", "mappings", "energy uJ", "proven", "seconds"]
    return "Layers that AccelForge was timed on", [(header, table)], values


def main(arguments):
    parser = command.parser(__doc__, "out/optimal_study", "shapes, certificates, peer")
    parser.add_argument("--free", default=str(FREE), help="folder of machines without constraints")
    parser.add_argument("--machines", default=MACHINES)
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--objectives", default=OBJECTIVES)
    parser.add_argument("--factors", default="perfect", choices=["perfect", "ruby-s"])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of the wall clock per shape")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th shape of a network")
    options = parser.parse_args(arguments)
    if options.quick:
        options.every, options.limit = max(options.every, 8), min(options.limit, 2.0)
    grid = Grid(command.open_study(options), options)
    command.run(grid.study, {"shapes": lambda: shapes(grid), "certificates": lambda: certificates(grid),
                             "peer": lambda: peer(grid)}, options.figures)


if __name__ == "__main__":
    main(sys.argv[1:])
