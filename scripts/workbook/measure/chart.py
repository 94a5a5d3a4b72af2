"""A plot of latency by percentile as SVG. Both axes are logarithmic: the tail has room, and so has what is fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 900, 360, 80, 40, 10, 150
SHOWN_FROM = 0.25
"""Percentile from which latencies fit into the plot: the fastest requests of all would take its lower half."""
TICKS = (0.0, 0.9, 0.99, 0.999, 0.9999, 0.99999)
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999999", "#ee8833")


@dataclass(frozen=True)
class Line:
    """Points are percentile (0 to 1) and latency in ms."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


@dataclass(frozen=True)
class _Axis:
    """Of latencies, between two powers of ten."""

    least: int
    most: int

    def y(self, ms: float) -> float:
        share = (log10(ms) - self.least) / max(1, self.most - self.least) if ms > 0 else 0.0
        return HEIGHT - BOTTOM - min(max(share, 0.0), 1.0) * (HEIGHT - BOTTOM - TOP)


def percentiles(lines: Sequence[Line]) -> str:
    drawn = [Line(line.name, [(p, ms) for p, ms in line.points if p <= TICKS[-1]], line.dashed) for line in lines]
    known = [ms for line in drawn for p, ms in line.points if ms > 0 and p >= SHOWN_FROM]
    axis = _Axis(floor(log10(min(known, default=1.0))), ceil(log10(max(known, default=1.0))))
    parts = [_grid(axis)]
    for index, line in enumerate(drawn):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{_x(p):.1f},{axis.y(ms):.1f}" for p, ms in line.points)
        dash = ' stroke-dasharray="6 4"' if line.dashed else ""
        name = escape(line.name)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dash} points="{path}"/>')
        y = TOP + 14 + 20 * index
        parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{y}" fill="{colour}">{name}</text>')
        parts += [
            f'<circle cx="{_x(p):.1f}" cy="{axis.y(ms):.1f}" r="5" fill="{colour}" fill-opacity="0">'
            f"<title>{name}: {p:.5%} within {ms:g} ms</title></circle>"
            for p, ms in line.points
        ]
    label = "Latency in milliseconds by percentile, one line a run"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="{label}"'
        f' font-family="system-ui" font-size="13">{"".join(parts)}</svg>'
    )


def _grid(axis: _Axis) -> str:
    parts = []
    for tick in TICKS:
        x = _x(tick)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#8884"/>')
        words = f"{tick * 100:.10g} %"
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#888">{words}</text>')
    for power in range(axis.least, axis.most + 1):
        ms = 10.0**power
        y = axis.y(ms)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8884"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#888">{ms:g} ms</text>')
    return "".join(parts)


def _x(percentile: float) -> float:
    share = log10(1 / (1 - percentile)) / log10(1 / (1 - TICKS[-1])) if percentile < 1 else 1.0
    return LEFT + share * (WIDTH - LEFT - RIGHT)
