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
BUILT = pathlib.Path(os.environ.get("TILEWRIGHT_BUILD", ROOT / "build" / "release")) / "report-ui" / "report.js"
HINT = "scripts/bundle-report-ui makes it anew"


# Debian brings node and npm; the packages that npm fetches take its registry.
HAS_NPM = shutil.which("node") and shutil.which("npm")
WHY_NOT_BUILT = "no bundle was built to compare with: " + ("packages that npm fetches are missing" if HAS_NPM else "node and npm are not installed")


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

    @unittest.skipUnless(BUILT.exists(), WHY_NOT_BUILT)
    def test_it_is_what_a_build_with_node_makes(self):
        self.assertTrue(BUILT.read_bytes() == (BUNDLE / "report.js").read_bytes(), HINT)

    def embedded(self, bundle):
        """The file that a build without node would compile, and what CMake says of it."""
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "CMakeLists.txt")
            script.write_text(f"""cmake_minimum_required(VERSION 3.25)
project(pages LANGUAGES CXX)
set(TW_NODE OFF)  # looked for, and not there
include({ROOT}/cmake/embed.cmake)
include({ROOT}/cmake/report_ui.cmake)
set(TW_REPORT_UI {bundle.parent})
file(WRITE "${{CMAKE_BINARY_DIR}}/none.cpp" "")
add_library(pages STATIC "${{CMAKE_BINARY_DIR}}/none.cpp")
tw_embed_report_ui(pages)
add_custom_target(embedded DEPENDS "${{CMAKE_BINARY_DIR}}/embedded/report_ui.cpp")
""")
            configured = subprocess.run(["cmake", "-S", folder, "-B", f"{folder}/build", "-G", "Ninja"],
                                        capture_output=True, text=True, check=True).stdout
            subprocess.run(["cmake", "--build", f"{folder}/build", "--target", "embedded"], capture_output=True, check=True)
            return configured, pathlib.Path(folder, "build", "embedded", "report_ui.cpp").read_text()

    def test_a_build_without_node_embeds_it(self):
        configured, source = self.embedded(BUNDLE)
        self.assertIn("with interactive views, as scripts/bundle-report-ui made them", configured)
        self.assertIn((BUNDLE / "report.js").read_text(), source)

    def test_a_bundle_of_other_sources_is_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "report-ui")
            subprocess.run(["cp", "-r", UI, copy], check=True)
            (copy / "src" / "main.ts").write_text("// changed\n")
            configured, source = self.embedded(copy / "bundle")
        self.assertIn("report-ui/bundle is of other sources", configured)
        self.assertNotIn("report.js", source)


if __name__ == "__main__":
    unittest.main()
