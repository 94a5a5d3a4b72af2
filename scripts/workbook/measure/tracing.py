"""The runs of a lab whose requests are recorded, and what the recording costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbook.measure import runs
from workbook.measure.lab import AT_SATURATION, COMPARED_ROUNDS, SHARE_OF_SUSTAINABLE, Lab, compare_at_saturation
from workbook.measure.report import TRACE
from workbook.measure.sides import Side
from workbook.measure.verdicts import WITHIN_NOISE

TRACED_S = 10.0
SHARE_NEAR_THE_KNEE = 0.8
"""Recording takes a part of the rest."""
COST = "trace-cost"
COST_WORKLOAD = "get"
"""The cheapest request: what is added to it is the greatest share."""
SUBJECTS = dict(zip(AT_SATURATION, ("the rate", "the CPU time per request"), strict=True))


@dataclass(frozen=True)
class Traced:
    """One of the runs: at a share of the rate that the stage sustains."""

    workload: str
    share: float

    @property
    def is_near_the_knee(self) -> bool:
        return self.share > SHARE_OF_SUSTAINABLE

    @property
    def name(self) -> str:
        return f"{self.workload}-trace" + ("-knee" if self.is_near_the_knee else "")

    def title(self, rate_per_s: int) -> str:
        where = "near the knee" if self.is_near_the_knee else "half of the sustained rate"
        return f"{self.workload.upper()} at {rate_per_s}/s, {where}, traced"


def trace_requests(lab: Lab) -> None:
    """Each in a run of its own: recording would change what other runs measure."""
    for each in _planned(quick=lab.quick):
        rate_per_s = lab.rate(each.workload, share=each.share)
        load = lab.bench.settings.load.at(rate_per_s).lasting(TRACED_S)
        workload, path = lab.workload(each.workload), lab.path(each.name)
        run, _ = runs.trace(lab.bench, lab.target, workload, load, path)
        lab.add(TRACE, each.title(rate_per_s), run)
    sides = [Side(lab.target.name, lab.target), Side(f"{lab.target.name}, traced", lab.target, traced=True)]
    title = f"What tracing costs: {COST_WORKLOAD.upper()} at saturation"
    compare_at_saturation(lab, COST, title, COST_WORKLOAD, sides, COMPARED_ROUNDS)


def _planned(*, quick: bool) -> Iterator[Traced]:
    """One must do for a look."""
    for workload in ("put",) if quick else ("put", "get"):
        for share in (SHARE_OF_SUSTAINABLE,) if quick else (SHARE_OF_SUSTAINABLE, SHARE_NEAR_THE_KNEE):
            yield Traced(workload, share)


def cost_in_words(comparison: Mapping[str, Any]) -> str:
    """What the table of the comparison says: its second side is the first one, traced."""
    _, traced = comparison["sides"]
    return f"With tracing, {' and '.join(_change(each, comparison['rounds']) for each in traced['against_a'])}."


def _change(verdict: Mapping[str, Any], rounds: int) -> str:
    share = verdict["change_share"]
    changed = f"is {abs(share):.1%} {'higher' if share > 0 else 'lower'}"
    noise = ", which is within the noise" if rounds > 1 and verdict["verdict"] == WITHIN_NOISE else ""
    return f"{SUBJECTS[verdict['name']]} {changed}{noise}"
