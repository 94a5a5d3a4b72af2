"""Reads what wrk2, the built-in generator and wrk print: one parser, since they print nearly the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from workbook.failure import Failure

WRK2, BUILT_IN, WRK = "wrk2", "built-in", "wrk"

MS = {"us": 0.001, "ms": 1.0, "s": 1_000.0, "m": 60_000.0, "h": 3_600_000.0}
BYTES = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
# Percentiles by the names that they have in run.json.
NAMED_PERCENTILES = {
    "p50": 0.5,
    "p75": 0.75,
    "p90": 0.9,
    "p99": 0.99,
    "p99_9": 0.999,
    "p99_99": 0.9999,
    "p99_999": 0.99999,
}

# A line of a later rank follows one of an earlier rank within one report: where the rank falls, another one begins.
FIRST_LINES = (
    re.compile(r"workbook-load \S+"),
    re.compile(r"Running \S+ test @ "),
    re.compile(r"(?P<threads>\d+) threads and (?P<connections>\d+) connections"),
    re.compile(r"Thread Stats\s+Avg\s+Stdev\s+Max"),
)
_TIME = r"(-?[\d.]+|-?nan)(us|ms|s|m|h)"
THREAD_LATENCY = re.compile(rf"Latency\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+[\d.]+%")
DISTRIBUTION = re.compile(r"Latency Distribution")
UNCORRECTED = re.compile(r"Latency Distribution.*Uncorrected")
PERCENTILE = re.compile(rf"([\d.]+)%\s+{_TIME}$")
SPECTRUM = re.compile(r"([\d.]+)\s+([01]\.\d+)\s+(\d+)\s+(?:[\d.]+|inf)$")
MEAN = re.compile(r"#\[Mean\s*=\s*([\d.]+), StdDeviation\s*=\s*([\d.]+)\]")
MAX = re.compile(r"#\[Max\s*=\s*([\d.]+), Total count\s*=\s*(\d+)\]")
REQUESTS = re.compile(r"(\d+) requests in ([\d.]+)(us|ms|s|m|h), ([\d.]+)(B|KB|MB|GB|TB) read")
SOCKET_ERRORS = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
BAD_STATUSES = re.compile(r"Non-2xx or 3xx responses: (\d+)")
RATE = re.compile(r"Requests/sec:\s+([\d.]+)")
STATUSES = re.compile(r"Statuses: (.*)")
MISSES_ASKED = re.compile(r"Misses asked: (\d+)")
ACCEPTED = re.compile(rf"Accepted, from sending: 50%={_TIME} 99%={_TIME} 99\.9%={_TIME} max={_TIME}$")
HIT_RATIO = re.compile(r"Hit ratio: ([\d.]+)(?: \((\d+) of (\d+) GETs\))?")


@dataclass(frozen=True)
class Errors:
    """Each a count. `status`: answers other than 2xx and 3xx that were not asked for."""

    connect: int = 0
    read: int = 0
    write: int = 0
    timeout: int = 0
    status: int = 0

    @property
    def total(self) -> int:
        return self.connect + self.read + self.write + self.timeout + self.status

    def named(self) -> list[str]:
        """Those that there were, in words."""
        words = {
            "connections that failed": self.connect,
            "failed reads": self.read,
            "failed writes": self.write,
            "timeouts": self.timeout,
            "answers that are neither 2xx nor 3xx": self.status,
        }
        return [f"{count} {what}" for what, count in words.items() if count]


@dataclass
class Latency:
    """In ms. `points` are percentile (0 to 1), latency, and the count of latencies up to it."""

    mean: float | None = None
    stdev: float | None = None
    max: float | None = None
    count: int | None = None
    percentiles: dict[float, float] = field(default_factory=dict)
    points: list[tuple[float, float, int]] = field(default_factory=list)

    def at(self, percentile: float) -> float | None:
        """As the tool printed it; else of the first point of the spectrum which reaches so far."""
        if percentile in self.percentiles:
            return self.percentiles[percentile]
        return next((value for reached, value, _ in self.points if reached >= percentile), None)

    def named(self) -> dict[str, float | None]:
        """As run.json has it."""
        return {
            "mean": self.mean,
            "stdev": self.stdev,
            "max": self.max,
            **{name: self.at(percentile) for name, percentile in NAMED_PERCENTILES.items()},
        }


@dataclass
class LoadReport:
    """One report. Of a quoted one, whatever was left out is None."""

    tool: str = WRK
    threads: int | None = None
    connections: int | None = None
    requests: int | None = None
    duration_s: float | None = None
    bytes_read: int | None = None
    rate_per_s: float | None = None
    latency: Latency = field(default_factory=Latency)
    from_sending: Latency = field(default_factory=Latency)
    """Counted from when a request was sent, not from when it was due: only with the option -U."""
    socket_errors: tuple[int, int, int, int] = (0, 0, 0, 0)
    bad_statuses: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    misses_asked: int = 0
    hit_ratio: float | None = None
    hits: int | None = None
    lookups: int | None = None
    """GETs that were answered with 200, and with 200 or 404."""
    accepted_ms: dict[str, float | None] = field(default_factory=dict)
    allowed_statuses: frozenset[int] = frozenset()

    @property
    def errors(self) -> Errors:
        """A 404 for a key that was never written is the right answer: as many as were asked for are forgiven."""
        asked_for = min(self.misses_asked, self.statuses.get(404, 0)) + self.refused
        return Errors(*self.socket_errors, status=self.bad_statuses - asked_for)

    @property
    def refused(self) -> int:
        """Answers which say that the server has too much to do, where they may."""
        return sum(self.statuses.get(status, 0) for status in self.allowed_statuses)

    def refused_because(self) -> str | None:
        """Why the figures are no measurement, error by error; None when they are one."""
        if self.requests is None or self.rate_per_s is None:
            return "the end of the load tool's output is missing"
        if self.errors.total:
            return f"{', '.join(self.errors.named())} (of {self.requests} requests)"
        return "not one request was answered" if self.requests == 0 else None


def read_report(text: str) -> LoadReport:
    """The one report of a load tool's whole output."""
    found = [report for report in read_reports(text) if report.rate_per_s is not None]
    if len(found) != 1:
        last = "\n".join(line for line in text.splitlines()[-5:])
        raise Failure(f"the load tool has printed {len(found) or 'no'} report{'s' * (len(found) > 1)}:\n{last}")
    return found[0]


def read_reports(text: str) -> list[LoadReport]:
    """All reports that stand in a text, which may quote them between other lines, indented or in part."""
    reports: list[_Reader] = []
    for line in text.splitlines():
        line = line.strip()
        rank = next((rank for rank, first in enumerate(FIRST_LINES) if first.match(line)), None)
        if rank is not None and (not reports or reports[-1].rank >= rank):
            reports.append(_Reader())
        elif THREAD_LATENCY.match(line) and reports and reports[-1].report.latency.mean is not None:
            reports.append(_Reader())  # A quotation of this line alone.
        if reports:
            reports[-1].rank = reports[-1].rank if rank is None else rank
            reports[-1].read(line)
    return [reader.report for reader in reports]


class _Reader:
    def __init__(self) -> None:
        self.report = LoadReport()
        self.rank = -1
        self._corrected = True

    def read(self, line: str) -> None:
        if line.startswith("workbook-load "):
            self.report.tool = BUILT_IN
        elif match := FIRST_LINES[2].match(line):
            self.report.threads, self.report.connections = int(match["threads"]), int(match["connections"])
        elif DISTRIBUTION.match(line):
            self._corrected = not UNCORRECTED.match(line)
            if "HdrHistogram" in line and self.report.tool == WRK:
                self.report.tool = WRK2
        elif not self._read_latency(line):
            self._read_sums(line)

    def _read_latency(self, line: str) -> bool:
        latency = self.report.latency if self._corrected else self.report.from_sending
        if match := THREAD_LATENCY.match(line):
            numbers = [_ms(match[i], match[i + 1]) for i in (1, 3, 5)]
            latency.mean, latency.stdev, latency.max = numbers
        elif match := PERCENTILE.match(line):
            value = _ms(match[2], match[3])
            if value is not None:
                latency.percentiles[round(float(match[1]) / 100, 7)] = value
        elif match := SPECTRUM.match(line):
            latency.points.append((float(match[2]), float(match[1]), int(match[3])))
        elif match := MEAN.match(line):
            latency.mean, latency.stdev = float(match[1]), float(match[2])
        elif match := MAX.match(line):
            latency.max, latency.count = float(match[1]), int(match[2])
        else:
            return False
        return True

    def _read_sums(self, line: str) -> None:
        report = self.report
        if match := REQUESTS.match(line):
            report.requests = int(match[1])
            report.duration_s = (_ms(match[2], match[3]) or 0.0) / 1000
            report.bytes_read = round(float(match[4]) * BYTES[match[5]])
        elif match := SOCKET_ERRORS.match(line):
            report.socket_errors = (int(match[1]), int(match[2]), int(match[3]), int(match[4]))
        elif match := BAD_STATUSES.match(line):
            report.bad_statuses = int(match[1])
        elif match := RATE.match(line):
            report.rate_per_s = float(match[1])
        elif match := STATUSES.match(line):
            pairs = (word.split("=") for word in match[1].split())
            report.statuses = {int(status): int(count) for status, count in pairs}
        elif match := MISSES_ASKED.match(line):
            report.misses_asked = int(match[1])
        elif match := ACCEPTED.match(line):
            names = ("p50", "p99", "p99_9", "max")
            report.accepted_ms = {name: _ms(match[2 * i + 1], match[2 * i + 2]) for i, name in enumerate(names)}
        elif match := HIT_RATIO.match(line):
            report.hit_ratio = float(match[1])
            report.hits, report.lookups = (int(match[i]) if match[i] else None for i in (2, 3))


def _ms(number: str, unit: str) -> float | None:
    """None for what a tool prints where it has counted nothing."""
    return None if "nan" in number else round(float(number) * MS[unit], 6)
