# SPDX-License-Identifier: Apache-2.0
"""map_fused(): the best fused mapping of a cascade, with proof."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import (bit_widths, callback, extents, name_of, path, report_file, stop_or_none, text, thread_count, time_limit_or_none,
                        usage_error, whole, zoo_extents)
from .choices import Objective, OnInterrupt, word
from .errors import NoMapping
from .network import Network, OnnxModel, named_or_numbered, onnx_bytes
from .pages import Table
from .paths import Path, is_file
from .running import Callback, check_on_interrupt, unless_interrupted
from .zeros import Density, density_words


class FusedResult(Table):
    """The best fused mapping found, beside the best without fusion and every word once (docs/fusion.md)."""

    def __init__(self, core: _core.FusionReport) -> None:
        self._core = core
        self._document = self.to_dict()

    @property
    def proven(self) -> bool:
        """No fused mapping of the space has a lower value of the objective; of a front: its gap is 0."""
        return self._core.proven

    @property
    def bound(self) -> float:
        """Below which no fused mapping of the space has a value of the objective."""
        return self._core.bound

    @property
    def ways(self) -> Dict[str, Dict[str, Any]]:
        """What "unfused", "fused" and "every word once" cost: energy_pj, cycles, dram_words, memories."""
        return {way["way"]: way for way in self._document["ways"]}

    @property
    def network(self) -> str:
        return self._core.network

    @property
    def architecture(self) -> str:
        return self._core.architecture

    @property
    def interrupted(self) -> bool:
        """Stopped by Ctrl-C, a StopSource or a time limit: the best that was found until then."""
        return self._core.interrupted

    @property
    def energy_pj(self) -> float:
        return float(self.ways["fused"]["energy_pj"])

    @property
    def cycles(self) -> int:
        return int(self.ways["fused"]["cycles"])

    @property
    def edp(self) -> float:
        """Energy-delay product: pJ times cycles."""
        return self.energy_pj * self.cycles

    @property
    def groups(self) -> List[Dict[str, Any]]:
        """Einsums that run together, with their loops and stores."""
        return list(self._document["groups"])

    @property
    def buffers(self) -> List[Dict[str, Any]]:
        """The fewest DRAM words by size of the buffer, where they were asked for."""
        return list(self._document["buffers"])

    @property
    def front(self) -> List[Dict[str, Any]]:
        """Of objective="pareto": mappings that none found beats in both, ascending energy_pj, with cycles, groups, mapping (as text),
        and whether each is proven the cheapest where a cycle costs from_pj_per_cycle to to_pj_per_cycle."""
        return list(self._document.get("front", []))

    @property
    def gap(self) -> float:
        """Of objective="pareto": whatever a cycle costs, no fused mapping is cheaper than the front by a larger share."""
        return float(self._document.get("gap", 0.0))

    @property
    def mapping(self) -> str:
        """The tree as text, which `tilewright evaluate --fused-mapping` takes."""
        return self._core.mapping

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def to_json(self) -> str:
        return self._core.json()

    def _csv(self) -> str:
        """A row for every way, memory, tensor and action."""
        return self._core.csv()

    def _files(self) -> Dict[str, str]:
        front = {f"front/{i}.fused": str(point["mapping"]) for i, point in enumerate(self.front, 1)}
        return {**super()._files(), "mapping.fused": self.mapping, **front}

    @classmethod
    def load(cls, source: Path) -> "FusedResult":
        """What a run left: the folder of save() or -o, or its report.json."""
        file = report_file(source)
        return _restored(_core.read_text(file), file)

    def __reduce__(self) -> Any:
        return (_restored, (self.to_json(),))

    def __len__(self) -> int:
        """Groups."""
        return len(self.groups)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.groups)

    def __getitem__(self, einsum: Union[str, int]) -> Dict[str, Any]:
        """The group that an einsum is in, or by number."""
        return named_or_numbered(self.groups, einsum, lambda group: list(group["einsums"]))

    def __repr__(self) -> str:
        worth = "proven" if self.proven else f"none below {self.bound:.4g}"
        return f"<FusedResult {self.network} on {self.architecture}: {self.energy_pj * 1e-12:.4g} J, {self.cycles:,} cycles, {worth}>"

    def __str__(self) -> str:
        return self._core.text()


def _read(network: Path, dims: Optional[Mapping[str, int]], phase: Optional[str]) -> _core.Cascade:
    given = {} if dims is None else extents("dims", dims)
    asked = "" if phase is None else text("phase", phase)
    if isinstance(network, str) and "+=" in network:
        if asked:
            raise usage_error("phase is for language models of the zoo")
        return _core.cascade_from_text(network, given)
    if not is_file(network):
        return _core.named_cascade(name_of("network", network), zoo_extents("dims", given), asked)
    if asked:
        raise usage_error("phase is for language models of the zoo")
    return _core.cascade_from_file(path("network", network), given)


def cascade_of(network: Network) -> _core.Cascade:
    """The einsums that a network was read of, with the tensors between them. Raises InputError for one that has none."""
    recipe = network._recipe
    source, arguments = recipe.make.__name__, recipe.arguments
    if source == "_network" and not arguments[2]:
        cascade = _read(arguments[0], arguments[1] or None, arguments[3] or None)
    elif source == "_from_onnx":
        cascade = _read(arguments[0], arguments[1] or None, None)
    elif source == "_from_onnx_bytes":
        cascade = _core.cascade_from_onnx_bytes(arguments[0], arguments[2], arguments[1])
    elif source == "_from_einsum":
        cascade = _core.cascade_from_text(arguments[0], arguments[1])
    else:
        raise usage_error(f"{network!r} has layers without the tensors between them: nothing to fuse")
    for method, given in recipe.calls:
        if method != "_with_bits_of" or given[1] != "*":
            raise usage_error(f"{network!r} is a part of a network: layers are fused of all of it")
        cascade = cascade.with_bits(bit_widths(given[0]))
    return cascade


def read_cascade(network: Union[Network, Path, bytes, OnnxModel], dims: Optional[Mapping[str, int]], phase: Optional[str]) -> _core.Cascade:
    """What map_fused() and map_package() take for a cascade."""
    model = None if isinstance(network, Network) else onnx_bytes(network)
    if (isinstance(network, Network) or model is not None) and (phase or isinstance(network, Network) and dims):
        raise usage_error("dims and phase are of what a network is read of: give them there")
    if isinstance(network, Network):
        return cascade_of(network)
    if model is not None:
        return _core.cascade_from_onnx_bytes(model, "model.onnx", {} if dims is None else extents("dims", dims))
    return _read(network, dims, phase)  # type: ignore[arg-type]  # bytes are models


def map_fused(network: Union[Network, Path, bytes, OnnxModel], architecture: Union[Architecture, Path, Sequence[Path]], *,
              objective: Union[Objective, Literal["energy", "latency", "edp", "pareto"]] = "edp", dims: Optional[Mapping[str, int]] = None,
              phase: Optional[str] = None, buffers: Sequence[int] = (), bits: Optional[Mapping[str, Union[int, str]]] = None,
              density: Density = None, threads: Optional[int] = None, time_limit: Optional[float] = None,
              stop: Optional[_core.StopSource] = None, progress: Optional[Callback] = None,
              on_interrupt: OnInterrupt = "raise") -> FusedResult:
    """Finds the best fused mapping of a cascade, as `tilewright map --fuse` does.

    network: a language model or encoder of the zoo, a *.cascade or *.onnx file, statements ("B[m,k] += ...; C[m,n] += ..."), with
    their extents in dims, an ONNX model in memory, or a Network of one of these. architecture: a machine with a limited memory of one
    instance, such as "fused-npu" or "eyeriss". objective: "energy", "latency", "edp" or "pareto"
    (the front of energy and cycles; the rest is then of its least product). dims: extents. phase: of a language model,
    "prefill" or "decode". buffers: sizes in words, at each of which the fewest DRAM words are proven, too; of machines like "fused-npu"
    only. bits: of the words of tensors, by their names or as what einsums have them: {"Weights": 4, "Outputs": "8/32"} (final words /
    partial sums). threads, stop, progress, on_interrupt: as of map(); a Progress has the groups of the best so far in `done`, of `total`
    einsums. time_limit: seconds, and as many for each of the buffers. density is refused: the table of capabilities says why
    (docs/composition.md). Raises NoMapping where nothing fits into the buffer, and where it was stopped before it found any.
    """
    check_on_interrupt(on_interrupt)
    options = _core.FusedOptions()
    options.objective = text("objective", word(objective))
    options.buffers = sorted({whole("buffers", size, 1) for size in buffers})
    options.threads = 0 if threads is None else thread_count(threads)
    options.time_limit = time_limit_or_none(time_limit)
    options.stop = stop_or_none(stop)
    cascade = read_cascade(network, dims, phase)
    if bits is not None:
        cascade = cascade.with_bits(bit_widths(bits))
    report, interrupted = _core.map_fused(cascade, as_architecture(architecture)._core, options, density_words(density), callback(progress))
    if not report.mapping:
        raise NoMapping("stopped before a mapping was found" if report.interrupted else "no mapping fits into the buffer")
    return unless_interrupted(FusedResult(report), interrupted, on_interrupt)


def _restored(text: str, file: str = "report.json") -> FusedResult:
    return FusedResult(_core.read_fusion_report(text, file))
