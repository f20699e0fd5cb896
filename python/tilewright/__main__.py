# SPDX-License-Identifier: Apache-2.0
"""`python3 -m tilewright ...`: the program, where it is installed beside the module or on the PATH."""

import os
import shutil
import sys
import sysconfig


def _program() -> str:
    """Of the same installation before any other: a wheel has it in the package."""
    folders = (os.path.join(os.path.dirname(__file__), "bin"), sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath))
    found = (shutil.which("tilewright", path=folder) for folder in folders)
    return next((program for program in found if program), "")


def main() -> None:
    program = _program()
    if not program:
        sys.exit("tilewright: the program is not installed beside the module, nor on the PATH (docs/packages.md)")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
