"""Asks for the status beside a load, with a load tool of its own."""

from __future__ import annotations

from workbook.failure import Failure
from workbook.measure.load_report import LoadReport, read_report
from workbook.measure.load_source import Here
from workbook.measure.workload import STATUS, Load, Workload


class StatusProbe:
    """Begins at once and lasts as long as the load. Only the main thread may use it."""

    def __init__(self, here: Here, beside: Load, url: str) -> None:
        workload, load = Workload.named(STATUS, {}), beside.of_status()
        self._lines: list[bytes] = []
        command, env = here.tool.command(workload, load, url), here.tool.env(workload, load, [url], here.host)
        self._child = here.children.start("the load tool for the status", command, env=env)
        self._child.follow(self._lines.append)

    def result(self) -> tuple[str, LoadReport]:
        """What it has printed, when it has ended."""
        exit_code = self._child.wait()
        self._child.await_last_words()
        text = b"".join(self._lines).decode(errors="replace")
        if exit_code != 0:
            raise Failure(f"{self._child.name} has ended with exit code {exit_code}:\n{text.strip()[-2000:]}")
        return text, read_report(text)
