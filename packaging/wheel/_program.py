# SPDX-License-Identifier: Apache-2.0
"""The command `tilewright` of an installed wheel: becomes the program that lies beside this module."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).with_name("bin") / "tilewright"
    os.execv(program, ["tilewright", *sys.argv[1:]])
