#!/usr/bin/env python3
"""Figures 8 and 9 of the Flexer paper (H. Min et al., CGO 2023) from the tilewright program, beside lower bounds.

    bench/studies/flexer/study.py -o out/flexer               # everything; a run that was cut short goes on where it was
    bench/studies/flexer/study.py --figures 9 --rules sum

Figure 8: four networks on arch1 to arch8. Figure 9: VGG-16 on arch5, layer by layer. Every schedule has passed the validator; "at most" is what no schedule could exceed.
Writes OUT/results.md and OUT/points/*.json (one report of tilewright each). Needs Python 3 and a built tilewright."""

import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
NETWORKS = ["vgg16", "resnet50", "squeezenet", "yolov2"]
MACHINES = [f"arch{i}" for i in range(1, 9)]


class Study:
    def __init__(self, program, out):
        self.program = program
        self.points = out / "points"
        self.points.mkdir(parents=True, exist_ok=True)

    def report(self, network, machine, rule, *options):
        """The report of one run, from an earlier one where there is one."""
        name = "_".join([network, machine, rule, *(option.strip("-") for option in options)])
        path = self.points / f"{name}.json"
        if not path.exists():
            command = [self.program, "schedule", "--net", network, "--arch", machine, "--rule", rule, "--json", *options]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            part = path.with_suffix(".part")
            part.write_text(text)
            part.rename(path)
        return json.loads(path.read_text())


def ratio(numerator, denominator):
    return f"{numerator / denominator:.3f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def figure_8(study, rules, networks, machines):
    lines = ["## Figure 8: networks", "", "The paper: up to 1.67 in speed, 1.26 in traffic.", ""]
    for rule in rules:
        lines += [f"Rule `{rule}`:", "", row(["network", "machine", "speed-up", "at most", "less traffic", "at most"]),
                  row(["---"] * 6)]
        for network in networks:
            for machine in machines:
                total = study.report(network, machine, rule)["totals"]
                lines.append(row([network, machine,
                                  ratio(total["baseline_latency_cycles"], total["latency_cycles"]),
                                  ratio(total["baseline_latency_cycles"], total["latency_bound_cycles"]),
                                  ratio(total["baseline_traffic_bytes"], total["traffic_bytes"]),
                                  ratio(total["baseline_traffic_bytes"], total["traffic_bound_bytes"])]))
        lines.append("")
    return lines


def layer_rows(report):
    for layer in report["layers"]:
        base, best, listed, bound = (layer[key] for key in ("baseline", "schedule", "list_scheduler", "bounds"))
        cells = [layer["names"][0]]
        for what in ("latency_cycles", "traffic_bytes"):
            cells.append(ratio(base[what], best[what]))
            cells.append(ratio(base[what], listed[what]) if listed else "-")
            cells.append(ratio(base[what], bound[what]))
        yield row(cells)


def figure_9(study, rules):
    lines = ["## Figure 9: VGG-16 on arch5", "", "The paper: up to 2.17 in speed, 1.53 in traffic.", ""]
    for rule in rules:
        lines += [f"Rule `{rule}`:", "",
                  row(["layer", "speed-up", "list scheduler", "at most", "less traffic", "list scheduler", "at most"]),
                  row(["---"] * 7), *layer_rows(study.report("vgg16", "arch5", rule)), ""]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "out" / "flexer")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tilewright"))
    parser.add_argument("--figures", default="8,9")
    parser.add_argument("--rules", default="overlap,sum")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--machines", default=",".join(MACHINES))
    options = parser.parse_args()
    study = Study(options.program, options.output)
    rules = options.rules.split(",")
    lines = ["# Flexer's figures", ""]
    wanted = options.figures.split(",")
    if "9" in wanted:
        lines += figure_9(study, rules)
    if "8" in wanted:
        lines += figure_8(study, rules, options.networks.split(","), options.machines.split(","))
    (options.output / "results.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
