# SPDX-License-Identifier: Apache-2.0
"""Mapping: the loops of one layer and what each memory keeps, built and changed in Python."""

from __future__ import annotations

import html
import json
import operator
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping as Entries, Optional, Sequence, Tuple, Union

from . import _core
from .arguments import usage_error
from .paths import Path

if TYPE_CHECKING:
    from .architecture import Architecture
    from .choices import Accounting, AccountingName, Latency, LatencyName
    from .network import NetworkLike
    from .results import Result
    from .zeros import Density

Factor = Union[int, Tuple[int, int]]
"""Iterations of a loop; (5, 3) runs five times, and the last time three."""

Directive = Dict[str, Any]
_LOOPS = ("temporal", "spatial")


class Mapping:
    """A mapping of one layer, level by level of the machine. Immutable; with_... return another one.

        mapping = tilewright.Mapping()
        mapping = mapping.with_loops("DRAM", C=4, K=16).with_loops("PE", "spatial", K=8).with_kept("buffer", ["Inputs"])
        print(mapping.evaluate(network, "eyeriss").energy_pj)

    text: a mapping as files hold it (docs/timeloop-inputs.md), such as `layer.mapping` of a result. A dimension that no loop names
    has one iteration; a memory of which nothing is said keeps every tensor.
    """

    def __init__(self, text: str = "") -> None:
        read = _core.values_in_yaml(text, "mapping") if text.strip() else []
        self._directives = [_read(one) for one in _listed(read)]

    @classmethod
    def _of(cls, directives: Iterable[Directive]) -> "Mapping":
        made = cls()
        made._directives = list(directives)
        return made

    @property
    def levels(self) -> List[str]:
        """The levels of which something is said, in the order in which it is said."""
        return list(dict.fromkeys(one["target"] for one in self._directives))

    def loops(self, level: str, kind: str = "temporal") -> Dict[str, Factor]:
        """Loops at a level by their dimension, the innermost first; {} where there are none."""
        found = self._find(level, _kind(kind))
        return {} if found is None else {name: found["factors"][name] for name in _order(found)}

    def kept(self, level: str) -> Optional[List[str]]:
        """Tensors that a memory keeps; None where nothing is said of it."""
        found = self._find(level, "datatype")
        return None if found is None else list(found["keep"])

    def with_loops(self, level: str, kind: str = "temporal", loops: Optional[Entries[str, Factor]] = None, /, *,
                   order: Optional[Sequence[str]] = None, split: Optional[int] = None, **factors: Factor) -> "Mapping":
        """The loops of a level in place of those it has: with_loops("DRAM", C=4, K=16), or with_loops("DRAM", "temporal", {"order": 4})
        of a dimension that is called as an option is.

        order: dimensions, the innermost first, as in Timeloop's permutations; by default as they are written here. split, of spatial
        loops: how many of the order lie along X, the others along Y.
        """
        given = {name: _iterations(name, factor) for name, factor in {**(loops or {}), **factors}.items()}
        permutation = list(given) if order is None else list(order)
        if sorted(permutation) != sorted(given):
            raise usage_error(f"order has to name {', '.join(given) or 'nothing'}, each once; found {', '.join(permutation)}")
        made: Directive = {"target": level, "type": _kind(kind), "factors": given, "permutation": permutation}
        if split is not None:
            made["split"] = operator.index(split)
        return self._with(made) if given else self._without(level, made["type"])

    def with_kept(self, level: str, tensors: Sequence[str], bypass: Sequence[str] = ()) -> "Mapping":
        """A memory keeps these tensors; those of `bypass` pass it by."""
        return self._with({"target": level, "type": "datatype", "keep": list(tensors), "bypass": list(bypass)})

    def problems(self, network: "NetworkLike", architecture: Union["Architecture", Path, Sequence[Path]]) -> List[str]:
        """Why this is no legal mapping of the layer on the machine; [] where it is one.

        Raises InputError for what is no mapping of it at all, such as a level or a dimension that is not there.
        """
        from .errors import NoMapping

        try:
            self.evaluate(network, architecture)
        except NoMapping as none:
            return list(none.result.layers[0].failures)
        return []

    def evaluate(self, network: "NetworkLike", architecture: Union["Architecture", Path, Sequence[Path]], *,
                 account: "Union[Accounting, AccountingName]" = "exact", density: "Density" = None,
                 latency: "Union[Latency, LatencyName, None]" = None) -> "Result":
        """What it costs: evaluate(network, architecture, mapping), for a network of one layer."""
        from .evaluating import evaluate

        return evaluate(network, architecture, self, account=account, density=density, latency=latency)

    @property
    def text(self) -> str:
        """As a file holds it; evaluate() and the command line read it."""
        return "mapping:\n" + "".join(f"- {json.dumps(_written(one))}\n" for one in self._directives)

    def save(self, file: Path) -> None:
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.text)

    def _find(self, level: str, kind: str) -> Optional[Directive]:
        return next((one for one in self._directives if (one["target"], one["type"]) == (level, kind)), None)

    def _with(self, made: Directive) -> "Mapping":
        old = self._find(made["target"], made["type"])
        if old is None:
            return Mapping._of([*self._directives, made])
        return Mapping._of(made if one is old else one for one in self._directives)

    def _without(self, level: str, kind: str) -> "Mapping":
        return Mapping._of(one for one in self._directives if (one["target"], one["type"]) != (level, kind))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and _facts(self) == _facts(other)

    def __hash__(self) -> int:
        return hash(json.dumps(_facts(self), sort_keys=True))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        loops = ", ".join(f"{one['target']} {_factors_text(one)}" for one in self._directives if one["type"] in _LOOPS)
        return f"<Mapping {loops or 'without loops'}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(str(one['target']))}</td><td>{one['type']}</td><td>{html.escape(_said(one))}</td></tr>"
                       for one in self._directives)
        return f"<table><tr><th>level</th><th>what</th><th></th></tr>{rows}</table>"


def _iterations(name: str, factor: Any) -> Factor:
    try:
        numbers = [operator.index(one) for one in (factor if isinstance(factor, tuple) else (factor,)) if not isinstance(one, bool)]
    except TypeError:
        numbers = []
    if len(numbers) != (len(factor) if isinstance(factor, tuple) else 1) or len(numbers) not in (1, 2) or min(numbers) < 1:
        raise TypeError(f"{name} takes a number of iterations of at least 1, or (5, 3), found {factor!r}")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _kind(kind: str) -> str:
    if kind not in _LOOPS:
        raise usage_error(f"loops are temporal or spatial, found '{kind}'")
    return kind


def _listed(read: Any) -> List[Entries[str, Any]]:
    """A list of directives, by itself or below `mapping`."""
    found = read.get("mapping") if isinstance(read, dict) else read
    if not isinstance(found, list) or not all(isinstance(one, dict) and "target" in one and "type" in one for one in found):
        raise usage_error("expected the text of one layer's mapping: a list of entries with 'target' and 'type'")
    return found


def _read(one: Entries[str, Any]) -> Directive:
    kind = "datatype" if one["type"] in ("datatype", "dataspace", "bypass") else one["type"]
    if kind == "datatype":
        return {"target": one["target"], "type": kind, "keep": list(one.get("keep") or []), "bypass": list(one.get("bypass") or [])}
    factors = {name: factor for name, factor in map(_factor, _words(one.get("factors"))) if factor != 1}
    order = [name for name in _letters(one.get("permutation")) if name in factors]
    order += [name for name in factors if name not in order]
    made: Directive = {"target": one["target"], "type": _kind(kind), "factors": factors, "permutation": order}
    if one.get("split") is not None:
        before = _letters(one.get("permutation"))[:int(one["split"])]
        made["split"] = sum(name in factors for name in before) if before else int(one["split"])
    return made


def _words(value: Any) -> List[str]:
    """A list, or "K=4 P=7"."""
    return [str(word) for word in value] if isinstance(value, list) else str(value or "").split()


def _letters(value: Any) -> List[str]:
    """A list, "K C P", or "KCP"."""
    if isinstance(value, list):
        return [str(one) for one in value]
    words = str(value or "").replace(",", " ").split()
    return list(words[0]) if len(words) == 1 else words


def _factor(word: str) -> Tuple[str, Factor]:
    name, _, number = word.partition("=")
    full, _, last = number.partition(",")
    try:
        return name.strip(), (int(full), int(last)) if last else int(full)
    except ValueError:
        raise usage_error(f"expected a factor such as K=4 or K=5,3, found '{word}'") from None


def _order(one: Directive) -> List[str]:
    return list(one["permutation"])


def _number_text(factor: Factor) -> str:
    return f"{factor[0]},{factor[1]}" if isinstance(factor, tuple) else str(factor)


def _factors_text(one: Directive) -> str:
    return " ".join(f"{name}={_number_text(one['factors'][name])}" for name in _order(one))


def _said(one: Directive) -> str:
    return _factors_text(one) if one["type"] in _LOOPS else "keeps " + (", ".join(one["keep"]) or "nothing")


def _written(one: Directive) -> Directive:
    if one["type"] == "datatype":
        return one
    return {**one, "factors": [f"{name}={_number_text(one['factors'][name])}" for name in _order(one)]}


def _facts(mapping: Mapping) -> List[Any]:
    return sorted(json.dumps(_written(one), sort_keys=True) for one in mapping._directives)
