# SPDX-License-Identifier: Apache-2.0
"""Tilewright maps deep-learning layers onto accelerators; this is its library in Python (docs/python.md).

    import tilewright

    result = tilewright.map("resnet18", "eyeriss", objective="edp")
    print(result.energy.by("memory", "tensor"))
"""

from ._core import version as __version__
from ._core import Progress, StopSource
from .architecture import Architecture
from .caching import AnswerCache
from .checking import CertificateProblem, CertificateVerdict, check
from .choices import Accounting, Factors, Latency, Mapper, Objective
from .comparing import Comparison, compare
from .costs import Breakdown, Quantity
from .errors import InputError, Interrupted, NoMapping
from .evaluating import evaluate
from .exploring import DataflowExploration, Exploration, MachineProof, explore, explore_dataflows, explore_packages
from .fusing import FusedResult, map_fused
from .mapping import MapOptions
from .mapping import map as map
from .nests import Mapping
from .network import Layer, Network
from .packages import PackageResult, evaluate_package, map_package
from .pages import Page, side_by_side
from .results import Result
from .scheduling import Schedule, schedule
from .serving import Serving, llm
from .simulating import ScheduleReplay, SimulatedMachine, Simulation, simulate
from .tiles import Tiles, TilesAnswer, TilesInterval, TilesTable
from .zeros import LayerZeros, Saved, Savings, TensorDensity
from .zigzag import ZigzagLayer, ZigzagMachine, ZigzagResult, map_zigzag

__all__ = [
    "Accounting", "AnswerCache", "Architecture", "Breakdown", "CertificateProblem", "CertificateVerdict", "Comparison",
    "DataflowExploration", "Exploration", "Factors", "FusedResult", "InputError", "Interrupted", "Latency", "Layer", "LayerZeros",
    "MachineProof", "MapOptions", "Mapper", "Mapping", "Network", "NoMapping", "Objective", "PackageResult", "Page", "Progress", "Quantity", "Result",
    "Saved", "Savings", "Schedule", "ScheduleReplay", "Serving", "SimulatedMachine", "Simulation", "StopSource", "TensorDensity",
    "Tiles", "TilesAnswer", "TilesInterval", "TilesTable", "ZigzagLayer",
    "ZigzagMachine", "ZigzagResult", "__version__", "check", "compare", "evaluate", "evaluate_package", "explore", "explore_dataflows", "explore_packages",
    "llm", "map_fused", "map_package", "map_zigzag", "schedule", "side_by_side", "simulate",
]  # without `map`, which `import *` leaves to Python
