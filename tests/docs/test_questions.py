"""docs/questions.md: every command is run, and what stands below it is what it prints."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from test_commands import PROGRAM, ROOT

PAGE = ROOT / "docs" / "questions.md"


def entries(text):
    """(number, command, exit status, lines that it prints), one for each numbered heading."""
    for part in re.split(r"^(?=### )", text, flags=re.MULTILINE)[1:]:
        number = int(re.match(r"### (\d+)\. ", part)[1])
        part = re.sub(r" \\\n +", " ", part)
        indented = [line.strip() for line in part.splitlines() if line.startswith("    ")]
        command, _, comment = indented[0].partition("  # status ")
        yield number, command, int(comment or 0), indented[1:]


def absent(lines, printed):
    """Those of the lines that were not printed; of a line that ends in `...` the beginning counts."""
    return [line for line in lines if line.removesuffix(" ...") not in printed]


class Questions(unittest.TestCase):
    def test_every_command_prints_what_the_page_says(self):
        found = list(entries(PAGE.read_text()))
        self.assertEqual([number for number, *_ in found], list(range(1, len(found) + 1)))
        self.assertGreaterEqual(len(found), 60)
        done = {}
        with tempfile.TemporaryDirectory() as folder:
            for name in ("examples", "data"):
                pathlib.Path(folder, name).symlink_to(ROOT / name)
            for number, command, status, lines in found:
                with self.subTest(f"{number}: {command}"):
                    self.assertTrue(command.startswith("tilewright ") and lines)
                    if command not in done:
                        done[command] = self.run_in(folder, command)
                    result = done[command]
                    self.assertEqual(result.returncode, status, result.stderr)
                    self.assertEqual(absent(lines, result.stdout + result.stderr), [])

    def run_in(self, folder, command):
        return subprocess.run(["bash", "-c", command.replace("tilewright", '"$PROGRAM"', 1)], cwd=folder, capture_output=True, text=True,
                              timeout=100, stdin=subprocess.DEVNULL, env={**os.environ, "TILEWRIGHT_CACHE": "", "PROGRAM": PROGRAM})

    def test_a_wrong_line_and_a_second_status_are_seen(self):
        page = "### 1. Why?\n\n    tilewright check \\\n        x.yaml  # status 2\n\n    x.yaml: error ...\n    0 cycles\n"
        (number, command, status, lines), = entries(page)
        self.assertEqual((number, command, status), (1, "tilewright check x.yaml", 2))
        self.assertEqual(absent(lines, "x.yaml: error: cannot read\n12 cycles\n"), ["0 cycles"])


if __name__ == "__main__":
    unittest.main()
