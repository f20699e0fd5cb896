"""What a release binary has against our own mistakes (SECURITY.md), read from the binary itself."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TILEWRIGHT"]
LIBRARY = os.environ["LIBRARY"]
X86 = platform.machine() == "x86_64"
CONTROL_FLOW = ["control-flow protection"] if X86 else []


def readelf(binary, *switches):
    return subprocess.run(["readelf", "--wide", *switches, binary], capture_output=True, text=True, check=True).stdout


def symbols(binary):
    """The functions that the binary takes from libraries."""
    return set(re.findall(r"UND (\S+?)(?:@|$)", readelf(binary, "--dyn-syms"), re.MULTILINE))


def begins_with_endbr(binary):
    """Whether jumps may land at main. The mark of the whole binary (IBT, SHSTK) needs Debian's start files to have it, too."""
    code = subprocess.run(["objdump", "--disassemble=main", "--no-show-raw-insn", binary], capture_output=True, text=True, check=True).stdout
    return bool(re.search(r"<main>:\n\s*[0-9a-f]+:\s+endbr64", code))


def missing_in(binary):
    """What the binary lacks, a word each; empty when it is hardened."""
    lacks = []
    dynamic, segments = readelf(binary, "--dynamic"), readelf(binary, "--segments")
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic):
        lacks.append("full RELRO")
    if "Type:                              DYN" not in readelf(binary, "--file-header"):
        lacks.append("position independence")
    if re.search(r"GNU_STACK.*RWE", segments):
        lacks.append("a stack that does not execute")
    if "__stack_chk_fail" not in symbols(binary):
        lacks.append("stack protector")
    if not any(re.fullmatch(r"__\w+_chk", name) and name != "__stack_chk_fail" for name in symbols(binary)):
        lacks.append("checked copies (FORTIFY)")
    if "_ZSt21__glibcxx_assert_failPKciS0_S0_" not in symbols(binary):
        lacks.append("assertions of the standard library")
    if X86 and not begins_with_endbr(binary):
        lacks.append("control-flow protection")
    return lacks


@unittest.skipUnless(shutil.which("readelf"), "binutils is not installed")
class Hardening(unittest.TestCase):
    def test_the_program_is_hardened(self):
        self.assertEqual(missing_in(PROGRAM), [])

    def test_the_library_is_hardened(self):
        """It has no main."""
        self.assertEqual(missing_in(LIBRARY), CONTROL_FLOW)

    def test_it_is_found_by_its_own_place_alone(self):
        """An empty entry of the path would be the folder that a user happens to be in."""
        path = re.search(r"RUNPATH.*\[(.*)\]", readelf(PROGRAM, "--dynamic"))[1]
        self.assertRegex(path, r"^\$ORIGIN/[^:]+$")

    def test_a_program_without_it_is_told(self):
        """The reading itself: a program compiled without any of it lacks all of it."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "plain.cpp")
            source.write_text("#include <cstdio>\nint main() { std::puts(\"x\"); }\n")
            plain = str(source.with_suffix(""))
            subprocess.run([os.environ["CXX"], "-fno-stack-protector", *(["-fcf-protection=none"] if X86 else []), "-no-pie",
                            "-z", "execstack", "-Wl,-z,norelro,-z,lazy", source, "-o", plain], check=True)
            lacks = missing_in(plain)
        for what in ("full RELRO", "position independence", "a stack that does not execute", "stack protector",
                     "checked copies (FORTIFY)", "assertions of the standard library", *CONTROL_FLOW):
            self.assertIn(what, lacks)


if __name__ == "__main__":
    unittest.main()
