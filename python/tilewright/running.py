# SPDX-License-Identifier: Apache-2.0
"""What functions that work for long have in common: progress, and what Ctrl-C does."""

from __future__ import annotations

from typing import Callable, TypeVar

from . import _core
from .choices import OnInterrupt
from .errors import Interrupted

Callback = Callable[[_core.Progress], object]
Found = TypeVar("Found")


def check_on_interrupt(on_interrupt: OnInterrupt) -> None:
    if on_interrupt not in ("raise", "keep"):
        raise ValueError(f"on_interrupt takes 'raise' or 'keep', found {on_interrupt!r}")


def unless_interrupted(result: Found, interrupted: bool, on_interrupt: OnInterrupt) -> Found:
    if interrupted and on_interrupt == "raise":
        raise Interrupted(result)
    return result
