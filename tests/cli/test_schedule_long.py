"""schedule: the default search on a layer of the Flexer paper, about a minute of processor time."""

import json
import unittest

from program import Case


class DefaultSearch(Case):
    def test_it_finds_conv6_and_says_what_it_left(self):
        result = self.run_program("schedule", "--arch", "arch5", "--rule", "sum", "--no-cache", "--json",
                                  "--net", "vgg16", "--layers", "conv6")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)["layers"][0]
        self.assertLessEqual(found["schedule"]["objective"], 627712 * 5636096)  # --tilings 200
        left = found["dynamic_search"]
        self.assertGreater(left["tilings_left"], 1000)
        self.assertLess(left["gain_left_at_most"], 3.2)
        bound = found["bounds"]["objective"]
        self.assertLessEqual(left["gain_left_at_most"], found["schedule"]["objective"] / bound * (1 + 1e-12))


if __name__ == "__main__":
    unittest.main()
