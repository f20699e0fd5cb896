"""Tile sizes by a compiler's rules: the library's answers in Python."""

import threading
import unittest

import tilewright


class Tiles(unittest.TestCase):
    def test_the_best_point(self):
        answer = tilewright.Tiles("gemmini").ask(M=512, N=512, K=512, ws=0)
        self.assertEqual((answer.claim, answer.legal, answer.time_us), ("proven", 6904, None))
        self.assertEqual(answer.format("gemmini"), "tile_I=8 tile_J=8 tile_K=32\n")

    def test_a_table_says_the_best_within_its_loss(self):
        tiles = tilewright.Tiles("triton-nvidia", "h100")
        table = tiles.table(M=range(1, 257), N=4096, K=4096, loss=0.05)
        self.assertEqual((table.intervals[0].first, table.intervals[-1].last), (1, 256))
        self.assertTrue(all(row.worst_loss <= 0.05 + 1e-9 for row in table.intervals))
        self.assertEqual(table.lookup(100).point["BK"], 128)
        self.assertIsNone(table.lookup(257))

    def test_rules_of_a_text(self):
        rules = "version: 1\nkernel: own\ngiven: [M]\nchoose: {T: 1..32}\nrequire: [M % T == 0]\nminimize: [M // T]\n"
        tiles = tilewright.Tiles.from_text(rules)
        self.assertEqual(tiles.ask(M=24).point, {"T": 24})
        self.assertEqual(tiles.ask(M=24, time_limit=60).claim, "proven")
        with self.assertRaises(tilewright.InputError) as raised:
            tilewright.Tiles.from_text(rules.replace("kernel", "kernl"), name="own.yaml")
        self.assertEqual((raised.exception.file, raised.exception.line), ("own.yaml", 2))

    def test_mistakes(self):
        tiles = tilewright.Tiles("triton-nvidia", "h100")
        for call, message in ((lambda: tilewright.Tiles("triton"), "there are no rules 'triton'"),
                              (lambda: tiles.ask(M=1), "'N' is missing"),
                              (lambda: tiles.ask(M=1, N=1, K=1, L=1), "'L' is none of them"),
                              (lambda: tiles.table(M=1, N=1, K=1), "one extent"),
                              (lambda: tiles.ask(M=1, N=1, K=1).format("mlir"), "cannot say group_m")):
            with self.assertRaises(tilewright.InputError) as raised:
                call()
            self.assertIn(message, str(raised.exception))
        with self.assertRaises(tilewright.NoMapping) as none:
            tilewright.Tiles("aie2p", "aie2p").ask(M=1000, K=2048, N=2048, drain=0, sum_bytes=4, cast=1)
        self.assertIn("M % (tile_m * herd_m) == 0", str(none.exception))

    def test_threads_answer_alike(self):
        tiles = tilewright.Tiles("triton-nvidia", "h100")
        found = {}

        def ask(who):
            found[who] = [tiles.ask(M=m, N=4096, K=4096).point for m in range(1, 60)]

        ask("alone")
        expected = found.pop("alone")
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(list(found.values()), [expected] * 4)


if __name__ == "__main__":
    unittest.main()
