"""Mapping: built, read from text, changed, validated and evaluated; and what else a result can do."""

import pathlib
import tempfile
import unittest

import tilewright
from program import EXAMPLE

FILES = [EXAMPLE / "arch.yaml", EXAMPLE / "problem.yaml"]


class Mappings(unittest.TestCase):
    def setUp(self):
        self.machine = tilewright.Architecture(EXAMPLE / "arch.yaml")
        self.network = tilewright.Network(EXAMPLE / "problem.yaml")
        self.text = (EXAMPLE / "mapping.yaml").read_text()

    def test_text_and_file_cost_the_same(self):
        mapping = tilewright.Mapping(self.text)
        given = tilewright.evaluate(self.network, self.machine, EXAMPLE / "mapping.yaml")
        self.assertEqual(mapping.evaluate(self.network, self.machine).energy_pj, given.energy_pj)
        self.assertEqual(mapping.problems(self.network, self.machine), [])
        self.assertEqual(mapping.loops("buffer"), {"Q": 4, "P": 8, "C": 4})
        self.assertEqual(mapping.loops("inter_pe_spatial", "spatial"), {"S": 3, "C": 4})
        self.assertEqual(mapping.kept("buffer"), ["Inputs", "Outputs"])
        self.assertIsNone(mapping.kept("nowhere"))
        self.assertEqual(tilewright.Mapping(mapping.text), mapping)

    def test_what_map_finds_reads_back(self):
        compared = 0
        for network, machine in (("alexnet", "eyeriss"), ("resnet18", "simba")):
            found = tilewright.map(network, machine)
            for layer in found.layers:
                alone = tilewright.Network(network, layers=layer.names[0])
                cost = tilewright.Mapping(layer.mapping).evaluate(alone, machine)
                self.assertEqual((cost.energy_pj, cost.cycles), (layer.energy_pj, layer.cycles), layer.names)
                compared += 1
        self.assertGreaterEqual(compared, 18)

    def test_imperfect_factors_read_back(self):
        found = tilewright.map(tilewright.Network("alexnet", layers="conv3"), "eyeriss", factors="ruby-s", mapper="hybrid", seed=3)
        layer = found.layers[0]
        self.assertIn(",", "".join(str(one) for one in tilewright.Mapping(layer.mapping).text.split("factors")))
        again = tilewright.Mapping(layer.mapping).evaluate(tilewright.Network("alexnet", layers="conv3"), "eyeriss")
        self.assertEqual(again.energy_pj, layer.energy_pj)

    def test_built_from_nothing(self):
        net = tilewright.Network.from_einsum("O[m,n] += A[m,k] * B[k,n]", {"m": 8, "n": 4, "k": 16})
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "m.yaml")
            file.write_text("architecture:\n  version: 0.4\n  nodes:\n  - !Container {name: c, attributes: {technology: 45nm}}\n"
                            "  - !Component {name: DRAM, class: DRAM}\n"
                            "  - !Component {name: buffer, class: SRAM, attributes: {depth: 64, width: 16}}\n"
                            "  - !Component {name: mac, class: intmac}\n")
            machine = tilewright.Architecture(file)
        mapping = tilewright.Mapping().with_loops("DRAM", m=8, n=4).with_loops("buffer", k=16)
        cost = mapping.evaluate(net, machine)
        self.assertEqual(cost.operations, 8 * 4 * 16)
        self.assertEqual(cost.cycles, 8 * 4 * 16)
        # Another order of the same loops moves other words.
        other = mapping.with_loops("DRAM", m=8, n=4, order=["n", "m"])
        self.assertEqual(other.loops("DRAM"), {"n": 4, "m": 8})
        self.assertNotEqual(other.evaluate(net, machine).energy_pj, cost.energy_pj)
        self.assertEqual(mapping.loops("DRAM"), {"m": 8, "n": 4})  # nothing changes what it was made of
        self.assertEqual(mapping.with_loops("DRAM").loops("DRAM"), {})

    def test_what_is_not_legal_says_why(self):
        mapping = tilewright.Mapping(self.text).with_loops("buffer", Q=4, P=8).with_loops("inter_pe_spatial", "spatial", S=3, split=0)
        mapping = mapping.with_loops("weights_spad", R=3, C=64)
        problems = mapping.problems(self.network, self.machine)
        self.assertIn("weights_spad", problems[0])
        with self.assertRaises(tilewright.NoMapping):
            mapping.evaluate(self.network, self.machine)
        with self.assertRaises(tilewright.InputError):
            mapping.with_loops("bufer", K=2).problems(self.network, self.machine)

    def test_mistakes(self):
        empty = tilewright.Mapping()
        for wrong in (0, -1, 2.5, "4", True, (1, 2, 3)):
            with self.assertRaises(TypeError):
                empty.with_loops("DRAM", K=wrong)
        with self.assertRaisesRegex(tilewright.InputError, "temporal or spatial, found 'sideways'"):
            empty.with_loops("DRAM", "sideways", K=2)
        with self.assertRaisesRegex(tilewright.InputError, "order has to name K, each once; found K, C"):
            empty.with_loops("DRAM", K=2, order=["K", "C"])
        with self.assertRaisesRegex(tilewright.InputError, "a list of entries with 'target' and 'type'"):
            tilewright.Mapping("architecture: {}")
        with self.assertRaisesRegex(tilewright.InputError, "expected a factor such as K=4"):
            tilewright.Mapping("mapping:\n- {target: DRAM, type: temporal, factors: [K=x]}")
        with self.assertRaises(tilewright.InputError):
            tilewright.Mapping("mapping: [")

    def test_how_it_shows(self):
        mapping = tilewright.Mapping().with_loops("DRAM", K=4).with_kept("buffer", ["A<b"])
        self.assertEqual(repr(mapping), "<Mapping DRAM K=4>")
        self.assertEqual(repr(tilewright.Mapping()), "<Mapping without loops>")
        self.assertIn("<td>keeps A&lt;b</td>", mapping._repr_html_())


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = tilewright.map(tilewright.Network("alexnet", layers="conv*"), "eyeriss")

    def test_quantities(self):
        result = self.result
        self.assertEqual(result.edp, result.energy_pj * result.cycles)
        self.assertEqual(result.power_mw, result.power_w * 1e3)
        self.assertEqual(result.area_mm2, tilewright.Architecture("eyeriss").area_mm2)
        self.assertGreater(result.area_mm2, 0.1)

    def test_csv_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "costs.csv")
            self.assertEqual(self.result.to_csv(file), self.result.to_csv())
            self.assertEqual(file.read_text(), self.result.to_csv())

    def test_pictures(self):
        for kind in ("energy", "latency", "roofline"):
            picture = self.result.plot(kind)
            self.assertTrue(picture._repr_svg_().startswith("<svg"), kind)
        with tempfile.TemporaryDirectory() as folder:
            picture.save(pathlib.Path(folder, "p.svg"))
            self.assertEqual(pathlib.Path(folder, "p.svg").read_text(), picture.svg)
        with self.assertRaisesRegex(tilewright.InputError, "unknown kind 'energies'; expected one of"):
            self.result.plot("energies")
        with self.assertRaisesRegex(tilewright.InputError, "nothing for 'tilings'"):
            self.result.plot("tilings")

    def test_machines_and_networks_show_in_notebooks(self):
        self.assertIn("shared_glb", tilewright.Architecture("eyeriss")._repr_html_())
        self.assertIn("<td>conv1</td>", tilewright.Network("alexnet")._repr_html_())
        layer = self.result.layers[0]
        self.assertIn("conv1", repr(layer))
        self.assertIn(f"{layer.cycles:,} cycles", repr(layer))
        self.assertIn("<pre>", layer._repr_html_())


if __name__ == "__main__":
    unittest.main()
