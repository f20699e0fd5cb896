"""What users get: a wheel and Debian packages, each installed where nothing else is, and tried.

Both are made of the build tree that is tested (TILEWRIGHT_BUILD); nothing is fetched.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import clean_root

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TILEWRIGHT_BUILD", ROOT / "build" / "release"))
PYTHON = os.environ.get("TILEWRIGHT_PYTHON", "/usr/bin/python3")
TRY = "import tilewright; print(repr(tilewright.map('resnet18', 'eyeriss').energy_pj), tilewright.__version__)"
MAP = ["map", "--arch", "simba-cosa", "--net", "resnet18", "--layers", "conv1", "--mapper", "cosa", "--json"]
WITHOUT_ROOT = clean_root.why_not()


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\nended with status {done.returncode}:\n{done.stdout}")
    return done.stdout


def answers_of_build():
    """What the build tree says: a wheel and a package have to say the same."""
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python"), "TILEWRIGHT_CACHE": ""}
    return run(PYTHON, "-c", TRY, env=environment), figures(run(BUILD / "bin" / "tilewright", *MAP, env=environment))


def figures(report):
    """Energy and cycles of the only layer of a report."""
    found = json.loads(report)
    return found["totals"] if "totals" in found else found


def without_time(figures_of_run):
    return re.sub(r'"[a-z_]*(seconds|wall|date|time)[a-z_]*": [^,}]*', "", json.dumps(figures_of_run, sort_keys=True))


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.python_says, cls.program_says = answers_of_build()

    def assert_same_report(self, printed):
        self.assertEqual(without_time(figures(printed)), without_time(self.program_says))


@unittest.skipUnless((BUILD / "python").exists(), "the Python module was not built")
@unittest.skipUnless(shutil.which("patchelf"), "patchelf is not installed")
class WheelTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if "No module" in subprocess.run([PYTHON, "-m", "build", "--version"], capture_output=True, text=True,
                                         check=False).stderr:
            raise unittest.SkipTest("python3-build is not installed")
        run(PYTHON, "-m", "build", "--wheel", "--no-isolation", f"-Cbuild-dir={BUILD}", "--outdir", cls.folder, ROOT)
        cls.wheel = next(cls.folder.glob("*.whl"))

    def test_in_a_virtual_environment_without_a_registry(self):
        venv = self.folder / "venv"
        run(PYTHON, "-m", "venv", venv)
        run(venv / "bin" / "pip", "install", "--no-index", "--quiet", self.wheel)
        environment = {"PATH": f"{venv}/bin:/usr/bin:/bin", "TILEWRIGHT_CACHE": ""}
        self.assertEqual(run(venv / "bin" / "python", "-c", TRY, env=environment, cwd="/"), self.python_says)
        self.assert_same_report(run(venv / "bin" / "tilewright", *MAP, env=environment, cwd="/"))
        self.assert_loads_its_own(venv)

    def assert_loads_its_own(self, venv):
        """Beside the C library and the compiler's runtime nothing of this machine."""
        package = next(venv.glob("lib/python*/site-packages"))
        loaders = [package / "tilewright" / "bin" / "tilewright", *package.glob("tilewright/_core*.so")]
        self.assertEqual(len(loaders), 2)
        own = 0
        for line in "".join(run("ldd", loader) for loader in loaders).splitlines():
            name, _, place = line.strip().partition(" => ")
            if not place:
                continue
            if place.startswith(str(venv)):
                own += 1
            else:
                self.assertRegex(name, r"^lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+)\.so")
        self.assertGreater(own, 20)

    def test_the_archive_says_what_is_in_it(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            recorded = [line.split(",")[0] for line in archive.read(record).decode().splitlines()]
            self.assertEqual(sorted(recorded), sorted(names))
            metadata = archive.read(record.replace("RECORD", "METADATA")).decode()
        self.assertIn("Name: tilewright\n", metadata)
        # Every library came with a package, whose licence travels with it.
        self.assertGreater(len([name for name in names if "/licenses/" in name]), 10)

    def test_the_same_files_make_the_same_wheel(self):
        again = self.folder / "again"
        run(PYTHON, "-m", "build", "--wheel", "--no-isolation", f"-Cbuild-dir={BUILD}", "--outdir", again, ROOT)
        self.assertEqual(next(again.glob("*.whl")).read_bytes(), self.wheel.read_bytes())

    @unittest.skipIf(WITHOUT_ROOT, WITHOUT_ROOT)
    def test_on_a_machine_with_nothing_but_python(self):
        # libstdc++6: the runtime of the compiler, which wheels expect of a machine.
        with clean_root.CleanRoot(["python3-venv", "libstdc++6"]) as machine:
            self.assertNotIn("libtbb12", machine.packages)
            self.assertNotIn("libfyaml0", machine.packages)
            wheel = machine.copy_in(self.wheel)
            machine.run(f"python3 -m venv /venv && /venv/bin/pip install --no-index --quiet {wheel}")
            self.assertEqual(machine.run(f'/venv/bin/python -c "{TRY}"'), self.python_says)
            self.assert_same_report(machine.run("/venv/bin/tilewright " + " ".join(MAP)))


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "dpkg-dev is not installed")
@unittest.skipIf(WITHOUT_ROOT, WITHOUT_ROOT)
class DebianTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run("cpack", "-G", "DEB", "-B", cls.folder / "deb", cwd=BUILD)
        cls.packages = sorted((cls.folder / "deb").glob("*.deb"))

    def needs(self, package):
        return clean_root.relations_in(clean_root.said("dpkg-deb", "--field", package, "Depends"))

    def test_with_what_it_depends_on_and_nothing_else(self):
        program = next(path for path in self.packages if not path.name.startswith("python3"))
        with clean_root.CleanRoot(self.needs(program)) as machine:
            self.assertNotIn("python3", machine.packages)
            machine.run(f"dpkg --install {machine.copy_in(program)}")
            self.assertIn("tilewright", machine.run("tilewright --version"))
            self.assert_same_report(machine.run("tilewright " + " ".join(MAP)))
            machine.run("dpkg --remove tilewright")
            self.assertFalse((machine.root / "usr/bin/tilewright").exists())

    @unittest.skipUnless((BUILD / "python").exists(), "the Python module was not built")
    def test_the_module_alone(self):
        module = next(path for path in self.packages if path.name.startswith("python3"))
        with clean_root.CleanRoot(self.needs(module)) as machine:
            machine.run(f"dpkg --install {machine.copy_in(module)}")
            self.assertEqual(machine.run(f'python3 -c "{TRY}"'), self.python_says)

    def test_a_package_that_lacks_a_library_is_found_out(self):
        program = next(path for path in self.packages if not path.name.startswith("python3"))
        needs = [relation for relation in self.needs(program) if "libtbb12" not in relation]
        self.assertLess(len(needs), len(self.needs(program)))
        with clean_root.CleanRoot(needs) as machine:
            said = machine.run(f"dpkg --install {machine.copy_in(program)}", check=False)
            self.assertIn("tilewright depends on libtbb12", said)


if __name__ == "__main__":
    sys.exit(unittest.main())
