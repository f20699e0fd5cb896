"""The CoSA study on a small scale: layers, machines, fixed schedules, objectives, tables."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import study  # first: it knows where the others are
import command
import figures
import layers
import machines

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))


DRAWS = pathlib.Path(PROGRAM).resolve().parent / "draw_mappings"
needs_draws = unittest.skipUnless(DRAWS.exists(), f"needs {DRAWS.name}, which is not built")


class Layers(unittest.TestCase):
    def test_the_sample_is_every_fourth(self):
        self.assertEqual(len(layers.sample()), 15)
        self.assertTrue(all(any(label in labels.split() for label in layers.sample()) for labels in layers.NETWORKS.values()))

    def test_there_are_57_distinct_ones(self):
        self.assertEqual(len(layers.distinct()), 57)
        self.assertEqual([len(labels.split()) for labels in layers.NETWORKS.values()], [8, 24, 25, 9])

    def test_labels_say_the_shape(self):
        self.assertEqual(layers.extents("3_480_1_16_1/48"), ({"N": 1, "K": 16, "C": 1, "P": 480, "Q": 48, "R": 3, "S": 3}, 1))
        self.assertIn("2P+R,2Q+S", layers.arguments("7_112_3_64_2")[1])


class Machines(unittest.TestCase):
    def test_schedules_deal_out_whole_layers(self):
        for mapping, shape in [(machines.ordered("CKP"), "3_8_32_1024_1"), (machines.spread({"P": 4, "K": 4}), "1_16_256_1024_1")]:
            sizes, _ = layers.extents(shape)
            for d, size in sizes.items():
                product = 1
                for word in mapping.replace(",", " ").split():
                    if word.startswith(d + "="):
                        product *= int(word[2:])
                self.assertEqual(product, size, f"{shape}: {d}")


class Study(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def run_study(self, figures):
        """What it prints, and which points it computed."""
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(study, "QUICK", {"3_13_192_384_1", "3_13_256_256_1"}), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            study.main(["--program", PROGRAM, "--out", str(self.folder), "--quick", "--figures", figures])
        return out.getvalue(), [line.split(":")[0] for line in err.getvalue().splitlines()]

    def results(self, figure):
        return json.loads((self.folder / "results.json").read_text())[figure]

    def test_loops_that_leave_the_weights_alone_belong_inside(self):
        """Figure 3: weights are most of this layer, and P does not move them."""
        text, computed = self.run_study("3")
        self.assertEqual(len(computed), 6)
        cycles = {order: one["cycles"] for order, one in self.results("3").items()}
        self.assertLess(max(cycles["CKP"], cycles["KCP"]), min(cycles["PCK"], cycles["PKC"], cycles["CPK"], cycles["KPC"]))
        self.assertIn("| CKP |", text)
        self.assertEqual(self.run_study("3"), (text, []))

    def test_six_ways_to_spread_three_dimensions(self):
        self.run_study("4")
        self.assertEqual(sorted(self.results("4")), ["C4K4", "P2C2K4", "P2C4K2", "P4C2K2", "P4C4", "P4K4"])

    def test_what_weights_change(self):
        """The default is its own measure; the released model's slip of 2023 makes other schedules."""
        with mock.patch.dict(figures.WEIGHTS):
            for name in [name for name in figures.WEIGHTS if name not in ("exact", "as-printed", "released-2023")]:
                del figures.WEIGHTS[name]
            text, _ = self.run_study("W")
        found = self.results("W")
        self.assertEqual((found["exact"]["changed"], set(found["exact"]["ratio"]["cycles"].values())), (0, {1.0}))
        self.assertGreater(found["released-2023"]["changed"], 0)
        self.assertIn("| as-printed |", text)

    def test_the_papers_baselines_beside_ours(self):
        """With results of Timeloop's searches that are made up: those take minutes."""
        labels = ["3_13_192_384_1", "3_13_256_256_1"]
        made_up = mock.Mock()
        made_up.input.side_effect = lambda name, text: name
        made = figures.Figures(made_up, command.zoo("simba-cosa", "simba-cosa-large"), set(labels))
        cycles = {"Timeloop Hybrid": 200, "CoSA": 100}
        with mock.patch.object(made, "timeloop_random", lambda *_: [{"cycles": 400 * seed} for seed in range(1, 21)]), \
                mock.patch.object(made, "schedule", lambda _machine, mapper, *_: {"cycles": cycles.get(mapper, 100)}):
            _, tables, _ = made.figure6t()
        rows = {row[0]: row[1:] for row in tables[0][1]}
        self.assertEqual(rows["range of 20 seeds"][0], "2.00 to 40.00")
        self.assertEqual((rows["Hybrid over it"][0], rows["Hybrid over it"][3]), ("1.00", "2.00"))

    @needs_draws
    def test_nothing_beats_the_proven_mappings(self):
        text, _ = self.run_study("7,VI")
        self.assertEqual(self.results("7")["proven"], 2)
        gains = self.results("7")["gains"]
        for mapper in ("ours", "ours, 32K", "CoSA", "CoSA, repaired"):
            for label, repeats in gains[mapper].items():
                self.assertEqual(len(repeats), 20)
                for gain, most in zip(repeats, gains["optimal"][label]):
                    self.assertLessEqual(gain, most * (1 + 1e-9), f"{mapper} {label}")
        times = self.results("VI")
        self.assertEqual([times["Random (5)"]["evaluations"], times["CoSA"]["sampled"], times["ours"]["evaluations"]], [5, 1, 16000])
        self.assertGreater(times["Random (5)"]["sampled"], 5)
        self.assertIn("| **all layers, median** |", text)

    @needs_draws
    def test_random_schedules_are_counted_once(self):
        """Figure 1: what was drawn is legal, a dead end or breaks a rule."""
        text, _ = self.run_study("1")
        found = self.results("1")
        self.assertEqual(found["legal"], 4000)
        self.assertEqual(found["sampled"], found["legal"] + found["dead_ends"] + sum(found["violations"].values()))
        self.assertLess(found["best"], found["median"])
        rows = [line.split("|") for line in text.splitlines() if " to " in line]
        self.assertEqual(sum(int(row[2].replace(",", "")) for row in rows), 4000)
        self.assertEqual(self.run_study("1"), (text, []))

    @needs_draws
    def test_no_schedule_has_a_smaller_objective_than_cosas(self):
        """Figure 8: also the program with every factor given comes to what the program chose."""
        self.run_study("8")
        found = self.results("8")
        for mapper, terms in found.items():
            self.assertAlmostEqual(terms["total"], -0.1 * terms["utilization"] + 10 * terms["compute"] + terms["traffic"], delta=2e-3)
            self.assertGreaterEqual(terms["total"], found["CoSA"]["total"], mapper)
        stored = json.loads(next((self.folder / "points").glob("baseline.CoSA-mapping.latency.*")).read_text())
        self.assertIn("GlobalBuffer", stored["result"]["mapping"])


if __name__ == "__main__":
    unittest.main()
