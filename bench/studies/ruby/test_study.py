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
import curves
import figures
import machines
import points

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))
TINY = {**study.QUICK, "runs": 2, "toy": 50, "threads": 5, "extents": [100, 113, 127], "gemms": 2, "simba": "fc", "arrays": [(7, 2), (8, 6)]}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_study(self, *figures, options=()):
        """What it prints, and which points it computed."""
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(study, "QUICK", TINY), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            study.main(["--program", PROGRAM, "--out", str(self.folder), "--quick", "--figures", ",".join(figures), *options])
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
        """Figure 9: 12 of 14 columns and 10 of 12 rows without remainders; by hand 27 of 28 places of the strips on 10 rows."""
        text, _ = self.run_study("9")
        found = self.results()["9"]
        self.assertAlmostEqual(found["perfect"]["utilization"], 120 / 168, places=6)
        self.assertIn("| perfect | 71.4 % |", text)
        self.assertTrue(all(found[name]["proven"] for name in ("perfect", "ruby-s", "ruby-s, free rows", "strip mining, the rest optimal")))
        self.assertEqual(found["passes by hand"]["cycles"], 96 * 48 * 27 * 27 * 5 * 5 // (5 * 27))

    def test_the_buffer_of_the_published_passes_is_counted_by_hand(self):
        """Figure 9: inputs come twice (filters 1 to 64, then 65 to 96), sums of all filters come and go with every two channels."""
        self.run_study("9")
        found = self.results()["9"]["passes by hand"]
        inputs, sums = 48 * 31 * 31, 96 * 27 * 27
        # Every group of 16 filters reads all 31 rows of all channels. A column of the array makes two neighbouring outputs and meets
        # 6 input columns for them, the last one makes one and meets 5; columns do not share what only overlaps.
        read = 96 // 16 * 48 * 31 * (13 * 6 + 5)
        filled, updated, read_back = 2 * inputs, 24 * sums, 23 * sums
        self.assertEqual(found["memories"]["DRAM"]["accesses"], 2 * inputs + 96 * 48 * 25 + sums)
        self.assertEqual(found["memories"]["shared_glb"]["accesses"], filled + read + updated + read_back)

    def test_no_layer_is_worse_with_remainders_where_both_are_proven(self):
        """Figure 11, convolutions for both objectives and matrix products: what Ruby-S may choose from holds all of perfect's."""
        text, _ = self.run_study("11", "11l", "11d")
        results = self.results()
        for figure, of in [("11", points.edp), ("11l", lambda one: one["cycles"])]:
            for old, new in zip(results[figure]["perfect"], results[figure]["ruby-s"]):
                self.assertTrue(old["proven"] and new["proven"])
                self.assertLessEqual(of(new), of(old) * (1 + 1e-9), old["name"])
        self.assertEqual(len(results["11d"]), 2)
        self.assertIn("| 2 of 2 proven | 2 of 2 proven |", text)
        for searched in results["11"]["random"]:
            for rule, layers in searched.items():
                for found, best in zip(layers, results["11"][rule]):
                    self.assertGreaterEqual(points.edp(found), points.edp(best) * (1 - 1e-9), f"{rule} {best['name']}")

    def test_the_front_of_the_arrays(self):
        text, _ = self.run_study("13b")
        found = {(point["array"], point["rule"]): point["edp"] for point in self.results()["13b"]["points"]}
        self.assertEqual(len(found), 6)
        self.assertIn("| **proven layers** |  | 16 of 16 | 16 of 16 | 16 of 16 |", text)
        for array in ("7 x 2", "8 x 6"):
            self.assertLessEqual(found[array, "padded"], found[array, "perfect"] * (1 + 1e-9))

    def test_perfect_mappings_of_one_dimension_are_as_many_as_in_the_paper(self):
        """Table I."""
        self.run_study("I")
        self.assertEqual(self.results()["I"]["perfect"], [3, 22, 24, 52, 43])

    def test_a_summary_is_a_line_and_searches_at_random_nowhere(self):
        text, computed = self.run_study("9", options=["--summary"])
        self.assertRegex(text, r"\ARuby Fig. 9: used by perfect, by hand, by Ruby-S: 71.4 %, 80.4 %, 81.6 %; [^\n]*\n\Z")
        self.assertFalse([name for name in computed if "random" in name])
        with self.assertRaisesRegex(SystemExit, "'11d' has no summary"):
            self.run_study("11d", options=["--summary"])

    def test_streams_of_a_run_are_dealt_in_turn(self):
        def search(*improvements):
            return {"improvements": [{"evaluations": at, "score": score} for at, score in improvements]}
        searches = [search((1, 9.0), (2, 7.0)), search((1, 8.0), (4, 2.0)), search((1, 5.0)), search((1, 6.0), (4, 4.0))]
        found = curves.mean(searches, streams=2, each=4)
        self.assertEqual(found["curve"], [(2, (8.0 + 5.0) / 2), (4, (7.0 + 5.0) / 2), (8, (2.0 + 4.0) / 2)])
        self.assertEqual(found["best"], 2.0)

    def test_what_is_not_proven_is_not_called_so(self):
        layer = {"energy_pj": 11.0, "cycles": 10, "proven": False, "lower_bound": 100.0}
        self.assertEqual(figures.proof(layer), "not proven, +10.0 % above the bound")
        self.assertEqual(figures.proof({**layer, "lower_bound": None}), "not proven, no bound")
        self.assertEqual(figures.proof({**layer, "proven": True}), "proven")
        old = {"energy_pj": 20.0, "cycles": 10, "proven": True, "lower_bound": 200.0}
        possible = figures.Figures.possible
        self.assertEqual(possible({"perfect": [old], "ruby-s": [layer]}), "-50.0 %")
        self.assertIn("unknown", possible({"perfect": [old], "ruby-s": [{**layer, "lower_bound": None}]}))
        self.assertIn("unknown", possible({"perfect": [{**old, "proven": False}], "ruby-s": [layer]}))

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
