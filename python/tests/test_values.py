"""What objects of the module are: sums that add up, pages, tables."""

import csv
import html
import importlib.util
import io
import shutil
import sys
import types
import unittest
import unittest.mock

import tilewright
from program import ROOT

HAS_PANDAS = importlib.util.find_spec("pandas") is not None


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = tilewright.map("resnet18", "eyeriss")

    def test_every_breakdown_adds_up_to_the_total(self):
        compared = 0
        for quantity, total in ((self.result.energy, self.result.energy_pj), (self.result.latency, self.result.cycles)):
            self.assertAlmostEqual(quantity.total / total, 1.0, places=12)
            for columns in (("layer",), ("memory",), ("memory", "tensor"), ("op", "action"), ("layer", "memory", "tensor", "action")):
                self.assertAlmostEqual(sum(quantity.by(*columns).values()) / total, 1.0, places=12)
                compared += 1
        self.assertEqual(compared, 10)

    def test_a_torch_model_comes_by_its_onnx_export(self):
        """torch is not among Debian's packages: a stand-in exports a file that is there."""
        with unittest.mock.patch.dict(sys.modules, {"torch": None, "torch.onnx": None}):
            with self.assertRaisesRegex(ImportError, "needs PyTorch"):
                tilewright.Network.from_torch(object(), ())
        model = ROOT / "tests" / "data" / "onnx" / "attention.onnx"
        calls = []

        def export(module, arguments, path, **options):
            calls.append((module, arguments, options))
            shutil.copy(model, path)

        torch = types.ModuleType("torch")
        onnx = types.ModuleType("torch.onnx")
        onnx.export = export
        with unittest.mock.patch.dict(sys.modules, {"torch": torch, "torch.onnx": onnx}):
            network = tilewright.Network.from_torch("model", ("input",), dims={"sequence": 16}, opset_version=17)
        self.assertEqual(calls, [("model", ("input",), {"opset_version": 17})])
        self.assertEqual([layer.einsum for layer in network.layers],
                         [layer.einsum for layer in tilewright.Network.from_onnx(model, dims={"sequence": 16}).layers])

    def test_by_knows_its_columns(self):
        self.assertEqual(set(self.result.energy.by("memory", "tensor")).pop().__class__, tuple)
        for wrong in ((), ("memry",)):
            with self.assertRaisesRegex(ValueError, "by takes some of layer, op, memory, tensor, action"):
                self.result.energy.by(*wrong)

    def test_what_is_printed(self):
        first, header, row = str(self.result.energy).splitlines()[:3]
        self.assertRegex(first, r"^energy of resnet18 on eyeriss: [0-9.]+ mJ$")
        self.assertRegex(header, r"^  memory +energy +share$")
        self.assertRegex(row, r"^  \S+ +[0-9.]+ [mu]J +[0-9.]+ %$")
        self.assertIn("resnet18 on eyeriss", repr(self.result))

    def test_units(self):
        result = self.result
        self.assertAlmostEqual(result.power_w, result.energy_pj * 1e-12 / result.seconds)
        self.assertAlmostEqual(result.tops_per_watt, 2 * result.operations / result.energy_pj)

    def test_a_notebook_shows_the_page_in_a_frame(self):
        frame = self.result._repr_html_()
        self.assertTrue(frame.startswith('<iframe sandbox="allow-scripts"'))
        self.assertEqual(html.unescape(frame.split('srcdoc="')[1].rsplit('"></iframe>')[0]), self.result.to_html())
        self.assertNotIn('"', frame.split('srcdoc="')[1].rsplit('"></iframe>')[0])
        both = tilewright.side_by_side([self.result, tilewright.map("resnet18", "simba")])
        self.assertIn("simba", both.to_html())

    def test_layers_say_what_was_found(self):
        layer = self.result.layers[0]
        self.assertEqual(layer.names, ["conv1"])
        self.assertTrue(layer.proven)
        self.assertIn("proven optimal", layer.claim)
        self.assertIn("<< Compute >>", layer.loop_nest)
        self.assertIn("mapping:", layer.mapping)

    def test_words_and_enumerations_are_the_same(self):
        network = tilewright.Network("alexnet", layers="conv3")
        by_name = tilewright.map(network, "eyeriss", objective="energy", mapper="optimal", factors="perfect")
        by_member = tilewright.map(network, "eyeriss", objective=tilewright.Objective.ENERGY, mapper=tilewright.Mapper.OPTIMAL,
                                   factors=tilewright.Factors.PERFECT)
        self.assertEqual(by_name.to_json(), by_member.to_json())
        from tilewright import _core
        self.assertEqual(sorted(_core.mappers()), sorted(one.value for one in tilewright.Mapper))
        self.assertEqual(_core.factor_rules(), [one.value for one in tilewright.Factors])
        self.assertEqual(_core.accountings(), [one.value for one in tilewright.Accounting])

    def test_networks_and_machines(self):
        network = tilewright.Network("resnet18")
        self.assertEqual(len(network.select("layer1.*")), 4)
        self.assertEqual(network.layers[0].operations, 118013952)
        self.assertEqual(tilewright.Architecture("eyeriss").memories[0], "DRAM")
        self.assertIn("eyeriss", tilewright.Architecture.zoo())
        self.assertIn("resnet18", tilewright.Network.zoo())
        self.assertEqual(network.to_dict()["network"]["name"], "resnet18")

    def test_the_table_is_that_of_the_csv(self):
        """pandas may be missing: a stand-in keeps what it is given."""
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = list
        with unittest.mock.patch.dict(sys.modules, {"pandas": pandas}):
            frame = self.result.to_pandas()
        rows = list(csv.DictReader(io.StringIO(self.result.to_csv())))
        self.assertEqual([list(row) for row in frame], [list(row) for row in rows])
        for ours, theirs in zip(frame, rows):
            for name, text in theirs.items():
                value = ours[name]
                self.assertEqual("" if value != value else value, type(value)(text) if text else "", name)
        self.assertGreater(max(row["repeats"] for row in frame), 1)
        total = sum(row["repeats"] * row["energy_pj"] for row in frame if row["energy_pj"] == row["energy_pj"])
        self.assertAlmostEqual(total / self.result.energy_pj, 1.0, places=12)

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_pandas(self):
        frame = self.result.to_pandas()
        self.assertAlmostEqual((frame["repeats"] * frame["energy_pj"]).sum() / self.result.energy_pj, 1.0, places=12)
        series = self.result.energy.by("memory", "tensor").to_pandas()
        self.assertEqual(list(series.index.names), ["memory", "tensor"])
        self.assertEqual(self.result.energy.by("memory").to_pandas().index.name, "memory")


if __name__ == "__main__":
    unittest.main()
