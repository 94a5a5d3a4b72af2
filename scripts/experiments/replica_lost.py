"""What clients see, second by second, while a replica is paused or dead: stage 4 beside stage 5.

    replica_lost.py [--java JAVA] [--rounds N] [--rate R] [--connections C]
    replica_lost.py --summary

Three nodes, quorum 2/3. One is asked at a constant rate; after a while another one is paused (SIGSTOP) or killed, later
it goes on or is started again. Leaves docs/reports/replica-lost/; `--summary` makes the tables anew. Always with the
built-in generator, which tells the seconds apart. Needs the jars that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import statistics
import sys
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
    said_by,
    seconds_in,
    table,
    tools_of,
)

STAGES = {
    "4": ROOT / "stage4-replication/target/stage4-replication.jar",
    "5": ROOT / "stage5-async-client/target/stage5-async-client.jar",
}
FAULTS = ("paused", "killed")
WORKLOADS = ("get", "put")
LOST = 1
"""The node that the one under load asks first."""
WARMUP_S = 6
"""With each workload, through each node: one that stands in for another one should have answered reads before."""
BEGINS_S, ENDS_S, LASTS_S = 5, 13, 20
"""Of the load's own clock: when the replica is lost, when it comes back, when all ends."""
FIRST_SECONDS = 2
"""So long after the loss it is still new."""
REPORT = Report("replica-lost")


def measure(
    cluster: Cluster, tools: Tools, arguments: argparse.Namespace, workload: str, fault: str
) -> tuple[str, list[float]]:
    """The seconds of a run, as CSV, and when the fault began and ended, both by the clock of the load."""
    asked = (workload, arguments.rate, arguments.connections, LASTS_S)
    with load_beside(tools, cluster.urls[0], *asked) as load:
        begun_s = load.await_second(BEGINS_S)
        lose(cluster, fault)
        ended_s = load.await_second(ENDS_S)
        bring_back(cluster, fault)
    return load.seconds, [begun_s, ended_s]


def lose(cluster: Cluster, fault: str) -> None:
    if fault == "paused":
        cluster.pause(LOST)
    else:
        cluster.kill(LOST)


def bring_back(cluster: Cluster, fault: str) -> None:
    if fault == "paused":
        cluster.resume(LOST)
    else:
        cluster.restart(LOST)


def run(arguments: argparse.Namespace) -> None:
    tools = replace(tools_of(arguments), wrk2=None)
    REPORT.begin(tools)
    for number, stage in product(range(1, arguments.rounds + 1), STAGES):
        with cluster_of(replace(tools, jar=STAGES[stage])) as cluster:
            for workload, url in product(WORKLOADS, reversed(cluster.urls)):
                said_by(tools.load(url, workload, arguments.rate, arguments.connections, WARMUP_S), None)
            for workload, fault in product(WORKLOADS, FAULTS):
                text, lost_at_s = measure(cluster, tools, arguments, workload, fault)
                seconds = seconds_in(text)
                asked: Facts = {"stage": stage, "workload": workload, "fault": fault, "round": number}
                load: Facts = {"rate": arguments.rate, "connections": arguments.connections}
                load |= {"lost_s": [BEGINS_S, ENDS_S], "lost_at_s": lost_at_s}
                REPORT.keep(f"stage{stage}-{workload}-{fault}-{number}", text, {**asked, **load, "seconds": seconds})
                print(f"stage {stage} {workload} {fault} {number}: {cells(seconds)}", flush=True)


def cells(seconds: list[Facts]) -> list[str]:
    """Of a run: p99 before, in the worst of the first seconds of the loss, afterwards; the greatest; what failed."""
    before = seconds[1:BEGINS_S]
    first = seconds[BEGINS_S : BEGINS_S + FIRST_SECONDS]
    lasting = seconds[BEGINS_S + FIRST_SECONDS : ENDS_S]
    usual, worst, later = (millis(part, "p99Micros") for part in (before, first, lasting))
    p99 = [f"{found:.1f}" for found in (statistics.median(usual), max(worst), statistics.median(later))]
    greatest = f"{max(millis(seconds[BEGINS_S:ENDS_S], 'maxMicros')):.0f}"
    return [*p99, greatest, str(sum(int(number_of(second["errors"])) for second in seconds))]


def millis(seconds: list[Facts], what: str) -> list[float]:
    return [number_of(second[what]) / 1000 for second in seconds]


def tables(runs: list[Facts]) -> list[str]:
    load = f"{runs[0]['rate']:,} requests a second on {runs[0]['connections']} connections"
    head = "| | replica | stage | p99 before, ms | p99, worst of the first 2 s | p99, later | greatest | failed |"
    rows = []
    for workload, fault, stage in product(WORKLOADS, FAULTS, STAGES):
        wanted = (workload, fault, stage)
        mine = [run for run in runs if (run["workload"], run["fault"], run["stage"]) == wanted]
        middle = [median_cell([cells(seconds_of(run))[column] for run in mine]) for column in range(5)]
        rows.append("| " + " | ".join([workload.upper(), fault, stage, *middle]) + " |")
    return [
        "## A replica is lost",
        f"{load} to one of three nodes, quorum 2/3; after {BEGINS_S} s another one is lost for {ENDS_S - BEGINS_S} s."
        " Medians of the rounds.",
        table(head, rows),
    ]


def seconds_of(run: Facts) -> list[Facts]:
    seconds = run["seconds"]
    assert isinstance(seconds, list)
    return seconds


def median_cell(values: list[str]) -> str:
    middle = statistics.median(float(value) for value in values)
    return f"{middle:.1f}" if "." in values[0] else f"{middle:.0f}"


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, rounds=3, rate=2_000, connections=64).parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("What clients see while a replica is lost", "replica_lost.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
