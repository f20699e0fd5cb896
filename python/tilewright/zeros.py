# SPDX-License-Identifier: Apache-2.0
"""Zeros: densities as map(), evaluate() and compare() take them, and what a machine saves by them (docs/sparsity.md)."""

from __future__ import annotations

import dataclasses
import io
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .arguments import number, path, text, texts, usage_error
from .paths import Path

Density = Union[str, Path, Sequence[Union[str, Path]], Mapping[str, Any], None]
"""As `density=` takes them."""

DensityWord = Union[str, Tuple[str, bytes]]


@dataclasses.dataclass(frozen=True)
class TensorDensity:
    """What was known of the zeros of a tensor."""

    model: str
    """"fixed_structured", "hypergeometric", "banded-3", "2:4" or "measured"."""
    share: float
    """Of its elements, that are not zero."""
    source: str
    """What says so; "" where nothing does, and it counts as dense."""


@dataclasses.dataclass(frozen=True)
class Saved:
    """Energy (pJ) of a memory's accesses, or of the computes, against the same mapping were nothing done about zeros."""

    dense_pj: float
    """Were nothing done."""
    left_out_pj: float
    """Saved: never came up, as it is not stored (a format), or was avoided further out."""
    gating_pj: float
    """Saved by gating."""
    skipping_pj: float
    """Saved by skipping."""
    metadata_pj: float
    """Spent on what formats add."""

    @property
    def spent_pj(self) -> float:
        return self.dense_pj - self.left_out_pj - self.gating_pj - self.skipping_pj + self.metadata_pj


@dataclasses.dataclass(frozen=True)
class Savings:
    """What doing something about zeros saves, of a layer or of a run."""

    dense_energy_pj: float
    energy_pj: float
    dense_cycles: int
    cycles: int
    elsewhere_pj: float
    """Saved on links, address generation and leakage."""
    components: Dict[str, Saved]
    """By memory, outermost first, and the compute units."""

    @property
    def total(self) -> Saved:
        """Of all accesses and computes."""
        return _sum(list(self.components.values()))


@dataclasses.dataclass(frozen=True)
class LayerZeros:
    """One layer shape on a machine that does something about zeros."""

    repeats: int
    computes: int
    """Multiply-accumulates of one run that are done."""
    gated_computes: int
    skipped_computes: int
    densities: Dict[str, TensorDensity]
    """By tensor."""
    savings: Optional[Savings]
    """Of one run; None for Timeloop's account, which has counts only."""


def zeros_of(report: Mapping[str, Any]) -> Dict[str, LayerZeros]:
    """By layer of a report.json; none where the machine does nothing about zeros."""
    return {layer["name"]: _layer(layer) for layer in report["layers"] if layer.get("sparse") and layer.get("evaluation")}


def sum_of(layers: Mapping[str, LayerZeros]) -> Optional[Savings]:
    """Over layers, each as often as it runs; None where one says nothing of savings."""
    parts = [(layer.repeats, layer.savings) for layer in layers.values() if layer.savings is not None]
    if not parts or len(parts) < len(layers):
        return None
    names = list(parts[0][1].components)
    return Savings(
        sum(times * one.dense_energy_pj for times, one in parts), sum(times * one.energy_pj for times, one in parts),
        sum(times * one.dense_cycles for times, one in parts), sum(times * one.cycles for times, one in parts),
        sum(times * one.elsewhere_pj for times, one in parts),
        {name: _sum([_times(times, one.components[name]) for times, one in parts]) for name in names})


def density_words(value: Density) -> List[DensityWord]:
    """The words of --density, and tensors with arrays as bytes of .npy files."""
    if value is None:
        return []
    if isinstance(value, str):
        words = text("density", value).split(",")
        if "" in words:
            raise usage_error(f"density has an empty entry in '{value}'")
        return list(words)
    if isinstance(value, os.PathLike):
        return [path("density", value)]
    if isinstance(value, Mapping):
        return [_word(tensor, one) for tensor, one in value.items()]
    if isinstance(value, Sequence):
        return list(texts("density", [path("density", one) if isinstance(one, os.PathLike) else one for one in value]))
    raise TypeError(f"density takes texts, the name of a list, or tensors with densities, found {value!r}")


def _word(tensor: Any, density: Any) -> DensityWord:
    name = text("density", tensor)
    if isinstance(density, str):
        return f"{name}={text('density', density)}"
    if isinstance(density, os.PathLike):
        return f"{name}=measured:{path('density', density)}"
    if hasattr(density, "__array__") and getattr(density, "ndim", 0) > 0:
        return name, _npy(density)
    return f"{name}={repr(number('density', density)).removesuffix('.0')}"  # 0 and 1 as they are written


def _npy(array: Any) -> bytes:
    """Which elements are not zero, as a .npy file."""
    import numpy

    file = io.BytesIO()
    numpy.save(file, numpy.ascontiguousarray(numpy.asarray(array) != 0).astype(numpy.uint8), allow_pickle=False)
    return file.getvalue()


def _sum(parts: Sequence[Saved]) -> Saved:
    return Saved(*(sum(getattr(part, field.name) for part in parts) for field in dataclasses.fields(Saved)))


def _times(times: int, saved: Saved) -> Saved:
    return Saved(*(times * getattr(saved, field.name) for field in dataclasses.fields(Saved)))


def _layer(layer: Mapping[str, Any]) -> LayerZeros:
    sparse, costs = layer["sparse"], layer["evaluation"]
    computes = sparse["computes"]
    savings = sparse.get("savings")
    return LayerZeros(
        layer["repeats"], computes["actual"], computes["gated"], computes["skipped"],
        {one["tensor"]: TensorDensity(one["model"], one["density"], one["from"]) for one in sparse.get("densities", [])},
        None if savings is None else Savings(
            savings["dense_energy_pj"], costs["energy_pj"], savings["dense_cycles"], costs["cycles"], savings["elsewhere_pj"],
            {name: Saved(*(one[field.name] for field in dataclasses.fields(Saved))) for name, one in savings["components"].items()}))
