"""A target's server as it is measured: what it says goes to the run's folder."""

from __future__ import annotations

import contextlib
import shutil
import signal
import threading
import time
import urllib.error
import urllib.request
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

from workbook import selector
from workbook.failure import Failure
from workbook.host import Host
from workbook.measure.gc_log import Collections, read_collections
from workbook.measure.targets import GC_LOG, StartedTarget
from workbook.measure.usage import Used, bytes_below, used_by
from workbook.processes import Child, Children
from workbook.servers import READY, Node

if TYPE_CHECKING:
    from workbook.measure.measuring import Measured

READY_WITHIN_S = 60.0
POLL_EVERY_S = 0.05
ANSWERS_WITHIN_S = 1.0
LAST_LINES_MAX = 20


class Crashed(Failure):
    """A server ended by itself."""


class MeasuredServer:
    """The nodes of a target. The first one is asked; only the main thread may use it.

    Each begins with what is stored in a folder of the same name in `stored`, or with nothing.
    """

    def __init__(
        self,
        target: StartedTarget,
        first_port: int,
        folder: Path,
        data: Path,
        children: Children,
        stored: Path | None = None,
    ) -> None:
        self.target = target
        self.folder = folder
        self.nodes = nodes(target, first_port, data)
        self.data = data
        if data.exists():
            shutil.rmtree(data)
        if stored is not None:
            shutil.copytree(stored, data)
        self._running: list[tuple[Child, threading.Event, Path]] = []
        for node in self.nodes:
            node.data.mkdir(parents=True, exist_ok=True)
            log = folder / f"{node.name}.log"
            child = children.start(node.name, target.line(node, self.nodes, folder))
            self._running.append((child, _followed(child, log), log))

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    @property
    def look_s(self) -> float:
        return 0.0

    @property
    def pids(self) -> list[int]:
        return [child.pid for child, _, _ in self._running]

    def command(self) -> list[str]:
        """Of the first node."""
        return self.target.line(self.nodes[0], self.nodes, self.folder)

    def await_ready(self, within_s: float = READY_WITHIN_S) -> None:
        deadline = time.monotonic() + within_s
        for node, (child, ready, log) in zip(self.nodes, self._running, strict=True):
            while not ready.wait(POLL_EVERY_S) and not (self.target.kind == "command" and _answers(node)):
                self.check_alive()
                if time.monotonic() > deadline:
                    raise Failure(f"{child.name} does not accept requests after {within_s:g} s\n{_tail(log)}")

    def collect_garbage(self, host: Host) -> None:
        """In the JVMs of a stage, once they have started.

        What is alive then lives as long as the server. Made old at once, it is not copied by each of the first fifteen
        young collections, which would be part of what is measured.
        """
        if self.target.jdk is not None:
            for pid in self.pids:
                self.target.jdk.jcmd(host, pid, "GC.run")

    def selector(self, host: Host) -> str | None:
        """What the first node's threads of one-nio wait in, seen in its JVM; None if it is not known."""
        if self.target.jdk is None:
            return None
        answer = self.target.jdk.jcmd(host, self.pids[0], "Thread.print")
        return selector.waited_in(answer[1]) if answer and answer[0] == 0 else None

    def lacks(self, key: str) -> bool:
        """Whether it says so: 404."""
        return _status(f"{self.nodes[0].url}/v0/entity?id={key}") == HTTPStatus.NOT_FOUND

    def used(self) -> Used:
        return used_by(self.pids)

    def stored_bytes(self) -> int:
        return bytes_below(self.data)

    def fetch_gc_logs(self) -> None:
        """The servers write them there themselves."""

    def node_facts(self, _measured: Measured) -> None:
        """They share this machine."""

    def collections(self, since_s: float, until_s: float) -> Collections | None:
        return read_collections(self.folder / GC_LOG, since_s, until_s)

    def check_alive(self) -> None:
        for child, _, log in self._running:
            if (exit_code := child.exit_code()) is not None:
                child.await_last_words()
                raise Crashed(f"{child.name} has ended by itself, {_how(exit_code)}\n{_tail(log)}")


def nodes(target: StartedTarget, first_port: int, data: Path) -> list[Node]:
    return [Node(f"node{i + 1}", first_port + i, data / f"node{i + 1}") for i in range(target.nodes)]


def _followed(child: Child, log: Path) -> threading.Event:
    ready = threading.Event()
    file = log.open("wb", buffering=0)

    def on_line(line: bytes) -> None:
        file.write(line)
        if READY.match(line):
            ready.set()

    child.follow(on_line, file.close)
    return ready


def _answers(node: Node) -> bool:
    """Whether anything answers there: servers of other people need not say that they are ready."""
    return _status(f"{node.url}/v0/status") is not None


def _status(url: str) -> int | None:
    """None if nobody answers, or not in HTTP."""
    try:
        with urllib.request.urlopen(url, timeout=ANSWERS_WITHIN_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as problem:
        return problem.code
    except (OSError, HTTPException):
        return None


def _tail(log: Path) -> str:
    lines: list[str] = []
    with contextlib.suppress(OSError):
        lines = log.read_text(errors="replace").splitlines()[-LAST_LINES_MAX:]
    return "\n".join(["the last it said:", *(f"  {line}" for line in lines or ["(nothing)"])])


def _how(exit_code: int) -> str:
    return f"killed by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exit code {exit_code}"
