# SPDX-License-Identifier: Apache-2.0
"""What is a file, and what a name."""

from __future__ import annotations

import os
from typing import Union

Path = Union[str, "os.PathLike[str]"]

_ENDINGS = (".cascade", ".yaml", ".yml", ".json", ".cfg", ".csv", ".onnx", ".m")


def is_file(name: Path) -> bool:
    """A name of the zoo has no folder and no ending; anything else is a file, as the command line has it."""
    if not isinstance(name, str):
        return True
    return "/" in name or name.endswith(_ENDINGS) or ".jinja" in name
