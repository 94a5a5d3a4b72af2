"""`workbook saturate`: a rate ladder that finds the highest rate which a stage sustains."""

from __future__ import annotations

import argparse
import json

from rich.console import Console

from workbook import console
from workbook.arguments import Parser
from workbook.host import Host
from workbook.measure import options, results, runs
from workbook.measure.bench import bench_for
from workbook.measure.ladder import Limits, Plan
from workbook.measure.run_folder import RunFolder, new_path
from workbook.measure.workload import Load
from workbook.project import Project

FULL_RUNG_S, QUICK_RUNG_S = 4.0, 2.0
FULL_WITHIN, QUICK_WITHIN = 0.05, 0.45
FULL_CONFIRM_S, QUICK_CONFIRM_S = 10.0, 2.0
FROM_PER_S, TO_PER_S = 16_000, 1_000_000
P99_MS_MAX = 50.0

DESCRIPTION = """\
Finds the highest rate that stage N sustains. It doubles the rate until the server achieves less than 97 %, answers
with errors, or has a p99 above the limit. Then it searches between the last two rates, and confirms the result for a
longer time. If even the first rate is too high, it tries lower ones. ladder.json in the run folder has every rate that
was tried.

With --target FILE it measures nodes that run already, on other machines or in containers: see docs/targets.md.
"""


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, options.ENVIRONMENT
    parser.add_argument("stage", metavar="N", type=options.stage_number, help="the number of the stage")
    options.add_workload(parser)
    parser.add_argument(
        "--from", dest="from_per_s", metavar="R", type=int, default=FROM_PER_S, help="first rate (default: 16000)"
    )
    parser.add_argument(
        "--to", dest="to_per_s", metavar="R", type=int, default=TO_PER_S, help="last rate (default: 1000000)"
    )
    parser.add_argument("--p99-max", metavar="MS", type=float, default=P99_MS_MAX, help="limit of p99 (default: 50)")
    parser.add_argument(
        "--rung", metavar="S", type=options.seconds, help="seconds for each rate (default: 4, quick: 2)"
    )
    options.add_to(parser, rate=False, duration="", target=True, spread=True)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    settings = options.settings(arguments)
    workload = options.workload(arguments, host.env)
    if arguments.rung is not None:
        options.check_duration("--rung", arguments.rung)
    load = rung_load(settings, arguments.rung)
    plan = plan_for(quick=settings.quick, from_per_s=arguments.from_per_s, to_per_s=arguments.to_per_s)
    with bench_for(settings, project, host) as bench:
        target = bench.target(arguments.stage)
        path = new_path(bench.runs, target.stage_name, f"{workload.name}-ladder")
        bench.out.print(f"run: {project.short(path)}")
        folder, found = runs.saturate(bench, target, workload, load, plan, Limits(arguments.p99_max), path)
    print_ladder(folder, bench.out)
    least = "at least " if found.tops_out else ""
    bench.out.print(f"\n{target.name} sustains {least}{found.sustainable_per_s} {workload.name} requests a second")
    return 0


def rung_load(settings: options.Settings, rung_s: float | None = None) -> Load:
    return settings.load.lasting(rung_s or (QUICK_RUNG_S if settings.quick else FULL_RUNG_S))


def plan_for(*, quick: bool, from_per_s: int = FROM_PER_S, to_per_s: int = TO_PER_S) -> Plan:
    within = QUICK_WITHIN if quick else FULL_WITHIN
    confirm_s = QUICK_CONFIRM_S if quick else FULL_CONFIRM_S
    return Plan(from_per_s, max(from_per_s, to_per_s), within, confirm_s, tries=2)


def print_ladder(folder: RunFolder, out: Console) -> None:
    numbers = ("asked 1/s", "got 1/s", "p50 ms", "p99 ms", "CPU µs/req")
    listed = console.table("phase", *numbers, "held", numbers=numbers)
    for rung in json.loads((folder.path / "ladder.json").read_text())["rungs"]:
        listed.add_row(
            rung["phase"],
            results.shown(rung["rate_asked_per_s"], 0),
            results.shown(rung["rate_per_s"], 0),
            results.shown(rung["latency_ms"]["p50"], 2),
            results.shown(rung["latency_ms"]["p99"], 2),
            results.shown(rung["server_cpu_us_per_request"], 1),
            "yes" if rung["held"] else f"no: {rung['why_not']}",
        )
    out.print(listed, soft_wrap=False)
