"""The storage engine of stage 1 without HTTP, beside RocksDB and the MVStore of H2.

    engines.py [--java JAVA]
    engines.py --summary

Runs StorageBenchmark with one thread and with two, which takes six minutes. Leaves docs/reports/engines/;
`--summary` makes the table anew. Needs the jars that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import sys
from typing import Any

import jmh
from cluster import Facts, Report, Tools, parser_of, table, tools_of, with_range

REPORT = Report("engines")
THREADS = ("1", "2")
ENGINES = {"workbook": "stage 1", "rocksdb": "RocksDB", "mvstore": "MVStore"}
ITERATIONS = ("-wi", "2", "-w", "2s", "-i", "3", "-r", "2s")
OPERATIONS = {"getHit": "get, key exists", "getMiss": "get, no such key", "put": "put", "range100": "range of 100"}


def run(tools: Tools) -> None:
    REPORT.begin(tools, {"load tool": "JMH", "nodes": "none", "keys, bytes a value": "1,000,000, 128"})
    for threads in THREADS:
        told, measured = jmh.run(tools, "StorageBenchmark", "-t", threads, *ITERATIONS)
        REPORT.keep(f"threads-{threads}", told, {"threads": threads, "micros": micros_of(measured)})


def micros_of(measured: list[dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """From the JSON of JMH: a figure for each iteration, by engine and by operation."""
    found: dict[str, dict[str, list[float]]] = {}
    for each in measured:
        operation = each["benchmark"].rpartition(".")[2]
        found.setdefault(each["params"]["engine"], {})[operation] = [ns / 1000 for ns in jmh.iterations_of(each)]
    return found


def tables(runs: list[Facts]) -> list[str]:
    rows = []
    for run in runs:
        micros = run["micros"]
        assert isinstance(micros, dict)
        for engine, title in ENGINES.items():
            cells = " | ".join(with_range(micros[engine][operation], ".2f") for operation in OPERATIONS)
            rows.append(f"| {run['threads']} | {title} | {cells} |")
    return [
        "## Engines",
        "µs for each operation: medians of the iterations of one JVM, in brackets the least and the greatest.",
        table(f"| threads | engine | {' | '.join(OPERATIONS.values())} |", rows),
    ]


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, chooses_wrk2=False).parse_args(words)
    if not arguments.summary:
        run(tools_of(arguments))
    REPORT.write("Storage engines", "engines.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
