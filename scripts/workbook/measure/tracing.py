"""The runs of a lab whose requests are recorded, and what the recording costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbook.measure import runs
from workbook.measure.flags import NODES
from workbook.measure.lab import AT_SATURATION, COMPARED_ROUNDS, SHARE_OF_SUSTAINABLE, Lab, compare_at_saturation
from workbook.measure.report import TRACE
from workbook.measure.sides import Side
from workbook.measure.targets import Target
from workbook.measure.verdicts import WITHIN_NOISE
from workbook.measure.workload import FORGETS_AFTER_S

TRACED_S = 30.0
QUICK_TRACED_S = FORGETS_AFTER_S
"""Of a run as short as this, the load tool counts all requests."""
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
    is_cluster: bool = False

    @property
    def is_near_the_knee(self) -> bool:
        return self.share > SHARE_OF_SUSTAINABLE

    @property
    def name(self) -> str:
        cluster = "-cluster" if self.is_cluster else ""
        return f"{self.workload}-trace{cluster}" + ("-knee" if self.is_near_the_knee else "")

    def title(self, rate_per_s: int, nodes: int) -> str:
        where = "near the knee" if self.is_near_the_knee else "half of the sustained rate"
        of_nodes = f", {nodes} nodes" if self.is_cluster else ""
        return f"{self.workload.upper()} at {rate_per_s}/s{of_nodes}, {where}, traced"


def trace_requests(lab: Lab, cluster: Target | None, rate_of: Callable[[str, float], int]) -> None:
    """Each in a run of its own: recording would change what other runs measure.

    `cluster`: in place of the single node that everything else is measured of. `rate_of`: of a workload, at a share of
    the rate that is sustained.
    """
    target = cluster or lab.target
    for each in _planned(quick=lab.quick, is_cluster=cluster is not None):
        rate_per_s = rate_of(each.workload, each.share)
        lasts_s = QUICK_TRACED_S if lab.quick else TRACED_S
        load = lab.bench.settings.load.at(rate_per_s).lasting(lasts_s)
        workload, path = lab.workload(each.workload), lab.path(each.name)
        run, _ = runs.trace(lab.bench, target, workload, load, path)
        lab.add(TRACE, each.title(rate_per_s, target.nodes), run)
    name = target.name if cluster is None else f"{target.name} {NODES} {target.nodes}"
    sides = [Side(name, target), Side(f"{name}, traced", target, traced=True)]
    title = f"What tracing costs: {COST_WORKLOAD.upper()} at saturation"
    compare_at_saturation(lab, COST, title, COST_WORKLOAD, sides, COMPARED_ROUNDS)


def _planned(*, quick: bool, is_cluster: bool) -> Iterator[Traced]:
    """One must do for a look."""
    for workload in ("put",) if quick else ("put", "get"):
        for share in (SHARE_OF_SUSTAINABLE,) if quick else (SHARE_OF_SUSTAINABLE, SHARE_NEAR_THE_KNEE):
            yield Traced(workload, share, is_cluster)


def cost_in_words(comparison: Mapping[str, Any]) -> str:
    """What the table of the comparison says: its second side is the first one, traced."""
    _, traced = comparison["sides"]
    return f"With tracing, {' and '.join(_change(each, comparison['rounds']) for each in traced['against_a'])}."


def _change(verdict: Mapping[str, Any], rounds: int) -> str:
    share = verdict["change_share"]
    changed = f"is {abs(share):.1%} {'higher' if share > 0 else 'lower'}"
    noise = " (within the noise)" if rounds > 1 and verdict["verdict"] == WITHIN_NOISE else ""
    return f"{SUBJECTS[verdict['name']]} {changed}{noise}"
