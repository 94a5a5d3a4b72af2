"""What asking other nodes costs at least: bare servers behind each client, beside the stages that replicate.

    fan_out_floor.py [--wrk2 WRK2] [--java JAVA] [--rounds N] [--connections C] [--seconds S] [--warmup S]
    fan_out_floor.py --summary

Each is asked for more than it can do. A bare server stores nothing; a bare coordinator asks one or two of them and
answers when they have. Their clients lose a connection now and then: such a run is made again; with a stage it ends
the measurement. The stages are three nodes at quorum 2/3. Leaves docs/reports/fan-out-floor/; `--summary` makes the
tables anew. Needs the jars that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cluster import (
    BENCHMARKS,
    ROOT,
    SERVER_FLAGS,
    Facts,
    Report,
    Tools,
    answers,
    await_ready,
    cluster_of,
    environment,
    figures,
    number_of,
    parser_of,
    percentile_ms,
    process_cpu_s,
    request_count,
    said_by,
    table,
    tools_of,
)

from workbook.host import free_ports
from workbook.measure.load_report import read_report

BARE = "bare server"
COORDINATORS = {
    "one-nio, 16 threads, to one": ("ONE_NIO", 1),
    "JDK, direct, to one": ("JDK_DIRECT", 1),
    "one-nio, 16 threads, to two": ("ONE_NIO", 2),
    "JDK, its own executor, to two": ("JDK_DEFAULT", 2),
    "JDK, a pool of a thread a processor, to two": ("JDK_POOL", 2),
    "JDK, direct, to two": ("JDK_DIRECT", 2),
}
STAGE4 = ROOT / "stage4-replication/target/stage4-replication.jar"
STAGE5 = ROOT / "stage5-async-client/target/stage5-async-client.jar"
STAGES: dict[str, tuple[Path, tuple[str, ...]]] = {
    "stage 4": (STAGE4, ()),
    "stage 5, a message a question": (STAGE5, ("--peer-batch-max", "1")),
    "stage 5": (STAGE5, ()),
}
WORKLOADS = ("get", "put")
SATURATING_PER_S = 1_000_000
BARE_FLAGS = ["-Xmx128m", "-Dorg.slf4j.simpleLogger.log.one.nio.net.Session=off"]
"""Else they tell with a stack trace of each connection that the load tool closed meanwhile."""
BARE_TRIES = 3
REPORT = Report("fan-out-floor")


@dataclass(frozen=True)
class Side:
    """Servers that answer together; the first one is asked. A run with an error is made again, up to `tries` in all."""

    name: str
    url: str
    pids: list[int]
    tries: int = 1

    def cpu_s(self) -> float:
        return sum(process_cpu_s(pid) for pid in self.pids)


@contextlib.contextmanager
def bare(tools: Tools, kind: str | None, others: int, name: str) -> Iterator[Side]:
    """A bare server; or a coordinator with a client of a kind, and so many bare servers behind it."""
    ports = free_ports(others + 1)
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    server = [str(tools.java), *SERVER_FLAGS, *BARE_FLAGS, "-cp", str(BENCHMARKS)]
    words = ["dht.benchmarks.floor.BareServer", "--selectors", "1", "--port"]
    commands = [[*server, *words, str(port)] for port in ports]
    if kind:
        asks = ["--client", kind, "--others", ",".join(urls[1:])]
        commands[0] = [*server, "dht.benchmarks.floor.BareCoordinator", "--port", str(ports[0]), *asks]
    running = [
        subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL) for command in reversed(commands)
    ]
    try:
        for url in reversed(urls):
            await_ready(partial(answers, url), name)
        yield Side(name, urls[0], [server.pid for server in running], BARE_TRIES)
    finally:
        for each in running:
            each.terminate()
        for each in running:
            each.wait()


@contextlib.contextmanager
def stage(tools: Tools, name: str) -> Iterator[Side]:
    jar, options = STAGES[name]
    with cluster_of(replace(tools, jar=jar, options=options)) as cluster:
        yield Side(name, cluster.urls[0], cluster.pids)


def asked(side: Side, tools: Tools, arguments: argparse.Namespace, workload: str, seconds: int) -> str:
    return said_by(tools.load(side.url, workload, SATURATING_PER_S, arguments.connections, seconds), None)


def measure(side: Side, tools: Tools, arguments: argparse.Namespace, workload: str) -> tuple[Facts, str]:
    seconds = arguments.seconds
    for tries_left in reversed(range(side.tries)):
        before = side.cpu_s()
        text = asked(side, tools, arguments, workload, seconds)
        errors = read_report(text).errors
        if not errors.total or not tries_left:
            break
        print(f"{side.name} {workload}: {', '.join(errors.named())}; once more", flush=True)
    report = figures(text, f"{side.name}, {workload}")
    sent = request_count(report) * (seconds + tools.unmeasured_s) / seconds
    facts: Facts = {
        "requests": request_count(report),
        "rate_per_s": report.rate_per_s or 0.0,
        "cpu_us": round(1e6 * (side.cpu_s() - before) / sent, 2),
        "p99_ms": percentile_ms(report, 0.99),
    }
    return facts, text


def run(arguments: argparse.Namespace) -> None:
    tools = tools_of(arguments)
    REPORT.begin(tools)
    with contextlib.ExitStack() as stack:
        sides = [stack.enter_context(bare(tools, None, 0, BARE))]
        for name, (kind, others) in COORDINATORS.items():
            sides.append(stack.enter_context(bare(tools, kind, others, name)))
        sides += [stack.enter_context(stage(tools, name)) for name in STAGES]
        for side in sides:
            for workload in WORKLOADS:
                asked(side, tools, arguments, workload, arguments.warmup)
        for number in range(1, arguments.rounds + 1):
            for workload in WORKLOADS:
                for side in sides if number % 2 else reversed(sides):
                    facts, text = measure(side, tools, arguments, workload)
                    what: Facts = {"side": side.name, "workload": workload, "round": number}
                    load: Facts = {"connections": arguments.connections, "warmup_s": arguments.warmup}
                    REPORT.keep(
                        f"{re.sub('[^a-z0-9]+', '-', side.name.lower())}-{workload}-{number}",
                        text,
                        {**what, **load, **facts},
                    )
                    print(f"{side.name} {workload} {number}: {facts}", flush=True)


def tables(runs: list[Facts]) -> list[str]:
    rows = []
    for name in (BARE, *COORDINATORS, *STAGES):
        cells = [name]
        for workload in WORKLOADS:
            rate, cpu = (median(runs, name, workload, what) for what in ("rate_per_s", "cpu_us"))
            cells += [f"{rate:,.0f}", f"{rate / median(runs, BARE, workload, 'rate_per_s'):.1%}", f"{cpu:.1f}"]
        rows.append("| " + " | ".join(cells) + " |")
    head = "| | GET, 1/s | of the bare server's | CPU, µs | PUT, 1/s | of the bare server's | CPU, µs |"
    return [
        "## The floor",
        f"Saturated, {runs[0]['connections']} connections, after {runs[0]['warmup_s']} s of each; processor time of all"
        " servers together, a request. Medians.",
        table(head, rows),
    ]


def median(runs: list[Facts], side: str, workload: str, what: str) -> float:
    return statistics.median(number_of(run[what]) for run in runs if (run["side"], run["workload"]) == (side, workload))


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, rounds=3, connections=16, seconds=6, warmup=20).parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("What asking other nodes costs at least", "fan_out_floor.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
