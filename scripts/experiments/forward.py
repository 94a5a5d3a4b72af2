"""What a forwarded request costs: processor time of all nodes, beside that of one which the node asked can answer.

    forward.py [--wrk2 WRK2] [--java JAVA] [--rounds N] [--rate R] [--connections C] [--seconds S]
    forward.py --summary

One cluster, one load, in turn for keys that the nodes asked hold themselves, and for keys that the others hold; asked
of all nodes alike, and asked of one. Leaves docs/reports/forward/; `--summary` makes the tables anew. Needs the jars
that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from cluster import (
    NODES,
    Cluster,
    Facts,
    Report,
    Tools,
    cluster_of,
    figures,
    number_of,
    parser_of,
    percentile_ms,
    request_count,
    said_by,
    table,
    tools_of,
)

LOCAL, FORWARDED = "local", "forwarded"
WORKLOADS = ("get", "put")
ASKED = {"all": tuple(range(NODES)), "one": (0,)}
WARMUP_S, WARMUP_ROUNDS = 6, 4
KEPT_UP_SHARE = 0.96
"""Of the asked rate; the load tool begins its connections one after the other."""
TRIES_MAX = 3
REPORT = Report("forward")

KeyFiles = dict[str, list[Path]]
"""Of each side, what each node is asked for."""


def measure(
    cluster: Cluster,
    tools: Tools,
    arguments: argparse.Namespace,
    workload: str,
    asked: tuple[int, ...],
    keys: list[Path],
) -> tuple[Facts, str]:
    """What a run cost all nodes together. One that fell behind is done again: what comes at once costs less each."""
    for _ in range(TRIES_MAX):
        facts, text = attempt(cluster, tools, arguments, workload, asked, keys)
        if number_of(facts["requests"]) >= KEPT_UP_SHARE * arguments.rate * arguments.seconds:
            break
    return facts, text


def attempt(
    cluster: Cluster,
    tools: Tools,
    arguments: argparse.Namespace,
    workload: str,
    asked: tuple[int, ...],
    keys: list[Path],
) -> tuple[Facts, str]:
    before = cluster.cpu_s()
    texts = loads(cluster, tools, arguments, workload, asked, keys)
    used_s = [after - earlier for after, earlier in zip(cluster.cpu_s(), before, strict=True)]
    reports = [figures(text) for text in texts]
    counted = sum(request_count(report) for report in reports)
    sent = counted * (arguments.seconds + tools.unmeasured_s) / arguments.seconds
    facts: Facts = {
        "requests": counted,
        "cpu_us_by_node": [round(1e6 * each / sent, 2) for each in used_s],
        "cpu_us": round(1e6 * sum(used_s) / sent, 2),
        "p50_ms": max(percentile_ms(report, 0.5) for report in reports),
        "p99_ms": max(percentile_ms(report, 0.99) for report in reports),
    }
    return facts, "\n".join(texts)


def loads(
    cluster: Cluster,
    tools: Tools,
    arguments: argparse.Namespace,
    workload: str,
    asked: tuple[int, ...],
    keys: list[Path],
) -> list[str]:
    """What the load tools said, one for each node that is asked; they share rate and connections."""
    rate, connections = arguments.rate // len(asked), arguments.connections // len(asked)
    commands = {node: tools.load(cluster.urls[node], workload, rate, connections, arguments.seconds) for node in asked}
    with ThreadPoolExecutor(len(asked)) as pool:
        return list(pool.map(lambda node: said_by(commands[node], keys[node]), asked))


def warm_up(cluster: Cluster, tools: Tools, arguments: argparse.Namespace, files: KeyFiles) -> None:
    """Lets the compilers of all nodes do their work before anything is measured."""
    shorter = argparse.Namespace(**{**vars(arguments), "seconds": WARMUP_S})
    for _ in range(WARMUP_ROUNDS):
        for workload in WORKLOADS:
            for keys in files.values():
                loads(cluster, tools, shorter, workload, ASKED["all"], keys)


def run(arguments: argparse.Namespace) -> None:
    tools = tools_of(arguments)
    REPORT.begin(tools)
    with cluster_of(tools) as cluster:
        nodes = range(NODES)
        others = [cluster.list_keys(f"others{one}", [node for node in nodes if node != one]) for one in nodes]
        files = {LOCAL: cluster.key_files, FORWARDED: others}
        warm_up(cluster, tools, arguments, files)
        for number in range(1, arguments.rounds + 1):
            for (whom, asked), workload in product(ASKED.items(), WORKLOADS):
                for side in (LOCAL, FORWARDED) if number % 2 else (FORWARDED, LOCAL):
                    facts, text = measure(cluster, tools, arguments, workload, asked, files[side])
                    load: Facts = {"rate": arguments.rate, "connections": arguments.connections}
                    what: Facts = {"asked": whom, "workload": workload, "side": side, "round": number, **load}
                    REPORT.keep(f"{workload}-{side}-{whom}-{number}", text, {**what, **facts})
                    print(f"{whom} {workload} {side} {number}: {facts}", flush=True)


def tables(runs: list[Facts]) -> list[str]:
    load = f"{runs[0]['rate']:,} requests a second on {runs[0]['connections']} connections"
    return [
        "## Cost of one forward",
        f"{load}, spread over all three nodes, or all to one of them; processor time of all nodes together. Medians of "
        "the rounds, in brackets the least and the greatest.",
        table(
            "| | nodes asked | local, µs a request | forwarded | ratio | p99 local, ms | p99 forwarded |",
            [row(runs, workload, whom) for whom, workload in product(ASKED, WORKLOADS)],
        ),
    ]


def row(runs: list[Facts], workload: str, whom: str) -> str:
    mine = [run for run in runs if (run["workload"], run["asked"]) == (workload, whom)]
    local, forwarded = (by_round(mine, side, "cpu_us") for side in (LOCAL, FORWARDED))
    ratios = sorted(there / here for here, there in zip(local, forwarded, strict=True))
    cells = [workload.upper(), whom, f"{statistics.median(local):.1f}", f"{statistics.median(forwarded):.1f}"]
    cells.append(f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    cells += [f"{statistics.median(by_round(mine, side, 'p99_ms')):.2f}" for side in (LOCAL, FORWARDED)]
    return "| " + " | ".join(cells) + " |"


def by_round(runs: list[Facts], side: str, what: str) -> list[float]:
    mine = [run for run in runs if run["side"] == side]
    return [number_of(run[what]) for run in sorted(mine, key=lambda run: number_of(run["round"]))]


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, rounds=5, rate=5_000, connections=64, seconds=8).parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("What a forwarded request costs", "forward.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
