# SPDX-License-Identifier: Apache-2.0
"""ZigZag's machines and the cores of Stream's, and layers on them."""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Union

from . import _core
from .arguments import callback, optional_text, path, text, thread_count, time_limit_or_none, whole
from .choices import Mapper, Objective, OnInterrupt, word
from .errors import NoMapping
from .network import Network
from .pages import Table
from .paths import Path, is_file
from .running import Callback, check_on_interrupt, unless_interrupted


class ZigzagMachine:
    """A machine of ZigZag's, or one core of a machine of Stream's: its file, and `core` by number or name where there are several.

    Raises InputError at the place of a mistake, and for several cores of which none is chosen with the names that there are.
    """

    def __init__(self, source: Path, *, core: Optional[str] = None) -> None:
        self._core = _core.read_zigzag(path("source", source), optional_text("core", core))

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def memories(self) -> List[str]:
        """Their names, innermost first."""
        return self._core.memories

    @property
    def units(self) -> int:
        """Multiply-accumulate units."""
        return self._core.units

    @property
    def notes(self) -> List[str]:
        """What was left out: the other cores, values that a later equal key replaces."""
        return self._core.notes

    def __str__(self) -> str:
        return self._core.text()

    def __repr__(self) -> str:
        return f"<ZigzagMachine {self.name}: {', '.join(self.memories)}; {self.units} units>"


@dataclasses.dataclass(frozen=True)
class ZigzagLayer:
    """What a layer costs; None, with the reasons, where it has no mapping."""

    name: str
    energy_pj: Optional[float]
    cycles: Optional[float]
    failures: List[str]


class ZigzagResult(Table):
    """Mappings of layers on a machine of ZigZag's, as ZigZag counts."""

    def __init__(self, core: _core.ZigzagReport) -> None:
        self._core = core

    @property
    def layers(self) -> List[ZigzagLayer]:
        return [ZigzagLayer(*row) for row in self._core.rows()]

    @property
    def energy_pj(self) -> float:
        """Of all layers that have a mapping."""
        return sum(layer.energy_pj for layer in self.layers if layer.energy_pj is not None)

    @property
    def cycles(self) -> float:
        return sum(layer.cycles for layer in self.layers if layer.cycles is not None)

    @property
    def edp(self) -> float:
        """Energy-delay product: pJ times cycles."""
        return self.energy_pj * self.cycles

    @property
    def interrupted(self) -> bool:
        return self._core.interrupted

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def to_json(self) -> str:
        return self._core.json()

    def _csv(self) -> str:
        return self._core.csv()

    def __str__(self) -> str:
        return self._core.text()


def map_zigzag(network: Union[Network, Path], machine: Union[ZigzagMachine, Path], mapping: Path, *,
               objective: Union[Objective, str, None] = None, mapper: Union[Mapper, str, None] = None, seed: int = 1,
               threads: int = 0, time_limit: Optional[float] = None, progress: Optional[Callback] = None,
               on_interrupt: OnInterrupt = "raise") -> ZigzagResult:
    """The best order of the loops of every layer on a machine of ZigZag's, as `tilewright map` does with ZigZag's files.

    network: a network of any kind, or the file of a workload of ZigZag's. mapping: the file that says how the array unrolls each
    layer, ZigZag's or Stream's. objective: energy, unless something else is given. mapper: "optimal", "loma", "salsa", "anneal" or
    "exhaustive"; by default the one that is proven where there is one. seed: of random searches. threads: 0, all there are.
    time_limit: seconds, of all layers together. progress and on_interrupt: as of map(). Raises NoMapping where a
    layer has none: its `result` has the others.
    """
    check_on_interrupt(on_interrupt)
    options = _core.ZigzagOptions()
    options.objective = None if objective is None else text("objective", word(objective))
    options.mapper = None if mapper is None else text("mapper", word(mapper))
    options.seed = whole("seed", seed)
    options.threads = thread_count(threads)
    options.time_limit = time_limit_or_none(time_limit)
    on = machine if isinstance(machine, ZigzagMachine) else ZigzagMachine(machine)
    report, interrupted = _core.map_zigzag(_layers(network), on._core, path("mapping", mapping), options, callback(progress))
    result = unless_interrupted(ZigzagResult(report), interrupted, on_interrupt)
    for layer in result.layers:
        if layer.energy_pj is None and not result.interrupted:
            raise NoMapping(f"{layer.name}: {'; '.join(layer.failures)}", result)
    return result


def _layers(network: Union[Network, Path]) -> _core.ZigzagLayers:
    if isinstance(network, Network):
        return _core.zigzag_layers(network._core)
    if is_file(network) and not path("network", network).endswith((".onnx", ".csv")):
        return _core.zigzag_layers_of_file(path("network", network))
    return _core.zigzag_layers(Network(network)._core)
