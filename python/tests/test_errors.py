"""Bad input: one clear message with its place, as the command line has it."""

import pathlib
import pickle
import tempfile
import unittest

import tilewright
from program import EXAMPLE, failing


class Errors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_slip_in_a_file_has_a_place(self):
        file = self.folder / "arch.yaml"
        file.write_text((EXAMPLE / "arch.yaml").read_text().replace("depth: 16384", "dept: 16384"))
        with self.assertRaises(tilewright.InputError) as caught:
            tilewright.Architecture(file)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column, error.code), (str(file), 17, 19, "unknown-key"))
        self.assertEqual(error.message, "unknown attribute 'dept'; did you mean 'depth'?")
        self.assertEqual(str(error) + "\n", failing("check", file).split("\n\n")[0] if "\n\n" in failing("check", file)
                         else str(error) + "\n")
        self.assertEqual(pickle.loads(pickle.dumps(error)).line, 17)

    def test_unknown_names_name_the_nearest(self):
        for make, message in ((lambda: tilewright.Architecture("eyeris"), "did you mean 'eyeriss'"),
                              (lambda: tilewright.Network("resnet81"), "did you mean 'resnet18'"),
                              (lambda: tilewright.Network("resnet18", layers="convolution1"), "has no layer 'convolution1'"),
                              (lambda: tilewright.map("alexnet", "eyeriss", mapper="hybird"), "did you mean 'hybrid'"),
                              (lambda: tilewright.map("alexnet", "eyeriss", objective="enrgy"), "objective takes"),
                              (lambda: tilewright.map("alexnet", "eyeriss", factors="rubi"), "did you mean 'ruby'"),
                              (lambda: tilewright.evaluate("alexnet", "eyeriss"), "no mapping"),
                              (lambda: tilewright.schedule("alexnet", "arch9"), "arch9"),
                              (lambda: tilewright.explore("alexnet", "simba", {"GlobalBufer.depth": [1]}), "did you mean 'GlobalBuffer'"),
                              (lambda: tilewright.Architecture("simba").with_settings({"GlobalBuffer.dept": 1}), "did you mean 'depth'")):
            with self.subTest(message=message), self.assertRaisesRegex(tilewright.InputError, message):
                make()

    def test_simulated_machines_that_cannot_be(self):
        network = tilewright.Network("alexnet", layers="conv3")
        found = tilewright.map(network, "simba-cosa", mapper="cosa")
        machine = tilewright.SimulatedMachine
        scheduled = tilewright.schedule(network, "arch1")
        for make, message in ((lambda: tilewright.simulate(found, dram="ddr4-2401"), "did you mean 'ddr4-2400'"),
                              (lambda: tilewright.simulate(found, machine=machine(mesh=(3, 4))), "the array has 16 elements"),
                              (lambda: tilewright.simulate(found, machine=machine(dram_channels=2)), "no dram was given"),
                              (lambda: tilewright.simulate(found, machine=machine(dram="ddr4-2400", dram_channels=3)), "a power of two"),
                              (lambda: tilewright.simulate(found, machine=machine(packet_flits=9)), "does not fit a buffer of 8"),
                              (lambda: tilewright.simulate(found, machine=machine(flit_bits=0)), "flit_bits: expected a number from 1"),
                              (lambda: tilewright.map(network, "simba", refine="measure"), "refine takes simulate"),
                              (lambda: tilewright.map(network, "simba", candidates=3), "candidates is for refine"),
                              (lambda: tilewright.map(network, "simba", machine=machine()), "machine is for refine"),
                              (lambda: tilewright.map(network, "simba", refine="simulate", candidates=0), "1 to 1000, found 0"),
                              (lambda: tilewright.map(network, "simba", refine="simulate", objective="pareto"), "simulated mappings are ranked by one number"),
                              (lambda: scheduled.simulate(dram="ddr4-2401"), "did you mean 'ddr4-2400'"),
                              (lambda: scheduled.simulate(row_policy="open"), "no dram was given"),
                              (lambda: scheduled.simulate(dram="ddr4-2400", row_policy="ajar"), "'open' or 'closed'"),
                              (lambda: scheduled.simulate(dram="ddr4-2400", layout="heap"), "'rows' or 'tiles'"),
                              (lambda: scheduled.simulate(dram="ddr4-2400", clock_ghz=0.0), "the clock has to be at least 0.001")):
            with self.subTest(message=message), self.assertRaisesRegex(tilewright.InputError, message):
                make()
        with self.assertRaisesRegex(ValueError, "part of the machine"):
            tilewright.simulate(found, dram="ddr4-2400", machine=machine())

    def test_a_section_that_nobody_knows_is_a_slip(self):
        file = self.folder / "arch.yaml"
        file.write_text((EXAMPLE / "arch.yaml").read_text() + "\narchitectur_constraints: {targets: []}\n")
        with self.assertRaisesRegex(tilewright.InputError, "unknown section 'architectur_constraints'"):
            tilewright.Architecture(file)

    def test_values_of_the_wrong_kind(self):
        self.assertRaises(TypeError, tilewright.map, "alexnet", "eyeriss", seed="one")
        self.assertRaises(ValueError, tilewright.map, "alexnet", "eyeriss", on_interrupt="later")
        self.assertRaises(tilewright.InputError, tilewright.Network, self.folder / "missing.onnx")
        self.assertRaises(ValueError, tilewright.Network, EXAMPLE / "problem.yaml", dims={"batch": 2})

    def test_a_mapping_that_is_not_legal_says_why(self):
        machine = tilewright.Architecture(EXAMPLE / "arch.yaml").with_settings({"buffer.depth": 16})
        with self.assertRaises(tilewright.NoMapping) as caught:
            tilewright.evaluate(EXAMPLE / "problem.yaml", machine, EXAMPLE / "mapping.yaml")
        self.assertEqual(str(caught.exception) + "\n", failing("evaluate", EXAMPLE / "arch.yaml", EXAMPLE / "problem.yaml",
                                                               EXAMPLE / "mapping.yaml", "--set", "buffer.depth=16", "-q"))
        result = caught.exception.result
        self.assertRegex(result.layers[0].failures[0], "buffer")
        self.assertFalse(result.layers[0].mapped)
        self.assertNotEqual(result.missing, "")
        self.assertIn("no mapping", repr(result))
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).message, caught.exception.message)

    def test_a_time_that_no_clock_holds_is_no_limit(self):
        for seconds in (1e10, 1e300, float("inf")):
            result = tilewright.map(tilewright.Network("alexnet", layers="conv3"), "eyeriss", time_limit=seconds)
            self.assertTrue(result.layers[0].proven, seconds)

    def test_contents_in_place_of_a_name(self):
        """They became a message of their own length: 128,000 characters."""
        contents = "layer: conv\n" * 10_000
        for work in (tilewright.Network, tilewright.Architecture, tilewright.Network.from_onnx,
                     lambda given: tilewright.map(given, "eyeriss"), lambda given: tilewright.map_fused(given, "fused-npu")):
            for given in (contents, contents.encode(), "x" * 100_000):
                with self.assertRaises((tilewright.InputError, TypeError)) as caught:
                    work(given)
                self.assertLess(len(str(caught.exception)), 300)
        with self.assertRaisesRegex(tilewright.InputError, "source takes a name, found 120000 characters that begin with 'layer: conv"):
            tilewright.Network(contents)

    def test_a_search_without_an_answer_says_so(self):
        with self.assertRaises(tilewright.NoMapping) as caught:
            tilewright.map("alexnet", "eyeriss", mapper="exhaustive", largest_space=1)
        self.assertEqual(str(caught.exception) + "\n",
                         failing("map", "--arch", "eyeriss", "--net", "alexnet", "--mapper", "exhaustive", "--largest-space", "1", "-q",
                                 "--no-cache"))
        self.assertEqual(len(caught.exception.result.layers), 8)

    def test_extents_that_no_layer_has(self):
        for extent, words in ((-2, "with an extent of at least 1, found 'batch=-2'"), (0, "found 'batch=0'"),
                              (2**62, "dims batch=4611686018427387904 is too large; the most is 1000000000"),
                              (2**70, "with an extent of at least 1, found 'batch=")):
            with self.subTest(extent=extent), self.assertRaisesRegex(tilewright.InputError, words):
                tilewright.Network("resnet18", dims={"batch": extent})
        with self.assertRaisesRegex(TypeError, "dims takes NAME=EXTENT with an extent of at least 1, found 'batch=2.5'"):
            tilewright.Network("resnet18", dims={"batch": 2.5})

    def test_words_in_blocks_are_not_scheduled(self):
        layer = tilewright.Network("alexnet", layers="conv3")
        with self.assertRaisesRegex(tilewright.InputError, "schedules know"):
            tilewright.schedule(layer.with_bits({"Weights": "4/16:8"}), "arch1")
        narrow = tilewright.schedule(layer.with_bits({"Weights": 4}), "arch1", tilings=0)
        self.assertLess(narrow.traffic_bytes, tilewright.schedule(layer, "arch1", tilings=0).traffic_bytes)


if __name__ == "__main__":
    unittest.main()
