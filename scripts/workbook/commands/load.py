"""`workbook load`: a constant rate against a stage, measured."""

from __future__ import annotations

import argparse

from workbook.arguments import Parser
from workbook.host import Host
from workbook.measure import options, results, runs
from workbook.measure.bench import bench_for
from workbook.measure.run_folder import new_path
from workbook.project import Project

DESCRIPTION = """\
Fills stage N, warms it up, and then sends requests at a constant rate. Prints the results and leaves a run folder in
runs/STAGE. A run with errors fails, because it is not a measurement. The workload `overload` sends far more PUTs than
the server sustains, so the server may reject some of them with 503. It measures the accepted requests, and the status,
which is requested at the same time.

With --target FILE it measures nodes that run already, on other machines or in containers: see docs/targets.md.
"""


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, options.ENVIRONMENT
    parser.add_argument("stage", metavar="N", type=options.stage_number, help="the number of the stage")
    options.add_workload(parser)
    options.add_to(parser, target=True, spread=True)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    settings = options.settings(arguments)
    workload = options.workload(arguments, host.env)
    with bench_for(settings, project, host) as bench:
        target = bench.target(arguments.stage)
        path = new_path(bench.runs, target.stage_name, workload.name)
        bench.out.print(f"run: {project.short(path)}")
        folder = runs.load(bench, target, workload, settings.load, path)
    results.print_runs([folder.facts], bench.out)
    if settings.load.status_per_s:
        results.print_progress(workload.name, folder.facts, bench.out)
    return 0
