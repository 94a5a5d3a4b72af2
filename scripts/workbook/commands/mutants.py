"""`workbook mutants`: small faults put into the code, one at a time, to see whether its tests notice."""

from __future__ import annotations

import argparse
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from workbook import console, maven, mutants
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.failure import Failure
from workbook.host import Host
from workbook.maven import Maven
from workbook.messages import warn
from workbook.mutants import MutantList, Package, Verdict
from workbook.project import Module, Project

GOAL = "org.pitest:pitest-maven:mutationCoverage"
THREADS_MAX = 2
SURVIVORS = "survivors.txt"

DESCRIPTION = """\
Changes the code of stage N in one place at a time: it inverts a condition, removes a call, or returns another value.
After each change it runs the tests of the same package. If they all pass, they would also let a real fault of this kind
pass. At the end it prints a table and every change that survived. Write a test that fails on it, or add it to the
mutants.txt of the stage with the reason why no test can notice it. Without N it does this for all stages.

PIT makes the changes; only unit tests of the changed package run. A package takes from a minute to an hour; --package
selects one. HTML reports and the list of survivors are in target/workbook/mutants/.
"""

EXIT_CODES = """\
Exit code: 0 every mutant is noticed or listed; 1 some are not, a listed mutant no longer exists, or the build failed;
2 the command line is wrong."""


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EXIT_CODES
    parser.add_argument("stage", nargs="?", type=int, metavar="N", help="a stage's number")
    parser.add_argument("--package", metavar="NAME", help="only this package: dht.storage.memtable")
    parser.add_argument(
        "--threads",
        type=int,
        default=min(THREADS_MAX, os.cpu_count() or 1),
        metavar="K",
        help="number of threads, at most 2",
    )


@dataclass(frozen=True)
class _Subject:
    module: Module
    list: MutantList
    package: Package

    @property
    def name(self) -> str:
        return self.package.name


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    out = console.standard_output()
    subjects = _selected(arguments.stage, arguments.package, project)
    threads = max(1, min(arguments.threads, THREADS_MAX))
    builder = Builder(project, host, out)
    tool = maven.require(project, host)
    verdicts = []
    with builder.lock():
        for subject in subjects:
            verdicts.append(_tested(subject, threads, tool, project, out))
            _write_survivors(verdicts, project)
    _print(verdicts, out)
    _complain(verdicts, subjects)
    return 0 if all(verdict.holds for verdict in verdicts) else 1


def _selected(stage: int | None, package: str | None, project: Project) -> list[_Subject]:
    modules = project.modules if stage is None else [project.stage(stage)]
    found = []
    for module in modules:
        listed = mutants.read_list(module)
        found += [_Subject(module, listed, each) for each in listed.packages] if listed is not None else []
    if stage is not None and not found:
        raise Failure(f"{modules[0].name} has no {mutants.FILE}: no package of it is tested this way")
    if package is not None:
        names = ", ".join(each.name for each in found)
        found = [each for each in found if each.name == package]
        if not found:
            raise Failure(f"there is no package {package} to be tested this way; there are {names}")
    return found


def _folder(project: Project) -> Path:
    return project.logs / "mutants"


def _tested(subject: _Subject, threads: int, tool: Maven, project: Project, out: Console) -> Verdict:
    folder = _folder(project) / subject.name
    shutil.rmtree(folder, ignore_errors=True)
    log = _folder(project) / f"maven-{subject.name}.log"  # Not PACKAGE.log: that may be the folder of a package
    arguments = ["test-compile", GOAL, "-pl", f":{subject.module.name}", "-am", f"-Dthreads={threads}"]
    arguments += [*subject.package.options, f"-DreportsDirectory={folder}"]
    with console.activity(out, f"{subject.name}: starting Maven") as show:
        exit_code = tool.run(arguments, log, lambda line: show(maven.step(line or "")))
    report = folder / "mutations.xml"
    if exit_code != 0 or not report.is_file():
        raise Failure(
            f"no mutants of {subject.name}; Maven's whole output is in {project.short(log)}\n{maven.problems(log)}"
        )
    verdict = mutants.judge(subject.name, mutants.read_report(report, subject.module), subject.list.harmless)
    out.print(f"{subject.name}: {verdict.noticed} of {verdict.count} noticed, {len(verdict.survivors)} survived")
    return verdict


def _write_survivors(verdicts: list[Verdict], project: Project) -> None:
    lines = [f"{mutant.identity}\n    {mutant}\n" for verdict in verdicts for mutant in verdict.survivors]
    (_folder(project) / SURVIVORS).write_text("\n".join(lines), encoding="utf-8")


def _print(verdicts: list[Verdict], out: Console) -> None:
    table = console.table(
        "package",
        "mutants",
        "noticed",
        "listed",
        "survived",
        "score",
        numbers=("mutants", "noticed", "listed", "survived", "score"),
    )
    for verdict in verdicts:
        table.add_row(
            verdict.package,
            str(verdict.count),
            str(verdict.noticed),
            str(len(verdict.listed)),
            str(len(verdict.survivors)),
            f"{verdict.score:.2f}",
        )
        for mutant in verdict.survivors:
            out.print(f"  survived: {mutant}")
    out.print(table)
    count, noticed = sum(verdict.count for verdict in verdicts), sum(verdict.noticed for verdict in verdicts)
    survived = sum(len(verdict.survivors) for verdict in verdicts)
    score = noticed / count if count else 1.0
    out.print(f"mutants: {count}, {noticed} noticed ({score:.2f}), {survived} survived and are not listed")


def _complain(verdicts: list[Verdict], subjects: list[_Subject]) -> None:
    for verdict, subject in zip(verdicts, subjects, strict=True):
        for gone in verdict.unlisted_since:
            why = "the mutant no longer exists, or a test notices it"
            warn(f"{subject.list.path}: remove this entry: {why}: {gone.identity}")
