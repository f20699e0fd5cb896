"""scripts/not-run: what ./test says last; scripts/build: when it configures; scripts/option-table and
scripts/schema-table: docs/options.md and docs/report-keys.md are up to date; scripts/prose: pages have few
relative pronouns."""

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
SCRIPT = SCRIPTS / "not-run"

LOG = """Start testing: Nov 24 22:32 UTC
----------------------------------------------------------
1/4 Testing: cli_usage
1/4 Test: cli_usage
Output:
test_zsh (test_usage.Usage.test_zsh) ... skipped 'zsh is not installed'
test_zsh_words (test_usage.Usage.test_zsh_words) ... skipped 'zsh is not installed'
test_skipped_levels (test_usage.Usage.test_skipped_levels) ... ok
2/4 Testing: cluster
2/4 Test: cluster
Output:
skipped: explorations in PostgreSQL were not built
3/4 Testing: test_workload
3/4 Test: test_workload
Output:
src/workload/x_test.cpp:82: Skipped
needs ../shared/examples
4/4 Testing: test_base
4/4 Test: test_base
Output:
[  PASSED  ] 12 tests.
"""


def said_of(log, status=0):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "LastTest.log")
        path.write_text(log)
        done = subprocess.run([sys.executable, SCRIPT, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == status, done.stdout
        return done.stdout


class NotRun(unittest.TestCase):
    def test_every_kind_of_skip_is_told(self):
        self.assertEqual(said_of(LOG, status=1).splitlines(), [
            "not run:",
            "  1 in cluster: explorations in PostgreSQL were not built",
            "  1 in test_workload: needs ../shared/examples",
            "  2 in cli_usage: zsh is not installed",
            "error: 2 of these reasons can be mended: scripts/install-deps --tests installs what tests need"])

    def test_what_no_package_brings_may_be_left_out(self):
        log = LOG[:LOG.index("1/4")] + LOG[LOG.index("3/4 Testing"):]
        self.assertEqual(said_of(log).splitlines(), [
            "not run:", "  1 in test_workload: needs ../shared/examples", "these need what no package brings"])

    def test_packages_of_npm_may_be_left_out_and_node_may_not(self):
        begin, end = LOG.index("1/4"), LOG.index("4/4 Testing")
        bundle = "1/1 Testing: packages_bundle\ntest_it ... skipped 'no bundle was built to compare with: {}'\n"
        for why, status in (("packages that npm fetches are missing", 0), ("node and npm are not installed", 1)):
            self.assertIn(why, said_of(LOG[:begin] + bundle.format(why) + LOG[end:], status))

    def test_a_run_of_everything_is_told_as_such(self):
        log = LOG[:LOG.index("1/4")] + LOG[LOG.index("4/4 Testing"):]
        self.assertEqual(said_of(log), "all of it was run: 1 tests, and nothing in them was skipped\n")


class Build(unittest.TestCase):
    """scripts/build between a cmake that notes how it was called and a dpkg-query that lists one package."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "scripts").mkdir()
        shutil.copy(SCRIPTS / "build", self.folder / "scripts")
        self.program("cmake", 'echo "$1" >>calls; mkdir -p build/release; touch build/release/build.ninja')
        self.installed("python3")

    def program(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def installed(self, package):
        self.program("dpkg-query", f"echo {package}")

    def calls(self):
        path = self.folder / "calls"
        path.unlink(missing_ok=True)
        subprocess.run([self.folder / "scripts/build", "release"], check=True,
                       env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        return path.read_text().split()

    def test_configures_once(self):
        self.assertEqual(self.calls(), ["--preset", "--build"])
        self.assertEqual(self.calls(), ["--build"])

    def test_configures_anew_when_packages_have_come(self):
        self.calls()
        self.installed("pybind11-dev")
        self.assertEqual(self.calls(), ["--preset", "--build"])


def module_of(script):
    loader = importlib.machinery.SourceFileLoader(script.replace("-", "_"), str(SCRIPTS / script))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class SchemaTable(unittest.TestCase):
    def test_the_page_is_what_the_schema_says(self):
        table = module_of("schema-table")
        self.assertEqual(table.PAGE.read_text(), table.page(), "run scripts/schema-table")
        self.assertGreater(table.page().count("\n| `"), 200)

    def test_a_key_within_a_key(self):
        schema = {"properties": {"tool": {"type": "object", "properties": {"name": {"const": "x"}}}, "notes": {"items": {"type": "string"}}}}
        self.assertEqual(list(module_of("schema-table").rows(schema)),
                         [("tool", "object", ""), ("tool.name", "`x`", ""), ("notes", "list of string", "")])


class Prose(unittest.TestCase):
    def setUp(self):
        self.prose = module_of("prose")

    def over(self, docs):
        pages = self.prose.pages(docs)
        return len(pages), self.prose.over(pages, self.prose.MOST_OF_A_PAGE)

    def test_pages_name_their_nouns(self):
        pages, over = self.over(SCRIPTS.parent / "docs")
        self.assertEqual(over, [], "scripts/prose counts their relative pronouns")
        self.assertGreater(pages, 50)

    def test_a_planted_page_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "named.md").write_text("# A page\nA store keeps the tile (`what that which`).\n\n    who whose\n")
            pathlib.Path(folder, "vague.md").write_text("# A page\n* what it holds is what\n\n  that which asks finds\n")
            self.assertEqual(self.over(pathlib.Path(folder)), (2, ["vague.md"]))


class OptionTable(unittest.TestCase):
    def setUp(self):
        self.table = module_of("option-table")

    def test_the_page_is_what_the_program_says(self):
        program = os.environ.get("TILEWRIGHT", str(SCRIPTS.parent / "build" / "release" / "bin" / "tilewright"))
        page = self.table.page(program)
        self.assertEqual(self.table.PAGE.read_text(), page, "run scripts/option-table")
        self.assertGreater(page.count("\n| `"), 150)

    def test_a_meaning_of_two_lines_is_one(self):
        text = "Search\n  -s, --seed N   of the random numbers;\n                 the same seed\n  -h, --help     this text\n"
        self.assertEqual(self.table.options_of(text)[0], ["Search", "-s, --seed N", "of the random numbers; the same seed"])


if __name__ == "__main__":
    unittest.main()
