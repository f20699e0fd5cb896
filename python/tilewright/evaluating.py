# SPDX-License-Identifier: Apache-2.0
"""evaluate(): what given mappings cost."""

from __future__ import annotations

from typing import Optional, Sequence, Tuple, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import optional_path, switch, text
from .choices import Accounting, AccountingName, Latency, LatencyName, word
from .nests import Mapping
from .network import NetworkLike, as_network
from .paths import Path
from .results import Result, unless_unmapped
from .zeros import Density, density_words

Mappings = Union[Result, Mapping, Path, None]


def evaluate(network: NetworkLike, architecture: Union[Architecture, Path, Sequence[Path]], mapping: Mappings = None, *,
             account: Union[Accounting, AccountingName] = Accounting.EXACT, restore_remainders: bool = False,
             density: Density = None, latency: Union[Latency, LatencyName, None] = None) -> Result:
    """Costs given mappings: of a file, of a Result, a Mapping (of a network of one layer), or (None) those that the machine's files hold.

    network, architecture, density: as map() takes them.
    account: whose rules count. restore_remainders: files of Timeloop's mapper drop the remainders of imperfect factors; put them
    back. latency: "physical", the time of the machine as built (what counts where its files say it, docs/silicon.md), or "plain".
    Raises NoMapping, as the command line ends with status 1, where the mapping of a layer is not legal or a layer has none:
    its `result` has the others.
    """
    file, given = source_of(mapping)
    return unless_unmapped(Result(_core.evaluate(as_network(network)._core, as_architecture(architecture)._core, file, given,
                                                 text("account", word(account)), switch("restore_remainders", restore_remainders),
                                                 density_words(density), "" if latency is None else text("latency", word(latency)))))


def source_of(mapping: Mappings) -> Tuple[Optional[Path], Optional[str]]:
    """A file, or the text of one."""
    if isinstance(mapping, Result):
        return None, mapping.mapping_file()
    if isinstance(mapping, Mapping):
        return None, mapping.text
    return optional_path("mapping", mapping), None
