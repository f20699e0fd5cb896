"""Files of AccelForge and TileFlow: evaluate and convert, and what their documents look like."""

import re
import unittest

from program import ROOT, Case

ACCELFORGE = [str(ROOT / "examples/accelforge" / name) for name in ("machine.yaml", "workload.yaml", "mapping.yaml")]
TILEFLOW = ["--arch", str(ROOT / "examples/tileflow/machine.yaml"),
            "--fused-mapping", str(ROOT / "examples/tileflow/products.yaml")]


class AccelForge(Case):
    def test_the_example_of_the_document(self):
        result = self.run_program("evaluate", *ACCELFORGE)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"energy +14\.00 nJ")
        self.assertRegex(result.stdout, r"latency +384\.0 ns")

    def test_energies_of_component_classes_are_estimated_with_a_note(self):
        text = (ROOT / "examples/accelforge/machine.yaml").read_text()
        changed = re.sub(r"(name: read), energy: [^,}]+", r"\1", text)
        self.assertNotEqual(changed, text)
        changed = changed.replace("- !Memory\n", "- !Memory\n    component_class: SmartBufferSRAM\n", 2)
        machine = self.write("machine.yaml", changed)
        result = self.run_program("evaluate", machine, *ACCELFORGE[1:])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("are of our tables", result.stdout)

    def test_a_converted_mapping_says_what_would_be_filled_in_vain(self):
        self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv2", "-o", str(self.folder / "m"))
        result = self.run_program("convert", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv2",
                                  str(self.folder / "m/mapping.yaml"), "--to", "accelforge", "-o", str(self.folder / "a"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout + result.stderr, r"AccelForge fills a tile again .*Weights in weights_spad \(243 times\)")


class TileFlow(Case):
    def test_the_example(self):
        result = self.run_program("evaluate", *TILEFLOW)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"operations +48")
        self.assertRegex(result.stdout, r"Main +B +24 +0 +0")

    def test_found_factors_are_for_its_open_ones(self):
        result = self.run_program("evaluate", *TILEFLOW, "--found-factors", self.write("found.txt", "for M in [0:X(4)), Main\n"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("there are 1 found factors, and the tree leaves 0 open", result.stderr)
