"""What is seen of a test run while it runs: the class at work, the counts so far, and each failure at once."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from workbook.console import is_alive
from workbook.reports import Failed, Result
from workbook.summary import Counts, Summary

REFRESHES_PER_S = 8


class Screen:
    """On a terminal, one line that is drawn over; elsewhere, a line for each class that has ended."""

    def __init__(self, out: Console, summary: Summary) -> None:
        self._out = out
        self._summary = summary
        self._started_s = time.monotonic()
        self._doing = ""
        self._doing_since_s = self._started_s
        self._spinner = Spinner("dots")
        self._live = Live(self, console=out, refresh_per_second=REFRESHES_PER_S, transient=True)

    def doing(self, words: str) -> None:
        """What goes on now: a class that runs, a module that is compiled."""
        if words != self._doing:
            self._doing, self._doing_since_s = words, time.monotonic()

    def now(self) -> str:
        """What goes on now, and for how long already; empty before anything was told."""
        return f"{self._doing} ({time.monotonic() - self._doing_since_s:.0f} s)" if self._doing else ""

    def ended(self, module: str, results: list[Result]) -> None:
        """The results of one class, or of one file, have come in."""
        self._summary.add(module, results)
        if results and not is_alive(self._out):
            seconds = sum(result.seconds for result in results)
            self._out.print(f"{module}  {results[0].suite}: {Counts.of(results)} ({seconds:.1f} s)")
        self._print_failures(module, results)

    def concluded(self, module: str, results: list[Result]) -> None:
        """Results that no class has told, but its absence."""
        self._summary.add(module, results)
        self._print_failures(module, results)

    def _print_failures(self, module: str, results: list[Result]) -> None:
        for result in results:
            if isinstance(result.outcome, Failed):
                self._print_failure(module, result, result.outcome)

    def _print_failure(self, module: str, result: Result, failure: Failed) -> None:
        self._out.print()
        # Styled texts, since a style given to print() would also colour the line that is drawn over.
        self._out.print(Text(f"FAILED  {module}  {result.name}", "bold red"))
        self._out.print(Text(failure.message))
        if failure.trace:
            self._out.print(Text(failure.trace, "dim"))

    def __enter__(self) -> Screen:
        if is_alive(self._out):
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __rich__(self) -> RenderableType:
        minutes, seconds = divmod(int(time.monotonic() - self._started_s), 60)
        line = Table.grid(padding=(0, 1))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        words = Text.assemble(
            (f"{minutes}:{seconds:02}  ", "dim"),
            f"{self._summary.total()}   ",
            (self.now(), "cyan"),
        )
        line.add_row(self._spinner, words)
        return Group(line)
