"""Explorations: failed points, fronts, Ctrl-C between points."""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import tempfile
import unittest

import tilewright
from program import PROGRAM


LAYER = """\
Network n { Layer conv { Type: CONV Dimensions { K: 32, C: 16, R: 3, S: 3, Y: 10, X: 10 }
  Dataflow { TemporalMap(P_c,P_c) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; SpatialMap(P_k,P_k) K; } } }
"""
BLOCK = "area_um2: 10, power_mw: 0.5"
COST = (f"cost:\n  mac: {{{BLOCK}}}\n  l1: {{cell_bytes: 16, {BLOCK}}}\n  l2: {{cell_bytes: 1024, {BLOCK}}}\n"
        f"  bus: {{{BLOCK}, per_unit: 2}}\n  arbiter: {{{BLOCK}, per_unit: 1}}\n  l1_access_macs: [{{bytes: 8, macs: 1}}]\n")


class Dataflows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "layer.m").write_text(LAYER)
        (self.folder / "cost.yaml").write_text(COST)

    def told(self, *words):
        return subprocess.run([PROGRAM, "explore", "layer.m", *words], cwd=self.folder, capture_output=True, text=True)

    def test_designs_are_those_of_the_command_line(self):
        knobs = {"units": "4..32*2", "P_c": "1..16", "P_k": [1, 3, 32], "noc": [2, 16]}
        words = [word for name, values in knobs.items()
                 for word in ("--set", f"{name}={values if isinstance(values, str) else ','.join(map(str, values))}")]
        for more, options in (((), {}), (("--cost", "cost.yaml"), {"cost": self.folder / "cost.yaml"}),
                              (("--cost", "cost.yaml", "--limit", "power<300,area<0.02"),
                               {"cost": self.folder / "cost.yaml", "limits": ["power<300", "area<0.02"]})):
            done = self.told(*words, "--quiet", "--jsonl", "-", *more)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = [json.loads(line) for line in done.stdout.splitlines()]
            found = tilewright.explore_dataflows(self.folder / "layer.m", knobs, **options)
            self.assertEqual((found.total, found.explored), (4 * 16 * 3 * 2, 4 * 16 * 3 * 2))
            self.assertEqual(len(found), len(rows))
            self.assertGreater(len(found), 20)
            for point, row in zip(found, rows):
                self.assertEqual({name: point[name] for name in [*knobs, *found.metrics]}, {name: row[name] for name in [*knobs, *found.metrics]})
            self.assertEqual(found.best("energy")["energy_macs"], min(row["energy_macs"] for row in rows))
            self.assertEqual(found.best("throughput")["macs_per_cycle"], max(row["macs_per_cycle"] for row in rows))
            self.assertLessEqual(len(found.pareto("energy", "area")), len(rows))

    def test_mistakes_are_those_of_the_command_line(self):
        (self.folder / "bad.yaml").write_text("cost:\n  mac: {area_um2: -1, power_mw: 1}\n")
        os_folder = os.getcwd()
        self.addCleanup(os.chdir, os_folder)
        os.chdir(self.folder)
        for words, knobs, options in ((("--cost", "bad.yaml"), {"units": [4]}, {"cost": "bad.yaml"}),
                                      (("--cost", "none.yaml"), {"units": [4]}, {"cost": "none.yaml"})):
            done = self.told("--set", "units=4", *words)
            with self.assertRaises(tilewright.InputError) as raised:
                tilewright.explore_dataflows("layer.m", knobs, **options)
            self.assertEqual(str(raised.exception).strip(), done.stderr.strip())
        for knobs, options, message in (({"unit": [4]}, {}, "did you mean 'units'"), ({"units": [0]}, {}, "at least 1, found '0'"),
                                        ({}, {}, "nothing varies"), ({"units": [4]}, {"limits": "area=3"}, "a limit is a bound")):
            with self.assertRaisesRegex(tilewright.InputError, message):
                tilewright.explore_dataflows("layer.m", knobs, **options)


class Exploring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.explored = tilewright.explore(tilewright.Network("alexnet", layers="conv3"), "simba",
                                          {"GlobalBuffer.depth": [64, 1024, 4096], "objective": ["energy", "latency"]})

    def test_points_are_in_order(self):
        self.assertEqual([point["GlobalBuffer.depth"] for point in self.explored], [64, 64, 1024, 1024, 4096, 4096])
        self.assertEqual([point["point"] for point in self.explored], list(range(6)))

    def test_best_and_front(self):
        valid = [point for point in self.explored if point["status"] == "valid"]
        self.assertEqual(self.explored.best("energy")["energy_pj"], min(point["energy_pj"] for point in valid))
        self.assertEqual(self.explored.best("throughput")["macs_per_cycle"], max(point["macs_per_cycle"] for point in valid))
        front = self.explored.pareto("energy", "area")
        for point in front:
            self.assertFalse(any(other["energy_pj"] < point["energy_pj"] and other["area_mm2"] < point["area_mm2"] for other in valid))
        self.assertRaisesRegex(ValueError, "unknown metric 'enrgy'", self.explored.best, "enrgy")

    def test_a_point_without_a_machine_says_why(self):
        explored = tilewright.explore(tilewright.Network("alexnet", layers="conv3"), "simba", {"GlobalBuffer.depth": [1024, 0]})
        self.assertEqual([point["status"] for point in explored], ["valid", "failed"])
        self.assertTrue(explored.points[1]["message"])

    def test_the_order_of_values_decides_nothing(self):
        """A value that no machine has makes a failed point wherever it stands; a name that no machine has is refused."""
        network = tilewright.Network("alexnet", layers="conv3")
        there = list(tilewright.explore(network, "simba", {"GlobalBuffer.depth": [1024, 0]}))
        back = list(tilewright.explore(network, "simba", {"GlobalBuffer.depth": [0, 1024]}))
        self.assertEqual([point["status"] for point in back], ["failed", "valid"])
        for point in there + back:
            del point["point"]
        self.assertEqual(there, back[::-1])
        for words in (["random", "hybird"], ["hybird", "random"]):
            with self.assertRaisesRegex(tilewright.InputError, "unknown mapper 'hybird'; there are "):
                tilewright.explore(network, "simba", {"mapper": words}, evaluations=10)
        with self.assertRaisesRegex(tilewright.InputError, "has no values"):
            tilewright.explore(network, "simba", {"GlobalBuffer.depth": []})

    def test_ctrl_c_keeps_the_points_so_far(self):
        with self.assertRaises(tilewright.Interrupted) as caught:
            tilewright.explore(tilewright.Network("alexnet", layers="conv3"), "simba", {"seed": [1, 2, 3]}, mapper="random", victory=0,
                               evaluations=100, progress=lambda done, total: os.kill(os.getpid(), signal.SIGINT))
        self.assertEqual(len(caught.exception.result), 1)


class Proofs(unittest.TestCase):
    """explore(prove=True) is `explore --prove --best`, and finds what mapping every machine finds."""

    MACHINE = """architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 1024, width: 64}}
  - !Container {name: PE, spatial: {meshX: 8}}
  - !Component {name: spad, class: regfile, attributes: {depth: 64, width: 8}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8}}
"""
    KNOBS = {"buffer.depth": [256, 1024, 4096], "PE.meshX": [2, 8], "spad.depth": [16, 64]}
    LAYER = ("O[m,n] += A[m,k] * B[k,n]", {"m": 24, "n": 32, "k": 16})

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = pathlib.Path(folder.name) / "m.yaml"
        self.machine.write_text(self.MACHINE)
        self.network = tilewright.Network.from_einsum(*self.LAYER)

    def test_the_best_machine_is_that_of_all_and_of_the_command_line(self):
        for objective in ("edp", "energy"):
            seen = []
            found = tilewright.explore(self.network, self.machine, self.KNOBS, objective=objective, prove=True,
                                       progress=lambda done, total: seen.append((done, total)))
            proof, (best,) = found.proof, found.points
            every = tilewright.explore(self.network, self.machine, self.KNOBS, objective=objective)
            least = every.best(objective)
            for metric in found.metrics:
                if metric in best:
                    self.assertAlmostEqual(best[metric], least[metric], delta=1e-9 * abs(least[metric]), msg=metric)
            self.assertEqual((proof.proven, found.total, len(every)), (True, 12, 12))
            self.assertAlmostEqual(proof.value, proof.bound, delta=1e-9 * proof.value)
            self.assertEqual(seen[-1], (12, 12))
            with tempfile.TemporaryDirectory() as folder:
                words = [word for name, values in self.KNOBS.items() for word in ("--set", f"{name}={','.join(map(str, values))}")]
                done = subprocess.run([PROGRAM, "explore", "--arch", self.machine, "--einsum", self.LAYER[0], "--extents", "m=24,n=32,k=16",
                                       *words, "--prove", "--best", objective, "--objective", objective, "--no-cache", "-o", folder], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads((pathlib.Path(folder) / "report.json").read_text())
                ours = json.loads(proof.to_json())
                for document in (ours, report):
                    del document["provenance"], document["notes"]
                self.assertEqual(ours, report)
                self.assertEqual(pickle.loads(pickle.dumps(proof)), proof)
                self.assertEqual(proof.certificate, (pathlib.Path(folder) / "certificate.json").read_text())
                certificate = pathlib.Path(folder) / "ours.json"
                certificate.write_text(proof.certificate)
                self.assertTrue(tilewright.check(certificate).holds())

    def test_words_of_other_widths_are_proven_without_a_certificate(self):
        network = self.network.with_bits({"B": "4/4:8", "O": "8/32"})
        found = tilewright.explore(network, self.machine, self.KNOBS, prove=True)
        every = tilewright.explore(network, self.machine, self.KNOBS)
        self.assertAlmostEqual(found.points[0]["edp_pj_cycles"], every.best("edp")["edp_pj_cycles"], delta=1e-3)
        self.assertEqual((found.proof.proven, found.proof.certificate), (True, ""))
        self.assertIn("no certificate is written: the checker counts machines with words of one width", str(found.proof.notes))

    def test_what_is_not_proven_is_refused(self):
        for knobs, options, why in (({"mapper": ["optimal"]}, {}, "only the machine varies here, not 'mapper'"),
                                    (self.KNOBS, {"mapper": "random"}, "machines are compared by their proven mappings; leave out mapper"),
                                    (self.KNOBS, {"uneven": True}, "no floors for uneven mappings"),
                                    (self.KNOBS, {"objective": "ed2p"}, "energy, latency and edp can be proven, not energy"),
                                    (self.KNOBS, {"latency": "physical"}, "latency as built and a certificate do not go together"),
                                    (self.KNOBS, {"refine": "simulate"}, "refinement by simulation and a certificate do not go together")):
            with self.subTest(**options), self.assertRaisesRegex(tilewright.InputError, why):
                tilewright.explore(self.network, self.machine, knobs, prove=True, **options)

    def test_a_stop_keeps_the_best_so_far(self):
        stop = tilewright.StopSource()
        stop.request()
        found = tilewright.explore(self.network, self.machine, self.KNOBS, prove=True, stop=stop)
        self.assertFalse(found.proof.proven)
        few = tilewright.explore(self.network, self.machine, {"seed": [1, 2, 3]}, mapper="random", evaluations=10, stop=stop)
        self.assertEqual(len(few), 1)


if __name__ == "__main__":
    unittest.main()
