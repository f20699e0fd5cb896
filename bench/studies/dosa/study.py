#!/usr/bin/env python3
"""DOSA's machines: the best one for each of its networks, proven, beside random search of equal time.

    bench/studies/dosa/study.py                              # all of it
    bench/studies/dosa/study.py --networks bert --figures machines

Figures:

    machines    of 28,672 Gemmini-like machines (examples/explore/gemmini_machines.yaml) the one of the least energy-delay product, proven;
                DOSA's default machine with proven mappings; random search: 10 machines of 1,000 random legal mappings a layer, and on
                until as much processor time is gone as the proof took
    draws       random search as DOSA's baseline does it: 10 machines of its sizes, powers of two up to 2 MiB, and of every layer 1,000
                mappings of Timeloop's own random search (takes minutes a network)
    recorded    fewest cycles of DOSA's recorded Timeloop runs beside the fewest that are possible, proven, on the same machines:
                layers of ResNet-50 that its data set has

An interrupted proof goes on where it was; OUT/NETWORK.json holds what is done."""

import collections
import csv
import gzip
import json
import math
import pathlib
import random
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import command  # noqa: E402
from inputs import geomean  # noqa: E402

import layers  # noqa: E402

MACHINE = "examples/explore/gemmini.yaml"
SPACE = "examples/explore/gemmini_machines.yaml"
RUNS = command.ROOT.parent / "shared/golden/dosa/timeloop.csv.gz"
SIDES = [2, 4, 8, 16, 32, 64, 128]
SCRATCHPADS = range(8, 1025, 8)
ACCUMULATORS = range(8, 257, 8)
DEFAULT = (16, 128, 32)  # Gemmini's own, as DOSA has it
DRAWN, MAPPINGS = 10, 1000  # machines, and mappings of every layer, of DOSA's random search
LEAST_SECONDS = 1.0


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Runs:
    """Calls of the program, from the root of the sources, where the example's files are named from."""

    def __init__(self, options):
        self.program, self.threads = str(pathlib.Path(options.program).resolve()), options.threads
        self.folder = pathlib.Path(options.out).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)

    def call(self, *arguments, expected=(0,)):
        words = [self.program, *map(str, arguments), "--no-cache", "--threads", str(self.threads)]
        print(" ".join(words), file=sys.stderr, flush=True)
        result = subprocess.run(words, cwd=command.ROOT, capture_output=True, text=True)
        if result.returncode not in expected:
            sys.exit(f"{' '.join(words)}\n{result.stderr}")
        return result.stdout

    def network(self, name):
        path = self.folder / f"{name}.network.yaml"
        path.write_text(layers.network_file(name))
        return path

    def kept(self, name, find_out):
        path = self.folder / f"{name}.json"
        if path.exists():
            return json.loads(path.read_text())
        before = processor_seconds()
        value = find_out()
        value["seconds"] = round(processor_seconds() - before, 2)
        path.write_text(json.dumps(value, indent=1) + "\n")
        return value


def settings(side, scratchpad, accumulator):
    """What makes one machine of the space of examples/explore/gemmini.yaml."""
    values = {"PE_column.meshX": side, "PE_row.meshY": side, "Scratchpad.depth": scratchpad * 1024, "Scratchpad.shared_bandwidth": 2 * side,
              "Scratchpad.vector_access_energy": 0.49 + 0.02513 * scratchpad, "Accumulator.depth": accumulator * 256 // side,
              "Accumulator.vector_access_energy": 1.94 + 0.1005 * accumulator / side}
    return [word for name, value in values.items() for word in ("--set", f"{name}={value:.10g}")]


def number(text, name):
    return float(re.search(rf"^  {name} +(\S+)", text, re.MULTILINE)[1])


def proven(runs, name):
    def find_out():
        text = runs.call("explore", "--space", SPACE, "--net", runs.network(name), "--prove", "--store", runs.folder / f"{name}.sqlite")
        if "\nproven: " not in text:
            sys.exit(f"{name}: the proof was interrupted; the same command goes on\n{text}")
        names = ["side", "scratchpad_kib", "accumulator_kib", "energy_pj", "latency_cycles", "edp_pj_cycles"]
        return {**{key: number(text, key) for key in names}, "text": text}
    return runs.kept(name, find_out)


def mapped(runs, name, machine, *search):
    """Energy and cycles of a network on one machine, or None where a layer has no mapping."""
    text = runs.call("map", "--arch", MACHINE, "--net", runs.network(name), *settings(*machine), *search, "--json", expected=(0, 1))
    totals = json.loads(text)["totals"]
    return None if totals["layers_without_mapping"] else (totals["energy_pj"], float(totals["cycles"]))


def default_machine(runs, name):
    return runs.kept(f"{name}-default", lambda: {"edp_pj_cycles": math.prod(mapped(runs, name, DEFAULT))})


def random_search(runs, name, seconds):
    """DOSA's baseline: a random machine, random mappings of every layer; after ten machines, and after as much processor time."""
    def find_out():
        generator = random.Random(1)
        found, best, begun = [], float("inf"), processor_seconds()
        while len(found) < DRAWN or processor_seconds() - begun < seconds:
            machine = generator.choice(SIDES), generator.choice(SCRATCHPADS), generator.choice(ACCUMULATORS)
            costs = mapped(runs, name, machine, "--mapper", "random", "--evaluations", MAPPINGS, "--victory", 0, "--seed", len(found) + 1)
            if costs is not None:
                best = min(best, math.prod(costs))
            found.append(best)
        return {"machines": len(found), "first": found[DRAWN - 1], "last": found[-1]}
    return runs.kept(f"{name}-random", find_out)


def its_own_search(runs, name):
    """DOSA's baseline: sizes and draws as its software has them."""
    def find_out():
        generator = random.Random(1)
        found = []
        while len(found) < DRAWN:
            machine = 2 ** generator.randrange(1, 8), 2 ** generator.randrange(12), 2 ** generator.randrange(12)
            costs = mapped(runs, name, machine, "--mapper", "timeloop-random", "--evaluations", MAPPINGS, "--victory", 0, "--seed", len(found) + 1)
            found.append([machine, costs and math.prod(costs)])
        return {"found": found}
    return runs.kept(f"{name}-draws", find_out)


def draws(runs, names):
    table, values = [], {}
    for name in names:
        best, drawn = proven(runs, name), its_own_search(runs, name)
        edps = [edp for _, edp in drawn["found"] if edp is not None]
        values[name] = {"mapped": len(edps), "ratio": min(edps) / best["edp_pj_cycles"], "seconds": drawn["seconds"]}
        table.append([name, len(edps), f"{values[name]['ratio']:.2f}", f"{drawn['seconds']:.0f}"])
    table.append(["geometric mean", "", f"{geomean([value['ratio'] for value in values.values()]):.2f}", ""])
    header = ["network", f"of {DRAWN} machines with a mapping of every layer", "best found over best proven", "processor s"]
    return "DOSA's own random search beside the best machine", [(header, table)], values


def machines(runs, names):
    table, values = [], {}
    for name in names:
        best, default = proven(runs, name), default_machine(runs, name)
        drawn = random_search(runs, name, max(best["seconds"], LEAST_SECONDS))
        edp = best["edp_pj_cycles"]
        ratios = {"default": default["edp_pj_cycles"] / edp, "random": drawn["first"] / edp, "equal": drawn["last"] / edp}
        values[name] = {**{key: value for key, value in best.items() if key != "text"}, **ratios, "drawn": drawn["machines"]}
        table.append([name, f"{best['side']:.0f}, {best['scratchpad_kib']:.0f}, {best['accumulator_kib']:.0f}",
                      f"{best['energy_pj'] * 1e-9:.4g}", f"{best['latency_cycles']:,.0f}", f"{edp:.4e}", f"{best['seconds']:.0f}",
                      f"{ratios['default']:.2f}", f"{ratios['random']:.2f}", f"{ratios['equal']:.2f} ({drawn['machines']})"])
    table.append(["geometric mean", *[""] * 5, *(f"{geomean([values[name][key] for name in names]):.2f}" for key in ("default", "random", "equal"))])
    header = ["network", "best: side, scratchpad, accumulator KiB", "mJ", "cycles", "EDP, pJ x cycles", "processor s",
              "default machine, proven mappings", "random, 10 machines", "random, equal time (machines)"]
    return "DOSA's machines, best ones proven", [(header, table)], values


def recorded_cycles(path):
    """By layer of ResNet-50 and machine: the fewest cycles of DOSA's runs."""
    wanted = {text.partition("*")[0] for text in layers.NETWORKS["resnet50"].split()}
    fewest = collections.defaultdict(lambda: float("inf"))
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            label = "_".join(row[f"prob.{key}"] for key in ("R", "S", "P", "Q", "C", "K", "Wstride"))
            if label not in wanted or row["prob.N"] != "1":
                continue
            side = int(row["arch.meshX"])
            machine = side, int(row["arch.mem2_entries"]) // 1024, int(row["arch.mem1_entries"]) * side // 256
            key = label, machine
            fewest[key] = min(fewest[key], int(row["target.cycle"]))
    return fewest


def recorded(runs):
    if not RUNS.exists():
        sys.exit(f"no {RUNS}: DOSA's runs are not here")

    repeats = {text.partition("*")[0]: layers.layer(text)[2] for text in layers.NETWORKS["resnet50"].split()}

    def find_out():
        ratios = collections.defaultdict(list)
        for (label, machine), cycles in sorted(recorded_cycles(RUNS).items()):
            costs = mapped(runs, "resnet50", machine, "--layers", f"l_{label}", "--objective", "latency")
            if costs is not None:
                ratios[label].append(cycles * repeats[label] / costs[1])
        return {"ratios": ratios}

    ratios = runs.kept("recorded", find_out)["ratios"]
    table = [[label, len(all_), f"{sorted(all_)[len(all_) // 2]:.2f}", f"{min(all_):.2f}", f"{max(all_):.1f}"] for label, all_ in ratios.items()]
    header = ["layer (R S P Q C K stride)", "machines", "fewest recorded cycles over fewest possible: median", "least", "most"]
    return "Recorded cycles beside proven ones", [(header, table)], ratios


def main():
    options = command.parser(__doc__, "out/dosa_study", "machines,draws,recorded")
    options.add_argument("--networks", default=",".join(layers.NETWORKS), help="between commas (default all four)")
    options = options.parse_args()
    runs = Runs(options)
    names = options.networks.split(",")
    command.run(runs, {"machines": lambda: machines(runs, names), "draws": lambda: draws(runs, names), "recorded": lambda: recorded(runs)}, options.figures)


if __name__ == "__main__":
    main()
