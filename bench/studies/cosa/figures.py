"""The figures of the CoSA paper: what to run, and what to say about it. Each returns its title, its tables (a header and
rows each) and a value that goes to results.json."""

import pathlib
import re
import statistics
import subprocess
import tempfile

import layers
from inputs import geomean
from searches import Searches
from machines import FIGURE_3, FIGURE_4, TITLE_3, TITLE_4, all_orders, all_shares, machines

# As the paper words them: five valid schedules at random; a search of as many valid ones as its 32 threads visit, and twice as
# many. The proven mapper has some seconds for a layer; what it cannot prove by then is counted. The paper's own baselines are Timeloop's
# searches: 32 threads, 500 legal mappings in a row that are no better, and no end after failures (with Timeloop's default of 1000 in a
# row, its hybrid search finds nothing on most of these layers).
MAPPERS = {
    "Timeloop Random (5)": ["--mapper", "timeloop-random", "--evaluations", "5", "--victory", "0", "--timeout", "0"],
    "Random (5)": ["--mapper", "random", "--evaluations", "5", "--victory", "0"],
    "ours": ["--mapper", "hybrid", "--evaluations", "16000", "--victory", "0"],
    "ours, 32K": ["--mapper", "hybrid", "--evaluations", "32000", "--victory", "0"],
    "CoSA": ["--mapper", "cosa"],
    "CoSA, repaired": ["--mapper", "cosa", "--cosa-variant", "repaired"],
    "optimal": ["--mapper", "optimal", "--time-limit", "5"],
}
# What CoSA's weights and its variants change. For energy the paper uses the traffic objective alone.
WEIGHTS = {
    "exact": [],
    "traffic alone": ["--cosa-weights", "utilization=0,compute=0,traffic=1"],
    "as-printed": ["--cosa-variant", "as-printed"],
    "as-printed, outside=1": ["--cosa-variant", "as-printed", "--cosa-weights", "outside=1"],
    "as-printed, outside=2": ["--cosa-variant", "as-printed", "--cosa-weights", "outside=2"],
    "as-printed, traffic alone": ["--cosa-variant", "as-printed", "--cosa-weights", "utilization=0,compute=0,traffic=1"],
    **{f"exact, {word}": ["--cosa-weights", word] for word in (
        "outside=0", "outside=1", "outside=4", "utilization=0", "utilization=0.05", "utilization=0.2", "utilization=1", "compute=1",
        "compute=3", "compute=30", "compute=100")},
    "repaired": ["--cosa-variant", "repaired"],
    "released-2021": ["--cosa-variant", "released-2021"],
    "released-2023": ["--cosa-variant", "released-2023"],
}
MAPPERS.update({f"CoSA, {name}": ["--mapper", "cosa", *options] for name, options in WEIGHTS.items()})
HYBRID = "Timeloop Hybrid"
RANDOM = "Timeloop Random (5)"
FIVE = 5
REPEATS = 20  # of Random (5)
SEARCHES = ("ours", "ours, 32K", "CoSA", "CoSA, repaired", "optimal")
CLAIM = re.compile(r"objective is ([\d.]+) \(utilization ([\d.]+), compute ([\d.]+), traffic ([\d.]+)\)")


def schedule_of(report):
    layer, = report["layers"]
    if layer["status"] != "evaluated":
        raise RuntimeError(f"{layer['name']}: {layer['failures']}")
    evaluation, search = layer["evaluation"], layer.get("search", {})
    return {"cycles": evaluation["cycles"], "energy_pj": evaluation["energy_pj"], "claim": search.get("claim", ""),
            "proven": search.get("proven", False), "sampled": search.get("sampled"), "evaluations": search.get("evaluations"),
            "memories": {memory["name"]: memory for memory in evaluation["memories"]}}


class Figures:
    def __init__(self, study, zoo, only, schedules=40000, sampled=True, searching=True, searches=None):
        """`only`: these layers, or None; `schedules`: legal ones of Figure 1; `sampled`: Timeloop's hybrid search on every fourth layer;
        `searching`: that search is run where it has not been run yet."""
        self.study = study
        self.searches = searches or Searches()
        self.searching = searching
        self.sample = [label for label in (layers.sample() if sampled and only is None else layers.distinct()) if only is None or label in only]
        self.schedules = schedules
        self.machines = {name: study.input(f"{name.replace(' ', '_')}.yaml", text) for name, text in machines(zoo).items()}
        self.networks = {network: [label for label in labels.split() if only is None or label in only]
                         for network, labels in layers.NETWORKS.items()}
        self.distinct = [label for label in layers.distinct() if only is None or label in only]

    @staticmethod
    def name_of(machine, mapper, objective, label):
        return re.sub(r"[^\w.-]+", "-", f"{machine}.{mapper}.{objective}.{label}")

    def schedule(self, machine, mapper, objective, label):
        if mapper == HYBRID:  # takes long: its mapping is kept for the study that simulates it
            kept = self.searches.kept(machine, objective, label)
            if kept and not self.has_point(machine, objective, label):
                return kept
            found = self.mapping(machine, mapper, objective, label)
            self.searches.add(machine, objective, label, found, self.study.seconds(self.hybrid_point(machine, objective, label)))
            return found
        arguments = ["map", "--arch", self.machines[machine], *layers.arguments(label), *MAPPERS[mapper], "--objective", objective]
        return self.study.point(self.name_of(machine, mapper, objective, label), arguments, schedule_of)

    def random(self, machine, what, label):
        """Random (5), REPEATS times: the best of each five of so many legal mappings, drawn one after another."""
        arguments = ["--arch", self.machines[machine], *layers.draw_arguments(label), "--legal", str(FIVE * REPEATS)]
        draws = self.study.beside(self.name_of(machine, "draws", "both", label), "draw_mappings", arguments, lambda report: report)
        if len(draws["cycles"]) < FIVE * REPEATS:
            raise RuntimeError(f"{machine}, {label}: {len(draws['cycles'])} legal mappings in {draws['sampled']} draws")
        return [min(draws[what][i:i + FIVE]) for i in range(0, FIVE * REPEATS, FIVE)]

    def seeded(self, machine, objective, what):
        """CoSA's mean gain over `map --mapper random`, by seed. One seed is the same stream of random numbers in every layer, so that
        layers have luck together."""
        labels = [label for labels in self.networks.values() for label in labels]
        def five(label, seed):
            arguments = ["map", "--arch", self.machines[machine], *layers.arguments(label), *MAPPERS["Random (5)"], "--seed", str(seed),
                         "--objective", objective]
            return self.study.point(self.name_of(machine, f"Random-seed-{seed}", objective, label), arguments, schedule_of)[what]
        cosa = {label: self.schedule(machine, "CoSA", objective, label)[what] for label in self.distinct}
        return [geomean([five(label, seed) / cosa[label] for label in labels]) for seed in range(1, REPEATS + 1)]

    def gains(self, machine, objective, what):
        """By mapper and layer: by repeat, how many times better than Random's best of five."""
        five = {label: self.random(machine, what, label) for label in self.distinct}
        return {mapper: {label: [one / self.schedule(machine, mapper, objective, label)[what] for one in five[label]]
                         for label in self.distinct} for mapper in SEARCHES}

    def by_network(self, gains):
        """Rows of medians over the repeats of the mean over a network's layers, and the means over all layers by mapper and repeat."""
        def means(mapper, labels):
            return [geomean([gains[mapper][label][repeat] for label in labels]) for repeat in range(REPEATS)]
        rows = [[network, *(f"{statistics.median(means(mapper, labels)):.2f}" for mapper in SEARCHES)]
                for network, labels in self.networks.items() if labels]
        labels = [label for labels in self.networks.values() for label in labels]
        return rows, {mapper: means(mapper, labels) for mapper in SEARCHES}

    def gain_figure(self, title, machine, objective, what, paper):
        gains = self.gains(machine, objective, what)
        rows, mean = self.by_network(gains)
        median = {mapper: statistics.median(mean[mapper]) for mapper in SEARCHES}
        rows.append(["**all layers, median**", *(f"{median[mapper]:.2f}" for mapper in SEARCHES)])
        rows.append([f"range of {REPEATS} repeats", *(f"{min(mean[mapper]):.2f} to {max(mean[mapper]):.2f}" for mapper in SEARCHES)])
        rows.append(["**paper**", *(paper.get(mapper, "") for mapper in SEARCHES)])
        rows.append([f"{what} over CoSA's", *(f"{median['CoSA'] / median[mapper]:.3f}" for mapper in SEARCHES)])
        proven = [self.schedule(machine, "optimal", objective, label)["proven"] for label in self.distinct]
        rows.append(["layers proven", *[""] * (len(SEARCHES) - 1), f"{sum(proven)} of {len(proven)}"])
        by_layer = [[label, *(f"{statistics.median(gains[mapper][label]):.2f}" for mapper in SEARCHES)] for label in self.distinct]
        header = [title.split(":")[1].strip(), *SEARCHES]
        return title, [(header, rows), (["layer", *SEARCHES], by_layer)], {"gains": gains, "geomean": mean, "proven": sum(proven)}

    def timeloop_random(self, machine, objective, label):
        """The paper's Random, by seed."""
        found = []
        for seed in range(1, REPEATS + 1):
            arguments = ["map", "--arch", self.machines[machine], *layers.arguments(label), *MAPPERS[RANDOM], "--seed", str(seed),
                         "--objective", objective]
            found.append(self.study.point(self.name_of(machine, f"{RANDOM} {seed}", objective, label), arguments, schedule_of))
        return found

    def has_hybrid(self, machine, objective, label):
        return self.searching or self.searches.kept(machine, objective, label) is not None or self.has_point(machine, objective, label)

    def hybrid_point(self, machine, objective, label):
        return self.name_of(machine, f"{HYBRID} mapping", objective, label)

    def has_point(self, machine, objective, label):
        return (self.study.folder / "points" / f"{self.hybrid_point(machine, objective, label)}.json").exists()

    def beside_timeloop(self, title, machine, objective, what, paper):
        """With the paper's own baselines, of the layers of the sample for which Timeloop's hybrid search has been run."""
        labels = [label for label in self.sample if self.has_hybrid(machine, objective, label)]
        columns = (HYBRID, *SEARCHES) if what == "cycles" else (HYBRID, *SEARCHES, "CoSA, traffic alone")
        random = {label: [one[what] for one in self.timeloop_random(machine, objective, label)] for label in labels}
        found = {mapper: {label: self.schedule(machine, mapper, objective, label)[what] for label in labels} for mapper in columns}
        means = {mapper: [geomean([random[label][seed] / found[mapper][label] for label in labels]) for seed in range(REPEATS)]
                 for mapper in columns}
        rows = [["Random over it, median", *(f"{statistics.median(means[mapper]):.2f}" for mapper in columns)],
                [f"range of {REPEATS} seeds", *(f"{min(means[mapper]):.2f} to {max(means[mapper]):.2f}" for mapper in columns)],
                ["**paper**", *(paper.get(mapper, "") for mapper in columns)]]
        hybrid = {mapper: [found[HYBRID][label] / found[mapper][label] for label in labels] for mapper in columns}
        rows.append(["Hybrid over it", *(f"{geomean(hybrid[mapper]):.2f}" for mapper in columns)])
        rows.append(["layers where Hybrid is better", *(str(sum(value < 1 for value in hybrid[mapper])) for mapper in columns)])
        by_layer = [[label, f"{statistics.median(random[label]):,.0f}", *(f"{found[mapper][label]:,.0f}" for mapper in columns)]
                    for label in labels]
        return (title, [([f"{len(labels)} layers", *columns], rows), ([what, f"{RANDOM}, median", *columns], by_layer)],
                {"random": random, "found": found})

    def effort(self):
        """Table VI of the paper's baselines."""
        labels = [label for label in self.sample if self.has_hybrid("baseline", "latency", label)]
        names = {label: {HYBRID: f"{HYBRID} mapping", RANDOM: f"{RANDOM} 1"} for label in labels}
        runs = {HYBRID: {label: self.schedule("baseline", HYBRID, "latency", label) for label in labels},
                RANDOM: {label: self.timeloop_random("baseline", "latency", label)[0] for label in labels}}
        rows = []
        for mapper, paper in ((RANDOM, ("4.6", "20 K", "5")), (HYBRID, ("379.9", "67 M", "16 K+"))):
            seconds = [runs[mapper][label]["seconds"] if "seconds" in runs[mapper][label] else
                       self.study.seconds(self.name_of("baseline", names[label][mapper], "latency", label)) for label in labels]
            mean = {what: sum(runs[mapper][label][what] for label in labels) / len(labels) for what in ("sampled", "evaluations")}
            rows.append([mapper, f"{sum(seconds) / len(labels):.2f}", f"{mean['sampled']:,.0f}", f"{mean['evaluations']:,.0f}", *paper])
        header = [f"mean of {len(labels)} layers", "seconds", "samples", "evaluations", "paper: seconds", "samples", "evaluations"]
        return "Table VI: the paper's baselines", [(header, rows)], runs

    def figure6t(self):
        return self.beside_timeloop("Figure 6 with the paper's baselines: cycles", "baseline", "latency", "cycles", {HYBRID: "3.5", "CoSA": "5.2"})

    def figure7t(self):
        return self.beside_timeloop("Figure 7 with the paper's baselines: energy", "baseline", "energy", "energy_pj",
                                    {"CoSA, traffic alone": "1.22 over Hybrid"})

    def figure9t(self):
        return self.beside_timeloop("Figure 9a with the paper's baselines: cycles", "64 PEs", "latency", "cycles", {HYBRID: "4.0", "CoSA": "4.4"})

    def figure9bt(self):
        return self.beside_timeloop("Figure 9b with the paper's baselines: cycles", "large SRAM", "latency", "cycles",
                                    {HYBRID: "4.1", "CoSA": "5.7"})

    def weights(self):
        """What CoSA's weights and variants change: cycles and energy over those of `exact`, all layers."""
        def found(name, label):
            try:
                return self.schedule("baseline", f"CoSA, {name}", "latency", label)
            except RuntimeError:  # its tiles do not fit
                return None
        exact = {label: found("exact", label) for label in self.distinct}
        rows, results = [], {}
        for name in WEIGHTS:
            all_of = {label: found(name, label) for label in self.distinct}
            legal = [label for label in self.distinct if all_of[label]]
            ratio = {what: {label: all_of[label][what] / exact[label][what] for label in legal} for what in ("cycles", "energy_pj")}
            changed = sum(ratio["cycles"][label] != 1 or abs(ratio["energy_pj"][label] - 1) > 1e-9 for label in legal)
            results[name] = {"ratio": ratio, "changed": changed, "illegal": len(self.distinct) - len(legal)}
            spread = [f"{min(values):.2f} to {max(values):.2f}" for values in (ratio[what].values() for what in ratio)]
            rows.append([name, str(changed), f"{geomean(list(ratio['cycles'].values())):.3f}", spread[0],
                         f"{geomean(list(ratio['energy_pj'].values())):.3f}", spread[1], str(results[name]["illegal"] or "")])
        header = [f"of {len(self.distinct)} layers", "other schedules", "cycles", "range", "energy", "range", "do not fit"]
        return "CoSA's weights and variants, over exact", [(header, rows)], results

    def figure1(self):
        """Legal random schedules of a layer of ResNet-50: how their cycles are distributed, and how many draws do not fit."""
        label = "3_14_256_256_1"
        arguments = ["--arch", self.machines["baseline"], *layers.draw_arguments(label), "--legal", str(self.schedules)]
        draws = self.study.beside("figure1", "draw_mappings", arguments, lambda report: report)
        cycles = sorted(draws["cycles"])
        found = {"sampled": draws["sampled"], "dead_ends": draws["dead_ends"], "violations": draws["violations"], "legal": len(cycles),
                 "best": cycles[0], "median": statistics.median(cycles), "worst": cycles[-1], "different": len(set(cycles))}
        bounds = [int(cycles[0] * 2 ** (power / 2)) for power in range(1, 40)]
        rows, before = [], 0
        for low, high in zip([cycles[0], *bounds], bounds):
            count = sum(value < high for value in cycles) - before
            before += count
            share = 100.0 * count / len(cycles)
            rows.append([f"{low:,} to {high - 1:,}", f"{count:,}", f"{share:.1f} %", "#" * round(share)])
            if high > cycles[-1]:
                break
        invalid = 100.0 * (1 - len(cycles) / draws["sampled"])
        facts = [["legal schedules", f"{len(cycles):,}", "40K"], ["draws", f"{draws['sampled']:,}", ""],
                 ["do not fit the memories", f"{invalid:.1f} %", "half"],
                 ["worst over best", f"{cycles[-1] / cycles[0]:.1f}", "7.2"],
                 ["worst over best, without the slowest and fastest 1 %", f"{cycles[-1 - len(cycles) // 100] / cycles[len(cycles) // 100]:.1f}", ""],
                 ["different cycle counts", f"{found['different']:,}", "clusters"]]
        return (f"Figure 1: cycles of random schedules of {label}", [(["", "here", "paper"], facts), (["cycles", "schedules", "", ""], rows)],
                found)

    def figure6(self):
        title, tables, value = self.gain_figure("Figure 6: cycles, times better than Random (5)", "baseline", "latency", "cycles",
                                                {"ours": "Hybrid: 3.5", "CoSA": "5.2"})
        value["seeded"] = self.seeded("baseline", "latency", "cycles")
        seeded = ["seeds 1 to 20, one for all layers", "", "", f"{statistics.median(value['seeded']):.2f} "
                  f"({min(value['seeded']):.2f} to {max(value['seeded']):.2f})", "", ""]
        tables[0][1].append(seeded)
        return title, tables, value

    def table5(self):
        """Figures 6 and 7 on the machine of the paper's Table V."""
        title, tables, cycles = self.gain_figure("Figure 6 on the machine of Table V: cycles, times better than Random (5)", "Table V", "latency",
                                                 "cycles", {"ours": "Hybrid: 3.5", "CoSA": "5.2"})
        _, more, energy = self.gain_figure("Figure 7: energy, times better than Random (5)", "Table V", "energy", "energy_pj",
                                           {"CoSA": "22 % less than Hybrid"})
        return title, [tables[0], more[0], tables[1]], {"cycles": cycles, "energy": energy}

    def figure7(self):
        return self.gain_figure("Figure 7: energy, times better than Random (5)", "baseline", "energy", "energy_pj",
                                {"CoSA": "22 % less than Hybrid"})

    def figure9(self):
        rows, results = [], {}
        for machine, paper in [("64 PEs", {"ours": "Hybrid: 4.0", "CoSA": "4.4"}), ("large SRAM", {"ours": "Hybrid: 4.1", "CoSA": "5.7"})]:
            gains = self.gains(machine, "latency", "cycles")
            per_network, mean = self.by_network(gains)
            rows += [[f"{machine}, {row[0]}", *row[1:]] for row in per_network]
            rows.append([f"**{machine}, all layers, median**", *(f"{statistics.median(mean[mapper]):.2f}" for mapper in SEARCHES)])
            rows.append([f"{machine}, range", *(f"{min(mean[mapper]):.2f} to {max(mean[mapper]):.2f}" for mapper in SEARCHES)])
            proven = sum(self.schedule(machine, "optimal", "latency", label)["proven"] for label in self.distinct)
            rows.append([f"{machine}, layers proven", *[""] * (len(SEARCHES) - 1), f"{proven} of {len(self.distinct)}"])
            rows.append([f"**{machine}, paper**", *(paper.get(mapper, "") for mapper in SEARCHES)])
            results[machine] = {"gains": gains, "geomean": mean, "proven": proven}
        return "Figure 9: cycles on other machines, times better than Random (5)", [(["", *SEARCHES], rows)], results

    def table6(self):
        """Searches for latency on the baseline; processor time, the start of the program included."""
        paper = {"CoSA": ("4.2", "1", "1"), "Random (5)": ("4.6", "20 K", "5"), "ours": ("Hybrid: 379.9", "67 M", "16 K+")}
        rows, results = [], {}
        for mapper in ("Random (5)", *SEARCHES):
            found = [self.schedule("baseline", mapper, "latency", label) for label in self.distinct]
            seconds = [self.study.seconds(self.name_of("baseline", mapper, "latency", label)) for label in self.distinct]
            mean = {what: sum(one[what] for one in found) / len(found) for what in ("sampled", "evaluations")}
            results[mapper] = {**mean, "seconds": sum(seconds) / len(seconds), "most_seconds": max(seconds)}
            rows.append([mapper, f"{results[mapper]['seconds']:.3f}", f"{max(seconds):.3f}", f"{mean['sampled']:,.0f}",
                         f"{mean['evaluations']:,.0f}", *paper.get(mapper, ("", "", ""))])
        header = ["mean per layer", "seconds", "most", "samples", "evaluations", "paper: seconds", "samples", "evaluations"]
        return "Table VI: time to solution", [(header, rows)], results

    def objective(self, mapper, label, mapping):
        """CoSA's objective of a schedule: the program with every factor given."""
        given = self.study.input(f"figure8-{mapper.split()[0]}.yaml", mapping.replace("mapping:", "mapspace_constraints:", 1))
        arguments = ["map", "--arch", self.machines["baseline"], given, *layers.arguments(label), "--mapper", "cosa"]
        claim = self.study.point(self.name_of("figure8", mapper, "objective", label), arguments, schedule_of)["claim"]
        return [float(number) for number in CLAIM.search(claim).groups()]

    def mapping(self, machine, mapper, objective, label):
        """Its schedule, with the text of the mapping file."""
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["map", "--arch", self.machines[machine], *layers.arguments(label), *self.options(mapper), "--objective", objective]
            return self.study.point(self.name_of(machine, f"{mapper} mapping", objective, label), arguments,
                                    lambda report: {**schedule_of(report), "mapping": self.directives(machine, label, folder)},
                                    ["--output", folder])

    def options(self, mapper):
        return self.searches.arguments() if mapper == HYBRID else MAPPERS[mapper]

    def directives(self, machine, label, folder):
        """What was found, as Timeloop's files say it."""
        subprocess.run([self.study.program, "convert", "--arch", self.machines[machine], *layers.arguments(label),
                        pathlib.Path(folder) / "mapping.yaml", "--to", "timeloop", "-o", folder], check=True, capture_output=True)
        return next(pathlib.Path(folder).glob("*.mapping.yaml")).read_text()

    def figure8(self):
        label = "3_7_512_512_1"
        rows, results = [], {}
        for mapper in ("Random (5)", "ours", "CoSA", "optimal"):
            found = self.mapping("baseline", mapper, "latency", label)
            total, utilization, compute, traffic = self.objective(mapper, label, found["mapping"])
            results[mapper] = {"total": total, "utilization": utilization, "compute": compute, "traffic": traffic, "cycles": found["cycles"]}
        for mapper, found in results.items():
            rows.append([mapper, f"{-0.1 * found['utilization']:.2f}", f"{10 * found['compute']:.2f}", f"{found['traffic']:.2f}",
                         f"{found['total']:.2f}", f"{found['cycles']:,}", f"{found['cycles'] / results['CoSA']['cycles']:.2f}",
                         {"ours": "Hybrid: 7", "Random (5)": "7"}.get(mapper, "")])
        five = [one / results["CoSA"]["cycles"] for one in self.random("baseline", "cycles", label)]
        rows.append([f"Random (5), {REPEATS} repeats", *[""] * 5, f"{statistics.median(five):.2f} ({min(five):.2f} to {max(five):.2f})", ""])
        return (f"Figure 8: CoSA's objective of the schedules of {label}",
                [(["", "-0.1 * utilization", "10 * compute", "traffic", "sum", "cycles", "times CoSA's", "paper"], rows)], results)

    def fixed(self, figure, name, label, mapping):
        path = self.study.input(f"{figure}-{name}.yaml", mapping)
        return self.study.point(f"{figure}.{name}", ["evaluate", "--arch", self.machines["baseline"], path, *layers.arguments(label)],
                                schedule_of)

    @staticmethod
    def fixed_rows(found):
        slowest = max(one["cycles"] for one in found.values())
        return [[name, f"{one['cycles']:,}", f"{slowest / one['cycles']:.2f}", f"{one['energy_pj'] * 1e-6:.1f} uJ"]
                for name, one in sorted(found.items(), key=lambda entry: -entry[1]["cycles"])]

    def figure3(self):
        found = {name: self.fixed("figure3", name, FIGURE_3, mapping) for name, mapping in all_orders().items()}
        return (TITLE_3,
                [(["order", "cycles", "speedup", "energy"], self.fixed_rows(found))], found)

    def figure4(self):
        found = {name: self.fixed("figure4", name, FIGURE_4, mapping) for name, mapping in all_shares().items()}
        return (TITLE_4,
                [(["spatial", "cycles", "speedup", "energy"], self.fixed_rows(found))], found)

    def all(self):
        return {"VIT": self.effort, "6T": self.figure6t, "7T": self.figure7t, "9aT": self.figure9t, "9bT": self.figure9bt, "W": self.weights,
                "1": self.figure1, "VI": self.table6, "V": self.table5, "3": self.figure3, "4": self.figure4, "6": self.figure6, "7": self.figure7, "8": self.figure8,
                "9": self.figure9}
