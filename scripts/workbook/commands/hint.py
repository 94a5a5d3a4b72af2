"""`workbook hint`: the next hint of an exercise, one at a time."""

from __future__ import annotations

import argparse

from workbook import console
from workbook.arguments import Parser
from workbook.exercises import catalog
from workbook.exercises.choosing import chosen
from workbook.exercises.progress import Progress
from workbook.host import Host
from workbook.project import Project

DESCRIPTION = """\
Prints the next hint of an exercise, from "where to look" to "how it goes". progress.toml keeps how many you have taken.
"""


def configure(parser: Parser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("id", nargs="?", metavar="ID", help="such as 1.3; default: the one that you are at")
    parser.add_argument("--taken", action="store_true", help="show the hints again that you have taken")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    del host
    out = console.standard_output()
    made = Progress.read(project.root)
    exercise = chosen(arguments.id, project, catalog.read(project), made)
    taken, hints = made.of(exercise).hints, exercise.hints
    if arguments.taken and not taken:
        out.print(f"You have not taken a hint of {exercise.id} yet.")
    elif arguments.taken or taken >= len(hints):
        for number, (title, text) in enumerate(hints[:taken], 1):
            out.print(f"hint {number} of {len(hints)}: {title}\n", style="bold")
            out.print(f"{text}\n")
        if taken >= len(hints):
            shows = f" ./workbook solution {exercise.id} --give-up shows the reference solution."
            out.print("There are no more hints." + (shows if exercise.solution.is_file() else ""))
    else:
        title, text = hints[taken]
        made.change(exercise, hints=taken + 1)
        out.print(f"hint {taken + 1} of {len(hints)}: {title}\n", style="bold")
        out.print(text)
    return 0
