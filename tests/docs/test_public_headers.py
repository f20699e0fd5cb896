"""The border of the library: what is installed is what users may include, and what that needs."""

import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import public_headers

ROOT = pathlib.Path(__file__).resolve().parents[2]


class PublicHeaders(unittest.TestCase):
    def test_the_border_holds(self):
        self.assertEqual(public_headers.violations(ROOT), [])

    def test_there_are_15_to_25_public_headers(self):
        self.assertIn(len(list((ROOT / "include" / "tilewright").glob("*.hpp"))), range(15, 26))

    def test_users_see_no_machinery_of_searches(self):
        listed = public_headers.listed_parts((ROOT / "cmake" / "install.cmake").read_text())
        for room in ("mapper/", "certificate/", "orders/", "jinja/", "yaml/", "mip/", "model/lean", "mapspace/mapspace"):
            self.assertEqual([name for name in listed if name.startswith(room)], [])

    def test_a_planted_violation_is_found(self):
        for change in (lambda text: text + '\n#include "model/lean/lean.hpp"\n', lambda text: text.replace("hread-safe", "")):
            with tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder)
                for part in ("include", "src", "cmake"):
                    shutil.copytree(ROOT / part, copy / part)
                header = copy / "include" / "tilewright" / "stop.hpp"
                header.write_text(change(header.read_text()))
                self.assertNotEqual(public_headers.violations(copy), [])

    def test_the_page_lists_every_header(self):
        page = (ROOT / "docs" / "library.md").read_text()
        for path in (ROOT / "include" / "tilewright").glob("*.hpp"):
            self.assertIn(f"`{path.name}`", page)

    def test_the_worked_example_is_a_program_that_is_built(self):
        page = (ROOT / "docs" / "library.md").read_text()
        blocks = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
        self.assertIn((ROOT / "examples" / "library" / "map.cpp").read_text(), blocks)


if __name__ == "__main__":
    unittest.main()
