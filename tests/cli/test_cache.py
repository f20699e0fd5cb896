"""The cache of proven answers: hits, misses, damage, several processes, places where it cannot be."""

import json
import os
import pathlib
import subprocess
import unittest

from program import PROGRAM, ROOT, Case
from test_certificate import LAYER, MACHINE


FOUND = "note: 1 answer comes from the cache\n"


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.write("machine.yaml", MACHINE)

    def map(self, *arguments, **variables):
        result = self.run_program("map", *LAYER, *arguments, "--json", **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["layers"][0], result.stderr

    def cached(self, *arguments):
        _, errors = self.map("--cache", "cache", *arguments)
        self.assertIn(errors, ["", FOUND])
        return errors == FOUND

    def entries(self):
        return sorted(pathlib.Path(self.folder / "cache").iterdir())

    def test_the_second_run_finds_what_the_first_one_proved(self):
        for arguments in [[], ["--objective", "pareto"]]:
            first, errors = self.map("--cache", "cache", *arguments)
            self.assertEqual(errors, "")
            second, errors = self.map("--cache", "cache", *arguments)
            self.assertEqual(errors, FOUND)
            self.assertEqual(first, second)
        self.assertEqual(self.run_program("map", *LAYER, "--cache", "cache", "-q").stderr, "")

    def test_answers_of_sparse_machines_are_kept_by_all_that_decides_them(self):
        """Densities, formats, optimisations, and what a measured tensor holds, whatever its file is called."""
        text = (ROOT / "examples" / "sparse" / "machines" / "scnn_like.yaml").read_text()
        self.write("sparse.yaml", text)
        self.write("bits.yaml", text.replace("format: RLE", "format: B"))
        self.write("gated.yaml", text.replace("- { type: skipping }", "- { type: gating }"))
        matrix = "%%MatrixMarket matrix coordinate pattern general\n8 4 {}\n{}"
        self.write("weights.mtx", matrix.format(2, "1 1\n3 2\n"))
        self.write("others.mtx", matrix.format(3, "1 1\n3 2\n4 4\n"))
        layer = ["--einsum", "Outputs[m,n] += Inputs[m,k] * Weights[k,n]", "--extents", "m=4,n=4,k=8"]

        def found(arch, density, *options):
            result = self.run_program("map", "--arch", arch, *layer, "--density", density, *options, "--cache", "cache", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(result.stderr, ["", FOUND])
            layers = json.loads(result.stdout)["layers"]
            self.assertTrue(layers[0]["search"]["proven"])
            return result.stderr == FOUND, layers

        runs = [("sparse.yaml", "Weights=0.3"), ("sparse.yaml", "Weights=0.4"), ("sparse.yaml", "Weights=0.3,Inputs=0.5"),
                ("bits.yaml", "Weights=0.3"), ("gated.yaml", "Weights=0.3"), ("sparse.yaml", "Weights=measured:weights.mtx"),
                ("sparse.yaml", "Weights=0.3", "--objective", "energy")]
        first = []
        for run in runs:
            with self.subTest(run=run):
                known, layers = found(*run)
                self.assertFalse(known)
                first.append(layers)
        for run, layers in zip(runs, first):
            self.assertEqual(found(*run), (True, layers))
        self.write("weights.mtx", (self.folder / "others.mtx").read_text())
        self.assertFalse(found("sparse.yaml", "Weights=measured:weights.mtx")[0])
        self.assertTrue(found("sparse.yaml", "Weights=measured:others.mtx")[0])

    def test_equal_inputs_give_equal_bytes_whatever_the_cache_holds(self):
        """Nothing, this answer, or what was proved where a run like this one would have searched without a proof."""
        several = ["--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1,layer2.0*", "--objective", "energy"]
        many = MACHINE
        for name in ["b", "c", "d"]:  # 2^3 ways to keep tensors each
            many = many.replace("  - !Container", f"  - !Component {{name: {name}, class: SRAM, attributes: "
                                "{depth: 512, width: 16, datawidth: 16, vector_access_energy: 4}}\n  - !Container", 1)
        machine = self.write("many.yaml", many.replace("      dataspace: {keep: [O], bypass: [W]}", "      dataspace: {}"))
        large = [machine, "--einsum", "O[p,k] += W[k,r] * I[p+r]", "--extents", "p=3,k=3,r=2", "--factors", "ruby-s"]
        for arguments, first in [(several, []), (large, ["--mapper", "optimal"])]:
            runs = []
            for folder, more in [("0", ["--no-cache"]), ("x", first), ("1", []), ("2", [])]:
                result = self.run_program("map", *arguments, *more, "-o", folder, *([] if more == ["--no-cache"] else ["--cache", "cache"]))
                self.assertEqual(result.returncode, 0, result.stderr)
                files = {name: (self.folder / folder / name).read_bytes() for name in sorted(os.listdir(self.folder / folder))}
                runs.append((result.stdout, files))
            self.assertEqual(runs[0], runs[2])
            self.assertEqual(runs[0], runs[3])
            self.assertEqual("proven optimal" in runs[0][0], arguments == several)
            self.assertIn("proven optimal", runs[1][0])

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
        _, errors = self.map("--cache", "cache", "--no-cache")
        self.assertEqual(errors, "")

    def test_a_damaged_entry_is_told_once_and_replaced(self):
        self.cached()
        entry, = self.entries()
        whole = entry.read_bytes()
        for damaged in [whole[:100], b"", whole.replace(b"proven", b"proved"), b"\0" * 5000]:
            entry.write_bytes(damaged)
            _, errors = self.map("--cache", "cache")
            self.assertRegex(errors, r"^warning: cache/[0-9a-f]{32}\.txt: a damaged entry of the cache; its layer is searched again\n$")
            self.assertEqual(entry.read_bytes(), whole)

    def test_many_processes_at_once(self):
        command = [PROGRAM, "map", "--arch", "eyeriss", "--net", "resnet18", "--cache", "cache", "--json", "-t", "2"]
        runs = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(4)]
        outcomes = set()
        for run in runs:
            out, errors = run.communicate(timeout=900)
            self.assertEqual(run.returncode, 0)
            self.assertRegex(errors, rb"^(note: \d+ answers? comes? from the cache\n)?$")
            outcomes.add(out)
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
