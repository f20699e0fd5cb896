"""simulate(): mappings, replayed cycle by cycle."""

from __future__ import annotations

import dataclasses
from typing import List, Optional

from . import _core
from .mapping import Callback, check_on_interrupt, unless_interrupted
from .pages import Page
from .results import Result


@dataclasses.dataclass(frozen=True)
class SimulatedLayer:
    names: List[str]
    repeats: int
    cycles: int
    """As simulated."""
    model_cycles: int
    """As the exact model has them."""
    failure: str
    """Why it was not simulated; "" otherwise."""


class Simulation(Page):
    """Simulated cycles beside the model's (docs/simulate.md)."""

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    @property
    def layers(self) -> List[SimulatedLayer]:
        return [SimulatedLayer(*layer) for layer in self._core.layers]

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


def simulate(result: Result, *, dram: Optional[str] = None, double_buffered: bool = False, threads: int = 0,
             progress: Optional[Callback] = None, on_interrupt: str = "raise") -> Simulation:
    """Replays the mappings of a Result.

    dram: the outermost memory is this device ("ddr4-2400"), simulated too; by default it is as fast as the machine says.
    double_buffered: every memory has room for two tiles. progress is called from several threads, one call at a time.
    """
    check_on_interrupt(on_interrupt)
    report, interrupted = _core.simulate(result._core, dram, double_buffered, threads, progress)
    return unless_interrupted(Simulation(report), interrupted, on_interrupt)
