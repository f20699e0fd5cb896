# SPDX-License-Identifier: Apache-2.0
"""map_fused(): the best fused mapping of a cascade, with proof."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import bit_widths, extents, name_of, path, text, usage_error, whole, zoo_extents
from .choices import Objective, word
from .errors import NoMapping
from .pages import Page
from .paths import Path, is_file
from .running import check_on_interrupt, unless_interrupted


class FusedResult(Page):
    """The best fused mapping found, beside the best without fusion and every word once (docs/fusion.md)."""

    def __init__(self, core: _core.FusionReport) -> None:
        self._core = core
        self._document = self.to_dict()

    @property
    def proven(self) -> bool:
        """No fused mapping of the space has a lower value of the objective."""
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
    def energy_pj(self) -> float:
        return float(self.ways["fused"]["energy_pj"])

    @property
    def cycles(self) -> int:
        return int(self.ways["fused"]["cycles"])

    @property
    def groups(self) -> List[Dict[str, Any]]:
        """Einsums that run together, with their loops and stores."""
        return list(self._document["groups"])

    @property
    def buffers(self) -> List[Dict[str, Any]]:
        """The fewest DRAM words by size of the buffer, where they were asked for."""
        return list(self._document["buffers"])

    @property
    def mapping(self) -> str:
        """The tree as text, which `tilewright evaluate --fused-mapping` takes."""
        return self._core.mapping

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def to_json(self) -> str:
        return self._core.json()

    def to_csv(self) -> str:
        """A row for every way, memory, tensor and action."""
        return self._core.csv()

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


def map_fused(network: Path, architecture: Union[Architecture, Path, Sequence[Path]], *,
              objective: Union[Objective, str] = "edp", dims: Optional[Mapping[str, int]] = None, phase: Optional[str] = None,
              buffers: Sequence[int] = (), bits: Optional[Mapping[str, int]] = None, on_interrupt: str = "raise") -> FusedResult:
    """Finds the best fused mapping of a cascade, as `tilewright map --fuse` does.

    network: a language model or encoder of the zoo, a *.cascade or *.onnx file, or statements ("B[m,k] += ...; C[m,n] += ..."), with
    their extents in dims. architecture: a machine with a limited memory of one instance, such as "fused-npu" or "eyeriss". objective:
    "energy", "latency" or "edp". dims: extents. phase: of a language model, "prefill" or "decode". buffers: sizes in words, at each of
    which the fewest DRAM words are proven, too; of machines like "fused-npu" only. bits: of the words of tensors, by their names or as
    what einsums have them: {"Weights": 4, "Outputs": 8}. on_interrupt: Ctrl-C raises Interrupted, whose
    `result` has the best so far ("raise"), or map_fused() returns it ("keep"). Raises NoMapping where nothing fits into the buffer, and
    where it was interrupted before it found any.
    """
    check_on_interrupt(on_interrupt)
    sizes = sorted({whole("buffers", size, 1) for size in buffers})
    cascade = _read(network, dims, phase)
    if bits is not None:
        cascade = cascade.with_bits(bit_widths(bits, "*"))
    report, interrupted = _core.map_fused(cascade, as_architecture(architecture)._core,
                                          text("objective", word(objective)), sizes)
    if not report.mapping:
        raise NoMapping("stopped before a mapping was found" if interrupted else "no mapping fits into the buffer")
    return unless_interrupted(FusedResult(report), interrupted, on_interrupt)
