"""MAESTRO's figures on a small scale: what can be said by hand, and that the charts are drawn."""

import os
import pathlib
import tempfile
import types
import unittest

import study  # first: it knows where the others are
import command
import validation

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))


class Figures(unittest.TestCase):
    def test_virtual_neurons_by_hand(self):
        """A virtual neuron makes nine products of an output each cycle; seven of them have 64 multipliers."""
        for name, k, c, side, recorded in validation.MAERI[::4]:
            layer = f"Dimensions {{ K: {k}, C: {c}, R: 3, S: 3, Y: {side}, X: {side} }}"
            for whole, account in (("", "exact"), (validation.WHOLE_FILTER, "maestro")):
                cycles = validation.run(PROGRAM, "evaluate", layer + validation.NEURONS.format(whole=whole), (64, 10**9, 0),
                                        "--account", account)["runtime_cycles"]
                self.assertEqual((cycles, cycles), (c * -(-k // 7) * (side - 2) ** 2, recorded), (name, account))

    def test_charts_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = study.Runs(types.SimpleNamespace(program=PROGRAM, out=folder))
            for figure in (study.fig10, study.fig11, study.fig12):
                title, tables, values = figure(runs)
                self.assertEqual((len(tables[0][1]), len(values)), (10, 10), title)
            drawn = sorted(path.name for path in pathlib.Path(folder).glob("*.svg"))
            self.assertEqual(drawn, ["fig10_gbit_per_s.svg", "fig10_l1_kb.svg", "fig10_macs_per_cycle.svg", "fig11.svg",
                                     "fig12_conv1.svg", "fig12_conv11.svg"])

    def test_energy_is_the_sum_of_its_parts(self):
        """Of CONV11 under WS each filter leaves L2 once, each input once for each output channel."""
        cost = {"operations": 512 * 512 * 9 * 14 * 14}
        cost.update(study.Runs(types.SimpleNamespace(program=PROGRAM, out=tempfile.gettempdir())).evaluate("CONV11", "ws", 64))
        self.assertEqual(cost["operations"], 512 * 512 * 9 * 14 * 14)
        l1, l2 = study.energy_parts(cost)
        self.assertAlmostEqual((1 + l1 + l2) * cost["operations"] / cost["energy_operations"], 1.0)
        words = 512 * 512 * 16 * 16 + 512 * 512 * 9  # to the units
        back = 512 * 512 * 14 * 14  # partial sums for every input channel
        once = 512 * 14 * 14 + 512 * 16 * 16 + 512 * 512 * 9  # results out, operands in
        self.assertAlmostEqual(l2, 18.61 * (words + back + once) / cost["operations"])


if __name__ == "__main__":
    unittest.main()
