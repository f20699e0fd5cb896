# SPDX-License-Identifier: Apache-2.0
"""What map() and evaluate() return."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Optional, Union

from . import _core
from .arguments import report_file
from .costs import Quantity, Row, rows_of
from .errors import NoMapping
from .network import named_or_numbered
from .pages import Table
from .paths import Path
from .zeros import LayerZeros, Savings, sum_of, zeros_of


class Result(Table):
    """Mappings of a network on a machine with their costs. Totals are over all layers, each as often as it runs."""

    def __init__(self, core: _core.Report) -> None:
        self._core = core
        self._rows: List[Row] = []
        self._is_restored = False
        """Of its document, which leaves out what simulations ask of a machine."""

    @property
    def network(self) -> str:
        return self._core.network

    @property
    def architecture(self) -> str:
        return self._core.architecture

    @property
    def layers(self) -> List[_core.Shape]:
        """The layer shapes, each with the names of the layers that have it, costs, claim, loop_nest and mapping.

        Of one without a mapping (`mapped` is false) these raise NoMapping, which says why; so do its `failures`."""
        return self._core.shapes()

    @property
    def energy(self) -> Quantity:
        """In pJ."""
        return self._quantity("energy", "pJ", "energy_pj")

    @property
    def traffic(self) -> Quantity:
        """Words read, filled, updated and sent."""
        return self._quantity("traffic", "words", "words")

    @property
    def latency(self) -> Quantity:
        """In cycles; by("layer") divides it."""
        return self._quantity("latency", "cycles", "cycles")

    @property
    def energy_pj(self) -> float:
        return self._core.energy_pj

    @property
    def cycles(self) -> int:
        return self._core.cycles

    @property
    def seconds(self) -> float:
        return self.cycles * self._core.cycle_seconds

    @property
    def power_w(self) -> float:
        return self.energy_pj * 1e-12 / self.seconds if self.seconds else 0.0

    @property
    def power_mw(self) -> float:
        return self.power_w * 1e3

    @property
    def edp(self) -> float:
        """Energy-delay product: pJ times cycles."""
        return self.energy_pj * self.cycles

    @property
    def edp_pj_cycles(self) -> float:
        """The same, spelled as in explore() and report.json."""
        return self.edp

    @property
    def summary(self) -> Dict[str, Any]:
        """What bounds the latency, the share of layers that wait for memories, spilled activations: `summary` of report.json."""
        told: Dict[str, Any] = json.loads(self.to_json())["summary"]
        return told

    @property
    def zeros(self) -> Dict[str, LayerZeros]:
        """By layer shape: densities, computes that were gated and skipped, and what was saved; empty for dense machines."""
        return zeros_of(json.loads(self.to_json()))

    @property
    def savings(self) -> Optional[Savings]:
        """What compression, gating and skipping save, by memory; None for dense machines, and of Timeloop's account."""
        return sum_of(self.zeros)

    @property
    def area_mm2(self) -> float:
        """Of the whole machine."""
        return self._core.area_um2 * 1e-6

    @property
    def operations(self) -> int:
        """Multiply-accumulates."""
        return self._core.operations

    @property
    def tops_per_watt(self) -> float:
        """Two operations a multiply-accumulate."""
        return 2.0 * self.operations / self.energy_pj if self.energy_pj else 0.0

    @property
    def utilization(self) -> float:
        return self._core.utilization

    @property
    def interrupted(self) -> bool:
        """Every layer has the best that was found until Ctrl-C."""
        return self._core.interrupted

    @property
    def missing(self) -> str:
        """Which layers have no mapping and are not in the totals; "" when all have one."""
        return self._core.missing

    @property
    def notes(self) -> List[str]:
        """What was estimated, read over or void."""
        return self._core.notes

    @property
    def report(self) -> str:
        """The whole report as text: report.txt."""
        return self._core.text()

    def to_json(self) -> str:
        """report.json, byte by byte what the command line writes."""
        return self._core.json()

    def _csv(self) -> str:
        """A row per layer, memory, tensor and action, of one run of the layer; `repeats` says how often it runs."""
        return self._core.csv()

    def mapping_file(self) -> str:
        """mapping.yaml, which evaluate() and the command line read."""
        return self._core.mapping_file()

    def _files(self) -> Dict[str, str]:
        return {"mapping.yaml": self.mapping_file(), **super()._files(), "report.txt": self.report}

    @classmethod
    def load(cls, source: Path) -> "Result":
        """What a run left: the folder of save() or -o, or its report.json. Numbers, mappings and claims are as they were; evaluate()
        costs the mappings again, and simulate() needs that."""
        file = report_file(source)
        return _restored(_core.read_text(file), file)

    def __reduce__(self) -> Any:
        return (_restored, (self.to_json(),))

    @property
    def proven(self) -> bool:
        """No layer has a better mapping: every one is proven (`layer.claim` says among which mappings)."""
        return self._core.proven

    def __len__(self) -> int:
        """Layer shapes."""
        return len(self.layers)

    def __iter__(self) -> Iterator[_core.Shape]:
        return iter(self.layers)

    def __getitem__(self, layer: Union[str, int]) -> _core.Shape:
        """The layer shape that a layer of this name has, or by number."""
        return named_or_numbered(self.layers, layer, lambda shape: shape.names)

    def __str__(self) -> str:
        return self._core.summary()

    def __repr__(self) -> str:
        if not any(layer.mapped for layer in self.layers):
            return f"<Result {self._subject()}: no mapping>"
        return f"<Result {self._subject()}: {self.energy_pj * 1e-12:.4g} J, {self.cycles:,} cycles>"

    def _subject(self) -> str:
        return f"{self.network} on {self.architecture}"

    def _all_rows(self) -> List[Row]:
        if not self._rows:
            self._rows = rows_of(self._core)
        return self._rows

    def _quantity(self, name: str, unit: str, column: str) -> Quantity:
        return Quantity(name, unit, column, self._subject(), self._all_rows())


def unless_unmapped(result: Result) -> Result:
    """The result, or NoMapping where a layer has no legal mapping and the run was not interrupted."""
    failure = result._core.failure
    if failure and not result.interrupted:
        raise NoMapping(failure, result)
    return result


def _restored(text: str, file: str = "report.json") -> Result:
    result = Result(_core.read_report(text, file))
    result._is_restored = True
    return result
