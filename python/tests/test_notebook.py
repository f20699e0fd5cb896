"""The notebook in examples/notebook runs, cell by cell, and prints what is stored in it. Skips without Debian's python3-nbclient."""

import copy
import importlib.util
import unittest

from program import ROOT

NOTEBOOK = ROOT / "examples" / "notebook" / "tutorial.ipynb"


def texts(cell):
    """What a cell prints and shows as text; warnings of the kernel are its own."""
    shown = [output for output in cell.outputs if output.get("name") != "stderr"]
    return [output.get("text") or output["data"]["text/plain"] for output in shown]


@unittest.skipUnless(importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"),
                     "python3-nbclient or python3-ipykernel is not installed")
class Notebook(unittest.TestCase):
    def test_its_cells_print_what_they_say(self):
        import nbclient
        import nbformat

        stored = nbformat.read(NOTEBOOK, 4)
        nbformat.validate(stored)
        run = copy.deepcopy(stored)
        nbclient.NotebookClient(run, timeout=None, kernel_name="python3").execute()
        compared = 0
        for said, was in zip(stored.cells, run.cells):
            if said.cell_type != "code":
                continue
            self.assertEqual(texts(was), texts(said), said.source)
            compared += 1
        self.assertGreaterEqual(compared, 6)


if __name__ == "__main__":
    unittest.main()
