"""What a server has used: processor time of its process groups, and bytes on the disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from workbook.host import Host

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


def cpu_time(groups: list[int], host: Host) -> CpuTime | None:
    """Of all processes of the groups, and of those of their children that have ended; None if nobody tells."""
    if host.path("/proc/self/stat").exists():
        return _from_proc(set(groups), host.path("/proc"))
    return _from_ps(set(groups), host)


def machine_busy(host: Host) -> tuple[float, float] | None:
    """Ticks that all cores together have been busy, and all ticks, since the machine was started."""
    first = (host.read("/proc/stat") or "").partition("\n")[0].split()
    if not first or first[0] != "cpu":
        return None
    ticks = [int(word) for word in first[1:9]]  # user nice system idle iowait irq softirq steal
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def busy_share(before: tuple[float, float] | None, after: tuple[float, float] | None) -> float | None:
    if before is None or after is None or after[1] <= before[1]:
        return None
    return round((after[0] - before[0]) / (after[1] - before[1]), 3)


def others_cores(
    before: tuple[float, float] | None, after: tuple[float, float] | None, ours_s: float, window_s: float
) -> float | None:
    """How many cores were busy with what is neither server nor load tool. `ours_s`: what these two have used."""
    if before is None or after is None or window_s < OTHERS_WINDOW_S_MIN:
        return None
    busy_s = (after[0] - before[0]) / os.sysconf("SC_CLK_TCK")
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


def _from_proc(groups: set[int], proc: Path) -> CpuTime:
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    user = system = 0
    for entry in proc.iterdir():
        if entry.name.isdigit() and (found := _ticks(entry)) is not None and found[0] in groups:
            user += found[1]
            system += found[2]
    return CpuTime(user / ticks_per_s, system / ticks_per_s)


def _ticks(proc_entry: Path) -> tuple[int, int, int] | None:
    """Of one process: its group, and what it and its ended children have used. None if it is just going."""
    try:
        # "pid (name) state parent group …", where the name may hold anything, parentheses too.
        words = (proc_entry / "stat").read_text().rpartition(")")[2].split()
        return int(words[2]), int(words[11]) + int(words[13]), int(words[12]) + int(words[14])
    except (OSError, ValueError, IndexError):
        return None


def _from_ps(groups: set[int], host: Host) -> CpuTime | None:
    """macOS has no /proc: ps tells hundredths of a second, user and kernel in one."""
    answer = host.output(["ps", "-A", "-o", "pgid=,time="])
    if answer is None or answer[0] != 0:
        return None
    total = 0.0
    for line in answer[1].splitlines():
        group, _, spent = line.strip().partition(" ")
        if group.isdigit() and int(group) in groups:
            minutes, _, seconds = spent.strip().rpartition(":")
            hours, _, minutes = minutes.rpartition(":")
            total += int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)
    return CpuTime(total, 0.0)
