"""schedule(): layers on several cores around one scratchpad."""

from __future__ import annotations

import os
from typing import List, Optional, Union

from . import _core
from .mapping import Callback, check_on_interrupt, unless_interrupted
from .network import Network, as_network
from .pages import Page
from .paths import Path, is_file


class Schedule(Page):
    """The best schedules found, beside their bounds and the static baseline (docs/schedule.md)."""

    def __init__(self, core: _core.Schedule) -> None:
        self._core = core

    @property
    def cycles(self) -> int:
        """Of all layers, one after another, each as often as it runs."""
        return self._core.cycles

    @property
    def traffic_bytes(self) -> int:
        return self._core.traffic_bytes

    @property
    def interrupted(self) -> bool:
        return self._core.interrupted

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def to_json(self) -> str:
        return self._core.json()

    def to_html(self) -> str:
        """With Gantt charts and maps of the scratchpad."""
        return self._core.page()

    def __str__(self) -> str:
        return self._core.text()


def schedule(network: Union[Network, Path], machine: Path, *, objective: str = "latency*traffic", rule: str = "overlap",
             keep_outputs: bool = False, threads: int = 0, time_limit: Optional[float] = None,
             progress: Optional[Callback] = None, on_interrupt: str = "raise") -> Schedule:
    """Schedules every layer on a machine of several cores ("arch1" to "arch8", or a YAML file with `multi_npu`).

    objective: "latency", "traffic" or a product. rule: transfers "overlap" with computation, or their times are a "sum".
    keep_outputs: outputs may stay in the scratchpad for the layers that read them. progress and on_interrupt: as of map().
    """
    check_on_interrupt(on_interrupt)
    report, interrupted = _core.schedule(as_network(network)._core, os.fspath(machine), is_file(machine), objective, rule, threads,
                                         time_limit, keep_outputs, progress)
    return unless_interrupted(Schedule(report), interrupted, on_interrupt)
