"""What a forwarded request costs: processor time of all nodes, beside that of one which the node asked can answer.

    forward.py [--wrk2 WRK2] [--java JAVA] [--rounds N] [--rate R] [--connections C] [--seconds S]
    forward.py --summary

One cluster, one load, asked of one node: in turn for keys that it holds itself, and for keys that the others hold.
Leaves docs/reports/forward/; `--summary` makes the tables anew. Needs the jars that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from cluster import (
    Cluster,
    Facts,
    Report,
    Tools,
    add_tools,
    cluster_of,
    errors,
    number_of,
    percentile_ms,
    request_count,
    said_by,
    table,
    tools_of,
)

LOCAL, FORWARDED = "local", "forwarded"
WORKLOADS = ("get", "put")
WARMUP_S, WARMUP_ROUNDS = 6, 4
KEPT_UP_SHARE = 0.96
"""Of the asked rate; the load tool begins its connections one after the other."""
TRIES_MAX = 3
REPORT = Report("forward")


def measure(
    cluster: Cluster, tools: Tools, arguments: argparse.Namespace, workload: str, key_file: Path
) -> tuple[Facts, str]:
    """What a run cost all nodes together. One that fell behind is done again: what comes at once costs less each."""
    for _ in range(TRIES_MAX):
        facts, text = attempt(cluster, tools, arguments, workload, key_file)
        if number_of(facts["requests"]) >= KEPT_UP_SHARE * arguments.rate * arguments.seconds:
            break
    return facts, text


def attempt(
    cluster: Cluster, tools: Tools, arguments: argparse.Namespace, workload: str, key_file: Path
) -> tuple[Facts, str]:
    before = cluster.cpu_s()
    command = tools.load(cluster.urls[0], workload, arguments.rate, arguments.connections, arguments.seconds)
    text = said_by(command, key_file)
    used_s = [after - earlier for after, earlier in zip(cluster.cpu_s(), before, strict=True)]
    counted = request_count(text)
    if errors(text):
        raise SystemExit(f"a run with errors is no measurement: {errors(text)}")
    sent = counted * (arguments.seconds + tools.unmeasured_s) / arguments.seconds
    facts: Facts = {
        "requests": counted,
        "cpu_us_by_node": [round(1e6 * each / sent, 2) for each in used_s],
        "cpu_us": round(1e6 * sum(used_s) / sent, 2),
        "p50_ms": round(percentile_ms(text, "50"), 3),
        "p99_ms": round(percentile_ms(text, "99"), 3),
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
        files = {LOCAL: cluster.key_files[0], FORWARDED: cluster.list_keys("others", [1, 2])}
        warm_up(cluster, tools, arguments, files)
        for number in range(1, arguments.rounds + 1):
            for workload in WORKLOADS:
                for side in (LOCAL, FORWARDED) if number % 2 else (FORWARDED, LOCAL):
                    facts, text = measure(cluster, tools, arguments, workload, files[side])
                    load: Facts = {"rate": arguments.rate, "connections": arguments.connections}
                    asked: Facts = {"workload": workload, "side": side, "round": number, **load}
                    REPORT.keep(f"{workload}-{side}-{number}", text, {**asked, **facts})
                    print(f"{workload} {side} {number}: {facts}", flush=True)


def tables(runs: list[Facts]) -> list[str]:
    rows = []
    for workload in WORKLOADS:
        local, forwarded = (by_round(runs, workload, side, "cpu_us") for side in (LOCAL, FORWARDED))
        ratios = sorted(there / here for here, there in zip(local, forwarded, strict=True))
        cells = [workload.upper(), f"{statistics.median(local):.1f}", f"{statistics.median(forwarded):.1f}"]
        cells.append(f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
        for side in (LOCAL, FORWARDED):
            cells.append(f"{statistics.median(by_round(runs, workload, side, 'p99_ms')):.2f}")
        rows.append("| " + " | ".join(cells) + " |")
    load = f"{runs[0]['rate']:,} requests a second on {runs[0]['connections']} connections to one node of three"
    return [
        "## Cost of one forward",
        f"{load}; processor time of all nodes together. Medians of the rounds, in brackets the least and the greatest.",
        table("| | local, µs a request | forwarded | ratio | p99 local, ms | p99 forwarded |", rows),
    ]


def by_round(runs: list[Facts], workload: str, side: str, what: str) -> list[float]:
    mine = [run for run in runs if (run["workload"], run["side"]) == (workload, side)]
    return [number_of(run[what]) for run in sorted(mine, key=lambda run: number_of(run["round"]))]


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_tools(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rate", type=int, default=5_000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--summary", action="store_true", help="make the tables anew, and measure nothing")
    return parser.parse_args(words)


def main(words: list[str]) -> None:
    arguments = parse(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("What a forwarded request costs", "forward.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
