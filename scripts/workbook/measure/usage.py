"""What a server has used: processor time of its process groups, and bytes on the disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

OTHERS_WINDOW_S_MIN = 1.0
"""In less, the ticks in which processor time is counted say nothing of who had it."""


@dataclass(frozen=True)
class CpuTime:
    user_s: float
    system_s: float

    @property
    def total_s(self) -> float:
        return self.user_s + self.system_s

    def since(self, earlier: CpuTime) -> CpuTime:
        return CpuTime(self.user_s - earlier.user_s, self.system_s - earlier.system_s)


def cpu_time(groups: list[int]) -> CpuTime:
    """Of all processes of the groups and, where the system tells, of those of their children that have ended."""
    user_s = system_s = 0.0
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) in groups:
                times = process.cpu_times()
                user_s += times.user + times.children_user
                system_s += times.system + times.children_system
        except (psutil.Error, OSError):
            continue  # It has just ended.
    return CpuTime(user_s, system_s)


Busy = tuple[float, float]
"""Of a machine, as `machine_busy` tells it."""
HERE = "here"
"""The name of this machine, where nobody needs to know which one it is."""


@dataclass(frozen=True)
class Used:
    """What had been used at one moment: by each node, and of each machine that has nodes.

    This machine is the first one. `places`: the name of each node's machine.
    """

    nodes: tuple[CpuTime, ...]
    machines: Mapping[str, Busy]
    places: tuple[str, ...]

    @property
    def here(self) -> Busy:
        return next(iter(self.machines.values()))

    def machine_of(self, node: int) -> Busy:
        return self.machines[self.places[node]]


@dataclass(frozen=True)
class ToolUsed:
    """What had been used at one moment on a load machine: of the machine, and by the load tool."""

    place: str
    busy: Busy
    cpu: CpuTime


def used_by(pids: list[int]) -> Used:
    """By nodes that run here, each the leader of a process group."""
    return Used(tuple(cpu_time([pid]) for pid in pids), {HERE: machine_busy()}, (HERE,) * len(pids))


def machine_busy() -> Busy:
    """Seconds that all cores together have been busy, and all seconds, since the machine was started."""
    times = psutil.cpu_times()._asdict()
    for counted_elsewhere in ("guest", "guest_nice"):  # Linux counts them as user and nice, too.
        times.pop(counted_elsewhere, None)
    total_s = sum(times.values())
    return total_s - times["idle"] - times.get("iowait", 0.0), total_s


def busy_share(before: Busy, after: Busy) -> float | None:
    if after[1] <= before[1]:
        return None
    return round((after[0] - before[0]) / (after[1] - before[1]), 3)


def others_cores(before: Busy, after: Busy, ours_s: float, window_s: float) -> float | None:
    """How many cores were busy with what is neither server nor load tool. `ours_s`: what these two have used."""
    if window_s < OTHERS_WINDOW_S_MIN:
        return None
    busy_s = after[0] - before[0]
    return round(max(0.0, busy_s - ours_s) / window_s, 3)


def bytes_below(folder: Path) -> int:
    """On the disk, so that a file reserved in advance counts with what is really there."""
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(directory, name)).st_blocks * 512  # noqa: PTH118
            except OSError:
                continue  # Compaction has deleted it.
    return total
