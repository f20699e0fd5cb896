"""The command line, for tests that hold the module to it."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))
EXAMPLE = ROOT / "examples" / "eyeriss_like"


def tilewright(*words, cwd=None):
    """Standard output of a command that has to be done."""
    result = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=cwd)
    assert result.returncode == 0, result.stderr
    return result.stdout


def failing(*words):
    """Standard error of a command that must not be done."""
    result = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert result.returncode != 0, result.stdout
    return result.stderr
