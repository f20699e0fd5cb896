#!/usr/bin/env python3
"""Figures of the Flexer paper (H. Min et al., CGO 2023) from the tilewright program, beside lower bounds.

    bench/studies/flexer/study.py -o out/flexer               # everything; a run that was cut short goes on where it was
    bench/studies/flexer/study.py --figures 9a,12 --rules sum
    bench/studies/flexer/study.py --kept                      # tables of the points there are; says what was not run

    1    every tiling of two layers, static and out of order
    ladder (not in the paper) Algorithm 1 against weak and strong static baselines, all networks and machines
    8    four networks on arch1 to arch8            9a   VGG-16 on arch5, layer by layer
    9b   its conv_3_1 and conv_3_2, traffic weighted more     9c   the network, traffic weighted more
    10   bytes moved by operand, two layers on arch6, with a scratchpad without limit
    11   which tiles the cores of a set share                12   priorities and memory policies of Algorithm 1
    ours (not in the paper) the default search beside Algorithm 1, networks and machines of 8
    stay (not in the paper) the networks and machines of 8 with outputs that stay in the scratchpad

*Flexer* is Algorithm 1 as printed (--scheduler flexer): every tiling, every data flow. Every schedule has passed the
validator; "at most" is what no schedule could exceed. Writes OUT/results.md, pictures (OUT/*.svg), OUT/points/* (one
report of tilewright each) and OUT/seconds.txt. Needs Python 3 and a built tilewright."""

import argparse
import collections
import fnmatch
import json
import pathlib
import resource
import shutil
import subprocess

import kept

ROOT = pathlib.Path(__file__).resolve().parents[3]
NETWORKS = ["vgg16", "resnet50", "squeezenet", "yolov2"]
MACHINES = [f"arch{i}" for i in range(1, 9)]
FIGURES = ["1", "ladder", "8", "9a", "9b", "9c", "10", "11", "12", "ours", "stay"]
FLEXER = ("--scheduler", "flexer")
OBJECTIVES = ["latency*traffic", "latency*traffic^2", "latency*traffic^4", "traffic"]  # the first: the paper's, and the default
# conv_4_2 of VGG-16 and conv_3_1_1 of ResNet-50 (its first 1x1), as the zoo calls them.
TWO_LAYERS = [("vgg16", "conv9"), ("resnet50", "layer2.0.conv1")]
UNLIMITED = """multi_npu:
  name: arch6-unlimited
  cores: 4
  scratchpad_bytes: 1073741824
  dma: {channels: 1, bytes_per_cycle: 64}
  core:
    array: {in_channels: 32, out_channels: 32}
"""


class NotRun(Exception):
    """A point that is not there, and --kept forbids to compute it."""


class Study:
    def __init__(self, options):
        self.program = options.program
        self.out = options.output
        self.only_kept = options.kept
        self.threads = options.threads
        self.layers = ["--layers", options.layers] if options.layers else []
        self.missing = []
        (self.out / "points").mkdir(parents=True, exist_ok=True)
        self.kept = kept.Layers(self.out / "layers.csv", options.keep)
        self.shapes = {}

    def folder(self, network, machine, rule, *options):
        """The -o folder of one run, from an earlier one where there is one."""
        if "--layers" not in options:
            options = (*options, *self.layers)
        words = [network, machine, rule, *options]
        name = "_".join(pathlib.Path(word.strip("-")).stem if "/" in word else word.strip("-") for word in words).replace("*", "x")
        path = self.out / "points" / name
        if (path / "report.json").exists():
            return path
        if self.only_kept:
            self.missing.append(name)
            raise NotRun(name)
        self.run(path, network, machine, rule, *options)
        return path

    def run(self, path, network, machine, rule, *options):
        """Into the folder `path`; returns the seconds."""
        part = path.with_suffix(".part")
        command = [self.program, "schedule", "--net", network, "--arch", machine, "--rule", rule, "--threads", str(self.threads),
                   "--no-cache", "-q", "-o", str(part), *options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, check=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        with (self.out / "seconds.txt").open("a") as lines:
            lines.write(f"{' '.join([network, machine, rule, *options])} user {seconds:.2f}\n")
        part.rename(path)
        return seconds

    def report(self, *arguments):
        return json.loads((self.folder(*arguments) / "report.json").read_text())

    def layered(self, network, machine, rule, *options, only=None):
        """As report(), from answers by layer: one is run where it is not kept. `only`: the first names of shapes."""
        if network not in self.shapes:
            shown = subprocess.run([self.program, "show", "--net", network], check=True, capture_output=True, text=True).stdout
            self.shapes[network] = kept.shapes(shown)
        patterns = self.layers[1].split(",") if self.layers else ["*"]
        found = []
        for names in self.shapes[network]:
            names = [name for name in names if any(fnmatch.fnmatchcase(name, one) for one in patterns)]
            if not names or (only and names[0] not in only):
                continue
            found += self.rows(names, network, machine, rule, *options)
        return kept.report_of(found)

    def rows(self, names, network, machine, rule, *options):
        """Those of layers of one shape, by stride."""
        key, found = (network, machine, rule, " ".join(options)), []
        while names:
            row = self.kept.starting_with(key, names[0])
            if row is None and self.only_kept:
                self.missing.append(" ".join([*key, *names]))
                raise NotRun(key)
            if row is None:
                path = self.out / "points" / "layer"
                shutil.rmtree(path, ignore_errors=True)
                seconds = self.run(path, network, machine, rule, "--layers", ",".join(names), *options)
                layers = kept.layers_of(path)
                for layer in layers:
                    self.kept.add(key, layer, seconds / len(layers))
                continue
            found.append(row)
            names = [name for name in names if name not in row["layer"].split(",")]
        return found

    def plot(self, kind, folder, name):
        """A picture of a run by `tilewright plot`; returns what shows it."""
        subprocess.run([self.program, "plot", kind, str(folder), "-o", str(self.out / f"{name}.svg")], check=True)
        return f"![{name}]({name}.svg)"

    def draw(self, name, figure):
        """A picture of figures that were computed here; returns what shows it."""
        document = self.out / f"{name}.json"
        document.write_text(json.dumps({"schema": "tilewright-figures/1", "figures": [figure]}))
        subprocess.run([self.program, "plot", "figure", str(document), "-o", str(self.out / f"{name}.svg")], check=True)
        return f"![{name}]({name}.svg)"


def bars_up_to(title, axis, bars, paper):
    """Bars of (name, Flexer, at most): each part is what the next figure adds. `paper`: its largest figure."""
    parts = [("Flexer", [one[1] for one in bars]), ("no schedule gains more", [max(0.0, one[2] - one[1]) for one in bars])]
    return {"title": title, "about": f"The paper: up to {paper}.",
            "bars": {"bars": [one[0] for one in bars], "axis": {"label": axis},
                     "parts": [{"name": name, "values": values} for name, values in parts]}}


def ratio(numerator, denominator):
    return f"{numerator / denominator:.3f}"


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(heads, rows):
    return [row(heads), row(["---"] * len(heads)), *(row(cells) for cells in rows), ""]


def total(report, what, of):
    return sum(layer["repeats"] * of(layer)[what] for layer in report["layers"])


def network_cells(report):
    """What the network gains over its static baseline, and at most."""
    totals = report["totals"]
    return [cell for what, bound in (("latency_cycles", "latency_bound_cycles"), ("traffic_bytes", "traffic_bound_bytes"))
            for cell in (ratio(totals[f"baseline_{what}"], totals[what]), ratio(totals[f"baseline_{what}"], totals[bound]))]


RATIOS = ["speed-up", "at most", "less traffic", "at most"]


def figure_1(study, options):
    lines = ["## Figure 1: every tiling of two layers, arch6", "", "The paper's point is that neither the tile sizes nor the schedule "
             "alone decide. *Best* is the least latency x traffic, *spread* the range of cycles and bytes over all tilings that were tried.", ""]
    rows = []
    for rule in options.rules:
        for network, layer in TWO_LAYERS:
            try:
                folder = study.folder(network, "arch6", rule, "--layers", layer, "--every-tiling")
            except NotRun:
                rows.append([rule, f"{network} {layer}", "not run", *[""] * 5])
                continue
            tilings = json.loads((folder / "report.json").read_text())["layers"][0]["tilings"]
            tried = [one for one in tilings if one["static"] and one["list_scheduler"]]
            better = sum(product(one["list_scheduler"]) < product(one["static"]) for one in tried)
            for how in ("static", "list_scheduler"):
                best = min((one[how] for one in tried), key=product)
                spread = [f"{max(one[how][what] for one in tried) / min(one[how][what] for one in tried):.1f}"
                          for what in ("latency_cycles", "traffic_bytes")]
                rows.append([rule, f"{network} {layer}", how.replace("_", " "), f"{len(tried)} of {len(tilings)}", best["latency_cycles"],
                             best["traffic_bytes"], *spread, better if how == "list_scheduler" else len(tried) - better])
            lines += [study.plot("tilings", folder, f"figure-1-{network}-{rule}"), ""]
    heads = ["rule", "layer", "schedule", "tilings tried", "cycles at best", "bytes at best", "spread of cycles", "of bytes",
             "tilings on which it is the better"]
    return lines + table(heads, rows)


def product(score):
    return score["latency_cycles"] * score["traffic_bytes"]


RUNGS = ["first", "order", "regions"]


def over(base, best, of_base, of_best):
    """Speed-up / less traffic of the networks, and in brackets of the best single layers."""
    pairs = list(zip(base["layers"], best["layers"]))
    whole = [ratio(total(base, what, of_base), total(best, what, of_best)) for what in ("latency_cycles", "traffic_bytes")]
    layers = [f"{max(of_base(a)[what] / of_best(b)[what] for a, b in pairs):.2f}" for what in ("latency_cycles", "traffic_bytes")]
    return f"{' / '.join(whole)} ({' / '.join(layers)})"


def rung_cells(study, point, rung):
    """Over one rung: Algorithm 1, the best static plan, and what no schedule exceeds."""
    def of(name):
        return lambda one: one[name]

    def kept(*more):
        try:
            return study.report(*point, *more)
        except NotRun:
            return None

    flexer = kept(*FLEXER)
    # The best static plan is the answer where nothing else is tried.
    weak = kept("--tilings", "0", "--baseline", "order" if rung == "exhaustive" else rung)
    base = of("schedule" if rung == "exhaustive" else "baseline")
    if weak is None and rung == "exhaustive" and flexer:
        weak, base = flexer, of("baseline")
    if weak is None:
        return ["not run"] * 3
    return [over(weak, flexer, base, of("schedule")) if flexer else "not run",
            "1" if rung == "exhaustive" else over(weak, weak, base, of("schedule")), over(weak, weak, base, of("bounds"))]


def figure_ladder(study, options):
    """Which baseline yields the paper's factors."""
    lines = ["## Algorithm 1 against a ladder of baselines", "", "Speed-up / less traffic of networks, in brackets of their best layers. "
             "The paper: networks up to 1.67 / 1.26, layers up to 2.17 / 1.53.", ""]
    for rule in options.rules:
        for rung in [*RUNGS, "exhaustive"]:
            rows = [[network, machine, *rung_cells(study, (network, machine, rule), rung)]
                    for network in options.networks for machine in options.machines]
            lines += [f"Rule `{rule}`, over `{rung}`:", "",
                      *table(["network", "machine", "Flexer", "best static", "no schedule exceeds"], rows)]
    return lines


def figure_ours(study, options):
    """The default search beside Algorithm 1."""
    lines = ["## The default search beside Algorithm 1", "", "Against the exhaustive static baseline; *worse* counts layers on which the "
             "default search is the worse of the two by latency x traffic.", ""]
    for rule in options.rules:
        rows = []
        for network in options.networks:
            for machine in options.machines:
                try:
                    flexer = study.report(network, machine, rule, *FLEXER)
                    ours = study.report(network, machine, rule)
                except NotRun:
                    rows.append([network, machine, "not run", *[""] * 4])
                    continue
                worse = sum(product(a["schedule"]) > product(b["schedule"]) for a, b in zip(ours["layers"], flexer["layers"]))
                by_flexer, by_ours = network_cells(flexer), network_cells(ours)
                rows.append([network, machine, by_flexer[0], by_ours[0], by_flexer[2], by_ours[2], f"{worse} of {len(ours['layers'])}"])
        heads = ["network", "machine", "speed-up, Flexer", "ours", "less traffic, Flexer", "ours", "worse"]
        lines += [f"Rule `{rule}`:", "", *table(heads, rows)]
    return lines


def figure_stay(study, options):
    lines = ["## Outputs that stay in the scratchpad", "", "The networks of Fig. 8 with `--keep-outputs`; *at most* is against the best of "
             "the layers by themselves, whatever stays.", ""]
    for rule in options.rules:
        rows = []
        for network in options.networks:
            for machine in options.machines:
                try:
                    report = study.report(network, machine, rule, "--keep-outputs")
                except NotRun:
                    rows.append([network, machine, "not run", *[""] * 6])
                    continue
                staying, totals = report["staying"], report["totals"]
                cells = [f"{len(staying['tensors'])} of {staying['might_stay']}"]
                for what in ("latency_cycles", "traffic_bytes"):
                    alone = staying["if_none_did"][what]
                    cells += [ratio(totals[f"baseline_{what}"], totals[what]), ratio(alone, totals[what]),
                              ratio(alone, staying["bounds_whatever_stays"][what])]
                rows.append([network, machine, *cells])
        heads = ["network", "machine", "stay", "speed-up over static", "over none staying", "at most", "less traffic than static",
                 "than none staying", "at most"]
        lines += [f"Rule `{rule}`:", "", *table(heads, rows)]
        run = [one for one in rows if one[2] != "not run"]
        for column, axis in ((4, "speed-up"), (7, "less traffic")):
            bars = [(f"{one[0]} {one[1]}", float(one[column]), float(one[column + 1])) for one in run]
            if not bars:
                continue
            picture = bars_up_to(f"Outputs that stay, under {rule}: {axis} against none staying", axis, bars, 1)
            picture["about"] = "What staying gains, and what no choice and no schedules could gain more."
            picture["bars"]["parts"][0]["name"] = "outputs that stay"
            lines += [study.draw(f"figure-stay-{rule}-{axis.replace(' ', '-')}", picture), ""]
    return lines


def figure_8(study, options):
    lines = ["## Figure 8: networks", "", "The paper: up to 1.67 in speed, 1.26 in traffic.", ""]
    for rule in options.rules:
        rows = []
        for network in options.networks:
            for machine in options.machines:
                try:
                    rows.append([network, machine, *network_cells(study.layered(network, machine, rule, *FLEXER))])
                except NotRun:
                    rows.append([network, machine, "not run", *[""] * 3])
        lines += [f"Rule `{rule}`:", "", *table(["network", "machine", *RATIOS], rows)]
        run = [one for one in rows if one[2] != "not run"]
        for column, axis, paper in ((2, "speed-up", 1.67), (4, "less traffic", 1.26)):
            bars = [(f"{one[0]} {one[1]}", *(float(cell) for cell in one[column:column + 2])) for one in run]
            if bars:
                title = f"Networks under {rule}: {axis} against the best static order"
                lines += [study.draw(f"figure-8-{rule}-{axis.replace(' ', '-')}", bars_up_to(title, axis, bars, paper)), ""]
    return lines


def layer_cells(layer):
    return [ratio(layer["baseline"][what], layer[of][what]) for what in ("latency_cycles", "traffic_bytes") for of in ("schedule", "bounds")]


def figure_9a(study, options):
    lines = ["## Figure 9a: layers of VGG-16 on arch5", "", "The paper: up to 2.17 in speed, 1.53 in traffic. Flexer stands alone here: "
             "below 1 where the static order is better.", ""]
    for rule in options.rules:
        try:
            folder = study.folder("vgg16", "arch5", rule, *FLEXER)
        except NotRun:
            lines += [f"Rule `{rule}`: not run.", ""]
            continue
        report = json.loads((folder / "report.json").read_text())
        lines += [f"Rule `{rule}`:", "", *table(["layer", *RATIOS], [[layer["names"][0], *layer_cells(layer)] for layer in report["layers"]]),
                  study.plot("scheduled", folder, f"figure-9a-{rule}"), ""]
    return lines


def weighted(objective):
    return [] if objective == OBJECTIVES[0] else ["--objective", objective]


def figure_9b(study, options):
    lines = ["## Figure 9b: conv_3_1 and conv_3_2 of VGG-16 on arch5, traffic weighted", "",
             "The paper weights traffic more and gains traffic at the expense of speed.", ""]
    for rule in options.rules:
        rows = []
        for objective in OBJECTIVES:
            try:
                report = study.layered("vgg16", "arch5", rule, *weighted(objective), *FLEXER, only=("conv5", "conv6"))
            except NotRun:
                rows.append([objective, "", "not run", *[""] * 5])
                continue
            for layer in report["layers"]:
                best = layer["schedule"]
                rows.append([objective, layer["names"][0], best["latency_cycles"], best["traffic_bytes"], *layer_cells(layer)])
        lines += [f"Rule `{rule}`:", "", *table(["objective", "layer", "cycles", "bytes", *RATIOS], rows)]
        series = [{"name": layer, "marks": [[one[2], one[3], one[0]] for one in rows if one[1] == layer]}
                  for layer in ("conv5", "conv6")]
        if all(one["marks"] for one in series):
            lines += [study.draw(f"figure-9b-{rule}", {
                "title": f"Traffic weighted more, under {rule}", "about": "From left to right the objectives weight traffic more.",
                "plane": {"x": {"label": "cycles", "logarithmic": True}, "y": {"label": "traffic", "unit": "B", "logarithmic": True},
                          "series": series}}), ""]
    return lines


def figure_9c(study, options):
    lines = ["## Figure 9c: VGG-16 on arch5 from end to end, traffic weighted", "", "Baseline and Flexer by the objective of each row.", ""]
    rows = []
    for rule in options.rules:
        for objective in OBJECTIVES:
            try:
                report = study.layered("vgg16", "arch5", rule, *weighted(objective), *FLEXER)
                rows.append([rule, objective, report["totals"]["latency_cycles"], report["totals"]["traffic_bytes"], *network_cells(report)])
            except NotRun:
                rows.append([rule, objective, "not run", *[""] * 5])
    return lines + table(["rule", "objective", "cycles", "bytes", *RATIOS], rows)


def operand_cells(found):
    cells = []
    for operand in ("input", "weight", "output"):
        one = found["operands"][operand]
        cells += [one["loaded_bytes"] + one["written_bytes"], one["loads"]]
    return [*cells, found["traffic_bytes"]]


def figure_10(study, options):
    lines = ["## Figure 10: bytes by operand, arch6", "", "The paper shows conv_4_2 of VGG-16 and conv_3_1_1 of ResNet-50, with a bar for "
             "memory without limit. Loads of outputs are partial sums that came back.", ""]
    unlimited = study.out / "arch6-unlimited.yaml"
    unlimited.write_text(UNLIMITED)
    for rule in options.rules:
        rows = []
        for network, layer in TWO_LAYERS:
            try:
                folder = study.folder(network, "arch6", rule, "--layers", layer, *FLEXER)
                one = json.loads((folder / "report.json").read_text())["layers"][0]
                kinds = [("static", one["baseline"]), ("Flexer", one["schedule"])]
                rows += [[f"{network} {layer}", name, *operand_cells(found)] for name, found in kinds if found]
                wide = study.report(network, str(unlimited), rule, "--layers", layer, "--tilings", "0")["layers"][0]
                rows.append([f"{network} {layer}", "memory without limit", *operand_cells(wide["schedule"])])
                lines += [study.plot("operands", folder, f"figure-10-{network}-{rule}"), ""]
            except NotRun:
                rows.append([f"{network} {layer}", "not run", *[""] * 7])
        heads = ["layer", "schedule", "input bytes", "loads", "weight bytes", "loads", "output bytes", "loads", "all bytes"]
        lines += [f"Rule `{rule}`:", "", *table(heads, rows)]
    return lines


def sharing(layer):
    """Of the sets (operations that start together): in how many all cores use one input, one weight, or neither."""
    sets = collections.defaultdict(list)
    for one in layer["executions"]:
        sets[one["start"]].append(one)
    counts = collections.Counter()
    for one in sets.values():
        if len(one) < 2:
            counts["one operation"] += 1
            continue
        shared = [name for name in ("input", "weight", "output") if len({op[name] for op in one}) == 1]
        counts[" and ".join(shared) if shared else "no one tile"] += 1
    return counts, len(sets)


def figure_11(study, options):
    lines = ["## Figure 11: what the cores of a set share, arch6", "", "Sets in which all operations use one tile of an operand, under "
             "`sum` (sets start together there).", ""]
    rows = []
    for network, name in TWO_LAYERS:
        for how, more in (("static", ["--tilings", "0"]), ("Flexer", FLEXER)):
            try:
                folder = study.folder(network, "arch6", "sum", "--layers", name, *more)
            except NotRun:
                rows.append([f"{network} {name}", how, "not run", "", ""])
                continue
            counts, sets = sharing(json.loads((folder / "schedule.json").read_text())["layers"][0])
            rows += [[f"{network} {name}", how, what, count, f"{100 * count / sets:.1f} %"] for what, count in sorted(counts.items())]
            lines += [study.plot("sharing", folder, f"figure-11-{network}-{how.lower()}"), ""]
    return lines + table(["layer", "schedule", "shared by all", "sets", "share"], rows)


VARIANTS = [([], "the paper's choice"), (["--priority", "min-transfer"], "priority min-transfer"),
            (["--priority", "min-spill"], "priority min-spill"), (["--memory", "first-fit"], "memory first-fit"),
            (["--memory", "small-first"], "memory small-first")]


def figure_12(study, options):
    lines = ["## Figure 12: priorities and memory policies", "", "Algorithm 1 with each of them: latency x traffic of the networks over that "
             "of the paper's choice (above 1 is worse). The paper finds memory management the larger effect.", ""]
    for rule in options.rules:
        rows = []
        for network in options.networks:
            for machine in options.machines:
                cells, base = [], None
                for more, _ in VARIANTS:
                    try:
                        totals = study.layered(network, machine, rule, *FLEXER, *more)["totals"]
                    except NotRun:
                        cells.append("not run")
                        continue
                    value = totals["latency_cycles"] * totals["traffic_bytes"]
                    base = base or (value, totals["latency_bound_cycles"] * totals["traffic_bound_bytes"])
                    cells.append(f"{value / base[0]:.4f}")
                rows.append([network, machine, *cells[1:], f"{base[1] / base[0]:.4f}" if base else "not run"])
        heads = ["network", "machine", *(name for _, name in VARIANTS[1:]), "no schedule is below"]
        lines += [f"Rule `{rule}`:", "", *table(heads, rows)]
        bars = [(f"{one[0]} {one[1]} {name.split()[-1]}", float(cell)) for one in rows
                for (_, name), cell in zip(VARIANTS[1:], one[2:]) if cell != "not run"]
        if bars:
            lines += [study.draw(f"figure-12-{rule}", {
                "title": f"Priorities and memory policies under {rule}", "about": "Latency x traffic over that of the paper's choice.",
                "bars": {"bars": [one[0] for one in bars], "axis": {"label": "latency x traffic over the paper's choice"},
                         "parts": [{"name": "latency x traffic", "values": [one[1] for one in bars]}]}}), ""]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "out" / "flexer")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tilewright"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kept", action="store_true", help="compute nothing: tables of what is there")
    parser.add_argument("--keep", action="store_true", help=f"new answers by layer become rows of {kept.KEPT.relative_to(ROOT)}")
    words = lambda text: text.split(",")
    parser.add_argument("--figures", type=words, default=FIGURES)
    parser.add_argument("--rules", type=words, default=["sum", "overlap"])
    parser.add_argument("--networks", type=words, default=NETWORKS)
    parser.add_argument("--machines", type=words, default=MACHINES)
    parser.add_argument("--layers", default="", help="only these of the networks: patterns, separated by commas")
    options = parser.parse_args()
    unknown = [name for name in options.figures if name not in FIGURES]
    if unknown:
        parser.error(f"there is no figure {unknown[0]}; there are {', '.join(FIGURES)}")
    study = Study(options)
    makers = {"1": figure_1, "ladder": figure_ladder, "ours": figure_ours, "stay": figure_stay, "8": figure_8, "9a": figure_9a, "9b": figure_9b, "9c": figure_9c, "10": figure_10, "11": figure_11, "12": figure_12}
    lines = ["# Flexer's figures", ""]
    for name in options.figures:
        lines += makers[name](study, options)
    if study.missing:
        missing = sorted(set(study.missing))
        lines += [f"{len(missing)} points were not run: {', '.join(missing)}."]
    (options.output / "results.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
