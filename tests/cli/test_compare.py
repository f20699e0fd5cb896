"""compare --mappers: the curves as text, JSON and CSV."""

import csv
import io
import json
import unittest

from program import ROOT, Case

RACE = ["compare", "--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1,layer2.0.conv1", "--mappers",
        "hybrid,random", "--factors", "perfect,ruby-s", "--evaluations", "500", "--runs", "2"]


class CompareMappers(Case):
    def test_text(self):
        result = self.run_program(*RACE)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("mean of 2 runs, geometric mean of 2 layers", result.stdout)
        self.assertIn("evaluations  hybrid  hybrid/ruby-s  random  random/ruby-s", result.stdout)
        self.assertIn("layer2.0.conv1", result.stdout)

    def test_only_the_times_differ_from_run_to_run(self):
        def without_times(text):
            comparison = json.loads(text)
            del comparison["by_seconds"]
            for layer in comparison["layers"]:
                for contestant in layer["contestants"]:
                    for run in contestant["runs"]:
                        for timed in [run, *run["improvements"]]:
                            del timed["seconds"]
            return comparison
        one = self.run_program(*RACE, "--json", "--threads", "1")
        three = self.run_program(*RACE, "--json", "--threads", "3")
        self.assertEqual(without_times(one.stdout), without_times(three.stdout))

    def test_csv_has_a_line_per_layer_contestant_and_checkpoint(self):
        rows = list(csv.DictReader(io.StringIO(self.run_program(*RACE, "--csv", "-").stdout)))
        last = [row for row in rows if row["effort"] == "evaluations" and row["spent"] == "500"]
        self.assertEqual(sorted({row["layer"] for row in last}), ["*", "conv1", "layer2.0.conv1"])
        self.assertEqual(len(last), 3 * 4)
        self.assertTrue(all(float(row["relative"]) >= 1 for row in last))

    def best(self, *arguments):
        """By contestant, the objective at the end of its only run, None where it found nothing."""
        result = self.run_program("compare", "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        comparison = json.loads(result.stdout)
        layer, = comparison["layers"]
        return {one["mapper"]: found["final"] for one, found in zip(comparison["contestants"], layer["contestants"])}

    def test_mappers_count_words_and_zeros(self):
        """As `map` counts them: on a sparse machine, and with partial sums of another width."""
        sparse = str(ROOT / "examples" / "sparse" / "machines" / "scnn_like.yaml")
        for asked in ([sparse, "--density", "Weights=0.3"], ["--arch", "eyeriss", "--bits", "Outputs=8/32"]):
            asked += ["--net", "alexnet", "--layers", "fc8"]
            found = json.loads(self.run_program("map", *asked, "--json").stdout)["totals"]
            best = self.best(*asked, "--mappers", "optimal,random", "--evaluations", "50")
            self.assertAlmostEqual(best["optimal"] / (found["energy_pj"] * found["cycles"]), 1.0)
            self.assertGreaterEqual(best["random"] or best["optimal"], best["optimal"])

    def test_the_order_of_mappers_decides_nothing(self):
        """A mapper with options of its own in front once searched in the place of all."""
        machine = ("--arch", "simba-cosa", "--net", "alexnet", "--layers", "conv3", "--evaluations", "200")
        for one, other in (("cosa", "random"), ("loma", "random")):
            self.assertEqual(self.best(*machine, "--mappers", f"{one},{other}"), self.best(*machine, "--mappers", f"{other},{one}"))

    def test_streams_of_timeloops_searches(self):
        """As `map` has them; mappers that know no streams do without."""
        layer = ("--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3", "--evaluations", "100")
        found = self.best(*layer, "--mappers", "hybrid,timeloop-random", "--streams", "3", "--timeout", "2000")
        alone = json.loads(self.run_program("map", *layer, "--mapper", "timeloop-random", "--streams", "3", "--timeout", "2000",
                                            "--victory", "0", "--json").stdout)["layers"][0]["evaluation"]
        self.assertAlmostEqual(found["timeloop-random"] / (alone["energy_pj"] * alone["cycles"]), 1, delta=1e-9)
        self.assertEqual(found["hybrid"], self.best(*layer, "--mappers", "hybrid")["hybrid"])
        self.assert_fails(self.run_program("compare", *layer, "--mappers", "hybrid,random", "--streams", "3"), 2,
                          "tilewright compare: error: --streams is for the mappers timeloop-...")

    def test_usage(self):
        self.assert_fails(self.run_program(*RACE[:8], "hybird"), 2, "...did you mean 'hybrid'?")
        self.assert_fails(self.run_program(*RACE, "--objective", "pareto"), 2, "...compared by one number")
        self.assert_fails(self.run_program(*RACE[:-2], "--runs", "0"), 2, "...--runs takes a whole number, at least 1")


if __name__ == "__main__":
    unittest.main()


class CompareRuns(Case):
    def test_summaries_side_by_side(self):
        for machine in ("eyeriss", "simba"):
            self.run_program("map", "--arch", machine, "--net", "alexnet", "--layers", "conv3,fc8", "-o", machine)
        result = self.run_program("compare", "eyeriss", "simba", "--html", "both.html")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for row in ("EDP (J*cycles)", "utilization", "memory-bound layers", "memory-bound cycles", "activations spilled",
                    "clock", "technology"):
            self.assertIn(f"  {row} ", result.stdout)
        self.assertIn("<html", (self.folder / "both.html").read_text())
        technologies = [json.loads((self.folder / machine / "report.json").read_text())["architecture"]["technology"]
                        for machine in ("eyeriss", "simba")]
        self.assertEqual(len(set(technologies)), 2)
        self.assertIn(f"warning: the technologies differ ({', '.join(sorted(technologies))})", result.stdout)
        same = self.run_program("compare", "eyeriss", "eyeriss")
        self.assertNotIn("warning", same.stdout)

    def test_a_page_is_of_whole_runs(self):
        self.assert_fails(self.run_program("compare", *self.examples(), "--html", "page.html"), 2,
                          "tilewright compare: error: --html is for whole runs")
