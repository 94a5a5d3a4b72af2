"""What clients see second by second while a replica is lost: what replica_lost.py has measured, drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from typing import ClassVar

from workbook.failure import Failure
from workbook.pages.figures import Html, chart, no_file, plain_table
from workbook.pages.numbers import count, figure
from workbook.pages.report import Json, check_experiment

RUNS = "replica-lost/runs.jsonl"


@dataclass(frozen=True)
class Line:
    """A stage, second by second: medians of the rounds, and what failed in any of them."""

    label: str
    per_s: Sequence[float]
    p99_ms: Sequence[float]
    failed: Sequence[int]

    HEADS: ClassVar = ("answered", "p99", "failed")

    def cells(self, second: int) -> list[str]:
        """What the table says of a second, a cell for each of `HEADS`."""
        return [
            f"{count(round(self.per_s[second]))}/s",
            figure(self.p99_ms[second], "ms"),
            count(self.failed[second]),
        ]


def timeline(reports: Path, workload: str, fault: str) -> str | Html:
    """Rate, p99 and failures of each stage, and when the replica was `paused` or `killed`."""
    file = reports / RUNS
    if not file.is_file():
        return no_file(f"docs/reports/{RUNS}")
    check_experiment(file.parent)
    runs = [json.loads(line) for line in file.read_text().splitlines()]
    found = [run for run in runs if (run["workload"], run["fault"]) == (workload, fault)]
    if not found:
        raise Failure(f"{file} has no {workload} with a replica {fault}")
    stages = sorted({run["stage"] for run in found})
    lines = [_line(stage, [run["seconds"] for run in found if run["stage"] == stage]) for stage in stages]
    seconds = range(min(len(line.p99_ms) for line in lines))
    heads = [f"{line.label}: {head}" for line in lines for head in Line.HEADS]
    rows = [[str(second), *chain.from_iterable(line.cells(second) for line in lines)] for second in seconds]
    data = {
        "kind": "timeline",
        "seconds": list(seconds),
        "lost": found[0]["lost_s"],
        "fault": fault,
        "series": [{"label": f"{line.label}, p99", "ms": line.p99_ms, "failed": line.failed} for line in lines],
        "answered": [{"label": f"{line.label}, answered", "per_s": line.per_s} for line in lines],
    }
    return chart(f"{workload.upper()} while a replica is {fault}", data, plain_table(["second", *heads], rows))


def _line(stage: str, rounds: Sequence[Sequence[Json]]) -> Line:
    by_second = list(zip(*rounds, strict=False))
    return Line(
        f"stage {stage}",
        [median(each["answered"] for each in same) for same in by_second],
        [median(each["p99Micros"] for each in same) / 1000 for same in by_second],
        [sum(each["errors"] for each in same) for same in by_second],
    )
