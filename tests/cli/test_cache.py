"""The cache of proven answers: hits, misses, damage, several processes, places where it cannot be."""

import json
import pathlib
import subprocess
import unittest

from program import PROGRAM, Case
from test_certificate import LAYER, MACHINE


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.write("machine.yaml", MACHINE)

    def map(self, *arguments, **variables):
        result = self.run_program("map", *LAYER, *arguments, "--json", **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["layers"][0], result.stderr

    def cached(self, *arguments):
        layer, errors = self.map("--cache", "cache", *arguments)
        self.assertEqual(errors, "")
        return layer["search"].get("from_cache", False)

    def entries(self):
        return sorted(pathlib.Path(self.folder / "cache").iterdir())

    def test_the_second_run_finds_what_the_first_one_proved(self):
        for arguments in [[], ["--objective", "pareto"]]:
            first, _ = self.map("--cache", "cache", *arguments)
            second, _ = self.map("--cache", "cache", *arguments)
            self.assertNotIn("from_cache", first["search"])
            self.assertTrue(second["search"].pop("from_cache"))
            self.assertEqual(first, second)
        text = self.run_program("map", *LAYER, "--cache", "cache").stdout
        self.assertIn("(from the cache)", text)

    def test_a_cached_answer_has_a_certificate(self):
        self.cached()
        self.run_program("map", *LAYER, "--cache", "cache", "--certificate", "mine.json")
        self.assertEqual(self.run_program("check", "mine.json").returncode, 0)

    def test_names_do_not_matter_and_numbers_do(self):
        self.assertFalse(self.cached())
        self.write("machine.yaml", MACHINE.replace("buffer", "sram").replace("lane", "row"))
        self.assertTrue(self.cached(), "other names")
        for old, new in [("depth: 64", "depth: 65"), ("vector_access_energy: 5", "vector_access_energy: 5.001"),
                         ("bypass: [W]", "bypass: []"), ("meshX: 4", "meshX: 5"), ("energy: 1}", "energy: 2}")]:
            self.write("machine.yaml", MACHINE.replace(old, new))
            self.assertFalse(self.cached(), new)
        self.write("machine.yaml", MACHINE)
        self.assertTrue(self.cached())
        for other in [["--objective", "energy"], ["--seed", "2"]]:
            self.assertFalse(self.cached(*other), other)

    def test_only_proofs_are_kept(self):
        self.map("--cache", "cache", "--mapper", "random", "--evaluations", "100")
        self.assertFalse((self.folder / "cache").exists())

    def test_switched_off(self):
        self.cached()
        layer, _ = self.map("--cache", "cache", "--no-cache")
        self.assertNotIn("from_cache", layer["search"])

    def test_a_damaged_entry_is_told_once_and_replaced(self):
        self.cached()
        entry, = self.entries()
        whole = entry.read_bytes()
        for damaged in [whole[:100], b"", whole.replace(b"proven", b"proved"), b"\0" * 5000]:
            entry.write_bytes(damaged)
            layer, errors = self.map("--cache", "cache")
            self.assertRegex(errors, r"^warning: cache/[0-9a-f]{32}\.txt: a damaged entry of the cache; its layer is searched again\n$")
            self.assertNotIn("from_cache", layer["search"])
            self.assertEqual(entry.read_bytes(), whole)

    def test_many_processes_at_once(self):
        command = [PROGRAM, "map", "--arch", "eyeriss", "--net", "resnet18", "--cache", "cache", "--json", "-t", "2"]
        runs = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(4)]
        outcomes = set()
        for run in runs:
            out, errors = run.communicate(timeout=3600)
            self.assertEqual((run.returncode, errors), (0, b""))
            report = json.loads(out)
            for layer in report["layers"]:
                layer["search"].pop("from_cache", None)
            outcomes.add(json.dumps(report))
        self.assertEqual(len(outcomes), 1, "whoever searched, whoever found")
        self.assertEqual({entry.suffix for entry in self.entries()}, {".txt"}, "nothing half-written is left")

    def test_where_it_is(self):
        home = str(self.folder / "home")
        for variables, place in [({"HOME": home, "XDG_CACHE_HOME": None}, "home/.cache/tilewright"),
                                 ({"HOME": home, "XDG_CACHE_HOME": str(self.folder / "xdg")}, "xdg/tilewright"),
                                 ({"HOME": home, "TILEWRIGHT_CACHE": str(self.folder / "own")}, "own")]:
            _, errors = self.map(**{"TILEWRIGHT_CACHE": None, **variables})
            self.assertEqual(errors, "")
            self.assertEqual(len(list((self.folder / place).iterdir())), 1)

    def test_nowhere_to_be(self):
        layer, errors = self.map(TILEWRIGHT_CACHE=None, HOME=None, XDG_CACHE_HOME=None)
        self.assertEqual(errors, "warning: no cache: neither XDG_CACHE_HOME nor HOME is set; --cache DIR or --no-cache\n")
        self.assertEqual(layer["status"], "evaluated")
        self.write("file", "")
        layer, errors = self.map("--cache", "file")
        self.assertRegex(errors, r"^warning: nothing is kept in the cache: file: error: cannot write there: .*\[io\]\n$")
        self.assertEqual(layer["status"], "evaluated")


if __name__ == "__main__":
    unittest.main()
