"""What a request allocates on the heap: the JVM counts that exactly, for each thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbook.host import Host
from workbook.jdk import Jdk
from workbook.measure.request_recording import FlightRecorder, read_events, time_s

EVENT = "jdk.ThreadAllocationStatistics"
PERIOD_S = 1.0
NAME = "allocations"


@dataclass(frozen=True)
class Counted:
    """What one thread had allocated since it was started, at one moment."""

    time_s: float
    thread: int
    total_bytes: int


def recorder(pids: Sequence[int], jdk: Jdk, folder: Path, host: Host) -> FlightRecorder:
    """Of the counters of all threads, each second. A node has some tens: that costs next to nothing."""
    settings = (f"{EVENT}#enabled=true", f"{EVENT}#period={PERIOD_S:.0f}s")
    return FlightRecorder(pids, jdk, folder, host, NAME, settings)


def read(file: Path, jdk: Jdk) -> list[Counted]:
    return [
        Counted(time_s(values["startTime"]), int(values["thread"]["osThreadId"]), int(values["allocated"]))
        for values in (event["values"] for event in read_events(file, jdk, [EVENT]))
        if values["thread"] is not None
    ]


def bytes_per_s(counted: Iterable[Counted], from_s: float, to_s: float) -> float | None:
    """Of all threads together, between the first and the last moment of this time at which they were counted.

    None where they were counted less than twice. What a thread allocates after it was counted for the last time is
    missing, if it ends then.
    """
    within = sorted((each for each in counted if from_s <= each.time_s <= to_s), key=lambda each: each.time_s)
    if not within or within[-1].time_s - within[0].time_s < PERIOD_S / 2:
        return None
    first_s = within[0].time_s
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    for each in within:
        is_first_time = each.time_s - first_s < PERIOD_S / 2
        before.setdefault(each.thread, each.total_bytes if is_first_time else 0)  # Else it was started since then.
        after[each.thread] = each.total_bytes
    return (sum(after.values()) - sum(before.values())) / (within[-1].time_s - first_s)


def facts(per_s_by_node: Sequence[float | None], requests_per_s: float) -> dict[str, object]:
    """As run.json has it; null unless it is known of all nodes."""
    known = [each for each in per_s_by_node if each is not None]
    if not known or len(known) < len(per_s_by_node) or requests_per_s <= 0:
        return dict.fromkeys(("allocated_bytes_per_request", "allocated_bytes_per_request_by_node"))
    by_node = [round(each / requests_per_s, 1) for each in known]
    return {
        "allocated_bytes_per_request": round(sum(known) / requests_per_s, 1),
        "allocated_bytes_per_request_by_node": by_node if len(by_node) > 1 else None,
    }
