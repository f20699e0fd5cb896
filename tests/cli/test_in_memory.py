"""Arrays computing in memory from the machine's file to a confirmed certificate."""

import collections
import json
import re
import unittest

from program import ROOT, Case

PUBLIC = ROOT.parent / "shared" / "golden" / "cim" / "public"  # machines, workloads, cells and variables as their projects have them
# Reasons, by what the program says; docs/guide-compute-in-memory.md has the table.
REASONS = {"loads": "^$",
           "part of another file": "nothing to check",
           "description of a cell": "unknown section '_MemCellType'",
           "part whose includes start at another folder": "to include does not exist|globals_",
           "template's variable without a value": "BATCH_SIZE|Jinja variable",
           "variable that is a list": "expected a plain value",
           "set that is a text": "expected a set"}
COUNTS = {"zigzag: loads": 4, "accelforge: variable that is a list": 8, "accelforge: set that is a text": 1,
          "accelforge: description of a cell": 11, "accelforge: template's variable without a value": 3, "accelforge: part of another file": 1,
          "cimloop: part whose includes start at another folder": 35, "cimloop: part of another file": 35, "cimloop: description of a cell": 11,
          "cimloop: template's variable without a value": 10}

ARRAY = """\
architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, datawidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 1024, width: 64, datawidth: 8, technology: 65nm, wire_energy: 0}}
  - !CellArray
    name: macro
    attributes: {rows: 16, columns: 16, cell_bits: 2, weight_bits: 4, input_bits: 8, input_bits_at_once: 2, technology: 65nm,
                 cells: sram_example, pulse_ns: 1, converter_bits: 6, columns_per_converter: 2STOPS}
variables: {version: 0.4, global_cycle_seconds: 1e-8}
"""
LAYER = ["--einsum", "O[m,n] += I[m,k] * W[k,n]", "--extents", "m=12,k=32,n=16"]


class InMemory(Case):
    def map(self, stops=""):
        machine = self.write("array.yaml", ARRAY.replace("STOPS", stops))
        result = self.run_program("map", machine, *LAYER, "--objective", "edp", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def layer(self):
        result = self.run_program("evaluate", "array.yaml", *LAYER, "out/mapping.yaml", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["layers"][0]["evaluation"]

    def test_a_described_array_is_mapped_with_proof(self):
        text = self.map()
        self.assertIn("proven optimal", text)
        self.assertIn("inputs of 8 bits in 4 slices, weights of 4 bits in 2 columns; 8 weights side by side, 16 rows summed", text)
        self.assertIn("row drive", text)
        self.assertIn("conversion", text)
        result = self.run_program("check", "out/certificate.json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("confirmed", result.stdout)

    def test_writing_cells_takes_time(self):
        self.map()
        free = self.layer()["cycles"]
        text = self.map(", program_seconds: 1e-6")
        self.assertIn("proven optimal", text)
        self.assertRegex(text, "macro_cells: each cell in use is written [0-9.]+ times; the units wait")
        # 32 x 16 weights on 16 rows and 8 columns: 64 rows of 1 us each at least, in operations of 80 ns.
        self.assertGreaterEqual(self.layer()["cycles"], free + 64 * 1e-6 / 8e-8 - 1)
        result = self.run_program("check", "out/certificate.json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_wider_array_is_a_setting(self):
        self.write("array.yaml", ARRAY.replace("STOPS", ""))
        result = self.run_program("show", "array.yaml", "--set", "macro.columns=32", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        memories = json.loads(result.stdout)["architecture"]["memories"]
        self.assertEqual([memory["instances"] for memory in memories if memory["name"] == "macro_cells"], [16])

    def test_timeloops_rules_do_not_know_it(self):
        self.map()
        result = self.run_program("evaluate", "array.yaml", *LAYER, "out/mapping.yaml", "--account", "timeloop")
        self.assertIn("is a passage, a priced place that holds nothing", result.stdout + result.stderr)

    @unittest.skipUnless(PUBLIC.exists(), "skipped: there is no folder ../shared/golden/cim/public")
    def test_public_files_load_or_say_why_not(self):
        found = collections.Counter()
        for path in sorted([*PUBLIC.rglob("*.yaml"), *PUBLIC.rglob("*.jinja2")]):
            result = self.run_program("check", path)
            line = next((line for line in result.stderr.splitlines() if "error:" in line), "")
            reason = next((reason for reason, words in REASONS.items() if re.search(words, line)), line)
            found[f"{path.relative_to(PUBLIC).parts[0]}: {reason}"] += 1
        self.assertEqual(dict(found), COUNTS)


if __name__ == "__main__":
    unittest.main()
