"""`workbook grade`: points for what students handed in."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from rich.console import Console

from workbook import console
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.exercises import catalog, exporting, formats, grading, server_grading
from workbook.exercises.classes import Classes
from workbook.exercises.grading import Graded, Grader, Rules
from workbook.exercises.sandbox import Sandbox
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.project import Project

RULES = "grading.toml"

DESCRIPTION = f"""\
DIR is one submission, or a folder of submissions. Takes only those files out of each that its exercises let a student
change, lays them over this checkout, and runs this checkout's goal tests: what else a submission changes counts for
nothing. Each exercise has a JVM of its own with limits on time, memory and disk; --sandbox puts it into a container
without network (needs Docker).

Points come from {RULES} where there is one: [defaults] points = 10, partial = true, hint-cost = 0,
gave-up-factor = 1.0, and a table for each exercise that differs, such as ["1.3"]. For each submission it writes
junit.xml, Gradescope's results.json and Classroom 50's result.json into the folder of --out.

grade --server CMD N  grades a server of the student's own, in any language, by the contracts of stage N. CMD is started
for each node, with {{port}}, {{data}}, {{self}} and {{cluster}} replaced. Points are by contract: ["EntityContract"].
  ./workbook grade --server './their-server --port {{port}} --data {{data}}' 1
CMD has your rights: start a container in it if you do not trust it.
"""
EXIT_CODES = "Exit code: 0 graded, whatever the points; 1 it could not be graded."


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EXIT_CODES
    parser.add_argument("what", metavar="DIR|N", help="a submission, or a folder of them; with --server a stage")
    parser.add_argument("--server", metavar="CMD", help="grade the server that this command line starts")
    parser.add_argument(
        "--exercises", metavar="IDS", default="", help="1.1-2.4 (default: all that the submissions' export.toml name)"
    )
    parser.add_argument("--rules", metavar="FILE", type=Path, help=f"points (default: {RULES}, if it is there)")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("grades"), help="for the files (default: grades)"
    )
    parser.add_argument("--sandbox", action="store_true", help="in a container without network")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    out = console.standard_output()
    if exporting.is_export(project.root):
        raise Failure("this is an export: grade in the checkout that it was made from")
    rules = Rules.read(arguments.rules or (project.root / RULES if (project.root / RULES).is_file() else None))
    if arguments.server is not None:
        return _grade_server(arguments, rules, Builder(project, host, out))
    found = catalog.read(project)
    folders = grading.submissions(Path(arguments.what))
    for other in grading.skipped(Path(arguments.what), folders):
        name = grading.readable(other.name)
        out.print(f"{name}: not graded, because it has no ./workbook at its root", style="yellow")
    if arguments.exercises:
        chosen = found.select(arguments.exercises.split(","))
    else:
        chosen, odd = grading.wanted(folders, found)
        for folder, listed in odd.items():
            name = grading.readable(folder.resolve().name)
            out.print(f"{name}: its {exporting.MARK} has other exercises: {grading.readable(listed)}", style="yellow")
    classes = Classes(Builder(project, host, out))
    classes.prepare([max(chosen, key=lambda each: each.stage).module])
    grader = Grader(classes, found, rules, Sandbox(host, arguments.sandbox))
    everything = []
    for folder in folders:
        graded = grader.grade(folder, chosen)
        everything.append(graded)
        _write(graded, arguments.out, host, out)
    _print(everything, out)
    return 0


def _grade_server(arguments: argparse.Namespace, rules: Rules, builder: Builder) -> int:
    if not arguments.what.isdecimal():
        raise UsageError("--server needs the number of a stage: ./workbook grade --server CMD 4")
    if not arguments.server.strip() or arguments.sandbox or arguments.exercises:
        raise UsageError("--server needs a command line, and goes neither with --sandbox nor with --exercises")
    stage = int(arguments.what)
    with tempfile.TemporaryDirectory(prefix="grade-") as scratch:
        graded = server_grading.grade_server(builder, arguments.server, stage, rules, Path(scratch))
    table = console.table("contract", "tests", "passed", "points", "", numbers=("tests", "passed", "points"))
    for grade in graded.grades:
        points = f"{grade.points:g} of {grade.points_max:g}"
        table.add_row(grade.id, str(len(grade.results)), str(grade.passed), points, grade.remark)
    builder.out.print(table, soft_wrap=False)
    _write(graded, arguments.out, builder.host, builder.out)
    return 0


def _write(graded: Graded, folder: Path, host: Host, out: Console) -> None:
    files = formats.write_all(graded, folder / graded.name, host.env)
    out.print(f"{graded.name}: {graded.points:g} of {graded.points_max:g} points; {files[0].parent}/")


def _print(everything: list[Graded], out: Console) -> None:
    columns = [each.id for each in everything[0].grades]
    table = console.table("submission", *columns, "points", numbers=(*columns, "points"))
    for row in formats.table_rows(everything):
        table.add_row(*row)
    out.print(table, soft_wrap=False)
    for graded in everything:
        for grade in graded.grades:
            if grade.remark:
                out.print(f"{graded.name}  {grade.id}: {grade.remark}")
