"""A room knows only those above it. Headers of others are a mistake that no compiler sees: this test does."""

import pathlib
import tempfile
import unittest

import rooms

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Rooms(unittest.TestCase):
    def test_every_include_is_of_a_room_that_is_linked_to(self):
        listed = rooms.rooms_of((ROOT / "CMakeLists.txt").read_text())
        self.assertGreater(len(listed), 15)
        tests = rooms.test_links_of((ROOT / "tests" / "CMakeLists.txt").read_text())
        self.assertEqual(rooms.violations(ROOT / "src", listed, tests), [])

    def test_a_planted_violation_is_found(self):
        listed = rooms.rooms_of("tw_room(base)\ntw_room(model LINKS base PRIVATE_LINKS x)\ntw_room(mapper LINKS model base)\n")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            for name, text in {
                "model/model.cpp": '#include <vector>\n#include "base/error.hpp"\n#include "mapper/mapper.hpp"\n',
                "mapper/mapper.cpp": '#include "model/model.hpp"\n#include "mapper/mapper.hpp"\n',
                "stray/file.hpp": "",
            }.items():
                (source / name).parent.mkdir(exist_ok=True)
                (source / name).write_text(text)
            self.assertEqual(rooms.violations(source, listed), [
                "model/model.cpp: includes mapper/mapper.hpp, but room model does not link to mapper",
                "stray/file.hpp: in no room",
            ])

    def test_a_room_that_links_to_a_later_one_is_found(self):
        listed = rooms.rooms_of("tw_room(base LINKS model)\ntw_room(model)\n")
        with tempfile.TemporaryDirectory() as folder:
            found = rooms.violations(pathlib.Path(folder), listed)
        self.assertEqual(found, ["CMakeLists.txt: room base links to model, which does not come before it"])

    def test_no_two_folders_know_each_other(self):
        known = rooms.folders_of(ROOT / "src")
        self.assertGreater(len(known), 60)
        self.assertEqual(rooms.cycles(known), [])

    def test_a_planted_cycle_of_folders_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            for name, text in {
                "model/model.cpp": '#include "model/exact/costs.hpp"\n',
                "model/exact/costs.hpp": '#include "base/error.hpp"\n#include "model/lean/lean.hpp"\n',
                "model/lean/lean.hpp": '#include "model/evaluation.hpp"\n',
                "model/lean/lean_test.cpp": '#include "mapper/mapper.hpp"\n',
                "base/error.hpp": "",
                "mapper/mapper.hpp": '#include "model/lean/lean.hpp"\n',
            }.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(text)
            self.assertEqual(rooms.cycles(rooms.folders_of(source)), ["model, model/exact, model/lean"])
            (source / "model/lean/lean.hpp").write_text("")
            self.assertEqual(rooms.cycles(rooms.folders_of(source)), [])

    def test_no_folder_is_crowded(self):
        self.assertEqual(rooms.crowded(ROOT / "src"), [])
        with tempfile.TemporaryDirectory() as folder:
            for number in range(31):
                (pathlib.Path(folder) / f"{number}.hpp").touch()
            self.assertEqual(rooms.crowded(pathlib.Path(folder)), [".: 31 files"])


if __name__ == "__main__":
    unittest.main()
