"""A lab under way, and what it measures of a stage and of the one before it, in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbook.measure import results
from workbook.measure.bench import Bench
from workbook.measure.comparing import compare
from workbook.measure.ladder import rounded
from workbook.measure.report import LADDERS, entry
from workbook.measure.run_folder import RunFolder
from workbook.measure.sides import Side
from workbook.measure.targets import Target
from workbook.measure.workload import SATURATING_PER_S, STATUS_CONNECTIONS, Load, Workload
from workbook.servers import FIRST_CLUSTER_STAGE

SHARE_OF_SUSTAINABLE = 0.5
"""Flushes and merges come on top, and load tool and server share the machine."""
BEFORE_S = 30.0
COMPARED_S, COMPARED_ROUNDS = 8.0, 3
QUICK_COMPARED_S, QUICK_COMPARED_ROUNDS = 5.0, 1
SATURATED_S, SATURATED_WARMUP_S, SATURATED_ROUNDS = 5.0, 12.0, 9
"""The compilers have no processor to themselves then, and are done later; and the differences are
smaller than what rounds of one server differ by on a shared machine."""
STATUS_PER_S = 200
CLUSTER = 3
CLUSTER_COST = 6
"""A rate so many times less than one node's is held by three on the same machine: all work on a request, and talk."""

AT_SATURATION = ("rate_per_s", "server_cpu_us_per_request")


@dataclass
class Lab:
    """A lab under way: its folder, and what it has found so far."""

    bench: Bench
    target: Target
    folder: RunFolder
    quick: bool
    before: Target | None
    sustainable_per_s: dict[str, int] = field(default_factory=dict)
    before_sustains_per_s: dict[str, int] = field(default_factory=dict)

    def workload(self, name: str) -> Workload:
        return Workload.named(name, self.bench.host.env)

    def path(self, name: str) -> Path:
        return self.folder.path / name

    def rate(self, *workloads: str, share: float = SHARE_OF_SUSTAINABLE) -> int:
        """At which loads are compared: a share of what this stage, and the one before, sustain of each."""
        sustained = [
            of[name] for of in (self.sustainable_per_s, self.before_sustains_per_s) for name in workloads if of
        ]
        return self._rounded(min(sustained) * share)

    def own_rate(self, workload: str, share: float) -> int:
        """A share of what this stage sustains, even if the one before sustains less."""
        return self._rounded(self.sustainable_per_s[workload] * share)

    def _rounded(self, rate_per_s: float) -> int:
        machines = self.target.load_machines
        return max(machines, rounded(rate_per_s, machines))

    def load(self, rate_per_s: int) -> Load:
        load = self.bench.settings.load.at(rate_per_s)
        return load.lasting(BEFORE_S) if self.before is not None and not self.quick else load

    def add(self, role: str, title: str, run: RunFolder) -> None:
        """Enters a run that has ended well into the report."""
        entries = self.folder.facts["runs"]
        assert isinstance(entries, list)
        entries.append(entry(run.path, role, title, run.facts))
        self.folder.save()
        if role not in LADDERS:
            results.print_progress(run.path.name, run.facts, self.bench.out)


def compare_with_before(lab: Lab, before: Target) -> None:
    """The stage before and this one, in turn; single nodes of what could be a cluster as three, too."""
    pair = [Side(target.name, target) for target in (before, lab.target)]
    every = pair + [Side(f"{target.name} --nodes {CLUSTER}", target) for target in _clusters(lab, before)]
    if lab.quick:
        _saturated(lab, "put", pair)
        _compared(lab, "put-status", "the status under PUTs", pair, "put", _with_status(lab))
        return
    for name in ("put", "get"):
        rate_per_s = lab.rate(name) // (CLUSTER_COST if len(every) > len(pair) else 1)
        load = _paced(lab, rate_per_s)
        _compared(lab, f"{name}-compared", f"{name.upper()} at equal load", every, name, load)
        _saturated(lab, name, every)
    alone = replace(_paced(lab, STATUS_PER_S), connections=STATUS_CONNECTIONS)
    _compared(lab, "status-alone", "the status alone", pair, "status", alone)
    _compared(lab, "put-status", "the status under PUTs", pair, "put", _with_status(lab))


def cluster_of(lab: Lab) -> Target | None:
    """The stage as three nodes, which do what a single one does not; None if it is no cluster, or one as it is."""
    clusters = [] if lab.before is None else _clusters(lab, lab.before)
    return clusters[-1] if clusters else None


def cluster_rate(lab: Lab, workload: str) -> int:
    """One that three nodes hold, too, at half of what single nodes sustain."""
    return max(1, lab.rate(workload) // CLUSTER_COST)


def _clusters(lab: Lab, before: Target) -> list[Target]:
    """None where the two are clusters as they are."""
    if lab.target.nodes > 1:
        return []
    flags = replace(lab.bench.settings.flags, nodes=CLUSTER)
    numbers = [lab.bench.project.module(target.stage_name).stage_number or 0 for target in (before, lab.target)]
    return [lab.bench.stage(number, flags) for number in numbers if number >= FIRST_CLUSTER_STAGE]


def _paced(lab: Lab, rate_per_s: int) -> Load:
    return lab.bench.settings.load.at(rate_per_s).lasting(QUICK_COMPARED_S if lab.quick else COMPARED_S)


def _saturated(lab: Lab, workload: str, sides: Sequence[Side]) -> None:
    rounds = SATURATED_ROUNDS if len(sides) == 2 else COMPARED_ROUNDS
    title = f"{workload.upper()} at saturation"
    compare_at_saturation(lab, f"{workload}-saturated", title, workload, sides, rounds)


def compare_at_saturation(
    lab: Lab, name: str, title: str, workload: str, sides: Sequence[Side], full_rounds: int
) -> None:
    """What the sides answer when they are asked for more than they can do. A quick lab has one round of it."""
    load, rounds = replace(_paced(lab, SATURATING_PER_S), burst_s=0.0), QUICK_COMPARED_ROUNDS
    if not lab.quick:
        load = replace(load, duration_s=SATURATED_S, warmup_s=max(SATURATED_WARMUP_S, load.warmup_s))
        rounds = full_rounds
    _compared(lab, name, title, sides, workload, load, rounds, AT_SATURATION)


def _with_status(lab: Lab) -> Load:
    return replace(_paced(lab, lab.rate("put")), status_per_s=STATUS_PER_S)


def _compared(
    lab: Lab,
    name: str,
    title: str,
    sides: Sequence[Side],
    workload: str,
    load: Load,
    rounds: int | None = None,
    names: Sequence[str] | None = None,
) -> None:
    rounds = rounds or (QUICK_COMPARED_ROUNDS if lab.quick else COMPARED_ROUNDS)
    compare(lab.bench, sides, lab.workload(workload), load, rounds, lab.path(name), names)
    entries = lab.folder.facts["comparisons"]
    assert isinstance(entries, list)
    entries.append({"name": name, "folder": name, "title": title})
    lab.folder.save()
