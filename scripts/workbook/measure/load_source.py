"""Where a load comes from: this machine, or the load machines of a target (remote/load_hosts.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from workbook.failure import Failure
from workbook.host import Host
from workbook.measure.load_report import LoadReport, read_report
from workbook.measure.load_tool import LoadTool
from workbook.measure.merging import Part, Second
from workbook.measure.usage import ToolUsed
from workbook.measure.workload import Load, Workload
from workbook.processes import Children

if TYPE_CHECKING:
    from workbook.measure.measuring import Measured

TICK_S = 0.1
ENDS_WITHIN_S = 15.0
"""How much longer than told a load tool may take: wrk2 looks every two seconds whether its time is up."""

OnTick = Callable[[float], None]
"""Called again and again while a load lasts, with the seconds since it began. It may raise a Failure."""


@dataclass(frozen=True)
class Loaded:
    """What a load gave. `parts`: of each load machine, if there are any. `timeline`: where the tool counts seconds."""

    report: LoadReport
    text: str
    tool_slept: bool = False
    timeline: tuple[Second, ...] = ()
    parts: tuple[Part, ...] = ()


class LoadSource(Protocol):
    """Only the main thread may use it."""

    @property
    def tool(self) -> LoadTool: ...

    def load(self, workload: Workload, load: Load, urls: Sequence[str], on_tick: OnTick) -> Loaded: ...

    def used(self) -> tuple[ToolUsed, ...]:
        """By the tools of the load that runs now, on each load machine."""

    def facts(self, measured: Measured | None = None) -> list[dict[str, object]] | None:
        """Of each load machine, as run.json has it."""


@dataclass(frozen=True)
class Here:
    """The load tool on this machine."""

    tool: LoadTool
    host: Host
    children: Children

    def load(self, workload: Workload, load: Load, urls: Sequence[str], on_tick: OnTick) -> Loaded:
        tool = self.tool.making(workload)
        env = tool.env(workload, load, urls, self.host)
        ends_by_s = tool.warmup_within_s(load) + load.duration_s + ENDS_WITHIN_S
        text = self.run(tool.command(workload, load, urls[0]), env, ends_by_s, on_tick)
        report = read_report(text)
        return Loaded(report, text, tool.has_slept(load, report))

    def used(self) -> tuple[ToolUsed, ...]:
        """What programs of this machine have used is asked of the system."""
        return ()

    def facts(self, _measured: Measured | None = None) -> None:
        """It is the machine of the command."""

    def run(self, command: list[str], env: Mapping[str, str], ends_by_s: float, on_tick: OnTick) -> str:
        """All that the tool prints. Ends it when it takes too long."""
        lines: list[str] = []
        child = self.children.start("the load tool", command, env=env)
        started_s = time.monotonic()
        on_tick(0.0)
        for line in child.lines(TICK_S):
            if line is not None:
                lines.append(line)
            lasted_s = time.monotonic() - started_s
            on_tick(lasted_s)
            if lasted_s > ends_by_s:
                raise Failure(f"the load tool still runs after {lasted_s:.0f} s; it was to end by {ends_by_s:.0f} s")
        exit_code = child.wait()
        text = "\n".join([*lines, ""])
        if exit_code != 0:
            on_tick(time.monotonic() - started_s)  # Says so if it is the server that has failed.
            raise Failure(f"the load tool has ended with exit code {exit_code}:\n{text.strip()[-2000:]}")
        return text
