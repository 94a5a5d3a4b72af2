"""`workbook exercise`: what there is to build, and how far one is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console

from workbook import console
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.exercises import catalog, proving, starting, verifying
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.classes import Classes
from workbook.exercises.progress import BEGUN, DONE, OPEN, Progress
from workbook.exercises.worker import Worker
from workbook.failure import UsageError
from workbook.host import Host
from workbook.project import Project

DESCRIPTION = """\
without a word   lists all exercises, and says which is next
list --json      the same for programs: id, stage, title, kind, minutes, state
start IDS        cuts the pieces out of your checkout, on a git branch of its own: start 1.3, start 1.1-1.5, start 1
stop             goes back to the reference; your code stays on its branch
verify [IDS]     for those who write exercises: each starts red, its reference is green, its wrong answers are caught;
                 --full: what it says of the stage's other tests is true;
                 --measured: those on speed alone, five interleaved runs each: slow code fails, the reference passes
"""

STYLES = {DONE: "green", BEGUN: "yellow", OPEN: ""}


def configure(parser: Parser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("what", nargs="?", default="list", choices=("list", "start", "stop", "verify"))
    parser.add_argument("ids", nargs="*", metavar="IDS", help="1.3, or 1.1-1.5, or a stage's number")
    parser.add_argument("--json", action="store_true", help="list: as JSON")
    parser.add_argument("--chain", action="store_true", help="start: keep your earlier answers in place")
    parser.add_argument("--again", action="store_true", help="start: from the beginning; your branch gets another name")
    parser.add_argument("--full", action="store_true", help="verify: also all other tests of the stage")
    parser.add_argument("--measured", action="store_true", help="verify: measure those on speed, and nothing else")
    parser.add_argument("--times", type=int, default=5, metavar="K", help="verify --measured: how often (5)")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    out = console.standard_output()
    found = catalog.read(project)
    made = Progress.read(project.root)
    match arguments.what:
        case "list":
            _list(found, made, out, as_json=arguments.json)
        case "start":
            _start(arguments, found, made, Builder(project, host, out))
        case "stop":
            branch, base = starting.stop(project, found, made)
            out.print(f"You are on {base} again. Your code is on the branch {branch}.")
            ids = branch.removeprefix(starting.PREFIX).replace(",", " ")
            out.print(f"To continue: ./workbook exercise start {ids}")
        case "verify":
            if arguments.measured:
                return proving.prove(Builder(project, host, out), found, arguments.ids, max(1, arguments.times))
            return verifying.verify(Builder(project, host, out), found, arguments.ids, full=arguments.full)
    return 0


def _list(found: Catalog, made: Progress, out: Console, *, as_json: bool) -> None:
    if as_json:
        out.print(json.dumps([_facts(each, made) for each in found.exercises], indent=1, ensure_ascii=False))
        return
    listed = console.table("exercise", "title", "kind", "minutes", "state", numbers=("minutes",))
    for each in found.exercises:
        state = made.of(each).state
        listed.add_row(each.id, each.title, each.kind, str(each.minutes), state, style=STYLES[state])
    out.print(listed, soft_wrap=False)
    following = made.next(found)
    if following is None:
        out.print("\nAll done.")
    elif made.of(following).state == BEGUN:
        out.print(f"\nYou are at {following.id}: ./workbook check {following.id}")
    else:
        out.print(f"\nNext: ./workbook exercise start {following.id}")


def _facts(exercise: Exercise, made: Progress) -> dict[str, object]:
    return {
        "id": exercise.id,
        "stage": exercise.stage,
        "title": exercise.title,
        "kind": exercise.kind,
        "minutes": exercise.minutes,
        "state": made.of(exercise).state,
    }


def _start(arguments: argparse.Namespace, found: Catalog, made: Progress, builder: Builder) -> None:
    if not arguments.ids:
        raise UsageError("start needs an exercise: ./workbook exercise start 1.1")
    chosen = found.select(arguments.ids)
    with _worker(Classes(builder), chosen) as worker:
        begun = starting.start(
            builder.project, found, chosen, made, worker, chain=arguments.chain, again=arguments.again
        )
    out, project = builder.out, builder.project
    if begun.kept:
        out.print(f"your earlier code is kept on the branch {begun.kept}")
    out.print(f"you are {'again ' if begun.was_there else ''}on the branch {begun.branch}")
    if begun.was_there and arguments.chain and begun.branch.startswith(starting.PREFIX):
        again = f"./workbook exercise start {' '.join(arguments.ids)} --again --chain"
        out.print(f"--chain did nothing, because this branch was there already. To begin anew on your answers: {again}")
    if begun.on_top_of:
        out.print(f"your answers of {begun.on_top_of} are in it")
    for each in chosen:
        out.print(f"\n{each.id}  {each.title}  ({each.kind}, about {each.minutes} minutes)", style="bold")
        out.print(f"  {each.idea}")
        out.print(f"  task:   {project.short(each.task)}")
    out.print("\nopen:")
    for path in begun.files:
        out.print(f"  {project.short(path)}")
    out.print(f"\nthen:     ./workbook check {chosen[0].id}    (--watch: at each save)")
    out.print(f"stuck:    ./workbook hint {chosen[0].id}")
    out.print("to leave: ./workbook exercise stop")


@contextmanager
def _worker(classes: Classes, chosen: Sequence[Exercise]) -> Iterator[Worker | None]:
    """None where no code is cut out: then nothing is compiled."""
    if not any(each.changed_classes for each in chosen):
        yield None
        return
    latest = max(chosen, key=lambda each: each.stage).module
    classes.prepare([latest])
    with classes.worker(latest) as worker:
        yield worker
