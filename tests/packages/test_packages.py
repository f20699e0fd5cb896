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
TRY = ("import importlib.metadata, tilewright; print(repr(tilewright.map('resnet18', 'eyeriss').energy_pj), tilewright.__version__, "
       "importlib.metadata.version('tilewright'))")
# Nothing that the module never asks for travels with it: of libpq come Kerberos, LDAP and TLS.
FOR_SERVERS = re.compile(r"lib(pq|gssapi|krb5|k5crypto|ldap|lber|sasl2|gnutls)\b")
SERVER = "tilewright explore show postgresql://nobody@localhost/none"
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
        self.assertGreater(own, 10)

    def test_the_archive_says_what_is_in_it(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            recorded = [line.split(",")[0] for line in archive.read(record).decode().splitlines()]
            self.assertEqual(sorted(recorded), sorted(names))
            metadata = archive.read(record.replace("RECORD", "METADATA")).decode()
        self.assertIn("Name: tilewright\n", metadata)
        self.assertIn("Author: The Tilewright developers\n", metadata)
        self.assertIn("Classifier: License :: OSI Approved :: Apache Software License\n", metadata)
        # Links to files lead nowhere without the tree: none is left.
        self.assertEqual(re.findall(r"\]\((?![a-z]+:)", metadata), [])
        self.assertEqual([name for name in names if FOR_SERVERS.search(name)], [])
        self.assertLess(self.wheel.stat().st_size, 25_000_000)
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
        cls.packages = {clean_root.said("dpkg-deb", "--field", path, "Package").strip(): path
                        for path in (cls.folder / "deb").glob("*.deb")}
        cls.library = next(name for name in cls.packages if re.match(r"libtilewright[0-9]", name))

    def needs(self, *packages):
        """Of other packages."""
        depends = ", ".join(clean_root.said("dpkg-deb", "--field", self.packages[name], "Depends") for name in packages)
        return [relation for relation in clean_root.relations_in(depends) if relation[0] not in self.packages]

    def install(self, machine, *packages, **options):
        return machine.run("dpkg --install " + " ".join(machine.copy_in(self.packages[name]) for name in packages), **options)

    def test_with_what_it_depends_on_and_nothing_else(self):
        with clean_root.CleanRoot(self.needs(self.library, "tilewright")) as machine:
            self.assertEqual([name for name in machine.packages if name == "python3" or FOR_SERVERS.match(name)], [])
            self.install(machine, self.library, "tilewright")
            self.assertIn("tilewright", machine.run("tilewright --version"))
            self.assert_same_report(machine.run("tilewright " + " ".join(MAP)))
            self.assertIn("--store: error: a store in PostgreSQL needs libpq 14 or newer", machine.run(SERVER, check=False))
            for place in ("man/man1/tilewright.1.gz", "bash-completion/completions/tilewright", "zsh/vendor-completions/_tilewright",
                          "fish/vendor_completions.d/tilewright.fish", "doc/tilewright/copyright", f"doc/{self.library}/copyright"):
                self.assertTrue((machine.root / "usr/share" / place).exists(), place)
            machine.run("dpkg --remove tilewright")
            self.assertFalse((machine.root / "usr/bin/tilewright").exists())

    @unittest.skipUnless((BUILD / "python").exists(), "the Python module was not built")
    def test_the_module_alone(self):
        with clean_root.CleanRoot(self.needs(self.library, "python3-tilewright")) as machine:
            self.install(machine, self.library, "python3-tilewright")
            self.assertEqual(machine.run(f'python3 -c "{TRY}"'), self.python_says)

    def test_a_package_that_lacks_a_library_is_found_out(self):
        needs = [relation for relation in self.needs(self.library) if "libtbb12" not in relation]
        self.assertLess(len(needs), len(self.needs(self.library)))
        with clean_root.CleanRoot(needs) as machine:
            said = self.install(machine, self.library, check=False)
            self.assertIn(f"{self.library} depends on libtbb12", said)

    def test_headers_come_by_themselves(self):
        """No library and no program in the package of headers: it depends on those that are there."""
        with tempfile.TemporaryDirectory() as folder:
            clean_root.said("dpkg-deb", "--extract", self.packages["libtilewright-dev"], folder)
            files = [path for path in pathlib.Path(folder, "usr").rglob("*") if not path.is_dir()]
            self.assertEqual([path for path in files if path.suffix == ".a" or path.stat(follow_symlinks=False).st_size > 100_000], [])
            self.assertEqual(os.readlink(pathlib.Path(folder, "usr/lib/libtilewright.so")), f"libtilewright.so.{self.library[13:]}")
            included = {name for path in files if path.suffix == ".hpp" for name in re.findall(r'#include "(.*)"', path.read_text())}
            self.assertEqual([name for name in sorted(included) if not pathlib.Path(folder, "usr/include", name).exists()], [])
            self.assertEqual([name for name in sorted(included) if not name.startswith("tilewright/")], [])


class Parts(unittest.TestCase):
    def test_the_list_names_what_is_loaded_and_what_pages_carry(self):
        document = json.loads(run(PYTHON, "-B", ROOT / "scripts" / "parts", BUILD))
        self.assertEqual((document["spdxVersion"], document["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        licences = {part["name"]: part["licenseDeclared"] for part in document["packages"]}
        self.assertEqual([licences[name] for name in ("tilewright", "echarts", "tslib")], ["Apache-2.0", "Apache-2.0 AND BSD-3-Clause", "0BSD"])
        self.assertEqual([name for name in licences if FOR_SERVERS.match(name)], [])
        known = {part["SPDXID"] for part in document["packages"]} | {"SPDXRef-DOCUMENT"}
        ends = ("spdxElementId", "relatedSpdxElement")
        self.assertEqual({relation[end] for relation in document["relationships"] for end in ends}, known)
        if "coinor-libcbc3" in licences:  # on Debian each says what it is under
            self.assertEqual([name for name, licence in licences.items() if licence == "NOASSERTION"], [])


if __name__ == "__main__":
    sys.exit(unittest.main())
