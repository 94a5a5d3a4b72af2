"""`workbook test`: all tests, or those of one stage, or the suites against any server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from rich.console import Console

from workbook import console, jdk, maven, python_tests
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.exercises.classes import Classes
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.interrupts import Interrupted
from workbook.java_tests import JavaTests, Tuning
from workbook.messages import warn
from workbook.processes import Children
from workbook.project import Module, Project
from workbook.python_tests import PythonTests
from workbook.screen import Screen
from workbook.summary import Summary

TESTKIT = "testkit"

DESCRIPTION = """\
Runs tests. Prints a table, the line `tests: … passed, … failed, … not run`, and the reason for each test not run.

without N         everything: the tests of the testkit, of each stage, and of these scripts
--full            also the tests that take long: containers, profiles of running servers, and suites that repeat the
                  tests of servers in the tests' own JVM against server processes
N                 the tests of stage N; the modules that it needs are built, but not tested
MODULE            the tests of one module: testkit, scripts, …
N --server CMD    the suites of stage N against your own server, in any language. CMD is started for each node,
                  with {port}, {data}, {self} and {cluster} replaced:
                    ./workbook test 1 --server './my-server --port {port} --data {data}'

Tests of faults under load take some seconds for each run, and make random choices. A long series, 44 runs of a minute:
  ./workbook test 4 --only '*FaultIT,*ContainerIT' --fault-seconds 60 --fault-runs 2
Each run prints its seed, and --seed sets it again. If the servers are processes or containers, the seed is in
target/workbook/test.log.
"""

EXIT_CODES = "Exit code: 0 all passed, 1 a test failed or the build broke, 2 the command line makes no sense."


@dataclass(frozen=True)
class _Part:
    """Tests that run beside each other. What needs the whole machine is in a part of its own."""

    java: JavaTests | None
    python: PythonTests | None


@dataclass(frozen=True)
class Options:
    what: str | None
    server: str | None
    strict: bool
    only: str | None
    full: bool
    tuning: Tuning


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EXIT_CODES
    parser.add_argument("what", nargs="?", metavar="N|MODULE", help="a stage's number or a module's name")
    parser.add_argument("--server", metavar="CMD", help="test the server that this command line starts")
    parser.add_argument("--strict", action="store_true", help="a test that was not run is a failure")
    parser.add_argument(
        "--only", metavar="PATTERN", help="only these classes, and methods: 'Entity*', 'WalTest#recover_*', 'A*,B*'"
    )
    parser.add_argument("--full", action="store_true", help="also the tests that take long by their nature")
    parser.add_argument("--seed", type=int, metavar="N", help="repeat the random choices of another run")
    parser.add_argument(
        "--fault-seconds",
        type=_positive,
        metavar="S",
        help="how long a run with faults is under load, at least (default: 4)",
    )
    parser.add_argument("--fault-runs", type=_positive, metavar="N", help="number of runs for each fault (default: 1)")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    options = Options(
        arguments.what, arguments.server, arguments.strict, arguments.only, arguments.full, _tuning(arguments)
    )
    out = console.standard_output()
    if options.server is not None:
        return _test_server(options, options.server, Builder(project, host, out))
    return _test_modules(options, Builder(project, host, out), out)


def _tuning(arguments: argparse.Namespace) -> Tuning:
    return Tuning(arguments.seed, arguments.fault_seconds, arguments.fault_runs)


def _test_modules(options: Options, builder: Builder, out: Console) -> int:
    modules, with_scripts = _selected(options.what, builder.project)
    summary = Summary()
    for module in modules:
        summary.expect(module.name)
    if with_scripts:
        summary.expect(python_tests.MODULE)
    parts = _parts(options, modules, with_scripts, builder)
    broken = _run_all(parts, summary, out)
    summary.print_to(out)
    return _verdict(summary, options, broken)


def _parts(options: Options, modules: list[Module], with_scripts: bool, builder: Builder) -> list[_Part]:
    tool = maven.require(builder.project, builder.host) if modules else None
    java = JavaTests(builder, tool, modules, options.only, options.full, options.tuning) if tool else None
    python = PythonTests(builder.project, options.only, options.full) if with_scripts else None
    if not options.full or options.only is not None:
        return [_Part(java, python)]
    if java and python:  # The scripts' tests start servers, and do exercises, while Maven tests the modules.
        builder.ensure_jars(modules)
        Classes(builder).prepare([max(modules, key=lambda each: each.stage_number or 0)])
        java = replace(java, keeps_jars=True)
    parts = [_Part(java and replace(java, alone=False), python and replace(python, alone=False))]
    if java and java.classes_alone:
        parts.append(_Part(replace(java, alone=True), None))
    if python:
        parts.append(_Part(None, replace(python, alone=True)))
    return parts


def _run_all(parts: list[_Part], summary: Summary, out: Console) -> list[Failure]:
    """Fills the summary; returns what broke other than by a failed test."""
    broken = []
    with Screen(out, summary) as screen:
        for part in parts:
            with ExitStack() as stack:
                steps: list[Callable[[Screen], None]] = [part.java.run] if part.java is not None else []
                if part.python is not None:
                    steps.append(stack.enter_context(part.python.begun()).finish)
                for step in steps:
                    try:
                        step(screen)
                    except Failure as failure:
                        broken.append(failure)
                    except Interrupted:
                        now = screen.now()
                        warn(f"interrupted{f' during {now}' if now else ''}; so far {summary.total()}")
                        raise
    return broken


def _selected(what: str | None, project: Project) -> tuple[list[Module], bool]:
    """The Maven modules to test, and whether the scripts are."""
    if what is None:
        return project.modules, True
    if what == python_tests.MODULE:
        return [], True
    if what.isdecimal():
        return [project.stage(int(what))], False
    return [project.module(what)], False


def _verdict(summary: Summary, options: Options, broken: list[Failure]) -> int:
    total = summary.total()
    if broken:
        for failure in broken:
            warn(str(failure))
        return 1
    if total.passed + total.failed + total.not_run == 0:
        hint = f" that fits {options.only!r}: give class names, such as 'Entity*'" if options.only else ""
        warn(f"there was no test{hint}")
        return 1
    if options.strict and total.not_run:
        warn(f"--strict: {total.not_run} not run, see the reasons above")
        return 1
    return 1 if total.failed else 0


def _test_server(options: Options, server: str, builder: Builder) -> int:
    if options.what is None or not options.what.isdecimal():
        raise UsageError("--server needs the number of a stage: ./workbook test 1 --server CMD")
    if not server.strip():
        raise UsageError("--server needs a command line")
    found = jdk.require(builder.host)
    jar = builder.ensure_jar(builder.project.module(TESTKIT))
    command = [str(found.java), "-jar", str(jar), "--stage", options.what, "--server", server]
    command += ["--strict"] if options.strict else []
    command += ["--only", options.only] if options.only is not None else []
    command += options.tuning.runner_options()
    sys.stdout.flush()
    with Children() as children:
        env = {**builder.host.env, "JAVA_HOME": str(found.home)}
        return children.start("testkit", command, env=env, captured=False).wait()
