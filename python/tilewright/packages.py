# SPDX-License-Identifier: Apache-2.0
"""map_package() and evaluate_package(): plans of a cascade on a package of cores."""

from __future__ import annotations

import collections.abc
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Tuple, Union

from . import _core
from .arguments import callback, path, report_file, stop_or_none, text, time_limit_or_none
from .choices import Objective, OnInterrupt, word
from .errors import NoMapping
from .fusing import read_cascade
from .network import Network, OnnxModel
from .pages import Picture, Table, picture_of
from .paths import Path
from .running import Callback, check_on_interrupt, unless_interrupted
from .zeros import Density, density_words


class PackageResult(Table):
    """A plan on a package, found or given, with its costs by cause, place, tensor and slot (docs/packages-of-cores.md)."""

    def __init__(self, core: _core.PackageReport) -> None:
        self._core = core
        self._document = self.to_dict()

    @property
    def network(self) -> str:
        return self._core.network

    @property
    def package(self) -> str:
        return self._core.package

    @property
    def energy_pj(self) -> float:
        return self._core.energy_pj

    @property
    def cycles(self) -> int:
        return self._core.cycles

    @property
    def edp(self) -> float:
        """Energy-delay product: pJ times cycles."""
        return self.energy_pj * self.cycles

    @property
    def bound(self) -> Optional[float]:
        """No plan of the space has a lower value of the objective; None: the plan was given."""
        return self._core.bound

    @property
    def proven(self) -> bool:
        """The plan has the value of the bound."""
        return self._core.proven

    @property
    def interrupted(self) -> bool:
        """Stopped by Ctrl-C, a StopSource or a time limit: the best that was found until then."""
        return self._core.interrupted

    @property
    def plan(self) -> str:
        """Runs, teams and splits as text, which `evaluate --plan` and evaluate_package() take."""
        return self._core.plan

    @property
    def energy_by_cause(self) -> Dict[str, float]:
        """In pJ: leaves, sends, arrivals, sums, links, d2d, dram, leakage."""
        return {cause: pj for cause, pj in self._document["energy_pj"].items() if cause != "total"}

    @property
    def runs(self) -> List[Dict[str, Any]]:
        """Runs with their stages, slots and room by tensor."""
        return list(self._document["runs"])

    @property
    def cores(self) -> List[Dict[str, Any]]:
        return list(self._document["cores"])

    @property
    def links(self) -> List[Dict[str, Any]]:
        """Links over which words go, with the slots in which they decide."""
        return list(self._document["links"])

    @property
    def tensors(self) -> List[Dict[str, Any]]:
        """Words of tensors through DRAMs, over links, and over links between chiplets."""
        return list(self._document["tensors"])

    @property
    def notes(self) -> List[str]:
        return self._core.notes

    def plot(self, kind: str = "package") -> Picture:
        """The first picture of the page: energy by place."""
        return picture_of([self], kind)

    def to_json(self) -> str:
        return self._core.json()

    def _csv(self) -> str:
        """A row for every slot of every run."""
        return self._core.csv()

    def _files(self) -> Dict[str, str]:
        return {**super()._files(), "plan.txt": self.plan}

    @classmethod
    def load(cls, source: Path) -> "PackageResult":
        """What a run left: the folder of save() or -o, or its report.json."""
        file = report_file(source)
        return _restored(_core.read_text(file), file)

    def __reduce__(self) -> Any:
        return (_restored, (self.to_json(),))

    def __len__(self) -> int:
        """Runs."""
        return len(self.runs)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.runs)

    def __repr__(self) -> str:
        return f"<PackageResult {self.network} on {self.package}: {self.energy_pj * 1e-12:.4g} J, {self.cycles:,} cycles>"

    def __str__(self) -> str:
        return self._core.text()


def _settings(settings: Optional[Mapping[str, object]]) -> List[Tuple[str, str]]:
    if settings is None:
        return []
    if not isinstance(settings, collections.abc.Mapping):
        raise TypeError(f"settings takes names and values, found {settings!r}")
    return [(text("settings", name), str(value)) for name, value in settings.items()]


def map_package(network: Union[Network, Path, bytes, OnnxModel], package: Path, *,
                objective: Union[Objective, Literal["energy", "latency", "edp"]] = "edp", dims: Optional[Mapping[str, int]] = None,
                phase: Optional[str] = None, settings: Optional[Mapping[str, object]] = None, density: Density = None,
                time_limit: Optional[float] = None, stop: Optional[_core.StopSource] = None, progress: Optional[Callback] = None,
                on_interrupt: OnInterrupt = "raise") -> PackageResult:
    """Finds the best plan of a cascade on a package of cores, as `tilewright map --package` does.

    network, dims, phase: as of map_fused(). package: one that comes with Tilewright, such as "quad-npu", or a file with a section
    `package` (docs/packages-of-cores.md). objective: "energy", "latency" or "edp". settings: values of the package's file
    ("package.link.words_per_cycle": 8) and attributes of its cores' machines ("buffer.depth": 4096). density is refused: the table of
    capabilities says why (docs/composition.md). time_limit: seconds; then the best so far, with a bound. stop, progress, on_interrupt:
    as of map(). Raises NoMapping where no plan was found.
    """
    check_on_interrupt(on_interrupt)
    cascade = read_cascade(network, dims, phase)
    report, interrupted = _core.map_package(cascade, path("package", package), _settings(settings), text("objective", word(objective)),
                                            time_limit_or_none(time_limit), density_words(density), stop_or_none(stop), callback(progress))
    if report is None:
        raise NoMapping(f"no plan of '{cascade.name}' was found")
    return unless_interrupted(PackageResult(report), interrupted, on_interrupt)


def evaluate_package(network: Union[Network, Path, bytes, OnnxModel], package: Path, plan: Union[Path, PackageResult], *,
                     dims: Optional[Mapping[str, int]] = None, phase: Optional[str] = None,
                     settings: Optional[Mapping[str, object]] = None, density: Density = None) -> PackageResult:
    """What a plan costs, as `tilewright evaluate --package --plan` says it.

    plan: a file, its text ("run m by 4\\n  stage ..."), or a result of map_package(). network, package, dims, phase, settings,
    density: as of map_package(). Raises InputError for a plan that is refused, at its place or with the reason.
    """
    cascade = read_cascade(network, dims, phase)
    if isinstance(plan, PackageResult):
        words, file = plan.plan, "<plan>"
    elif isinstance(plan, str) and (plan.startswith("run ") or "\n" in plan):
        words, file = plan, "<plan>"
    else:
        file = path("plan", plan)
        words = _core.read_text(file)
    return PackageResult(_core.evaluate_package(cascade, path("package", package), _settings(settings), words, file, density_words(density)))


def _restored(text: str, file: str = "report.json") -> PackageResult:
    return PackageResult(_core.read_package_report(text, file))
