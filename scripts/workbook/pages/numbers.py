"""How figures are written: three digits that mean something, and the unit after a thin gap."""

from __future__ import annotations

import math

GAP = "\N{NARROW NO-BREAK SPACE}"
DIGITS = 3
GROUPED_FROM = 10_000


def figure(value: float, unit: str = "") -> str:
    """`0.00123` → `0.00123`, `12.345` → `12.3`, `12345.6` → `12 346`."""
    return f"{_digits(value)}{GAP}{unit}" if unit else _digits(value)


def between(least: float, most: float) -> str:
    """`between(1.2, 49.0)` → `1.20 to 49.0`; one figure where both look the same."""
    first, last = figure(least), figure(most)
    return first if first == last else f"{first} to {last}"


def count(value: int) -> str:
    return f"{value:,}".replace(",", GAP) if abs(value) >= GROUPED_FROM else str(value)


def share(value: float) -> str:
    """A share from 0 to 1, in percent."""
    percent = 100 * value
    return f"{percent:.1f}{GAP}%" if percent < 99.95 or percent >= 100 else f"{percent:.2f}{GAP}%"


def size(value: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= factor:
            return figure(value / factor, unit)
    return f"{value}{GAP}B"


def _digits(value: float) -> str:
    decimals = _decimals(value)
    return f"{value:.{decimals}f}" if decimals else count(round(value))


def _decimals(value: float) -> int:
    return max(0, DIGITS - 1 - math.floor(math.log10(abs(value)))) if value else 0
