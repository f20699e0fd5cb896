# SPDX-License-Identifier: Apache-2.0
"""Words that functions take, as enumerations and as types of the words themselves: "hybrid" for Mapper.HYBRID."""

from __future__ import annotations

import enum
from typing import Literal

OnInterrupt = Literal["raise", "keep"]
MapperName = Literal[
    "optimal", "hybrid", "anneal", "genetic", "random", "linear-pruned", "exhaustive", "loma", "salsa", "cosa", "timeloop-hybrid",
    "timeloop-random", "timeloop-random-pruned", "timeloop-linear-pruned"]
FactorsName = Literal["perfect", "ruby", "ruby-s", "ruby-t", "padded"]
AccountingName = Literal["exact", "timeloop", "zigzag"]
LatencyName = Literal["physical", "plain"]


class Objective(str, enum.Enum):
    """What a search minimises. Products such as "energy^2*latency" are written as text."""

    ENERGY = "energy"
    LATENCY = "latency"
    EDP = "edp"
    ED2P = "ed2p"
    PARETO = "pareto"


class Mapper(str, enum.Enum):
    """Who searches (docs/search.md)."""

    OPTIMAL = "optimal"
    HYBRID = "hybrid"
    ANNEAL = "anneal"
    GENETIC = "genetic"
    RANDOM = "random"
    LINEAR_PRUNED = "linear-pruned"
    EXHAUSTIVE = "exhaustive"
    LOMA = "loma"
    SALSA = "salsa"
    COSA = "cosa"
    TIMELOOP_HYBRID = "timeloop-hybrid"
    TIMELOOP_RANDOM = "timeloop-random"
    TIMELOOP_RANDOM_PRUNED = "timeloop-random-pruned"
    TIMELOOP_LINEAR_PRUNED = "timeloop-linear-pruned"


class Factors(str, enum.Enum):
    """Which loops may leave a remainder (docs/ruby.md)."""

    PERFECT = "perfect"
    RUBY = "ruby"
    RUBY_S = "ruby-s"
    RUBY_T = "ruby-t"
    PADDED = "padded"


class Accounting(str, enum.Enum):
    """Whose rules count."""

    EXACT = "exact"
    TIMELOOP = "timeloop"
    ZIGZAG = "zigzag"


class Latency(str, enum.Enum):
    """Whose time counts on a machine whose files say how it was built (docs/silicon.md)."""

    PHYSICAL = "physical"
    PLAIN = "plain"


def word(choice: str) -> str:
    """The text of a member of an enumeration, or the text itself."""
    return str(choice.value) if isinstance(choice, (Objective, Mapper, Factors, Accounting, Latency)) else choice
