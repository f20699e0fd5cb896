"""The study of simulated cycles on a small scale: fixed schedules by the program, gains from numbers that are made up."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest

import study  # first: it knows where the others are
import command
import simulated

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))
LAYERS = {"3_7_512_512_1", "1_1_2048_1000_1"}


class FixedSchedules(unittest.TestCase):
    def test_a_study_goes_on_where_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            def run():
                out, err = io.StringIO(), io.StringIO()
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    study.main(["--program", PROGRAM, "--out", folder, "--figures", "4", "--threads", "1"])
                return out.getvalue(), err.getvalue().splitlines()

            first, computed = run()
            self.assertEqual(len(computed), 6)
            self.assertEqual(run(), (first, []))
            results = json.loads((pathlib.Path(folder) / "results.json").read_text())["4"]
            for one in results.values():
                self.assertGreaterEqual(one["cycles"], one["model_cycles"])
            self.assertIn("| P4K4 |", first)

    def test_wrong_options(self):
        for arguments in (["--layers", "3_7_512_512_9"], ["--seeds", "0"]):
            with self.assertRaises(SystemExit):
                study.main(["--program", PROGRAM, *arguments])


class MadeUp:
    """A study whose points are made up: random mappings take 1000 cycles more in the model and 100 less simulated, one by one."""

    def __init__(self):
        self.commands = []

    def input(self, name, _):
        return name

    def point(self, name, arguments, keep, unkeyed=()):
        self.commands.append(arguments)
        if "Hybrid-mapping" in name:
            return {"mapping": "mapping: []\n"}
        if name.startswith("beside."):
            return self.beside(name.split(".")[2])
        if ".random-" in name:
            drawn = int(name.split(".random-")[1].split(".")[0].split("-")[1])
            return {"model_cycles": 1000 * (drawn + 1), "cycles": 2000 - 100 * drawn, "underestimated": None}
        cycles = {"ours": 4000 if "1_1_" in name else 1000, "CoSA": 500, "optimal": 500, "refined": 250}
        return {"model_cycles": 1, "cycles": cycles[name.split(".")[1]]}


    @staticmethod
    def beside(mapper):
        if mapper == "CoSA-released":
            raise RuntimeError("its tiles do not fit")
        if mapper.startswith("Timeloop-Random"):
            return {"model_cycles": 800, "cycles": 1000 * int(mapper[-1])}
        return {"Timeloop-Hybrid": {"model_cycles": 400, "cycles": 500}, "ours": {"model_cycles": 200, "cycles": 500}}.get(
            mapper, {"model_cycles": 200, "cycles": 250})


class Gains(unittest.TestCase):
    def setUp(self):
        self.made_up = MadeUp()
        self.figures = simulated.Figures(self.made_up, command.zoo("simba-cosa", "simba-cosa-large"), LAYERS, 3)

    def test_times_better_than_the_random_mapping_that_the_model_takes(self):
        _, tables, value = self.figures.figure10()
        rows = {row[0]: row[1:] for row in tables[1][1]}
        # The model takes the first of five, 2000 cycles; the simulator the last, 1600.
        self.assertEqual(rows["3_7_512_512_1"], ["1.25", "2.00", "4.00", "4.00", "8.00"])
        self.assertEqual(rows["1_1_2048_1000_1"], ["1.25", "0.50", "4.00", "4.00", "8.00"])
        self.assertEqual(value["below"], ["1_1_2048_1000_1"])
        means = {row[0]: row[1:] for row in tables[0][1]}
        # Two of the networks have the fully connected layer, one the convolution.
        self.assertEqual(means["**all layers**"][1], "0.79 (0.79 to 0.79)")
        self.assertEqual(means["convolutions"][1], "2.00 (2.00 to 2.00)")
        self.assertEqual(means["fully connected"][1], "0.50 (0.50 to 0.50)")

    def test_the_papers_baselines_on_cosas_network(self):
        _, tables, _ = self.figures.cosas_network()
        rows = {row[0]: row[1:] for row in tables[0][1]}
        # Random takes 1000, 2000 and 3000 cycles by seed, Hybrid 500, CoSA 250; in the model 800, 400 and 200.
        self.assertEqual(rows["Random over it, simulated: all layers"], ["4.00 (2.00 to 6.00)", "4.00 (2.00 to 6.00)",
                                                                         "8.00 (4.00 to 12.00)", "", "8.00 (4.00 to 12.00)"])
        self.assertEqual(rows["Hybrid over it, simulated (layers)"], ["1.00 (2)", "1.00 (2)", "2.00 (2)", "", "2.00 (2)"])
        self.assertEqual(rows["Hybrid over it, in the model (layers)"], ["1.00 (2)", "2.00 (2)", "2.00 (2)", "", "2.00 (2)"])
        self.assertEqual(rows["layers without a run"], ["0", "0", "0", "2", "0"])
        simulated_ones = [arguments for arguments in self.made_up.commands if arguments[0] == "simulate"]
        self.assertTrue(all("cosa" in arguments[-1] for arguments in simulated_ones))

    def test_five_seeds_of_their_own_for_every_repeat(self):
        self.figures.figure9a()
        seeds = [arguments[arguments.index("--seed") + 1] for arguments in self.made_up.commands if "--seed" in arguments]
        self.assertEqual(sorted(map(int, seeds)), sorted(list(range(1, 16)) * 2))
        for arguments in self.made_up.commands:
            self.assertEqual(arguments[arguments.index("--mesh") + 1], "8x8")
            self.assertEqual(arguments[arguments.index("--flit-bits") + 1], "128")


if __name__ == "__main__":
    unittest.main()
