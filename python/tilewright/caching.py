# SPDX-License-Identifier: Apache-2.0
"""AnswerCache: what was found before."""

from __future__ import annotations

from typing import Any, Optional, Union

from . import _core
from .arguments import optional_path
from .paths import Path


class AnswerCache:
    """What was found before, for as many calls and threads as there are: map(..., cache=cache). Answers do not depend on what it holds.

    In memory it keeps every answer that the same layer, machine and options would give again; on disk (`directory`) proofs, which the
    command line reads as well. A copy in another process begins empty, but for the directory.
    """

    def __init__(self, directory: Optional[Path] = None) -> None:
        self._directory = optional_path("directory", directory)
        self._core = _core.AnswerCache(self._directory)

    def found(self) -> int:
        """How often an answer was known."""
        return self._core.found()

    def __reduce__(self) -> Any:
        return (AnswerCache, (self._directory,))

    def __repr__(self) -> str:
        return f"<AnswerCache {self._directory or 'in memory'}: {self.found()} answers were known>"


def as_cache(given: Union[AnswerCache, Path, None]) -> _core.AnswerCache:
    return given._core if isinstance(given, AnswerCache) else AnswerCache(optional_path("cache", given))._core
