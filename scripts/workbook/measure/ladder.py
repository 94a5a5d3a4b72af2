"""The rate ladder: which rate a server sustains. Knows rates and rungs, no servers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from workbook.measure.load_report import LoadReport

CLIMB, NARROW, CONFIRM = "climb", "narrow", "confirm"

CLIMB_FACTOR = 2.0
STEPS_DOWN = (1.0, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35)
"""What is tried, as a share of the rate that was held once, until one is held for longer."""
LOST_SHARE = 0.9
"""A rung with less of the asked rate than this is lost: no luck would have held it."""
RATE_DIGITS = 2
"""Rates are round: 4100, not 4096."""


class Step(Enum):
    """What became of a rung. MISSED: by so little that it may have been a bad moment."""

    HELD = "held"
    MISSED = "missed"
    LOST = "lost"


@dataclass(frozen=True)
class Limits:
    """When a rung is not held."""

    p99_ms_max: float
    achieved_share_min: float = 0.97
    errors_max: int = 0

    def step(self, report: LoadReport, achieved_share: float) -> Step:
        if self.why_not(report, achieved_share) is None:
            return Step.HELD
        return Step.LOST if achieved_share < LOST_SHARE or report.errors.total else Step.MISSED

    def why_not(self, report: LoadReport, achieved_share: float) -> str | None:
        """What the server failed in; None if it kept up."""
        if report.errors.total > self.errors_max or not report.requests:
            return report.refused_because()
        if achieved_share < self.achieved_share_min:
            return f"achieved {achieved_share:.1%} of the asked rate"
        p99 = report.latency.at(0.99)
        if p99 is not None and p99 > self.p99_ms_max:
            return f"p99 of {p99:.1f} ms is over {self.p99_ms_max:g} ms"
        return None


@dataclass(frozen=True)
class Plan:
    """Where to begin, where to end at the latest, and how near the answer must come (as a share of the rate).

    `confirm_s`: how long the last rung takes, for what a short one doesn't see: flushes, compactions, collections.
    """

    from_per_s: int
    to_per_s: int
    within_share: float
    confirm_s: float = 0.0
    tries: int = 1
    """How often a rung may be missed before it is not held: one bad moment is not the server's limit."""
    multiple_of: int = 1
    """So many machines make the load, in equal parts."""

    def for_machines(self, count: int) -> Plan:
        first, last = (max(count, rate - rate % count) for rate in (self.from_per_s, self.to_per_s))
        return replace(self, from_per_s=first, to_per_s=last, multiple_of=count)

    def rounded(self, rate: float) -> int:
        return rounded(rate, self.multiple_of)


@dataclass(frozen=True)
class Found:
    sustainable_per_s: int | None
    tops_out: bool


# Measures one rung, in a phase.
Rung = Callable[[int, str], Step]


def climb(plan: Plan, rung: Rung) -> Found:
    """Climbs until a rung is not held, narrows in between that and the last one held, confirms what it found."""
    low, high = _climb(plan, rung)
    if high is None:
        return _confirm(low, plan, rung, tops_out=True)
    while high > low * (1 + plan.within_share) and high - low > 1:
        middle = plan.rounded((low * high) ** 0.5 if low else high / CLIMB_FACTOR)
        if not low < middle < high:
            break
        if _held(middle, NARROW, plan.tries, rung):
            low = middle
        else:
            high = middle
        if low == 0 and high <= max(1, plan.from_per_s // 64):
            return Found(None, False)
    return _confirm(low, plan, rung, tops_out=False)


def _climb(plan: Plan, rung: Rung) -> tuple[int, int | None]:
    """The highest rate held on the way up, and the first one not held; None if there was none."""
    low, rate = 0, plan.from_per_s
    while True:
        if not _held(rate, CLIMB, plan.tries, rung):
            return low, rate
        low = rate
        if rate >= plan.to_per_s:
            return low, None
        rate = min(plan.rounded(rate * CLIMB_FACTOR), plan.to_per_s)


def _held(rate: int, phase: str, tries: int, rung: Rung) -> bool:
    for _ in range(tries):
        step = rung(rate, phase)
        if step is not Step.MISSED:
            return step is Step.HELD
    return False


def _confirm(rate: int, plan: Plan, rung: Rung, *, tops_out: bool) -> Found:
    for share in STEPS_DOWN:
        tried = plan.rounded(rate * share)
        if tried < 1:
            break
        if _held(tried, CONFIRM, plan.tries, rung):
            return Found(tried, tops_out and tried == rate)
    return Found(None, False)


def rounded(rate: float, multiple_of: int = 1) -> int:
    """To two digits, and from there down to a multiple."""
    found = int(float(f"{rate:.{RATE_DIGITS - 1}e}"))
    return found - found % multiple_of
