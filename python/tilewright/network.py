# SPDX-License-Identifier: Apache-2.0
"""Networks."""

from __future__ import annotations

import dataclasses
import html
import importlib
import json
import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from .arguments import bit_widths, texts, usage_error, zoo_extents
from .arguments import extents as _extents
from .arguments import name_of as _name_of
from .arguments import path as _path
from .arguments import text as _text
from .elsewhere import Recipe, absolute, digest
from .paths import Path, is_file


@dataclasses.dataclass(frozen=True)
class Layer:
    """One layer of a network."""

    name: str
    op: str
    repeats: int
    operations: int
    """Multiply-accumulates of one run."""
    einsum: str
    extents: str


class Network:
    """Layers to map: a name of the zoo, an ONNX file, a problem file of Timeloop's, a topology of SCALE-Sim's (*.csv), a cascade
    (*.cascade) or a network file. Immutable. A language model or cascade is mapped einsum by einsum, all of it on the array.

    dims: extents of symbolic dimensions ({"batch_size": 1}), or of a zoo network ({"batch": 4, "sequence": 128}).
    phase: of a language model, "prefill" or "decode".
    layers: only these, by names or patterns such as "conv2*". Raises InputError at the place of a mistake.
    """

    def __init__(self, source: Path, *, dims: Optional[Mapping[str, int]] = None,
                 layers: Union[str, Sequence[str], None] = None, phase: Optional[str] = None) -> None:
        given = {} if dims is None else _extents("dims", dims)
        named = isinstance(source, str) and not is_file(source)
        asked = "" if phase is None else _text("phase", phase)
        if asked and not named:
            raise usage_error("phase is for language models of the zoo")
        if named:
            core = _core.named_network(_name_of("source", source), zoo_extents("dims", given), asked)
        elif _path("source", source).endswith(".onnx"):
            core = _core.network_from_onnx(_path("source", source), given)
        elif given:
            raise usage_error("dims is for ONNX files and networks of the zoo; a problem file says its own extents")
        elif _path("source", source).endswith(".cascade"):
            core = _core.network_from_cascade(_path("source", source))
        elif _path("source", source).endswith(".csv"):
            core = _core.network_from_topology(_path("source", source))
        else:
            core = _core.network_from_problem(_path("source", source))
        self._core = core.select(_patterns(layers))
        place = source if named else absolute(_path("source", source))
        self._recipe = Recipe(_network, (place, given, _patterns(layers), asked))

    @classmethod
    def _of(cls, core: _core.Network, recipe: Recipe) -> "Network":
        made = cls.__new__(cls)
        made._core = core
        made._recipe = recipe
        return made

    def __reduce__(self) -> Any:
        """Another process reads the same files again; a file that is another one there raises InputError."""
        return self._recipe.reduced(digest(self._core.json()))

    @classmethod
    def from_onnx(cls, path: Path, *, dims: Optional[Mapping[str, int]] = None) -> "Network":
        """Reads the ONNX model at `path`, whatever its file is called; only the graph is read, weights may be missing.

        dims: extents of symbolic dimensions ({"batch_size": 1}).
        """
        given = {} if dims is None else _extents("dims", dims)
        return cls._of(_core.network_from_onnx(_path("path", path), given),
                       Recipe(_from_onnx, (absolute(_path("path", path)), given)))

    @classmethod
    def from_torch(cls, model: Any, arguments: Any, *, dims: Optional[Mapping[str, int]] = None, **export: Any) -> "Network":
        """Reads a PyTorch model by way of ONNX: from_torch(model, torch.zeros(1, 3, 224, 224)).

        arguments: what the model is called with. dims: extents of symbolic dimensions. export: further options of torch.onnx.export. Raises ImportError where torch
        is not installed.
        """
        try:
            onnx = importlib.import_module("torch.onnx")
        except ImportError as error:
            raise ImportError("Network.from_torch needs PyTorch (torch); Network.from_onnx reads ONNX files without it") from error
        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            path = os.path.join(folder, type(model).__name__ + ".onnx")
            onnx.export(model, arguments, path, **export)
            return cls.from_onnx(path, dims=dims)

    @classmethod
    def from_problem(cls, path: Path) -> "Network":
        """Reads the `problem` of a Timeloop file, or the layers of a `network` file as `convert --to network` writes it."""
        return cls._of(_core.network_from_problem(_path("path", path)),
                       Recipe(Network.from_problem, (absolute(_path("path", path)),)))

    @classmethod
    def from_einsum(cls, text: str, extents: Mapping[str, int], *, name: str = "einsum") -> "Network":
        """One layer, of the einsum's `text`, `extents` of its dimensions and a `name`: from_einsum("O[m,n] += A[m,k] * B[k,n]", {"m": 64, "n": 64, "k": 256}). Several statements with `;` between
        them are a cascade, mapped einsum by einsum."""
        given = _extents("extents", extents)
        return cls._of(_core.network_from_einsum(_text("einsum", text), list(given.items()), _text("name", name)),
                       Recipe(_from_einsum, (text, given, name)))

    @staticmethod
    def zoo() -> List[str]:
        """The names that there are."""
        return _core.zoo_networks()

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def layers(self) -> List[Layer]:
        return [Layer(*layer) for layer in self._core.layers]

    @property
    def unmapped(self) -> List[Tuple[str, str, str]]:
        """Operators that are not mapped: name, operator, why."""
        return self._core.unmapped

    @property
    def notes(self) -> List[str]:
        """What was read over."""
        return self._core.notes

    def select(self, layers: Union[str, Sequence[str]]) -> "Network":
        """Only the layers whose names match."""
        return Network._of(self._core.select(_patterns(layers)), self._recipe.then("select", _patterns(layers)))

    def with_bits(self, bits: Mapping[str, Union[int, str]], *, layers: str = "*") -> "Network":
        """The same layers with words of so many bits: with_bits({"Weights": 4}, layers="conv2*").

        "4/32:8" are words of 4 bits and a scale of 8 for every 32 of them.

        Tensors of which it is not said (or says 0) have words as wide as each memory's. Raises InputError for a name that no layer has.
        """
        return Network._of(self._core.with_bits(bit_widths(bits, layers), layers),
                           self._recipe.then("_with_bits_of", dict(bits), layers))

    def _with_bits_of(self, bits: Mapping[str, Union[int, str]], layers: str) -> "Network":
        return self.with_bits(bits, layers=layers)

    def to_dict(self) -> Dict[str, Any]:
        """What `tilewright show --json` prints."""
        made: Dict[str, Any] = json.loads(self._core.json())
        return made

    def __len__(self) -> int:
        return len(self._core.layers)

    def __str__(self) -> str:
        return self._core.text()

    def __repr__(self) -> str:
        return f"<Network {self.name}: {len(self)} layers>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(layer.name)}</td><td>{html.escape(layer.op)}</td><td>{layer.repeats:,}</td>"
                       f"<td>{layer.operations:,}</td><td>{html.escape(layer.extents)}</td></tr>" for layer in self.layers)
        head = "".join(f"<th>{name}</th>" for name in ("layer", "operator", "repeats", "MACs", "extents"))
        return f"<table><caption>{html.escape(self.name)}</caption><tr>{head}</tr>{rows}</table>"


def _network(source: Path, dims: Mapping[str, int], layers: Sequence[str], phase: str) -> Network:
    return Network(source, dims=dims or None, layers=layers or None, phase=phase or None)


def _from_onnx(path: Path, dims: Mapping[str, int]) -> Network:
    return Network.from_onnx(path, dims=dims)


def _from_einsum(text: str, extents: Mapping[str, int], name: str) -> Network:
    return Network.from_einsum(text, extents, name=name)


def _patterns(layers: Union[str, Sequence[str], None]) -> List[str]:
    return texts("layers", layers)


def as_network(source: Union[Network, Path]) -> Network:
    return source if isinstance(source, Network) else Network(source)
