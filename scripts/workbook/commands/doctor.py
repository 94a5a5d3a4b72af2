"""`workbook doctor`: what the machine has and lacks, and the commands that install what is missing."""

from __future__ import annotations

import argparse
from statistics import median

from rich.console import Console
from rich.text import Text

from workbook import console, fixes, jdk
from workbook.arguments import Parser
from workbook.findings import Finding, State, all_findings
from workbook.host import Host
from workbook.measure import noise, options
from workbook.measure.bench import bench_for
from workbook.measure.flags import Flags
from workbook.measure.noise import Noise
from workbook.measure.resolution import DIFFERENCES
from workbook.measure.results import shown
from workbook.measure.speed import Speed
from workbook.measure.verdicts import MEASURES
from workbook.project import Project

DESCRIPTION = """\
Shows what the workbook needs, what this machine has, and the exact commands that install what is missing.

--noise measures instead how much figures vary on this machine by themselves. It takes about a minute and a half: the
same server is measured eight times in turn. It says which differences compare can tell apart here, and compare then
measures as many rounds as this machine needs.
"""
EPILOG = "Exit code: 0 everything required is there, 1 something required is missing."

STYLES = {State.FOUND: "green", State.LIMITED: "yellow", State.MISSING: "yellow"}


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("--noise", action="store_true", help="measure how much figures vary on this machine")
    parser.add_argument("--jdk-home", action="store_true", help="print the home of the JDK and nothing else")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    if arguments.jdk_home:
        print(jdk.require(host).home)
        return 0
    if arguments.noise:
        return _noise(project, host)
    out = console.standard_output()
    with console.activity(out, "looking around"):
        findings = all_findings(project, host)
    _print_table(findings, out)
    for finding in findings:
        if finding.state is not State.FOUND and finding.fix is not None:
            out.print(f"\n{finding.what}, to fix it:", style="bold")
            out.print(fixes.for_host(finding.fix, host))
    lacking = [finding.what for finding in findings if _is_lacking(finding)]
    if lacking:
        out.print(f"\nrequired and missing: {', '.join(lacking)}", style="bold red")
        return 1
    out.print("\nEverything required is there.")
    return 0


def _noise(project: Project, host: Host) -> int:
    with bench_for(options.Settings(False, noise.LOAD, Flags(), None), project, host) as bench:
        _print_noise(noise.measure(bench), bench.out)
    return 0


def _print_noise(found: Noise, out: Console) -> None:
    columns = ("least", "median", "most", "visible from")
    listed = console.table("the same server", *columns, numbers=columns)
    for measure in MEASURES:
        if values := found.rounds.get(measure.name):
            ends = (min(values), median(values), max(values))
            listed.add_row(measure.title, *(shown(each, 2) for each in ends), _least(found.told_apart[measure.name]))
    out.print(listed, soft_wrap=False)
    if found.disturbed:
        out.print("Other programs disturbed some rounds. Close them and measure again.")
    if found.stolen_share is not None:
        out.print(f"Other virtual machines on the same hardware took {found.stolen_share:.1%} of the processor time.")
    late = found.late_ms
    out.print(f"A sleep of 1 ms ends {late.p50} ms late, {late.p99} ms once in 100 times, at most {late.max} ms.")
    if found.speed is not None:
        out.print(_speed(found.speed))
    out.print(f"\ncompare measures {found.compare_rounds} rounds of each server here. It sees a difference between two")
    out.print(
        f"servers if it is at least the last column (-: not even {max(DIFFERENCES):.0%}). A smaller one can be noise."
    )


def _speed(found: Speed) -> str:
    words = (
        f"A fixed loop takes {found.loop_ms:.1f} ms of processor time. Its median drifted by {found.drift_share:.1%},"
        f" and nine of ten loops are within {found.spread_share:.1%}."
    )
    if found.mhz is None:
        return words
    least, most = found.mhz
    told = f"{least:.0f} to {most:.0f} MHz" if round(least) != round(most) else f"{most:.0f} MHz all the time"
    return f"{words} Linux reports {told}."


def _least(difference: float | None) -> str:
    return "-" if difference is None else f"{difference:.0%}"


def _print_table(findings: list[Finding], out: Console) -> None:
    listed = console.table("what", "state", "version and place", "needed for")
    for finding in findings:
        style = "bold red" if _is_lacking(finding) else STYLES[finding.state]
        purpose = f"{finding.needed_for} (required)" if finding.required else finding.needed_for
        listed.add_row(finding.what, Text(finding.state.value, style), finding.detail, purpose)
    out.print(listed, soft_wrap=False)


def _is_lacking(finding: Finding) -> bool:
    return finding.required and finding.state is State.MISSING
