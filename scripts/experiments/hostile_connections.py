"""Thousands of hostile connections: what other clients see meanwhile, the server's memory, and how it stops.

    hostile_connections.py [--java JAVA] [--rounds N] [--connections N] [--seconds S] [--stage N] [--report NAME]
    hostile_connections.py --summary [--report NAME]

Stage 1 with 256 MiB of heap, and three nodes of stage 5 with 128 MiB each. One node is asked by other clients at a
constant, low rate, half of it reads: before, during and after an attack on it by connections that all do the same. Each
of these three parts lasts S seconds. There are N connections, or fewer where the limit of open files is low. Then the
attack begins again, and the node gets a SIGTERM. Leaves docs/reports/hostile-connections/; `--summary` makes the tables
anew. Always with the built-in generator, which counts from when a request was due. The attackers are those of the
testkit. Needs the jars that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from cluster import (
    GENERATOR_FLAGS,
    ROOT,
    Cluster,
    Facts,
    Report,
    Tools,
    cluster_of,
    number_of,
    parser_of,
    percentile_ms,
    request_count,
    rounds_of,
    said_by,
    table,
    tools_of,
)

from workbook.measure.load_report import read_report

TESTKIT = ROOT / "testkit/target/testkit.jar"
KINDS = {
    "UNREAD_ANSWERS": "never read",
    "UNENDED_HEADS": "send a head without its end",
    "TRICKLED_BODIES": "send a byte of a body now and then",
}
RATE, CLIENTS = 200, 4
"""Of the clients that are measured."""
KEYS = 10_000
VALUE_BYTES = 60 << 10
"""Of what is not read: the largest value that is copied for each reader."""
WARMUP_RATE, WARMUP_S = 2_000, 10
OPEN_WITHIN_S = 120
LEFT_S = 3
"""After the attackers have left, before it is measured again."""
PARTS = ("before", "during", "after")
OTHER_DESCRIPTORS = 500
DESCRIPTOR_SHARE = 0.75
"""A server uses at most this share of its file descriptors for connections."""


@dataclass(frozen=True)
class Asked:
    module: str
    heap: str
    nodes: int

    def tools(self, tools: Tools) -> Tools:
        jar = ROOT / self.module / "target" / f"{self.module}.jar"
        return replace(tools, wrk2=None, jar=jar, keys=KEYS, nodes=self.nodes, jvm_options=(f"-Xmx{self.heap}",))


STAGES = {"1": Asked("stage1-storage", "256m", 1), "5": Asked("stage5-async-client", "128m", 3)}


class Attack:
    """Hostile connections of another process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.open_count = 0
        self.ended_count = 0

    def follow(self) -> None:
        """Waits for the next count, which comes once a second."""
        assert self._process.stdout
        words = self._process.stdout.readline().split()
        if len(words) != 2:
            raise SystemExit("the attackers have ended: see what they said above")
        self.open_count, self.ended_count = map(int, words)

    def await_all(self, count: int) -> None:
        deadline = time.monotonic() + OPEN_WITHIN_S
        while self.open_count + self.ended_count < count:
            if time.monotonic() > deadline:
                raise SystemExit(f"only {self.open_count} connections were opened within {OPEN_WITHIN_S} s")
            self.follow()

    def last_counts(self) -> None:
        """Ends the attackers, and reads the rest of what they say."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        for line in self._process.stdout:
            self.open_count, self.ended_count = map(int, line.split())


@contextlib.contextmanager
def attack(tools: Tools, kind: str, url: str, count: int) -> Iterator[Attack]:
    key = "hostile"
    put = urllib.request.Request(f"{url}/v0/entity?id={key}", data=b"v" * VALUE_BYTES, method="PUT")
    urllib.request.urlopen(put, timeout=10).close()
    words = ["dht.testkit.hostile.Main", kind, url, key, str(count)]
    command = [str(tools.java), *GENERATOR_FLAGS, "-cp", str(TESTKIT), *words]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        found = Attack(process)
        found.await_all(count)
        yield found
        found.last_counts()
        process.wait(OPEN_WITHIN_S)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


def measure(cluster: Cluster, tools: Tools, kind: str, arguments: argparse.Namespace) -> tuple[str, Facts]:
    url, pid = cluster.urls[0], cluster.pids[0]
    texts: dict[str, str] = {}
    load = tools.load(url, "mixed", RATE, CLIENTS, arguments.seconds)

    def part(name: str) -> None:
        texts[name] = said_by(load, None, tools.keys)

    part("before")
    resident = {"before": memory_mib(pid, "VmRSS")}
    forget_peak(pid)
    with attack(tools, kind, url, arguments.connections) as attackers:
        part("during")
    open_count, ended_count = attackers.open_count, attackers.ended_count
    resident["max"] = memory_mib(pid, "VmHWM")
    time.sleep(LEFT_S)
    part("after")
    resident["after"] = memory_mib(pid, "VmRSS")
    with attack(tools, kind, url, arguments.connections):
        stopped_s, exit_code = cluster.end(0)
    facts: Facts = {
        "open": open_count,
        "ended": ended_count,
        "resident_mib": resident,
        "stopped_s": round(stopped_s, 2),
        "exit_code": exit_code,
        **{name: seen(text) for name, text in texts.items()},
    }
    return "\n".join(texts[name] for name in PARTS), facts


def seen(text: str) -> Facts:
    report = read_report(text)
    return {
        "requests": request_count(report),
        "p50_ms": percentile_ms(report, 0.5),
        "p99_ms": percentile_ms(report, 0.99),
        "failed": report.errors.named(),
    }


def memory_mib(pid: int, what: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith(f"{what}:")]
    return round(int(line.split()[1]) / 1024, 1)


def forget_peak(pid: int) -> None:
    """From now on, VmHWM is the greatest size after this moment."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def connections_max() -> int:
    """As many connections as a server accepts with the limit of open files that it inherits."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return int(hard * DESCRIPTOR_SHARE) - OTHER_DESCRIPTORS if hard != resource.RLIM_INFINITY else sys.maxsize


def run(arguments: argparse.Namespace, report: Report) -> None:
    tools = tools_of(arguments)
    for jar in (TESTKIT, *(stage.tools(tools).jar for stage in STAGES.values())):
        if not jar.is_file():
            raise SystemExit(f"there is no {jar.relative_to(ROOT)}: mvn package -DskipTests")
    arguments.connections = min(arguments.connections, connections_max())
    stages = {name: stage for name, stage in STAGES.items() if arguments.stage in (None, name)}
    each = {"keys, bytes a value": f"{KEYS}, 128; not read: {VALUE_BYTES}"}
    report.begin(replace(tools, wrk2=None), {"nodes": "1; of stage 5: 3", **each})
    for number, name, kind in product(range(1, arguments.rounds + 1), stages, KINDS):
        mine = stages[name].tools(tools)
        with cluster_of(mine) as cluster:
            said_by(mine.load(cluster.urls[0], "mixed", WARMUP_RATE, CLIENTS, WARMUP_S), None, mine.keys)
            text, found = measure(cluster, mine, kind, arguments)
        asked: Facts = {"stage": name, "kind": kind, "round": number, "connections": arguments.connections}
        report.keep(f"stage{name}-{kind.lower()}-{number}", text, {**asked, **found})
        print(f"stage {name}, {kind}, {number}: {found}", flush=True)


def tables(runs: list[Facts]) -> list[str]:
    rows = []
    for stage, kind in product(STAGES, KINDS):
        mine = [run for run in runs if (run["stage"], run["kind"]) == (stage, kind)]
        if mine:
            rows.append("| " + " | ".join([stage, KINDS[kind], *cells(mine)]) + " |")
    heaps = ", ".join(f"stage {name}: {stage.heap} of heap" for name, stage in STAGES.items())
    head = (
        "| stage | the attackers | p50 before, during, after, ms | p99 before, during, after, ms | failed |"
        " memory before, at most, after, MiB | connections open at the end, ended before | stopped in, s | exit code |"
    )
    return [
        "## Other clients, memory, and the end",
        f"{runs[0]['connections']:,} connections to one node, which all do the same, and beside them {RATE} requests a"
        f" second on {CLIENTS} connections, half of them reads. {heaps}. What the server ends is opened again."
        f" {rounds_of(runs)}; of what failed, of the memory at most and of the time to stop, the greatest.",
        table(head, rows),
    ]


def cells(runs: list[Facts]) -> list[str]:
    latencies = [", ".join(f"{middle(runs, part, what):.1f}" for part in PARTS) for what in ("p50_ms", "p99_ms")]
    failed = {what for run in runs for part in PARTS for what in words(inside(run, part)["failed"])}
    before, after = (middle(runs, "resident_mib", what) for what in ("before", "after"))
    most = max(number_of(inside(run, "resident_mib")["max"]) for run in runs)
    return [
        *latencies,
        "; ".join(sorted(failed)) or "none",
        f"{before:.0f}, {most:.0f}, {after:.0f}",
        ", ".join(f"{statistics.median(number_of(run[what]) for run in runs):,.0f}" for what in ("open", "ended")),
        f"{max(number_of(run['stopped_s']) for run in runs):.1f}",
        ", ".join(sorted({str(run["exit_code"]) for run in runs})),
    ]


def middle(runs: list[Facts], part: str, what: str) -> float:
    return statistics.median(number_of(inside(run, part)[what]) for run in runs)


def inside(run: Facts, part: str) -> Facts:
    found = run[part]
    assert isinstance(found, dict)
    return found


def words(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(each) for each in value]


def main(words: list[str]) -> None:
    parser = parser_of(__doc__, chooses_wrk2=False, rounds=3, connections=8_000, seconds=20)
    parser.add_argument("--stage", choices=[*STAGES], help="only this one")
    parser.add_argument("--report", default="hostile-connections", help="the folder of docs/reports")
    arguments = parser.parse_args(words)
    report = Report(arguments.report)
    if not arguments.summary:
        run(arguments, report)
    report.write("Thousands of hostile connections", "hostile_connections.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
