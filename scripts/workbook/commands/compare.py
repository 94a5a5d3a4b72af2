"""`workbook compare`: two servers under the same load, measured in turn."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from workbook import console
from workbook.arguments import Parser
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.measure import options, results, runs
from workbook.measure.bench import Bench, bench_for
from workbook.measure.options import Settings
from workbook.measure.results import section
from workbook.measure.run_folder import made, new_path, read_run, write_json
from workbook.measure.sides import Side, is_run, side
from workbook.measure.verdicts import FASTER, SLOWER, Verdict, judge, overall
from workbook.measure.workload import WORKLOADS, Load, Workload
from workbook.project import Project

FULL_ROUNDS, QUICK_ROUNDS = 5, 3
FULL_S, QUICK_S = 10.0, 5.0
ROUNDS_MAX = 50
STYLES = {FASTER: "green", SLOWER: "red"}

DESCRIPTION = """\
Measures A and B under the same load in interleaved rounds (A B, B A, A B, …), each on a server of its own that was just
filled, and says of B whether it is faster, slower, or within the noise that the rounds of either show by themselves.

A and B are each
  N                 a stage:               ./workbook compare 1 2
  REVISION          a git revision of it:  ./workbook compare HEAD~3 1      (of stage 1, or of --stage N)
  'CMD'             a server's command:    ./workbook compare 1 './mine --port {port} --data {data}'
  runs/STAGE/RUN    a run, as it was recorded; its load is what the other side is measured with
"""
EPILOG = "Exit code: 0 measured, whatever came out; 1 it could not be measured.\n\n" + options.ENVIRONMENT


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("a", metavar="A", help="what B is compared with")
    parser.add_argument("b", metavar="B", help="what the verdict is about")
    parser.add_argument("--workload", choices=WORKLOADS, default="put", help="default: put")
    parser.add_argument("--rounds", metavar="K", type=_rounds, help="pairs of measurements (default: 5, quick: 3)")
    parser.add_argument("--stage", metavar="N", type=options.stage_number, default=1, help="of revisions (default: 1)")
    options.add_to(parser)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    arguments.duration = arguments.duration or (QUICK_S if arguments.quick else FULL_S)
    settings = options.settings(arguments)
    rounds = arguments.rounds or (QUICK_ROUNDS if settings.quick else FULL_ROUNDS)
    workload = options.workload(arguments, host.env)
    recorded = [word for word in (arguments.a, arguments.b) if is_run(word)]
    if recorded and arguments.rate is None:
        workload, load = _as_recorded(recorded, settings)
    else:
        load = settings.load
    with bench_for(settings, project, host) as bench:
        a, b = (side(word, bench, arguments.stage) for word in (arguments.a, arguments.b))
        stage_name = next(
            (each.target.stage_name for each in (a, b) if each.target), project.stage(arguments.stage).name
        )
        path = new_path(bench.runs, stage_name, f"{workload.name}-compare")
        bench.out.print(f"run: {project.short(path)}")
        verdicts = _compare(bench, a, b, workload, load, rounds, path)
    print_verdicts(a.name, b.name, verdicts, bench.out)
    return 0


def _as_recorded(folders: list[str], settings: Settings) -> tuple[Workload, Load]:
    """The load of the runs. Two runs under different loads say nothing about their servers."""
    facts = [read_run(Path(folder)) for folder in folders]
    asked = [(section(each, "workload"), section(each, "load")) for each in facts]
    keys = ("rate_asked_per_s", "threads", "connections")
    alike = {(str(what["name"]), str(what["environment"]), *(load[key] for key in keys)) for what, load in asked}
    if len(alike) > 1:
        raise UsageError("the two runs were made under different loads: run one of them again with the other's")
    what, load = asked[0]
    environment = {str(name): str(value) for name, value in section(what, "environment").items()}
    rate, threads, connections = (int(str(load[key])) for key in keys)
    pace = Load(rate, threads, connections, settings.load.duration_s, settings.load.warmup_s)
    return Workload(str(what["name"]), environment), pace


def _compare(bench: Bench, a: Side, b: Side, workload: Workload, load: Load, rounds: int, path: Path) -> list[Verdict]:
    figures: dict[str, list[dict[str, float | None]]] = {"a": [], "b": []}
    facts: dict[str, object] = {"name": path.name, **bench.facts, "a": a.facts(), "b": b.facts()}
    sides = {"a": a, "b": b}
    with made(path, facts):
        for name, each in sides.items():
            if each.recorded is not None:
                figures[name].append(results.figures(each.recorded))
        for number in range(1, rounds + 1):
            for name in ("a", "b") if number % 2 else ("b", "a"):
                if (target := sides[name].target) is not None:
                    folder = runs.load(bench, target, workload, load, path / f"{name}-{number}")
                    figures[name].append(results.figures(folder.facts))
                    results.print_progress(f"{name} {number}/{rounds}", folder.facts, bench.out)
        verdicts = judge(figures["a"], figures["b"])
        if not verdicts:
            raise Failure("the two sides have no figure in common")
        comparison = {
            **facts,
            "rounds": rounds,
            "load": load.__dict__,
            "workload": workload.name,
            "measures": [verdict.facts() for verdict in verdicts],
        }
        write_json(path / "comparison.json", comparison)
    return verdicts


def print_verdicts(a: str, b: str, verdicts: list[Verdict], out: Console) -> None:
    numbers = ("A", "B", "change", "noise")
    listed = console.table("median of", *numbers, "B is", numbers=numbers)
    for verdict in verdicts:
        found = verdict.facts()
        digits = 0 if verdict.measure.name == "rate_per_s" else 2
        listed.add_row(
            verdict.measure.title,
            results.shown(results.number(found["a_median"]), digits),
            results.shown(results.number(found["b_median"]), digits),
            f"{verdict.change_share:+.1%}",
            f"±{verdict.noise_share:.1%}",
            verdict.word,
            style=STYLES.get(verdict.word, ""),
        )
    out.print(f"\nA: {a}\nB: {b}\n")
    out.print(listed, soft_wrap=False)
    out.print(f"\nB is {overall(verdicts)}", style="bold")


def _rounds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= ROUNDS_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds from 1 to {ROUNDS_MAX}")
    return int(text)
