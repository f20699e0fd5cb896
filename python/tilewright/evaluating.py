"""evaluate(): what given mappings cost."""

from __future__ import annotations

from typing import Optional, Sequence, Tuple, Union

from . import _core
from .architecture import Architecture, as_architecture
from .choices import Accounting
from .network import Network, as_network
from .paths import Path
from .results import Result

Mappings = Union[Result, Path, None]


def evaluate(network: Union[Network, Path], architecture: Union[Architecture, Path, Sequence[Path]], mapping: Mappings = None, *,
             account: Union[Accounting, str] = Accounting.EXACT, restore_remainders: bool = False) -> Result:
    """Costs given mappings: of a file, of a Result, or (None) those that the machine's files hold.

    account: whose rules count. restore_remainders: files of Timeloop's mapper drop the remainders of imperfect factors; put them
    back. A layer whose mapping is not legal, or that has none, says why in its `failures`.
    """
    file, text = source_of(mapping)
    return Result(_core.evaluate(as_network(network)._core, as_architecture(architecture)._core, file, text,
                                 account.value if isinstance(account, Accounting) else account, restore_remainders))


def source_of(mapping: Mappings) -> Tuple[Optional[Path], Optional[str]]:
    """A file, or the text of one."""
    if isinstance(mapping, Result):
        return None, mapping.mapping_file()
    return mapping, None
