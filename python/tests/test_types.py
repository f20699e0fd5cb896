"""Misuse that mypy --strict finds before it runs, and a pass of a compiler that is an example."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tilewright
from program import ROOT

SOUND = """
import tilewright

options: tilewright.MapOptions = {"threads": 1, "mapper": "hybrid"}
result = tilewright.map([tilewright.Network("alexnet"), "resnet18"], "eyeriss", **options)
layer = result["conv1"]
energy: float = layer.energy_pj + sum(one.energy_pj for one in result)
nest: str = layer.loop_nest
proven: bool = result.proven
cache = tilewright.AnswerCache()
explored = tilewright.explore("alexnet", "simba", {"GlobalBuffer.depth": [1024]}, cache=cache)
"""
# What is wrong with each, in a line.
MISTAKES = {
    'tilewright.map("alexnet", "eyeriss", time_limits=1.0)': "time_limits",
    'tilewright.map("alexnet", "eyeriss", mapper="hybird")': "mapper",
    'wrong: tilewright.MapOptions = {"objektive": "edp"}': "objektive",
    'tilewright.map("alexnet", "eyeriss").energi': "energi",
    'tilewright.explore("alexnet", "simba", {}, time_limit=1.0)': "time_limit",
}


@unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
class Types(unittest.TestCase):
    def found_by_mypy(self, *files):
        result = subprocess.run(["mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", *map(str, files)], capture_output=True,
                                text=True, env={"MYPYPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"})
        return [line for line in result.stdout.splitlines() if ": error: " in line and not line.startswith(str(ROOT / "python"))]

    def test_planted_mistakes_are_found_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "user.py"
            file.write_text(SOUND + "\n".join(MISTAKES) + "\n")
            errors = self.found_by_mypy(file, ROOT / "examples" / "python" / "compiler_pass.py")
        first = SOUND.count("\n") + 1
        lines = [int(re.search(r"user\.py:(\d+): ", error).group(1)) for error in errors]
        self.assertEqual(sorted(set(lines)), list(range(first, first + len(MISTAKES))), errors)
        for line, word in zip(range(first, first + len(MISTAKES)), MISTAKES.values()):
            self.assertTrue(any(f":{line}: " in error and word in error for error in errors), errors)


class Names(unittest.TestCase):
    def test_import_star_leaves_map_to_python(self):
        names = {}
        exec("from tilewright import *", names)
        self.assertNotIn("map", names)
        self.assertIs(names["Network"], tilewright.Network)

    def test_python_m_is_the_program(self):
        printed = subprocess.run([sys.executable, "-m", "tilewright", "--version"], capture_output=True, text=True)
        self.assertIn("tilewright", printed.stdout + printed.stderr)

    def test_the_choices_are_those_of_the_library(self):
        from typing import get_args

        from tilewright import _core, choices

        self.assertEqual(set(get_args(choices.MapperName)), set(_core.mappers()))
        self.assertEqual(set(get_args(choices.FactorsName)), set(_core.factor_rules()))
        self.assertEqual(set(get_args(choices.AccountingName)), {one.value for one in tilewright.Accounting})
        self.assertEqual(set(get_args(choices.LatencyName)), {one.value for one in tilewright.Latency})

    def test_dimensions_may_be_called_as_options_are(self):
        mapping = tilewright.Mapping().with_loops("DRAM", "temporal", {"order": 4, "split": 2}, level=3)
        self.assertEqual(mapping.loops("DRAM"), {"order": 4, "split": 2, "level": 3})


class Pass(unittest.TestCase):
    def run_pass(self, *words):
        printed = subprocess.run([sys.executable, str(ROOT / "examples" / "python" / "compiler_pass.py"), *words], capture_output=True,
                                 text=True, check=True)
        return printed.stdout

    def test_of_3000_operations(self):
        printed = self.run_pass()
        self.assertRegex(printed, r"^3000 of 3000 operations mapped; 29\d\d answers were known\n\d+ answers a second\n")

    def test_that_is_stopped(self):
        self.assertRegex(self.run_pass("1000"), r"^100\d of 3000 operations mapped, stopped; ")


if __name__ == "__main__":
    unittest.main()
