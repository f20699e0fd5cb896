# SPDX-License-Identifier: Apache-2.0
"""Tile sizes that a compiler asks for: the best legal ones by its own rules, proven (docs/tiles.md).

    tiles = tilewright.Tiles("triton-nvidia", "h100")
    answer = tiles.ask(M=512, N=4096, K=4096)
    print(answer.point["BM"], answer.format("triton"))
    table = tiles.table(M=range(1, 4097), N=4096, K=4096, loss=0.05)
    print(table.lookup(37).point)
"""

import bisect
from typing import Dict, List, NamedTuple, Optional, Union

from . import _core
from .arguments import time_limit_or_none
from .errors import InputError, NoMapping


def _usage(message: str) -> InputError:
    return InputError(message, message, "usage", None, None, None)


class TilesAnswer(NamedTuple):
    """The best legal point, and what that is worth."""

    point: Dict[str, int]
    claim: str  #: proven, within or best found
    within: float  #: no legal point is better by more: 0.02 is 2 %
    time_us: Optional[float]  #: predicted; None where times were not asked for
    legal: int  #: points that were evaluated
    given: Dict[str, int]
    tiles: "Tiles"

    def format(self, form: str, lossy: bool = False) -> str:
        """The point as a compiler takes it; InputError for what the form cannot say, or (lossy) a comment."""
        return self.tiles._core.format(list(self.given.values()), list(self.point.values()), form, lossy)


class TilesInterval(NamedTuple):
    """An interval of a table; no point where none is legal."""

    first: int
    last: int
    point: Optional[Dict[str, int]]
    worst_loss: float


class TilesTable(NamedTuple):
    """The fewest intervals of an extent, a point each, within the loss at every whole number."""

    axis: str
    intervals: List[TilesInterval]

    def lookup(self, number: int) -> Optional[TilesInterval]:
        """The interval of a number; None outside, and where no point is legal."""
        index = bisect.bisect_right([row.first for row in self.intervals], number) - 1
        if index < 0 or number > self.intervals[index].last or self.intervals[index].point is None:
            return None
        return self.intervals[index]


class Tiles:
    """Rules and a machine, by the names of those that are shipped or as files; any number of threads may ask at once."""

    def __init__(self, rules: str, machine: Optional[str] = None, objective: Optional[str] = None) -> None:
        self._core = _core.Tiles(str(rules), None, "" if machine is None else str(machine), objective or "")

    @classmethod
    def from_text(cls, text: str, machine: Optional[str] = None, objective: Optional[str] = None, *,
                  name: str = "rules.yaml") -> "Tiles":
        """Reads `text`, a file of rules; `name` stands for the file in messages."""
        made = cls.__new__(cls)
        made._core = _core.Tiles(name, text, "" if machine is None else str(machine), objective or "")
        return made

    @property
    def given(self) -> List[str]:
        """What a question sets."""
        return self._core.given

    @property
    def chosen(self) -> List[str]:
        """What an answer chooses."""
        return self._core.chosen

    def ask(self, *, time_limit: Optional[float] = None, **given: int) -> TilesAnswer:
        """The best legal point; NoMapping, with the requirements that exclude each other, where there is none.

        After `time_limit` seconds the best found until then; NoMapping where none was.
        """
        values = self._values(given)
        seconds = time_limit_or_none(time_limit)
        point, claim, within, _scores, time_us, legal, conflicts = self._core.ask(values, seconds)
        if not point:
            raise NoMapping("no point is legal:\n" + "\n".join(conflicts) if conflicts else "no legal point was found")
        named = dict(zip(self.chosen, point))
        return TilesAnswer(named, claim, within, time_us or None, legal, dict(zip(self.given, values)), self)

    def table(self, loss: float = 0.05, **given: Union[int, range]) -> TilesTable:
        """The fewest intervals of the one extent that is a range, M=range(1, 4097)."""
        axes = [name for name, value in given.items() if isinstance(value, range)]
        if len(axes) != 1:
            raise _usage("a table is of one extent that is a range")
        numbers = given[axes[0]]
        assert isinstance(numbers, range)
        if numbers.step != 1 or not numbers:
            raise _usage("a range of whole numbers, one after the other")
        values = self._values({name: value.start if isinstance(value, range) else value for name, value in given.items()})
        rows = self._core.table(values, self.given.index(axes[0]), numbers[0], numbers[-1], loss)
        named = [TilesInterval(low, high, dict(zip(self.chosen, point)) if point else None, worst)
                 for low, high, point, worst in rows]
        return TilesTable(axes[0], named)

    def _values(self, given: Dict[str, int]) -> List[int]:
        unknown = [name for name in given if name not in self.given]
        missing = [name for name in self.given if name not in given]
        if unknown or missing:
            which = f"'{unknown[0]}' is none of them" if unknown else f"'{missing[0]}' is missing"
            raise _usage(f"the rules are given {', '.join(self.given)}; {which}")
        return [given[name] for name in self.given]
