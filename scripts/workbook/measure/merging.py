"""What several load tools say of one load, made one report: counts are added, and so are the histograms of latencies.

Percentiles are never averaged. They are those of all latencies together, which the tools record with their counts.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbook.failure import Failure
from workbook.measure.load_report import NAMED_PERCENTILES, Latency, LoadReport, read_report

RECORDED, UNCORRECTED = "recorded", "uncorrected"
BEGAN = re.compile(r"^Began: (\d+)$", re.MULTILINE)
TICKS_PER_HALF_DISTANCE = 5
"""As in the spectrum of the tools: so many steps lead over half of what remains up to 1, and so on."""


@dataclass(frozen=True)
class Second:
    """`max_us` is the greatest latency. A second has no percentiles: those of several tools cannot be added."""

    answered: int = 0
    errors: int = 0
    max_us: int = 0

    def plus(self, other: Second) -> Second:
        return Second(self.answered + other.answered, self.errors + other.errors, max(self.max_us, other.max_us))


@dataclass(frozen=True)
class Part:
    """What one load machine gave. `recorded`: how many latencies there are of each value, in microseconds.

    `late_s`: how long after the agreed moment it began.
    """

    name: str
    text: str
    report: LoadReport
    recorded: Mapping[str, Counter[int]] = field(default_factory=dict)
    seconds: tuple[Second, ...] = ()
    late_s: float = 0.0


def read_part(name: str, text: str, recorded: str, timeline: str, begins_s: float) -> Part:
    """`begins_s`: when it was to begin, by its clock."""
    try:
        report = read_report(text)
    except Failure as problem:
        raise Failure(f"{name}: {' '.join(str(problem).split())}") from problem
    counts: dict[str, Counter[int]] = {RECORDED: Counter(), UNCORRECTED: Counter()}
    seconds: tuple[Second, ...] = ()
    try:
        for row in csv.DictReader(io.StringIO(recorded)):
            counts[row["latency"]][int(row["valueMicros"])] += int(row["count"])
        rows = csv.DictReader(io.StringIO(timeline))
        seconds = tuple(Second(int(row["answered"]), int(row["errors"]), int(row["maxMicros"])) for row in rows)
        is_whole = counts[RECORDED].total() == (report.latency.count or 0)
    except (KeyError, TypeError, ValueError):  # A line has no end.
        is_whole = False
    if not is_whole:
        raise Failure(f"{name}: its latencies are incomplete: is its disk full?")
    began = BEGAN.search(text)
    return Part(name, text, report, counts, seconds, int(began[1]) / 1000 - begins_s if began else 0.0)


def merged(parts: Sequence[Part]) -> LoadReport:
    """The report of all together."""
    reports = [part.report for part in parts]
    if len(reports) == 1:
        return reports[0]
    hits, lookups = _sum(each.hits for each in reports), _sum(each.lookups for each in reports)
    statuses: Counter[int] = Counter()
    for each in reports:
        statuses.update(each.statuses)
    return LoadReport(
        tool=reports[0].tool,
        threads=_sum(each.threads for each in reports),
        connections=_sum(each.connections for each in reports),
        requests=_sum(each.requests for each in reports),
        duration_s=max((each.duration_s or 0.0 for each in reports), default=None),
        bytes_read=_sum(each.bytes_read for each in reports),
        rate_per_s=round(sum(each.rate_per_s or 0.0 for each in reports), 2),
        latency=_latency([each.latency for each in reports], [part.recorded.get(RECORDED) for part in parts]),
        from_sending=_latency(
            [each.from_sending for each in reports], [part.recorded.get(UNCORRECTED) for part in parts]
        ),
        socket_errors=_added([each.socket_errors for each in reports]),
        bad_statuses=sum(each.bad_statuses for each in reports),
        statuses=dict(sorted(statuses.items())),
        misses_asked=sum(each.misses_asked for each in reports),
        hit_ratio=round(hits / lookups, 4) if hits is not None and lookups else None,
        hits=hits,
        lookups=lookups,
    )


def merged_text(parts: Sequence[Part]) -> str:
    """What each has printed, below its name."""
    return "".join(f"== {part.name}\n{part.text}" for part in parts)


def merged_timeline(parts: Iterable[Part]) -> tuple[Second, ...]:
    """Second by second from the agreed moment on: a tool that began a second late has its first one later."""
    aligned = [(Second(),) * max(0, round(part.late_s)) + part.seconds for part in parts if part.seconds]
    nothing = Second()
    found = []
    for seconds in itertools.zip_longest(*aligned, fillvalue=nothing):
        total = nothing
        for each in seconds:
            total = total.plus(each)
        found.append(total)
    return tuple(found)


def timeline_text(timeline: Iterable[Second]) -> str:
    lines = (f"{number},{each.answered},{each.errors},{each.max_us}\n" for number, each in enumerate(timeline))
    return "".join(["second,answered,errors,maxMicros\n", *lines])


def percentile_us(counts: Mapping[int, int], percentile: float) -> int:
    """The smallest value that this share of the latencies (0 to 1) does not exceed. There must be a latency."""
    rank, reached = max(1, math.ceil(round(percentile * sum(counts.values()), 6))), 0
    for value_us in sorted(counts):
        reached += counts[value_us]
        if reached >= rank:
            return value_us
    raise ValueError("there are no latencies")


def _latency(latencies: Sequence[Latency], recorded: Sequence[Mapping[int, int] | None]) -> Latency:
    """Mean and deviation follow from those of the tools. All else comes from the recorded latencies, if there are."""
    known = [(each.count, each.mean, each.stdev or 0.0) for each in latencies if each.count and each.mean is not None]
    total = sum(count for count, _, _ in known)
    if not total:
        return Latency()
    mean = sum(count * its_mean for count, its_mean, _ in known) / total
    squares = sum(count * (its_stdev**2 + its_mean**2) for count, its_mean, its_stdev in known) / total
    counts: Counter[int] = Counter()
    for each in recorded:
        counts.update(each or {})
    return Latency(
        mean=round(mean, 3),
        stdev=round(math.sqrt(max(0.0, squares - mean**2)), 3),
        max=max((each.max for each in latencies if each.max is not None), default=None),
        count=total,
        percentiles={each: percentile_us(counts, each) / 1000 for each in NAMED_PERCENTILES.values()} if counts else {},
        points=_spectrum(counts),
    )


def _spectrum(counts: Mapping[int, int]) -> list[tuple[float, float, int]]:
    """Percentile, latency in ms, and the count of latencies up to it, as the tools list them."""
    values = sorted(counts)
    reached = list(itertools.accumulate(counts[value_us] for value_us in values))
    total, points, index = sum(counts.values()), [], 0
    for percentile in _levels(total):
        while reached[index] < percentile * total:
            index += 1
        points.append((round(percentile, 6), values[index] / 1000, reached[index]))
        if reached[index] == total:
            break
    if values:
        points.append((1.0, values[-1] / 1000, total))
    return points


def _levels(total: int) -> Iterable[float]:
    for halved in range(total.bit_length()):
        for tick in range(TICKS_PER_HALF_DISTANCE):
            yield 1 - 0.5**halved * (1 - tick / (2 * TICKS_PER_HALF_DISTANCE))


def _sum(values: Iterable[int | None]) -> int | None:
    """None if one of them is."""
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def _added(errors: Sequence[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    connect, read, write, timeout = (sum(kind) for kind in zip(*errors, strict=True))
    return connect, read, write, timeout
