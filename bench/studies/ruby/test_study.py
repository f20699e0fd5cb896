"""The study on a small scale: machines, points that are kept, tables."""

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
import machines
import points

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))
TINY = {**study.QUICK, "runs": 2, "toy": 50, "extents": [100, 113, 127], "single": 300}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_study(self, *figures):
        """What it prints, and which points it computed."""
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(study, "QUICK", TINY), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            study.main(["--program", PROGRAM, "--out", str(self.folder), "--quick", "--figures", ",".join(figures)])
        return out.getvalue(), [line.split(":")[0] for line in err.getvalue().splitlines()]

    def results(self):
        return json.loads((self.folder / "results.json").read_text())


class Machines(unittest.TestCase):
    def test_a_zoo_that_changed_is_noticed(self):
        self.assertEqual(machines.replaced("a b", ("a", "c")), "c b")
        with self.assertRaisesRegex(ValueError, "'b' is 2 times"):
            machines.replaced("a b b", ("b", "c"))


class Study(Case):
    def test_padding_to_127_costs_nothing_and_to_113_much(self):
        """Figure 8: the two sizes that the paper names."""
        text, computed = self.run_study("8")
        self.assertEqual(len(computed), 9)
        by_extent = {result["extent"]: result for result in self.results()["8"]}
        self.assertAlmostEqual(by_extent[127]["padded"] / by_extent[127]["ruby-s"], 1.0, delta=0.05)
        self.assertGreater(by_extent[113]["padded"], 1.05 * by_extent[113]["ruby-s"])
        self.assertGreater(by_extent[127]["perfect"], 10 * by_extent[127]["ruby-s"])
        self.assertIn("| 113 |", text)

    def test_points_are_computed_once(self):
        first, computed = self.run_study("8")
        victim = self.folder / "points" / "figure8.113.ruby-s.json"
        victim.unlink()
        again, computed = self.run_study("8")
        self.assertEqual(computed, ["figure8.113.ruby-s"])
        self.assertEqual(first, again)

    def test_an_input_that_changed_is_computed_again(self):
        self.run_study("8")
        with mock.patch.object(machines, "TOY", machines.TOY.replace("depth: 1024", "depth: 512")):
            self.assertEqual(len(self.run_study("8")[1]), 9)

    def test_row_stationary_leaves_two_rows_and_two_columns_idle(self):
        """Figure 9: 12 of 14 columns and 10 of 12 rows without remainders."""
        text, _ = self.run_study("9")
        self.assertAlmostEqual(self.results()["9"]["perfect"]["utilization"], 120 / 168, places=6)
        self.assertIn("| perfect | 71.4 % | 71 % |", text)

    def test_figure_7_compares_the_rules_over_evaluations(self):
        self.run_study("7")
        curve = self.results()["7"]["a"]["ruby-s"]["curve"]
        self.assertEqual(curve[-1][0], 50)
        self.assertEqual(sorted((edp for _, edp in curve), reverse=True), [edp for _, edp in curve])

    def test_what_fails_is_said_with_the_command(self):
        job = points.Study(PROGRAM, self.folder, 1, lambda text: None)
        with self.assertRaisesRegex(RuntimeError, "(?s)bad: .*map --arch nowhere.*nowhere"):
            job.point("bad", ["map", "--arch", "nowhere"], lambda json: json)
        self.assertEqual(list((self.folder / "points").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
