"""Machines that do something about zeros: the same answers and errors as the command line, and values of what was saved."""

import json
import pathlib
import tempfile
import unittest
import unittest.mock

import tilewright
from program import ROOT, failing, tilewright as command

try:
    import numpy
except ImportError:
    numpy = None

FILES = [ROOT / "examples" / "sparse" / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
MACHINES = ROOT / "examples" / "sparse" / "machines"
SCNN = MACHINES / "scnn_like.yaml"
PRODUCT = "Outputs[m,n] += Inputs[m,k] * Weights[k,n]"
EXTENTS = {"m": 4, "n": 4, "k": 8}


def product():
    return tilewright.Network.from_einsum(PRODUCT, EXTENTS)


def product_words(arch=SCNN):
    return ["--arch", arch, "--einsum", PRODUCT, "--extents", ",".join(f"{name}={extent}" for name, extent in EXTENTS.items())]


class Zeros(unittest.TestCase):
    def mapped(self, density, *words):
        """The result, which is what the command line finds with these words."""
        result = tilewright.map(product(), SCNN, density=density)
        self.assertEqual(result.to_json(), command("map", *product_words(), *words, "--no-cache", "--json"))
        return result

    def test_the_same_answers_as_the_command_line(self):
        network = tilewright.Network("resnet50", layers="layer1.0.conv1")
        words = ["--net", "resnet50", "--layers", "layer1.0.conv1", "--density", "Weights=0.3,layer1*:Inputs=0.5", "--no-cache"]
        result = tilewright.map(network, SCNN, density="Weights=0.3,layer1*:Inputs=0.5")
        self.assertEqual(result.to_json(), command("map", "--arch", SCNN, *words, "--json"))
        self.assertEqual(str(result), command("map", "--arch", SCNN, *words))
        self.assertTrue(result.layers[0].proven)
        again = tilewright.evaluate(network, SCNN, result, density={"Weights": 0.3, "layer1*:Inputs": 0.5})
        self.assertEqual((again.energy_pj, again.cycles), (result.energy_pj, result.cycles))
        self.assertEqual(again.savings, result.savings)

    def test_densities_in_all_their_forms(self):
        self.mapped(None)
        self.mapped("Weights=2:4:k", "--density", "Weights=2:4:k")
        self.mapped({"Weights": 0.5, "*:Inputs": "hypergeometric:0.25"}, "--density", "Weights=0.5,*:Inputs=hypergeometric:0.25")
        with tempfile.TemporaryDirectory() as folder:
            listed = pathlib.Path(folder) / "list.csv"
            listed.write_text("layer,tensor,density\n*,Weights,0.25\n")
            self.mapped(listed, "--density", listed)
            found = self.mapped(["Weights=0.5", str(listed)], "--density", f"Weights=0.5,{listed}")
            self.assertEqual(found.zeros["einsum"].densities["Weights"].source, f"{listed}:2")
        self.assertEqual(self.mapped("Weights=0.5,Weights=1", "--density", "Weights=0.5,Weights=1").zeros["einsum"].densities["Weights"].share, 1.0)

    def test_zeros_are_counted_in_models(self):
        model = ROOT / "tests" / "data" / "onnx" / "zeros.onnx"
        result = tilewright.map(tilewright.Network.from_onnx(model), SCNN, density="onnx,two_thirds:Inputs=0.5")
        theirs = json.loads(command("map", "--arch", SCNN, "--net", model, "--density", "onnx,two_thirds:Inputs=0.5", "--no-cache", "--json"))
        ours = result.to_dict()
        self.assertEqual(sorted(ours["notes"]), sorted(note.removeprefix("--") for note in theirs["notes"]))
        self.assertEqual({**ours, "notes": []}, {**theirs, "notes": []})
        self.assertEqual(result.zeros["a_quarter"].densities["Weights"].share, 0.25)
        one = tilewright.map(tilewright.Network.from_onnx(model).select("a_quarter"), SCNN, density="onnx,two_thirds:Inputs=0.5")
        self.assertEqual(list(one.zeros), ["a_quarter"])

    def test_bytes_of_arrays_are_read(self):
        """Without NumPy: an array of 8 x 4 of which four elements are not zero, as numpy.save() writes it."""
        header = "{'descr': '|u1', 'fortran_order': False, 'shape': (8, 4), }".ljust(117) + "\n"
        npy = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(int(i % 8 == 1) for i in range(32))
        array = unittest.mock.Mock(spec=["__array__", "ndim"], ndim=2)
        with unittest.mock.patch("tilewright.zeros._npy", return_value=npy):
            result = tilewright.map(product(), SCNN, density={"Weights": array})
        density = result.zeros["einsum"].densities["Weights"]
        self.assertEqual((density.model, density.share, density.source), ("measured", 0.125, "density 'Weights', an array"))

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_arrays_are_measured(self):
        array = numpy.zeros((8, 4), dtype=numpy.float32)
        array[::2, 1] = 0.5
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "weights.npy"
            numpy.save(file, array)
            from_file = self.mapped({"Weights": file}, "--density", f"Weights=measured:{file}")
        from_array = tilewright.map(product(), SCNN, density={"Weights": array})
        self.assertEqual(from_array.energy_pj, from_file.energy_pj)
        density = from_array.zeros["einsum"].densities["Weights"]
        self.assertEqual((density.model, density.share, density.source), ("measured", 0.125, "density 'Weights', an array"))
        self.assertEqual(tilewright.map(product(), SCNN, density={"Weights": numpy.float64(0.5)}).energy_pj,
                         tilewright.map(product(), SCNN, density={"Weights": 0.5}).energy_pj)
        with self.assertRaisesRegex(tilewright.InputError, "density: .*'Weights'.*8 x 4|density: .*'Weights'"):
            tilewright.map(product(), SCNN, density={"Weights": array.T})

    def test_what_was_saved_are_values(self):
        result = tilewright.map(product(), SCNN, density={"Weights": 0.25, "Inputs": 0.5})
        layer = result.zeros["einsum"]
        self.assertEqual((layer.computes, layer.repeats), (16, 1))
        savings = result.savings
        self.assertEqual(savings, layer.savings)
        self.assertEqual(list(savings.components), ["DRAM", "buffer", "inter_operands_spatial", "operands", "accumulators", "multiplier"])
        self.assertAlmostEqual(savings.energy_pj, result.energy_pj)
        saved = savings.dense_energy_pj - savings.energy_pj
        total = savings.total
        self.assertAlmostEqual(total.left_out_pj + total.gating_pj + total.skipping_pj - total.metadata_pj + savings.elsewhere_pj, saved)
        self.assertAlmostEqual(total.spent_pj, sum(one.spent_pj for one in savings.components.values()))
        self.assertGreater(saved, 0.0)
        self.assertEqual(total.metadata_pj, 0.0)  # no ERT has its accesses
        self.assertGreater(savings.dense_cycles, savings.cycles)
        dense = tilewright.map(product(), "eyeriss")
        self.assertEqual((dense.zeros, dense.savings), ({}, None))

    def test_evaluate_by_both_accounts(self):
        for account in ("exact", "timeloop"):
            with self.subTest(account=account):
                result = tilewright.evaluate(FILES[1], FILES[0], FILES[2], account=account)
                ours, theirs = result.to_dict(), json.loads(command("evaluate", *FILES, "--account", account, "--json"))
                for document in (ours, theirs):
                    document["provenance"]["inputs"].sort(key=lambda one: one["name"])
                self.assertEqual(ours, theirs)
                self.assertEqual(result.zeros["problem"].computes, 1232)
                self.assertEqual(result.savings is None, account == "timeloop")
        other = tilewright.evaluate(FILES[1], FILES[0], FILES[2], density="A=0.5")
        self.assertEqual(other.zeros["problem"].computes, 2048)
        with self.assertRaisesRegex(tilewright.InputError, "arch.yaml:12:5: error: the machine does something about zeros"):
            tilewright.evaluate(FILES[1], FILES[0], FILES[2], account="zigzag")

    def test_words_in_blocks_and_zeros_together(self):
        network = product().with_bits({"Weights": "4/4:8", "Outputs": "8/32"})
        found = tilewright.map(network, SCNN, density="Weights=0.5")
        self.assertEqual(found.to_json(), command("map", *product_words(), "--bits", "Weights=4/4:8,Outputs=8/32", "--density", "Weights=0.5",
                                                  "--no-cache", "--json"))
        again = tilewright.evaluate(network, SCNN, found, density="Weights=0.5")
        self.assertEqual((again.energy_pj, again.cycles), (found.energy_pj, found.cycles))

    def test_compare(self):
        ours = tilewright.compare(FILES[1], FILES[0], FILES[2], accounts=["exact", "timeloop"], density="A=0.5")
        words = ["compare", *FILES, "--account", "exact,timeloop", "--density", "A=0.5"]
        self.assertEqual(str(ours), command(*words).split("  note: ")[0])
        self.assertEqual(ours.to_csv(), command(*words, "--csv", "-"))
        self.assertIn("no line for zigzag: This translation to ZigZag cannot express it: what the machine does about zeros [unsupported]",
                      tilewright.compare(FILES[1], FILES[0], FILES[2]).notes)

    def test_answers_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            first = tilewright.map(product(), SCNN, density="Weights=0.3", cache=folder)
            entries = len(list(pathlib.Path(folder).iterdir()))
            again = tilewright.map(product(), SCNN, density="Weights=0.3", cache=folder)
            self.assertEqual((first.to_json(), entries), (again.to_json(), len(list(pathlib.Path(folder).iterdir()))))
            other = tilewright.map(product(), SCNN, density="Weights=0.4", cache=folder)
            self.assertGreater(other.energy_pj, first.energy_pj)
            self.assertGreater(len(list(pathlib.Path(folder).iterdir())), entries)

    def test_errors_are_those_of_the_command_line(self):
        for density in ("A=1.5", "A=-0.5", "A=some", "A=4:2", "A=1:3", "A=2:4:N", "Z=2:4", "A=hyper:0.3", "0.3", "nowhere.csv", "Q=0.5",
                        "conv9:A=0.5", "A=measured:nowhere.npy", "onnx"):
            with self.subTest(density=density):
                with self.assertRaises(tilewright.InputError) as raised:
                    tilewright.map(FILES[1], FILES[0], density=density)
                said = failing("map", *FILES[:2], "--density", density, "--no-cache")
                self.assertIn(raised.exception.message.removeprefix("density"), said)
                self.assertIn(f"[{raised.exception.code}]", said)
        for kind, density in ((TypeError, 3), (tilewright.InputError, ""), (tilewright.InputError, "A=1,,B=1"), (TypeError, {"A": None}),
                              (tilewright.InputError, {"A": -1.0}), (tilewright.InputError, {"A": float("nan")}), (tilewright.InputError, {"": 0.5})):
            with self.subTest(density=density), self.assertRaises(kind):
                tilewright.map(FILES[1], FILES[0], density=density)

    def test_uneven_mappings_are_no_worse(self):
        even, uneven = (tilewright.map(product(), SCNN, uneven=choice)[0].energy_pj for choice in (False, True))
        self.assertLessEqual(uneven, even)

    def test_remainders_are_no_worse(self):
        perfect, imperfect = (tilewright.map(product(), SCNN, factors=rule)[0].energy_pj for rule in ("perfect", "ruby-s"))
        self.assertLessEqual(imperfect, perfect)

    def test_what_knows_dense_layers_only_says_so(self):
        with self.assertRaisesRegex(tilewright.InputError, "density is about machines that do something about zeros"):
            tilewright.map("alexnet", "eyeriss", density="Weights=0.3")
        for options, said in (({"mapper": "cosa"}, "a mapper with a cost model of its own"),
                              ({"refine": "simulate"}, "the simulator moves words of one width")):
            with self.subTest(**options), self.assertRaisesRegex(tilewright.InputError, said):
                tilewright.map(product(), SCNN, **options)
        with self.assertRaisesRegex(tilewright.InputError, "dense layers only are simulated"):
            tilewright.simulate(tilewright.map(product(), SCNN))
        with self.assertRaisesRegex(tilewright.InputError, r"scnn_like.yaml:\d+:\d+: .*dense layers only are counted here \["):
            tilewright.map_fused("three_matmuls" if "three_matmuls" in tilewright.Network.zoo() else "bert-base", SCNN, objective="energy")


if __name__ == "__main__":
    unittest.main()
