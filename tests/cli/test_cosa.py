"""map --mapper cosa: what limits leave, what cannot be is said, and the solver keeps silent."""

import json
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ROOT, Case

CONVOLUTION = ["--einsum", "Outputs[N,K,P,Q] += Weights[K,C,R,S] * Inputs[N,C,2P+R,2Q+S]"]
LARGE = [*CONVOLUTION, "--extents", "N=1,K=240,C=240,P=56,Q=56,R=3,S=3"]
SMALL = [*CONVOLUTION, "--extents", "N=1,K=16,C=16,P=13,Q=14,R=3,S=3"]


class Cosa(Case):
    def run_cosa(self, *arguments):
        return self.run_program("map", "--arch", "simba-cosa", "--mapper", "cosa", *arguments)

    def claim(self, result):
        layer, = json.loads(result.stdout)["layers"]
        return layer["search"]["claim"]

    def test_a_solved_program_says_so(self):
        result = self.run_cosa(*SMALL, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(self.claim(result), r"^CoSA's objective is [\d.]+ \(utilization [\d.]+, compute [\d.]+, traffic [\d.]+\), optimal$")

    def test_nothing_but_the_report_is_printed(self):
        """Neither by a search of many nodes, in both formulations, nor by one that is cut short."""
        for extra in [], ["--cosa-formulation", "as-published"], ["--cosa-orders", "every"], ["--time-limit", "0.3"]:
            result = self.run_cosa(*SMALL, "--quiet", *extra)
            if result.returncode == 1 and "--time-limit" in extra:  # on a busy machine
                self.assertRegex(result.stderr, r"^error: layer '[^']*': there is no mapping\n    [^\n]*the time is up[^\n]*\n$")
            else:
                self.assertEqual((result.returncode, result.stderr), (0, ""), extra)
            self.assertEqual(result.stdout, "", extra)
            result = self.run_cosa(*SMALL, "--json", *extra)
            self.assertTrue(result.stdout.startswith("{") and result.stdout.endswith("}\n"), extra)

    def test_equal_optima_of_both_formulations(self):
        counts = self.claim(self.run_cosa(*SMALL, "--json"))
        self.assertEqual(self.claim(self.run_cosa(*SMALL, "--json", "--cosa-formulation", "as-published")), counts)

    def test_a_limit_of_time_leaves_a_bound(self):
        result = self.run_cosa(*LARGE, "--cosa-formulation", "as-published", "--cosa-orders", "every", "--time-limit", "0.3")
        if result.returncode == 0:
            self.assertIn("the time is up", result.stdout)
        else:
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"CoSA found no schedule: the time is up; none has an objective below \d+")

    def busy(self, seconds, *arguments):
        """The program, when it has used so much processor time: it reads its input in far less."""
        environment = {**os.environ, "TILEWRIGHT_CACHE": ""}
        process = subprocess.Popen([PROGRAM, "map", "--arch", "simba-cosa", "--mapper", "cosa", *LARGE, "--cosa-orders", "every",
                                    "-o", "out", *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(process.kill)
        used = 0.0
        while used < seconds and process.poll() is None:
            time.sleep(0.02)
            with open(f"/proc/{process.pid}/stat", encoding="utf-8") as stat:
                used = int(stat.read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")
        self.assertIsNone(process.poll(), "the program was to take minutes")
        return process

    def test_an_interrupt_ends_rounds_of_cuts_and_keeps_the_best(self):
        """In the relaxation, in the cuts at the root, in the tree: wherever the solver is, it ends, and what it has then is
        a schedule or none, never a defect. (How soon is not judged: the time is for programs that hang.)"""
        kept = 0
        for formulation, seconds, number in [("as-published", 0.5, signal.SIGTERM), ("as-published", 3, signal.SIGINT),
                                             ("counts", 1, signal.SIGINT), ("counts", 2, signal.SIGTERM)]:
            process = self.busy(seconds, "--cosa-formulation", formulation)
            process.send_signal(number)
            output, errors = process.communicate(timeout=900)
            self.assertEqual(process.returncode, 130, errors)
            self.assertNotIn("defect", errors)
            report = json.loads((self.folder / "out/report.json").read_text())
            self.assertTrue(report["interrupted"])
            layer, = report["layers"]
            self.assertFalse(layer["search"]["proven"])
            if layer["status"] == "evaluated":
                kept += 1
                self.assertRegex(layer["search"]["claim"], r", at least [\d.]+ \(interrupted\)$")
                again = self.run_program("evaluate", "--arch", "simba-cosa", *LARGE, "out/mapping.yaml", "--json")
                self.assertEqual(json.loads(again.stdout)["totals"]["cycles"], report["totals"]["cycles"])
            else:
                self.assertIn("CoSA found no schedule: interrupted", errors)
        self.assertGreater(kept, 0)

    def test_constraints_that_leave_nothing(self):
        given = self.write("given.yaml", "mapspace_constraints:\n- {target: AccumulationBuffer, type: temporal, factors: K=16 P=13}\n")
        result = self.run_cosa(given, *SMALL)
        self.assertEqual(result.returncode, 1)
        self.assertIn("CoSA's program has no solution: the constraints and capacities leave no schedule", result.stderr)

    def test_every_machine_of_the_zoo(self):
        for file in sorted((ROOT / "data" / "arch").glob("*.yaml")):
            result = self.run_program("map", "--arch", file.stem, "--mapper", "cosa", "--net", "resnet18", "--layers", "layer2.0.*", "--json")
            if "!CellArray" in file.read_text():
                self.assert_fails(result, 2, "...its cost model has neither passages nor writes that stop the units")
                continue
            self.assertEqual(result.returncode, 0, result.stderr)
            for layer in json.loads(result.stdout)["layers"]:
                self.assertTrue(layer["search"]["claim"].endswith(", optimal"), f"{file.stem} {layer['name']}")

    def test_gpus_have_the_weights_that_calibrate_finds(self):
        """In place of the released ones, where those do not do best; named in the report; what is given counts."""
        weights = {}
        for machine in ("k80", "h200", "h200-256"):
            found = self.run_program("calibrate", "--arch", machine).stdout.splitlines()[-1].split()
            self.assertEqual(found[0], "--cosa-weights")
            used = self.weights("--arch", machine)
            self.assertEqual(used or "utilization=0.1,compute=10,traffic=1", found[1])
            weights[machine] = used
        self.assertEqual(weights, {"k80": "utilization=0.3,compute=1,traffic=1", "h200": None, "h200-256": None})
        self.assertEqual(self.weights("--arch", "k80", "--cosa-weights", "compute=10"), "compute=10")
        self.assertIsNone(self.weights("--arch", "k80", "--cosa-variant", "repaired"))

    def weights(self, *arguments):
        """Of CoSA in a run's report; None: the released ones."""
        result = self.run_program("map", *arguments, "--mapper", "cosa", "--net", "resnet18", "--layers", "layer2.0.conv1",
                                  "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        words = json.loads(result.stdout)["provenance"]["options"].get("cosa_weights")
        return words and words.removesuffix(" (calibrated for k80)")

    def test_padding_is_named_and_paid_for(self):
        bare = json.loads(self.run_cosa(*SMALL, "--json").stdout)
        padded = self.run_cosa(*SMALL, "--json", "--cosa-pad")
        self.assertIn("padded: P 13 -> 14: 1.08 times the iterations", self.claim(padded))
        self.assertNotIn("padded", json.dumps(bare["layers"]))
        work = [report["layers"][0]["evaluation"]["computes"] for report in (bare, json.loads(padded.stdout))]
        self.assertEqual(work[0], work[1], "the layer itself does not grow")


if __name__ == "__main__":
    unittest.main()
