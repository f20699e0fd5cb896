"""compare --mappers: the curves as text, JSON and CSV."""

import csv
import io
import json
import unittest

from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

RACE = ["compare", "--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1,layer2.0.conv1", "--mappers",
        "hybrid,random", "--factors", "perfect,ruby-s", "--evaluations", "500", "--runs", "2"]


class CompareMappers(Case):
    def test_text(self):
        result = self.run_program(*RACE)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("mean of 2 runs, geometric mean of 2 layers", result.stdout)
        self.assertIn("evaluations  hybrid  hybrid/ruby-s  random  random/ruby-s", result.stdout)
        self.assertIn("layer2.0.conv1", result.stdout)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_json_fits_the_published_schema(self):
        schema = json.loads((ROOT / "schemas" / "mappers-1.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        result = self.run_program(*RACE, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        jsonschema.validate(json.loads(result.stdout), schema, jsonschema.Draft7Validator)

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

    def test_usage(self):
        self.assert_fails(self.run_program(*RACE[:8], "hybird"), 2, "...did you mean 'hybrid'?")
        self.assert_fails(self.run_program(*RACE, "--objective", "pareto"), 2, "...compared by one number")
        self.assert_fails(self.run_program(*RACE[:-2], "--runs", "0"), 2, "...--runs takes at least 1")


if __name__ == "__main__":
    unittest.main()
