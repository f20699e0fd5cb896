# SPDX-License-Identifier: Apache-2.0
"""explore(): the same network on many machines. explore_packages(): on many packages of cores. explore_dataflows(): a data-centric dataflow
on many designs."""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import itertools
import math
import pickle
from typing import Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import (callback, error_at, extents, files, optional_path, path, stop_or_none, switch, text, texts, thread_count,
                        time_limit_or_none, usage_error)
from .caching import AnswerCache
from .choices import Factors, FactorsName, Latency, LatencyName, Mapper, MapperName, Objective, OnInterrupt, word
from .errors import InputError, NoMapping
from .fusing import read_cascade
from .mapping import MapOptions, as_options
from .mapping import map as map_network
from .network import Network, NetworkLike, OnnxModel, as_network
from .paths import Path
from .results import Result
from .running import Callback, check_on_interrupt, unless_interrupted
from .simulating import SimulatedMachine
from .zeros import Density, density_words

Point = Dict[str, Any]
Metric = Tuple[str, str, bool]
"""Its name, what it is called for short ("" for nothing), and whether more of it is better."""

METRICS = tuple(name for name, _, _ in _core.mapping_metrics())


@dataclasses.dataclass(frozen=True)
class MachineProof:
    """That no machine of the space is better than the best one, as `tilewright explore --prove` shows it (docs/codesign.md)."""

    proven: bool
    """No other machine has a lower value; where there is no best one: none has a mapping of every layer."""
    value: Optional[float]
    """Of the best machine, in the metric that `objective` asks for."""
    bound: Optional[float]
    """Below which no machine has a value; None: none has a mapping of every layer."""
    mapped: int
    """Machines that were mapped; the others were ruled out by bounds of many at once."""
    plan: str = dataclasses.field(repr=False)
    """On the best package, where they are packages of cores; "": of machines."""
    certificate: str = dataclasses.field(repr=False)
    """What `tilewright check` takes; "": none, and the notes say why."""
    notes: List[str] = dataclasses.field(repr=False)
    _json: str = dataclasses.field(repr=False)
    _text: str = dataclasses.field(repr=False)

    def to_json(self) -> str:
        """What `tilewright explore --prove --json` prints."""
        return self._json

    def __str__(self) -> str:
        return self._text


class Exploration:
    """Points, each a dictionary: its knobs, its status ("valid" or "failed"), its metrics or a message."""

    def __init__(self, knobs: Sequence[str], points: List[Point], total: int, metrics: Sequence[Metric] = ()) -> None:
        known = metrics or _core.mapping_metrics()
        self.knobs = list(knobs)
        self.points = points
        self.total = total
        """Points of the whole space."""
        self.proof: Optional[MachineProof] = None
        """With explore(prove=True), whose one point is the best machine."""
        self.metrics = [name for name, _, _ in known]
        self._aliases = {alias: name for name, alias, _ in known if alias}
        self._more_is_better = {name for name, _, more in known if more}

    def best(self, metric: str) -> Point:
        """The valid point that is best in a metric, the first of equals."""
        name = self._named(metric)
        return min(self._valid(), key=lambda point: self._cost(point, name))

    def pareto(self, *metrics: str) -> List[Point]:
        """The valid points that no other beats in all of these metrics, by the first of them."""
        names = [self._named(metric) for metric in metrics]
        costs = [[self._cost(point, name) for name in names] for point in self._valid()]
        front = [point for point, cost in zip(self._valid(), costs) if not any(_beats(other, cost) for other in costs)]
        return sorted(front, key=lambda point: self._cost(point, names[0]))

    def to_dict(self) -> List[Point]:
        return [dict(point) for point in self.points]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, a row a point."""
        import pandas

        return pandas.DataFrame(self.points)

    def _named(self, metric: str) -> str:
        name = self._aliases.get(metric, metric)
        if name not in self.metrics:
            raise ValueError(f"unknown metric '{metric}'; there are {', '.join([*self._aliases, *self.metrics])}")
        return name

    def _cost(self, point: Point, name: str) -> float:
        return -float(point[name]) if name in self._more_is_better else float(point[name])

    def _valid(self) -> List[Point]:
        return [point for point in self.points if point["status"] == "valid"]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __repr__(self) -> str:
        return f"<Exploration of {', '.join(self.knobs)}: {len(self)} of {self.total} points>"


class DataflowExploration(Exploration):
    """Designs of a dataflow; `metrics` has the names of what is measured. Those that are not within the limits are kept on request."""

    def __init__(self, knobs: Sequence[str], points: List[Point], total: int, explored: int) -> None:
        super().__init__(knobs, points, total, _core.dataflow_metrics())
        self.explored = explored
        """Points that were looked at, by themselves or as a range that is over a limit."""


def explore_dataflows(layers: Union[Path, Sequence[Path]], knobs: Mapping[str, Union[str, Sequence[int]]], *,
                      sizes: Optional[Mapping[str, int]] = None, limits: Union[str, Sequence[str], None] = None,
                      cost: Optional[Path] = None, keep_all: bool = False, progress: Optional[Callback] = None,
                      on_interrupt: OnInterrupt = "raise") -> DataflowExploration:
    """Measures every design of a data-centric dataflow, as `tilewright explore` does of files *.m; the last knob varies fastest.

    layers: MAESTRO's files, whose dataflows leave sizes open. knobs: those sizes, "units", "noc" and "vector_width", with numbers or a
    range ("16..256+8"). sizes: what is left open and does not vary. limits: "area<16"; ranges beyond are skipped. cost: a file that says
    what blocks cost (docs/explore.md). keep_all: designs over a limit, too, where they were measured.
    progress and on_interrupt: as of explore().
    """
    check_on_interrupt(on_interrupt)
    if not isinstance(knobs, collections.abc.Mapping):
        raise TypeError(f"knobs takes names and lists of values, found {knobs!r}")
    if not knobs:
        raise usage_error("nothing varies: give knobs, e.g. {'units': [16, 32]}")
    words = [f"{name}={values if isinstance(values, str) else ','.join(str(value) for value in values)}" for name, values in knobs.items()]
    rows, explored, total, interrupted = _core.explore_dataflows(
        files("layers", layers), words, extents("sizes", sizes or {}), texts("limits", limits), optional_path("cost", cost),
        switch("keep_all", keep_all), callback(progress))
    result = DataflowExploration(list(knobs), [], total, explored)
    for point, values, status, measured, message in rows:
        more: Point = {"message": message} if status == "failed" else dict(zip(result.metrics, measured))
        result.points.append({"point": point, **dict(zip(knobs, values)), "status": status, **more})
    return unless_interrupted(result, interrupted, on_interrupt)


def explore(network: Union[NetworkLike, Sequence[NetworkLike]], architecture: Union[Architecture, Path, Sequence[Path]],
            knobs: Mapping[str, Sequence[object]], *, progress: Optional[Callable[[int, int], object]] = None,
            on_interrupt: OnInterrupt = "raise", client: Any = None, density: Density = None,
            objective: Union[Objective, str, None] = None, mapper: Union[Mapper, MapperName, None] = None,
            factors: Union[Factors, FactorsName, None] = None, latency: Union[Latency, LatencyName, None] = None, uneven: bool = False,
            seed: int = 1, threads: Optional[int] = None, evaluations: Optional[int] = None, victory: Optional[int] = None,
            largest_space: Optional[int] = None, streams: Optional[int] = None, timeout: Optional[int] = None,
            cache: Union[AnswerCache, Path, None] = None, refine: Optional[Literal["simulate"]] = None,
            candidates: Optional[int] = None, machine: Optional[SimulatedMachine] = None, time_limit: None = None,
            prove: bool = False, stop: Optional[_core.StopSource] = None) -> Exploration:
    """Maps the network on every machine of a space, as `tilewright explore` does; the last knob varies fastest.

    architecture: the machine whose attributes vary. on_interrupt: "raise" or "keep", as of map().
    knobs: attributes of the machine with their values ({"GlobalBuffer.depth": [1024, 2048]}), and "mapper", "objective", "factors"
    or "seed". density, objective, mapper, factors, latency, uneven, seed, threads, evaluations, victory, largest_space, streams, timeout,
    cache, refine, candidates, machine: as of map(). time_limit is refused: what a point is would depend on it.
    progress: called with the points that are done and those there are. A point that has no mapping, or no machine, is "failed" and says
    why; a knob that no machine has raises InputError. Ctrl-C: as of map().
    client: a dask.distributed.Client, whose workers measure the points; they have tilewright and see the same files. Points of a
    worker that dies go to others. The points are the same as without it.
    prove: only the best machine counts, by `objective` ("edp", "energy" or "latency"): it is found by bounds of many machines at once, and
    `proof` of the answer shows that no other is better. Knobs are attributes of the machine then; progress is called with the machines that
    are decided. stop: a StopSource, which ends the search with the best, or the points, so far.
    """
    check_on_interrupt(on_interrupt)
    options: MapOptions = {
        "density": density, "objective": objective, "mapper": mapper, "factors": factors, "latency": latency, "uneven": uneven,
        "seed": seed, "threads": threads, "evaluations": evaluations, "victory": victory, "largest_space": largest_space,
        "streams": streams, "timeout": timeout, "cache": cache, "refine": refine, "candidates": candidates, "machine": machine}
    network, base = as_network(network), as_architecture(architecture)
    _knob_words(knobs)
    names, stop = list(knobs), stop_or_none(stop)
    if time_limit is not None:
        raise usage_error("time_limit: the rows would depend on the machine's speed")
    if client is not None and not all(callable(getattr(client, method, None)) for method in ("map", "cancel", "gather")):
        raise TypeError(f"client takes a dask.distributed.Client, found {client!r}")
    _check_knobs(base, knobs)
    if switch("prove", prove):
        if client is not None:
            raise usage_error("prove: one process proves; leave out client")
        options["stop"] = stop
        return _proven(network, base, knobs, options, progress, on_interrupt)
    space = [dict(zip(names, values)) for values in itertools.product(*knobs.values())]
    explored = Exploration(names, [], len(space))
    measured = _here(network, base, space, options) if client is None else _by_dask(client, network, base, space, options)
    try:
        for done, (index, metrics) in enumerate(measured, 1):
            explored.points.append({"point": index, **space[index], **metrics})
            if progress is not None:
                progress(done, len(space))
            if stop is not None and stop.requested():
                break
    except KeyboardInterrupt:
        return unless_interrupted(_ordered(explored), True, on_interrupt)
    return _ordered(explored)


def explore_packages(network: Union[Network, Path, bytes, OnnxModel], package: Path, knobs: Mapping[str, Sequence[object]], *,
                     objective: Union[Objective, Literal["energy", "latency", "edp"]] = "edp", dims: Optional[Mapping[str, int]] = None,
                     phase: Optional[str] = None, density: Density = None, time_limit: Optional[float] = None, prove: bool = False,
                     threads: Optional[int] = None, stop: Optional[_core.StopSource] = None,
                     progress: Optional[Callable[[int, int], object]] = None, on_interrupt: OnInterrupt = "raise") -> Exploration:
    """Plans the cascade on every package of a space, as `tilewright explore --package` does; the last knob varies fastest.

    network, package, objective, dims, phase, density: as of map_package(). knobs: settings of the package with their values
    ({"package.mesh": ["2x1", "2x2"], "package.d2d.words_per_cycle": [4, 8]}). time_limit: seconds for each package; what is not proven
    then depends on the machine's speed, and "bound_share" of a point says how near it is.
    prove, stop, progress, on_interrupt: as of explore(); with prove, `proof` has the best package's plan. threads: of a proof.
    """
    check_on_interrupt(on_interrupt)
    cascade, words = read_cascade(network, dims, phase), _knob_words(knobs)
    given = (cascade, path("package", package), words, text("objective", word(objective)), time_limit_or_none(time_limit), density_words(density))
    stop, told = stop_or_none(stop), _of_two(progress)
    if switch("prove", prove):
        found, interrupted = _core.prove_packages(*given, 0 if threads is None else thread_count(threads), stop, told)
        return unless_interrupted(_of_proof(found, knobs, _core.package_metrics()), interrupted, on_interrupt)
    rows, interrupted = _core.plan_packages(*given, stop, told)
    explored = Exploration(list(knobs), [], math.prod(len(values) for _, values in words), _core.package_metrics())
    for point, (chosen, (measured, message)) in enumerate(zip(itertools.product(*knobs.values()), rows)):
        found_here: Point = {"status": "valid", **dict(zip(explored.metrics, measured))} if measured else {"status": "failed", "message": message}
        explored.points.append({"point": point, **dict(zip(knobs, chosen)), **found_here})
    return unless_interrupted(explored, interrupted, on_interrupt)


def _proven(network: Network, machine: Architecture, knobs: Mapping[str, Sequence[object]], options: MapOptions,
            progress: Optional[Callable[[int, int], object]], on_interrupt: OnInterrupt) -> Exploration:
    """The best machine, with proof."""
    found, interrupted = _core.prove(network._core, machine._core, as_options(options), density_words(options["density"]), _knob_words(knobs),
                                     _of_two(progress))
    return unless_interrupted(_of_proof(found, knobs, _core.mapping_metrics()), interrupted, on_interrupt)


def _of_two(progress: Optional[Callable[[int, int], object]]) -> Any:
    """A callback that takes both numbers apart."""
    told = callback(progress)
    return None if told is None else lambda numbers: told(*numbers)


def _of_proof(found: _core.BestMachine, knobs: Mapping[str, Sequence[object]], metrics: Sequence[Metric]) -> Exploration:
    """Its one point is the best machine."""
    explored = Exploration(list(knobs), [], math.prod(len(values) for values in knobs.values()), metrics)
    explored.proof = MachineProof(found.proven, found.value, found.bound, found.mapped, found.plan, found.certificate, found.notes,
                                  found.json(), found.text())
    if found.best is not None:
        point, measured = found.best
        given: Dict[str, object] = {}
        before = point
        for name in reversed(explored.knobs):  # the last one varies fastest
            before, position = divmod(before, len(knobs[name]))
            given[name] = knobs[name][position]
        explored.points = [{"point": point, **{name: given[name] for name in knobs}, "status": "valid", **measured}]
    return explored


def _ordered(explored: Exploration) -> Exploration:
    explored.points.sort(key=lambda point: int(point["point"]))
    return explored


Measured = Iterator[Tuple[int, Point]]


def _here(network: Network, machine: Architecture, space: Sequence[Point], options: MapOptions) -> Measured:
    for index, given in enumerate(space):
        yield index, _measured(network, machine, given, options)


def _by_dask(client: Any, network: Network, machine: Architecture, space: Sequence[Point], options: MapOptions) -> Measured:
    """As they are done. Tasks hold what to read, not what was read, so that they need nothing of a worker that died."""
    import distributed

    subject = pickle.dumps((network, machine))
    search = options.copy()
    if search["threads"] is None:
        search["threads"] = 1  # as many tasks at once as the worker has threads
    tasks = client.map(functools.partial(_measured_elsewhere, subject, options=search), space, pure=False)
    try:
        index_of = {task.key: index for index, task in enumerate(tasks)}
        for task, metrics in distributed.as_completed(tasks, with_results=True):
            yield index_of[task.key], metrics
    finally:
        client.cancel(tasks)


@functools.lru_cache(maxsize=4)
def _subject_of(pickled: bytes) -> Tuple[Network, Architecture]:
    network, machine = pickle.loads(pickled)
    return network, machine


def _measured_elsewhere(subject: bytes, given: Mapping[str, object], options: MapOptions) -> Point:
    network, machine = _subject_of(subject)
    return _measured(network, machine, given, options)


def _knob_words(knobs: Mapping[str, Sequence[object]]) -> List[Tuple[str, List[str]]]:
    """Names with their values as the command line has them."""
    if not isinstance(knobs, collections.abc.Mapping):
        raise TypeError(f"knobs takes names and lists of values, found {knobs!r}")
    all_words = []
    for name, values in knobs.items():
        if isinstance(values, str) or not isinstance(values, collections.abc.Sequence) and not hasattr(values, "__len__"):
            raise TypeError(f"'{name}' takes a list of values, found {values!r}")
        if len(values) == 0:
            raise usage_error(f"'{name}' has no values")
        words = [str(word(value)) if isinstance(value, str) else str(value) for value in values]
        for i, value in enumerate(words):
            if value in words[:i]:
                raise error_at(f"{name}={','.join(words)}", "bad-value", f"the value '{value}' is given twice")
        all_words.append((name, words))
    return all_words


def _check_knobs(machine: Architecture, knobs: Mapping[str, Sequence[object]]) -> None:
    """Names, and words of the search: a slip in one is no property of a point. Values of the machine are, whatever their order."""
    for name, words in _knob_words(knobs):
        if not _core.is_search_knob(name):
            machine.check_names({name: ",".join(words)})
            continue
        for value in words:
            _core.check_search_value(name, value, f"{name}={','.join(words)}")


def _measured(network: Network, machine: Architecture, given: Mapping[str, object], options: MapOptions) -> Point:
    settings = {name: value for name, value in given.items() if not _core.is_search_knob(name)}
    search: Dict[str, Any] = {**options, **{name: value for name, value in given.items() if _core.is_search_knob(name)}}
    try:
        changed = machine.with_settings(settings) if settings else machine
        result = map_network(network, changed, **search)
    except NoMapping as none:
        layer = next(one for one in none.result.layers if not one.mapped)
        return {"status": "failed", "message": f"{layer.names[0]}: {(layer.failures or ['no mapping'])[0]}"}
    except (InputError, OverflowError) as error:
        return {"status": "failed", "message": getattr(error, "message", str(error))}
    return {"status": "valid", **_metrics(result, changed)}


def _metrics(result: Result, machine: Architecture) -> Dict[str, float]:
    proven = sum(layer.proven for layer in result.layers)
    return dict(zip(METRICS, _core.mapping_values(machine._core, result.operations, result.energy_pj, result.cycles, proven)))


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other)) and any(a < b for a, b in zip(one, other))
