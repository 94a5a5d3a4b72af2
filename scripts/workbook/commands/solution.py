"""`workbook solution`: the reference's way, after one's own."""

from __future__ import annotations

import argparse
import difflib

from rich.console import Console
from rich.text import Text

from workbook import console
from workbook.arguments import Parser
from workbook.exercises import catalog, progress
from workbook.exercises.catalog import Exercise
from workbook.exercises.checkout import Checkout
from workbook.exercises.choosing import chosen
from workbook.exercises.progress import DONE, Progress
from workbook.failure import Failure
from workbook.host import Host
from workbook.pages.sources import find_source
from workbook.project import Project

DESCRIPTION = """\
Shows the difference between your code and the reference solution, and why the reference does it so. If your checks do
not all pass yet, you need --give-up. progress.toml then records that you gave up.
"""
STYLES = {"+": "green", "-": "red", "@": "cyan"}


def configure(parser: Parser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("id", nargs="?", metavar="ID", help="such as 1.3; default: the one that you are at")
    parser.add_argument("--give-up", action="store_true", help="show it although not all checks pass")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    del host
    out = console.standard_output()
    made = Progress.read(project.root)
    exercise = chosen(arguments.id, project, catalog.read(project), made)
    entry = made.of(exercise)
    if not exercise.solution.is_file():
        raise Failure("this repository does not hold the solutions: ask your teacher")
    if entry.state != DONE and not arguments.give_up:
        raise Failure(
            f"exercise {exercise.id} is {entry.state}: ./workbook check {exercise.id} must pass first,"
            " or use --give-up: progress.toml then records that you gave up"
        )
    if entry.state != DONE:
        made.change(exercise, gave_up=True)
    base = entry.base or "HEAD"
    for name in exercise.changed_classes:
        _print_difference(project, exercise, name, base, entry, out)
    out.print(exercise.solution.read_text(encoding="utf-8").strip())
    return 0


def _print_difference(
    project: Project, exercise: Exercise, class_name: str, base: str, entry: progress.Entry, out: Console
) -> None:
    path = find_source(project.root, class_name)
    checkout = Checkout(project.root)
    short = project.short(path)
    reference = checkout.git("show", f"{base}:{short}")
    on_branch = entry.branch and checkout.branch() != entry.branch and checkout.has_branch(entry.branch)
    yours = checkout.git("show", f"{entry.branch}:{short}") if on_branch else path.read_text(encoding="utf-8")
    lines = difflib.unified_diff(
        yours.splitlines(), reference.splitlines(), f"yours     {short}", f"reference {short}", lineterm=""
    )
    shown = False
    for line in lines:
        out.print(Text(line, STYLES.get(line[:1], "")))
        shown = True
    out.print("" if shown else f"exercise {exercise.id}: your {short} is the reference's, to the letter\n")
