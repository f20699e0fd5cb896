"""explore(client=...): the points of one process, measured by Dask's workers, one of which is killed."""

import os
import pathlib
import pickle
import signal
import tempfile
import unittest

import tilewright

try:
    import distributed
except ImportError:
    distributed = None

KNOBS = {"GlobalBuffer.depth": [1024, 2048, 4096, 8192], "PE.meshX": [2, 4]}


class Elsewhere(unittest.TestCase):
    """Machines and networks in another process."""

    def assert_same(self, value):
        again = pickle.loads(pickle.dumps(value))
        self.assertEqual(again.to_dict(), value.to_dict())

    def test_machines_and_networks_are_made_again(self):
        self.assert_same(tilewright.Architecture("simba"))
        self.assert_same(tilewright.Architecture("simba").with_settings({"GlobalBuffer.depth": 512}))
        self.assert_same(tilewright.Network("bert-base", dims={"sequence": 32}))
        self.assert_same(tilewright.Network("alexnet", layers="conv*").select("conv2").with_bits({"Weights": 4}))
        self.assert_same(tilewright.Network.from_einsum("O[m] += A[m,k] * B[k]", {"m": 4, "k": 8}))

    def test_a_file_that_is_another_one_there_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "net.yaml")
            text = "problem:\n  shape: {name: s, dimensions: [M], data-spaces: [{name: A, projection: [[[M]]]}, " \
                   "{name: O, projection: [[[M]]], read-write: true}]}\n  instance: {M: 4}\n"
            file.write_text(text)
            pickled = pickle.dumps(tilewright.Network(file))
            self.assertEqual(len(pickle.loads(pickled)), 1)
            file.write_text(text.replace("M: 4", "M: 8"))
            with self.assertRaisesRegex(tilewright.InputError, "net.yaml: .*not the one that was read elsewhere"):
                pickle.loads(pickled)


@unittest.skipIf(distributed is None, "python3-distributed is not installed")
class Dask(unittest.TestCase):
    def setUp(self):
        self.cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        self.addCleanup(self.cluster.close)
        self.client = distributed.Client(self.cluster)
        self.addCleanup(self.client.close)

    def test_the_points_are_those_of_one_process(self):
        net = tilewright.Network("alexnet", layers="conv*")
        alone = tilewright.explore(net, "simba", {**KNOBS, "PE.meshX": [2, 4, 3000000000]})
        self.assertEqual([point["status"] for point in alone].count("failed"), 4)
        self.assertEqual(tilewright.explore(net, "simba", {**KNOBS, "PE.meshX": [2, 4, 3000000000]}, client=self.client).points,
                         alone.points)

    def test_a_worker_that_is_killed_loses_nothing(self):
        net = tilewright.Network("alexnet", layers="conv*")
        workers = self.client.run(os.getpid)
        self.assertEqual(len(workers), 2)
        killed = []

        def kill_one(done, total):
            if not killed:
                killed.append(done)
                os.kill(next(iter(workers.values())), signal.SIGKILL)

        points = tilewright.explore(net, "simba", KNOBS, client=self.client, progress=kill_one).points
        self.assertEqual(killed, [1])
        self.assertEqual(points, tilewright.explore(net, "simba", KNOBS).points)

    def test_mistakes_are_found_before_anything_is_sent(self):
        with self.assertRaises(tilewright.InputError):
            tilewright.explore("alexnet", "simba", {"GlobalBuffer.dept": [1]}, client=self.client)


if __name__ == "__main__":
    unittest.main()
