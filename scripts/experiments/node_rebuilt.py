"""A node is replaced by an empty one under load: how long the others need to fill it, and what clients see meanwhile.

    node_rebuilt.py [--java JAVA] [--rounds N] [--rate R] [--connections C] [--keys K]
    node_rebuilt.py --summary

Three nodes of stage 4, then of stage 5, quorum 2/3. One is asked at a constant rate, half of it reads. After a while
another one is killed, its directory is emptied, and it is started again. Leaves docs/reports/node-rebuilt/; `--summary`
makes the tables anew. Always with the built-in generator, which tells the seconds apart. Needs the jars that
`mvn package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
import urllib.request
from dataclasses import replace
from itertools import product

from cluster import (
    ROOT,
    Cluster,
    Facts,
    Report,
    Tools,
    cluster_of,
    load_beside,
    number_of,
    parser_of,
    rounds_of,
    said_by,
    seconds_in,
    table,
    tools_of,
)

STAGES = {
    "4": ROOT / "stage4-replication/target/stage4-replication.jar",
    "5": ROOT / "stage5-async-client/target/stage5-async-client.jar",
}
REPLACED = 1
"""The node that the one under load asks first."""
WORKLOAD = "mixed"
WARMUP_S = 10
"""Through each node."""
BEGINS_S = 30
"""Of the load's own clock: when the node is killed. The seconds before are the calm ones."""
LASTS_S = 130
REBUILT_WITHIN_S = LASTS_S - BEGINS_S - 10
REPORT = Report("node-rebuilt")


def measure(cluster: Cluster, tools: Tools, arguments: argparse.Namespace) -> tuple[str, Facts]:
    """The seconds of a run, as CSV, and what the rebuild needed."""
    asked = (WORKLOAD, arguments.rate, arguments.connections, LASTS_S)
    with load_beside(tools, cluster.urls[0], *asked) as load:
        load.await_second(BEGINS_S)
        rebuilt = replace_node(cluster)
    return load.seconds, rebuilt


def replace_node(cluster: Cluster) -> Facts:
    cluster.kill(REPLACED)
    cluster.empty(REPLACED)
    cluster.restart(REPLACED)
    before = cluster.cpu_s()
    ready = time.monotonic()
    while metric(cluster.urls[REPLACED], "node_answers_reads") != 1:
        if time.monotonic() - ready > REBUILT_WITHIN_S:
            raise SystemExit(f"the node was not rebuilt within {REBUILT_WITHIN_S} s of its start")
        time.sleep(0.1)
    took = time.monotonic() - ready
    used = [round(now - then, 2) for then, now in zip(before, cluster.cpu_s(), strict=True)]
    entries = metric(cluster.urls[REPLACED], 'rebuild_entries_total{outcome="stored"}')
    return {"rebuilt_s": round(took, 2), "cpu_s": used, "entries": entries}


def metric(url: str, name: str) -> float:
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        found = re.search(rf"^{re.escape(name)} (\S+)$", answer.read().decode(), re.MULTILINE)
    if not found:
        raise SystemExit(f"{url}/metrics has no {name}")
    return float(found[1])


def run(arguments: argparse.Namespace) -> None:
    tools = replace(tools_of(arguments), wrk2=None, keys=arguments.keys)
    REPORT.begin(tools)
    for number, stage in product(range(1, arguments.rounds + 1), STAGES):
        with cluster_of(replace(tools, jar=STAGES[stage])) as cluster:
            for url in reversed(cluster.urls):
                said_by(tools.load(url, WORKLOAD, arguments.rate, arguments.connections, WARMUP_S), None, tools.keys)
            text, rebuilt = measure(cluster, tools, arguments)
            asked: Facts = {"stage": stage, "round": number, "rate": arguments.rate}
            load: Facts = {"connections": arguments.connections, "keys": arguments.keys}
            found: Facts = {**asked, **load, **rebuilt, "seconds": seconds_in(text)}
            REPORT.keep(f"stage{stage}-{number}", text, found)
            print(f"stage {stage} {number}: {cells(found)}", flush=True)


def cells(run: Facts) -> list[str]:
    """Of a run: seconds of the rebuild, entries, p99 before and meanwhile, the greatest latency, what failed."""
    seconds = run["seconds"]
    assert isinstance(seconds, list)
    took = number_of(run["rebuilt_s"])
    meanwhile = seconds[BEGINS_S : BEGINS_S + 1 + round(took)]
    p99 = [f"{statistics.median(millis(part, 'p99Micros')):.1f}" for part in (seconds[1:BEGINS_S], meanwhile)]
    greatest = f"{max(millis(meanwhile, 'maxMicros')):.0f}"
    failed = sum(int(number_of(second["errors"])) for second in seconds)
    return [f"{took:.1f}", f"{number_of(run['entries']):.0f}", *p99, greatest, f"{failed}"]


def millis(seconds: list[Facts], what: str) -> list[float]:
    return [number_of(second[what]) / 1000 for second in seconds]


def tables(runs: list[Facts]) -> list[str]:
    load = f"{runs[0]['rate']:,} requests a second, half of them reads, on {runs[0]['connections']} connections"
    head = "| stage | rebuilt in, s | entries | p99 before, ms | p99 meanwhile | greatest | failed |"
    rows = []
    for stage in STAGES:
        mine = [cells(run) for run in runs if run["stage"] == stage]
        rows.append("| " + " | ".join([stage, *map(median_cell, zip(*mine, strict=True))]) + " |")
    return [
        "## A node is replaced",
        f"{load} to one of three nodes, quorum 2/3, {runs[0]['keys']:,} keys. After {BEGINS_S} s another node is killed"
        f" and starts again with an empty directory. p99: the median of that of the seconds. {rounds_of(runs)}.",
        table(head, rows),
    ]


def median_cell(values: tuple[str, ...]) -> str:
    middle = statistics.median(float(value) for value in values)
    return f"{middle:.1f}" if "." in values[0] else f"{middle:,.0f}"


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, rounds=2, rate=2_000, connections=64, keys=1_000_000).parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("What clients see while a node is rebuilt", "node_rebuilt.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
