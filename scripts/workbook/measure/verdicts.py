"""Medians, noise bands and verdicts for servers measured in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

FASTER, SLOWER, WITHIN_NOISE = "faster", "slower", "within noise"
HIGHER, LOWER = "higher", "lower"


@dataclass(frozen=True)
class Measure:
    """One figure of a run. A change under `share_min`, or under `least`, is no change on any machine."""

    name: str
    title: str
    better: str
    share_min: float
    least: float


# A load tool waits in whole milliseconds, so that two medians differ by tenths of one by themselves.
MEASURES = (
    Measure("rate_per_s", "rate, 1/s", HIGHER, 0.02, 0.0),
    Measure("p50_ms", "p50, ms", LOWER, 0.10, 0.2),
    Measure("p90_ms", "p90, ms", LOWER, 0.10, 0.3),
    Measure("p99_ms", "p99, ms", LOWER, 0.20, 0.5),
    Measure("p99_9_ms", "p99.9, ms", LOWER, 0.30, 1.0),
    Measure("accepted_per_s", "accepted, 1/s", HIGHER, 0.02, 0.0),
    Measure("accepted_p50_ms", "p50 of the accepted, ms", LOWER, 0.10, 0.2),
    Measure("accepted_p99_ms", "p99 of the accepted, ms", LOWER, 0.20, 0.5),
    Measure("accepted_max_ms", "longest of the accepted, ms", LOWER, 0.30, 1.0),
    Measure("status_p50_ms", "p50 of the status, ms", LOWER, 0.10, 0.2),
    Measure("status_p99_ms", "p99 of the status, ms", LOWER, 0.20, 0.5),
    Measure("server_cpu_us_per_request", "server CPU, µs per request", LOWER, 0.05, 0.0),
    Measure("gc_pause_ms_max", "longest GC pause, ms", LOWER, 0.30, 1.0),
)
STRAY_FROM_ROUNDS = 6
"""From so many rounds on, one may be disturbed. Of fewer, chance alone would set two sides of the same server apart."""
RECORDED_SHARE = 0.25
"""Noise band where a side was measured once: nobody knows by how much it would differ if measured again."""


@dataclass(frozen=True)
class Verdict:
    """Of B, seen from A. `noise_share`: half width of the band within which a change is no change.

    `change_share`: None where A's median is 0, so that the change is no share of it.
    """

    measure: Measure
    a: tuple[float, ...]
    b: tuple[float, ...]
    change_share: float | None
    noise_share: float
    word: str

    def facts(self) -> dict[str, object]:
        """As comparison.json has it."""
        return {
            "name": self.measure.name,
            "better": self.measure.better,
            "a": list(self.a),
            "b": list(self.b),
            "a_median": median(self.a),
            "b_median": median(self.b),
            "change_share": None if self.change_share is None else round(self.change_share, 4),
            "noise_share": round(self.noise_share, 4),
            "verdict": self.word,
        }


def judge(a: Sequence[Mapping[str, float | None]], b: Sequence[Mapping[str, float | None]]) -> list[Verdict]:
    """A verdict for each measure that all rounds of both sides have."""
    found = []
    for measure in MEASURES:
        of_a, of_b = ([figures.get(measure.name) for figures in side] for side in (a, b))
        known_a, known_b = (tuple(value for value in side if value is not None) for side in (of_a, of_b))
        if known_a and known_b and len(known_a) == len(a) and len(known_b) == len(b):
            found.append(_judge(measure, known_a, known_b))
    return found


def _judge(measure: Measure, a: tuple[float, ...], b: tuple[float, ...]) -> Verdict:
    middle_a, middle_b = median(a), median(b)
    change = middle_b / middle_a - 1 if middle_a else None
    noise = max(_spread_share(a), _spread_share(b), measure.share_min, measure.least / middle_a if middle_a else 0.0)
    if min(len(a), len(b)) == 1:
        noise = max(noise, RECORDED_SHARE)
    is_change = middle_b > measure.least if change is None else abs(change) > noise
    if not _apart(a, b) or not is_change:
        word = WITHIN_NOISE
    else:
        word = FASTER if (middle_b > middle_a) == (measure.better == HIGHER) else SLOWER
    return Verdict(measure, a, b, change, noise, word)


def _apart(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether no round of one side lies among those of the other; of many rounds, one in all may be a stray."""
    pairs = [(a, b)]
    if min(len(a), len(b)) >= STRAY_FROM_ROUNDS:
        pairs += [(_without(a, i), b) for i in range(len(a))] + [(a, _without(b, i)) for i in range(len(b))]
    return any(min(above) > max(below) for x, y in pairs for above, below in ((x, y), (y, x)))


def _without(values: Sequence[float], index: int) -> tuple[float, ...]:
    return (*values[:index], *values[index + 1 :])


def _spread_share(values: tuple[float, ...]) -> float:
    """Half of the range, as a share of the median: what the same server differs by from round to round."""
    middle = median(values)
    usual = sorted(values)[1:-1] if len(values) >= STRAY_FROM_ROUNDS else values
    return (max(usual) - min(usual)) / 2 / middle if middle else 0.0


def overall(verdicts: Sequence[Verdict]) -> str:
    """One line of B: `slower (p99_ms, …)`, `faster (…)`, both, or `within noise`."""
    words = []
    for word in (SLOWER, FASTER):
        if named := [verdict.measure.title.partition(",")[0] for verdict in verdicts if verdict.word == word]:
            words.append(f"{word} in {', '.join(named)}")
    return "; ".join(words) or WITHIN_NOISE
