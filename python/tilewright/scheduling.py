# SPDX-License-Identifier: Apache-2.0
"""schedule(): layers on several cores around one scratchpad."""

from __future__ import annotations

from typing import List, Optional, Union

from . import _core
from .arguments import (callback, machine_number, number, optional_path, optional_text, optional_whole, path, switch, text,
                        thread_count, time_limit_or_none)
from .choices import OnInterrupt
from .network import NetworkLike, as_network
from .pages import Page
from .paths import Path, is_file
from .running import Callback, check_on_interrupt, unless_interrupted
from .simulating import ScheduleReplay


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

    def simulate(self, *, dram: Optional[Path] = None, dram_channels: Optional[int] = None, row_policy: Optional[str] = None,
                 clock_ghz: float = 1.0, layout: str = "rows", threads: int = 0, progress: Optional[Callback] = None,
                 on_interrupt: OnInterrupt = "raise") -> ScheduleReplay:
        """Replays the schedules cycle by cycle, every transfer cut into accesses of a DRAM.

        dram: a device by name ("ddr4-2400") or file, with so many channels and "open" or "closed" rows; by default an ideal memory, on
        which everything takes what the schedule says. clock_ghz: of the cores. layout: inputs and outputs lie in the DRAM by "rows" or
        by "tiles". progress and on_interrupt: as of map().
        """
        check_on_interrupt(on_interrupt)
        replay, interrupted = _core.replay(self._core, optional_path("dram", dram), machine_number("dram_channels", dram_channels),
                                           optional_text("row_policy", row_policy), number("clock_ghz", clock_ghz),
                                           text("layout", layout), thread_count(threads), callback(progress))
        return unless_interrupted(ScheduleReplay(replay), interrupted, on_interrupt)

    def to_json(self) -> str:
        return self._core.json()

    def to_html(self) -> str:
        """With Gantt charts and maps of the scratchpad."""
        return self._core.page()

    def __str__(self) -> str:
        return self._core.text()

    def __repr__(self) -> str:
        return f"<Schedule of {self._core.network}: {self.cycles:,} cycles, {self.traffic_bytes:,} bytes>"


def schedule(network: NetworkLike, machine: Path, *, objective: str = "latency*traffic", rule: str = "overlap",
             scheduler: str = "ours", baseline: str = "exhaustive", tilings: Optional[int] = None, beam: Optional[int] = None,
             spread: str = "any", as_published: bool = False, priority: str = "memory-benefit", memory: str = "least-fragmentation",
             keep_outputs: bool = False, every_tiling: bool = False, with_elementwise: bool = False, threads: int = 0,
             time_limit: Optional[float] = None, progress: Optional[Callback] = None, on_interrupt: OnInterrupt = "raise") -> Schedule:
    """Schedules every layer of a network on a machine of several cores ("arch1" to "arch8", or a YAML file with `multi_npu`).

    objective: "latency", "traffic" or a product. rule: transfers "overlap" with computation, or their times are a "sum".
    scheduler: "ours", "flexer" (Algorithm 1 on every tiling) or "both". baseline: the static schedules to compare with, from weak
    to strong "first", "order", "regions" or "exhaustive". tilings: on which schedulers beside the static one are run (200).
    beam: partial schedules that look-ahead carries on (4). spread, as_published, priority, memory: as the options of
    `tilewright schedule`. keep_outputs: outputs may stay in the scratchpad for the layers that read them. every_tiling: also what
    every choice of tile sizes comes to by itself. with_elementwise: pooling and element-wise layers count, as one read and one
    write each. threads: 0, all there are. time_limit: seconds, of all layers together. progress and on_interrupt: as of map().
    """
    check_on_interrupt(on_interrupt)
    options = _core.ScheduleOptions()
    options.objective = text("objective", objective)
    options.rule = text("rule", rule)
    options.scheduler = text("scheduler", scheduler)
    options.baseline = text("baseline", baseline)
    options.tilings = optional_whole("tilings", tilings)
    options.beam = optional_whole("beam", beam)
    options.spread = text("spread", spread)
    options.as_published = switch("as_published", as_published)
    options.priority = text("priority", priority)
    options.memory = text("memory", memory)
    options.keep_outputs = switch("keep_outputs", keep_outputs)
    options.every_tiling = switch("every_tiling", every_tiling)
    options.with_elementwise = switch("with_elementwise", with_elementwise)
    options.time_limit = time_limit_or_none(time_limit)
    report, interrupted = _core.schedule(as_network(network)._core, path("machine", machine), is_file(machine), options,
                                         thread_count(threads), callback(progress))
    return unless_interrupted(Schedule(report), interrupted, on_interrupt)
