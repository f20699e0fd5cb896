#!/usr/bin/env python3
"""MAESTRO's validation (its Fig. 9) and its case study I (Figs. 10 to 12), with the exact analysis.

    bench/studies/maestro/study.py [--out out/maestro-study] [--figures eyeriss,maeri,fig10,fig11,fig12]

prints the tables of README.md and draws the charts (NAME.svg). The dataflows are those of Table 2 as docs/maestro.md
reads them, on VGG-16's CONV1 and CONV11 with their padding.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import command
import validation

LAYERS = {
    "CONV1": "K: 64, C: 3, R: 3, S: 3, Y: 226, X: 226",
    "CONV11": "K: 512, C: 512, R: 3, S: 3, Y: 16, X: 16",
}
DATAFLOWS = ["nlr", "ws", "shidiannao", "rs", "nvdla"]
UNITS = [16, 32, 64, 128, 256]
L1_MACS, L2_MACS = 1.68, 18.61  # of an access; docs/maestro.md


class Runs:
    """Evaluations, and pictures in the study's folder."""

    def __init__(self, options):
        self.program, self.folder = options.program, pathlib.Path(options.out)
        self.folder.mkdir(parents=True, exist_ok=True)

    def evaluate(self, layer, dataflow, units):
        with tempfile.TemporaryDirectory() as folder:
            network = pathlib.Path(folder, "layer.m")
            network.write_text(f"Network vgg16 {{ Layer {layer} {{ Type: CONV Dimensions {{ {LAYERS[layer]} }} }} }}\n")
            hardware = pathlib.Path(folder, "hardware.m")
            hardware.write_text(f"num_pes: {units}\nNoC_NumHops: 1\n")
            words = [self.program, "evaluate", network, hardware, "--dataflow", dataflow, "--json",
                     "--size", f"P_cluster_size={min(64, units)}"]
            return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["layers"][0]

    def draw(self, name, figure):
        document = self.folder / f"{name}.json"
        document.write_text(json.dumps({"schema": "tilewright-figures/1", "figures": [figure]}))
        subprocess.run([self.program, "plot", "figure", str(document), "-o", str(self.folder / f"{name}.svg")], check=True)


def bars(title, about, label, unit, names, parts):
    return {"title": title, "about": about, "bars": {"bars": names, "axis": {"label": label, "unit": unit},
                                                     "parts": [{"name": name, "values": values} for name, values in parts]}}


def cases():
    return [(layer, dataflow) for layer in LAYERS for dataflow in DATAFLOWS]


def fig10(runs):
    """What 64 units need and reach when nothing holds them up. One byte per word, 1 GHz."""
    values = {}
    for layer, dataflow in cases():
        cost = runs.evaluate(layer, dataflow, 64)
        values[f"{layer} {dataflow}"] = {"gbit_per_s": 8 * cost["levels"][0]["bytes_per_cycle"],
                                         "l1_kb": 64 * cost["l1_bytes"] / 1024,
                                         "macs_per_cycle": cost["operations"] / cost["runtime_cycles"]}
    names = [f"{dataflow}, {layer}" for layer, dataflow in cases()]
    for key, label, unit in (("gbit_per_s", "network", "Gbit/s"), ("l1_kb", "L1 of all units", "KB"),
                             ("macs_per_cycle", "multiply-accumulates", "per cycle")):
        runs.draw(f"fig10_{key}", bars(f"Five dataflows on 64 units: {label}", "MAESTRO, Fig. 10.", label, unit, names,
                                       [(label, [value[key] for value in values.values()])]))
    table = [[*name.split(), f"{value['macs_per_cycle']:.1f}", f"{value['gbit_per_s']}", f"{value['l1_kb']:.1f}"]
             for name, value in values.items()]
    return "Fig. 10: what 64 units need and reach", [(["layer", "dataflow", "MACs/cycle", "network, Gbit/s",
                                                       "L1 of all units, KB"], table)], values


def energy_parts(cost):
    """Per multiply-accumulate: L1 and L2; arithmetic is 1."""
    macs, inner = cost["operations"], cost["levels"][-1]
    l1 = L1_MACS * (4 * macs + inner["input"]["unicast_words"] + inner["filter"]["unicast_words"])
    return l1 / macs, (cost["energy_operations"] - macs - l1) / macs


def fig11(runs):
    """Where the energy goes, in multiply-accumulates for each of them."""
    values = {f"{layer} {dataflow}": energy_parts(runs.evaluate(layer, dataflow, 64)) for layer, dataflow in cases()}
    names = [f"{dataflow}, {layer}" for layer, dataflow in cases()]
    runs.draw("fig11", bars("Energy of five dataflows on 64 units", "MAESTRO, Fig. 11; a multiply-accumulate is 1.",
                            "energy per multiply-accumulate", "", names,
                            [("arithmetic", [1.0] * len(names)), ("L1", [one[0] for one in values.values()]),
                             ("L2", [one[1] for one in values.values()])]))
    table = []
    for name, (l1, l2) in values.items():
        layer, dataflow = name.split()
        mean = sum(1 + sum(values[f"{layer} {other}"]) for other in DATAFLOWS) / len(DATAFLOWS)
        table.append([layer, dataflow, f"{1 + l1 + l2:.2f}", f"{l1:.2f}", f"{l2:.2f}", f"{100 * (1 + l1 + l2) / mean:.0f} %"])
    return "Fig. 11: energy per multiply-accumulate, 64 units", [(["layer", "dataflow", "energy", "L1", "L2",
                                                                   "of the layer's mean"], table)], values


def fig12(runs):
    """Energy by units, in multiply-accumulates for each of them."""
    values = {}
    for layer, dataflow in cases():
        costs = [runs.evaluate(layer, dataflow, units) for units in UNITS]
        values[f"{layer} {dataflow}"] = [cost["energy_operations"] / cost["operations"] for cost in costs]
    for layer in LAYERS:
        series = [{"name": dataflow, "line": True, "marks": [list(pair) for pair in zip(UNITS, values[f"{layer} {dataflow}"])]}
                  for dataflow in DATAFLOWS]
        runs.draw(f"fig12_{layer.lower()}", {"title": f"Energy by units: VGG-16 {layer}", "about": "MAESTRO, Fig. 12.", "plane": {
            "x": {"label": "units", "logarithmic": True}, "y": {"label": "energy per multiply-accumulate"}, "series": series}})
    table = [[*name.split(), *(f"{value:.2f}" for value in row)] for name, row in values.items()]
    return "Fig. 12: energy per multiply-accumulate", [(["layer", "dataflow", *(f"{units} units" for units in UNITS)], table)], values


def main():
    options = command.parser(__doc__, "out/maestro-study", "eyeriss, maeri, fig10, fig11, fig12").parse_args()
    if not os.path.exists(options.program):
        sys.exit(f"no {options.program}: build it (scripts/build release tilewright) or name one with --program")
    runs = Runs(options)
    command.run(runs, {"eyeriss": lambda: validation.eyeriss(options.program), "maeri": lambda: validation.maeri(options.program),
                       "fig10": lambda: fig10(runs), "fig11": lambda: fig11(runs), "fig12": lambda: fig12(runs)},
                options.figures)


if __name__ == "__main__":
    main()
