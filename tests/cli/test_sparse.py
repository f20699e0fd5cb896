"""evaluate on machines that do something about zeros."""

import json
import pathlib
import unittest

from program import ROOT, Case

FILES = [str(ROOT / "examples" / "sparse" / name) for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]

DESIGNS = ROOT.parent / "shared" / "golden" / "sparse" / "sparseloop"

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Sparse(Case):
    def test_text_says_what_became_of_accesses_and_computes(self):
        result = self.run_program("evaluate", *FILES, "--account", "timeloop")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("of 4,096 computes 1,232 are done, 0 gated, 0 skipped", result.stdout)
        self.assertIn("buffer  B       reads          4,096   1,232      0    2,864", result.stdout)

    def test_json_has_it_rank_by_rank(self):
        result = self.run_program("evaluate", *FILES, "--account", "timeloop", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        if jsonschema is not None:
            jsonschema.validate(report, json.loads((ROOT / "schemas" / "report-2.schema.json").read_text()))
        layer = report["layers"][0]
        self.assertEqual(layer["evaluation"]["computes"], layer["sparse"]["computes"]["actual"])
        a = layer["sparse"]["memories"][0]["tensors"][0]
        self.assertEqual([rank["format"] for rank in a["ranks"]], ["uop", "uop", "cp"])
        self.assertEqual(a["reads"], {"actual": 77, "gated": 0, "skipped": 0})

    def test_exactly_it_is_what_happens_on_average(self):
        result = self.run_program("evaluate", *FILES, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        if jsonschema is not None:
            jsonschema.validate(report, json.loads((ROOT / "schemas" / "report-2.schema.json").read_text()))
        layer = report["layers"][0]
        # 77 of A's 256 elements are not zero; each meets 16 of B's.
        self.assertEqual(layer["sparse"]["computes"], {"actual": 1232, "gated": 0, "skipped": 0})
        self.assertEqual(layer["evaluation"]["compute_cycles"], 1232)
        buffer = layer["sparse"]["memories"][1]["tensors"]
        self.assertEqual(buffer[1]["reads"], {"actual": 1232, "gated": 0, "skipped": 2864})

    def test_what_is_not_counted_exactly_is_said(self):
        spatial = self.write("arch.yaml", pathlib.Path(FILES[0]).read_text().replace(
            "type: skipping, target: B", "type: skipping_spatial, target: B"))
        instead = self.run_program("evaluate", str(spatial), *FILES[1:], "--json")
        self.assertEqual(instead.returncode, 0, instead.stderr)
        report = json.loads(instead.stdout)
        self.assertEqual(report["provenance"]["accounting"], "timeloop")
        self.assertIn("skipping_spatial at 'buffer' is counted with --account timeloop only", " ".join(report["notes"]))
        refused = self.run_program("evaluate", str(spatial), *FILES[1:], "--account", "exact")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("skipping_spatial at 'buffer' is counted with --account timeloop only", refused.stderr)

    def test_against_what_timeloop_printed(self):
        """Line by line; a line that is another one there is shown beside ours."""
        self.write("stats.txt", "=== backing ===\n    STATS\n    -----\n    Nothing                 : 1\n\n"
                                "Summary Stats\n-------------\nCycles: 1232\nEnergy: 1.00 uJ\n")
        for verb in ("evaluate", "compare"):
            result = self.run_program(verb, *FILES, "--against", "stats.txt")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("lines of statistics are equal", result.stdout)
            self.assertIn("Nothing                 : 1", result.stdout)

    @unittest.skipUnless(DESIGNS.is_dir(), "shared/golden/sparse is absent")
    def test_against_the_recorded_designs(self):
        for design in sorted(path.parent for path in DESIGNS.glob("*/mapping.yaml")):
            outputs = design / "ref_outputs/default_problem"
            names = ("parsed-processed-input.yaml", "timeloop-mapper.map.yaml", "timeloop-mapper.ERT.yaml", "timeloop-mapper.ART.yaml")
            if not all((outputs / name).is_file() for name in names):
                continue
            with self.subTest(design=design.name):
                result = self.run_program("evaluate", *(outputs / name for name in names), "--account", "timeloop",
                                          "--against", outputs / "timeloop-mapper.stats.txt")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stdout, r"(\d+) of \1 (lines of statistics|figures) are equal")

    def test_values_may_have_hyphens(self):
        problem = self.write("problem.yaml", pathlib.Path(FILES[1]).read_text().replace("fixed_structured", "fixed-structured"))
        machine = self.write("arch.yaml", pathlib.Path(FILES[0]).read_text().replace("inner_to_outer", "inner-to-outer"))
        self.assertEqual(self.numbers(machine, problem, FILES[2]), self.numbers(*FILES))

    def test_words_that_change_no_count(self):
        """Banks of metadata, and tensors that stream through the outermost memory."""
        text = pathlib.Path(FILES[0]).read_text()
        depth = "metadata_storage_depth: 1024"
        machine = self.write("arch.yaml", text.replace(depth, depth + "\n      metadata-n-banks: 2"))
        mapping = self.write("mapping.yaml", pathlib.Path(FILES[2]).read_text().replace(
            "mapping:\n", "mapping:\n- {target: DRAM, type: dataspace, stream: [A]}\n"))
        self.assertIn("metadata-n-banks", (self.folder / machine).read_text())
        self.assertEqual(self.numbers(machine, FILES[1], mapping), self.numbers(*FILES))
        inner = self.write("inner.yaml", (self.folder / mapping).read_text().replace("DRAM, type: dataspace", "buffer, type: dataspace"))
        self.assert_fails(self.run_program("evaluate", *FILES[:2], inner), 2,
                          "...tensors to stream are not supported inside the outermost memory")

    def test_map_proves_what_single_words_decide_and_says_what_was_saved(self):
        machine = str(ROOT / "examples" / "sparse" / "machines" / "scnn_like.yaml")
        result = self.run_program("map", "--arch", machine, "--net", "resnet50", "--layers", "layer1.0.conv1",
                                  "--density", "Weights=0.3", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        layer = json.loads(result.stdout)["layers"][0]
        self.assertTrue(layer["search"]["proven"])
        done = layer["sparse"]["computes"]["actual"]
        self.assertAlmostEqual(done / layer["sparse"]["computes"]["skipped"], 3 / 7, places=5)

    def test_map_does_not_call_proven_what_is_not(self):
        machine = str(ROOT / "examples" / "sparse" / "machines" / "scnn_like.yaml")
        result = self.run_program("map", "--arch", machine, "--net", "resnet50", "--layers", "conv1",
                                  "--density", "Weights=0.3", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        search = json.loads(result.stdout)["layers"][0]["search"]
        self.assertFalse(search["proven"])
        self.assertIn("within", search["claim"])

    def mapped(self, *arguments, machine="scnn_like"):
        result = self.run_program("map", "--arch", str(ROOT / "examples" / "sparse" / "machines" / f"{machine}.yaml"),
                                  *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        if jsonschema is not None:
            jsonschema.validate(report, json.loads((ROOT / "schemas" / "report-2.schema.json").read_text()))
        return report

    def densities(self, report):
        return {layer["name"]: {one["tensor"]: (one["model"], one["density"], one["from"])
                                for one in layer["sparse"]["densities"]} for layer in report["layers"]}

    def test_densities_come_from_a_list_and_the_later_word_counts(self):
        self.write("list.csv", "layer,tensor,density\n*,Weights,2:4\nlayer1.0.conv3,Weights,hypergeometric:0.25\n")
        self.write("list.yaml", "densities:\n- {layer: layer1.0.conv1, tensor: Inputs, density: 0.5}\n")
        layers = ["--net", "resnet50", "--layers", "layer1.0.conv1,layer1.0.conv3"]
        found = self.densities(self.mapped(*layers, "--density", "Weights=0.75,list.csv,list.yaml"))
        self.assertEqual(found["layer1.0.conv1"]["Weights"], ("2:4", 0.5, "list.csv:2"))
        self.assertEqual(found["layer1.0.conv3"]["Weights"], ("hypergeometric", 0.25, "list.csv:3"))
        self.assertEqual(found["layer1.0.conv1"]["Inputs"], ("fixed_structured", 0.5, "list.yaml:2"))
        self.assertEqual(found["layer1.0.conv3"]["Inputs"], ("fixed_structured", 1, ""))

    def test_densities_are_those_of_the_weights_of_a_model(self):
        model = ROOT / "tests" / "data" / "onnx" / "zeros.onnx"
        report = self.mapped("--net", str(model), "--density", "onnx,two_thirds:Inputs=0.5")
        found = self.densities(report)
        self.assertEqual(found["a_quarter"]["Weights"],
                         ("fixed_structured", 0.25, f"{model}: 12 of 16 elements of 'raw' are zero"))
        self.assertAlmostEqual(found["two_thirds"]["Weights"][1], 2 / 3)
        self.assertEqual(found["two_thirds"]["Inputs"], ("fixed_structured", 0.5, "--density two_thirds:Inputs=0.5"))
        self.assertEqual(found["half_at_three"]["Weights"][1], 0.5)
        self.assertEqual(found["computed"]["Weights"], ("fixed_structured", 1, ""))
        self.assertTrue(any("the weights of 2 layers were not counted" in note for note in report["notes"]), report["notes"])

    def test_what_is_saved_adds_up(self):
        report = self.mapped("--net", "resnet50", "--layers", "layer1.0.conv1", "--density", "Weights=0.3")
        layer = report["layers"][0]
        savings = layer["sparse"]["savings"]
        components = savings["components"].values()
        saved = sum(one["left_out_pj"] + one["gating_pj"] + one["skipping_pj"] - one["metadata_pj"] for one in components)
        energy = layer["evaluation"]["energy_pj"]
        self.assertAlmostEqual(savings["dense_energy_pj"] - saved - savings["elsewhere_pj"], energy, delta=1e-9 * energy)
        self.assertGreater(savings["dense_energy_pj"], 1.2 * energy)
        self.assertGreater(savings["dense_cycles"], layer["evaluation"]["cycles"])
        text = self.run_program("map", "--arch", str(ROOT / "examples" / "sparse" / "machines" / "scnn_like.yaml"),
                                "--net", "resnet50", "--layers", "layer1.0.conv1", "--density", "Weights=0.3").stdout
        self.assertIn("Saved by the treatment of zeros", text)
        self.assertIn("30.0 %  fixed_structured  --density Weights=0.3", text)

    def test_compare_counts_zeros_by_both_accounts(self):
        result = self.run_program("compare", *FILES)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        computes = next(line for line in result.stdout.splitlines() if "multiply-accumulates" in line)
        self.assertEqual(computes.split()[1:3], ["1,232", "1,232"])
        self.assertIn("no line for zigzag: This translation to ZigZag cannot express it: what the machine does about zeros", result.stdout)
        other = self.run_program("compare", *FILES, "--account", "exact,timeloop", "--density", "A=0.5")
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertIn("2,048", other.stdout)
        asked = self.run_program("compare", *FILES, "--account", "zigzag")
        self.assertEqual(asked.returncode, 1)
        self.assertIn("what the machine does about zeros [unsupported]", asked.stderr)

    def numbers(self, *files):
        """Counts and costs as Timeloop has them."""
        result = self.run_program("evaluate", *files, "--account", "timeloop", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        layer = json.loads(result.stdout)["layers"][0]
        zeros = layer.get("sparse", {})  # nothing where the machine does nothing about them
        return layer["evaluation"], zeros.get("memories"), zeros.get("computes")

    def written_back(self, folder, version, *files):
        result = self.run_program("convert", *files, "--to", version, "-o", folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        written = [name for name in self.files() if name.startswith(folder + "/")]
        self.assertEqual(len(written), 3, written)
        return written

    def test_what_files_say_of_zeros_is_written_back(self):
        expected = self.numbers(*FILES)
        for version in ("timeloop", "timeloop-0.3"):
            with self.subTest(version=version):
                self.assertEqual(self.numbers(*self.written_back(version, version, *FILES)), expected)
        refused = self.run_program("convert", *FILES, "--to", "zigzag")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("here a machine is a dense one", refused.stderr)

    @unittest.skipUnless(DESIGNS.is_dir(), "shared/golden/sparse is absent")
    def test_public_designs_have_the_same_counts_when_they_are_written_back(self):
        designs = sorted(path.parent for path in DESIGNS.glob("*/mapping.yaml"))
        self.assertGreaterEqual(len(designs), 8)
        for number, design in enumerate(designs):
            files = [str(design / name) for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
            with self.subTest(design=design.name):
                self.assertEqual(self.numbers(*self.written_back(f"design{number}", "timeloop", *files)),
                                 self.numbers(*files))

    def test_dense_reads_over_all_of_it(self):
        dense = self.run_program("evaluate", *FILES, "--dense", "--account", "timeloop", "--json")
        layer = json.loads(dense.stdout)["layers"][0]
        self.assertEqual(layer["evaluation"]["computes"], 4096)
        self.assertNotIn("sparse", layer)


if __name__ == "__main__":
    unittest.main()
