# SPDX-License-Identifier: Apache-2.0
"""What goes wrong: input that is wrong, with its place, and Ctrl-C."""

from __future__ import annotations

from typing import Any, Optional


class InputError(ValueError):
    """A mistake in the input; str() is the whole text, as the command line prints it.

    message: what is wrong, without the place. code: the family of the mistake ("unknown-key"), stable. file, line, column: where
    it is, counted from 1; None where it lies in no file (or the whole file is meant).
    """

    def __init__(self, text: str, message: str, code: str, file: Optional[str], line: Optional[int], column: Optional[int]) -> None:
        super().__init__(text)
        self.message = message
        self.code = code
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self) -> Any:
        return (InputError, (str(self), self.message, self.code, self.file, self.line, self.column))


class NoMapping(InputError):
    """The input is sound, but a layer has no legal mapping: none was found, or the given one is not legal.

    Its text is what the command line prints where it ends with status 1. result: what would have been returned, with the layers that
    have a mapping; `result.layers[i].failures` says why the others have none. None where there is none, as for a layer's own.
    """

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__("error: " + text, text, "no-mapping", None, None, None)
        self.result = result

    def __reduce__(self) -> Any:
        return (NoMapping, (self.message, self.result))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. result: what the run would have returned, with the best that was found until then."""

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted; `result` has the best so far")
        self.result = result

    def __reduce__(self) -> Any:
        return (Interrupted, (self.result,))
