"""Every Python example of docs/python.md runs, in order, and prints what the document says."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from program import EXAMPLE, ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n?It prints\n\n```\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


class Documents(unittest.TestCase):
    def test_the_examples(self):
        blocks = BLOCK.findall((ROOT / "docs" / "python.md").read_text())
        self.assertGreaterEqual(len(blocks), 5)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "examples").symlink_to(EXAMPLE.parent)
            program = "".join(f"{code}\nprint('== end', {i})\n" for i, (code, _) in enumerate(blocks))
            result = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, env=os.environ)
            self.assertEqual(result.returncode, 0, result.stderr)
            printed = re.split(r"== end \d+\n", result.stdout)
            compared = 0
            for (code, said), was in zip(blocks, printed):
                if said:
                    self.assertEqual(was, said, code)
                    compared += 1
            self.assertGreaterEqual(compared, 2)


if __name__ == "__main__":
    unittest.main()
