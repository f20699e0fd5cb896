"""Layers of one name, and of names that are alike as files: whatever a run writes of each is there and is read back."""

import json

from program import Case

EINSUM = "O[m,n] += A[m,k] * B[k,n]"
NETWORK = """\
network:
  version: 1
  name: {name}
  layers:
{layers}"""
LAYER = '  - {{name: "{name}", op: Gemm, einsum: "' + EINSUM + '", extents: {{m: 4, n: 4, k: {k}}}}}\n'


class LayerNames(Case):
    def network(self, file, name, layers):
        text = "".join(LAYER.format(name=layer, k=k) for layer, k in layers)
        return self.write(file, NETWORK.format(name=name, layers=text))

    def good(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def totals(self, *arguments):
        totals = json.loads(self.good(*arguments, "--json"))["totals"]
        return totals["energy_pj"], totals["cycles"]

    def confirmed_and_read_back(self, *nets):
        given = ["--arch", "eyeriss", *nets, "--unnamed", "ignore"]
        mapped = self.totals("map", *given, "-o", "out")
        self.assertIn("confirmed: ", self.good("check", "out/certificate.json"))
        self.assertEqual(self.totals("evaluate", *given, "out/mapping.yaml"), mapped)
        self.good("check", *given, "out/mapping.yaml", "out/certificate.json")

    def test_two_networks_with_a_layer_of_one_name(self):
        self.network("a.yaml", "a", [("fc", 4), ("one", 8)])
        self.network("b.yaml", "b", [("fc", 6)])
        self.confirmed_and_read_back("--net", "a.yaml", "--net", "b.yaml")
        names = [[layer["name"]] for layer in json.loads((self.folder / "out/report.json").read_text())["layers"]]
        self.assertEqual(names, [["a/fc"], ["one"], ["b/fc"]])

    def test_one_network_twice_and_a_name_twice_in_one(self):
        self.network("a.yaml", "a", [("fc", 4), ("fc", 6), ("other", 4)])
        self.confirmed_and_read_back("--net", "a.yaml", "--net", "a.yaml")
        self.confirmed_and_read_back("--net", "a.yaml")

    def test_layers_of_one_shape_only(self):
        self.network("a.yaml", "a", [("one", 4), ("two", 4)])
        self.confirmed_and_read_back("--net", "a.yaml")

    def test_both_are_found_by_the_name_they_share(self):
        self.network("a.yaml", "a", [("fc", 4), ("one", 8)])
        self.network("b.yaml", "b", [("fc", 6)])
        nets = ["--arch", "eyeriss", "--net", "a.yaml", "--net", "b.yaml", "--unnamed", "ignore"]
        self.good("map", *nets, "-o", "out", "-q")
        for layers, names in [("fc", ["a/fc", "b/fc"]), ("b/fc", ["b/fc"]), ("one", ["one"])]:
            report = json.loads(self.good("evaluate", *nets, "--layers", layers, "out/mapping.yaml", "--json"))
            self.assertEqual([layer["name"] for layer in report["layers"]], names)
        wide = json.loads(self.good("map", *nets, "--bits", "fc:A=4", "--json"))
        self.assertEqual([[layer["name"]] for layer in wide["layers"]], [["a/fc"], ["one"], ["b/fc"]])

    ALIKE = [("a/b", 4), ("a_b", 6), ("a:b", 8), ("x" * 300, 10), ("x" * 299 + "y", 12)]

    def test_files_of_layers_whose_names_are_alike(self):
        self.network("net.yaml", "net", self.ALIKE)
        self.good("map", "--arch", "eyeriss", "--net", "net.yaml", "--unnamed", "ignore", "--objective", "pareto", "-o", "map", "-q")
        self.good("map", "--arch", "eyeriss", "--net", "net.yaml", "--unnamed", "ignore", "-o", "best", "-q")
        self.good("simulate", "--arch", "eyeriss", "--net", "net.yaml", "--unnamed", "ignore", "best/mapping.yaml", "-o", "sim", "-q")
        self.good("convert", "--arch", "eyeriss", "--net", "net.yaml", "--unnamed", "ignore", "best/mapping.yaml", "--to", "mapping",
                  "-o", "convert")
        stems = ["a_b", "a_b_2", "a_b_3", "x" * 200, "x" * 200 + "_2"]
        for folder, ending in [("sim/trace", ".json"), ("sim/links", ".svg"), ("convert", ".mapping.yaml")]:
            self.assertEqual(sorted(path.name for path in (self.folder / folder).iterdir()), [stem + ending for stem in stems])
        self.assertEqual(sorted(path.name for path in (self.folder / "map/front").iterdir()), stems)

    def test_schedules_of_layers_whose_names_are_alike(self):
        conv = '  - {{name: "{name}", op: Conv, einsum: "Outputs[N,K,P,Q] += Inputs[N,C,P+R,Q+S] * Weights[K,C,R,S]", ' \
               'extents: {{N: 1, K: {k}, C: 4, P: 4, Q: 4, R: 1, S: 1}}}}\n'
        text = "".join(conv.format(name=name, k=k) for name, k in self.ALIKE)
        self.write("net.yaml", NETWORK.format(name="net", layers=text))
        self.good("schedule", "--arch", "arch1", "--net", "net.yaml", "-o", "run", "--svg", "run/svg", "-q")
        stems = ["a_b", "a_b_2", "a_b_3", "x" * 200, "x" * 200 + "_2"]
        self.assertEqual(sorted(path.name for path in (self.folder / "run/trace").iterdir()), [stem + ".json" for stem in stems])
        svg = {path.name for path in (self.folder / "run/svg").iterdir()}
        self.assertLessEqual({stem + "-gantt.svg" for stem in stems}, svg)
        self.good("simulate", "run/schedule.json", "-o", "replay", "-q")
        self.assertEqual(sorted(path.name for path in (self.folder / "replay/trace").iterdir()), [stem + ".json" for stem in stems])

    def test_machines_of_one_name_in_two_folders(self):
        for folder in ("one", "two"):
            (self.folder / folder).mkdir()
            self.write(f"{folder}/m.yaml", (self.machine()))
        self.network("net.yaml", "net", [("fc", 4)])
        self.good("map", "--arch", "one/m.yaml,two/m.yaml", "--net", "net.yaml", "-o", "out", "-q")
        self.assertTrue({"out/m/mapping.yaml", "out/m_2/mapping.yaml"} <= set(self.files()))

    @staticmethod
    def machine():
        return """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 1024, width: 64}}
  - !Container {name: PE, spatial: {meshX: 16}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8}}
"""

    def test_padded_mappings_are_read_back(self):
        self.write("m.yaml", self.machine())
        one = ["--arch", "m.yaml", "--einsum", EINSUM, "--extents", "m=31,n=33,k=7"]
        mapped = self.totals("map", *one, "--factors", "padded", "-o", "out")
        report = json.loads((self.folder / "out/report.json").read_text())["layers"][0]
        self.assertIn("padding", report)
        self.assertEqual(self.totals("evaluate", *one, "out/mapping.yaml"), mapped)
        self.good("evaluate", *one, "out/mapping.yaml", "-o", "again", "-q")
        again = json.loads((self.folder / "again/report.json").read_text())["layers"][0]
        self.assertEqual(again["padding"], report["padding"])
        self.assertEqual((self.folder / "again/mapping.yaml").read_text(), (self.folder / "out/mapping.yaml").read_text())
        layers = "".join(LAYER.format(name=name, k=7).replace("m: 4", f"m: {m}").replace("n: 4", "n: 33")
                         for name, m in [("one", 31), ("two", 29), ("three", 32), ("four", 31)])
        self.write("net.yaml", NETWORK.format(name="net", layers=layers))
        net = ["--arch", "m.yaml", "--net", "net.yaml"]
        mapped = self.totals("map", *net, "--factors", "padded", "-o", "net")
        self.assertIn("padded: {", (self.folder / "net/mapping.yaml").read_text())
        self.assertEqual(self.totals("evaluate", *net, "net/mapping.yaml"), mapped)
        self.good("map", *one, "--factors", "padded", "--objective", "pareto", "-o", "front", "-q")
        for path in (self.folder / "front/front").rglob("*.yaml"):
            self.good("evaluate", *one, path, "-q")

    def test_what_no_padding_is(self):
        self.write("m.yaml", self.machine())
        one = ["--arch", "m.yaml", "--einsum", EINSUM, "--extents", "m=31,n=33,k=7"]
        self.good("map", *one, "--factors", "padded", "-o", "out", "-q")
        text = (self.folder / "out/mapping.yaml").read_text()
        at = text.index("padded: {")
        end = text.index("}", at)
        for wrong, message in [("padded: {m: 30", "layer 'einsum' has m = 31: padding makes no dimension smaller [bad-value]"),
                               ("padded: {z: 64", "layer 'einsum' has no dimension 'z' [unknown-name]")]:
            self.write("wrong.yaml", text[:at] + wrong + text[end:])
            self.assert_fails(self.run_program("evaluate", *one, "wrong.yaml"), 2, "..." + message)


if __name__ == "__main__":
    import unittest
    unittest.main()
