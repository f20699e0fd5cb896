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

    def test_macros_and_files_without_a_permutation(self):
        """Names stand for numbers; one factor has one order; what only TileFlow's search and output use is noted."""
        text = (ROOT / "examples/tileflow/products.yaml").read_text()
        mapping = self.write("map.yaml", "mapping:" + text.split("mapping:")[1]
                             .replace("factors: M=4\n  permutation: M\n", "factors: M = MO\n").replace("K=2 L=3", "K=KI L=3"))
        problem = self.write("prob.yaml", text.split("mapping:")[0].replace("M: 4, K: 2", "M: M, K: K"))
        macro = "output: here\nverbose: 0\ncheck: {mem: True}\ntileflow-mapper: {timeout: 1}\nmacro: {M: 4, K: 2, MO: 4"
        files = ["--arch", TILEFLOW[1], problem, "--fused-mapping", mapping]
        expected = self.run_program("evaluate", *TILEFLOW).stdout
        result = self.run_program("evaluate", *files, self.write("macro.yaml", macro + ", KI: 2}\n"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, expected)
        left = self.run_program("evaluate", *files, self.write("macro.yaml", macro + "}\n"))
        self.assert_fails(left, 2, "...the factor 'KI' of 'K' is left to TileFlow's search; give its number: macro: {KI: 2}")

    def test_what_is_bypassed_is_not_handed_on(self):
        """As in its checker: a node that a tensor passes by neither reads it nor fills the node below."""
        text = (ROOT / "examples/tileflow/products.yaml").read_text()
        self.assertEqual(text.count("target: Main\n"), 1)
        mapping = self.write("map.yaml", text.replace("target: Main\n", "target: Main\n  bypass: [B]\n"))
        result = self.run_program("evaluate", *TILEFLOW[:2], "--fused-mapping", mapping)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotRegex(result.stdout, r"Main +B +24")
        self.assertRegex(result.stdout, r"Main +W +24")
        wrong = self.write("map.yaml", text.replace("target: Main\n", "target: Main\n  bypass: [X]\n"))
        result = self.run_program("evaluate", *TILEFLOW[:2], "--fused-mapping", wrong)
        self.assert_fails(result, 2, "...no operation has a data space 'X'")

