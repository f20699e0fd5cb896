"""compare.py: the columns of its table for one layer, and the order of the mappers by a proof."""

import os
import pathlib
import unittest

import compare

PROGRAM = os.environ.get("TILEWRIGHT", str(pathlib.Path(__file__).resolve().parents[3] / "build" / "release" / "bin" / "tilewright"))


class Comparison(unittest.TestCase):
    def test_one_layer(self):
        layers, mappers = ["resnet50_13"], ["optimal", "random", "cosa"]
        theirs, answers = compare.compare(PROGRAM, layers, mappers, 200)
        product, _, proven = answers["resnet50_13", "optimal"]
        self.assertTrue(proven)
        self.assertFalse(answers["resnet50_13", "random"][2])
        self.assertLess(product, answers["resnet50_13", "random"][0])
        rows = compare.summary(theirs, answers, layers, mappers).splitlines()
        self.assertTrue(rows[2].startswith("| `optimal` | 1.000 | 1.00 | 1 | 1 |"), rows[2])
        self.assertTrue(rows[-1].startswith("| timeloop-mapper, best recorded run |"), rows[-1])

    def test_the_best_recorded_run_comes_first(self):
        runs = compare.recorded()["resnet50_13"]
        self.assertGreater(len(runs), 3)
        self.assertEqual([run["edp"] for run in runs], sorted(run["edp"] for run in runs))


if __name__ == "__main__":
    unittest.main()
