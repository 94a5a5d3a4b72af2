"""`workbook lab`: everything that is measured of a stage, and a page that shows it."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from rich.console import Console

from workbook.arguments import Parser
from workbook.commands.saturate import P99_MS_MAX, QUICK_RUNG_S, plan_for, rung_load
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.measure import options, page, promotion, results, runs
from workbook.measure.bench import Bench, bench_for
from workbook.measure.flags import Flags
from workbook.measure.lab import CLUSTER, Lab, cluster_of, cluster_rate, compare_with_before
from workbook.measure.ladder import Limits, Plan, rounded
from workbook.measure.options import Settings
from workbook.measure.report import (
    FLOOR,
    FORWARDING,
    LADDER,
    LADDER_BEFORE,
    LADDER_CLUSTER,
    LADDERS,
    LOAD,
    PROFILE,
    PROFILE_BEFORE,
    REFERENCE,
    REPORT_JSON,
    read_report,
)
from workbook.measure.results import section
from workbook.measure.run_folder import RunFolder, made, new_path, read_run, why_not_published
from workbook.measure.targets import Target, floor_target
from workbook.measure.tracing import trace_requests
from workbook.measure.workload import Load
from workbook.project import Project
from workbook.servers import FIRST_CLUSTER_STAGE, FIRST_REPLICATED_STAGE

PROFILE_S, FLOOR_S, QUICK_FLOOR_S = 30.0, 10.0, 3.0
PROFILE_WARMUP_S = 40.0
"""At half of the load a cluster's JVMs still compile after 20 s, and a profile would show the compiler."""
CLUSTER_WARMUP_S = 20.0
"""After 5 s, the nodes of a replicated cluster still compile. A ladder would lose its first rungs because of this."""
REFERENCE_RATE_PER_S = 1_000
LADDERS_PART = "ladders"

DESCRIPTION = """\
Measures stage N: the rates of PUT and GET that it sustains (a rate ladder), loads and profiles of both at half of these
rates, and the floor, which is a server that stores nothing under the same load. For stage 1 it also measures mixed and
status loads. Separate runs record requests at 50 % and at 80 % of these rates, and show where requests wait and what
recording costs. From stage 2 on, the previous stage is measured in the same run, in turn with this one: profiles and
their difference, latency at half of the rate that both sustain, rate at saturation, the status alone and during PUTs.
Stage 3 is also compared with three nodes, and each of these is profiled: the one that is asked, and those that it
forwards to. Its requests are recorded on three nodes, too. From stage 4 on both stages have three nodes by default. At
the end there is a page with all figures and graphs.

This takes more than a quarter of an hour, for stage 2 more than half an hour, from stage 3 on about an hour, and copies
the small files to docs/reports/STAGE, which the site shows. --quick takes three to six minutes, is good for a first
look, and writes only into runs/STAGE.

--only traces measures a part of that anew, at the rates that the report in docs/reports/STAGE has found, and replaces
only this part of it. Parts: profiles, comparisons, forwarding, traces, reference.

With --target FILE it measures nodes that run already, on other machines or in containers: see docs/targets.md. There
is no previous stage then, requests are not recorded, and nothing is copied to docs/reports.
"""


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, options.ENVIRONMENT
    parser.add_argument("stage", metavar="N", type=options.stage_number, help="the number of the stage")
    parser.add_argument("--reference", action="store_true", help="also 1 connection at 1000/s for 60 s, PUT and GET")
    parser.add_argument(
        "--only",
        metavar="PART,…",
        type=_parts,
        help=f"measure only these parts, and keep the rest of docs/reports/STAGE: {', '.join(_parts_at_a_rate())}",
    )
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")
    options.add_to(parser, rate=False, duration="", target=True, spread=True)
    parser.set_defaults(nodes=None)


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    if arguments.nodes is None:
        is_cluster = arguments.stage >= FIRST_REPLICATED_STAGE and arguments.target is None
        arguments.nodes = CLUSTER if is_cluster else 1
    if arguments.warmup is None and arguments.nodes > 1 and not arguments.quick:
        arguments.warmup = CLUSTER_WARMUP_S
    settings = options.settings(arguments)
    if arguments.only and (settings.quick or settings.target is not None):
        raise UsageError("--only is for a full lab on this machine, without --quick and --target")
    parts = arguments.only or _usual_parts(settings, with_reference=arguments.reference)
    load_machines = len(settings.target.load) if settings.target else 0
    if arguments.reference and load_machines > 1:
        raise UsageError(f"--reference: its one connection cannot be divided by {load_machines} load machines")
    started_s = time.monotonic()
    with bench_for(settings, project, host) as bench:
        target = bench.target(arguments.stage)
        place = project.root / "docs" / "reports" / target.stage_name
        earlier: dict[str, dict[str, int]] = {}
        if arguments.only:
            bench.check_published(f"--only {','.join(parts)}")
            earlier = _earlier(place, bench)
        elif not settings.quick and settings.target is None and (why := why_not_published(bench.facts)):
            bench.out.print(f"this lab is not for the site, because {why}")
        path = new_path(bench.runs, target.stage_name, "lab")
        bench.out.print(f"lab: {project.short(path)}")
        facts: dict[str, object] = {
            "stage": target.stage_name,
            "stage_number": arguments.stage,
            "made_utc": None,
            **bench.facts,
            "tool": target.load_tool(bench.tool).name,
            "sustainable_per_s": earlier.get(target.stage_name, {}),
            "runs": [],
            "comparisons": [],
        }
        with made(path, facts, REPORT_JSON) as folder:
            before = _before(bench, arguments.stage) if settings.target is None else None
            lab = Lab(bench, target, folder, settings.quick, before, earlier.get(target.stage_name, {}))
            if before is not None:
                lab.before_sustains_per_s.update(earlier.get(before.stage_name, {}))
            for part in parts:
                PARTS[part](lab)
            if not folder.facts["runs"] and not folder.facts["comparisons"]:
                raise Failure(f"the lab of {target.stage_name} has no {' and no '.join(parts)}")
            folder.facts["made_utc"] = folder.facts["started_utc"]
    report = page.write(path)
    results.print_runs([read_run(path / str(each["folder"])) for each in _loads(folder)], bench.out)
    bench.out.print(f"\nsustained: {_sustained(lab)}; took {time.monotonic() - started_s:.0f} s")
    if settings.target is None and not why_not_published(facts):
        promotion.promote(path, place, keeps_others=bool(arguments.only))
        bench.out.print(f"for the site: {project.short(place)}")
    bench.out.print(f"page: {report}", style="bold")
    if not arguments.no_open:
        _open(report, host, bench.out)
    return 0


def _before(bench: Bench, stage_number: int) -> Target | None:
    """The stage before, with the same options of the JVM and as many nodes; options of the server may be news to it."""
    numbers = [module.stage_number for module in bench.project.modules if module.stage_number]
    earlier = [number for number in numbers if number < stage_number]
    if not earlier:
        return None
    nodes = bench.settings.flags.nodes if max(earlier) >= FIRST_CLUSTER_STAGE else 1
    return bench.stage(max(earlier), Flags(bench.settings.flags.jvm, nodes=nodes))


def _parts(text: str) -> list[str]:
    found = [word.strip() for word in text.split(",")]
    for word in found:
        if word == LADDERS_PART or word not in PARTS:
            raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(_parts_at_a_rate())}")
    return found


def _parts_at_a_rate() -> list[str]:
    """Those that need no ladder of their own."""
    return [part for part in PARTS if part != LADDERS_PART]


def _usual_parts(settings: Settings, *, with_reference: bool) -> list[str]:
    left_out = {
        "forwarding": settings.quick or settings.target is not None,
        "traces": settings.target is not None,
        "reference": not with_reference,
    }
    return [part for part in PARTS if not left_out.get(part)]


def _earlier(report: Path, bench: Bench) -> dict[str, dict[str, int]]:
    """The rates that each stage sustained in a report of this machine: parts are measured at shares of them."""
    if not (report / REPORT_JSON).is_file():
        raise Failure(f"--only needs {bench.project.short(report)}: make it with ./workbook lab N")
    found = read_report(report)
    theirs, ours = (section(each, "machine") for each in (found, bench.facts))
    if any(theirs.get(name) != ours.get(name) for name in ("cpu", "cores")):
        raise Failure(f"{bench.project.short(report)} was made on another machine: its rates are not for this one")
    earlier: dict[str, dict[str, int]] = {}
    for each in cast("list[dict[str, str]]", found["runs"]):
        if each["role"] in (LADDER, LADDER_BEFORE):
            ladder = json.loads((report / each["folder"] / "ladder.json").read_text())
            earlier.setdefault(each["server"], {})[each["workload"]] = ladder["sustainable_per_s"]
    return earlier


def _ladders(lab: Lab) -> None:
    for name in ("put", "get"):
        _ladder(lab, name)
        if lab.before is not None and not lab.quick:
            _ladder_of_before(lab, lab.before, name)


def _profiles(lab: Lab) -> None:
    for name in ("put", "get"):
        _load_and_profile(lab, name)


def _comparisons(lab: Lab) -> None:
    if lab.before is None:
        for name, rate in (("mixed", lab.rate("put", "get")), ("status", lab.rate("get"))):
            made_run = runs.load(lab.bench, lab.target, lab.workload(name), lab.load(rate), lab.path(name))
            lab.add(LOAD, {"mixed": "GET and PUT mixed", "status": "status alone"}[name], made_run)
    else:
        compare_with_before(lab, lab.before)


def _reference(lab: Lab) -> None:
    load = lab.bench.settings.load
    one = replace(load, rate_per_s=REFERENCE_RATE_PER_S, threads=1, connections=1, is_spread=False)
    for name in ("put", "get"):
        reference = runs.load(lab.bench, lab.target, lab.workload(name), one, lab.path(f"{name}-reference"))
        lab.add(REFERENCE, f"{name.upper()}, one connection at {REFERENCE_RATE_PER_S}/s", reference)


def _load_and_profile(lab: Lab, name: str) -> None:
    """Also the stage before, profiled under the same load, so that the two can be subtracted; and the floor."""
    rate, workload = lab.rate(name), lab.workload(name)
    load, title = lab.load(rate), f"{name.upper()} at {rate}/s"
    profiled = load
    if not lab.quick:
        lab.add(LOAD, title, runs.load(lab.bench, lab.target, workload, load, lab.path(name)))
        profiled = replace(load, duration_s=PROFILE_S, warmup_s=max(PROFILE_WARMUP_S, load.warmup_s))
    against = None  # A quick profile is a load, too: another run would take too much time.
    if lab.before is not None:
        against = lab.path(f"{name}-profile-before")
        run = runs.profile(lab.bench, lab.before, workload, profiled, against)
        lab.add(PROFILE_BEFORE, f"{title}, profiled: {lab.before.name}", run)
    run = runs.profile(lab.bench, lab.target, workload, profiled, lab.path(f"{name}-profile"), against)
    lab.add(PROFILE, f"{title}, profiled", run)
    if not lab.quick or name == "put":  # One floor must do for a look.
        floor = floor_target(lab.bench.tool, lab.target.stage_name)
        floor_load = load.lasting(QUICK_FLOOR_S if lab.quick else FLOOR_S)
        lab.add(
            FLOOR,
            f"the floor: a bare server under the same {name.upper()} load",
            runs.load(lab.bench, floor, workload, floor_load, lab.path(f"{name}-floor")),
        )


def _profile_forwarding(lab: Lab) -> None:
    """Clients ask one of three nodes, and two of three requests are forwarded."""
    cluster = cluster_of(lab)
    if cluster is None:
        return
    for name in ("put", "get"):
        load = lab.load(cluster_rate(lab, name))
        for node, (role, words) in enumerate(FORWARDING.items(), 1):
            path = lab.path(f"{name}-{role}")
            run = runs.profile(lab.bench, cluster, lab.workload(name), load, path, node=node)
            lab.add(role, f"{name.upper()} at {load.rate_per_s}/s, {cluster.nodes} nodes, profiled: {words}", run)


def _traces(lab: Lab) -> None:
    """Of three nodes where requests go from one to the other; the rates are those that they sustain."""
    cluster = cluster_of(lab)
    if cluster is None:
        trace_requests(lab, None, lab.own_rate)
    elif lab.quick:
        trace_requests(lab, cluster, lambda name, _: cluster_rate(lab, name))
    else:
        sustained = {name: _ladder_of_cluster(lab, cluster, name) for name in ("put", "get")}
        trace_requests(lab, cluster, lambda name, share: rounded(sustained[name] * share))


def _ladder(lab: Lab, name: str) -> None:
    settings = lab.bench.settings
    workload, plan, limits = lab.workload(name), plan_for(quick=lab.quick), Limits(P99_MS_MAX)
    path = lab.path(f"{name}-ladder")
    run, found = runs.saturate(lab.bench, lab.target, workload, rung_load(settings), plan, limits, path)
    assert found.sustainable_per_s is not None
    lab.sustainable_per_s[name] = found.sustainable_per_s
    lab.folder.facts["sustainable_per_s"] = dict(lab.sustainable_per_s)
    lab.add(LADDER, f"{name.upper()}: which rate is sustained", run)
    lab.bench.out.print(f"{path.name}: sustains {found.sustainable_per_s}/s")


def _ladder_of_before(lab: Lab, before: Target, name: str) -> None:
    """It only says which rate both of them sustain, so large steps do."""
    load, plan = lab.bench.settings.load.lasting(QUICK_RUNG_S), plan_for(quick=True)
    lab.before_sustains_per_s[name] = _ladder_of(lab, before, before.name, name, LADDER_BEFORE, load, plan)


def _ladder_of_cluster(lab: Lab, cluster: Target, name: str) -> int:
    """With small steps: a rate near the limit is a share of what this finds."""
    load, plan = rung_load(lab.bench.settings), plan_for(quick=False)
    return _ladder_of(lab, cluster, f"{cluster.nodes} nodes", name, LADDER_CLUSTER, load, plan)


def _ladder_of(lab: Lab, target: Target, words: str, name: str, role: str, load: Load, plan: Plan) -> int:
    path, limits = lab.path(f"{name}-{role}"), Limits(P99_MS_MAX)
    run, found = runs.saturate(lab.bench, target, lab.workload(name), load, plan, limits, path)
    assert found.sustainable_per_s is not None
    lab.add(role, f"{name.upper()}: which rate is sustained by {words}", run)
    lab.bench.out.print(f"{path.name}: {words}: {found.sustainable_per_s}/s sustained")
    return found.sustainable_per_s


def _loads(folder: RunFolder) -> list[dict[str, object]]:
    entries = folder.facts["runs"]
    assert isinstance(entries, list)
    return [each for each in entries if each["role"] not in LADDERS]


def _sustained(lab: Lab) -> str:
    return ", ".join(f"{name.upper()} {rate}/s" for name, rate in lab.sustainable_per_s.items())


def _open(report: Path, host: Host, out: Console, opened: Callable[[str], bool] = webbrowser.open) -> None:
    """Only where somebody sits at a desktop."""
    desktop = host.is_macos or bool(host.env.get("DISPLAY") or host.env.get("WAYLAND_DISPLAY"))
    if desktop and out.is_terminal and sys.stdin.isatty() and not os.environ.get("SSH_CONNECTION"):
        opened(report.as_uri())


PARTS: Mapping[str, Callable[[Lab], None]] = {
    LADDERS_PART: _ladders,
    "profiles": _profiles,
    "comparisons": _comparisons,
    "forwarding": _profile_forwarding,
    "traces": _traces,
    "reference": _reference,
}
"""In the order in which they are measured. The ladders find the rates for all others."""
