# SPDX-License-Identifier: Apache-2.0
"""simulate(): mappings, replayed cycle by cycle, on a machine that SimulatedMachine describes."""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Tuple

from . import _core
from .arguments import callback, machine_number, optional_path, optional_text, switch, thread_count, whole
from .choices import OnInterrupt
from .pages import Page
from .paths import Path
from .results import Result
from .running import Callback, check_on_interrupt, unless_interrupted


@dataclasses.dataclass(frozen=True)
class SimulatedMachine:
    """What `tilewright simulate` can be told of the machine (docs/simulate.md); None: its defaults.

    network: "mesh", which the fields below describe, or "cosa", that of CoSA's simulator with its DRAM.
    dram: the outermost memory is this device, simulated too: a name ("ddr4-2400") or a file; by default it is as fast as the machine
    says. mesh: columns and rows of nodes on which the elements of the array stand.
    """

    network: Optional[str] = None
    dram: Optional[Path] = None
    dram_channels: Optional[int] = None
    row_policy: Optional[str] = None
    mesh: Optional[Tuple[int, int]] = None
    flit_bits: Optional[int] = None
    packet_flits: Optional[int] = None
    virtual_channels: Optional[int] = None
    buffer_flits: Optional[int] = None
    double_buffered: bool = False
    reduce_in_network: bool = False
    every_iteration: bool = False

    def _as_core(self) -> _core.SimulatedMachine:
        made = _core.SimulatedMachine()
        made.dram = optional_path("dram", self.dram)
        made.network = optional_text("network", self.network)
        made.row_policy = optional_text("row_policy", self.row_policy)
        made.mesh = None if self.mesh is None else _nodes(self.mesh)
        for name in ("dram_channels", "flit_bits", "packet_flits", "virtual_channels", "buffer_flits"):
            setattr(made, name, machine_number(name, getattr(self, name)))
        for name in ("double_buffered", "reduce_in_network", "every_iteration"):
            setattr(made, name, switch(name, getattr(self, name)))
        return made


def as_machine(given: object) -> SimulatedMachine:
    if not isinstance(given, SimulatedMachine):
        raise TypeError(f"machine takes a SimulatedMachine, found {given!r}")
    return given


def _nodes(mesh: object) -> Tuple[int, int]:
    if not isinstance(mesh, (tuple, list)) or len(mesh) != 2:
        raise TypeError(f"mesh takes columns and rows, found {mesh!r}")
    return whole("mesh", mesh[0], 1), whole("mesh", mesh[1], 1)


@dataclasses.dataclass(frozen=True)
class Term:
    """What a part of the cycles went to."""

    name: str
    model_cycles: float
    simulated_cycles: float


@dataclasses.dataclass(frozen=True)
class SimulatedLayer:
    names: List[str]
    repeats: int
    cycles: int
    """As simulated."""
    model_cycles: int
    """As the exact model has them; of a schedule, what it says."""
    failure: str
    """Why it was not simulated; "" otherwise."""
    underestimated: str
    """The term that is most above the model; "" when all together hardly are."""
    terms: List[Term]
    """They add up to the cycles."""


def layers_of(told: List[_core._SimulatedLayer]) -> List[SimulatedLayer]:
    return [SimulatedLayer(names, repeats, cycles, model_cycles, failure, underestimated, [Term(*term) for term in terms])
            for names, repeats, cycles, model_cycles, failure, underestimated, terms in told]


class Simulation(Page):
    """Simulated cycles beside the model's (docs/simulate.md)."""

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    @property
    def layers(self) -> List[SimulatedLayer]:
        return layers_of(self._core.layers)

    @property
    def interrupted(self) -> bool:
        return self._core.interrupted

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def to_json(self) -> str:
        return self._core.json()

    def __str__(self) -> str:
        return self._core.text()


class ScheduleReplay(Page):
    """Schedules on a memory as it is, beside what they say (docs/simulate.md)."""

    def __init__(self, core: _core.ScheduleReplay) -> None:
        self._core = core

    @property
    def layers(self) -> List[SimulatedLayer]:
        return layers_of(self._core.layers)

    @property
    def interrupted(self) -> bool:
        return self._core.interrupted

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def to_json(self) -> str:
        return self._core.json()

    def __str__(self) -> str:
        return self._core.text()


def simulate(result: Result, *, dram: Optional[Path] = None, double_buffered: bool = False,
             machine: Optional[SimulatedMachine] = None, threads: int = 0, progress: Optional[Callback] = None,
             on_interrupt: OnInterrupt = "raise") -> Simulation:
    """Replays the mappings of a Result cycle by cycle.

    result: of map() or evaluate(). threads: 0, all there are. on_interrupt: "raise" or "keep", as of map().
    dram: the outermost memory is this device ("ddr4-2400"), simulated too; by default it is as fast as the machine says.
    double_buffered: every memory has room for two tiles. machine: these and all else that can be said of it, in their place.
    progress is called from several threads, one call at a time.
    """
    check_on_interrupt(on_interrupt)
    if machine is not None and (dram is not None or double_buffered):
        raise ValueError("dram and double_buffered are part of the machine: give them there")
    if not isinstance(result, Result):
        raise TypeError(f"simulate takes a Result of map() or evaluate(), found {result!r}")
    if result._is_restored:
        raise TypeError("simulate takes a result of this process: evaluate(network, machine, result) makes one of what was loaded")
    given = SimulatedMachine(dram=dram, double_buffered=double_buffered) if machine is None else as_machine(machine)
    report, interrupted = _core.simulate(result._core, given._as_core(), thread_count(threads), callback(progress))
    return unless_interrupted(Simulation(report), interrupted, on_interrupt)
