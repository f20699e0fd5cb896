"""The package is typed: mypy accepts it, and its stubs have what the extension module has."""

import ast
import pathlib
import shutil
import subprocess
import unittest

from tilewright import _core
from program import ROOT

PACKAGE = ROOT / "python" / "tilewright"


def declared():
    """Names of _core.pyi: {"Architecture": {"name", "memories", ...}, "map": set(), ...}."""
    names = {}
    for node in ast.parse((PACKAGE / "_core.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {one.name if isinstance(one, ast.FunctionDef) else one.target.id for one in node.body
                                if not isinstance(one, ast.Expr)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = set()
    return names


class Stubs(unittest.TestCase):
    def test_the_stubs_have_what_the_module_has(self):
        stubs = declared()
        for name in {name for name in dir(_core) if not name.startswith("_")}:
            self.assertIn(name, stubs)
            if isinstance(getattr(_core, name), type):
                own = {one for one in vars(getattr(_core, name)) if not one.startswith("_")}
                self.assertEqual(own, {one for one in stubs[name] if not one.startswith("_")}, name)
        for name in stubs:
            self.assertTrue(name.startswith("_") or hasattr(_core, name), name)

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue((pathlib.Path(_core.__file__).parent / "py.typed").exists())

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_mypy_accepts_the_package(self):
        result = subprocess.run(["mypy", "--config-file", str(ROOT / "python" / "mypy.ini"), "--no-incremental", "--cache-dir=/dev/null",
                                 str(PACKAGE)], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
