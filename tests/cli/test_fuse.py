"""`map --fuse`: proven answers that `evaluate --fused-mapping` confirms, and what the search refuses to read over."""

import json
import re
import unittest

from program import Case

EINSUM = "first: B[m,k] += A[m,e] * V[e,k]; second: C[m,n] += B[m,k] * W[k,n]"
CASCADE = ("--arch", "fused-npu", "--set", "buffer.depth=2048", "--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16")


class Fuse(Case):
    def fuse(self, *more):
        result = self.run_program("map", "--fuse", *CASCADE, *more)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_the_answer_costs_what_evaluate_says(self):
        """The tree is printed as text that `evaluate` takes; fusing two products spares the words between them."""
        text = self.fuse("--objective", "energy")
        self.assertIn("proven: no fused mapping of the space has a lower energy", text)
        (self.folder / "best.fused").write_text(text[text.index("store DRAM"):])
        judged = self.run_program("evaluate", *CASCADE, "--fused-mapping", "best.fused", "--json")
        self.assertEqual((judged.returncode, judged.stderr), (0, ""))
        document = json.loads(judged.stdout)
        dram = {one["name"]: one for one in document["memories"][0]["tensors"]}
        self.assertNotIn("B", dram)
        self.assertEqual(dram["A"]["reads"], 64 * 16)
        pj = {name: float(number) * {"nJ": 1e3, "uJ": 1e6}[unit]
              for name, number, unit in re.findall(r"^  (fused|unfused) +([\d.]+) (nJ|uJ)", text, re.MULTILINE)}
        self.assertLess(abs(document["totals"]["energy_pj"] / pj["fused"] - 1), 1e-3)
        self.assertLess(pj["fused"], pj["unfused"])

    def test_what_is_stopped_is_not_proven(self):
        result = self.run_program("map", "--fuse", *CASCADE, "--time-limit", "0")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("stopped before a mapping was found", result.stderr)
        self.assertNotIn("proven", result.stdout)

    def test_what_would_not_count_is_refused(self):
        (self.folder / "constraints.yaml").write_text(
            'mapspace_constraints:\n- {target: buffer, type: temporal, permutation: "m"}\n')
        for more, message in [(["--mapper", "hybrid"], "--fuse does not take --mapper"),
                              (["--evaluations", "10"], "--fuse does not take --evaluations"),
                              (["--bits", "A=8"], "--fuse does not take --bits"),
                              (["-o", "out"], "--fuse does not take --output"),
                              (["--json"], "--fuse does not take --json"),
                              (["--refine", "simulate"], "--fuse does not take --refine"),
                              (["--objective", "pareto"], "--fuse: ")]:
            result = self.run_program("map", "--fuse", *CASCADE, *more)
            self.assertEqual((result.returncode, result.stdout), (2, ""), more)
            self.assertIn(message, result.stderr)
        for machine, net, message in [("eyeriss", ["--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16"], "--fuse: "),
                                      ("fused-npu", ["--net", "resnet18"], "is known as separate layers only")]:
            result = self.run_program("map", "--fuse", "--arch", machine, *net)
            self.assertEqual((result.returncode, result.stdout), (2, ""), machine)
            self.assertIn(message, result.stderr)
        result = self.run_program("map", "--fuse", *CASCADE, "constraints.yaml")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--fuse knows no constraints on mappings", result.stderr)


if __name__ == "__main__":
    unittest.main()
