"""wrk2, or the built-in generator where there is none, as command lines that do the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbook.failure import Failure
from workbook.host import Host
from workbook.jdk import SERVER_FLAGS, Jdk
from workbook.measure.flags import Flags
from workbook.measure.load_report import BUILT_IN, WRK2, LoadReport
from workbook.measure.workload import Load, Workload
from workbook.project import Project
from workbook.wrk2 import VARIABLE, find_wrk2

SPREAD = "SPREAD"
GENERATOR = "dht.benchmarks.load.Main"
BARE_SERVER = "dht.benchmarks.floor.BareServer"
BARE_LIBRARIES = ("one-nio", "netty-nio", "netty-epoll", "netty-io_uring", "helidon", "jdk", "jdk-virtual")
"""On what it runs: the floor of the lab on the first one, as the stages do."""
# A steady generator: its own pauses would be taken for the server's.
GENERATOR_FLAGS = ("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m")
GENERATOR_WARMUP_S = 0.5
"""What its own compiler needs at least; wrk2 needs nothing."""

SLEEP_S = 1.0
"""How long a thread of wrk2 sleeps now and then: it takes a timer that became overdue at the turn of a second for one
of the next second. An answer would wake it, so this happens only while no request is in flight. Before the first
request: all connections that were to begin meanwhile begin at once, and ask in step for the rest of the run. Later: all
requests that are due meanwhile are late."""
SLEEP_SHORTER_BY_MS, SLEEP_LONGER_BY_MS = 20.0, 50.0
"""How far the greatest latency may be from this sleep: the timer was overdue, and the request took time, too."""
LATE_THREADS_WITHIN = 0.2
"""How far from a whole number of such threads the time lost may be."""
PROMPT_MS = 500.0
"""A p99 below this: nobody has waited for a second."""


@dataclass(frozen=True)
class LoadTool:
    """`wrk2` is None where the built-in generator does the work. `jar` holds that one, and the floor."""

    wrk2: Path | None
    jar: Path
    jdk: Jdk
    scripts: Path

    @property
    def name(self) -> str:
        return WRK2 if self.wrk2 else BUILT_IN

    def making(self, workload: Workload) -> LoadTool:
        """wrk2 does not tell the latencies of answers by their status."""
        return replace(self, wrk2=None) if workload.allowed_statuses else self

    def command(self, workload: Workload, load: Load, url: str) -> list[str]:
        """wrk2's text goes to standard output, with the whole percentile spectrum."""
        words = [f"-t{load.threads}", f"-c{load.connections}", f"-d{load.duration_s:.0f}s", f"-R{load.rate_per_s}"]
        words += ["--latency", *(["-U"] if load.is_saturating else []), "-s"]
        if self.wrk2:
            script = self.scripts / f"{workload.script}.lua"
            if not script.is_file():  # wrk2 would go on without it, and ask for something else.
                raise Failure(f"there is no {script}")
            return [str(self.wrk2), *words, str(script), url]
        warmup = f"{self.warmup_within_s(load) * 1000:.0f}ms"
        return [*self._java(GENERATOR), *words, workload.script, "--warmup", warmup, url]

    def has_slept(self, load: Load, report: LoadReport) -> bool:
        """Whether wrk2 probably slept: what it did not ask meanwhile is not the fault of a server."""
        return self.wrk2 is not None and (_has_begun_late(load, report) or _has_slept_since(load, report))

    def fill_command(self, url: str) -> list[str]:
        """Always the built-in generator's: wrk2 has no way to write each key once."""
        return [*self._java(GENERATOR), "--fill", "-t1", "-c16", url]

    @property
    def warms_up(self) -> bool:
        """Whether it does so itself, at the beginning of each run and on the connections of the run."""
        return self.wrk2 is None

    def warmup_within_s(self, load: Load) -> float:
        return max(GENERATOR_WARMUP_S, load.warmup_s) if self.warms_up else 0.0

    def floor_command(self, port: int, library: str, flags: Flags) -> list[str]:
        java = [str(self.jdk.java), *SERVER_FLAGS, *flags.jvm, "-cp", str(self.jar)]
        return [*java, BARE_SERVER, "--server", library, "--port", str(port), *flags.server]

    def env(self, workload: Workload, load: Load, urls: Sequence[str], host: Host) -> dict[str, str]:
        return {**host.env, **self.settings(workload, load, urls)}

    def settings(self, workload: Workload, load: Load, urls: Sequence[str]) -> dict[str, str]:
        """What the environment must say, wherever it runs."""
        spread = {SPREAD: ",".join(urls)} if load.is_spread else {}
        return {**workload.environment, "THREADS": str(load.threads), **spread}

    def _java(self, main: str) -> list[str]:
        return [str(self.jdk.java), *GENERATOR_FLAGS, "-cp", str(self.jar), main]


def find_load_tool(project: Project, host: Host, jdk: Jdk, jar: Path) -> tuple[LoadTool, str]:
    """The tool, and in words which it is and why."""
    found = find_wrk2(host)
    tool = LoadTool(found.program, jar, jdk, project.root / "scripts" / "load")
    words = f"wrk2: {found.detail}" if found.program else f"the built-in generator ({found.detail})"
    return tool, words


def is_named_wrongly(env: Mapping[str, str], tool: LoadTool) -> bool:
    """Whether WRK2 is set to something that is no wrk2: another tool must not take its place in silence."""
    return bool(env.get(VARIABLE)) and tool.wrk2 is None


def _has_begun_late(load: Load, report: LoadReport) -> bool:
    """Whether threads slept before their first connection: this costs a whole number of such sleeps."""
    p99 = report.latency.at(0.99)
    if report.rate_per_s is None or p99 is None or p99 > PROMPT_MS:
        return False
    on_time_s = load.first_round_s()
    lost_s = load.duration_s * (1 - report.rate_per_s / load.rate_per_s) - on_time_s
    late_threads = lost_s * load.threads / (load.first_round_s(SLEEP_S) - on_time_s)
    is_whole = abs(late_threads - round(late_threads)) < LATE_THREADS_WITHIN
    return is_whole and 1 <= round(late_threads) <= load.threads


def _has_slept_since(load: Load, report: LoadReport) -> bool:
    """Whether the greatest latency is such a sleep. At saturation there is none: requests are always in flight."""
    longest_ms = report.latency.max
    if longest_ms is None or load.is_saturating:
        return False
    return -SLEEP_SHORTER_BY_MS <= longest_ms - SLEEP_S * 1000 <= SLEEP_LONGER_BY_MS
