"""The documents as a site: every page is in the navigation, and mkdocs builds them."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def documents():
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "src" / "README.md"]


def links_of(path):
    text = re.sub(r"`[^`\n]*`", "", "\n".join(without_code(path.read_text())))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            yield target


def without_code(text):
    inside = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside and not line.startswith("    "):
            yield line


def anchors_of(path):
    """As mkdocs and code hosts make them of headings."""
    found = set()
    for line in without_code(path.read_text()):
        if heading := re.match(r"#+ +(.*)", line):
            plain = re.sub(r"[^\w\- ]", "", heading[1].replace("`", "").lower()).strip()
            found.add(re.sub(r" ", "-", plain))
    return found


class Site(unittest.TestCase):
    def test_every_document_is_in_the_navigation(self):
        named = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
        self.assertEqual(sorted(named), sorted(path.name for path in (ROOT / "docs").glob("*.md")))

    def test_every_page_begins_with_what_one_can_do_after_it(self):
        for path in sorted((ROOT / "docs").glob("*.md")):
            if path.name != "index.md":
                self.assertRegex(path.read_text(), r"\A# [^\n]+\n\nAfter this page you (can|know|have) ", path.name)

    def test_links_between_files_lead_somewhere(self):
        """Of all documents: the file is there, and so is the heading."""
        followed = 0
        for path in documents():
            for target in links_of(path):
                file, _, heading = target.partition("#")
                place = (path.parent / file).resolve() if file else path
                with self.subTest(f"{path.relative_to(ROOT)}: {target}"):
                    self.assertTrue(place.exists())
                    if heading and place.suffix == ".md":
                        self.assertIn(heading, anchors_of(place))
                followed += 1
        self.assertGreater(followed, 300)

    @unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is not installed")
    def test_mkdocs_builds_it(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(["mkdocs", "build", "--quiet", "--config-file", str(ROOT / "mkdocs.yml"), "--site-dir", folder],
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            page = (pathlib.Path(folder) / "tutorial" / "index.html").read_text()
            self.assertIn("Your first machine in ten minutes", page)
            # Links between documents become links between pages.
            self.assertIn('href="../errors/"', page)
            self.assertIn("Coming from", (pathlib.Path(folder) / "index.html").read_text())
            self.assert_no_dead_links(pathlib.Path(folder))

    def assert_no_dead_links(self, site):
        """Of the pages as they are served: a link to a folder is one to its index.html."""
        followed = 0
        for page in site.rglob("*.html"):
            if page.name in ("404.html", "search.html"):
                continue
            for target in set(re.findall(r'<(?:a|img)\b[^>]*(?:href|src)="([^"#?]+)', page.read_text())):
                if re.match(r"[a-z]+:|//", target):
                    continue
                place = (page.parent / target).resolve()
                with self.subTest(f"{page.relative_to(site)}: {target}"):
                    self.assertTrue(place.is_file() or (place / "index.html").is_file())
                followed += 1
        self.assertGreater(followed, 1000)


if __name__ == "__main__":
    unittest.main()
