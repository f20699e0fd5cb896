"""set_runs.py: its table of a run of one layer, whose words are counted by hand. flexer.py: a layer that both models count alike."""

import json
import os
import pathlib
import tempfile
import unittest

import flexer
import set_runs

PROGRAM = os.environ.get("TILEWRIGHT", str(pathlib.Path(__file__).resolve().parents[3] / "build" / "release" / "bin" / "tilewright"))
LAYER = {"name": "a", "type": "conv", "out": [4, 2, 2], "in": [3, 2, 2], "in_padded": [3, 2, 2], "kernel": [1, 1], "stride": [1, 1],
         "groups": 1, "terms": 1, "weights": 12, "permute": [0, 1, 2], "outside_channels": 3, "from": [], "weights_from": []}
FIGURES = "E:1, T:4, NoC(hops=0, DRAM acc=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) Max NoC: 0\n"


class SetRuns(unittest.TestCase):
    def test_two_rounds_of_one_layer(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "net_one.jsonl").write_text(json.dumps(LAYER) + "\n")
            run = folder / "one_1x1_b2"
            run.mkdir()
            (run / "run.json").write_text(json.dumps({"network": "one", "batch": 2, "x": 1, "y": 1, "stride": 1, "link_rate": 1}))
            (run / "SET.scheme.txt").write_text(f"T 2/2 {FIGURES}\ta 1 (K:1,B:1,H:1,W:1) {FIGURES}")
            cells, reasons = set_runs.compare(PROGRAM, run, 10)
            (folder / "net_one.jsonl").write_text(json.dumps({**LAYER, "type": "group"}) + "\n")
            self.assertIn("has groups", set_runs.compare(PROGRAM, run, 10)[1][0])
        published, mended, exact, as_tree, ours = (cell["dram"] for cell in cells.values())
        self.assertEqual((published, mended, exact), (12 + 2 * 28, 2 * (12 + 28), 2 * (12 + 28)))
        self.assertEqual((as_tree, ours), (12 + 2 * 28, 12 + 2 * 28))
        self.assertIn("+12 DRAM words (+720 pJ)", reasons[0])
        self.assertIn("weights 24 and 12 DRAM words", reasons[2])


class Flexer(unittest.TestCase):
    def test_a_product_that_waits_for_its_weights_is_the_same_to_both(self):
        found, proven = flexer.compare(PROGRAM, "resnet18", "fc")
        self.assertTrue(proven)
        self.assertEqual(found["package"], found["overlap"])
        self.assertEqual(found["package"][1], 512 + 512 * 1000 + 1000)


if __name__ == "__main__":
    unittest.main()
