"""The command line: which commands there are, and what happens around each."""

from __future__ import annotations

import argparse
import difflib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from workbook import interrupts
from workbook.arguments import Parser
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.messages import flush_output, warn
from workbook.project import Project

ROOT = Path(__file__).resolve().parents[2]

# Command: how it is called, what it does. Each is a module of `commands`, imported only when it is called.
COMMANDS = {
    "doctor": ("doctor", "what this machine has, what is missing, and how to install it"),
    "test": (
        "test [N] [--server CMD]",
        "all tests, the tests of stage N, or the suites of stage N against your server",
    ),
    "mutants": ("mutants [N]", "puts small faults into the code, one at a time: do the tests notice them?"),
    "run": ("run N [--nodes K]", "builds stage N if needed and starts its server; Ctrl-C stops it"),
    "repair": ("repair [--node URL]", "a running node of a cluster compares itself with all others"),
    "image": ("image N", "builds the container image of stage N"),
    "load": ("load N put|get|…", "fills and warms up stage N, then sends requests at a constant rate"),
    "profile": (
        "profile N put|get|…",
        "the same with profiles of cpu, allocations and locks: flame graphs, a breakdown",
    ),
    "trace": ("trace N put|get|…", "the same with each request recorded: where the slow ones wait"),
    "saturate": ("saturate N put|get|…", "finds the highest rate that stage N sustains"),
    "compare": ("compare A B", "measures two servers in turn: faster, slower, or within the noise"),
    "sweep": (
        "sweep N put|get|…",
        "varies connections, workers or nodes; which laws the rates follow",
    ),
    "lab": ("lab N [--quick]", "all of these measurements for stage N, and a page that shows them"),
    "exercise": ("exercise [start IDS|stop]", "what there is to build, and how far you are; cuts a piece out for you"),
    "check": ("check [ID]", "the checks of an exercise: which pass, which fail, and why"),
    "hint": ("hint [ID]", "the next hint of an exercise"),
    "solution": ("solution [ID]", "the reference solution, and how yours differs: after your checks pass"),
    "export": ("export DIR", "for teachers: a repository of exercises to hand out"),
    "grade": ("grade DIR", "for teachers: points for students' submissions, or for a server: grade --server CMD N"),
    "site": ("site [--build]", "serves the site on this machine, or builds it into site/"),
}


class Command(Protocol):
    """What each module of `commands` has."""

    def configure(self, parser: Parser) -> None: ...

    def run(self, arguments: argparse.Namespace, project: Project, host: Host) -> int: ...


def main(argv: Sequence[str], root: Path = ROOT) -> int:
    try:
        with interrupts.taken():
            return _dispatch(list(argv), Project(root))
    except Failure as failure:
        warn(str(failure))
        return 2 if isinstance(failure, UsageError) else 1
    except interrupts.Interrupted as interrupted:
        return interrupted.exit_code
    except BrokenPipeError:  # Whoever read our output has gone, as `head` does: nothing more to say.
        return 1
    except OSError as problem:  # A full disk, a folder that may not be written: the system's words name it.
        warn(str(problem))
        return 1
    finally:
        flush_output()


def usage() -> str:
    width = max(len(call) for call, _ in COMMANDS.values())
    lines = [f"  {call:{width}}  {does}" for call, does in COMMANDS.values()]
    return "\n".join(
        ["usage: ./workbook COMMAND [options]", "", *lines, "", "./workbook COMMAND --help shows a command's options."]
    )


def _dispatch(argv: list[str], project: Project) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    name, *rest = argv
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"
        raise UsageError(f"unknown command {name!r}: {advice}")
    command = cast(Command, importlib.import_module(f"workbook.commands.{name}"))
    parser = Parser(f"./workbook {name}")
    command.configure(parser)
    try:
        arguments = parser.read(rest)
    except SystemExit:  # --help has been printed.
        return 0
    return command.run(arguments, project, Host())
