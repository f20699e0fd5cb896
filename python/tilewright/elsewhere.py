# SPDX-License-Identifier: Apache-2.0
"""How a value is made again in another process: pickled machines and networks are what was called for them, not what they hold."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from typing import Any, Callable, Tuple

from .arguments import error_at
from .paths import Path


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A function, its arguments, and methods that were called on what it returned."""

    make: Callable[..., Any]
    arguments: Tuple[Any, ...]
    calls: Tuple[Tuple[str, Tuple[Any, ...]], ...] = ()

    def then(self, method: str, *arguments: Any) -> "Recipe":
        return Recipe(self.make, self.arguments, (*self.calls, (method, arguments)))

    def reduced(self, expected: str) -> Any:
        """What __reduce__ returns."""
        return _made_again, (self, expected)


def absolute(path: Path) -> str:
    return os.path.abspath(path)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _made_again(recipe: Recipe, expected: str) -> Any:
    made = recipe.make(*recipe.arguments)
    for method, arguments in recipe.calls:
        made = getattr(made, method)(*arguments)
    if digest(made._core.json()) != expected:
        raise error_at(str(recipe.arguments[0]), "bad-value", "the file here is not the one that was read elsewhere")
    return made
