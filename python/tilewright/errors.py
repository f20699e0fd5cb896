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


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. result: what the run would have returned, with the best that was found until then."""

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted; `result` has the best so far")
        self.result = result
