"""Everything in memory: machines, networks and models that no file holds, one layer, several networks, one cache for all threads."""

import pathlib
import tempfile
import threading
import unittest

import tilewright
from program import EXAMPLE, ROOT, tilewright as command

MODEL = ROOT / "tests" / "data" / "onnx" / "attention.onnx"
DIMS = {"batch_size": 2, "sequence": 16}


class InMemory(unittest.TestCase):
    def test_a_machine_and_a_problem(self):
        machine = tilewright.Architecture.from_text((EXAMPLE / "arch.yaml").read_text(), name="arch.yaml")
        network = tilewright.Network.from_text((EXAMPLE / "problem.yaml").read_text(), name="problem.yaml")
        of_files = tilewright.map(EXAMPLE / "problem.yaml", EXAMPLE / "arch.yaml")
        found = tilewright.map(network, machine)
        mine, theirs = found.to_dict(), of_files.to_dict()
        self.assertEqual([one["name"] for one in mine["provenance"]["inputs"]], ["arch.yaml", "problem.yaml"])
        self.assertEqual([one["xxh3_128"] for one in mine["provenance"]["inputs"]],
                         [one["xxh3_128"] for one in theirs["provenance"]["inputs"]])
        self.assertEqual((mine["layers"], mine["totals"]), (theirs["layers"], theirs["totals"]))
        with self.assertRaises(tilewright.InputError) as raised:
            tilewright.Architecture.from_text("architecture: [\n", name="mine.yaml")
        self.assertEqual(raised.exception.file, "mine.yaml")

    def test_models(self):
        class ModelProto:
            def SerializeToString(self):
                return MODEL.read_bytes()

        of_file = tilewright.Network(MODEL, dims=DIMS)
        for model in (MODEL.read_bytes(), bytearray(MODEL.read_bytes()), ModelProto()):
            network = tilewright.Network.from_onnx(model, dims=DIMS, name="attention.onnx")
            self.assertEqual(network, of_file)
            self.assertEqual(hash(network), hash(of_file))
        alone = tilewright.Network.from_onnx((ROOT / "data" / "onnx" / "resnet50.onnx").read_bytes())
        self.assertGreater(len(alone), 50)
        self.assertNotEqual(network, of_file.select(of_file.layers[0].name))
        self.assertNotEqual(network, of_file.with_bits({"Weights": 4}))
        self.assertNotEqual(of_file.with_bits({"Weights": "4/32:8"}), of_file.with_bits({"Weights": "4/64:8"}))

    def test_unrelated_layers(self):
        product = "O[m,n] += A[m,k] * B[k,n]"
        network = tilewright.Network.of([("one", product, {"m": 8, "n": 16, "k": 4}, 3), ("two", product, [("m", 4), ("n", 4), ("k", 4)]),
                                         ("one", product, {"m": 8, "n": 16, "k": 4})])
        self.assertEqual([layer.name for layer in network], ["one", "two", "one#2"])
        found = tilewright.map(network, "h100", evaluations=200, mapper="hybrid")
        self.assertEqual([(shape.names, shape.repeats) for shape in found], [(["one", "one#2"], 4), (["two"], 1)])
        self.assertIs(found["one#2"].cycles == found["one"].cycles == found[0].cycles, True)
        for wrong, message in (([("a", product)], "of takes"), ([("a", product, {"m": 1, "n": 1})], "layer 'a': "), ([], "found none")):
            with self.assertRaisesRegex((TypeError, tilewright.InputError), message):
                tilewright.Network.of(wrong)

    def test_several_networks_and_one_layer(self):
        few = {"mapper": "random", "evaluations": 20}
        words = ("--mapper", "random", "--evaluations", "20", "--layers", "conv1", "--arch", "eyeriss", "--no-cache", "--json")
        nets = [tilewright.Network(name, layers="conv1") for name in ("alexnet", "resnet18")]
        both = tilewright.map(nets, "eyeriss", **few)
        self.assertEqual(both.to_json(), command("map", "--net", "alexnet", "--net", "resnet18", *words))
        layer = tilewright.Network("alexnet")["conv1"]
        self.assertEqual(tilewright.map(layer, "eyeriss", **few).to_json(), command("map", "--net", "alexnet", *words))
        self.assertEqual(tilewright.map([layer], "eyeriss", **few).to_json(), command("map", "--net", "alexnet", *words))

    def test_one_cache_serves_all_threads(self):
        machine, network = tilewright.Architecture("eyeriss"), tilewright.Network("alexnet")
        expected = tilewright.map(network, machine).to_json()
        cache = tilewright.AnswerCache()
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(tilewright.map(network, machine, cache=cache).to_json()))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [expected] * 4)
        before = cache.found()
        self.assertEqual(tilewright.map(network["conv3"], machine, cache=cache, time_limit=1e9)["conv3"].proven, True)
        self.assertEqual(cache.found(), before + 1)

    def test_a_cache_on_disk_is_the_program_s(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = tilewright.AnswerCache(folder)
            tilewright.map("alexnet", "eyeriss", cache=cache)
            self.assertEqual(cache.found(), 0)
            other = tilewright.AnswerCache(pathlib.Path(folder))
            tilewright.map("alexnet", "eyeriss", cache=other)
            self.assertEqual(other.found(), 8)

    def test_demands_on_what_a_layer_lacks(self):
        product = tilewright.Network.from_einsum("Y[q,r] += X[q,z] * V[z,r]", {"q": 8, "r": 8, "z": 8})
        machine = tilewright.Architecture("eyeriss")
        self.assertEqual(tilewright.map(product, machine.with_unnamed("ignore"), mapper="random", evaluations=20).network, "einsum")
        with self.assertRaisesRegex(tilewright.InputError, "there is no tensor 'Inputs'"):
            tilewright.map(product, machine.with_unnamed("error"))
        with self.assertRaisesRegex(tilewright.InputError, "unnamed takes ignore or error"):
            machine.with_unnamed("nothing")


class Budgets(unittest.TestCase):
    ENDLESS = {"mapper": "random", "victory": 0}

    def test_of_a_layer(self):
        found = tilewright.map("alexnet", "eyeriss", layer_time_limit=0.01, **self.ENDLESS)
        self.assertEqual({layer["search"]["stopped_by"] for layer in found.to_dict()["layers"]}, {"the time is up"})
        self.assertFalse(found.interrupted)

    def test_another_thread_stops_it(self):
        stop = tilewright.StopSource()

        def once_found(progress):
            if progress.energy_pj is not None:
                threading.Thread(target=stop.request).start()

        found = tilewright.map(tilewright.Network("alexnet", layers="conv1"), "eyeriss", stop=stop, progress=once_found, **self.ENDLESS)
        self.assertTrue(stop.requested() and found.interrupted)
        self.assertGreater(found.energy_pj, 0.0)
        self.assertFalse(found.proven)
        later = tilewright.map("alexnet", "eyeriss", stop=stop)  # it stays stopped
        self.assertTrue(later.interrupted)
        self.assertFalse(any(layer.mapped for layer in later))
        with self.assertRaisesRegex(TypeError, "stop takes a StopSource"):
            tilewright.map("alexnet", "eyeriss", stop=True)

    def test_fused_mappings_are_stopped(self):
        stop = tilewright.StopSource()
        found = tilewright.map_fused(tilewright.Network("bert-base", dims={"sequence": 64}), "fused-npu", objective="energy", threads=1,
                                     stop=stop, progress=lambda now: now.energy_pj and stop.request())
        self.assertTrue(found.interrupted)
        self.assertLess(found.bound, found.energy_pj)
        with self.assertRaisesRegex(tilewright.NoMapping, "stopped before a mapping was found"):
            tilewright.map_fused("bert-base", "fused-npu", stop=stop)


if __name__ == "__main__":
    unittest.main()
