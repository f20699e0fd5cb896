#!/usr/bin/env python3
"""What commands show on a terminal: docs/pictures/terminal.py COLUMNS [TILEWRIGHT] prints a transcript.

docs/pictures/terminal_80.txt and terminal_140.txt are its output; long ones are cut where they say so.
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parents[2]
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
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "TILEWRIGHT_CACHE": ""}
    process = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
                               env=environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    _, error = process.communicate()
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", (text + error).decode().replace("\r\n", "\n"))


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
