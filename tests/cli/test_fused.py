"""Fused mappings: `evaluate --fused-mapping`, as text and YAML, with its mistakes."""

import json
import unittest

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = yaml = None

from program import Case, ROOT

FOLDER = ROOT / "examples/fusion"
MACHINE = FOLDER / "machine.yaml"
CASCADE = FOLDER / "filters.cascade"
MAPPING = FOLDER / "filters.fused"

YAML = """fused_mapping:
  - {store: DRAM, tensors: [A, V, W, C]}
  - {store: Buffer, tensors: [V, W]}
  - {loop: q, step: 2}
  - {store: Buffer, tensors: [A, B, C]}
  - split:
    - - leaf: first
        mapping: [{loop: p, step: 1}, {loop: r, step: 1}]
    - - leaf: second
        mapping: [{loop: q, step: 1}, {loop: s, step: 1}]
"""


class Fused(Case):
    def evaluate(self, mapping, *more):
        return self.run_program("evaluate", "--arch", MACHINE, "--net", CASCADE, "--fused-mapping", mapping, *more)

    def counted(self, mapping):
        result = self.evaluate(mapping, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_the_example_of_the_document(self):
        report = self.counted(MAPPING)
        self.assertEqual(report["schema"], "tilewright-fused/1")
        totals = report["totals"]
        self.assertEqual((totals["energy_pj"], totals["cycles"]), (4228.0, 68))
        self.assertEqual((totals["operations"], totals["recomputed_operations"]), (54, 0))
        buffer = report["memories"][1]
        self.assertEqual((buffer["peak_words"], buffer["peak_leaf"], buffer["usable_words"]), (18, "second", 64))
        dram = {one["name"]: one for one in report["memories"][0]["tensors"]}
        self.assertEqual(sorted(dram), ["A", "C", "V", "W"])
        self.assertEqual((dram["A"]["reads"], dram["C"]["updates"]), (12.0, 8.0))

    def test_partial_sums_are_wider(self):
        """By hand: of 54 words that are added 18 are final. The 36 others and the 36 reads before them take two accesses, of 2
        and 1 pJ; B and C, to which sums come back, take twice the room."""
        result = self.evaluate(MAPPING, "--bits", "Outputs=16/32", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(report["totals"]["energy_pj"], 4228 + 36 * 2 + 36 * 1)
        buffer = report["memories"][1]
        self.assertEqual((buffer["peak_words"], buffer["peak_leaf"]), (18 + 4 + 2, "second"))

    def test_yaml_says_the_same(self):
        totals = self.counted(self.write("mapping.yaml", YAML))["totals"]
        self.assertEqual(totals, self.counted(MAPPING)["totals"])

    def test_the_file_has_a_versioned_form(self):
        self.run_program("map", "--fuse", "--arch", MACHINE, "--net", CASCADE, "-o", "out", "-q")
        text = (self.folder / "out" / "mapping.yaml").read_text()
        schema = json.loads((ROOT / "schemas" / "fused-mapping-1.schema.json").read_text())
        if yaml:
            jsonschema.validate(yaml.safe_load(text), schema)
            jsonschema.validate(yaml.safe_load(YAML), schema)
        self.assertEqual(self.evaluate("out/mapping.yaml").returncode, 0)
        refused = self.evaluate(self.write("next.yaml", text.replace("mapping/1", "mapping/2")))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("next.yaml:1:9: error: expected 'tilewright-fused-mapping/1', found 'tilewright-fused-mapping/2'", refused.stderr)

    def test_text_has_what_is_asked_for(self):
        result = self.evaluate(MAPPING, "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("4.228 nJ", "68", "peak words", "shared stores", "throughout", "for q by 2"):
            self.assertIn(part, result.stdout)
        self.assertEqual(self.files(), ["out/report.json", "out/report.txt"])

    def test_an_einsum_of_several_statements(self):
        result = self.run_program("evaluate", "--arch", MACHINE, "--fused-mapping", MAPPING, "--extents", "p=10,r=3,q=8,s=3",
                                  "--einsum", "first: B[p] += A[p+r] * V[r]; second: C[q] += B[q+s] * W[s]", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["totals"]["energy_pj"], 4228.0)

    def test_mistakes_are_told_at_their_place(self):
        text = MAPPING.read_text()
        cases = ((("B, C", "C"), 1, "m.fused:7:11: no store holds tensor 'B' on the way to 'first'"),
                 (("store Buffer: A", "store Bufer: A"), 2, "m.fused:5:13: error: 'Bufer': there is no such memory; did you mean 'Buffer'?"),
                 (("for q by 2", "for x by 2"), 2, "m.fused:4:9: error: 'x': there is no such dimension of 'second'"),
                 (("for q by 2", "for q by 8"), 0, ""))
        for (old, new), status, message in cases:
            changed = self.write("m.fused", text.replace(old, new, 1))
            result = self.evaluate(changed)
            self.assertEqual(result.returncode != 0, status != 0, result.stderr)
            self.assertIn(message, result.stderr)

    def test_a_buffer_that_is_too_small(self):
        machine = self.write("machine.yaml", MACHINE.read_text().replace("depth: 64", "depth: 17"))
        result = self.run_program("evaluate", "--arch", machine, "--net", CASCADE, "--fused-mapping", MAPPING)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("filters.fused:10:11: Buffer holds 18 words while 'second' runs, 1 more than its 17", result.stderr)

    def test_passages_are_not_left_out_in_silence(self):
        machine = self.write("machine.yaml", MACHINE.read_text().replace(
            "  - !Component\n    name: Buffer", "  - !Passage {name: driver, tensor: Inputs, energy: 5}\n  - !Component\n    name: Buffer"))
        result = self.run_program("evaluate", "--arch", machine, "--net", CASCADE, "--fused-mapping", MAPPING)
        self.assertEqual(result.returncode, 2)
        self.assertIn("'driver' is a passage, and those are counted layer by layer", result.stderr)

    def test_it_needs_a_cascade(self):
        result = self.run_program("evaluate", "--arch", MACHINE, "--net", "resnet18", "--fused-mapping", MAPPING)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--fused-mapping needs a cascade", result.stderr)


if __name__ == "__main__":
    unittest.main()
