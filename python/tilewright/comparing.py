# SPDX-License-Identifier: Apache-2.0
"""compare(): one mapping under several accountings."""

from __future__ import annotations

import dataclasses
from typing import List, Sequence, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import text
from .choices import Accounting, AccountingName, word
from .evaluating import Mappings, source_of
from .network import NetworkLike, as_network
from .pages import Table
from .paths import Path
from .zeros import Density, density_words


@dataclasses.dataclass(frozen=True)
class Accounted:
    """What one accounting says."""

    accounting: str
    energy_pj: float
    cycles: int


class Comparison(Table):
    """One mapping under several accountings: totals, and every count that is not the same in all of them."""

    def __init__(self, core: _core.Comparison) -> None:
        self._core = core

    @property
    def totals(self) -> List[Accounted]:
        return [Accounted(*one) for one in self._core.totals()]

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def to_json(self) -> str:
        return self._core.json()

    def _csv(self) -> str:
        return self._core.csv()

    def __str__(self) -> str:
        return self._core.text()


def compare(network: NetworkLike, architecture: Union[Architecture, Path, Sequence[Path]], mapping: Mappings = None, *,
            accounts: Sequence[Union[Accounting, AccountingName]] = (), density: Density = None) -> Comparison:
    """Counts one layer's mapping by several rules; without `accounts` by all that have words for it.

    network: of one layer. architecture: the machine. mapping: as evaluate() takes it. density: as map() takes it.
    """
    file, given = source_of(mapping)
    names = [text("accounts", word(one)) for one in ([accounts] if isinstance(accounts, str) else accounts)]
    return Comparison(_core.compare(as_network(network)._core, as_architecture(architecture)._core, file, given, names,
                                    density_words(density)))
