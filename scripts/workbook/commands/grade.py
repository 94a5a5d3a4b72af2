"""`workbook grade`: points for what students handed in."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from workbook import console
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.exercises import catalog, exporting, formats, grading
from workbook.exercises.catalog import Exercise
from workbook.exercises.classes import Classes
from workbook.exercises.grading import Graded, Grader, Rules
from workbook.exercises.sandbox import Sandbox
from workbook.failure import Failure
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
"""
EXIT_CODES = "Exit code: 0 graded, whatever the points; 1 it could not be graded."


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EXIT_CODES
    parser.add_argument("dir", metavar="DIR", type=Path, help="a submission, or a folder of them")
    parser.add_argument("--exercises", metavar="IDS", default="", help="1.1-2.4 (default: those of the export, or all)")
    parser.add_argument("--rules", metavar="FILE", type=Path, help=f"points (default: {RULES}, if it is there)")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("grades"), help="for the files (default: grades)"
    )
    parser.add_argument("--sandbox", action="store_true", help="in a container without network")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    out = console.standard_output()
    if exporting.is_export(project.root):
        raise Failure("this is an export: grade in the checkout that it was made from")
    found = catalog.read(project)
    folders = grading.submissions(arguments.dir)
    chosen = found.select(arguments.exercises.split(",")) if arguments.exercises else []
    rules_file = arguments.rules or (project.root / RULES if (project.root / RULES).is_file() else None)
    classes = Classes(Builder(project, host, out))
    grader = Grader(classes, found, Rules.read(rules_file), Sandbox(host, arguments.sandbox))
    everything = []
    for folder in folders:
        wanted = chosen or _exported(folder, found.exercises)
        classes.prepare([max(wanted, key=lambda each: each.stage).module])
        graded = grader.grade(folder, wanted)
        everything.append(graded)
        files = formats.write_all(graded, arguments.out / graded.name, host.env)
        out.print(f"{graded.name}: {graded.points:g} of {graded.points_max:g} points; {files[0].parent}/")
    _print(everything, out)
    return 0


def _exported(folder: Path, exercises: list[Exercise]) -> list[Exercise]:
    """The exercises that the submission's export holds; all where it doesn't say."""
    if not exporting.is_export(folder):
        return exercises
    ids = set(exporting.exported_ids(folder))
    return [each for each in exercises if each.id in ids] or exercises


def _print(everything: list[Graded], out: Console) -> None:
    columns = [each.exercise.id for each in everything[0].grades]
    table = console.table("submission", *columns, "points", numbers=(*columns, "points"))
    for row in formats.table_rows(everything):
        table.add_row(*row)
    out.print(table, soft_wrap=False)
    for graded in everything:
        for grade in graded.grades:
            if grade.remark:
                out.print(f"{graded.name}  {grade.exercise.id}: {grade.remark}")
