"""What a dead owner costs those who ask for other nodes' keys.

    dead_owner.py [--wrk2 WRK2] [--java JAVA] [--rounds N] [--rate R] [--connections C] [--seconds S]
    dead_owner.py --summary

Three nodes. One of them is asked for keys of its own and of a second one, at a constant rate, and beside that for keys
of the third by another load tool. In turn the third one is alive, or has been killed: then its keys are answered 502.
The others are measured. Leaves docs/reports/dead-owner/; `--summary` makes the tables anew. Needs the jars that `mvn
package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from cluster import (
    Cluster,
    Facts,
    Report,
    Tools,
    cluster_of,
    environment,
    figures,
    number_of,
    parser_of,
    percentile_ms,
    request_count,
    said_by,
    table,
    tools_of,
)

from workbook.measure.load_report import read_report

ALIVE, DEAD = "alive", "dead"
WORKLOADS = ("get", "put")
DOOMED = 2
BESIDE_SHARE = 0.5
"""Of the measured rate: a third of all requests is for the third node's keys, as its share is."""
BESIDE_CONNECTIONS = 16
WARMUP_S, WARMUP_ROUNDS = 6, 3
SETTLE_S = 2
REPORT = Report("dead-owner")


def measure(
    cluster: Cluster, tools: Tools, arguments: argparse.Namespace, workload: str, files: dict[str, Path]
) -> tuple[Facts, str]:
    """What clients of the two other nodes see, while others ask for the third one's keys."""
    url, rate = cluster.urls[0], int(arguments.rate * BESIDE_SHARE)
    seconds = arguments.seconds + tools.unmeasured_s
    beside = tools.load(url, workload, rate, BESIDE_CONNECTIONS, seconds + 1)
    others = subprocess.Popen(beside, env=environment(files["third"]), stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(1)
        text = said_by(
            tools.load(url, workload, arguments.rate, arguments.connections, arguments.seconds), files["kept"]
        )
        beside_text = others.communicate(timeout=60)[0]
    finally:
        if others.poll() is None:
            others.kill()
            others.wait()
    report, beside_report = figures(text), read_report(beside_text)
    facts: Facts = {
        "requests": request_count(report),
        "p50_ms": percentile_ms(report, 0.5),
        "p99_ms": percentile_ms(report, 0.99),
        "p99_9_ms": percentile_ms(report, 0.999),
        "beside_requests": request_count(beside_report),
        "beside_errors": beside_report.errors.named(),
    }
    return facts, text


def warm_up(cluster: Cluster, tools: Tools, arguments: argparse.Namespace, files: dict[str, Path]) -> None:
    """Lets the compilers of all nodes do their work before anything is measured."""
    for _ in range(WARMUP_ROUNDS):
        for workload in WORKLOADS:
            for file in files.values():
                said_by(tools.load(cluster.urls[0], workload, arguments.rate, arguments.connections, WARMUP_S), file)


def run(arguments: argparse.Namespace) -> None:
    tools = tools_of(arguments)
    REPORT.begin(tools)
    with cluster_of(tools) as cluster:
        files = {"kept": cluster.list_keys("kept", [0, 1]), "third": cluster.key_files[DOOMED]}
        warm_up(cluster, tools, arguments, files)
        for number in range(1, arguments.rounds + 1):
            for side in (ALIVE, DEAD):
                if side == DEAD:
                    cluster.kill(DOOMED)
                for workload in WORKLOADS:
                    facts, text = measure(cluster, tools, arguments, workload, files)
                    asked: Facts = {"workload": workload, "third": side, "round": number, "rate": arguments.rate}
                    asked["connections"] = arguments.connections
                    REPORT.keep(f"{workload}-{side}-{number}", text, {**asked, **facts})
                    print(f"{workload}, third node {side}, {number}: {facts}", flush=True)
            cluster.restart(DOOMED)
            said_by(tools.load(cluster.urls[0], "get", arguments.rate, BESIDE_CONNECTIONS, WARMUP_S), files["third"])
            time.sleep(SETTLE_S)


def tables(runs: list[Facts]) -> list[str]:
    rows = []
    for workload in WORKLOADS:
        p50 = [medians(runs, workload, side, "p50_ms") for side in (ALIVE, DEAD)]
        p99 = [medians(runs, workload, side, "p99_ms") for side in (ALIVE, DEAD)]
        cells = [workload.upper(), *(f"{statistics.median(each):.2f}" for each in p50)]
        cells += [f"{statistics.median(each):.2f} ({min(each):.2f} to {max(each):.2f})" for each in p99]
        cells.append(f"{statistics.median(p99[1]) / statistics.median(p99[0]):.2f}")
        rows.append("| " + " | ".join(cells) + " |")
    first = runs[0]
    load = f"{first['rate']:,} requests a second on {first['connections']} connections to one node, for keys of its own"
    return [
        "## A dead owner",
        f"{load} and of a second; beside them half as many for keys of the third, which is alive or killed."
        " Medians of the rounds, in brackets the least and the greatest, in ms.",
        table("| | p50, third alive | p50, dead | p99, third alive | p99, dead | p99, dead to alive |", rows),
    ]


def medians(runs: list[Facts], workload: str, side: str, what: str) -> list[float]:
    return [number_of(run[what]) for run in runs if (run["workload"], run["third"]) == (workload, side)]


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, rounds=5, rate=2_000, connections=32, seconds=8).parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("What a dead owner costs the others", "dead_owner.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
