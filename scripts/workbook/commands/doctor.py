"""`workbook doctor`: what the machine has and lacks, and the commands that install what is missing."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.text import Text

from workbook import console, fixes, jdk
from workbook.arguments import Parser
from workbook.findings import Finding, State, all_findings
from workbook.host import Host
from workbook.project import Project

DESCRIPTION = """\
Shows what the workbook needs, what this machine has, and the exact commands that install what is missing.
"""
EPILOG = "Exit code: 0 everything required is there, 1 something required is missing."

STYLES = {State.FOUND: "green", State.LIMITED: "yellow", State.MISSING: "yellow"}


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("--jdk-home", action="store_true", help="print the home of the JDK and nothing else")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    if arguments.jdk_home:
        print(jdk.require(host).home)
        return 0
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


def _print_table(findings: list[Finding], out: Console) -> None:
    listed = console.table("what", "state", "version and place", "needed for")
    for finding in findings:
        style = "bold red" if _is_lacking(finding) else STYLES[finding.state]
        purpose = f"{finding.needed_for} (required)" if finding.required else finding.needed_for
        listed.add_row(finding.what, Text(finding.state.value, style), finding.detail, purpose)
    out.print(listed, soft_wrap=False)


def _is_lacking(finding: Finding) -> bool:
    return finding.required and finding.state is State.MISSING
