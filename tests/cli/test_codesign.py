"""tilewright explore --prove: the best machine is that of explore, and what is killed goes on."""

import csv
import io
import re
import signal
import sqlite3
import subprocess
import time

from program import PROGRAM, Case

MACHINE = """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 1024, width: 64}}
  - !Container {name: PE, spatial: {meshX: 8}}
  - !Component {name: spad, class: regfile, attributes: {depth: 64, width: 8}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8}}
"""
LAYER = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=24,n=32,k=16"]
KNOBS = ["--set", "buffer.depth=256,1k,4k", "--set", "PE.meshX=2,8,32", "--set", "spad.depth=8,32,64",
         "--set", "DRAM.read_bandwidth=4,8"]
POINTS = 3 * 3 * 3 * 2


class Codesign(Case):
    def explore(self, *arguments):
        return self.run_program("explore", "--arch", self.write("m.yaml", MACHINE), *LAYER, *arguments)

    def prove(self, metric, *arguments):
        result = self.explore(*KNOBS, "--prove", "--best", metric, "--objective", metric, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    @staticmethod
    def value(text, name):
        return float(re.search(rf"^  {name} +(\S+)$", text, re.MULTILINE)[1])

    def rows(self, *arguments):
        result = self.explore(*KNOBS, *arguments, "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        return [row for row in csv.DictReader(io.StringIO(result.stdout)) if row["status"] == "valid"]

    def test_the_best_machine_is_the_best_of_all(self):
        names = {"energy": "energy_pj", "latency": "latency_cycles", "edp": "edp_pj_cycles"}
        for metric, name in names.items():
            rows = self.rows("--objective", metric)
            self.assertEqual(len(rows), POINTS)
            limit = sorted(float(row["area_mm2"]) for row in rows)[POINTS // 3]
            for limits in [[], ["--limit", f"area<{limit}"]]:
                with self.subTest(metric=metric, limits=limits):
                    least = min(float(row[name]) for row in rows if not limits or float(row["area_mm2"]) < limit)
                    text = self.prove(metric, *limits)
                    self.assertIn(f"proven: of {POINTS} machines none has a smaller {name}", text)
                    self.assertAlmostEqual(self.value(text, name) / least, 1.0, delta=2e-9)
                    mapped = int(re.search(r"^(\d+) machines mapped", text, re.MULTILINE)[1])
                    self.assertLess(mapped, POINTS // 2)
                    self.assertEqual(self.prove(metric, *limits, "--threads", "3"), text)

    def test_a_space_without_a_valid_machine_is_said_to_have_none(self):
        result = self.explore(*KNOBS, "--prove", "--best", "edp", "--limit", "area<0.0001")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(f"proven: none of {POINTS} machines is valid", result.stdout)

    def test_what_is_killed_goes_on(self):
        expected = self.prove("edp")
        command = [PROGRAM, "explore", "--arch", self.write("m.yaml", MACHINE), *LAYER, *KNOBS, "--prove", "--best", "edp",
                   "--store", "proof.sqlite"]
        store = self.folder / "proof.sqlite"
        process = subprocess.Popen(list(map(str, command)), cwd=self.folder, stdout=subprocess.DEVNULL)
        while process.poll() is None and self.answers(store) < 5:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertGreaterEqual(self.answers(store), 5)
        self.assertEqual(self.prove("edp", "--store", "proof.sqlite"), expected)
        refused = self.explore(*KNOBS, "--prove", "--best", "edp", "--limit", "area<1", "--store", "proof.sqlite")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("holds another search: its 'limits", refused.stderr)

    @staticmethod
    def answers(store):
        try:
            connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
            try:
                return connection.execute("SELECT count(*) FROM answer").fetchone()[0]
            finally:
                connection.close()
        except sqlite3.Error:
            return 0

    def test_machines_of_different_levels_are_refused(self):
        result = self.explore("--set", "PE.meshX=1,2", "--prove", "--best", "edp")  # a mesh of 1 is no level
        self.assertEqual(result.returncode, 2)
        self.assertIn("different numbers of levels", result.stderr)

    def test_what_cannot_be_proven_is_refused(self):
        for wrong, why in {
            ("--best", "area"): "nothing bounds 'area_mm2'",
            ("--best", "energy"): "they have to agree",
            (): "--prove needs --best",
            ("--pareto", "energy,area"): "--prove needs --best",
            ("--best", "edp", "--factors", "padded"): "no floors for uneven mappings and for paddings",
            ("--best", "edp", "--mapper", "random"): "leave out --mapper",
            ("--best", "edp", "--discard"): "neither --discard nor --prepare",
            ("--best", "edp", "--top", "3"): "there are no rows",
        }.items():
            with self.subTest(wrong):
                result = self.explore(*KNOBS, "--prove", *wrong)
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(why, result.stderr)


if __name__ == "__main__":
    import unittest
    unittest.main()
