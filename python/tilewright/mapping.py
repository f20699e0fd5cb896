# SPDX-License-Identifier: Apache-2.0
"""map(): the best mapping of every layer."""

from __future__ import annotations

import warnings
from typing import Optional, Sequence, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import (callback, candidate_count, optional_path, optional_text, optional_whole, switch, text,
                        thread_count, time_limit_or_none, whole)
from .choices import Factors, Mapper, Objective, word
from .network import Network, as_network
from .paths import Path
from .results import Result, unless_unmapped
from .running import Callback, check_on_interrupt, unless_interrupted
from .simulating import SimulatedMachine, as_machine
from .zeros import Density, density_words


def map(network: Union[Network, Path], architecture: Union[Architecture, Path, Sequence[Path]], *,
        density: Density = None, objective: Union[Objective, str, None] = None, mapper: Union[Mapper, str, None] = None,
        factors: Union[Factors, str, None] = None, uneven: bool = False, seed: int = 1, threads: Optional[int] = None,
        evaluations: Optional[int] = None, victory: Optional[int] = None, largest_space: Optional[int] = None,
        streams: Optional[int] = None, timeout: Optional[int] = None, time_limit: Optional[float] = None,
        cache: Optional[Path] = None, refine: Optional[str] = None, candidates: Optional[int] = None,
        machine: Optional[SimulatedMachine] = None, progress: Optional[Callback] = None,
        on_interrupt: str = "raise") -> Result:
    """Finds the best mapping of every layer shape, as `tilewright map` does; the options are those of the command line.

    network: a Network, a name of the zoo or a file. architecture: likewise a machine. density: of machines that do something about zeros,
    in place of what files say: texts as of --density ("Weights=0.3,conv2*:Inputs=2:4", "densities.csv", "onnx"), several of them, or a dict
    of tensors ({"Weights": 0.3, "conv2*:Inputs": array}) whose values are shares, such texts, and arrays of NumPy's or paths of .npy and
    .mtx files whose elements that are not zero count. What else is left out is as a `mapper` section of
    the machine's files says, and else: objective: the energy-delay product; mapper: the optimal one, whose answers come with a proof,
    where that is quick; factors: "perfect", or which loops may leave a remainder ("ruby", "ruby-s", "ruby-t"), or "padded"; threads: 0,
    which is all there are and does not change the answer. What of such a section is not used is said in the result's notes.
    uneven: mappings, too, that store tensors of one memory at different places. seed: of the random numbers; the same seed gives the
    same answer. evaluations: legal mappings to cost per layer at most. victory: so many legal mappings in a row that are not better end
    a layer. largest_space: an exhaustive search refuses a layer with more mappings. streams, timeout: of the mappers timeloop-...: Timeloop's
    threads, and after how many illegal mappings in a row each gives up. time_limit: seconds, of all layers together. cache: a directory
    where proven answers are kept; by default nothing is. refine: "simulate" simulates the best mappings of every layer, `candidates` of
    them (8), on `machine`, and takes the best by that. progress: called with a Progress as the search goes on, from other threads but one
    call at a time; what it raises ends the search. on_interrupt: Ctrl-C raises Interrupted, whose `result` has the best so far ("raise"),
    or map() returns it ("keep").
    Raises NoMapping, as the command line ends with status 1, where no legal mapping of a layer was found: its `result` has the others.
    """
    options = _core.MapOptions()
    options.objective = None if objective is None else text("objective", word(objective))
    options.mapper = None if mapper is None else text("mapper", word(mapper))
    options.factors = None if factors is None else text("factors", word(factors))
    options.uneven = switch("uneven", uneven)
    options.seed = whole("seed", seed)
    options.threads = None if threads is None else thread_count(threads)
    options.evaluations = optional_whole("evaluations", evaluations)
    options.victory = optional_whole("victory", victory)
    options.largest_space = optional_whole("largest_space", largest_space)
    options.streams = optional_whole("streams", streams)
    options.timeout = optional_whole("timeout", timeout)
    options.time_limit = time_limit_or_none(time_limit)
    options.cache = optional_path("cache", cache)
    options.refine = optional_text("refine", refine)
    options.candidates = None if candidates is None else candidate_count(candidates)
    options.machine = None if machine is None else as_machine(machine)._as_core()
    check_on_interrupt(on_interrupt)
    report, interrupted, told = _core.map(as_network(network)._core, as_architecture(architecture)._core, options,
                                            density_words(density), callback(progress))
    for warning in told:
        warnings.warn(warning, stacklevel=2)
    return unless_unmapped(unless_interrupted(Result(report), interrupted, on_interrupt))
