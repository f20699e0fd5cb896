# SPDX-License-Identifier: Apache-2.0
"""llm(): what serving a language model takes."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import bit_widths, callback, name_of, path, text, whole
from .caching import AnswerCache
from .choices import Factors, FactorsName, Latency, LatencyName, Mapper, MapperName, Objective, OnInterrupt, word
from .mapping import as_options
from .pages import Table
from .paths import Path, is_file
from .running import Callback, check_on_interrupt, unless_interrupted

Counts = Union[int, Sequence[int]]
"""One number, or several."""


class Serving(Table):
    """Time, energy and room of every phase, batch and length (docs/llm.md)."""

    def __init__(self, core: _core.ServingReport) -> None:
        self.model: str = core.model
        self.machine: str = core.machine
        self.interrupted: bool = core.interrupted
        self.notes: List[str] = core.notes
        self._json, self._table, self._text = core.json(), core.csv(), core.text()
        self.points: List[Dict[str, Any]] = list(self.to_dict()["points"])
        """Prefill first, then decode: as --json has them."""

    def to_json(self) -> str:
        return self._json

    def _csv(self) -> str:
        """A row for every point."""
        return self._table

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.points)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Serving of {self.model} on {self.machine}: {len(self)} points>"


def llm(model: Path, architecture: Union[Architecture, Path, Sequence[Path]], *, batch: Counts = 1, prompt: Optional[Counts] = None,
        context: Optional[Counts] = None, bits: Optional[Mapping[str, Union[int, str]]] = None, tensor_parallel: Counts = 1,
        collective: Optional[Literal["best", "ring", "tree"]] = None, latency: Union[Latency, LatencyName, None] = None,
        attention: Optional[Literal["flash", "masked", "unfused"]] = None, fuse: bool = False, objective: Union[Objective, str, None] = None,
        mapper: Union[Mapper, MapperName, None] = None, factors: Union[Factors, FactorsName, None] = None, uneven: bool = False,
        seed: int = 1, threads: Optional[int] = None, evaluations: Optional[int] = None, time_limit: Optional[float] = None,
        layer_time_limit: Optional[float] = None, cache: Union[AnswerCache, Path, None] = None, stop: Optional[_core.StopSource] = None,
        progress: Optional[Callback] = None, on_interrupt: OnInterrupt = "raise") -> Serving:
    """Counts time, energy and room of serving a language model, as `tilewright llm` does; the options are those of the command line.

    model: one of the zoo ("llama3-8b"), the config.json of one, or a *.cascade file with marks (docs/llm.md). architecture: a machine,
    such as "h100". batch: requests at once. prompt: tokens of each (2048). context: tokens in the cache where decode goes on (the prompts).
    bits: of the words of weights and caches ({"Weights": "4/32:8", "Cache": 8}), by tensor, or as "LAYERS:TENSOR". tensor_parallel: devices
    that share each block; collective: how sums over them are made. latency: "physical", which holds where the machine says how it was
    built, or "plain". attention: as the software of a GPU or TPU runs it. fuse: einsums share loops where that is better. objective
    (latency), mapper, factors, uneven, seed, threads, evaluations, time_limit, layer_time_limit, cache, stop, progress and on_interrupt: as
    of map().
    """
    check_on_interrupt(on_interrupt)
    options = _core.ServingOptions()
    options.batches = _counts("batch", batch, 1)
    options.prompts = [] if prompt is None else _counts("prompt", prompt, 1)
    options.contexts = [] if context is None else _counts("context", context, 0)
    options.devices = _counts("tensor_parallel", tensor_parallel, 1)
    options.latency = "" if latency is None else text("latency", word(latency))
    options.attention = "" if attention is None else text("attention", attention)
    options.collective = "" if collective is None else text("collective", collective)
    options.fuse = fuse
    options.bits = [] if bits is None else [f"{tensor}={width}" for tensor, width in bit_widths(bits)]
    search = as_options({"objective": objective, "mapper": mapper, "factors": factors, "uneven": uneven, "seed": seed, "threads": threads,
                         "evaluations": evaluations, "time_limit": time_limit, "layer_time_limit": layer_time_limit, "cache": cache,
                         "stop": stop})
    named = path("model", model) if is_file(model) else name_of("model", model)
    report, interrupted = _core.llm(named, as_architecture(architecture)._core, options, search, callback(progress))
    return unless_interrupted(Serving(report), interrupted, on_interrupt)


def _counts(name: str, value: Any, least: int) -> List[int]:
    if isinstance(value, (list, tuple, range)):
        return [whole(name, one, least) for one in value]
    return [whole(name, value, least)]
