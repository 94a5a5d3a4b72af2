"""`workbook profile`: a load with cpu, allocation and lock profiles from one recording."""

from __future__ import annotations

import argparse
from pathlib import Path

from workbook.arguments import Parser
from workbook.failure import UsageError
from workbook.host import Host
from workbook.measure import options, results, runs
from workbook.measure.bench import Bench, bench_for
from workbook.measure.flags import nodes_from
from workbook.measure.run_folder import RunFolder, new_path
from workbook.project import Project

DESCRIPTION = """\
Does the same as load, and records cpu, allocations and locks from before the measured run until after it. Leaves flame
graphs, a heatmap, and a breakdown by group of threads and by package in the run folder. With --against another profiled
run, it also makes differential flame graphs. Of several nodes, it records the first one, which gets all requests
(unless --spread), or the one that --node names.

With --target FILE it measures nodes that run already, on other machines or in containers, and records all of them: see
docs/targets.md.
"""


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, options.ENVIRONMENT
    parser.add_argument("stage", metavar="N", type=options.stage_number, help="the number of the stage")
    options.add_workload(parser)
    options.add_to(parser, target=True, spread=True)
    parser.add_argument(
        "--node", metavar="K", type=nodes_from, default=runs.FIRST_NODE, help="the node to be recorded (default: 1)"
    )
    parser.add_argument("--against", metavar="RUN", type=Path, help="a run folder: make differential flame graphs")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    settings = options.settings(arguments)
    workload = options.workload(arguments, host.env)
    _check_node(arguments)
    against = arguments.against.resolve() if arguments.against else None
    if against is not None and not (against / "breakdown.json").is_file():
        raise UsageError(f"--against {arguments.against}: not the folder of a run with a profile")
    with bench_for(settings, project, host) as bench:
        target = bench.target(arguments.stage)
        path = new_path(bench.runs, target.stage_name, f"{workload.name}-profile")
        bench.out.print(f"run: {project.short(path)}")
        folder = runs.profile(bench, target, workload, settings.load, path, against, arguments.node)
    results.print_runs([folder.facts], bench.out)
    print_graphs(folder, bench)
    return 0


def _check_node(arguments: argparse.Namespace) -> None:
    if arguments.node == runs.FIRST_NODE:
        return
    if arguments.target is not None:
        raise UsageError(f"--node {arguments.node}: all nodes of a target are recorded")
    if arguments.node > arguments.nodes:
        raise UsageError(f"--node {arguments.node}: the number of nodes is {arguments.nodes}; see --nodes")


def print_graphs(folder: RunFolder, bench: Bench) -> None:
    profile = results.section(folder.facts, "profile")
    samples = ", ".join(f"{count} {kind}" for kind, count in results.section(profile, "samples").items())
    bench.out.print(f"\nsamples: {samples}")
    if profile.get("note"):
        bench.out.print(f"note: {profile['note']}")
    for page in sorted(folder.path.rglob("*.html")):
        bench.out.print(f"  {bench.project.short(page)}")
