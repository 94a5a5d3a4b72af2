"""`workbook compare`: servers under the same load, measured in turn."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from workbook import console
from workbook.arguments import Parser
from workbook.failure import UsageError
from workbook.host import Host
from workbook.measure import noise, options, promotion, results
from workbook.measure.bench import bench_for
from workbook.measure.comparing import LETTERS, Compared, compare
from workbook.measure.options import Settings
from workbook.measure.results import section
from workbook.measure.run_folder import new_path
from workbook.measure.sides import is_run, recorded_run, side
from workbook.measure.verdicts import FASTER, SLOWER, Measure, overall
from workbook.measure.workload import WORKLOADS, Load, Workload
from workbook.project import Project

FULL_ROUNDS, QUICK_ROUNDS = 7, 6
FULL_S, QUICK_S = 10.0, 4.0
STYLES = {FASTER: "green", SLOWER: "red"}

DESCRIPTION = """\
Measures servers A, B, … under the same load, in interleaved rounds (A B C, C B A, …). Each server starts on data of its
own. For each of the other servers, the result is faster than A, slower than A, or within the noise. The noise is what
the rounds of one server differ by.

A side is one of these:
  N                 a stage:               ./workbook compare 1 2
  REVISION          a git revision:        ./workbook compare HEAD~3 1      (of stage 1, or of --stage N)
  'N OPTIONS'       a stage with options of the server, -X… and -D… of the JVM, --nodes K:
                                           ./workbook compare 2 '2 --workers 1' '2 --executor lifo' '1 -XX:+UseSerialGC'
  'N NAME=VALUE'    a stage with another load:
                                           ./workbook compare '5 --nodes 3 REPLICAS=1/3' '5 --nodes 3 REPLICAS=3/3'
  FILE.toml         nodes that run already, of --stage N: docs/targets.md
  'CMD'             a command:             ./workbook compare 1 './mine --port {port} --data {data}'
  'bare LIBRARY'    a server that stores nothing, with options as of a stage:
                                           ./workbook compare 'bare one-nio' 'bare netty-epoll' 'bare jdk -Xmx64m'
                    LIBRARY: one-nio, netty-nio, netty-epoll, netty-io_uring, helidon, jdk or jdk-virtual
  runs/STAGE/RUN    a recorded run; the other sides are measured with its load, for as long, unless options say
                    otherwise; with --rate, nothing of it is used

With --target FILE, stages that are named by their numbers are not started: the nodes of this file are measured.
"""
EPILOG = "Exit code: 0 measured, whatever came out; 1 it could not be measured.\n\n" + options.ENVIRONMENT


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("sides", metavar="SIDE", nargs="+", help="A, B, C, …: all others are compared with the first")
    parser.add_argument("--workload", choices=WORKLOADS, default="put", help="default: put")
    parser.add_argument(
        "--rounds",
        metavar="K",
        type=options.rounds_count,
        help="measurements of each side (default: 7, or what doctor --noise has found; quick: 6)",
    )
    parser.add_argument(
        "--report", metavar="NAME", type=options.report_name, help="copy the small files to docs/reports/NAME"
    )
    parser.add_argument(
        "--stage",
        metavar="N",
        type=options.stage_number,
        default=1,
        help="the stage of a revision or a FILE.toml (default: 1)",
    )
    options.add_to(parser, duration=f"default: {FULL_S:g}, quick: {QUICK_S:g}", target=True, spread=True)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    asks_for_duration = arguments.quick or arguments.duration is not None
    arguments.duration = arguments.duration or (QUICK_S if arguments.quick else FULL_S)
    if not 2 <= len(arguments.sides) <= len(LETTERS):
        raise UsageError(f"{len(arguments.sides)} to compare: name 2 to {len(LETTERS)}")
    settings = options.settings(arguments)
    rounds = arguments.rounds or (QUICK_ROUNDS if settings.quick else _full_rounds(project, host))
    workload = options.workload(arguments, host.env)
    recorded = [word for word in arguments.sides if is_run(word)]
    if recorded and arguments.rate is None:
        workload, load = _as_recorded(recorded, settings)
        if asks_for_duration:
            load = replace(load, duration_s=settings.load.duration_s)
        if arguments.warmup is not None:
            load = replace(load, warmup_s=arguments.warmup)
    else:
        load = settings.load
    with bench_for(settings, project, host) as bench:
        if arguments.report:
            bench.check_published(f"--report {arguments.report}")
        sides = [side(word, bench, arguments.stage) for word in arguments.sides]
        stage_name = next(
            (each.target.stage_name for each in sides if each.target), project.stage(arguments.stage).name
        )
        path = new_path(bench.runs, stage_name, f"{workload.name}-compare")
        bench.out.print(f"run: {project.short(path)}\nrounds: {rounds}")
        compared = compare(bench, sides, workload, load, rounds, path)
    print_compared(compared, bench.out)
    if arguments.report:
        place = promotion.promote_comparison(path, project.root / "docs" / "reports" / arguments.report)
        bench.out.print(f"for the site: {project.short(place)}")
    return 0


def _full_rounds(project: Project, host: Host) -> int:
    """As many as this machine needs, if that was measured."""
    found = noise.read(project.root / "runs", host)
    return found.compare_rounds if found else FULL_ROUNDS


def _as_recorded(folders: list[str], settings: Settings) -> tuple[Workload, Load]:
    """The load of the runs. Two runs under different loads say nothing about their servers."""
    loads = [_recorded(recorded_run(folder), settings) for folder in folders]
    if any(each != loads[0] for each in loads):
        raise UsageError("the two runs were made under different loads: run one of them again with the other's")
    return loads[0]


def _recorded(facts: Mapping[str, object], settings: Settings) -> tuple[Workload, Load]:
    what, load = section(facts, "workload"), section(facts, "load")
    environment = {str(name): str(value) for name, value in section(what, "environment").items()}
    pace = replace(
        settings.load,
        rate_per_s=int(str(load["rate_asked_per_s"])),
        threads=int(str(load["threads"])),
        connections=int(str(load["connections"])),
        duration_s=float(str(load["duration_s"])),
        warmup_s=float(str(load["warmup_s"])),
        burst_s=float(str(load["burst_s"])),
        status_per_s=int(str(load["status_asked_per_s"])),
        is_spread=bool(load["spread"]),
    )
    return Workload(str(what["name"]), environment), pace


def print_compared(compared: list[Compared], out: Console) -> None:
    out.print()
    for each in compared:
        out.print(f"{each.letter.upper()}: {each.side.name}")
    out.print()
    first, *others = compared
    if len(others) == 1:
        _print_two(first, others[0], out)
    else:
        _print_many(compared, out)
    out.print()
    for each in others:
        out.print(f"{each.letter.upper()} is {overall(each.verdicts)}", style="bold")


def _print_two(a: Compared, b: Compared, out: Console) -> None:
    numbers = ("A", "B", "change", "noise")
    listed = console.table("median of", *numbers, "B is", numbers=numbers)
    for verdict in b.verdicts:
        listed.add_row(
            verdict.measure.title,
            _shown(a, verdict.measure),
            _shown(b, verdict.measure),
            "-" if verdict.change_share is None else f"{verdict.change_share:+.1%}",
            f"±{verdict.noise_share:.1%}",
            verdict.word,
            style=STYLES.get(verdict.word, ""),
        )
    out.print(listed, soft_wrap=False)


def _print_many(compared: list[Compared], out: Console) -> None:
    """Medians, and in their colour what differs from A by more than noise."""
    measures = [verdict.measure for verdict in compared[1].verdicts]
    titles = [measure.title for measure in measures]
    listed = console.table("median of", *titles, numbers=tuple(titles))
    for each in compared:
        words = {verdict.measure: verdict.word for verdict in each.verdicts}
        cells = [Text(_shown(each, measure), STYLES.get(words.get(measure, ""), "")) for measure in measures]
        listed.add_row(each.letter.upper(), *cells)
    out.print(listed, soft_wrap=False)


def _shown(side: Compared, measure: Measure) -> str:
    return results.shown(side.median(measure.name), 0 if measure.name.endswith("_per_s") else 2)
