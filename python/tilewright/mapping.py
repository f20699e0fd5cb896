# SPDX-License-Identifier: Apache-2.0
"""map(): the best mapping of every layer."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Optional, Sequence, TypedDict, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import (callback, candidate_count, optional_text, optional_whole, stop_or_none, switch, text, thread_count,
                        time_limit_or_none, whole)
from .caching import AnswerCache, as_cache
from .choices import Factors, FactorsName, Latency, LatencyName, Mapper, MapperName, Objective, OnInterrupt, word
from .network import NetworkLike, as_network
from .paths import Path
from .results import Result, unless_unmapped
from .running import Callback, check_on_interrupt, unless_interrupted
from .simulating import SimulatedMachine, as_machine
from .zeros import Density, density_words


class MapOptions(TypedDict, total=False):
    """The options of map(), for code that passes them on: map(network, architecture, **options)."""

    density: Density
    objective: Union[Objective, str, None]
    mapper: Union[Mapper, MapperName, None]
    factors: Union[Factors, FactorsName, None]
    latency: Union[Latency, LatencyName, None]
    uneven: bool
    seed: int
    threads: Optional[int]
    evaluations: Optional[int]
    victory: Optional[int]
    largest_space: Optional[int]
    streams: Optional[int]
    timeout: Optional[int]
    time_limit: Optional[float]
    layer_time_limit: Optional[float]
    cache: Union[AnswerCache, Path, None]
    refine: Optional[Literal["simulate"]]
    candidates: Optional[int]
    machine: Optional[SimulatedMachine]
    stop: Optional[_core.StopSource]
    progress: Optional[Callback]
    on_interrupt: OnInterrupt


def map(network: Union[NetworkLike, Sequence[NetworkLike]], architecture: Union[Architecture, Path, Sequence[Path]], *,
        density: Density = None, objective: Union[Objective, str, None] = None, mapper: Union[Mapper, MapperName, None] = None,
        factors: Union[Factors, FactorsName, None] = None, latency: Union[Latency, LatencyName, None] = None, uneven: bool = False,
        seed: int = 1, threads: Optional[int] = None, evaluations: Optional[int] = None, victory: Optional[int] = None,
        largest_space: Optional[int] = None, streams: Optional[int] = None, timeout: Optional[int] = None,
        time_limit: Optional[float] = None, layer_time_limit: Optional[float] = None, cache: Union[AnswerCache, Path, None] = None,
        refine: Optional[Literal["simulate"]] = None, candidates: Optional[int] = None, machine: Optional[SimulatedMachine] = None,
        stop: Optional[_core.StopSource] = None, progress: Optional[Callback] = None, on_interrupt: OnInterrupt = "raise") -> Result:
    """Finds the best mapping of every layer shape, as `tilewright map` does; the options are those of the command line.

    network: a Network, one layer of one, a name of the zoo, a file or an ONNX model in memory; several in a list are mapped as one.
    architecture: likewise a machine. density: of machines that do something about zeros,
    in place of what files say: texts as of --density ("Weights=0.3,conv2*:Inputs=2:4", "densities.csv", "onnx"), several of them, or a dict
    of tensors ({"Weights": 0.3, "conv2*:Inputs": array}) whose values are shares, such texts, and arrays of NumPy's or paths of .npy and
    .mtx files whose elements that are not zero count. What else is left out is as a `mapper` section of
    the machine's files says, and else: objective: the energy-delay product; mapper: the optimal one, whose answers come with a proof,
    where that is quick; factors: "perfect", or which loops may leave a remainder ("ruby", "ruby-s", "ruby-t"), or "padded"; threads: 0,
    which is all there are and does not change the answer. What of such a section is not used is said in the result's notes.
    latency: "physical", the time of the machine as built, of a GPU's kernels or a systolic array (docs/silicon.md), or "plain".
    uneven: mappings, too, that store tensors of one memory at different places. seed: of the random numbers; the same seed gives the
    same answer. evaluations: legal mappings to cost per layer at most. victory: so many legal mappings in a row that are not better end
    a layer. largest_space: an exhaustive search refuses a layer with more mappings. streams, timeout: of the mappers timeloop-...:
    Timeloop's threads, and after how many illegal mappings in a row each gives up. time_limit: seconds, of all layers together; layer_time_limit:
    of each. cache: an AnswerCache, which any number of calls and threads share, or a directory where proven answers are kept; by default
    nothing is. refine: "simulate" simulates the best mappings of every layer, `candidates` of
    them (8), on `machine`, and takes the best by that. stop: a StopSource, by which another thread ends the search: the best so far is
    returned, and `interrupted` is true. progress: called with a Progress as the search goes on, from other threads but one
    call at a time; what it raises ends the search. on_interrupt: Ctrl-C raises Interrupted, whose `result` has the best so far ("raise"),
    or map() returns it ("keep").
    Raises NoMapping, as the command line ends with status 1, where no legal mapping of a layer was found: its `result` has the others.
    """
    options = as_options({
        "objective": objective, "mapper": mapper, "factors": factors, "latency": latency, "uneven": uneven, "seed": seed,
        "threads": threads, "evaluations": evaluations, "victory": victory, "largest_space": largest_space, "streams": streams,
        "timeout": timeout, "time_limit": time_limit, "layer_time_limit": layer_time_limit, "cache": cache, "stop": stop, "refine": refine,
        "candidates": candidates, "machine": machine})
    check_on_interrupt(on_interrupt)
    report, interrupted, told = _core.map(as_network(network)._core, as_architecture(architecture)._core, options,
                                            density_words(density), callback(progress))
    for warning in told:
        warnings.warn(warning, stacklevel=2)
    return unless_unmapped(unless_interrupted(Result(report), interrupted, on_interrupt))


def as_options(given: MapOptions) -> _core.MapOptions:
    """Checked, and as the library takes them; what is about a result, not the search, is the caller's."""
    options = _core.MapOptions()
    options.objective = _word_or_none("objective", given.get("objective"))
    options.mapper = _word_or_none("mapper", given.get("mapper"))
    options.factors = _word_or_none("factors", given.get("factors"))
    options.uneven = switch("uneven", given.get("uneven", False))
    options.seed = whole("seed", given.get("seed", 1))
    threads = given.get("threads")
    options.threads = None if threads is None else thread_count(threads)
    options.evaluations = optional_whole("evaluations", given.get("evaluations"))
    options.victory = optional_whole("victory", given.get("victory"))
    options.largest_space = optional_whole("largest_space", given.get("largest_space"))
    options.streams = optional_whole("streams", given.get("streams"))
    options.timeout = optional_whole("timeout", given.get("timeout"))
    options.time_limit = time_limit_or_none(given.get("time_limit"))
    options.layer_time_limit = time_limit_or_none(given.get("layer_time_limit"), "layer_time_limit")
    options.cache = as_cache(given.get("cache"))
    options.latency = _word_or_none("latency", given.get("latency")) or ""
    options.stop = stop_or_none(given.get("stop"))
    options.refine = optional_text("refine", given.get("refine"))
    candidates, machine = given.get("candidates"), given.get("machine")
    options.candidates = None if candidates is None else candidate_count(candidates)
    options.machine = None if machine is None else as_machine(machine)._as_core()
    return options


def _word_or_none(name: str, value: Any) -> Optional[str]:
    return None if value is None else text(name, word(value))
