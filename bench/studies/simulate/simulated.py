"""Figures 3, 4, 9a and 10 of the CoSA paper, in cycles that were simulated. Each returns its title, its tables (a header and
rows each) and a value that goes to results.json."""

import re
import statistics

import figures
import layers
from inputs import geomean
from machines import FIGURE_3, FIGURE_4, TITLE_3, TITLE_4, all_orders, all_shares, machines

FIVE = 5
# On CoSA's own routers and DRAM, and on ours. The paper's baselines are Timeloop's searches; of five random mappings the model takes one.
RANDOM = "Timeloop Random (5)"
BESIDE = {
    figures.HYBRID: None,  # its mapping is searched once, by the study of the model's cycles
    "ours": figures.MAPPERS["ours"],
    "CoSA": figures.MAPPERS["CoSA"],
    "CoSA, released": ["--mapper", "cosa", "--cosa-variant", "released-2021"],
    "optimal": figures.MAPPERS["optimal"],
}
NETWORKS = {"CoSA's": ["--mesh", "4x4", "--network", "cosa"], "ours": ["--mesh", "4x4", "--double-buffered"]}
# As in the study of the model's cycles (bench/studies/cosa).
MAPPERS = {
    "ours": ["--mapper", "hybrid", "--evaluations", "16000", "--victory", "0"],
    "CoSA": ["--mapper", "cosa"],
    "optimal": ["--mapper", "optimal", "--time-limit", "5"],
}
REFINED = "optimal, refined"
# The mesh, with room for two tiles in half of every capacity; 64 elements have links twice as wide.
OPTIONS = {
    "baseline": ["--mesh", "4x4", "--double-buffered"],
    "Table V": ["--mesh", "4x4", "--double-buffered"],
    "64 PEs": ["--mesh", "8x8", "--double-buffered", "--flit-bits", "128"],
}


def is_fully_connected(label):
    return label.startswith("1_1_")


def simulated(report):
    layer, = report["layers"]
    if "failure" in layer:
        raise RuntimeError(f"{layer['names'][0]}: {layer['failure']}")
    return {"model_cycles": layer["model_cycles"], "cycles": layer["cycles"], "underestimated": layer["underestimated"]}


def simulated_or_not(report):
    layer, = report["layers"]
    return {"failure": layer["failure"]} if "failure" in layer else simulated(report)


def refined(report):
    layer, = report["layers"]
    found = layer["refinement"]
    choice = found["candidates"][found["choice"]]
    return {"model_cycles": choice["cycles"], "cycles": choice["simulated_cycles"], "candidates": len(found["candidates"])}


class Figures:
    def __init__(self, study, zoo, only, seeds, searching=True):
        """`only`: these layers, or None; `seeds`: how often five random mappings are drawn; `searching`: Timeloop's hybrid search is
        run where its mapping is not there yet."""
        self.study = study
        self.searching = searching
        self.modelled = figures.Figures(study, zoo, only)
        self.seeds = seeds
        self.machines = {name: study.input(f"{name.replace(' ', '_')}.yaml", text) for name, text in machines(zoo).items()}
        self.networks = {network: [label for label in labels.split() if only is None or label in only]
                         for network, labels in layers.NETWORKS.items()}
        self.distinct = [label for label in layers.distinct() if only is None or label in only]

    def simulate(self, name, machine, label, given):
        arguments = ["simulate", "--arch", self.machines[machine], *given, *layers.arguments(label), *OPTIONS[machine]]
        return self.study.point(re.sub(r"[^\w.-]+", "-", f"{machine}.{name}.{label}"), arguments, simulated)

    def fixed(self, figure, name, label, mapping):
        return self.simulate(f"{figure}-{name}", "baseline", label, [self.study.input(f"{figure}-{name}.yaml", mapping)])

    @staticmethod
    def fixed_rows(found):
        slowest = max(one["cycles"] for one in found.values())
        return [[name, f"{one['model_cycles']:,}", f"{one['cycles']:,}", f"{slowest / one['cycles']:.2f}", one["underestimated"] or ""]
                for name, one in sorted(found.items(), key=lambda entry: -entry[1]["cycles"])]

    def figure3(self):
        found = {name: self.fixed("figure3", name, FIGURE_3, mapping) for name, mapping in all_orders().items()}
        return (TITLE_3,
                [(["order", "model", "simulated", "speedup", "underestimated"], self.fixed_rows(found))], found)

    def figure4(self):
        found = {name: self.fixed("figure4", name, FIGURE_4, mapping) for name, mapping in all_shares().items()}
        return (TITLE_4,
                [(["spatial", "model", "simulated", "speedup", "underestimated"], self.fixed_rows(found))], found)

    def random(self, machine, label, seed):
        """Five random mappings: the one that the model takes, and the one that the simulator takes."""
        drawn = [self.simulate(f"random-{seed}-{one}", machine, label,
                               ["--mapper", "random", "--evaluations", "1", "--victory", "0", "--no-cache", "--objective", "latency",
                                "--seed", str((seed - 1) * FIVE + one + 1)]) for one in range(FIVE)]
        return {"by the model": min(drawn, key=lambda one: one["model_cycles"])["cycles"],
                "by the simulator": min(one["cycles"] for one in drawn)}

    def searched(self, machine, label):
        """Simulated cycles by mapper."""
        found = {mapper: self.simulate(mapper, machine, label, [*options, "--no-cache", "--objective", "latency"])["cycles"]
                 for mapper, options in MAPPERS.items()}
        arguments = ["map", "--arch", self.machines[machine], *layers.arguments(label), *MAPPERS["optimal"], "--objective", "latency",
                     "--refine", "simulate", *OPTIONS[machine]]
        name = re.sub(r"[^\w.-]+", "-", f"{machine}.refined.{label}")
        found[REFINED] = self.study.point(name, arguments, refined)["cycles"]
        return found

    def gain_figure(self, title, machine, paper):
        """Times better than the random mapping that the model takes, in simulated cycles: medians over the seeds of means over
        layers."""
        columns = ["Random (5), by the simulator", *MAPPERS, REFINED]
        draws = {label: [self.random(machine, label, seed) for seed in range(1, self.seeds + 1)] for label in self.distinct}
        found = {label: self.searched(machine, label) for label in self.distinct}

        def gains(column, label):
            if column == columns[0]:
                return [draw["by the model"] / draw["by the simulator"] for draw in draws[label]]
            return [draw["by the model"] / found[label][column] for draw in draws[label]]

        def row(name, labels):
            means = {column: [geomean([gains(column, label)[seed] for label in labels]) for seed in range(self.seeds)] for column in columns}
            return [name, *(f"{statistics.median(means[column]):.2f} ({min(means[column]):.2f} to {max(means[column]):.2f})" for column in columns)]

        rows = [row(network, labels) for network, labels in self.networks.items() if labels]
        everything = [label for labels in self.networks.values() for label in labels]
        rows.append(row("**all layers**", everything))
        for name, wanted in (("convolutions", False), ("fully connected", True)):
            labels = [label for label in everything if is_fully_connected(label) == wanted]
            if labels:
                rows.append(row(name, labels))
        rows.append(["**paper**", *(paper.get(column, "") for column in columns)])
        below = [label for label in self.distinct if statistics.median(gains("ours", label)) < 1.0]
        rows.append([f"layers where ours is below Random: {len(below)} of {len(self.distinct)}", *[""] * len(columns)])
        by_layer = [[label, *(f"{statistics.median(gains(column, label)):.2f}" for column in columns)] for label in self.distinct]
        return (title, [(["times better than Random (5), by the model", *columns], rows), (["layer", *columns], by_layer)],
                {"random": draws, "found": found, "below": below})

    def beside(self, network, mapper, label, seed=None):
        """A mapping on CoSA's network or ours: the model's and the simulated cycles; None where there is none, or it cannot be run."""
        given = figures.MAPPERS[RANDOM] + ["--seed", str(seed)] if mapper == RANDOM else BESIDE[mapper]
        if mapper == figures.HYBRID:
            name = self.modelled.name_of("baseline", f"{mapper} mapping", "latency", label)
            there = self.searching or (self.study.folder / "points" / f"{name}.json").exists()
            found = self.modelled.mapping("baseline", mapper, "latency", label) if there else {}
            if "mapping" not in found:
                return None
            given = [self.study.input(f"hybrid-{label.replace('/', '-')}.yaml", found["mapping"])]
        else:
            given = [*given, "--no-cache", "--objective", "latency"]
        arguments = ["simulate", "--arch", self.machines["baseline"], *given, *layers.arguments(label), *NETWORKS[network]]
        name = re.sub(r"[^\w.-]+", "-", f"beside.{network}.{mapper}{'' if seed is None else f'-{seed}'}.{label}")
        try:
            found = self.study.point(name, arguments, simulated_or_not)
        except RuntimeError:  # no schedule: one of the released ones does not fit
            return None
        return None if "failure" in found else found

    def beside_figure(self, title, network):
        """As the paper's Figure 10: cycles of Timeloop's random mapping over those of others."""
        draws = {label: [self.beside(network, RANDOM, label, seed) for seed in range(1, self.seeds + 1)] for label in self.distinct}
        found = {mapper: {label: self.beside(network, mapper, label) for label in self.distinct} for mapper in BESIDE}

        def ratios(what, mapper, over, labels):
            return [over[label][what] / found[mapper][label][what] for label in labels if over[label] and found[mapper][label]]

        def cell(values):
            return f"{geomean(values):.2f} ({len(values)})" if values else ""

        def gains(what, mapper, labels):
            means = [ratios(what, mapper, {label: draws[label][seed] for label in labels}, labels) for seed in range(self.seeds)]
            means = [geomean(values) for values in means if values]
            return f"{statistics.median(means):.2f} ({min(means):.2f} to {max(means):.2f})" if means else ""

        convolutions = [label for label in self.distinct if not is_fully_connected(label)]
        connected = [label for label in self.distinct if is_fully_connected(label)]
        rows = []
        for words, labels in (("all layers", self.distinct), ("convolutions", convolutions), ("fully connected", connected)):
            rows.append([f"Random over it, simulated: {words}", *(gains("cycles", mapper, labels) for mapper in BESIDE)])
        rows.append(["**paper**", "1.3", "", "3.3", "", ""])
        rows.append(["Random over it, in the model", *(gains("model_cycles", mapper, self.distinct) for mapper in BESIDE)])
        for what, words in (("cycles", "simulated"), ("model_cycles", "in the model")):
            rows.append([f"Hybrid over it, {words} (layers)", *(cell(ratios(what, mapper, found[figures.HYBRID], self.distinct)) for mapper in BESIDE)])
        rows.append(["**paper: Hybrid over it, simulated; in the model**", "1", "", "2.5; 1.5", "", ""])
        rows.append(["layers without a run", *(str(sum(found[mapper][label] is None for label in self.distinct)) for mapper in BESIDE)])
        by_layer = [[label, *(f"{found[mapper][label]['cycles']:,}" if found[mapper][label] else "" for mapper in BESIDE),
                     " ".join(f"{draw['cycles']:,}" if draw else "-" for draw in draws[label])] for label in self.distinct]
        return (title, [([f"{len(self.distinct)} layers, {self.seeds} seeds", *BESIDE], rows), (["cycles", *BESIDE, RANDOM], by_layer)],
                {"random": draws, "found": found})

    def cosas_network(self):
        return self.beside_figure("Figure 10 on CoSA's own routers and DRAM", "CoSA's")

    def our_network(self):
        return self.beside_figure("Figure 10 on our routers, DRAM as fast as the machine says", "ours")

    def figure10(self):
        return self.gain_figure("Figure 10: simulated cycles on the released machine", "baseline", {"ours": "Hybrid: 1.3", "CoSA": "3.3"})

    def table5(self):
        return self.gain_figure("Figure 10 on the machine of Table V", "Table V", {"ours": "Hybrid: 1.3", "CoSA": "3.3"})

    def figure9a(self):
        return self.gain_figure("Figure 9a: 64 processing elements, links and DRAM twice as wide; simulated", "64 PEs", {})

    def all(self):
        return {"C": self.cosas_network, "T": self.our_network, "3": self.figure3, "4": self.figure4, "10": self.figure10, "V": self.table5, "9a": self.figure9a}
