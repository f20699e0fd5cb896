#!/usr/bin/env python3
"""What commands show on a terminal: docs/pictures/terminal.py COLUMNS [TILEWRIGHT] prints a transcript.

docs/pictures/terminal_80.txt and terminal_140.txt are its output; long ones are cut where they say so.
"""

import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from terminals import run_on_terminal  # noqa: E402

COMMANDS = [
    "map --arch eyeriss --net resnet18 --layers conv1,layer1*,fc -q -o out",
    "map --arch eyeriss --net resnet18 --layers conv1,layer1*,fc",
    "map --arch simba --net resnet18 --layers conv1,layer1*,fc -q -o other",
    "compare out other",
    "explore --arch simba --net alexnet --layers conv1 --set GlobalBuffer.depth=1k,2k,4k",
    "schedule --arch arch5 --net alexnet --layers conv3,conv4 --set cores=8",
    "show --arch eyeriss",
    "map --help",
    "plot --help",
    "map --arch arch5 --net alexnet",
    "map --arch eyeris --net alexnet",
]
MOST_LINES = 60


def shown(program, columns, folder, words):
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "TILEWRIGHT_CACHE": ""}
    screen = run_on_terminal([program, *words], columns, folder, environment)
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", screen.text + screen.error)


def main():
    columns = int(sys.argv[1])
    program = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else ROOT / "build/release/bin/tilewright")
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            lines = shown(program, columns, folder, command.split()).rstrip("\n").split("\n")
            print(f"$ tilewright {command}")
            print("\n".join(lines[:MOST_LINES]))
            if len(lines) > MOST_LINES:
                print(f"... {len(lines) - MOST_LINES} more lines")
            print()


if __name__ == "__main__":
    main()
