"""What the tests of the command line share: the program, the example machine, and folders that go away."""

import os
import pathlib
import pty
import re
import select
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "eyeriss_like"
PROGRAM = os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))


class Case(unittest.TestCase):
    """Each test runs in an empty folder of its own."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, timeout=900, **variables):
        """Without a cache, unless a variable of the environment says otherwise; None: unset. The time is for programs that
        hang: how fast the machine is decides nothing."""
        environment = {**os.environ, "TILEWRIGHT_CACHE": "", **variables}
        environment = {name: value for name, value in environment.items() if value is not None}
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout, stdin=subprocess.DEVNULL, env=environment)

    def write(self, name, text):
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return name

    def example(self, name, *changes):
        """Puts an example file into the folder, with (old, new) changes; each has to apply exactly once."""
        text = (EXAMPLE / name).read_text()
        for old, new in changes:
            self.assertEqual(text.count(old), 1, f"{old!r} in {name}")
            text = text.replace(old, new)
        return self.write(name, text)

    def examples(self):
        return [self.example("arch.yaml"), self.example("problem.yaml"), self.example("mapping.yaml")]

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def assert_fails(self, result, status, message):
        """The exit status, nothing on standard output, and a message that starts so (or contains so, after '...')."""
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        if message.startswith("..."):
            self.assertIn(message[3:], result.stderr)
        else:
            self.assertTrue(result.stderr.startswith(message), f"{result.stderr}\ndoes not start with\n{message}")


class Terminal(Case):
    """For what is shown on terminals only, and for runs that are stopped."""

    def start(self, *arguments):
        """The program with standard error on a terminal, standard output in a file."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        environment = {**os.environ, "TILEWRIGHT_CACHE": ""}
        with open(self.folder / "stdout", "w", encoding="utf-8") as stdout:
            process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=stdout,
                                       stderr=theirs, start_new_session=True, env=environment)
        os.close(theirs)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, ours

    def read_until(self, terminal, pattern, seconds=900):
        seen = ""
        end = time.monotonic() + seconds
        while not re.search(pattern, seen):
            self.assertLess(time.monotonic(), end, f"{pattern!r} not seen in {seen!r}")
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 4096).decode()
                except OSError:  # the other end is closed
                    self.assertRegex(seen, pattern)
                    break
        return seen
