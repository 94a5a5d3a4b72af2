"""`workbook lab`: everything that is measured of a stage, and a page that shows it."""

from __future__ import annotations

import argparse
import os
import sys
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from workbook.arguments import Parser
from workbook.commands.saturate import P99_MS_MAX, plan_for, rung_load
from workbook.host import Host
from workbook.measure import options, page, promotion, results, runs
from workbook.measure.bench import Bench, bench_for
from workbook.measure.ladder import Limits, rounded
from workbook.measure.report import FLOOR, LADDER, LOAD, PROFILE, REFERENCE, REPORT_JSON, entry
from workbook.measure.run_folder import DONE, RunFolder, made, new_path, read_run
from workbook.measure.targets import Target, floor_target
from workbook.measure.workload import Load, Workload
from workbook.project import Project

SHARE_OF_SUSTAINABLE = 0.7
PROFILE_S, FLOOR_S, QUICK_FLOOR_S = 30.0, 10.0, 3.0
REFERENCE_RATE_PER_S = 1_000

DESCRIPTION = """\
Measures stage N: what it sustains with PUT and GET (a rate ladder), loads and profiles of both at 70 % of that, mixed
and status loads, and the floor: a server that stores nothing, under the same load. Ends with a page of all figures and
graphs.

The whole takes some 8 minutes and puts the small files into docs/reports/STAGE, which the site shows; --quick takes
under 2, is good for a look, and leaves all it makes in runs/STAGE.
"""


@dataclass
class Lab:
    """A lab under way: its folder, and what it has found so far."""

    bench: Bench
    target: Target
    folder: RunFolder
    quick: bool
    sustainable_per_s: dict[str, int]

    def workload(self, name: str) -> Workload:
        return Workload.named(name, self.bench.host.env)

    def path(self, name: str) -> Path:
        return self.folder.path / name

    def rate(self, *workloads: str) -> int:
        """At which loads are compared: well under what the stage sustains of each."""
        return max(1, rounded(min(self.sustainable_per_s[name] for name in workloads) * SHARE_OF_SUSTAINABLE))

    def add(self, role: str, title: str, run: RunFolder) -> None:
        """Enters a run that has ended well into the report."""
        entries = self.folder.facts["runs"]
        assert isinstance(entries, list)
        entries.append(entry(run.path, role, title, run.facts))
        self.folder.save()
        if role != LADDER:
            results.print_progress(run.path.name, run.facts, self.bench.out)


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, options.ENVIRONMENT
    parser.add_argument("stage", metavar="N", type=options.stage_number, help="the number of the stage")
    parser.add_argument("--reference", action="store_true", help="also 1 connection at 1000/s for 60 s, PUT and GET")
    parser.add_argument("--no-open", action="store_true", help="don't open the page in a browser")
    options.add_to(parser, rate=False, duration=False)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    settings = options.settings(arguments)
    started_s = time.monotonic()
    with bench_for(settings, project, host) as bench:
        target = bench.stage(arguments.stage)
        path = new_path(bench.runs, target.stage_name, "lab")
        bench.out.print(f"lab: {project.short(path)}")
        facts: dict[str, object] = {
            "stage": target.stage_name,
            "stage_number": arguments.stage,
            "made_utc": None,
            **bench.facts,
            "tool": bench.tool.name,
            "sustainable_per_s": {},
            "runs": [],
        }
        with made(path, facts, REPORT_JSON) as folder:
            lab = Lab(bench, target, folder, settings.quick, {})
            _measure(lab, arguments.stage, with_reference=arguments.reference)
            folder.facts["made_utc"] = folder.facts["started_utc"]
    report = page.write(path)
    results.print_runs([read_run(path / str(each["folder"])) for each in _loads(folder)], bench.out)
    bench.out.print(f"\nsustained: {_sustained(lab)}; took {time.monotonic() - started_s:.0f} s")
    if not settings.quick:
        place = promotion.promote(path, project.root / "docs" / "reports" / target.stage_name)
        bench.out.print(f"for the site: {project.short(place)}")
    bench.out.print(f"page: {report}", style="bold")
    if not arguments.no_open:
        _open(report, host, bench.out)
    return 0


def _measure(lab: Lab, stage_number: int, *, with_reference: bool) -> None:
    for name in ("put", "get"):
        _ladder(lab, name)
    settings = lab.bench.settings
    floor = floor_target(lab.bench.tool, lab.target.stage_name)
    floor_load = settings.load.lasting(QUICK_FLOOR_S if lab.quick else FLOOR_S)
    for name in ("put", "get"):
        rate, workload = lab.rate(name), lab.workload(name)
        load, title = settings.load.at(rate), f"{name.upper()} at 70 % of what is sustained"
        against = _before(lab, stage_number, f"{name}-profile")
        if lab.quick:  # One run is both: the profiler costs little, and another run too much time.
            profiled = runs.profile(lab.bench, lab.target, workload, load, lab.path(f"{name}-profile"), against)
            lab.add(PROFILE, f"{title}, profiled", profiled)
        else:
            lab.add(LOAD, title, runs.load(lab.bench, lab.target, workload, load, lab.path(name)))
            short = load.lasting(PROFILE_S)
            profiled = runs.profile(lab.bench, lab.target, workload, short, lab.path(f"{name}-profile"), against)
            lab.add(PROFILE, f"{title}, profiled", profiled)
        if lab.quick and name != "put":
            continue  # One floor must do.
        lab.add(
            FLOOR,
            f"the floor: a bare server under the same {name.upper()} load",
            runs.load(lab.bench, floor, workload, floor_load.at(rate), lab.path(f"{name}-floor")),
        )
    for name, rate in (("mixed", lab.rate("put", "get")), ("status", lab.rate("get"))):
        load = settings.load.at(rate)
        made_run = runs.load(lab.bench, lab.target, lab.workload(name), load, lab.path(name))
        lab.add(LOAD, {"mixed": "GET and PUT mixed", "status": "status alone"}[name], made_run)
    if with_reference:
        one = replace(settings.load, rate_per_s=REFERENCE_RATE_PER_S, threads=1, connections=1)
        for name in ("put", "get"):
            reference = runs.load(lab.bench, lab.target, lab.workload(name), one, lab.path(f"{name}-reference"))
            lab.add(REFERENCE, f"{name.upper()}, one connection at {REFERENCE_RATE_PER_S}/s", reference)


def _ladder(lab: Lab, name: str) -> None:
    settings = lab.bench.settings
    workload, plan, limits = lab.workload(name), plan_for(quick=lab.quick), Limits(P99_MS_MAX)
    load: Load = rung_load(settings)
    run, found = runs.saturate(lab.bench, lab.target, workload, load, plan, limits, lab.path(f"{name}-ladder"))
    assert found.sustainable_per_s is not None
    lab.sustainable_per_s[name] = found.sustainable_per_s
    lab.folder.facts["sustainable_per_s"] = dict(lab.sustainable_per_s)
    lab.add(LADDER, f"{name.upper()}: which rate is sustained", run)
    lab.bench.out.print(f"{name}-ladder: sustains {found.sustainable_per_s}/s")


def _before(lab: Lab, stage_number: int, name: str) -> Path | None:
    """The newest profile of this kind of the stage before, for the differential flame graphs; None if there is none."""
    modules = {module.stage_number: module for module in lab.bench.project.modules}
    module = modules.get(stage_number - 1)
    if module is None:
        return None
    found = sorted((lab.bench.runs / module.name).glob(f"*-lab*/{name}/breakdown.json"))
    done = [path.parent for path in found if read_run(path.parent)["status"] == DONE]
    return done[-1] if done else None


def _loads(folder: RunFolder) -> list[dict[str, object]]:
    entries = folder.facts["runs"]
    assert isinstance(entries, list)
    return [each for each in entries if each["role"] != LADDER]


def _sustained(lab: Lab) -> str:
    return ", ".join(f"{name.upper()} {rate}/s" for name, rate in lab.sustainable_per_s.items())


def _open(report: Path, host: Host, out: Console, opened: Callable[[str], bool] = webbrowser.open) -> None:
    """Only where somebody sits at a desktop."""
    desktop = host.is_macos or bool(host.env.get("DISPLAY") or host.env.get("WAYLAND_DISPLAY"))
    if desktop and out.is_terminal and sys.stdin.isatty() and not os.environ.get("SSH_CONNECTION"):
        opened(report.as_uri())
