"""evaluate on machines that do something about zeros."""

import json
import pathlib
import unittest

from program import ROOT, Case

FILES = [str(ROOT / "examples" / "sparse" / name) for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]

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
        refused = self.run_program("evaluate", str(spatial), *FILES[1:])
        self.assertEqual(refused.returncode, 1)
        self.assertIn("skipping_spatial at 'buffer' is counted with --account timeloop only", refused.stderr)

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

    def test_dense_reads_over_all_of_it(self):
        dense = self.run_program("evaluate", *FILES, "--dense", "--account", "timeloop", "--json")
        layer = json.loads(dense.stdout)["layers"][0]
        self.assertEqual(layer["evaluation"]["computes"], 4096)
        self.assertNotIn("sparse", layer)


if __name__ == "__main__":
    unittest.main()
