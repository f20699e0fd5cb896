"""DOSA's networks are those of its repository, and one machine costs what its space says."""

import os
import pathlib
import tempfile
import types
import unittest

import study  # first: it knows where the others are
import command
import layers

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))


class Networks(unittest.TestCase):
    def test_their_operations(self):
        self.assertEqual({name: layers.operations(name) for name in layers.NETWORKS},
                         {"unet": 167_322_556_672, "resnet50": 4_089_184_256, "bert": 757_071_872, "retinanet": 3_323_622_400})


@unittest.skipUnless(os.path.exists(PROGRAM), "tilewright is not built")
class Machines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runs = study.Runs(types.SimpleNamespace(program=PROGRAM, threads=1, out=folder.name))
        self.folder = pathlib.Path(folder.name)

    def test_a_machine_by_hand_is_that_of_the_space(self):
        """Random search makes its machines itself: they cost what the same points of the space cost."""
        machine = 32, 16, 8
        text = self.runs.call("explore", "--space", study.SPACE, "--net", self.runs.network("bert"), "--let", "side=32", "--let",
                              "scratchpad_kib=16", "--let", "accumulator_kib=8", "--prove")
        self.assertIn("proven: of 1 machines none", text)
        energy, cycles = study.mapped(self.runs, "bert", machine)
        self.assertAlmostEqual(study.number(text, "energy_pj") / energy, 1.0, delta=1e-9)
        self.assertEqual(study.number(text, "latency_cycles"), cycles)

    def test_the_best_of_few_machines_is_no_worse_than_each(self):
        text = self.runs.call("explore", "--space", study.SPACE, "--net", self.runs.network("bert"), "--let", "side=16,128", "--let",
                              "scratchpad_kib=8,144", "--let", "accumulator_kib=16,192", "--prove")
        best = study.number(text, "edp_pj_cycles")
        found = []
        for side in (16, 128):
            for scratchpad in (8, 144):
                for accumulator in (16, 192):
                    energy, cycles = study.mapped(self.runs, "bert", (side, scratchpad, accumulator))
                    found.append(energy * cycles)
        self.assertAlmostEqual(best / min(found), 1.0, delta=1e-8)
        drawn = study.mapped(self.runs, "bert", (128, 144, 192), "--mapper", "random", "--evaluations", 100, "--victory", 0)
        self.assertGreaterEqual(drawn[0] * drawn[1], min(found) * (1 - 1e-9))


if __name__ == "__main__":
    unittest.main()
