"""The figures of the Ruby paper: what to run, and what to say about it. Each returns its title, its tables (a header and
rows each) and a value that goes to results.json."""

import machines
from inputs import geomean
from points import edp, layers_of, network

ARRAYS = [(7, 2), (7, 4), (8, 6), (10, 8), (12, 10), (14, 12), (16, 14), (16, 16)]


def share(new, old):
    """-14.0 %"""
    return f"{100.0 * (new / old - 1.0):+.1f} %"


class Figures:
    def __init__(self, study, zoo, effort):
        self.study = study
        self.zoo = zoo
        self.effort = effort

    def map(self, name, machine, rule, extra, evaluations, objective="edp"):
        # With remainders, `hybrid` spends the first half as it would without any: so both get the same search of those.
        # The padded forms of a layer share as many evaluations as Ruby-S has.
        evaluations *= 1 if rule == "perfect" else 2
        arguments = ["map", "--arch", self.study.input(f"{name}.yaml", machine), *extra, "--factors", rule,
                     "--mapper", "hybrid", "--objective", objective, "--victory", "0", "--evaluations", str(evaluations)]
        return self.study.point(f"{name}.{rule}.{objective}", arguments, layers_of)

    def row_stationary(self):
        """A column holds all rows of the filter, as the exercises that the paper takes its machine from ask for."""
        return self.study.input("row_stationary.yaml", "mapspace_constraints:\n- {target: PE, type: spatial, factors: [S=0]}\n")

    def figure7(self):
        """Best EDP so far over random mappings, mean of the runs."""
        product = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=100,n=100,k=100"]
        filters = ["--einsum", "Outputs[N,K,P,Q] += Weights[K,C,R,S] * Inputs[N,C,P+R,Q+S]", "--extents",
                   "N=1,K=64,C=64,P=28,Q=28,R=3,S=3"]
        rules = ["perfect", "ruby", "ruby-s", "ruby-t"]
        rows, results = [], {}
        for part, what, units, einsum in [("a", "100 x 100 products", 5, product), ("b", "100 x 100 products", 16, product),
                                          ("c", "3x3x64 on 28x28x64", 8, filters), ("d", "3x3x64 on 28x28x64", 15, filters)]:
            machine = self.study.input(f"figure7{part}.yaml", machines.toy(units, channels_only=einsum is filters))
            found = {}
            for rule in rules:
                found[rule] = self.study.point(
                    f"figure7{part}.{rule}", ["compare", "--arch", machine, *einsum, "--mappers", "random", "--factors", rule,
                                              "--runs", str(self.effort["runs"]), "--evaluations", str(self.effort["toy"])],
                    lambda json: {"best": json["layers"][0]["best"], "curve": [
                        (at["spent"], at["relative"][0] * json["layers"][0]["best"]) for at in json["by_evaluations"]]})
            last = {rule: found[rule]["curve"][-1][1] for rule in rules}
            rows.append([f"({part}) {what}, {units} PEs", *(f"{last[rule] / last['perfect']:.3f}" for rule in rules),
                         f"{min(rules, key=last.get)}"])
            results[part] = found
        return ("Figure 7: mean EDP of the best of random mappings, over perfect's", [(["problem", *rules, "least"], rows)], results)

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
        """AlexNet's second layer (one of its two groups) on 14 x 12; in the last row of the table a column need not hold whole filters."""
        machine = machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224)
        layer = ["--einsum", "Outputs[N,K,P,Q] += Weights[K,C,R,S] * Inputs[N,C,P+R,Q+S]", "--extents",
                 "N=1,K=96,C=48,P=27,Q=27,R=5,S=5"]
        strip = self.study.input("strip_mining.yaml", """mapspace_constraints:
- {target: PE_column, type: spatial, factors: [Q=14]}
- {target: PE, type: spatial, factors: [S=5, C=2]}
""")
        whole = self.row_stationary()
        found = {}
        for name, rule, extra in [("perfect", "perfect", [whole]), ("strip mining by hand", "ruby-s", [strip]),
                                  ("ruby-s", "ruby-s", [whole]), ("ruby-s, free rows", "ruby-s", [])]:
            point = "figure9." + name.replace(",", "").replace(" ", "-")
            found[name], = self.map(point, machine, rule, layer + extra, self.effort["single"])
        paper = {"perfect": "71 %", "strip mining by hand": "85 %", "ruby-s": "85 %"}
        rows = [[name, f"{100 * result['utilization']:.1f} %", paper.get(name, ""), share(edp(result), edp(found["strip mining by hand"])),
                 share(result["energy_pj"], found["strip mining by hand"]["energy_pj"])] for name, result in found.items()]
        return ("Figure 9: AlexNet layer 2", [(["mapping", "utilisation", "paper", "EDP over by hand", "energy over by hand"], rows)],
                found)

    def compared(self, name, machine, net, evaluations, objective="edp"):
        return {rule: self.map(name, machine, rule, net, evaluations, objective) for rule in ("perfect", "ruby-s")}

    def network_figure(self, title, name, machine, net, evaluations, paper):
        found = self.compared(name, machine, net, evaluations)
        rows = []
        gains = []
        for old, new in zip(found["perfect"], found["ruby-s"]):
            gains.append(edp(new) / edp(old))
            rows.append([old["name"], old["repeats"], share(edp(new), edp(old)), share(new["energy_pj"], old["energy_pj"]),
                         share(new["cycles"], old["cycles"]), f"{100 * old['utilization']:.0f} %", f"{100 * new['utilization']:.0f} %"])
        old, new = network(found["perfect"]), network(found["ruby-s"])
        total = ["**network**", sum(layer["repeats"] for layer in found["perfect"]), share(edp(new), edp(old)),
                 share(new["energy_pj"], old["energy_pj"]), share(new["cycles"], old["cycles"]), "", ""]
        mean = ["**geometric mean of shapes**", len(gains), share(geomean(gains), 1.0), "", "", "", ""]
        best = ["**best, worst shape**", "", f"{share(min(gains), 1.0)}, {share(max(gains), 1.0)}", "", "", "", ""]
        rows += [total, mean, best, ["**paper**", "", *paper, "", ""]]
        return (title, [(["layer", "times", "EDP", "energy", "cycles", "used by perfect", "by ruby-s"], rows)], found)

    def figure10(self):
        return self.network_figure("Figure 10: ResNet-50 on Eyeriss, Ruby-S over perfect", "figure10",
                                   machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224), ["--net", "resnet50", self.row_stationary()],
                                   self.effort["network"], ["-14 %, best -50 %", "+2 %", "-17 %"])

    def figure11(self):
        return self.network_figure("Figure 11: DeepBench on Eyeriss, Ruby-S over perfect", "figure11",
                                   machines.eyeriss(self.zoo["eyeriss"], 14, 12, weights=224), ["--net", "deepbench"],
                                   self.effort["deepbench"], ["-10 % on average, best -33 % (text) or -45 % (abstract)", "", ""])

    def figure12(self, elements, lanes, paper):
        return self.network_figure(f"Figure 12: ResNet-50 on Simba with {elements} elements of {lanes} x {lanes}, Ruby-S over perfect",
                                   f"figure12-{elements}", machines.simba(self.zoo["simba"], elements, lanes),
                                   ["--net", "resnet50"], self.effort["network"], [paper, "", ""])

    def figure13(self, part, net, paper):
        """Area and EDP of every array; who is on the front."""
        rows, points = [], []
        for columns, rows_ in ARRAYS:
            machine = machines.eyeriss(self.zoo["eyeriss"], columns, rows_, weights=224)
            found = {rule: self.map(f"figure13{part}-{columns}x{rows_}", machine, rule, net, self.effort["sweep"])
                     for rule in ("perfect", "ruby-s", *self.effort["padded"])}
            area = found["perfect"][0]["area_um2"]
            for rule, layers in found.items():
                points.append({"array": f"{columns}x{rows_}", "rule": rule, "area_um2": area, "edp": edp(network(layers))})
        def on_front(point):
            return not any(other["area_um2"] <= point["area_um2"] and other["edp"] < point["edp"] for other in points)
        rules = ["perfect", *self.effort["padded"], "ruby-s"]
        for columns, rows_ in ARRAYS:
            here = {point["rule"]: point for point in points if point["array"] == f"{columns}x{rows_}"}
            front = [rule for rule in rules if on_front(here[rule])]
            rows.append([f"{columns} x {rows_}", f"{here['perfect']['area_um2'] * 1e-6:.2f} mm2",
                         *(f"{here[rule]['edp'] * 1e-12:.3e}" for rule in rules), share(here["ruby-s"]["edp"], here["perfect"]["edp"]),
                         ", ".join(front) or "-"])
        gains = [next(p["edp"] for p in points if p["array"] == f"{c}x{r}" and p["rule"] == "ruby-s") /
                 next(p["edp"] for p in points if p["array"] == f"{c}x{r}" and p["rule"] == "perfect") for c, r in ARRAYS]
        rows.append(["**geometric mean**", "", *("" for _ in rules), share(geomean(gains), 1.0), ""])
        rows.append(["**paper**", "", *("" for _ in rules), paper, "ruby-s"])
        return (f"Figures 13{part} and 14{part}: arrays from 7 x 2 to 16 x 16, {net[1]}",
                [(["array", "area", *(f"EDP {rule} (J*cycles)" for rule in rules), "ruby-s over perfect", "on the front"], rows)], points)

    def all(self):
        return {
            "8": self.figure8, "9": self.figure9, "10": self.figure10,
            "12": lambda: self.figure12(15, 4, "-10 %, best -25 %"), "12b": lambda: self.figure12(9, 3, "-45 %"),
            "7": self.figure7, "11": self.figure11,
            "13": lambda: self.figure13("a", ["--net", "resnet50"], "-24 %, best -60 %"),
            "13b": lambda: self.figure13("b", ["--net", "deepbench", "--layers", DEEPBENCH_SELECTION], "up to -55 %"),
        }


# One layer of each kind: speech, characters, faces, images, keywords, speakers.
DEEPBENCH_SELECTION = "04_*,09_*,13_*,29_*,42_*,47_*,64_*,66_*"
