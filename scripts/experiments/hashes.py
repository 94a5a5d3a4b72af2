"""Hashes that could say where a key lives: how evenly they spread keys, and how long they take.

    hashes.py [--java JAVA]
    hashes.py --summary

Runs HashReport, whose figures are the same on every machine, and HashBenchmark, which takes two minutes. Leaves
docs/reports/hash/; `--summary` makes the tables anew. Needs the jars that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import jmh
from cluster import BENCHMARKS, Facts, Report, Tools, parser_of, table, tools_of, with_range

REPORT = Report("hash")
LENGTHS = ("16", "256")
SPREAD, TIMES = "spread", "times"


def run(tools: Tools) -> None:
    REPORT.begin(tools, {"load tool": "JMH", "nodes": "none", "keys, bytes a value": "no values"})
    spread = jmh.said_by(tools, "-cp", str(BENCHMARKS), "dht.benchmarks.sharding.HashReport")
    REPORT.keep(SPREAD, spread, {"table": spread})
    told, measured = jmh.run(tools, "HashBenchmark")
    REPORT.keep(TIMES, told, {"nanos": nanos_of(measured)})


def nanos_of(measured: list[dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """From the JSON of JMH: a figure for each iteration, by hash and by length of the key."""
    found: dict[str, dict[str, list[float]]] = {}
    for each in measured:
        found.setdefault(each["params"]["hash"], {})[each["params"]["keyBytes"]] = jmh.iterations_of(each)
    return found


def tables(runs: list[Facts]) -> list[str]:
    spread, times = ({run["name"]: run for run in runs}[name] for name in (SPREAD, TIMES))
    text, nanos = str(spread["table"]), times["nanos"]
    assert isinstance(nanos, dict)
    titles = re.findall(r"^\| (?!hash )([^|]+?) \|", text, re.MULTILINE)
    rows = [
        f"| {title} | " + " | ".join(with_range(nanos[constant(title)][length], ".1f") for length in LENGTHS) + " |"
        for title in titles
    ]
    columns = " | ".join(f"key of {length} bytes, ns" for length in LENGTHS)
    return [
        text.strip(),
        "## Time of a hash",
        "Medians of the iterations of one JVM, in brackets the least and the greatest.",
        table(f"| hash | {columns} |", rows),
    ]


def constant(title: str) -> str:
    """How Java calls the hash that has this title."""
    return re.sub(r"[^A-Z0-9]", "_", title.upper())


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, chooses_wrk2=False).parse_args(words)
    if not arguments.summary:
        run(tools_of(arguments))
    REPORT.write("Hashes of keys", "hashes.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
