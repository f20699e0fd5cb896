"""What sources and documents cite is in the tree, or is public: no reader is sent to a file that they do not have."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["src", "include", "python", "tools", "tests", "docs", "bench", "examples", "cmake", "scripts", "data", "schemas"]
ENDINGS = {".cpp", ".hpp", ".md", ".py", ".txt", ".cmake", ".yaml", ".json"}


def texts():
    """(path, line number, line) of everything written by hand."""
    files = [*sorted(ROOT.glob("*.md")), ROOT / "CMakeLists.txt"]
    for folder in FOLDERS:
        files += [path for path in sorted((ROOT / folder).rglob("*")) if path.is_file() and path.suffix in ENDINGS]
    for path in files:
        if path.name == pathlib.Path(__file__).name:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            yield path, number, line


class Citations(unittest.TestCase):
    def broken(self, is_broken):
        return [f"{path.relative_to(ROOT)}:{number}: {line.strip()}" for path, number, line in texts() if is_broken(path, line)]

    def test_nothing_cites_notes_that_are_not_in_the_tree(self):
        self.assertGreater(sum(1 for _ in texts()), 30000)
        pattern = re.compile(r"\bspec/|\bspec(ification)? sections? \d|\((?:sections?) \d+(\.\d+)?( to \d+(\.\d+)?)?\)", re.IGNORECASE)
        self.assertEqual(self.broken(lambda path, line: pattern.search(line)), [])

    def test_cited_documents_exist(self):
        """docs/NAME.md, wherever it is named."""
        def missing(path, line):
            return any(not (ROOT / name).exists() for name in re.findall(r"(?<![\w/.-])docs/[\w/-]+\.md", line))
        self.assertEqual(self.broken(missing), [])

    def test_links_of_documents_lead_somewhere(self):
        def dead(path, line):
            if path.suffix != ".md":
                return False
            links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", line)
            return any("://" not in link and not (path.parent / link).exists() for link in links)
        self.assertEqual(self.broken(dead), [])

    def test_source_files_that_documents_name_exist(self):
        """A path such as src/room/file.hpp, or room/file.hpp in backticks; a star stands for any name."""
        def missing(path, line):
            if path.suffix != ".md":
                return False
            whole = re.findall(r"(?<![\w/.-])((?:src|tests|tools|python|include|cmake)/[\w./*-]*\.(?:cpp|hpp|py|cmake|txt))", line)
            short = ["src/" + name for name in re.findall(r"`((?!src/|tests/|tools/|python/|include/|bench/)[\w/*]+/[\w*]+\.[ch]pp)`", line)]
            return any(not any(ROOT.glob(name)) for name in whole + short)
        self.assertEqual(self.broken(missing), [])


if __name__ == "__main__":
    unittest.main()
