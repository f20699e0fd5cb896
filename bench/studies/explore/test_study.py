"""MAESTRO's rules of 2019 are those of its sources: counts and designs that these gave when they were run.

(shared/golden/maestro/dse.json: hoangt/MAESTRO at e300c1b with the costs of maestro-project/maestro at e1eab62.)
"""

import json
import os
import unittest

import study  # first: it knows where the others are
import command
import first_public

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))
BANDWIDTHS = list(range(8, 69, 2))
VALID = {("nvdla", "c2"): 176_940, ("nvdla", "c11"): 245_764, ("rs", "c2"): 58_959, ("rs", "c11"): 59_585}


class FirstPublicVersion(unittest.TestCase):
    def test_as_many_designs_are_valid(self):
        for (flow, layer), valid in VALID.items():
            found = first_public.valid_counts(flow, layer, study.UNITS[flow], BANDWIDTHS)
            self.assertEqual(sum(found.values()), valid, (flow, layer))

    def test_its_best_designs_are_the_same(self):
        best = first_public.best_designs("nvdla", "c11", study.UNITS["nvdla"], BANDWIDTHS)
        self.assertEqual([best["throughput"][key] for key in ("units", "c", "k", "noc", "cycles", "l1", "l2")],
                         [88, 3, 3, 68, 3631975, 174, 7134])
        self.assertEqual([best["energy"][key] for key in ("units", "c", "k", "noc", "cycles", "l1", "l2")],
                         [72, 9, 7, 60, 7595286, 1166, 583])
        self.assertAlmostEqual(best["energy"]["energy"], 325722284.2, delta=0.1)
        self.assertAlmostEqual(best["energy"]["power"], 448.5186377, places=6)
        self.assertAlmostEqual(best["throughput"]["area"], 14.84936298, places=6)

    def test_every_recorded_design(self):
        shared = command.ROOT / "shared" if (command.ROOT / "shared").is_dir() else command.ROOT.parent / "shared"
        recorded = shared / "golden" / "maestro" / "dse.json"
        if not recorded.exists():
            self.skipTest("shared/golden/maestro/dse.json is not here")
        compared = 0
        for run in json.loads(recorded.read_text())["runs"].values():
            flow, layer = {"dla": "nvdla", "rs": "rs"}[run["flow"]], "c2" if run["layer"]["K"] == 64 else "c11"
            for name, design in run.items():
                if not name.startswith("best_"):
                    continue
                ours = first_public.Design(flow, layer, design["pes"], design["c_tile"], design["k_tile"], first_public.Rules())
                self.assertEqual((ours.l1_bytes(), ours.l2_bytes(), ours.cycles(design["noc_bw"])),
                                 (design["l1_bytes"], design["l2_bytes"], design["runtime"]), design)
                self.assertAlmostEqual(ours.energy() / design["energy_raw"], 1.0, places=8)
                compared += 1
        self.assertGreaterEqual(compared, 60)


class Example(unittest.TestCase):
    def test_its_costs_are_those_without_a_file(self):
        if not os.path.exists(PROGRAM):
            self.skipTest("tilewright is not built")
        space = [study.EXAMPLES / "nvdla_c11.m", "--set", "units=1,16,72", "--set", "P_c=9,64", "--set", "P_k=7", "--set", "noc=8,60"]
        runs = study.Explorations.__new__(study.Explorations)
        runs.program = PROGRAM
        self.assertEqual(runs.rows("", space), runs.rows("", [*space, "--cost", study.EXAMPLES / "cost_28nm.yaml"]))


if __name__ == "__main__":
    unittest.main()
