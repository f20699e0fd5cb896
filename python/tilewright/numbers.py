# SPDX-License-Identifier: Apache-2.0
"""Numbers for people, as reports of the command line print them."""

from __future__ import annotations

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"), (1e-12, "p"))


def _four_digits(value: float) -> str:
    """1.5 is "1.500", 355 is "355.0"."""
    return f"{value:#.4g}".rstrip(".")


def si_text(value: float, unit: str) -> str:
    """si_text(1.5e-6, "J") is "1.500 uJ": four significant digits and a prefix."""
    if value == 0.0:
        return f"0 {unit}"
    for factor, prefix in _PREFIXES:
        if abs(value) >= factor:
            return f"{_four_digits(value / factor)} {prefix}{unit}"
    return f"{value * 1e12:.4g} p{unit}"


def text_of(value: float, unit: str) -> str:
    """Picojoules with a prefix, anything else as a count."""
    if unit == "pJ":
        return si_text(value * 1e-12, "J")
    return f"{value:,.0f}"
