"""map_fused() beside the command line."""

import json
import os
import subprocess
import unittest

import tilewright

PROGRAM = os.environ["TILEWRIGHT"]
TEXT = "B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]"
SIZES = {"m": 64, "e": 16, "k": 32, "n": 16}


class Fusing(unittest.TestCase):
    def setUp(self):
        self.machine = tilewright.Architecture("fused-npu").with_settings({"buffer.depth": "2048"})

    def test_the_answer_is_that_of_the_command_line(self):
        found = tilewright.map_fused(TEXT, self.machine, objective="energy", dims=SIZES, buffers=[2048, 1024])
        printed = subprocess.run(
            [PROGRAM, "map", "--fuse", "--arch", "fused-npu", "--set", "buffer.depth=2048", "--einsum", TEXT, "--extents",
             ",".join(f"{name}={size}" for name, size in SIZES.items()), "--objective", "energy", "--buffers", "1k,2k", "--json"],
            capture_output=True, text=True, check=True)
        theirs, ours = json.loads(printed.stdout), found.to_dict()
        for part in ("ways", "groups", "buffers", "mapping", "proven", "value", "bound", "effort", "schema"):
            self.assertEqual(ours[part], theirs[part], part)
        self.assertTrue(found.proven)
        self.assertAlmostEqual(found.energy_pj / found.bound, 1.0, delta=1e-8)
        self.assertLess(found.energy_pj, found.ways["unfused"]["energy_pj"])
        self.assertEqual([len(group["einsums"]) for group in found.groups], [2])
        self.assertEqual([size["buffer_words"] for size in found.buffers], [1024, 2048])
        self.assertIn("store DRAM", found.mapping)
        self.assertIn("proven", str(found))
        self.assertIn("Energy, fused and not", found.to_html())
        self.assertTrue(found.to_csv().startswith("network,architecture,objective,mapping"))

    def test_a_front_has_the_best_of_energy_and_of_cycles(self):
        found = tilewright.map_fused(TEXT, self.machine, objective="pareto", dims=SIZES)
        for end, objective, key in ((0, "energy", "energy_pj"), (-1, "latency", "cycles")):
            alone = tilewright.map_fused(TEXT, self.machine, objective=objective, dims=SIZES)
            self.assertEqual(found.front[end][key], alone.ways["fused"][key])
            self.assertTrue(found.front[end]["proven"])
        self.assertIn(found.mapping, [point["mapping"] for point in found.front])
        self.assertLessEqual(found.gap, 0.001)
        self.assertIn("the front of energy and cycles", str(found))

    def test_tensors_have_widths_of_their_own(self):
        bits = {"Weights": 4, "B": 8}
        found = tilewright.map_fused(TEXT, self.machine, objective="energy", dims=SIZES, bits=bits)
        printed = subprocess.run(
            [PROGRAM, "map", "--fuse", "--arch", "fused-npu", "--set", "buffer.depth=2048", "--einsum", TEXT, "--extents",
             ",".join(f"{name}={size}" for name, size in SIZES.items()), "--objective", "energy", "--bits", "Weights=4,B=8", "--json"],
            capture_output=True, text=True, check=True)
        theirs, ours = json.loads(printed.stdout), found.to_dict()
        for part in ("ways", "mapping", "proven", "value", "bound"):
            self.assertEqual(ours[part], theirs[part], part)
        wide = tilewright.map_fused(TEXT, self.machine, objective="energy", dims=SIZES)
        self.assertLess(found.energy_pj, wide.energy_pj)
        for wrong, message in (({"Weights": "4/32:8"}, r"fusion and block formats \(MX\) do not go together"), ({"Weights": -1}, "bits takes TENSOR=BITS")):
            with self.assertRaisesRegex(tilewright.InputError, message):
                tilewright.map_fused(TEXT, self.machine, dims=SIZES, bits=wrong)

    def test_what_cannot_be_is_refused(self):
        tiny = tilewright.map_fused(TEXT, self.machine.with_settings({"buffer.depth": "1"}), dims=SIZES)
        self.assertEqual(len(tiny.groups), 2)  # operands pass a buffer of one word by, and nothing is fused
        for wrong, message in (({"objective": "speed"}, "unknown objective 'speed'"), ({"objective": "energy^2*latency"}, "energy, latency, edp and pareto"),
                               ({"phase": "decode"}, "phase is for language models"),
                               ({"density": "Weights=0.5"}, "sparsity and fusion do not go together: fused mappings have dense words"), ({"buffers": [0]}, "buffers takes a whole number")):
            with self.assertRaisesRegex(tilewright.InputError, message):
                tilewright.map_fused(TEXT, self.machine, dims=SIZES, **wrong)
        with self.assertRaisesRegex(tilewright.InputError, "no memory of one instance inside"):
            tilewright.map_fused(TEXT, "h100", dims=SIZES)
        with self.assertRaisesRegex(tilewright.InputError, "buffers is for machines of a DRAM, a buffer and units"):
            tilewright.map_fused(TEXT, "eyeriss", dims=SIZES, buffers=[64])

    def test_memories_inside_the_buffer(self):
        found = tilewright.map_fused(TEXT, "eyeriss", objective="energy", dims=SIZES)
        self.assertLessEqual(found.bound, found.energy_pj)
        self.assertLess(found.energy_pj, found.ways["unfused"]["energy_pj"])


if __name__ == "__main__":
    unittest.main()
