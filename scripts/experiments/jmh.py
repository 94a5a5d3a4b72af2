"""Runs of JMH: what it prints, and a figure for each iteration."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from cluster import BENCHMARKS, Tools


def run(tools: Tools, *words: str) -> tuple[str, list[dict[str, Any]]]:
    """What JMH prints, without the paths of this machine, and the JSON that it leaves."""
    with tempfile.TemporaryDirectory(prefix="jmh-") as folder:
        found = Path(folder) / "found.json"
        told = said_by(tools, "-jar", str(BENCHMARKS), *words, "-rf", "json", "-rff", str(found))
        return without_paths(told), json.loads(found.read_text())


def said_by(tools: Tools, *words: str) -> str:
    return subprocess.run([str(tools.java), *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def without_paths(told: str) -> str:
    """Not where this machine has its JVM and its jars."""
    return "".join(
        line
        for line in told.splitlines(keepends=True)
        if not line.startswith(("# VM ", "WARNING: ", "Benchmark result "))
    )


def iterations_of(measured: dict[str, Any]) -> list[float]:
    """The figures of one benchmark, of all its JVMs."""
    return [figure for fork in measured["primaryMetric"]["rawData"] for figure in fork]
