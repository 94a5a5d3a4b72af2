"""`workbook export`: a repository of exercises to hand out."""

from __future__ import annotations

import argparse
from pathlib import Path

from workbook import console
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.exercises import catalog
from workbook.exercises.classes import Classes
from workbook.exercises.exporting import export, fitting
from workbook.host import Host
from workbook.project import Project

DESCRIPTION = """\
Writes a git repository of its own into DIR: the workbook with the exercises cut out, without history, solutions and
wrong answers. Students fork it; ./workbook check works in it as it is, and its CI file runs all checks on each push.
Before it ends, it looks through all files and git objects of DIR for lines that were cut out.
"""


def configure(parser: Parser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("dir", metavar="DIR", type=Path, help="a folder that is not there yet, or is empty")
    parser.add_argument(
        "--exercises", metavar="IDS", default="", help="1.1-2.4, or a list: 1.1,1.3,2 (default: all that fit together)"
    )


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    out = console.standard_output()
    found = catalog.read(project)
    chosen = found.select(arguments.exercises.split(",")) if arguments.exercises else found.exercises
    latest = max(chosen, key=lambda each: each.stage).module
    classes = Classes(Builder(project, host, out))
    classes.prepare([latest])
    with classes.worker(latest, "export") as worker:
        if not arguments.exercises:
            chosen = fitting(project, found.exercises, worker)
            if left := [each.id for each in found.exercises if each not in chosen]:
                out.print(f"left out, since they change the same code as an earlier one: {', '.join(left)}")
        made = export(project, found, chosen, arguments.dir.absolute(), worker)
    out.print(f"exported {len(made.exercises)} exercises, {made.file_count} files, to {arguments.dir}")
    out.print(f"looked for {made.hidden_lines} lines of the answers there: none was found")
    out.print(f"try it:   cd {arguments.dir} && ./workbook exercise")
    out.print("grade:    ./workbook grade DIR, in this checkout, with what the students hand in")
    return 0
