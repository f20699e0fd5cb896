# SPDX-License-Identifier: Apache-2.0
"""Networks."""

from __future__ import annotations

import collections.abc
import dataclasses
import html
import importlib
import json
import operator
import os
import tempfile
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, TypeVar, Union, cast

from . import _core
from .arguments import bit_widths, text_or_empty, texts, usage_error, whole, zoo_extents
from .arguments import contents as _contents
from .arguments import extents as _extents
from .arguments import name_of as _name_of
from .arguments import path as _path
from .arguments import text as _text
from .elsewhere import Recipe, absolute, digest
from .paths import Path, is_file



class OnnxModel(Protocol):
    """An onnx.ModelProto."""

    def SerializeToString(self) -> bytes: ...


Named = TypeVar("Named")
LayerTuple = Union[Tuple[str, str, Mapping[str, int]], Tuple[str, str, Mapping[str, int], int]]
"""Name, einsum, extents of its dimensions, and how often it runs (once)."""


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
    network: Optional["Network"] = dataclasses.field(default=None, repr=False, compare=False)
    """That it is of; map(layer, ...) maps it alone."""


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
    def of(cls, layers: Iterable[LayerTuple], *, name: str = "layers") -> "Network":
        """Unrelated layers, each (name, einsum, extents) or (name, einsum, extents, repeats):
        of([("qk", "S[m,n] += Q[m,k] * K[n,k]", {"m": 64, "n": 64, "k": 32}, 12)]). Equal ones are searched once."""
        given = [_layer_of(one) for one in layers]
        if not given:
            raise usage_error("of takes layers, found none")
        return cls._of(_core.network_of_layers(given, _name_of("name", name)), Recipe(_of_layers, (given, name)))

    @classmethod
    def from_text(cls, text: str, *, name: str = "problem.yaml") -> "Network":
        """Reads `text`, a problem file of Timeloop's or a network file; `name` stands for the file in messages."""
        given = _contents("text", text)
        return cls._of(_core.network_from_problem_text(given, _name_of("name", name)), Recipe(_from_text, (given, name)))

    @classmethod
    def from_onnx(cls, path: Union[Path, bytes, OnnxModel], *, dims: Optional[Mapping[str, int]] = None,
                  name: str = "model.onnx") -> "Network":
        """Reads the ONNX model at `path`, whatever its file is called, or the bytes of one, or a ModelProto; only the graph is read,
        weights may be missing.

        dims: extents of symbolic dimensions ({"batch_size": 1}). name: of a model in memory, which is called by its stem.
        """
        given = {} if dims is None else _extents("dims", dims)
        model = onnx_bytes(path)
        if model is not None:
            return cls._of(_core.network_from_onnx_bytes(model, _name_of("name", name), given),
                           Recipe(_from_onnx_bytes, (model, given, name)))
        file = _path("path", path)
        return cls._of(_core.network_from_onnx(file, given), Recipe(_from_onnx, (absolute(file), given)))

    @classmethod
    def from_torch(cls, model: Any, arguments: Any, *, dims: Optional[Mapping[str, int]] = None, **export: Any) -> "Network":
        """Reads a PyTorch model by way of ONNX: from_torch(model, torch.zeros(1, 3, 224, 224)).

        arguments: what the model is called with. dims: extents of symbolic dimensions. export: further options of torch.onnx.export.
        Raises ImportError where torch is not installed.
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
        """One layer, of the einsum's `text`, `extents` of its dimensions and a `name`:
        from_einsum("O[m,n] += A[m,k] * B[k,n]", {"m": 64, "n": 64, "k": 256}). Several statements with `;` between them are a cascade,
        mapped einsum by einsum."""
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
        return [Layer(*layer, self) for layer in self._core.layers]

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

        "4/32:8" are words of 4 bits and a scale of 8 for every 32 of them; "8/32", of results, of 8 bits and partial sums of 32.

        Tensors of which it is not said (or says 0) have words as wide as each memory's. Raises InputError for a name that no layer has.
        """
        return Network._of(self._core.with_bits(bit_widths(bits), text_or_empty("layers", layers)),
                           self._recipe.then("_with_bits_of", dict(bits), layers))

    def _with_bits_of(self, bits: Mapping[str, Union[int, str]], layers: str) -> "Network":
        return self.with_bits(bits, layers=layers)

    def to_dict(self) -> Dict[str, Any]:
        """What `tilewright show --json` prints."""
        made: Dict[str, Any] = json.loads(self._core.json())
        return made

    def __len__(self) -> int:
        return len(self._core.layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self.layers)

    def __getitem__(self, layer: Union[str, int]) -> Layer:
        """By name, or by number."""
        return named_or_numbered(self.layers, layer, lambda one: [one.name])

    def __eq__(self, other: object) -> bool:
        """The same layers, of the same words and zeros, wherever they were read."""
        return isinstance(other, Network) and self._core.identity == other._core.identity

    def __hash__(self) -> int:
        return hash(self._core.identity)

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


def _from_onnx_bytes(model: bytes, dims: Mapping[str, int], name: str) -> Network:
    return Network.from_onnx(model, dims=dims, name=name)


def _from_text(text: str, name: str) -> Network:
    return Network.from_text(text, name=name)


def _of_layers(layers: Sequence[LayerTuple], name: str) -> Network:
    return Network.of(layers, name=name)


def _joined(networks: Sequence[Network]) -> Network:
    return Network._of(_core.join_networks([network._core for network in networks]), Recipe(_joined, (list(networks),)))


def onnx_bytes(source: Any) -> Optional[bytes]:
    """Of a model in memory; None for what is a file."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    serialize = getattr(source, "SerializeToString", None)
    return None if serialize is None else bytes(serialize())


def _layer_of(one: Any) -> Tuple[str, str, List[Tuple[str, int]], int]:
    if not isinstance(one, collections.abc.Sequence) or isinstance(one, (str, bytes)) or len(one) not in (3, 4):
        raise TypeError(f"of takes (name, einsum, extents) or (name, einsum, extents, repeats), found {one!r}")
    extents = one[2].items() if isinstance(one[2], collections.abc.Mapping) else one[2]
    return (_text("name", one[0]), _text("einsum", one[1]), list(_extents("extents", dict(extents)).items()),
            whole("repeats", one[3], 1) if len(one) == 4 else 1)


def named_or_numbered(among: Sequence[Named], which: Union[str, int], names: Callable[[Named], Sequence[str]]) -> Named:
    """The one that has the name, or that stands there. Raises KeyError and IndexError."""
    if not isinstance(which, str):
        return among[operator.index(which)]
    for one in among:
        if which in names(one):
            return one
    raise KeyError(which)


def _patterns(layers: Union[str, Sequence[str], None]) -> List[str]:
    return texts("layers", layers)


NetworkLike = Union[Network, Layer, Path, bytes, OnnxModel]
"""What stands for a network: also a layer of one, and an ONNX model in memory."""


def as_network(source: Union[NetworkLike, Sequence[NetworkLike]]) -> Network:
    """Several of them are one, as several --net are."""
    if isinstance(source, (list, tuple)):
        if not source:
            raise usage_error("network takes networks, found none")
        return _joined([as_network(one) for one in source])
    if isinstance(source, Layer):
        if source.network is None:
            raise TypeError("network takes a layer of a network, found one that is of none")
        return source.network.select(source.name)
    if isinstance(source, Network):
        return source
    model = onnx_bytes(source)
    return Network(cast(Path, source)) if model is None else Network.from_onnx(model)
