"""The documents as a site: every page is in the navigation, and mkdocs builds them."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Site(unittest.TestCase):
    def test_every_document_is_in_the_navigation(self):
        named = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
        self.assertEqual(sorted(named), sorted(path.name for path in (ROOT / "docs").glob("*.md")))

    @unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is not installed")
    def test_mkdocs_builds_it(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(["mkdocs", "build", "--quiet", "--config-file", str(ROOT / "mkdocs.yml"), "--site-dir", folder],
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            page = (pathlib.Path(folder) / "tutorial" / "index.html").read_text()
            self.assertIn("Your first machine in ten minutes", page)
            # Links between documents become links between pages.
            self.assertIn('href="../how-to/"', page)


if __name__ == "__main__":
    unittest.main()
