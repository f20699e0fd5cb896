"""--latency physical and convert --to gemmini: cycles as built, proven mappings, and what is refused."""

import json
import re
import unittest

import program

LAYER = ["--arch", "gemmini", "--net", "resnet18", "--layers", "layer1.0.conv1"]


class Silicon(program.Case):
    def done(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def as_built(self, text):
        """By layer: cycles as built."""
        return {name: int(cycles.replace(",", "")) for name, cycles in re.findall(r"(\S+): ([\d,]+) cycles as built", text)}

    def test_a_proven_mapping_takes_what_evaluate_says_and_no_less_than_the_plain_one(self):
        text = self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        self.assertIn("proven optimal: no tile of whole blocks of channels", text)
        self.assertIn("cycles as built leave out", text)
        self.assertIn("in 135 measured cases", text)
        self.assertIn("by at most 23 % in nine of ten and 39 % at worst", text)
        built = self.as_built(text)
        self.assertEqual(self.as_built(self.done("evaluate", *LAYER, "built/mapping.yaml", "--latency", "physical")), built)
        self.done("map", *LAYER, "--objective", "latency", "-o", "plain")
        plain = self.as_built(self.done("evaluate", *LAYER, "plain/mapping.yaml", "--latency", "physical"))
        self.assertLess(built["layer1.0.conv1"], plain["layer1.0.conv1"])

    def test_the_exact_counts_stay(self):
        self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        one = json.loads(self.done("evaluate", *LAYER, "built/mapping.yaml", "--json"))
        two = json.loads(self.done("evaluate", *LAYER, "built/mapping.yaml", "--latency", "physical", "--json"))
        built = [layer.pop("as_built") for layer in two["layers"]]
        self.assertEqual(one["layers"], two["layers"])
        printed = self.as_built(" ".join(two["notes"]))["layer1.0.conv1"]
        self.assertEqual(round(built[0]["cycles"]), printed)
        self.assertAlmostEqual(built[0]["seconds"], built[0]["cycles"] * 1e-9)
        self.assertIn(built[0]["bound"], " ".join(two["notes"]))

    def test_a_replay_of_every_tile_is_near(self):
        self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        form = self.as_built(self.done("evaluate", *LAYER, "built/mapping.yaml", "--latency", "physical"))["layer1.0.conv1"]
        walked = self.as_built(self.done("simulate", *LAYER, "built/mapping.yaml"))["layer1.0.conv1"]
        self.assertLess(abs(walked / form - 1), 0.05)

    def test_arguments_for_gemmini(self):
        self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        text = self.done("convert", *LAYER, "built/mapping.yaml", "--to", "gemmini")
        self.assertRegex(text, r"function: tiled_conv\n  shape: \{batch_size: 1, in_dim: 56, .*\n  tile: \{batches: 1, porows: \d+, ")

    def test_a_product_on_a_gpu(self):
        text = self.done("map", "--arch", "h100", "--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=512,n=14336,k=4096",
                         "--latency", "physical")
        self.assertRegex(text, r"none of the \d+ kernels that the machine has for this product")
        self.assertRegex(text, r"cycles as built \(84\.\d+ us\)")

    def test_a_product_that_a_tpu_takes_whole(self):
        text = self.done("map", "--arch", "tpu-v6e", "--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=512,n=14336,k=4096",
                         "--latency", "physical")
        self.assertIn("the machine takes the product whole", text)
        self.assertRegex(text, r"cycles as built \(\d+\.\d+ us\)")

    def test_what_it_cannot_do_is_refused(self):
        self.done("map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "fc", "-o", "eyeriss")
        (self.folder / "eyeriss.yaml").write_text((self.folder / "eyeriss" / "mapping.yaml").read_text())
        for arguments, message in [
                (["map", "--arch", "eyeriss", "--net", "resnet18", "--latency", "physical"], "needs a machine with a section 'silicon'"),
                (["map", *LAYER, "--latency", "physical", "--objective", "energy"], "--latency physical minimises latency"),
                (["map", *LAYER, "--latency", "physical", "--mapper", "hybrid"], "has a search of its own"),
                (["evaluate", *LAYER, "--latency", "physical", "--account", "timeloop"], "stands beside --account exact only"),
                (["simulate", *LAYER, "--latency", "physical"], "is for the verbs map and evaluate"),
                (["convert", "--arch", "eyeriss", "--net", "resnet18", "--layers", "fc", "eyeriss.yaml", "--to", "gemmini"], "needs a machine with a systolic array")]:
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(message, result.stderr)

    def test_settings_reach_the_section(self):
        larger = ["map", *LAYER, "--latency", "physical", "--set", "PE_row.meshY=32", "--set", "PE_column.meshX=32"]
        refused = self.run_program(*larger)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("a latency of 50 is too short (--set silicon.systolic_array.latency_cycles=62)", refused.stderr)
        larger += ["--set", "silicon.systolic_array.latency_cycles=82", "--set", "silicon.systolic_array.preload_cycles=32"]
        cycles = self.as_built(self.done(*larger))["layer1.0.conv1"]
        self.assertLess(cycles, self.as_built(self.done("map", *LAYER, "--latency", "physical"))["layer1.0.conv1"])
        self.assertGreater(self.as_built(self.done(*larger, "--set", "silicon.caches.L2.bytes=65536"))["layer1.0.conv1"], cycles)
        for setting, message in (("systolic.latency_cycles", "there is no 'systolic' to set 'silicon.systolic.latency_cycles'"),
                                 ("caches.L3.bytes", "there is no 'L3' to set"),
                                 ("systolic_array.latncy_cycles", "unknown key 'latncy_cycles'; did you mean 'latency_cycles'?")):
            wrong = self.run_program("map", *LAYER, "--latency", "physical", "--set", f"silicon.{setting}=100")
            self.assertEqual(wrong.returncode, 2, setting)
            self.assertIn(message, wrong.stderr)

    def test_a_layer_that_it_does_not_know_says_so(self):
        result = self.run_program("map", "--arch", "gemmini", "--net", "mobilenetv2", "--layers", "*dw*,features.1.conv.0.0", "--latency", "physical")
        self.assertNotEqual(result.returncode, 0)


if __name__ == "__main__":
    unittest.main()
