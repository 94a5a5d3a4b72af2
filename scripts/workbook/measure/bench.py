"""What every measurement needs of the machine: built jars, the load tool, a place for data. Made once a command."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from rich.console import Console

from workbook import console, git, jdk
from workbook.build import Builder
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.locks import directory_lock
from workbook.measure import machine
from workbook.measure.filled import Stock
from workbook.measure.flags import Flags
from workbook.measure.load_tool import LoadTool, find_load_tool, is_named_wrongly
from workbook.measure.options import Settings
from workbook.measure.run_folder import why_not_published
from workbook.measure.targets import Target, stage_target
from workbook.measure.workload import SATURATING_PER_S
from workbook.project import Module, Project
from workbook.remote.cluster import RemoteTarget, remote_target
from workbook.remote.target_file import TargetFile
from workbook.servers import check_free

BENCHMARKS = "benchmarks"
FIRST_PORT, PORTS_TRIED_MAX = 18_080, 200
KEY_NUMBERS = "KEY_NUMBERS"
"""The variable that names a file with the keys of a load: docs/reference/load.md."""


@dataclass(frozen=True)
class Bench:
    """Only the main thread may use it."""

    project: Project
    host: Host
    out: Console
    builder: Builder
    jdk: Jdk
    tool: LoadTool
    work: Path
    settings: Settings
    command: str
    show: Callable[[str], None]
    stock: Stock
    _jars: dict[str, Path] = field(default_factory=dict)

    @property
    def runs(self) -> Path:
        return self.project.root / "runs"

    def first_port(self, count: int) -> int:
        """Of so many servers: what was asked for, else the first of as many free neighbours."""
        if self.settings.port is not None:
            check_free(neighbours(self.settings.port, count))
            return self.settings.port
        for port in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED_MAX, count):
            with contextlib.suppress(Failure):
                check_free(neighbours(port, count))
                return port
        raise Failure(f"no free port from {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED_MAX}: choose one with --port")

    @cached_property
    def facts(self) -> dict[str, object]:
        """What all runs of this command have in common, as run.json has it."""
        commit, dirty = git.state(self.project.root)
        return {
            "command": self.command,
            "commit": commit,
            "dirty": dirty,
            "quick": self.settings.quick,
            "machine": machine.describe(self.host),
        }

    def check_published(self, asked: str) -> None:
        """Before something is measured for the site. A Failure if the site would refuse it."""
        if why := why_not_published(self.facts):
            raise Failure(f"{asked}: the site does not show it, because {why}")

    def target(self, number: int) -> Target:
        """What the command was asked for: nodes that run elsewhere, or else the stage, started here."""
        file = self.settings.target
        target = self.stage(number) if file is None else self.elsewhere(file, number)
        if self.settings.load.is_spread and target.nodes == 1:
            raise UsageError("--spread: there is one node only, so there is nothing to spread over; see --nodes")
        # Refuses what does not fit before anything is begun. Some commands choose the rate later.
        target.asked(self.settings.load.at(SATURATING_PER_S))
        return target

    def elsewhere(self, file: TargetFile, number: int) -> RemoteTarget:
        """The nodes of a file, as those of this stage."""
        if file.load and KEY_NUMBERS in self.host.env:
            raise UsageError(f"{KEY_NUMBERS}: load machines have no such file; unset it, or make the load from here")
        return remote_target(file, self.project.stage(number))

    def stage(self, number: int, flags: Flags | None = None) -> Target:
        """With the flags that the command was given, unless others are."""
        module = self.project.stage(number)
        return stage_target(module, self.jar_of(module), self.jdk, flags or self.settings.flags)

    def jar_of(self, module: Module) -> Path:
        """A copy, so that a later build can't change the classes of a running server. All runs have the same one."""
        if module.name not in self._jars:
            self._jars[module.name] = self.builder.copy_jar(module, self.work)
        return self._jars[module.name]


@contextmanager
def bench_for(settings: Settings, project: Project, host: Host) -> Iterator[Bench]:
    """Builds what makes the load, and takes a place for data that is gone when the block is left."""
    out = console.standard_output()
    found = jdk.require(host)
    builder = Builder(project, host, out)
    places = project.root / "runs" / ".work"
    places.mkdir(parents=True, exist_ok=True)
    with directory_lock(places, _refuse):
        for left in places.iterdir():  # Of commands that were killed: nobody else has the lock.
            shutil.rmtree(left, ignore_errors=True)
        work = places / str(os.getpid())
        work.mkdir()
        try:
            jar = builder.copy_jar(project.module(BENCHMARKS), work)
            tool, which = find_load_tool(project, host, found, jar)
            if is_named_wrongly(host.env, tool):
                raise Failure(f"{which.partition('(')[2].rstrip(')')}: correct WRK2, or unset it")
            load = settings.target.load_words if settings.target else None
            out.print(f"load: {load or which}")
            with console.activity(out, "starting") as activity:
                command = shlex.join(["./workbook", *sys.argv[1:]])
                yield Bench(project, host, out, builder, found, tool, work, settings, command, activity, Stock(work))
        finally:
            shutil.rmtree(work, ignore_errors=True)


def neighbours(port: int, count: int) -> list[int]:
    return list(range(port, port + count))


def _refuse() -> None:
    raise Failure(
        "another ./workbook is measuring in this checkout: wait until it ends, because two would disturb each other"
    )
