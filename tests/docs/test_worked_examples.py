"""The worked examples of the pages on proofs: the program prints their figures."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))
KEPT = "constraints:\n  targets:\n  - {target: Buffer, type: bypass, keep: [%s], bypass: [%s]}\n"


def commands(page, heading):
    """Of the blocks of one section, lines that go on joined."""
    text = (ROOT / "docs" / page).read_text().partition(f"# {heading}\n")[2]
    section = re.split(r"^#", text, maxsplit=1, flags=re.MULTILINE)[0].replace("\\\n", "")
    return re.findall(r"^    (?:\$ )?tilewright (.*)$", section, re.MULTILINE), section


class WorkedExamples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "examples").symlink_to(ROOT / "examples")

    def printed(self, words):
        result = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, check=False,
                                env={**os.environ, "TILEWRIGHT_CACHE": ""})
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_the_eight_assignments(self):
        (command,), section = commands("optimal.md", "A worked example")
        words = shlex.split(command)
        rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in section.splitlines() if re.match(r"\| [nABO]", line)]
        sets = [(kept, optimum) for keeps, _, optimum in rows for kept in keeps.split(", or ")]
        self.assertEqual(len(sets), 8)
        for kept, optimum in sets:
            keep = re.findall(r"\b[ABO]\b", kept)
            (self.folder / "kept.yaml").write_text(KEPT % (", ".join(keep), ", ".join(sorted(set("ABO") - set(keep)))))
            with self.subTest(kept):
                energy = re.search(r"energy +([\d.]+) nJ", self.printed([*words, "kept.yaml"]))[1]
                self.assertEqual(round(1000 * float(energy)), int(optimum.replace(",", "")))

    def check_certificate(self, made, example):
        """Of the first command: its check prints what the page says."""
        self.printed(shlex.split(made))
        line = next(line.strip() for line in example.splitlines() if line.startswith("    confirmed: "))
        self.assertIn(line, self.printed(["check", "out/certificate.json"]))

    def test_certificates(self):
        (made,), _ = commands("optimal.md", "A worked example")
        self.check_certificate(made, commands("certificate.md", "A worked example")[1])
        found, section = commands("certificate.md", "Fused mappings")
        self.check_certificate(found[0], section)
        found, section = commands("certificate.md", "Plans on packages")
        self.check_certificate(found[0], section)

    def test_the_best_of_sixteen_machines(self):
        (made,), section = commands("codesign.md", "A worked example")
        self.check_certificate(made, commands("certificate.md", "Certificates of best machines")[1])
        tree = json.loads((self.folder / "out" / "certificate.json").read_text())["tree"]
        ends = [box["end"] for box in tree]
        self.assertEqual([ends.count("worse"), ends.count("mapped")], [section.count("ruled out:"), section.count("mapped")])


if __name__ == "__main__":
    unittest.main()
