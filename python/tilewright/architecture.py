# SPDX-License-Identifier: Apache-2.0
"""Machines."""

from __future__ import annotations

import collections.abc
import html
import json
from typing import Any, Dict, List, Literal, Mapping, Sequence, Tuple, Union

from . import _core
from .arguments import files, name_of, text
from .arguments import contents as _text_in_memory
from .elsewhere import Recipe, absolute, digest
from .paths import Path, is_file


class Architecture:
    """A machine: a name of the zoo, a YAML file of Timeloop's or a *.cfg of SCALE-Sim's, or several files that are merged. Immutable.

    Energies and areas that the files do not give are estimated; `notes` says which. Files may hold constraints, a problem and
    mappings beside the machine. Raises InputError at the place of a mistake.
    """

    def __init__(self, source: Union[Path, Sequence[Path]]) -> None:
        if isinstance(source, str) and not is_file(source):
            self._core = _core.named_architecture(name_of("source", source))
            self._recipe = Recipe(Architecture, (source,))
        else:
            self._core = _core.read_architecture(files("source", source))
            self._recipe = Recipe(Architecture, ([absolute(file) for file in files("source", source)],))

    @classmethod
    def _of(cls, core: _core.Architecture, recipe: Recipe) -> "Architecture":
        made = cls.__new__(cls)
        made._core = core
        made._recipe = recipe
        return made

    @classmethod
    def from_text(cls, text: str, *, name: str = "machine.yaml") -> "Architecture":
        """Reads `text`, a machine file; `name` stands for the file in messages, and its folder is where includes start."""
        given = _text_in_memory("text", text)
        return cls._of(_core.parse_architecture(given, name_of("name", name)), Recipe(_from_text, (given, name)))

    @staticmethod
    def zoo() -> List[str]:
        """The names that there are."""
        return _core.zoo_architectures()

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def memories(self) -> List[str]:
        """Their names, outermost first."""
        return self._core.memories

    @property
    def units(self) -> int:
        """Multiply-accumulate units."""
        return self._core.units

    @property
    def area_mm2(self) -> float:
        return self._core.area_um2 * 1e-6

    @property
    def cycle_seconds(self) -> float:
        return self._core.cycle_seconds

    @property
    def notes(self) -> List[str]:
        """What was estimated or read over."""
        return self._core.notes

    def with_settings(self, settings: Mapping[str, object]) -> "Architecture":
        """The machine with attributes changed: {"GlobalBuffer.depth": 4096}, as `--set` of the command line does."""
        given = _settings(settings)
        return Architecture._of(self._core.with_settings(given), self._recipe.then("with_settings", dict(given)))

    def with_unnamed(self, what: Literal["ignore", "error"]) -> "Architecture":
        """The machine whose demands on dimensions or tensors that a layer lacks are void ("ignore") or mistakes ("error"), as --unnamed."""
        given = text("unnamed", what)
        return Architecture._of(self._core.with_unnamed(given), self._recipe.then("with_unnamed", given))

    def __reduce__(self) -> Any:
        """Another process reads the same files again; a file that is another one there raises InputError."""
        return self._recipe.reduced(digest(self._core.json()))

    def check_names(self, settings: Mapping[str, object]) -> None:
        """Raises InputError for a setting of what the machine does not have; values are not looked at."""
        self._core.check_settings(_settings(settings))

    def energies(self) -> str:
        """A table of every energy and area with where the number comes from."""
        return self._core.energies_text()

    def to_dict(self) -> Dict[str, Any]:
        """What `tilewright show --json` prints."""
        made: Dict[str, Any] = json.loads(self._core.json())
        return made

    def __str__(self) -> str:
        return self._core.text()

    def __repr__(self) -> str:
        return f"<Architecture {self.name}: {', '.join(self.memories)}; {self.units} units>"

    def _repr_html_(self) -> str:
        """What print() shows, as it is: the columns of its table line up."""
        return f"<pre>{html.escape(str(self))}</pre>"


def _from_text(text: str, name: str) -> Architecture:
    return Architecture.from_text(text, name=name)


def _settings(settings: Mapping[str, object]) -> List[Tuple[str, str]]:
    if not isinstance(settings, collections.abc.Mapping):
        raise TypeError(f"settings takes names and values, found {settings!r}")
    return [(text("settings", name), str(value)) for name, value in settings.items()]


def as_architecture(source: Union[Architecture, Path, Sequence[Path]]) -> Architecture:
    return source if isinstance(source, Architecture) else Architecture(source)
