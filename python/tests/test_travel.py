"""Results travel: through pickles, processes and folders, with every number, claim and form."""

import concurrent.futures
import copy
import multiprocessing
import pickle
import tempfile
import unittest

import tilewright
from program import ROOT, tilewright as command

SCNN = ROOT / "examples" / "sparse" / "machines" / "scnn_like.yaml"


def mapped(network, objective):
    return tilewright.map(network, "eyeriss", objective=objective)


def sparse():
    return tilewright.map(tilewright.Network("resnet50", layers="layer1.0.conv1"), SCNN, density={"Weights": 0.3}, mapper="hybrid",
                          evaluations=200)


class Travel(unittest.TestCase):
    def same(self, one, other):
        self.assertEqual(one.to_json(), other.to_json())
        self.assertEqual(one.to_csv(), other.to_csv())
        self.assertEqual(str(one), str(other))
        self.assertEqual(one.report, other.report)
        self.assertEqual(one.mapping_file(), other.mapping_file())
        self.assertEqual([layer.claim for layer in one], [layer.claim for layer in other])
        self.assertEqual([layer.loop_nest for layer in one], [layer.loop_nest for layer in other])
        self.assertEqual(dict(one.energy.by("memory", "tensor")), dict(other.energy.by("memory", "tensor")))

    def test_of_every_kind(self):
        conv3 = tilewright.Network("alexnet", layers="conv3")
        kinds = {
            "proven": lambda: tilewright.map("resnet18", "eyeriss"),
            "a front": lambda: tilewright.map(conv3, "eyeriss", objective="pareto"),
            "padded": lambda: tilewright.map(conv3, "eyeriss", factors="padded"),
            "remainders": lambda: tilewright.map(conv3, "simba", factors="ruby-s", mapper="hybrid", evaluations=300),
            "uneven": lambda: tilewright.map(conv3, "eyeriss", uneven=True),
            "widths": lambda: tilewright.map(conv3.with_bits({"Weights": 4}), "eyeriss"),
            "blocks": lambda: tilewright.map(conv3.with_bits({"Weights": "4/32:8"}), "eyeriss"),
            "zeros": sparse,
            "as built": lambda: tilewright.map(tilewright.Network("resnet18", layers="layer1.0.conv1"), "gemmini", latency="physical"),
            "timeloop": lambda: tilewright.evaluate(conv3, "eyeriss", tilewright.map(conv3, "eyeriss"), account="timeloop"),
            "simulated": lambda: tilewright.map(conv3, "simba-cosa", mapper="cosa", refine="simulate", candidates=1),
        }
        for kind, make in kinds.items():
            with self.subTest(kind):
                result = make()
                self.same(pickle.loads(pickle.dumps(result)), result)

    def test_copies_and_layers(self):
        result = tilewright.map("alexnet", "eyeriss")
        self.same(copy.deepcopy(result), result)
        layer = pickle.loads(pickle.dumps(result["conv3"]))
        self.assertEqual((layer.names, layer.energy_pj, layer.claim, layer.mapping),
                         (["conv3"], result["conv3"].energy_pj, result["conv3"].claim, result["conv3"].mapping))

    def test_of_folders(self):
        result = tilewright.map("alexnet", "eyeriss")
        with tempfile.TemporaryDirectory() as folder:
            command("map", "--arch", "eyeriss", "--net", "alexnet", "--no-cache", "-o", folder)
            loaded = tilewright.Result.load(folder)
            self.same(loaded, result)
            self.assertTrue(loaded.proven)
            self.same(tilewright.Result.load(f"{folder}/report.json"), result)
            self.same(tilewright.evaluate("alexnet", "eyeriss", loaded), tilewright.evaluate("alexnet", "eyeriss", result))
            with self.assertRaisesRegex(TypeError, "evaluate"):
                tilewright.simulate(loaded)
            with open(f"{folder}/report.json", "a") as out:
                out.write("}")
            with self.assertRaises(tilewright.InputError) as raised:
                tilewright.Result.load(folder)
            self.assertEqual(raised.exception.file, f"{folder}/report.json")

    def test_of_processes(self):
        network = tilewright.Network.of([("product", "O[m,n] += A[m,k] * B[k,n]", {"m": 32, "n": 16, "k": 8})])
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            tasks = [pool.submit(mapped, network, objective) for objective in ("energy", "latency", "edp")]
            for task, objective in zip(tasks, ("energy", "latency", "edp")):
                self.same(task.result(), mapped(network, objective))

    def test_what_fails(self):
        with self.assertRaises(tilewright.NoMapping) as raised:
            tilewright.map("alexnet", "eyeriss", mapper="exhaustive", largest_space=1)
        other = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(str(other), str(raised.exception))
        self.assertEqual([layer.failures for layer in other.result], [layer.failures for layer in raised.exception.result])
        self.assertFalse(other.result["conv1"].mapped)
        with self.assertRaisesRegex(tilewright.NoMapping, "layer 'conv1': there is no mapping"):
            print(other.result["conv1"].energy_pj)

    def test_fused(self):
        found = tilewright.map_fused("B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]", "fused-npu", objective="energy",
                                     dims={"m": 64, "e": 16, "k": 32, "n": 16}, buffers=[2048], time_limit=1e9)
        with tempfile.TemporaryDirectory() as folder:
            found.save(folder)
            for other in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found), tilewright.FusedResult.load(folder)):
                self.assertEqual((other.to_json(), other.to_csv(), str(other), other.mapping, other.proven),
                                 (found.to_json(), found.to_csv(), str(found), found.mapping, found.proven))
        self.assertEqual(found.edp, found.energy_pj * found.cycles)
        self.assertEqual([group["einsums"] for group in found], [found["B"]["einsums"]])


class Certificates(unittest.TestCase):
    def test_are_judged(self):
        with tempfile.TemporaryDirectory() as folder:
            command("map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3", "--no-cache", "-o", folder)
            network = tilewright.Network("alexnet", layers="conv3")
            verdict = tilewright.check(folder, network, "eyeriss")
            self.assertTrue(verdict.holds(), verdict.problems)
            words = command("check", f"{folder}/certificate.json", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3")
            for sentence in verdict.confirmed:
                self.assertIn(sentence, words)
            self.assertIn("confirmed: conv3: ", verdict.confirmed[-1])
            other = tilewright.check(folder, network, "simba")
            self.assertFalse(other.holds())
            self.assertIn("this is not the given machine", other.problems[0].message)
            self.assertGreater(other.problems[0].line, 0)
            stop = tilewright.StopSource()
            stop.request()
            self.assertTrue(tilewright.check(folder, stop=stop).interrupted)

    def test_of_fused_mappings(self):
        text, extents = "B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]", {"m": 64, "e": 16, "k": 32, "n": 16}
        with tempfile.TemporaryDirectory() as folder:
            command("map", "--fuse", "--arch", "fused-npu", "--einsum", text, "--extents",
                    ",".join(f"{name}={size}" for name, size in extents.items()), "--objective", "energy", "-o", folder)
            self.assertTrue(tilewright.check(folder, tilewright.Network.from_einsum(text, extents), "fused-npu").holds())
            other = tilewright.check(folder, tilewright.Network.from_einsum(text, {**extents, "m": 32}))
            self.assertIn("this is not the given network", other.problems[0].message)
            self.assertTrue(tilewright.FusedResult.load(folder).proven)


if __name__ == "__main__":
    unittest.main()
