"""What an AOT cache brings to servers that have just started: until they answer, and in their first minute.

    cold_start.py [--rounds N] [--java JAVA]
    cold_start.py --summary

One node of stages 1 and 2, three nodes of the others, on empty directories: started without a cache and with it, in
turn. Eight clients in Python then ask all nodes, each sends one request after another: a load generator in Java would
be cold, too. In runs of their own, a node of stage 5 is profiled in its first seconds (cold_profile.py). Leaves
docs/reports/cold-start/; `--summary` makes the tables anew. Needs the jars that `mvn package` makes, the Python
packages in .venv, and Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import cold_profile
from cluster import (
    BENCHMARKS,
    READY_WITHIN_S,
    ROOT,
    STOP_WITHIN_S,
    Facts,
    Report,
    answers,
    number_of,
    parser_of,
    process_cpu_s,
    rounds_of,
    table,
    tools_of,
    with_range,
)
from cold_profile import ColdProfile

from workbook.aot_cache import AotCaches
from workbook.closed_loop import KEYS, LARGE, LARGE_SHARE, SMALL, Answer, closed_loop
from workbook.console import standard_output
from workbook.host import Host, free_ports
from workbook.jdk import Jdk, version_of
from workbook.project import Module, Project
from workbook.servers import FIRST_CLUSTER_STAGE, Node, ServerCommand

STAGES = range(1, 6)
STARTS = ("without", "with")
PROFILED, PROFILED_STAGE = "profiled", 5
NODES = 3
CLIENTS = 8
FIRST_REQUESTS = 1_000
WATCHED_S = 6
LASTS_S = 60
POLL_EVERY_S = 0.005
PROFILE_ENDS_WITHIN_S = 2
"""Of the profiled seconds: its recording is written then."""
REPORT = Report("cold-start")


class Servers:
    """The nodes of a stage, on empty directories."""

    def __init__(self, command: ServerCommand, folder: Path) -> None:
        ports = free_ports(NODES if command.stage_number >= FIRST_CLUSTER_STAGE else 1)
        self._command = command
        self._folder = folder
        self._nodes = [Node(f"node{i + 1}", port, folder / f"node{i + 1}") for i, port in enumerate(ports)]
        self._running: list[subprocess.Popen[bytes]] = []
        self._begun = 0.0

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self._nodes]

    def start(self) -> None:
        self._begun = time.monotonic()
        for node in self._nodes:
            node.data.mkdir()
            line = self._command.line(node, self._nodes)
            with (self._folder / f"{node.name}.log").open("wb") as log:
                self._running.append(subprocess.Popen(line, stdout=log, stderr=log))

    def await_answers(self) -> float:
        """How long it took, from the start, until each node had answered a request for its status."""
        silent = self.urls
        while silent:
            if answers(silent[0]):
                del silent[0]
                continue
            if any(server.poll() is not None for server in self._running):
                said = [file.read_text() for file in sorted(self._folder.glob("*.log"))]
                raise SystemExit("a node has ended:\n" + "\n".join(said))
            if time.monotonic() - self._begun > READY_WITHIN_S:
                raise SystemExit(f"{silent[0]} does not answer within {READY_WITHIN_S:.0f} s")
            time.sleep(POLL_EVERY_S)
        return time.monotonic() - self._begun

    @property
    def pids(self) -> list[int]:
        return [server.pid for server in self._running]

    def cpu_s(self) -> float:
        """Of all nodes together."""
        return sum(process_cpu_s(server.pid) for server in self._running)

    def stop(self) -> None:
        for server in self._running:
            server.terminate()
        for server in self._running:
            server.wait(STOP_WITHIN_S)


@contextlib.contextmanager
def started(command: ServerCommand) -> Iterator[Servers]:
    with tempfile.TemporaryDirectory(prefix="cold-start-") as folder:
        servers = Servers(command, Path(folder))
        try:
            servers.start()
            yield servers
        finally:
            servers.stop()


def measure(command: ServerCommand) -> tuple[str, Facts]:
    """What happened in each second under load, as CSV, and the figures of the start."""
    with started(command) as servers:
        ready_s = servers.await_answers()
        ready_cpu_s = servers.cpu_s()
        with closed_loop(servers.urls, CLIENTS) as loop:
            first = loop.ask(requests_max=FIRST_REQUESTS)
            first_cpu_s = servers.cpu_s() - ready_cpu_s
            then = loop.ask(seconds_max=LASTS_S)
        seconds = [[each for each in then if int(each.asked_s + each.took_s) == second] for second in range(LASTS_S)]
        later = [each for second in seconds[1:WATCHED_S] for each in second]
        facts: Facts = {
            "nodes": len(servers.urls),
            "ready_s": round(ready_s, 3),
            "ready_cpu_s": round(ready_cpu_s, 2),
            "first_cpu_s": round(first_cpu_s, 2),
            "first_second": len(seconds[0]),
            "later_rate": round(len(later) / (WATCHED_S - 1)),
            "later_p50_ms": millis(later, 0.5),
            "later_p99_ms": millis(later, 0.99),
            "minute_rate": round(len(then) / LASTS_S),
            "minute_p50_ms": millis(then, 0.5),
            "minute_p99_ms": millis(then, 0.99),
            "failed": sum(not each.is_expected for each in first + then),
        }
    lines = [f"{i + 1},{len(each)},{millis(each, 0.5)},{millis(each, 0.99)}" for i, each in enumerate(seconds)]
    return "\n".join(["second,answers,p50Millis,p99Millis", *lines]) + "\n", facts


def profile(command: ServerCommand, cold: ColdProfile) -> Facts:
    """Of the first node, from its start on; the clients ask all nodes as soon as these answer."""
    with started(replace(command, first_jvm_options=cold.options)) as servers:
        begun = time.monotonic()
        servers.await_answers()
        with closed_loop(servers.urls, CLIENTS) as loop:
            loop.ask(seconds_max=cold_profile.SECONDS - (time.monotonic() - begun) + PROFILE_ENDS_WITHIN_S)
    return cold.facts()


def millis(found: list[Answer], share: float) -> float:
    """The least latency that so large a share of the answers did not exceed."""
    took = sorted(each.took_s for each in found)
    if not took:
        raise SystemExit("a second without any answer is no measurement")
    return round(1e3 * took[min(int(share * len(took)), len(took) - 1)], 3)


def run(arguments: argparse.Namespace) -> None:
    tools = tools_of(arguments)
    home = tools.java.resolve().parent.parent
    jdk = Jdk(home, version_of(home) or "unknown", "--java")
    project = Project(ROOT)
    caches = AotCaches(project, Host(), standard_output(), at_once=True)
    values = f"{KEYS}, {len(SMALL)}; {LARGE_SHARE:.0%} of the values: {len(LARGE)}"
    load: Facts = {"load tool": f"{CLIENTS} clients in Python", "keys, bytes a value": values}
    REPORT.begin(tools, {**load, "nodes": f"1; from stage {FIRST_CLUSTER_STAGE} on {NODES}"})
    with tempfile.TemporaryDirectory(prefix="cold-start-jars-") as folder:
        flags = {stage: flags_for(caches, project.stage(stage), jdk, Path(folder)) for stage in STAGES}
        for number, stage in product(range(1, arguments.rounds + 1), STAGES):
            for start in STARTS if number % 2 else STARTS[::-1]:
                jar = Path(folder) / project.stage(stage).jar.name
                text, facts = measure(ServerCommand(jdk, jar, stage, flags[stage] if start == "with" else ()))
                size = Path(flags[stage][0].partition("=")[2]).stat().st_size
                asked: Facts = {"stage": stage, "start": start, "round": number, "cache_bytes": size}
                REPORT.keep(f"stage{stage}-{start}-{number}", text, {**asked, **facts})
                print(f"stage {stage} {start} {number}: {facts}", flush=True)
        for number in range(1, arguments.rounds + 1):
            keep_profile(number, project, jdk, Path(folder))


def keep_profile(number: int, project: Project, jdk: Jdk, folder: Path) -> None:
    command = ServerCommand(jdk, folder / project.stage(PROFILED_STAGE).jar.name, PROFILED_STAGE)
    with tempfile.TemporaryDirectory(prefix="cold-profile-") as recordings:
        facts = profile(command, ColdProfile(project, jdk, BENCHMARKS, Path(recordings), Host()))
    asked: Facts = {"stage": PROFILED_STAGE, "start": PROFILED, "round": number}
    REPORT.keep(f"stage{PROFILED_STAGE}-{PROFILED}-{number}", json.dumps(facts, indent=1) + "\n", {**asked, **facts})
    print(f"stage {PROFILED_STAGE} {PROFILED} {number}: {facts}", flush=True)


def flags_for(caches: AotCaches, stage: Module, jdk: Jdk, folder: Path) -> tuple[str, ...]:
    """Of a JVM that uses the cache, or else ends at once, for a copy of the jar in the folder."""
    if not stage.jar.is_file():
        raise SystemExit(f"there is no {stage.jar.relative_to(ROOT)}: mvn package -DskipTests")
    flags = caches.flags(stage, jdk, Path(shutil.copy(stage.jar, folder)))
    if not flags:
        raise SystemExit(f"stage {stage.stage_number} has no AOT cache")
    return *flags, "-XX:AOTMode=on"


def tables(all_runs: list[Facts]) -> list[str]:
    runs = [run for run in all_runs if run["start"] in STARTS]
    ranges = f"{rounds_of(runs)}, in brackets the least and the greatest."
    return [
        "## Until all nodes answer",
        f"Wall-clock time until each node has answered `/v0/status`; processor time of all nodes until then. {ranges}",
        table(
            "| stage | nodes | cache, MiB | time without cache, s | with cache | CPU without cache, s | with cache |",
            rows(runs, {"ready_s": ".2f", "ready_cpu_s": ".2f"}, nodes_and_size),
        ),
        "## The first requests",
        f"{CLIENTS} clients, each sends one request after another. Processor time of all nodes for the first"
        f" {FIRST_REQUESTS:,} requests; then the answers in one second. {ranges}",
        table(
            "| stage | CPU without cache, s | with cache | answers without cache | with cache |",
            rows(runs, {"first_cpu_s": ".2f", "first_second": ",.0f"}),
        ),
        "## The seconds after",
        f"The same clients, in seconds 2 to {WATCHED_S} after the first {FIRST_REQUESTS:,} requests. {ranges}"
        f" {failures_of(runs)}",
        table(
            "| stage | requests/s without cache | with cache | p50 without cache, ms | with cache"
            " | p99 without cache, ms | with cache |",
            rows(runs, {"later_rate": ",.0f", "later_p50_ms": ".2f", "later_p99_ms": ".1f"}),
        ),
        "## The first minute",
        f"The same clients, in the first {LASTS_S} seconds after the first {FIRST_REQUESTS:,} requests. {ranges}",
        table(
            "| stage | requests/s without cache | with cache | p50 without cache, ms | with cache"
            " | p99 without cache, ms | with cache |",
            rows(runs, {"minute_rate": ",.0f", "minute_p50_ms": ".2f", "minute_p99_ms": ".1f"}),
        ),
        "## Where the first seconds go",
        *cold_profile.tables([run for run in all_runs if run["start"] == PROFILED]),
    ]


def rows(runs: list[Facts], shown: dict[str, str], first: Callable[[Facts], list[str]] = lambda _: []) -> list[str]:
    """One for each stage. `shown` has the names of figures, and how they are formatted."""
    made = []
    for stage in STAGES:
        mine = [run for run in runs if run["stage"] == stage]
        cells = [str(stage), *first(mine[0])]
        for (name, form), start in product(shown.items(), STARTS):
            cells.append(with_range([number_of(run[name]) for run in mine if run["start"] == start], form))
        made.append("| " + " | ".join(cells) + " |")
    return made


def nodes_and_size(run: Facts) -> list[str]:
    return [str(run["nodes"]), f"{number_of(run['cache_bytes']) / 2**20:.0f}"]


def failures_of(runs: list[Facts]) -> str:
    failed = sum(number_of(run["failed"]) for run in runs)
    return "No request failed." if not failed else f"In all runs together, {failed:,.0f} requests failed."


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, chooses_wrk2=False, rounds=3).parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("A cold start, without an AOT cache and with it", "cold_start.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
