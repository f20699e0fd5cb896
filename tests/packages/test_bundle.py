"""report-ui/bundle: the script of HTML reports for builds without node, made of the sources that lie beside it."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
UI = ROOT / "report-ui"
BUNDLE = UI / "bundle"
BUILD = pathlib.Path(os.environ.get("TILEWRIGHT_BUILD", ROOT / "build" / "release"))
HINT = "scripts/bundle-report-ui makes it anew"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def said():
    return dict(line.split(": ", 1) for line in (BUNDLE / "made.txt").read_text().splitlines() if ": " in line)


class Bundle(unittest.TestCase):
    def test_it_is_of_these_sources(self):
        names = ["build.mjs", "package-lock.json", *sorted(str(path.relative_to(UI)) for path in (UI / "src").rglob("*.ts"))]
        lines = "".join(f"{sha256((UI / name).read_bytes())}  {name}\n" for name in names)
        self.assertEqual(said()["sources"], sha256(lines.encode()), HINT)
        self.assertEqual(said()["script"], sha256((BUNDLE / "report.js").read_bytes()), HINT)

    def test_it_is_what_node_makes_of_them(self):
        """Its packages stay in the build folder: tests of pages take axe-core from there."""
        if not (shutil.which("node") and shutil.which("npm")):
            self.skipTest("no bundle was built to compare with: node and npm are not installed")
        done = subprocess.run([ROOT / "scripts" / "bundle-report-ui", "--check", BUILD / "report-ui"], capture_output=True, text=True,
                              check=False)
        if done.returncode == 2:
            self.skipTest("no bundle was built to compare with: packages that npm fetches are missing")
        self.assertEqual((done.returncode, done.stdout), (0, ""), HINT)

    def test_it_opens_with_the_licences_of_what_it_carries(self):
        opening = (BUNDLE / "report.js").read_text().partition("*/")[0]
        for text in ("/*! The script of Tilewright's HTML reports, under the Apache License 2.0",
                     "Copyright 2017-2024 The Apache Software Foundation",
                     "Copyright 2010-2016 Mike Bostock", "Copyright (c) 2017, Baidu Inc.", "Copyright (c) Microsoft Corporation.",
                     "Redistributions in binary form must reproduce the above copyright notice"):
            self.assertIn(text, opening)

    def embedded(self, bundle):
        """Where npm fails and leaves a trace: what CMake says, the file that a build compiles, whether npm was asked."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("node", "npm"):
                program = pathlib.Path(folder, name)
                program.write_text(f"#!/bin/sh\ntouch {folder}/asked\nexit 1\n")
                program.chmod(0o755)
            script = pathlib.Path(folder, "CMakeLists.txt")
            script.write_text(f"""cmake_minimum_required(VERSION 3.25)
project(pages LANGUAGES CXX)
include({ROOT}/cmake/embed.cmake)
include({ROOT}/cmake/report_ui.cmake)
set(TW_REPORT_UI {bundle.parent})
file(WRITE "${{CMAKE_BINARY_DIR}}/none.cpp" "")
add_library(pages STATIC "${{CMAKE_BINARY_DIR}}/none.cpp")
tw_embed_report_ui(pages)
add_custom_target(embedded DEPENDS "${{CMAKE_BINARY_DIR}}/embedded/report_ui.cpp")
""")
            configured = subprocess.run(["cmake", "-S", folder, "-B", f"{folder}/build", "-G", "Ninja"], capture_output=True, text=True,
                                        check=True, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}).stdout
            subprocess.run(["cmake", "--build", f"{folder}/build", "--target", "embedded"], capture_output=True, check=True)
            source = pathlib.Path(folder, "build", "embedded", "report_ui.cpp").read_text()
            return configured, source, pathlib.Path(folder, "asked").exists()

    def test_a_build_embeds_it_and_asks_no_registry(self):
        configured, source, asked = self.embedded(BUNDLE)
        self.assertIn("with interactive views, as scripts/bundle-report-ui made them", configured)
        self.assertIn((BUNDLE / "report.js").read_text(), source)
        self.assertFalse(asked)

    def test_a_bundle_of_other_sources_is_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "report-ui")
            shutil.copytree(UI, copy)
            (copy / "src" / "main.ts").write_text("// changed\n")
            configured, source, asked = self.embedded(copy / "bundle")
        self.assertIn("report-ui/bundle is of other sources", configured)
        self.assertNotIn("report.js", source)
        self.assertTrue(asked)


if __name__ == "__main__":
    unittest.main()
