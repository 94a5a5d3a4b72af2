"""A target's server as it is measured: started with nothing stored, its words in the run's folder."""

from __future__ import annotations

import contextlib
import shutil
import signal
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from workbook.failure import Failure
from workbook.measure.targets import Target
from workbook.processes import Child, Children
from workbook.servers import HOST, READY, Node

READY_WITHIN_S = 60.0
POLL_EVERY_S = 0.05
ANSWERS_WITHIN_S = 1.0
LAST_LINES_MAX = 20


class Crashed(Failure):
    """A server ended by itself."""


class MeasuredServer:
    """The nodes of a target. The first one is asked; only the main thread may use it."""

    def __init__(self, target: Target, first_port: int, folder: Path, data: Path, children: Children) -> None:
        self.target = target
        self.folder = folder
        self.nodes = [Node(f"node{i + 1}", first_port + i, data / f"node{i + 1}") for i in range(target.nodes)]
        self.data = data
        if data.exists():
            shutil.rmtree(data)
        self._running: list[tuple[Child, threading.Event, Path]] = []
        for node in self.nodes:
            node.data.mkdir(parents=True)
            log = folder / f"{node.name}.log"
            child = children.start(node.name, target.line(node, self.nodes, folder))
            self._running.append((child, _followed(child, log), log))

    @property
    def url(self) -> str:
        return self.nodes[0].url

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

    def check_alive(self) -> None:
        for child, _, log in self._running:
            if (exit_code := child.exit_code()) is not None:
                child.await_last_words()
                raise Crashed(f"{child.name} has ended by itself, {_how(exit_code)}\n{_tail(log)}")

    def stop(self) -> None:
        """Asks them to end; those who wait for the children see to the rest."""
        for child, _, _ in self._running:
            child.signal(signal.SIGTERM)


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
    try:
        with urllib.request.urlopen(f"http://{HOST}:{node.port}/v0/status", timeout=ANSWERS_WITHIN_S):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def _tail(log: Path) -> str:
    lines: list[str] = []
    with contextlib.suppress(OSError):
        lines = log.read_text(errors="replace").splitlines()[-LAST_LINES_MAX:]
    return "\n".join(["the last it said:", *(f"  {line}" for line in lines or ["(nothing)"])])


def _how(exit_code: int) -> str:
    return f"killed by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exit code {exit_code}"
