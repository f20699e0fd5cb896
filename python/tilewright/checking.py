# SPDX-License-Identifier: Apache-2.0
"""check(): the verdict on a certificate."""

from __future__ import annotations

import dataclasses
import os
from typing import List, Optional, Sequence, Union

from . import _core
from .architecture import Architecture, as_architecture
from .arguments import path, stop_or_none
from .errors import Interrupted
from .fusing import cascade_of
from .network import Network, as_network
from .paths import Path
from .zeros import Density, density_words


@dataclasses.dataclass(frozen=True)
class CertificateProblem:
    """One thing that is wrong with a certificate, or not confirmed; its place counts from 1."""

    message: str
    file: str
    line: int
    column: int


@dataclasses.dataclass(frozen=True)
class CertificateVerdict:
    """What was proven again, a sentence each, and what was not."""

    confirmed: List[str]
    problems: List[CertificateProblem]
    interrupted: bool
    """Stopped before all was judged."""

    def holds(self) -> bool:
        """All that the certificate claims is confirmed."""
        return not self.problems and not self.interrupted


def check(certificate: Path, network: Union[Network, Path, None] = None,
          architecture: Union[Architecture, Path, Sequence[Path], None] = None, *, density: Density = None,
          stop: Optional[_core.StopSource] = None) -> CertificateVerdict:
    """Proves again what a certificate claims, as `tilewright check` does, with code of its own that no search shares.

    certificate: the file that `tilewright map -o` or `--certificate` wrote, or a folder that has certificate.json. network, architecture,
    density: as of map(); the certificate has to speak of these. Without them it is judged by what stands in it. stop: leaves the rest
    unconfirmed. Raises InputError where it cannot be read. Ctrl-C raises Interrupted, whose `result` has the verdict so far.
    """
    file = path("certificate", certificate)
    if os.path.isdir(file):
        file = os.path.join(file, "certificate.json")
    text = _core.read_text(file)
    machine = None if architecture is None else as_architecture(architecture)._core
    given = None if network is None else as_network(network)
    whole = given is not None and any(f"tilewright-{kind}-certificate/" in text[:256] for kind in ("fused", "package"))
    confirmed, problems, stopped, by_signal = _core.check(
        text, file, None if whole or given is None else given._core, machine, cascade_of(given) if whole and given is not None else None,
        density_words(density), stop_or_none(stop))
    verdict = CertificateVerdict(confirmed, [CertificateProblem(*one) for one in problems], stopped)
    if by_signal:
        raise Interrupted(verdict)
    return verdict
