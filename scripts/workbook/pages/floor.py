"""What asking other nodes costs at least: what fan_out_floor.py has measured, drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import median

from workbook.pages.figures import Html, bar, no_file
from workbook.pages.numbers import count, figure
from workbook.pages.report import Json, check_experiment

RUNS = "fan-out-floor/runs.jsonl"
WORKLOADS = ("put", "get")


def floor(reports: Path) -> str | Html:
    """A line a server: its rate, also as a share of the bare one's, which comes first, and its processor time."""
    file = reports / RUNS
    if not file.is_file():
        return no_file(f"docs/reports/{RUNS}")
    check_experiment(file.parent)
    runs = [json.loads(line) for line in file.read_text().splitlines()]
    sides = list(dict.fromkeys(run["side"] for run in runs))
    columns = [column for workload in WORKLOADS for column in _columns(runs, sides, workload)]
    rows = "".join(
        f'<tr><th scope="row">{escape(side)}</th>{"".join(cells)}</tr>'
        for side, cells in zip(sides, zip(*columns, strict=True), strict=True)
    )
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for workload in WORKLOADS
        for head in (workload.upper(), "of the bare server", "server CPU per request")
    )
    rounds, first = max(run["round"] for run in runs), runs[0]
    return Html(
        f'<div class="figure-table"><table class="figures"><caption>At saturation with {first["connections"]}'
        f" connections, after a warm-up of {first['warmup_s']} s. CPU time is the sum over all servers. Medians of"
        f" {rounds} rounds"
        f"</caption><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _columns(runs: Sequence[Json], sides: Sequence[str], workload: str) -> list[list[str]]:
    """The cells of each column: how much, what share of the first, and what that costs beside the dearest."""

    def medians(what: str) -> list[float]:
        return [
            median(run[what] for run in runs if (run["side"], run["workload"]) == (side, workload)) for side in sides
        ]

    rates, costs = medians("rate_per_s"), medians("cpu_us")
    return [
        [f"<td>{count(round(rate))}/s</td>" for rate in rates],
        [bar(rate / rates[0]) for rate in rates],
        [bar(cost / max(costs), figure(cost, "µs")) for cost in costs],
    ]
