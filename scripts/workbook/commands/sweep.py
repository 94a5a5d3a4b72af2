"""`workbook sweep`: one parameter varied, and the laws that say how the rate grows with it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from statistics import median

from rich.console import Console

from workbook import console
from workbook.arguments import Parser
from workbook.failure import UsageError
from workbook.host import Host
from workbook.laws.words import shown as interval_shown
from workbook.measure import options, promotion, results
from workbook.measure.bench import Bench, bench_for
from workbook.measure.flags import nodes_from
from workbook.measure.options import Settings
from workbook.measure.run_folder import new_path
from workbook.measure.sweeping import CONNECTIONS, NODES, PARAMETERS, SWEEP_JSON, WORKERS, Swept, sweep
from workbook.measure.targets import Target
from workbook.measure.workload import OVERLOAD, SATURATING_PER_S, WORKLOADS
from workbook.packages import Packages
from workbook.project import Project
from workbook.servers import FIRST_CLUSTER_STAGE

FULL_ROUNDS, QUICK_ROUNDS = 5, 3
FULL_S, QUICK_S = 10.0, 4.0
STEPS_MAX = 32
WORKERS_MAX = 10_000
FIRST_WORKERS_STAGE = 2

DESCRIPTION = """\
Measures stage N with several values of one parameter, as fast as the server answers, in interleaved rounds (1 2 4,
4 2 1, …). Give the parameter two or more values; 1,2,4,8,16,32,64 is a good list. The other parameters keep one value.

  ./workbook sweep 1 put --connections 1,2,4,8,16,32,64
  ./workbook sweep 2 put --workers 1,2,4,8,16
  ./workbook sweep 5 get --nodes 3,4,5,6 --connections 32

With four values or more it fits the Universal Scalability Law: the share of the work that only one can do at a time
(σ), the extra work that each pair causes (κ), where the peak is, and how well the law fits. For each value it checks
Little's law: connections = rate x mean latency. The first sweep installs SciPy into .venv.

sweep.json in the run folder has all figures. docs/lab/queues-and-laws.md explains the laws.
"""
EPILOG = "Exit code: 0 measured, whatever the law says; 1 it could not be measured.\n\n" + options.ENVIRONMENT


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("stage", metavar="N", type=options.stage_number, help="the number of the stage")
    workloads = [name for name in WORKLOADS if name != OVERLOAD]
    parser.add_argument("workload", choices=workloads, metavar="WORKLOAD", help=" | ".join(workloads))
    parser.add_argument(
        "--connections", metavar="C,…", type=_list_of(options.connections), help="numbers of connections (default: 64)"
    )
    parser.add_argument(
        "--workers", metavar="W,…", type=_list_of(_workers), help="numbers of workers of each server, from stage 2 on"
    )
    parser.add_argument(
        "--nodes", metavar="K,…", type=_list_of(nodes_from), help="numbers of servers, from stage 3 on (default: 1)"
    )
    parser.add_argument(
        "--rounds", metavar="K", type=options.rounds_count, help="measurements of each value (default: 5, quick: 3)"
    )
    parser.add_argument(
        "--report", metavar="NAME", type=options.report_name, help="copy the small files to docs/reports/NAME"
    )
    parser.add_argument(
        "--duration", metavar="S", type=options.seconds, help="seconds of each measurement (default: 10, quick: 4)"
    )
    options.add_to(parser, rate=False, duration="", counts=False)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    parameter, values = _varied(arguments)
    _check_stage(arguments)
    fixed = {name: _fixed(arguments, name) for name in PARAMETERS if name != parameter}
    settings = _settings(arguments, parameter, values, fixed)
    rounds = arguments.rounds or (QUICK_ROUNDS if settings.quick else FULL_ROUNDS)
    workload = options.workload(arguments, host.env)
    Packages("laws", "SciPy").ensure()
    with bench_for(settings, project, host) as bench:
        if arguments.report:
            bench.check_published(f"--report {arguments.report}")
        targets = {value: _target(bench, arguments.stage, {**fixed, parameter: value}) for value in values}
        path = new_path(bench.runs, targets[values[0]].stage_name, f"{workload.name}-sweep")
        bench.out.print(f"run: {project.short(path)}")
        swept = sweep(bench, parameter, targets, workload, settings.load, rounds, path)
    print_swept(swept, bench.out)
    if arguments.report:
        place = promotion.promote_comparison(path, project.root / "docs" / "reports" / arguments.report, SWEEP_JSON)
        bench.out.print(f"for the site: {project.short(place)}")
    return 0


def print_swept(swept: Swept, out: Console) -> None:
    numbers = ("rate 1/s", "rounds ±", "the law", "mean ms", "rate x mean", "deviation", "CPU µs/req")
    listed = console.table(swept.parameter, *numbers, numbers=(swept.parameter, *numbers))
    for step in swept.steps:
        rate_per_s, little = median(step.rates_per_s), step.little
        spread = (max(step.rates_per_s) - min(step.rates_per_s)) / 2 / rate_per_s
        listed.add_row(
            str(step.value),
            results.shown(rate_per_s, 0),
            f"{spread:.1%}",
            results.shown(swept.law.rate_per_s(step.value), 0) if swept.law else "-",
            results.shown(little.mean_ms, 3) if little else "-",
            results.shown(little.in_flight, 2) if little else "-",
            f"{little.deviation_share:+.1%}" if little else "-",
            results.shown(step.cpu_us, 1),
        )
    out.print()
    out.print(listed, soft_wrap=False)
    out.print()
    if swept.law:
        out.print(
            f"σ {interval_shown(swept.law.sigma)}, κ {interval_shown(swept.law.kappa)}, R² {swept.law.r_squared:.3f}"
        )
    for sentence in swept.words:
        out.print(sentence)


def _varied(arguments: argparse.Namespace) -> tuple[str, list[int]]:
    """The one parameter that has several values."""
    several = [name for name in PARAMETERS if len(getattr(arguments, name) or []) > 1]
    if len(several) != 1:
        found = f"{' and '.join(f'--{name}' for name in several)} have several values" if several else "nothing varies"
        raise UsageError(f"{found}: give two or more values to one of --connections, --workers and --nodes")
    return several[0], getattr(arguments, several[0])


def _fixed(arguments: argparse.Namespace, name: str) -> int | None:
    found = getattr(arguments, name)
    return found[0] if found else None


def _check_stage(arguments: argparse.Namespace) -> None:
    if arguments.workers and arguments.stage < FIRST_WORKERS_STAGE:
        raise UsageError(
            f"stage {arguments.stage} has no workers: --workers needs stage {FIRST_WORKERS_STAGE} or later"
        )
    if arguments.nodes and arguments.stage < FIRST_CLUSTER_STAGE and max(arguments.nodes) > 1:
        raise UsageError(
            f"stage {arguments.stage} is a single server: --nodes needs stage {FIRST_CLUSTER_STAGE} or later"
        )


def _settings(
    arguments: argparse.Namespace, parameter: str, values: list[int], fixed: Mapping[str, int | None]
) -> Settings:
    """All steps are warmed up on the most connections: code that is less compiled is no law of scale."""
    arguments.duration = arguments.duration or (QUICK_S if arguments.quick else FULL_S)
    arguments.rate = SATURATING_PER_S
    arguments.connections = min(values) if parameter == CONNECTIONS else fixed[CONNECTIONS]
    arguments.nodes = fixed.get(NODES) or 1
    found = options.settings(arguments)
    most = max(values) if parameter == CONNECTIONS else found.load.connections
    begun_s = replace(found.load, connections=most).first_round_ends_s()
    if begun_s > found.load.duration_s / 2:
        raise UsageError(
            f"--connections {most}: the load tool opens them 5 ms apart, the last one after {begun_s:.1f} s of"
            f" {found.load.duration_s:g} s; use fewer, or a longer --duration, or more --threads"
        )
    return replace(found, load=replace(found.load, burst_connections=most))


def _target(bench: Bench, stage: int, counts: Mapping[str, int | None]) -> Target:
    flags = bench.settings.flags
    workers = counts[WORKERS]
    server = flags.server if workers is None else (*flags.server, "--workers", str(workers))
    return bench.stage(stage, replace(flags, server=server, nodes=counts[NODES] or 1))


def _list_of(read: Callable[[str], int]) -> Callable[[str], list[int]]:
    def values(text: str) -> list[int]:
        found = [read(word.strip()) for word in text.split(",")]
        if len(set(found)) < len(found):
            raise argparse.ArgumentTypeError(f"{text!r} has a value twice")
        if len(found) > STEPS_MAX:
            raise argparse.ArgumentTypeError(f"{len(found)} values: {STEPS_MAX} at most")
        return sorted(found)

    return values


def _workers(text: str) -> int:
    return options.within(text, 1, WORKERS_MAX, "a number of workers")
