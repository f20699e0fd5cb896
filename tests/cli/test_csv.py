"""--csv: one tidy row per layer, memory, tensor and action, whose sums are the report's totals."""

import collections
import csv
import io
import json
import unittest

from program import Case, ROOT

NETWORK = ["--arch", "eyeriss", "--net", "resnet18"]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def total(rows, column):
    return sum(float(row[column]) * int(row["repeats"]) for row in rows if row[column])


class Csv(Case):
    def assert_close(self, found, expected):
        self.assertLess(abs(found - expected), 1e-9 * abs(expected), f"{found} is not {expected}")

    def test_rows_of_a_network_add_up_to_its_totals(self):
        result = self.run_program("map", *NETWORK, "-o", "out", "-q", "--csv", "rows.csv")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        rows = rows_of((self.folder / "rows.csv").read_text())
        report = json.loads((self.folder / "out" / "report.json").read_text())
        for column, key in [("energy_pj", "energy_pj"), ("cycles", "cycles"), ("operations", "computes")]:
            self.assert_close(total(rows, column), report["totals"][key])
        energies = collections.Counter()
        for row in rows:
            energies[row["layer"]] += float(row["energy_pj"] or 0)
        self.assertGreater(len(energies), 10)
        for layer in report["layers"]:
            self.assert_close(energies[layer["name"]], layer["evaluation"]["energy_pj"])

    def test_rows_of_every_accounting_add_up(self):
        for account in ["exact", "timeloop"]:
            files = self.examples()
            rows = rows_of(self.run_program("evaluate", *files, "--account", account, "--csv", "-").stdout)
            report = json.loads(self.run_program("evaluate", *files, "--account", account, "--json").stdout)
            self.assert_close(total(rows, "energy_pj"), report["totals"]["energy_pj"])
            self.assertEqual({row["accounting"] for row in rows}, {account})

    def test_a_comparison_has_the_rows_of_each_accounting(self):
        rows = rows_of(self.run_program("compare", *self.examples(), "--account", "exact,timeloop", "--csv", "-").stdout)
        self.assertEqual({row["accounting"] for row in rows}, {"exact", "timeloop"})

    def test_zigzags_files(self):
        files = sorted((ROOT / "examples" / "uneven").glob("*.yaml"))
        rows = rows_of(self.run_program("evaluate", *files, "--csv", "-").stdout)
        layers = json.loads(self.run_program("evaluate", *files, "--json").stdout)["layers"]
        costs = [layer["evaluation"] for layer in layers]
        self.assert_close(total(rows, "energy_pj"), sum(cost["energy_pj"] for cost in costs))
        self.assert_close(total(rows, "cycles"), sum(cost["latency"]["total_cycles"] for cost in costs))

    def test_text_goes_to_standard_output_beside_a_file(self):
        result = self.run_program("evaluate", *self.examples(), "--csv", "rows.csv")
        self.assertIn("utilization", result.stdout)
        self.assertGreater(len(rows_of((self.folder / "rows.csv").read_text())), 10)

    def test_one_document_on_standard_output(self):
        self.assert_fails(self.run_program("evaluate", *self.examples(), "--csv", "-", "--json"), 2, "...both want")
        self.assert_fails(self.run_program("evaluate", *self.examples(), "--csv", "no/such.csv"), 2, "...no/such.csv")


if __name__ == "__main__":
    unittest.main()
