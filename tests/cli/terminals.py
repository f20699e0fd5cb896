"""A program on a terminal of so many columns."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from typing import NamedTuple


class Shown(NamedTuple):
    text: str  # what it wrote to the terminal
    error: str
    status: int


def run_on_terminal(command, columns, folder, environment):
    """Its standard output is the terminal, its standard error a pipe."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
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
    return Shown(text.decode().replace("\r\n", "\n"), error.decode(), process.returncode)
