"""A mapping that breaks a rule is refused at its place in the mapping file, by every verb that reads one."""

import json
import pathlib
import unittest

from program import ROOT, Case

FOUND = ROOT.parent / "shared" / "examples" / "found" / "A1_evaluate_accepts_too_many_neighbours"

# Two pads with two units each; Z[m] += A[m, k] with M = 4 and K = 6.
ARCHITECTURE = """architecture:
  version: 0.4
  subtree:
  - name: top
    local:
    - {name: DRAM, class: DRAM, attributes: {width: 16, block-size: 1, word-bits: 16}}
    subtree:
    - name: pe[0..1]
      local:
      - {name: pad, class: regfile, attributes: {depth: 64, width: 16, word-bits: 16, meshX: 2}}
      - {name: 'mac[0..1]', class: intmac, attributes: {datawidth: 16, meshX: 4}}
"""
PROBLEM = """problem:
  shape:
    name: mv
    dimensions: [M, K]
    data-spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: Z, projection: [[[M]]], read-write: true}
  instance: {M: 4, K: 6}
"""
MAPPING = """mapping:
- {target: DRAM, type: spatial, factors: [M=2], split: 9}
- {target: DRAM, type: temporal, factors: [K=3]}
- {target: pad, type: datatype, keep: [A, Z], bypass: []}
- {target: pad, type: spatial, factors: [M=2], split: 9}
- {target: pad, type: temporal, factors: [K=2]}
"""
NEST = """mapping:
- {store: DRAM, tensors: [A, Z]}
- {loop: K, extent: 3}
- {loop: M, extent: 2, across: X}
- {store: pad, tensors: [A, Z]}
- {loop: K, extent: 2}
- {loop: M, extent: 2, across: X}
"""


class Place(Case):
    """The line and column are those of the entry that the test names, found in the text and not in what the program says."""

    def setUp(self):
        super().setUp()
        self.write("arch.yaml", ARCHITECTURE)
        self.write("problem.yaml", PROBLEM)

    def place(self, text, entry, within=""):
        """file:line:column of what begins with `within` in the line of `entry`."""
        lines = [line for line in enumerate(text.split("\n"), 1) if entry in line[1]]
        self.assertEqual(len(lines), 1, entry)
        number, line = lines[0]
        column = line.index(within, line.index(entry)) + 1
        if line[column - 1] in "{'[":
            column += 1  # the first letter inside
        return f"mapping.yaml:{number}:{column}: "

    def assert_at(self, text, place, words, kind, verbs=("evaluate", "timeloop", "check", "simulate")):
        self.write("mapping.yaml", text)
        files = ("arch.yaml", "problem.yaml", "mapping.yaml")
        for verb in verbs:
            with self.subTest(verb=verb):
                account = ("--account", "timeloop") if verb == "timeloop" else ()
                result = self.run_program("evaluate" if verb == "timeloop" else verb, *files, *account)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                lines = [line for line in result.stderr.split("\n") if place in line]
                line = next((line for line in lines if verb == "simulate" or f"[{kind}]" in line), None)
                self.assertIsNotNone(line, f"{place} is not in\n{result.stderr}")
                for word in words:
                    self.assertIn(word, line)
        found = json.loads(self.run_program("check", *files, "--json").stdout)["problems"]
        self.assertIn((kind, *place.rstrip(": ").split(":")),
                      [(one["code"], one["file"], str(one["line"]), str(one["column"])) for one in found])

    def test_sound_ones_are_taken(self):
        for text in (MAPPING, NEST):
            self.write("mapping.yaml", text)
            for verb in ("evaluate", "check", "simulate"):
                result = self.run_program(verb, "arch.yaml", "problem.yaml", "mapping.yaml")
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_capacity(self):
        """Below a pad run M = 2 and K = 2: 4 words of A and 2 of Z, 4 more than a pad of 2 words has."""
        self.write("arch.yaml", ARCHITECTURE.replace("depth: 64", "depth: 2"))
        self.assert_at(MAPPING, self.place(MAPPING, "{target: pad, type: datatype"), ("pad", "4 more than its 2"), "capacity",
                       ("evaluate", "check", "simulate"))
        text = MAPPING.replace("- {target: pad, type: datatype, keep: [A, Z], bypass: []}\n", "")
        self.assert_at(text, self.place(text, "{target: pad, type: temporal"), ("pad", "A 4", "Z 2"), "capacity",
                       ("evaluate", "check", "simulate"))
        self.assert_at(NEST, self.place(NEST, "{store: pad"), ("pad", "4 more than its 2"), "capacity", ("evaluate", "check", "simulate"))

    def test_fan_out(self):
        """4 pads along X, where 2 are."""
        text = MAPPING.replace("spatial, factors: [M=2], split: 9}\n- {target: DRAM", "spatial, factors: [M=4], split: 9}\n- {target: DRAM")
        text = text.replace("- {target: pad, type: spatial, factors: [M=2], split: 9}\n", "")
        self.assert_at(text, self.place(text, "{target: DRAM, type: spatial", "M=4"), ("4 instances of pad", "along X", "has 2"), "fanout_x",
                       ("evaluate", "check"))
        self.assert_at(text, self.place(text, "{target: DRAM, type: spatial", "M=4"), ("pad", "4", "has 2"), "instances")
        nest = NEST.replace("{loop: M, extent: 2, across: X}\n- {store: pad", "{loop: M, extent: 4, across: X}\n- {store: pad")
        nest = nest.replace("- {loop: M, extent: 2, across: X}\n", "")
        self.assert_at(nest, self.place(nest, "{loop: M, extent: 4"), ("4 instances of pad", "along X"), "fanout_x", ("evaluate", "check"))

    def test_neighbours_below_one_instance(self):
        """4 units exist, but one pad has 2 of them."""
        text = MAPPING.replace("- {target: DRAM, type: spatial, factors: [M=2], split: 9}\n", "").replace("[M=2]", "['M=4']")
        self.assert_at(text, self.place(text, "{target: pad, type: spatial", "'M=4'"), ("below one pad", "4 instances", "has 2"), "fanout_x",
                       ("evaluate", "check", "simulate"))
        nest = NEST.replace("- {loop: M, extent: 2, across: X}\n- {store: pad", "- {store: pad").replace("extent: 2, across", "extent: 4, across")
        self.assert_at(nest, self.place(nest, "{loop: M, extent: 4"), ("below one pad",), "fanout_x", ("evaluate", "check", "simulate"))

    def test_factor_product(self):
        for text, entry, within in ((MAPPING.replace("[K=3]", "[K=4]"), "{target: DRAM, type: temporal", "[K=4]"),
                                    (NEST.replace("{loop: K, extent: 3}", "{loop: K, extent: 4}"), "{loop: K, extent: 4}", "")):
            self.write("mapping.yaml", text)
            for verb in ("evaluate", "check", "simulate"):
                result = self.run_program(verb, "arch.yaml", "problem.yaml", "mapping.yaml")
                self.assertEqual(result.returncode, 2)
                self.assertTrue(result.stderr.startswith(self.place(text, entry, within) + "error: the "), result.stderr)
                self.assertIn("cover 8, but its extent is 6", result.stderr)

    def test_a_tensor_that_is_kept_nowhere(self):
        text = MAPPING.replace("keep: [A, Z], bypass: []", "keep: [Z], bypass: [A]").replace(
            "mapping:\n", "mapping:\n- {target: DRAM, type: datatype, keep: [Z], bypass: [A]}\n")
        self.assert_at(text, self.place(text, "{target: pad, type: datatype"), ("tensor 'A' ", "every memory"), "bypass")
        nest = NEST.replace("tensors: [A, Z]", "tensors: [Z]")
        self.assert_at(nest, self.place(nest, "{store: pad"), ("tensor 'A' bypasses every memory",), "bypass",
                       ("evaluate", "check", "simulate"))

    def test_a_mapping_of_a_network(self):
        """Of the layer's own entry in `layers`."""
        text = MAPPING.replace("- {target: DRAM, type: spatial, factors: [M=2], split: 9}\n", "").replace("[M=2]", "[M=4]")
        layers = "layers:\n- names: [problem]\n" + "".join(f"  {line}\n" for line in text.splitlines())
        self.assert_at(layers, self.place(layers, "{target: pad, type: spatial", "M=4"), ("below one pad",), "fanout_x",
                       ("evaluate", "check", "simulate"))

    def test_a_json_report_says_it_too(self):
        self.write("arch.yaml", ARCHITECTURE.replace("depth: 64", "depth: 2"))
        self.write("mapping.yaml", MAPPING)
        report = json.loads(self.run_program("evaluate", "arch.yaml", "problem.yaml", "mapping.yaml", "--json").stdout)
        self.assertTrue(report["layers"][0]["failures"][0].startswith(self.place(MAPPING, "{target: pad, type: datatype")), report)

    @unittest.skipUnless(FOUND.is_dir(), "the shared reference data is not there")
    def test_the_cases_that_were_found(self):
        """found/README: `evaluate` and `check` refuse both mappings at their place, naming the memory, the neighbours it has and those
        asked for."""
        for folder, words in ((FOUND, ("below one pad", "has 2", "4 instances")), (FOUND / "beats_the_proof", ("below one M2",))):
            files = [folder / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
            for verb in ("evaluate", "check"):
                result = self.run_program(verb, *files)
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertRegex(result.stderr, r"mapping\.yaml:\d+:\d+: ")
                line = next(line for line in result.stderr.split("\n") if "mapping.yaml:" in line)
                for word in words:
                    self.assertIn(word, line)


class ZigZag(Case):
    def test_capacity(self):
        """3 x 3 weights of 8 bits are 72 bits; a register of 64 lacks 8."""
        folder = ROOT / "examples" / "uneven"
        text = (folder / "mapping.yaml").read_text()
        self.write("mapping.yaml", text)
        self.write("workload.yaml", (folder / "workload.yaml").read_text())
        self.write("hardware.yaml", (folder / "hardware.yaml").read_text().replace("size: 128", "size: 64"))
        number = next(i for i, line in enumerate(text.splitlines(), 1) if "O: rf_o" in line)
        for verb in ("evaluate", "check"):
            result = self.run_program(verb, "hardware.yaml", "workload.yaml", "mapping.yaml")
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(f"mapping.yaml:{number}:5: ", result.stderr)
            self.assertIn("memory 'rf_w' lacks 8 bits", result.stderr)


if __name__ == "__main__":
    unittest.main()
