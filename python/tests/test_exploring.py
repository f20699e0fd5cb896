"""Explorations: failed points, fronts, Ctrl-C between points."""

import os
import signal
import unittest

import tilewright


class Exploring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.explored = tilewright.explore(tilewright.Network("alexnet", layers="conv3"), "simba",
                                          {"GlobalBuffer.depth": [64, 1024, 4096], "objective": ["energy", "latency"]})

    def test_points_are_in_order(self):
        self.assertEqual([point["GlobalBuffer.depth"] for point in self.explored], [64, 64, 1024, 1024, 4096, 4096])
        self.assertEqual([point["point"] for point in self.explored], list(range(6)))

    def test_best_and_front(self):
        valid = [point for point in self.explored if point["status"] == "valid"]
        self.assertEqual(self.explored.best("energy")["energy_pj"], min(point["energy_pj"] for point in valid))
        self.assertEqual(self.explored.best("throughput")["macs_per_cycle"], max(point["macs_per_cycle"] for point in valid))
        front = self.explored.pareto("energy", "area")
        for point in front:
            self.assertFalse(any(other["energy_pj"] < point["energy_pj"] and other["area_mm2"] < point["area_mm2"] for other in valid))
        self.assertRaisesRegex(ValueError, "unknown metric 'enrgy'", self.explored.best, "enrgy")

    def test_a_point_without_a_machine_says_why(self):
        explored = tilewright.explore(tilewright.Network("alexnet", layers="conv3"), "simba", {"GlobalBuffer.depth": [1024, 0]})
        self.assertEqual([point["status"] for point in explored], ["valid", "failed"])
        self.assertTrue(explored.points[1]["message"])

    def test_the_order_of_values_decides_nothing(self):
        """A value that no machine has makes a failed point wherever it stands; a name that no machine has is refused."""
        network = tilewright.Network("alexnet", layers="conv3")
        there = list(tilewright.explore(network, "simba", {"GlobalBuffer.depth": [1024, 0]}))
        back = list(tilewright.explore(network, "simba", {"GlobalBuffer.depth": [0, 1024]}))
        self.assertEqual([point["status"] for point in back], ["failed", "valid"])
        for point in there + back:
            del point["point"]
        self.assertEqual(there, back[::-1])
        for words in (["random", "hybird"], ["hybird", "random"]):
            with self.assertRaisesRegex(tilewright.InputError, "unknown mapper 'hybird'; there are "):
                tilewright.explore(network, "simba", {"mapper": words}, evaluations=10)
        with self.assertRaisesRegex(tilewright.InputError, "has no values"):
            tilewright.explore(network, "simba", {"GlobalBuffer.depth": []})

    def test_ctrl_c_keeps_the_points_so_far(self):
        with self.assertRaises(tilewright.Interrupted) as caught:
            tilewright.explore(tilewright.Network("alexnet", layers="conv3"), "simba", {"seed": [1, 2, 3]}, mapper="random", victory=0,
                               evaluations=100, progress=lambda done, total: os.kill(os.getpid(), signal.SIGINT))
        self.assertEqual(len(caught.exception.result), 1)


if __name__ == "__main__":
    unittest.main()
