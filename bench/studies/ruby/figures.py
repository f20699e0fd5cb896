"""The figures of the Ruby paper: what to run, and what to say about it. Each returns its title, its tables (a header and
rows each) and a value that goes to results.json."""

import statistics

import curves
import gemms
import machines
from inputs import geomean
from points import edp, layers_of, network

ARRAYS = [(7, 2), (7, 4), (8, 6), (10, 8), (12, 10), (14, 12), (16, 14), (16, 16)]
RULES = ["perfect", "ruby", "ruby-s", "ruby-t"]
CONVOLUTION = "Outputs[N,K,P,Q] += Weights[K,C,R,S] * Inputs[N,C,P+R,Q+S]"


def name_of(part):
    return part.replace(",", "").replace(" ", "-")


def share(new, old):
    """-14.0 %"""
    return f"{100.0 * (new / old - 1.0):+.1f} %"


def median_and_range(ratios):
    """-14.0 % (-16.1 to -12.2 %)"""
    percent = sorted(100.0 * (ratio - 1.0) for ratio in ratios)
    return f"{statistics.median(percent):+.1f} % ({percent[0]:+.1f} to {percent[-1]:+.1f} %)"


def proof(layer):
    """What the report of the run says of the answer's energy-delay product."""
    if layer["proven"]:
        return "proven"
    if layer["lower_bound"] is None:
        return "not proven, no bound"
    return f"not proven, {share(edp(layer), layer['lower_bound'])} above the bound"


class Figures:
    def __init__(self, study, zoo, effort):
        self.study = study
        self.zoo = zoo
        self.effort = effort

    def search(self, name, machine, rule, extra, mapper, objective="edp"):
        arguments = ["map", "--arch", self.study.input(f"{name}.yaml", machine), *extra, "--factors", rule, "--objective", objective,
                     "--mapper", *mapper]
        return self.study.point(f"{name}.{rule}.{'.'.join(mapper).replace('--', '')}.{objective}", arguments, layers_of)

    def optimal(self, name, machine, rule, extra, objective="edp", limit=0):
        """The best mapping of each layer, proven; `limit`: seconds for all layers, after which the report has a bound. Where that is
        reached for the energy-delay product, an annealed search looks for better mappings, and the better one counts (with the bound)."""
        found = self.search(name, machine, rule, extra, ["optimal", *(["--time-limit", str(limit)] if limit else [])], objective)
        if objective != "edp" or all(layer["proven"] for layer in found):
            return found
        annealed = self.search(name, machine, rule, extra,
                               ["hybrid", "--evaluations", str(self.effort["annealed"]), "--victory", "0"], objective)
        return [one if one["proven"] or edp(one) <= edp(other) else
                {**other, "proven": False, "lower_bound": one["lower_bound"], "stopped_by": one["stopped_by"]}
                for one, other in zip(found, annealed)]

    def random(self, name, machine, extra, streams):
        """The paper's own search: random mappings until 3000 legal ones in a row are not better. Its 24 threads are streams here, of a
        seed each, which stop by themselves. By stream, both rules."""
        return [{rule: self.search(name, machine, rule, extra, ["random", "--victory", str(self.effort["victory"]), "--seed", str(stream)])
                 for rule in ("perfect", "ruby-s")} for stream in range(1, streams + 1)]

    def table1(self):
        """One dimension on two memories with nine elements between: mappings whose tiles fit. (The paper's rows without limits of fan-out
        and memory are counted by src/mapspace/ruby_table_test.cpp.)"""
        machine = self.study.input("table1.yaml", machines.toy(9))
        keep = self.study.input("table1_keep.yaml", machines.KEEP_INPUTS)
        paper = {"perfect": [3, 22, 24, 52, 43], "ruby-s": [7, 50, 61, 117, 83]}
        def count(rule, extent):
            arguments = ["map", "--arch", machine, keep, "--einsum", "O[d] = A[d]", "--extents", f"d={extent}", "--factors", rule,
                         "--mapper", "exhaustive"]
            return self.study.point(f"table1.{rule}.{extent}", arguments, lambda report: report["layers"][0]["search"]["valid"])
        found = {rule: [count(rule, extent) for extent in (3, 64, 100, 1000, 4096)] for rule in ("perfect", "ruby-s", "ruby-t", "ruby")}
        rows = [[rule, *counts, ", ".join(map(str, paper.get(rule, [])))] for rule, counts in found.items()]
        return "Table I: mappings, 9 elements of 1024 words", [(["rule", "3", "64", "100", "1000", "4096", "paper"], rows)], found

    def row_stationary(self):
        """A column holds all rows of the filter, as the exercises that the paper takes its machine from ask for."""
        return self.study.input("row_stationary.yaml", "mapspace_constraints:\n- {target: PE, type: spatial, factors: [S=0]}\n")

    def figure7(self):
        """Best EDP so far over random mappings, mean of the runs; the mappings of a run are those of its streams, dealt in turn."""
        product = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=100,n=100,k=100"]
        filters = ["--einsum", CONVOLUTION, "--extents", "N=1,K=64,C=64,P=28,Q=28,R=3,S=3"]
        parts = {"a": ("100 x 100 products", 5, product, ""), "b": ("100 x 100 products", 16, product, ""),
                 "c": ("3x3x64 on 28x28x64", 8, filters, machines.CHANNELS_ONLY),
                 "d": ("3x3x64 on 28x28x64", 15, filters, machines.CHANNELS_ONLY),
                 "b, one dimension in parallel": ("100 x 100 products", 16, product, machines.ONE_DIMENSION),
                 "a, twenty times as many": ("100 x 100 products", 5, product, "")}
        rows, points, results = [], [], {}
        for part, (what, units, einsum, constraints) in parts.items():
            machine = self.study.input(f"figure7{name_of(part)}.yaml", machines.toy(units, constraints))
            times = 20 if "twenty" in part else 1
            found = {rule: self.curve(f"figure7{name_of(part)}.{rule}", machine, rule, einsum, times) for rule in RULES}
            last = {rule: found[rule]["curve"][-1][1] for rule in RULES}
            title = f"({part}) {what}, {units} PEs"
            rows.append([title, *(f"{last[rule]:.4g} ({found[rule]['best']:.4g})" for rule in RULES), min(RULES, key=last.get)])
            if times == 1:
                points += [[title if rule == RULES[0] else "", rule, *(f"{dict(found[rule]['curve'])[at] / last['perfect']:.3f}"
                                                                       for at in curves.shown(found[rule]["curve"]))] for rule in RULES]
            results[part] = found
        shown = curves.shown(results["a"]["perfect"]["curve"])
        (self.study.folder / "figure7.svg").write_text(curves.picture(
            {f"({part}) {what}, {units} elements": {rule: results[part][rule]["curve"] for rule in RULES}
             for part, (what, units, *_) in parts.items() if len(part) == 1}))
        runs = f"{self.effort['runs']} runs of {self.effort['threads']} streams"
        return (f"Figure 7: best of random mappings, {runs} (figure7.svg)",
                [(["mean EDP of all runs in pJ cycles (of the best run)", *RULES, "least"], rows),
                 (["over perfect's at the end, after so many mappings", "", *(f"{at:,}" for at in shown)], points)], results)

    def curve(self, name, machine, rule, einsum, times):
        """Mean over the runs of the best so far, and the best of all runs; with `times` as many mappings a tenth of the runs."""
        streams, runs = self.effort["threads"], self.effort["runs"] if times == 1 else max(1, self.effort["runs"] // 10)
        each = -(-times * self.effort["toy"] // streams)
        return self.study.point(name, ["compare", "--arch", machine, *einsum, "--mappers", "random", "--factors", rule, "--runs",
                                       str(runs * streams), "--evaluations", str(each)],
                                lambda json: curves.mean(json["layers"][0]["contestants"][0]["runs"], streams, each))

    def figure8(self):
        """One dimension over 16 processing elements; every mapping is visited."""
        machine = self.study.input("figure8.yaml", machines.toy(16))
        rows, results = [], []
        for extent in self.effort["extents"]:
            padded = -(-extent // 16) * 16
            found = {}
            for name, rule, size in [("perfect", "perfect", extent), ("padded", "perfect", padded), ("ruby-s", "ruby-s", extent)]:
                layer, = self.study.point(f"figure8.{extent}.{name}", ["map", "--arch", machine, "--einsum", "O[d] = A[d]",
                                                                     "--extents", f"d={size}", "--factors", rule, "--mapper",
                                                                     "exhaustive"], layers_of)
                found[name] = edp(layer)
            results.append({"extent": extent, **found})
            if extent in (96, 100, 113, 127, 128, 200, 250) or extent == self.effort["extents"][-1]:
                rows.append([extent, f"{found['perfect'] / found['ruby-s']:.2f}", f"{found['padded'] / found['ruby-s']:.3f}"])
        for name in ("perfect", "padded"):
            worst = max(results, key=lambda result: result[name] / result["ruby-s"])
            rows.append([f"worst of {name}: {worst['extent']}", f"{worst['perfect'] / worst['ruby-s']:.2f}",
                         f"{worst['padded'] / worst['ruby-s']:.3f}"])
        return ("Figure 8: EDP over Ruby-S's, exhaustive", [(["extent", "perfect", "padded"], rows)], results)

    def figure9(self):
        """AlexNet's second layer (one of its two groups) on 14 x 12. By hand: Eyeriss's passes as published, every loop given; the same
        array with the best loops elsewhere; and mappings found. In the last row a column need not hold whole filters."""
        machine = machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224)
        layer = ["--einsum", CONVOLUTION, "--extents", "N=1,K=96,C=48,P=27,Q=27,R=5,S=5"]
        strip = self.study.input("strip_mining.yaml", machines.STRIPS)
        whole = self.row_stationary()
        found = {"passes by hand": self.passes(machine, layer)}
        for name, rule, extra in [("perfect", "perfect", [whole]), ("strip mining, the rest optimal", "ruby-s", [strip]),
                                  ("ruby-s", "ruby-s", [whole]), ("ruby-s, free rows", "ruby-s", [])]:
            found[name], = self.optimal("figure9." + name.replace(",", "").replace(" ", "-"), machine, rule, layer + extra)
        paper = {"perfect": "71 %", "passes by hand": "85 %", "ruby-s": "85 %, EDP -16 %, energy -10 %"}
        rows = [[name, f"{100 * result['utilization']:.1f} %", share(edp(result), edp(found["passes by hand"])),
                 share(result["energy_pj"], found["passes by hand"]["energy_pj"]), f"{result['energy_pj'] * 1e-6:.1f} uJ",
                 f"{result['cycles']:,}", f"{result['memories']['shared_glb']['accesses']:,}",
                 f"{result['memories']['shared_glb']['energy_pj'] * 1e-6:.1f} uJ",
                 "given" if result["proven"] is None else proof(result), paper.get(name, "")] for name, result in found.items()]
        tables = [(["mapping", "utilisation", "EDP over by hand", "energy over by hand", "energy", "cycles", "accesses of the buffer",
                    "their energy", "", "paper"], rows)]
        searched = self.random("figure9", machine, [*layer, whole], self.effort["streams"])
        if searched:
            tables.append(self.random_table(searched, {rule: [found[rule]] for rule in ("perfect", "ruby-s")}))
        return ("Figure 9: AlexNet layer 2", tables, {**found, "random": searched})

    def passes(self, machine, layer):
        """Eyeriss's published passes, evaluated as they are: two strips of the row of 27 outputs lie above each other in the array, so
        its rows have to take output columns, which the zoo's constraints leave out."""
        free = self.study.input("figure9-strips.yaml", machines.rows_take_outputs(machine))
        mapping = self.study.input("figure9-passes.yaml", machines.PASSES)
        return self.study.point("figure9.passes", ["evaluate", "--arch", free, mapping, *layer],
                                lambda report: {**layers_of(report)[0], "proven": None})

    def network_figure(self, title, name, machine, net, paper, limit=0, streams=0):
        """Layer by layer with proven mappings, and the network as the paper's random search has it."""
        found = {rule: self.optimal(name, machine, rule, net, "edp", limit) for rule in ("perfect", "ruby-s")}
        rows, gains = [], []
        for old, new in zip(found["perfect"], found["ruby-s"]):
            gains.append(edp(new) / edp(old))
            rows.append([old["name"], old["repeats"], share(edp(new), edp(old)), share(new["energy_pj"], old["energy_pj"]),
                         share(new["cycles"], old["cycles"]), f"{100 * old['utilization']:.0f} %", f"{100 * new['utilization']:.0f} %",
                         proof(old), proof(new)])
        old, new = network(found["perfect"]), network(found["ruby-s"])
        proven = {rule: f"{sum(layer['proven'] for layer in layers)} of {len(layers)} proven" for rule, layers in found.items()}
        rows += [["**network**", sum(layer["repeats"] for layer in found["perfect"]), share(edp(new), edp(old)),
                  share(new["energy_pj"], old["energy_pj"]), share(new["cycles"], old["cycles"]), "", "", proven["perfect"],
                  proven["ruby-s"]],
                 ["**geometric mean of shapes**", len(gains), share(geomean(gains), 1.0), *[""] * 6],
                 ["**best, worst shape**", "", f"{share(min(gains), 1.0)}, {share(max(gains), 1.0)}", *[""] * 6],
                 ["**at most possible, mean of shapes**", "", self.possible(found), *[""] * 6],
                 ["**paper**", "", *paper, *[""] * 4]]
        header = ["layer", "times", "EDP", "energy", "cycles", "used by perfect", "by ruby-s", "perfect", "ruby-s"]
        searched = self.random(name, machine, net, streams)
        tables = [(header, rows)] + ([self.random_table(searched, found)] if searched else [])
        return title, tables, {**found, "random": searched}

    @staticmethod
    def possible(found):
        """The mean if every layer with remainders that is not proven came down to its bound."""
        bounds = [edp(new) if new["proven"] else new["lower_bound"] for new in found["ruby-s"]]
        if None in bounds or not all(layer["proven"] for layer in found["perfect"]):
            return "unknown: a layer has no bound"
        return share(geomean([bound / edp(old) for bound, old in zip(bounds, found["perfect"])]), 1.0)

    @staticmethod
    def random_table(searched, found):
        """Of the paper's search: what Ruby-S gains and how far each rule's answer is from the proven one, by single streams and by the
        best of all of them, layer by layer, as the paper's threads have it."""
        together = best_of(searched)
        rows = []
        def row(what, value, form=lambda one: share(one, 1.0), of_all=median_and_range):
            rows.append([what, of_all([value(one) for one in searched]), form(value(together))])
        def shapes_worse(one):
            return sum(edp(new) > edp(old) for old, new in zip(one["perfect"], one["ruby-s"]))
        def gain(of):
            return lambda one: of(network(one["ruby-s"])) / of(network(one["perfect"]))
        row("network, EDP", gain(edp))
        row("network, energy", gain(lambda one: one["energy_pj"]))
        row("network, cycles", gain(lambda one: one["cycles"]))
        row("geometric mean of shapes, EDP", lambda one: geomean([edp(new) / edp(old) for old, new in zip(one["perfect"], one["ruby-s"])]))
        row("shapes that come out worse", shapes_worse, lambda one: f"{one} of {len(found['perfect'])}",
            lambda all_: f"{statistics.median(all_):g} ({min(all_)} to {max(all_)})")
        for rule in ("perfect", "ruby-s"):
            row(f"{rule}, mean of shapes above `optimal`'s", lambda one, rule=rule: geomean(
                [edp(new) / edp(best) for best, new in zip(found[rule], one[rule])]))
        return ["random, victory 3000: Ruby-S over perfect", f"one of {len(searched)} streams: median (range)", "best of the streams"], rows

    def figure10(self):
        return self.network_figure("Figure 10: ResNet-50 on Eyeriss, Ruby-S over perfect", "figure10",
                                   machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224), ["--net", "resnet50", self.row_stationary()],
                                   ["-14 %, best -50 %", "+2 %", "-17 %"], streams=self.effort["streams"])

    def figure11(self):
        return self.network_figure("Figure 11: DeepBench's convolutions on Eyeriss, Ruby-S over perfect", "figure11",
                                   machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224), self.deepbench(),
                                   ["-10 % on average, best -33 % (text) or -45 % (abstract)", "", ""], streams=self.effort["streams"])

    def deepbench(self):
        return ["--net", "deepbench", *(["--layers", self.effort["deepbench"]] if self.effort["deepbench"] else [])]

    def latency11(self):
        """Searched for latency; the paper's 14 % less."""
        machine = machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224)
        found = {rule: self.optimal("figure11", machine, rule, self.deepbench(), "latency") for rule in ("perfect", "ruby-s")}
        gains = [new["cycles"] / old["cycles"] for old, new in zip(found["perfect"], found["ruby-s"])]
        old, new = network(found["perfect"]), network(found["ruby-s"])
        proven = ", ".join(f"{rule} {sum(layer['proven'] for layer in layers)} of {len(layers)}" for rule, layers in found.items())
        rows = [["geometric mean of layers", share(geomean(gains), 1.0)], ["arithmetic mean of layers", share(statistics.mean(gains), 1.0)],
                ["all layers, one after another", share(new["cycles"], old["cycles"])],
                ["best, worst layer", f"{share(min(gains), 1.0)}, {share(max(gains), 1.0)}"], ["proven", proven], ["paper", "-14 %"]]
        return "Figure 11, for latency: DeepBench's convolutions on Eyeriss", [(["", "cycles, Ruby-S over perfect"], rows)], found

    def dense11(self):
        """The matrix products of DeepBench, as dense layers on the same machine."""
        machine = machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224)
        shapes = gemms.gemms()
        if self.effort["gemms"]:
            shapes = dict(list(shapes.items())[:self.effort["gemms"]])
        found, rows = {}, []
        for name, extents in shapes.items():
            layer = ["--einsum", CONVOLUTION, "--extents", extents]
            found[name] = {rule: self.optimal(f"gemm-{name}", machine, rule, layer)[0] for rule in ("perfect", "ruby-s")}
            old, new = found[name]["perfect"], found[name]["ruby-s"]
            rows.append([name, share(edp(new), edp(old)), share(new["energy_pj"], old["energy_pj"]), share(new["cycles"], old["cycles"]),
                         f"{100 * old['utilization']:.0f} %", f"{100 * new['utilization']:.0f} %", proof(old), proof(new)])
        for what, of in [("EDP", edp), ("cycles", lambda one: one["cycles"])]:
            gains = [of(one["ruby-s"]) / of(one["perfect"]) for one in found.values()]
            rows.append([f"**{what}: geometric mean, best, worst of {len(gains)}**", share(geomean(gains), 1.0), share(min(gains), 1.0),
                         share(max(gains), 1.0), *[""] * 4])
        header = ["outputs_batch_inputs", "EDP", "energy", "cycles", "used by perfect", "by ruby-s", "perfect", "ruby-s"]
        return "Figure 11, dense layers: DeepBench's matrix products on Eyeriss", [(header, rows)], found

    def figure12(self, elements, lanes, paper):
        return self.network_figure(f"Figure 12: ResNet-50 on Simba with {elements} elements of {lanes} x {lanes}, Ruby-S over perfect",
                                   f"figure12-{elements}", machines.simba(self.zoo["simba"], elements, lanes),
                                   ["--net", "resnet50", *(["--layers", self.effort["simba"]] if self.effort["simba"] else [])],
                                   [paper, "", ""], self.effort["limit"], self.effort["streams"])

    def figure13(self, part, net, paper):
        """Area and EDP of every array; who is on the front, and what the front gains."""
        rules = ["perfect", "padded", "ruby-s"]
        points, searched, together, proven = [], {}, {}, {rule: [0, 0] for rule in rules}
        for columns, rows_ in self.effort["arrays"]:
            machine = machines.eyeriss(self.zoo["eyeriss"], columns, rows_, weights=224)
            name, array = f"figure13{part}-{columns}x{rows_}", f"{columns} x {rows_}"
            for rule in rules:
                layers = self.optimal(name, machine, rule, net)
                proven[rule][0] += sum(layer["proven"] for layer in layers)
                proven[rule][1] += len(layers)
                points.append({"array": array, "rule": rule, "area_um2": layers[0]["area_um2"], "edp": edp(network(layers))})
            streams = self.random(name, machine, net, self.effort["streams"])
            searched[array] = [edp(network(one["ruby-s"])) / edp(network(one["perfect"])) for one in streams]
            if streams:
                best = best_of(streams)
                together[array] = edp(network(best["ruby-s"])) / edp(network(best["perfect"]))
        rows = []
        for array in searched:
            here = {point["rule"]: point for point in points if point["array"] == array}
            rows.append([array, f"{here['perfect']['area_um2'] * 1e-6:.2f} mm2", *(f"{here[rule]['edp'] * 1e-12:.4g}" for rule in rules),
                         share(here["ruby-s"]["edp"], here["perfect"]["edp"]), share(here["ruby-s"]["edp"], here["padded"]["edp"]),
                         ", ".join(rule for rule in rules if on_front(here[rule], points)) or "-", median_and_range(searched[array]) if searched[array] else "",
                         share(together[array], 1.0) if searched[array] else ""])
        rows.append(["**proven layers**", "", *(f"{count} of {all_}" for count, all_ in proven.values()), "", "", "", "", ""])
        means = {"mean of all arrays": share(geomean(together.values()), 1.0) if together else ""}
        rows += [[f"**{what}**", "", "", "", "", over_perfect, over_padded, "", random, means.get(what, "")]
                 for what, over_perfect, over_padded, random in front_means(points, searched)]
        rows.append(["**paper**", "", "", "", "", paper, "", "ruby-s", "", ""])
        header = ["array", "area", *(f"EDP {rule} (J*cycles)" for rule in rules), "ruby-s over perfect", "over padded", "on the front",
                  "random search, ruby-s over perfect", "best of the streams"]
        return (f"Figures 13{part} and 14{part}: arrays from {next(iter(searched))} up, {net[1]}", [(header, rows)],
                {"points": points, "random": searched, "together": together})

    def all(self):
        return {
            "8": self.figure8, "9": self.figure9, "10": self.figure10,
            "12": lambda: self.figure12(15, 4, "-10 %, best -25 %"), "12b": lambda: self.figure12(9, 3, "-45 %"),
            "11": self.figure11, "11l": self.latency11, "11d": self.dense11,
            "13": lambda: self.figure13("a", ["--net", "resnet50"], "-24 %, best -60 %, front -50 to -55 %"),
            "13b": lambda: self.figure13("b", ["--net", "deepbench", "--layers", DEEPBENCH_SELECTION], "up to -55 %, front -20 %"),
            "7": self.figure7, "I": self.table1,
        }


def best_of(streams):
    """Of the paper's threads together: for each layer the best that any stream found, by rule."""
    return {rule: [min(same, key=edp) for same in zip(*(one[rule] for one in streams))] for rule in ("perfect", "ruby-s")}


def on_front(point, points):
    return not any(other["area_um2"] <= point["area_um2"] and other["edp"] < point["edp"] for other in points)


def front_means(points, searched):
    """Geometric means over all arrays, and over those where Ruby-S is on the front; and what the front of Ruby-S is below the best
    that the other rules have with no more area. Rows of: what, over perfect, over padded, random search."""
    by = {(point["array"], point["rule"]): point for point in points}
    front = [array for array in searched if on_front(by[array, "ruby-s"], points)]
    rows = []
    for what, arrays in [("mean of all arrays", list(searched)), (f"mean of the front ({len(front)})", front)]:
        over = [share(geomean([by[array, "ruby-s"]["edp"] / by[array, rule]["edp"] for array in arrays]), 1.0)
                for rule in ("perfect", "padded")]
        seeds = [geomean(ratios) for ratios in zip(*(searched[array] for array in arrays))]
        rows.append((what, *over, median_and_range(seeds) if seeds else ""))
    best = [min(by[array, "ruby-s"]["edp"] / by[array, "perfect"]["edp"] for array in searched),
            min(by[array, "ruby-s"]["edp"] / by[array, "padded"]["edp"] for array in searched)]
    rows.append(("best array", *(share(gain, 1.0) for gain in best), ""))
    fronts = []
    for rules in (["perfect"], ["perfect", "padded"]):
        others = [point for point in points if point["rule"] in rules]
        fronts.append(share(geomean([by[array, "ruby-s"]["edp"] / min(other["edp"] for other in others
                                                                      if other["area_um2"] <= by[array, "ruby-s"]["area_um2"])
                                     for array in front]), 1.0))
    rows.append(("front below the other's front at no more area (of perfect; of both)", *fronts, ""))
    return rows


# One layer of each kind: speech, characters, faces, images, keywords, speakers.
DEEPBENCH_SELECTION = "04_*,09_*,13_*,29_*,42_*,47_*,64_*,66_*"
