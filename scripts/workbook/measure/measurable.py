"""What a run needs to know of a running server, wherever it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workbook.measure.gc_log import Collections
from workbook.measure.targets import Target
from workbook.measure.usage import Used

if TYPE_CHECKING:
    from workbook.measure.measuring import Measured


class Measurable(Protocol):
    """A server that was started here, or the nodes of a target. Only the main thread may use it."""

    @property
    def target(self) -> Target: ...

    @property
    def folder(self) -> Path:
        """Of the run."""

    @property
    def urls(self) -> list[str]:
        """Of the nodes. The first one is asked."""

    @property
    def pids(self) -> list[int]:
        """Of its processes, as far as they are on this machine and were started by us."""

    @property
    def look_s(self) -> float:
        """How long it takes to learn what was used."""

    def used(self) -> Used: ...

    def stored_bytes(self) -> int | None:
        """None where nobody can tell."""

    def fetch_gc_logs(self) -> None:
        """Into the folder of the run, unless they are there."""

    def collections(self, since_s: float, until_s: float) -> Collections | None:
        """Of the first node's garbage, between two moments of the wall clock."""

    def node_facts(self, measured: Measured) -> list[dict[str, object]] | None:
        """Of each node, as run.json has it; None where there is nothing to say that is not said of all together."""

    def check_alive(self) -> None:
        """A Failure if a node has ended."""
