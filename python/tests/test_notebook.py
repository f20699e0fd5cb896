"""The notebooks in examples/notebook run, cell by cell, and print what is stored in them. Skips without Debian's python3-nbclient."""

import copy
import importlib.util
import unittest

from program import ROOT

NOTEBOOKS = ROOT / "examples" / "notebook"


def texts(cell):
    """What a cell prints, in one text however the kernel cut it, and shows as text; warnings of the kernel are its own."""
    shown = [output for output in cell.outputs if output.get("name") != "stderr"]
    printed = "".join(output["text"] for output in shown if "text" in output)
    return [printed, *(output["data"]["text/plain"] for output in shown if "text" not in output)]


@unittest.skipUnless(importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"),
                     "python3-nbclient or python3-ipykernel is not installed")
class Notebook(unittest.TestCase):
    def compare_cells_of(self, name):
        import nbclient
        import nbformat

        stored = nbformat.read(NOTEBOOKS / name, 4)
        nbformat.validate(stored)
        run = copy.deepcopy(stored)
        nbclient.NotebookClient(run, timeout=None, kernel_name="python3").execute()
        compared = 0
        for said, was in zip(stored.cells, run.cells):
            if said.cell_type != "code":
                continue
            self.assertEqual(texts(was), texts(said), said.source)
            compared += 1
        return compared

    def test_the_tutorial(self):
        self.assertGreaterEqual(self.compare_cells_of("tutorial.ipynb"), 6)

    def test_a_mapper_of_ones_own(self):
        self.assertGreaterEqual(self.compare_cells_of("custom_mapper.ipynb"), 5)

    def test_one_for_a_guide(self):
        for name in ("buffer_size", "quantise", "fuse", "serve", "explore"):
            with self.subTest(name):
                self.assertGreaterEqual(self.compare_cells_of(f"{name}.ipynb"), 2)


if __name__ == "__main__":
    unittest.main()
