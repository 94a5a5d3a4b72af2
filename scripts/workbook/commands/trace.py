"""`workbook trace`: a load whose requests are recorded, to see where they wait."""

from __future__ import annotations

import argparse

from workbook.arguments import Parser
from workbook.console import table
from workbook.host import Host
from workbook.measure import options, results, runs
from workbook.measure.bench import bench_for
from workbook.measure.results import shown
from workbook.measure.run_folder import new_path
from workbook.measure.waiting import PARTS, Waiting
from workbook.measure.waiting_page import PAGE
from workbook.measure.wall import ALL, GRAPHS, SLOWEST
from workbook.project import Project

DESCRIPTION = """\
Does the same as load, and records when each request passed the points on its way through each node. Shows where the
time of the median requests goes, and where that of the slowest 1 % goes. Leaves a page with the ten slowest requests as
time lines in the run folder.

Also takes wall-clock samples of all nodes, and makes flame graphs of those within requests: what all requests did, what
the slowest 1 % did, and the difference. Recording takes processor time, so the other figures of this run are not for
comparison.
"""


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, options.ENVIRONMENT
    parser.add_argument("stage", metavar="N", type=options.stage_number, help="the number of the stage")
    options.add_workload(parser)
    options.add_to(parser)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    settings = options.settings(arguments)
    workload = options.workload(arguments, host.env)
    with bench_for(settings, project, host) as bench:
        target = bench.stage(arguments.stage)
        path = new_path(bench.runs, target.stage_name, f"{workload.name}-trace")
        bench.out.print(f"run: {project.short(path)}")
        folder, found = runs.trace(bench, target, workload, settings.load, path)
        results.print_runs([folder.facts], bench.out)
        for each in found:
            bench.out.print(f"\n{each.kind}: mean milliseconds of {each.count} requests, as the server sees them")
            bench.out.print(_table(each))
        samples = results.section(results.section(folder.facts, "wall"), "samples")
        bench.out.print(f"\nwall-clock samples: {samples[ALL]} of all requests, {samples[SLOWEST]} of the slowest 1 %")
        for page in (PAGE, *(f"{name}.html" for name in GRAPHS)):
            if (path / page).is_file():
                bench.out.print(f"  {project.short(path / page)}")
    return 0


def _table(waiting: Waiting) -> object:
    columns = ("the median 10 %", "the slowest 1 %")
    groups = (waiting.median, waiting.slowest)
    listed = table("part", *columns, numbers=columns)
    for part in PARTS:
        listed.add_row(part, *(shown(group.parts_us[part] / 1000, 3) for group in groups))
    listed.add_row("all", *(shown(group.total_us / 1000, 3) for group in groups))
    return listed
