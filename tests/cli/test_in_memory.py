"""Arrays computing in memory from the machine's file to a confirmed certificate."""

import collections
import json
import re
import shutil
import unittest

from program import ROOT, Case

PUBLIC = ROOT.parent / "shared" / "golden" / "cim" / "public"  # machines, workloads, cells and variables as their projects have them
# Reasons, by what the program says; docs/guide-compute-in-memory.md has the table.
REASONS = {"loads": "^$",
           "part of another file": "nothing to check",
           "description of a cell": "the description of a memory cell holds no machine",
           "unknown shape coefficient": "'HStride'",
           "slices that an adder outside other fan-outs sums": "'no_reuse' of"}
COUNTS = {"zigzag: loads": 4, "accelforge: loads": 12, "accelforge: description of a cell": 11, "accelforge: part of another file": 1,
          "cimloop: loads": 74, "cimloop: slices that an adder outside other fan-outs sums": 5, "cimloop: unknown shape coefficient": 1, "cimloop: description of a cell": 11}
MAPPED = {"loads": 34, "unknown shape coefficient": 1, "slices that an adder outside other fan-outs sums": 2}


def template(path):
    """How CiMLoop's scripts reach a file: the values of its template's variables."""
    parts = path.relative_to(PUBLIC / "cimloop").parts
    names = {"macro": "basic_analog", "system": "ws_dummy_buffer_one_macro"}
    if parts[:2] == ("arch", "1_macro"):
        names["macro"] = parts[2]
    elif parts[0] == "arch":
        names[parts[1][2:]] = path.stem
        names["macro"] = {"isaac": "isaac_isca_2016", "raella": "raella_isca_2023"}.get(path.stem, "basic_analog")
    elif parts[:2] == ("workloads", "alexnet"):
        names |= {"dnn": "alexnet", "layer": path.stem}
    names["iso"] = names["macro"]
    return (PUBLIC / "cimloop" / "top.yaml.jinja2", *(word for name, value in names.items() for word in ("--jinja", f"{name}={value}")))

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
# As CiMLoop's machines are written, at 1 pJ an action.
BITS = """\
architecture:
  version: 0.4
  nodes:
  - !Component
    name: top
    class: dummy_storage
    attributes: {datawidth: 1, width: 1}
    constraints: {dataspace: {keep_only: [Inputs, Outputs]}}
  - !Component
    name: adc
    class: dummy_storage
    attributes: {datawidth: 1, width: 1, vector_access_energy: 1}
    constraints: {dataspace: {keep_only: [Outputs], no_coalesce: ["*"]}}
  - !Component
    name: row_drivers
    class: dummy_storage
    attributes: {datawidth: 1, width: 1, vector_access_energy: 1}
    constraints: {dataspace: {keep_only: [Inputs], no_coalesce: ["*"]}}
  - !ArrayContainer
    name: column
    spatial: {meshX: 4}
    constraints: {spatial: {no_reuse: [Outputs, Weights], no_iteration_over_dataspaces: [Inputs], maximize_dims: [[Y], [M]], split: 999}}
  - !ArrayContainer
    name: row
    spatial: {meshY: 4}
    constraints: {spatial: {no_reuse: [Inputs, Weights], no_iteration_over_dataspaces: [Outputs], factors: [X=1], maximize_dims: [C], split: 999}}
  - !Component
    name: cim_unit
    class: dummy_storage
    attributes:
      width: variables.get("SLICE", 2)
      datawidth: 1
      depth: 1
      vector_access_energy: 1
    constraints: {dataspace: {keep_only: [Weights]}, temporal: {factors_only: []}}
  - !Container
    name: bits
    spatial:
      meshX: variables.get("SLICE", 2)
    constraints:
      spatial:
        split: 999
        factors_only:
        - ("Y=" + str(variables.get("SLICE", 2)))
        - Z=0
  - !Component {name: mac, class: free_mac, attributes: {energy: 0, area: 0}}
variables: {version: 0.4, global_cycle_seconds: 1e-9, technology: 45nm, ROWS: ARRAY_WORDLINES, ARRAY_WORDLINES: set}
problem:
  version: 0.4
  shape:
    dimensions: [P, C, M, X, Y, Z]
    data_spaces:
    - {name: Inputs, projection: [[[P]], [[C]], [[X]]]}
    - {name: Weights, projection: [[[C]], [[M]], [[Y]]]}
    - {name: Outputs, projection: [[[P]], [[M]], [[Z]]], read_write: true}
  instance: {P: 5, C: 6, M: 3, X: 8, Y: ROWS, Z: 1}
"""
SI = {"": 1e12, "m": 1e9, "u": 1e6, "n": 1e3, "p": 1.0, "f": 1e-3}
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

    def test_spare_columns_hold_positions(self):
        layer = ["--einsum", "O[p,n] += I[p+r,k] * W[r,k,n]", "--extents", "p=12,r=3,k=4,n=2"]
        energy = {}
        for hold in ("filters", "positions"):
            machine = self.write("array.yaml", ARRAY.replace("STOPS", f", columns_hold: {hold}"))
            result = self.run_program("map", machine, *layer, "--objective", "energy", "--json", "-o", "out")
            self.assertEqual(result.returncode, 0, result.stderr)
            answer = json.loads(result.stdout)["layers"][0]
            energy[hold] = answer["evaluation"]["energy_pj"]
            check = self.run_program("check", "out/certificate.json")
            self.assertIn("confirmed", check.stdout, check.stderr)
        self.assertLess(energy["positions"], energy["filters"])

    def test_timeloops_rules_do_not_know_it(self):
        self.map()
        result = self.run_program("evaluate", "array.yaml", *LAYER, "out/mapping.yaml", "--account", "timeloop")
        self.assertIn("is a passage, a priced place that holds nothing", result.stdout + result.stderr)

    @unittest.skipUnless(PUBLIC.exists(), "skipped: there is no folder ../shared/golden/cim/public")
    def test_public_files_load_or_say_why_not(self):
        found = collections.Counter()
        known = {}
        for path in sorted([*PUBLIC.rglob("*.yaml"), *PUBLIC.rglob("*.jinja2")]):
            of_cimloop = "cimloop" in path.parts and path.parent.name != "memory_cells"
            arguments = ("check", *template(path)) if of_cimloop else ("check", "--jinja", "BATCH_SIZE=1", path)
            if arguments not in known:
                known[arguments] = self.reason(self.run_program(*arguments))
            found[f"{path.relative_to(PUBLIC).parts[0]}: {known[arguments]}"] += 1
        self.assertEqual(dict(found), COUNTS)

    def reason(self, result):
        line = next((line for line in result.stderr.splitlines() if "error:" in line), "")
        return next((reason for reason, words in REASONS.items() if re.search(words, line)), line)

    @unittest.skipUnless(PUBLIC.exists(), "skipped: there is no folder ../shared/golden/cim/public")
    def test_cimloops_machines_are_mapped(self):
        machines = {template(path) for path in (PUBLIC / "cimloop").rglob("*.yaml") if path.parent.name != "memory_cells"}
        found = collections.Counter(self.reason(self.run_program("map", *machine, "--factors", "ruby-s")) for machine in sorted(machines))
        self.assertEqual(dict(found), MAPPED)
        wang = next(machine for machine in machines if "macro=wang_vlsi_2022" in machine)
        result = self.run_program("map", *wang, "--mapper", "optimal", "-o", "out")
        self.assertIn("proven optimal", result.stdout, result.stderr)
        self.assertIn("confirmed", self.run_program("check", "out/certificate.json").stdout)

    # TOPS and TOPS/W of one full product beside CiMLoop's charts; our tables lack Wang's ladder of resistors and Jia's datapath.
    @unittest.skipUnless(PUBLIC.exists(), "skipped: there is no folder ../shared/golden/cim/public")
    def test_chips_of_cimloops_files_stand_beside_its_charts(self):
        chips = json.loads((ROOT / "tests/golden/cimloop_files.json").read_text())
        self.assertEqual(len(chips), 4)
        for chip in chips:
            tops, tops_per_watt = self.figures(chip)
            self.assertAlmostEqual(tops / chip["ours"]["tops"], 1, 6, chip["name"])
            self.assertAlmostEqual(tops_per_watt / chip["ours"]["topsw"], 1, 4, chip["name"])
            self.assertLess(abs(tops / chip["chart"]["tops"] - 1), 0.003, chip["name"])
            self.assertLess(abs(tops_per_watt / chip["chart"]["topsw"] - 1), 0.32, chip["name"])

    def figures(self, chip):
        folder = self.folder / "cimloop"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(PUBLIC / "cimloop", folder)
        sizes = {"C": chip["rows"], "M": chip["filters"]}
        for path, values in [*((path, chip["set"]) for path in (folder / "arch" / "1_macro" / chip["macro"]).glob("variables_*.yaml")),
                             (folder / "workloads" / "problem_base.yaml", sizes)]:
            text = path.read_text()
            for name, value in values.items():
                text = re.sub(rf"(\n +{name}:)[^\n#]*", rf"\1 {value} ", text, count=1)
            path.write_text(text)
        result = self.run_program("map", folder / "top.yaml.jinja2", "--factors", "ruby-s", "-o", "out", "--jinja", f"macro={chip['macro']}",
                                  "--jinja", f"iso={chip['macro']}", "--jinja", "system=ws_dummy_buffer_one_macro")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        report = json.loads((self.folder / "out" / "report.json").read_text())
        layer = report["layers"][0]["evaluation"]
        operations = 2 * chip["rows"] * chip["filters"]
        seconds = layer["cycles"] * report["architecture"]["cycle_seconds"]
        return operations / seconds / 1e12, operations / layer["energy_pj"]

    @unittest.skipUnless(PUBLIC.exists(), "skipped: there is no folder ../shared/golden/cim/public")
    def test_public_machines_are_mapped_with_proof(self):
        machines = [path for path in sorted((PUBLIC / "accelforge").glob("*.yaml")) if path.name != "_include.yaml"]
        self.assertEqual(len(machines), 9)
        for machine in machines:
            result = self.run_program("map", machine, "-o", machine.stem)
            self.assertIn("proven optimal", result.stdout, result.stderr)
            again = self.run_program("evaluate", machine, f"{machine.stem}/mapping.yaml")
            energy = re.search("energy .*", result.stdout)[0]
            self.assertIn(energy, again.stdout)
            if machine.stem[:4] not in ("jia_", "neur", "wang"):  # the others' take long
                continue
            check = self.run_program("check", f"{machine.stem}/certificate.json")
            self.assertIn("confirmed", check.stdout, check.stderr)

    # Spec by hand: 4 x 4 cells of 2 bits; 5 x 6 inputs of 8 bits, one bit at a time; 6 x 3 weights of 4 bits.
    def test_a_machine_of_bits_counts_as_by_hand(self):
        machine = self.write("bits.yaml", BITS)
        result = self.run_program("map", machine, "--factors", "ruby-s", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        energy = {name: float(number) * SI[unit] for name, number, unit in
                  re.findall(r"^  (row_drivers|adc|cim_unit) +([0-9.]+) ([a-z]*)J", result.stdout, re.MULTILINE)}
        self.assertEqual({name: round(value) for name, value in energy.items()}, {"row_drivers": 480, "adc": 480, "cim_unit": 1440})
        self.assertIn("latency      160 cycles", result.stdout)


if __name__ == "__main__":
    unittest.main()
