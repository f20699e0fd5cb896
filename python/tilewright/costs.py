# SPDX-License-Identifier: Apache-2.0
"""Costs that add up: energy, traffic and cycles of a run, by layer, memory, tensor or action."""

from __future__ import annotations

import csv
import dataclasses
import io
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

from .numbers import text_of

if TYPE_CHECKING:
    from ._core import Report

Key = Union[str, Tuple[str, ...]]

COLUMNS = ("layer", "op", "memory", "tensor", "action")


@dataclasses.dataclass(frozen=True)
class Row:
    """What an action on a tensor at a memory costs in all runs of a layer shape (docs/reports.md lists the actions)."""

    layer: str
    op: str
    memory: str
    tensor: str
    action: str
    words: float
    operations: float
    energy_pj: float
    cycles: float


def rows_of(report: "Report") -> List[Row]:
    rows = []
    for shape in report.shapes():
        times = shape.repeats
        for memory, tensor, action, *amounts in shape.rows():
            words, operations, energy, cycles = ((amount or 0.0) * times for amount in amounts)
            rows.append(Row(shape.names[0], shape.op, memory, tensor, action, words, operations, energy, cycles))
    return rows


_WHOLE_COLUMNS = ("repeats",)
_REAL_COLUMNS = ("words", "operations", "energy_pj", "cycles")


def table_of(text: str) -> List[Dict[str, Any]]:
    """The rows of a CSV of costs: numbers as numbers, NaN where a row has none."""
    rows: List[Dict[str, Any]] = []
    for row in csv.DictReader(io.StringIO(text)):
        made: Dict[str, Any] = dict(row)
        made.update({name: int(row[name]) for name in _WHOLE_COLUMNS if name in row})
        made.update({name: float(row[name] or "nan") for name in _REAL_COLUMNS if name in row})
        rows.append(made)
    return rows


class Quantity:
    """One quantity of a run: prints as a table by memory; `total` is its sum, `by` divides it."""

    def __init__(self, name: str, unit: str, column: str, subject: str, rows: Sequence[Row]) -> None:
        self.name = name
        self.unit = unit
        self._column = column
        self._subject = subject
        self._rows = rows

    @property
    def total(self) -> float:
        return float(sum(getattr(row, self._column) for row in self._rows))

    def __float__(self) -> float:
        return self.total

    def by(self, *columns: str) -> "Breakdown":
        """Sums by "layer", "op", "memory", "tensor", "action", or several of them; what is nothing is left out."""
        if not columns or any(column not in COLUMNS for column in columns):
            raise ValueError(f"by takes some of {', '.join(COLUMNS)}, found {', '.join(columns) or 'nothing'}")
        sums: Dict[Key, float] = {}
        for row in self._rows:
            value = getattr(row, self._column)
            if value == 0.0:
                continue
            names = tuple(getattr(row, column) for column in columns)
            key: Key = names[0] if len(names) == 1 else names
            sums[key] = sums.get(key, 0.0) + value
        return Breakdown(self.name, self.unit, columns, sums)

    def __str__(self) -> str:
        return f"{self.name} of {self._subject}: {text_of(self.total, self.unit)}\n{self.by('memory')}"

    def __repr__(self) -> str:
        return f"<{self.name} of {self._subject}: {text_of(self.total, self.unit)}>"


class Breakdown(Mapping[Key, float]):
    """A quantity divided: a mapping from names (a tuple of them for several columns) to values in `unit`."""

    def __init__(self, name: str, unit: str, columns: Tuple[str, ...], sums: Mapping[Key, float]) -> None:
        self.name = name
        self.unit = unit
        self.columns = columns
        self._sums = dict(sums)

    def __getitem__(self, key: Key) -> float:
        return self._sums[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._sums)

    def __len__(self) -> int:
        return len(self._sums)

    def to_dict(self) -> Dict[Key, float]:
        return dict(self._sums)

    def to_pandas(self) -> Any:
        """A pandas.Series, with an index of one level for each column."""
        import pandas

        names = [key if isinstance(key, tuple) else (key,) for key in self._sums]
        index = (pandas.MultiIndex.from_tuples(names, names=list(self.columns)) if len(self.columns) > 1
                 else pandas.Index([name[0] for name in names], name=self.columns[0]))
        return pandas.Series(list(self._sums.values()), index=index, name=f"{self.name}_{self.unit}", dtype=float)

    def __str__(self) -> str:
        total = sum(self._sums.values())
        lines: List[Tuple[str, ...]] = [(*self.columns, self.name, "share")]
        for key, value in self._sums.items():
            names = key if isinstance(key, tuple) else (key,)
            lines.append((*names, text_of(value, self.unit), f"{100.0 * value / total:.1f} %"))
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        left = len(self.columns)
        return "\n".join(
            "  " + "  ".join(cell.ljust(width) if i < left else cell.rjust(width)
                             for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
            for line in lines)

    def __repr__(self) -> str:
        return f"<{self.name} by {', '.join(self.columns)}: {len(self)} parts>"
