"""The study of fused attention on a small scale: the law that it shows, and what a table says of a recorded row."""

import os
import pathlib
import tempfile
import types
import unittest

import study  # first: it knows where the others are
import command

PROGRAM = os.environ.get("TILEWRIGHT", str(command.ROOT / "build" / "release" / "bin" / "tilewright"))


class Figures(unittest.TestCase):
    def options(self, folder, **more):
        return types.SimpleNamespace(program=PROGRAM, out=folder, quick=True, **more)

    def test_words_fall_with_the_buffer(self):
        """As N^2 d^2 / M: within 5 %."""
        with tempfile.TemporaryDirectory() as folder:
            _, _, value = study.attention(self.options(folder))
            drawn = sorted(path.name for path in pathlib.Path(folder).iterdir())
        self.assertEqual(drawn, ["attention.csv", "attention.svg"])
        self.assertGreaterEqual(value["points"], 3)
        self.assertLess(abs(value["slope"] + 1.0), 0.05)
        self.assertEqual([point["proven"] for point in value["curve"]], [False, True, True, True, True])
        smallest = value["curve"][0]
        self.assertLess(smallest["fused_words"] / smallest["bound_words"], 1.12)

    def test_a_recorded_row_stands_beside_ours(self):
        """Of 1,024 rows everything moves once: 4 tensors x 1,024 x 64 words, of 12 heads, 64 inputs, 2 bytes."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "attn-binding.csv"
            file.write_text("model,seq_len,traffic\nBERT,1K,402653184\nBERT,1M,1\n")
            _, tables, value = study.fusemax(self.options(folder, fusemax=str(file), longest=1024))
        self.assertEqual([(row["ours_bytes"], row["proven"]) for row in value], [(4 * 1024 * 64 * 12 * 64 * 2, True)])
        self.assertEqual(tables[0][1][0][4], "1.0000")


if __name__ == "__main__":
    unittest.main()
