"""MAESTRO's files and --dataflow: evaluate, compare, show, check, convert, map."""

import csv
import json
import pathlib
import unittest

from program import Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parents[2]

LAYER = """Network small {
  Layer conv {
    Type: CONV
    Dimensions { K: 4, C: 6, R: 3, S: 3, Y: 8, X: 8 }
    Dataflow {
      TemporalMap(1,1) K;
      TemporalMap(Sz(R),1) Y;
      TemporalMap(Sz(S),1) X;
      TemporalMap(Sz(R),Sz(R)) R;
      TemporalMap(Sz(S),Sz(S)) S;
      SpatialMap(1,1) C;
    }
  }
}
"""
HARDWARE = "num_pes: 16\nnoc_bw_cstr: 16\nNoC_NumHops: 1\n"


def counts_of(path):
    """Of every layer, what a CSV of the public tool counts: words, delays, sizes and rates, no energy, area or power."""
    costs = ("energy", "area", "power", "ops/j", "noc bw", "per energy")
    with open(path, newline="", encoding="utf-8") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    names = [name.replace(" Req (Bytes)", " (Bytes)") for name in rows[0]]
    wanted = [i for i, name in enumerate(names) if not any(cost in name.lower() for cost in costs) and "Offchip" not in name]
    return [[(names[i], row[i]) for i in wanted] for row in rows[1:]]


class Maestro(Case):
    def files(self, text=LAYER):
        return [self.write("layer.m", text), self.write("hardware.m", HARDWARE)]

    def test_evaluates_exactly(self):
        result = self.run_program("evaluate", *self.files(), "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        layer = json.loads(result.stdout)["layers"][0]
        self.assertEqual(layer["operations"], 7776)
        self.assertEqual(layer["levels"][0]["input"]["multicast_words"], 3456)
        self.assertEqual(layer["levels"][0]["filter"]["multicast_words"], 216)
        self.assertEqual(layer["findings"], [])

    def test_energy_in_joules_names_its_sources(self):
        parts = ["operations", "l1", "l2", "dram"]
        energies = []
        for technology in ["", "technology_nm: 22\n"]:
            files = [self.write("layer.m", LAYER), self.write("hardware.m", HARDWARE + technology)]
            result = self.run_program("evaluate", *files, "--json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            energies.append(json.loads(result.stdout)["layers"][0]["energy_pj"])
            self.assertAlmostEqual(energies[-1]["total"], sum(energies[-1][part] for part in parts))
            self.assertEqual(len(energies[-1]["sources"]), 4)
        self.assertLess(energies[1]["l2"], energies[0]["l2"])
        result = self.run_program("evaluate", "--dataflow", "ws", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3", "--json")
        layer = json.loads(result.stdout)["layers"][0]
        self.assertIn("given in", layer["energy_pj"]["sources"][3])
        self.assertEqual(layer["energy_pj"]["operations"], 2.0 * layer["operations"])

    def test_a_mapping_beside_it_is_what_counts(self):
        layer = self.write("layer.m", LAYER)
        self.run_program("map", "--arch", "simba", "--net", layer, "-o", "out", "-q")
        for words in [["--arch", "simba", "out/mapping.yaml", "--net", layer], ["--arch", "simba", "out/mapping.yaml", layer]]:
            report = json.loads(self.run_program("evaluate", *words, "--json").stdout)
            found = json.loads((self.folder / "out/report.json").read_text())
            self.assertEqual(report["totals"], found["totals"])
            self.assertEqual(self.run_program("check", *words).returncode, 0)
        result = self.run_program("evaluate", *words, "--dataflow", "ws")
        self.assertEqual(result.returncode, 2)
        self.assertIn("exclude each other", result.stderr)

    def test_the_public_tools_numbers_and_csv(self):
        table = self.folder / "tool.csv"
        result = self.run_program("evaluate", *self.files(), "--account", "maestro", "--tool-csv", str(table), "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        layer = json.loads(result.stdout)["layers"][0]
        self.assertEqual((layer["input"]["l2_read"], layer["filter"]["l2_read"]), (2754, 189))
        lines = table.read_text().splitlines()
        self.assertEqual(len(lines[0].split(",")), len(lines[1].split(",")))
        self.assertTrue(lines[1].startswith("small,conv,16,1303,"))

    def test_vector_widths_are_the_public_tools_lanes(self):
        """The first layer of MobileNetV2 on 256 units of 9 lanes, as the public tool recorded it."""
        layer = self.write("layer.m", """Network n {
  Layer CONV1 {
    Type: CONV
    Stride { X: 2, Y: 2 }
    Dimensions { K: 4, C: 3, R: 3, S: 3, Y: 17, X: 17 }
    Dataflow {
      SpatialMap(1,1) K;
      TemporalMap(64,64) C;
      TemporalMap(Sz(R),Sz(R)) R;
      TemporalMap(Sz(S),Sz(S)) S;
      TemporalMap(Sz(R),1) Y;
      TemporalMap(Sz(S),1) X;
      Cluster(64, P);
      SpatialMap(1,1) C;
      TemporalMap(Sz(R),1) Y;
      TemporalMap(Sz(S),1) X;
      TemporalMap(Sz(R),Sz(R)) R;
      TemporalMap(Sz(S),Sz(S)) S;
    }
  }
}
""")
        cycles = []
        for lanes in (1, 9):
            hardware = self.write("hardware.m", f"num_pes: 256\nnoc_bw_cstr: 1024\nvector_width: {lanes}\n")
            result = self.run_program("evaluate", layer, hardware, "--account", "maestro", "--json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            cycles.append(json.loads(result.stdout)["layers"][0]["runtime_cycles"])
        self.assertLess(cycles[1], cycles[0])

    def test_recorded_layers_of_the_public_tool_with_lanes(self):
        """Counts and cycles of 188 layers with --num_simd_lanes=9. Its energies and areas are an older version's."""
        shared = ROOT / "shared" if (ROOT / "shared").is_dir() else ROOT.parent / "shared"
        recorded = shared / "examples/real2/maestro-recorded"
        if not recorded.is_dir():
            self.skipTest("shared/examples/real2/maestro-recorded is not here")
        layers = 0
        for name, units in (("MobileNetV2_kcp_ws", 256), ("Resnet50_kcp_ws", 256), ("Resnet50_kcp_ws", 1024)):
            hardware = self.write("hardware.m", f"num_pes: {units}\nnoc_bw_cstr: 1024\nvector_width: 9\n")
            mapping = shared / f"examples/maestro/mapping/{name}.m"
            result = self.run_program("evaluate", mapping, hardware, "--account", "maestro", "--tool-csv", "out.csv")
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)
            ours = counts_of(self.folder / "out.csv")
            theirs = counts_of(recorded / f"{name}_pe{units}.csv")
            self.assertEqual(len(ours), len(theirs))
            for our, their in zip(ours, theirs):
                self.assertEqual(our, their, name)
            layers += len(ours)
        self.assertEqual(layers, 56 + 2 * 66)

    def test_layers_without_an_output_are_not_mapped(self):
        text = LAYER.replace("Network small {", "Network small {\n  FPS: 60\n  Layer late {\n    Type: CONV\n"
                             "    Dimensions: { K: 4, C: 6, R: 5, S: 5, Y: 4, X: 4 }\n  }\n")
        layers = self.write("layers.m", text)
        result = self.run_program("map", "--arch", "eyeriss", "--net", layers, "--mapper", "hybrid", "--evaluations", "2000")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("it has no output: its filter is larger than its input", result.stdout)
        self.assertIn("FPS (layers.m:2)", result.stdout)
        result = self.run_program("evaluate", layers, "--dataflow", "nvdla", "--arch", "eyeriss")
        self.assert_fails(result, 2, "layers.m:3:9: error: layer 'late' has no output")

    def test_files_of_other_programs_are_named(self):
        table = self.write("resnet18.csv", "K,C,Y,X,R,S,T\n64,3,224,224,7,7,1\n")
        result = self.run_program("map", "--arch", "eyeriss", "--net", table)
        self.assert_fails(result, 2, "resnet18.csv:1:1: error: a CSV file of GAMMA's")

    def test_accountings_beside_each_other(self):
        result = self.run_program("compare", *self.files(), "--account", "exact,maestro")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"conv +exact +7,776 +1,303 +3,456 +216")
        self.assertRegex(result.stdout, r"maestro +7,776 +1,303 +2,754 +189")
        self.assertNotIn("timeloop", result.stdout)
        of_three = ("compare", *self.files(), "--account", "exact,maestro,timeloop")
        result = self.run_program(*of_three)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"timeloop +7,776 +")
        self.assertEqual([one["accounting"] for one in json.loads(self.run_program(*of_three, "--json").stdout)],
                         ["exact", "maestro", "timeloop"])

    def test_what_is_illegal_is_located(self):
        text = LAYER.replace("TemporalMap(1,1) K", "TemporalMap(2,4) K")
        result = self.run_program("check", *self.files(text))
        self.assertEqual(result.returncode, 1)
        self.assertIn("layer.m:6:7: error: layer 'conv': TemporalMap(2,4) K: skips elements of K [coverage]", result.stderr)
        self.assertEqual(self.run_program("check", *self.files()).returncode, 0)

    def test_mistakes_are_located(self):
        result = self.run_program("evaluate", *self.files(LAYER.replace("SpatialMap", "SpatailMap")))
        self.assert_fails(result, 2, "layer.m:11:7: error: expected TemporalMap, SpatialMap or Cluster")
        result = self.run_program("evaluate", self.write("layer.m", LAYER))
        self.assert_fails(result, 2, "tilewright evaluate: error: no machine: give a hardware file")
        result = self.run_program("evaluate", "--dataflow", "nvdl", "--arch", "eyeriss", "--net", "resnet18")
        self.assert_fails(result, 2, "error: unknown dataflow 'nvdl'")

    def test_a_named_dataflow_on_any_network(self):
        result = self.run_program("evaluate", "--dataflow", "nvdla", "--size", "P_cluster_size=8", "--arch", "eyeriss",
                                  "--net", "resnet18", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(sum(layer["operations_needed"] != layer["operations"] for layer in report["layers"]), 0)
        self.assertGreater(len(report["layers"]), 15)

    def test_totals_are_those_of_the_network(self):
        command = ("evaluate", "--dataflow", "nvdla", "--size", "P_cluster_size=8", "--arch", "eyeriss", "--net", "resnet18")
        result = self.run_program(*command, "-o", "out", "--csv", "out/rows.csv")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads((self.folder / "out" / "report.json").read_text())
        totals, layers = report["totals"], report["layers"]
        for key in ("operations", "runtime_cycles", "energy_operations"):
            self.assertAlmostEqual(totals[key] / sum(layer["repeats"] * layer[key] for layer in layers), 1.0)
        for part in ("total", "operations", "l1", "l2", "dram"):
            self.assertAlmostEqual(totals["energy_pj"][part] / sum(layer["energy_pj"][part] for layer in layers), 1.0)
        self.assertEqual(totals["l2_bytes"], max(layer["l2_bytes"] for layer in layers))
        self.assertEqual((totals["layers"], totals["missing_layers"]), (len(layers), 0))
        # ResNet-18's multiply-accumulates are known.
        self.assertEqual(totals["operations"], 1_814_073_344)
        self.assertRegex(result.stdout, r"total \(with repeats\) +21 +1,814,073,344 ")
        with open(self.folder / "out" / "rows.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["row"] for row in rows], ["layer"] * len(layers) + ["total"])
        self.assertEqual(int(rows[-1]["operations"]), sum(int(row["operations"]) for row in rows[:-1]))
        self.assertEqual(float(rows[-1]["energy_pj"]), totals["energy_pj"]["total"])
        # What the memories cost adds up to the parts.
        for layer in layers:
            for memory in layer["memories"]:
                energy = sum(tensor["energy_pj"] for tensor in memory["tensors"])
                self.assertAlmostEqual(energy, layer["energy_pj"][memory["name"].lower()])
        page = (self.folder / "out" / "report.html").read_text()
        self.assertIn("resnet18 on eyeriss", page)
        self.assertEqual(self.run_program("report", "out", "-o", "again.html").returncode, 0)
        picture = self.run_program("plot", "network", "out", "-n", "1")
        self.assertEqual((picture.returncode, picture.stderr), (0, ""))
        self.assertIn("Energy by memory and tensor: resnet18 on eyeriss", picture.stdout)

    def test_totals_say_what_is_not_in_them(self):
        result = self.run_program("evaluate", "--dataflow", "ws", "--arch", "eyeriss", "--net", "alexnet", "--csv", "-")
        self.assertEqual(result.stdout.splitlines()[-1].split(",")[2:5], ["total", "", "8"])
        # Clusters of more units than there are.
        result = self.run_program("evaluate", "--dataflow", "nvdla", "--size", "P_cluster_size=512", "--arch", "eyeriss",
                                  "--net", "alexnet", "--json")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout)["totals"]["missing_layers"], 8)
        tool = self.run_program("evaluate", *self.files(), "--account", "maestro", "--csv", "x.csv")
        self.assert_fails(tool, 2, "tilewright evaluate: error: --csv is not for --account maestro")

    def test_weight_stationary_is_no_output_stationary(self):
        found = [json.loads(self.run_program("evaluate", "--dataflow", name, "--arch", "eyeriss", "--net", "alexnet", "--layers",
                                             "conv3", "--json").stdout)["layers"][0] for name in ("ws", "shidiannao")]
        self.assertLess(found[0]["levels"][0]["steps"], found[1]["levels"][0]["steps"])
        self.assertGreater(found[0]["l1_bytes"], found[1]["l1_bytes"])
        self.assertEqual(found[0]["levels"][0]["filter"]["multicast_words"], 384 * 192 * 9)

    def test_what_is_left_open_is_named(self):
        result = self.run_program("evaluate", "--dataflow", "nvdla", "--arch", "eyeriss", "--net", "resnet18")
        self.assertEqual(result.returncode, 1)
        self.assertIn("'P_cluster_size' is left open", result.stderr)

    def test_show_completes_the_levels(self):
        result = self.run_program("show", *self.files())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("16 sub-clusters\n    TemporalMap(1,1) K\n    TemporalMap(3,1) Y\n", result.stdout)

    def test_layers_become_einsums_and_back(self):
        layer = self.write("layer.m", LAYER)
        result = self.run_program("convert", layer, "--to", "einsum")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("P=6 Q=6 C=6 K=4", result.stdout)
        back = self.run_program("convert", "--net", layer, "--to", "maestro")
        self.assertIn("Dimensions { K: 4, C: 6, R: 3, S: 3, Y: 8, X: 8 }", back.stdout)

    def test_a_dataflow_becomes_a_mapping(self):
        result = self.run_program("convert", *self.files(), "--to", "mapping")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("{loop: C, extent: 6, across: X}", result.stdout)
        result = self.run_program("convert", *self.files(LAYER.replace("Sz(R),1) Y", "5,3) Y").replace("Y: 8", "Y: 9")), "--to", "mapping")
        self.assertEqual(result.returncode, 1)
        self.assertIn("conv: no mapping: TemporalMap(5,3) Y does not divide its dimension", result.stderr)

    def test_a_mapping_becomes_a_dataflow(self):
        machine = self.write("machine.yaml", """architecture:
  version: "0.3"
  subtree:
    - name: chain
      local:
        - {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, word-bits: 16}}
      subtree:
        - name: chip
          local:
            - {name: Buffer, class: SRAM, attributes: {depth: 16384, width: 64, word-bits: 16}}
          subtree:
            - name: PE[0..7]
              local:
                - {name: Registers, class: regfile, attributes: {depth: 256, width: 16, word-bits: 16}}
                - {name: MAC, class: intmac, attributes: {datawidth: 16}}
""")
        mapping = """mapping:
  - {target: DRAM, type: temporal, factors: K=2 C=1 P=1 Q=1 R=1 S=1 N=1, permutation: KCPQRSN}
  - {target: Buffer, type: temporal, factors: K=1 C=3 P=1 Q=6 R=1 S=1 N=1, permutation: CQKPRSN}
  - {target: Buffer, type: spatial, factors: K=2 C=2 P=1 Q=1 R=1 S=1 N=1, permutation: KCPQRSN}
  - {target: Registers, type: temporal, factors: K=1 C=1 P=6 Q=1 R=3 S=3 N=1, permutation: PRSKCQN}
"""
        layer = self.write("layer.m", LAYER)
        convert = ("convert", machine, "--net", layer, "--to", "maestro")
        result = self.run_program(*convert, self.write("mapping.yaml", mapping))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("num_pes: 4\n", result.stdout)
        back = self.run_program("evaluate", self.write("back.m", result.stdout), "--json")
        self.assertEqual((back.returncode, back.stderr), (0, ""))
        found = json.loads(back.stdout)["layers"][0]
        self.assertEqual((found["operations"], found["findings"]), (7776, []))
        # As K moves the buffer keeps all inputs.
        self.assertEqual(found["levels"][0]["input"]["multicast_words"], 6 * 8 * 8)
        self.assertEqual(found["levels"][0]["filter"]["multicast_words"], 4 * 6 * 9)
        split = mapping.replace("P=6 Q=1 R=3", "P=6 Q=1 R=1").replace("Q=6 R=1", "Q=6 R=3")
        result = self.run_program(*convert, self.write("mapping.yaml", split))
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: conv: no dataflow: the filter's rows or columns move over time", result.stderr)

    def test_map_takes_the_layers(self):
        result = self.run_program("map", "--arch", "eyeriss", "--net", self.write("layer.m", LAYER))
        self.assertEqual(result.returncode, 0)
        self.assertIn("proven optimal", result.stdout)

    def test_a_search_over_dataflows_writes_what_evaluate_reads(self):
        given = json.loads(self.run_program("evaluate", *self.files(), "--json").stdout)["layers"][0]
        for mapper in ("gamma", "dataflow"):
            result = self.run_program("map", *self.files(), "--mapper", mapper, "--objective", "energy", "--evaluations",
                                      "600", "-o", str(self.folder / mapper))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"conv: best of 600 dataflows\n +searched by " + mapper + " for energy, seed 1")
            found = json.loads((self.folder / mapper / "report.json").read_text())["layers"][0]
            self.assertLess(found["energy_operations"], given["energy_operations"])
            self.assertEqual((found["operations"], found["findings"]), (7776, []))
            again = self.run_program("evaluate", str(self.folder / mapper / "dataflows.m"), "--json")
            self.assertEqual(json.loads(again.stdout)["layers"][0]["energy_operations"], found["energy_operations"])

    def test_a_search_as_the_public_tool_counts(self):
        search = ("map", *self.files(), "--mapper", "dataflow", "--account", "maestro", "--evaluations", "600", "--json")
        legal = json.loads(self.run_program(*search, "--threads", "3").stdout)
        self.assertEqual(json.loads(self.run_program(*search, "--threads", "1").stdout), legal)
        self.assertEqual(legal["layers"][0]["operations"], 7776)
        self.assertTrue(legal["search"]["legal_only"])
        any_of_them = json.loads(self.run_program(*search, "--illegal").stdout)
        self.assertFalse(any_of_them["search"]["legal_only"])

    def test_a_search_says_what_it_does_not_take(self):
        map_ = ("map", *self.files(), "--mapper", "gamma")
        for more, words in ((("--factors", "ruby"), "a dataflow search (gamma, dataflow) and imperfect factors (ruby) do not go together"),
                            (("--objective", "pareto"), "a dataflow search (gamma, dataflow) and the objective pareto do not go together"),
                            (("--certificate", "c.json"), "a dataflow search (gamma, dataflow) and a certificate do not go together: only the optimal mapper leaves a proof"),
                            (("--evaluations", "0"), "--evaluations 0 is not for a search of dataflows")):
            self.assert_fails(self.run_program(*map_, *more), 2, "tilewright map: error: " + words)
        self.assert_fails(self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--illegal"), 2,
                          "tilewright map: error: --illegal is for --mapper gamma or dataflow")
        self.assert_fails(self.run_program("simulate", "--arch", "eyeriss", "--net", "alexnet", "--mapper", "gamma"), 2,
                          "tilewright map: error: --mapper gamma searches dataflows")
        small = self.write("small.m", HARDWARE + "l1_size_cstr: 2\n")
        result = self.run_program("map", self.write("layer.m", LAYER), small, "--mapper", "gamma", "--evaluations", "100")
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: conv: none of 100 dataflows is legal and fits the machine", result.stderr)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_reports_follow_their_schema(self):
        schema = json.loads((ROOT / "schemas" / "dataflow-1.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        for words in (("evaluate",), ("evaluate", "--account", "maestro"),
                      ("map", "--mapper", "gamma", "--evaluations", "100"),
                      ("map", "--mapper", "gamma", "--evaluations", "100", "--account", "maestro")):
            document = json.loads(self.run_program(words[0], *self.files(), *words[1:], "--json").stdout)
            jsonschema.validate(document, schema, jsonschema.Draft7Validator)


if __name__ == "__main__":
    unittest.main()
