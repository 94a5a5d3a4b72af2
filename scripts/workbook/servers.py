"""A stage's servers as processes: how each is called, and what it says while it runs."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from workbook.failure import Failure
from workbook.jdk import SERVER_FLAGS, Jdk
from workbook.messages import silence
from workbook.processes import Child, Children

HOST = "127.0.0.1"
FIRST_CLUSTER_STAGE = 3
FIRST_REPLICATED_STAGE = 4
READY_WITHIN_S = 60.0
LAST_LINES_MAX = 30
POLL_EVERY_S = 0.1

PORT_MAX = 65_535
READY = re.compile(rb"^ready (http://\S+)")
COLOURS = (36, 33, 35, 32, 34, 31)  # Cyan, yellow, magenta, green, blue, red: ANSI foreground codes.


@dataclass(frozen=True)
class Node:
    name: str
    port: int
    data: Path

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"


@dataclass(frozen=True)
class ServerCommand:
    """How the nodes of one stage are called: `java … -jar JAR --port … --data …`.

    `first_jvm_options` are for the JVM of the first node alone.
    """

    jdk: Jdk
    jar: Path
    stage_number: int
    jvm_options: tuple[str, ...] = ()
    server_options: tuple[str, ...] = ()
    first_jvm_options: tuple[str, ...] = ()

    def line(self, node: Node, cluster: list[Node]) -> list[str]:
        jvm_options = (*(self.first_jvm_options if node == cluster[0] else ()), *self.jvm_options)
        command = [str(self.jdk.java), *SERVER_FLAGS, *jvm_options, "-jar", str(self.jar)]
        command += ["--port", str(node.port), "--data", str(node.data)]
        if self.stage_number >= FIRST_CLUSTER_STAGE:
            command += ["--self", node.url, "--cluster", ",".join(each.url for each in cluster)]
        return [*command, *self.server_options]


class Log:
    """Standard output, or a file, shared by nodes: whole lines, each prefixed with its node's name.

    Any thread may write.
    """

    def __init__(self, *, coloured: bool, file: BinaryIO | None = None) -> None:
        self._coloured = coloured
        self._file = file
        self._lock = threading.Lock()
        self._broken = False

    def prefix(self, name: str, index: int) -> bytes:
        if self._coloured:
            return f"\033[{COLOURS[index % len(COLOURS)]}m{name} |\033[0m ".encode()
        return f"{name} | ".encode()

    def write(self, prefix: bytes, line: bytes) -> None:
        """After the reader has gone, lines are dropped: the node must still be able to print while it stops."""
        with self._lock:
            if not self._broken:
                out = self._file or sys.stdout.buffer
                try:
                    out.write(prefix + line.rstrip(b"\r\n") + b"\n")
                    out.flush()
                except OSError:
                    if self._file is None:  # Else the disk is full: the nodes go on, and their lines are dropped.
                        self._broken = True
                        silence(sys.stdout)

    @property
    def broken(self) -> bool:
        return self._broken


class Cluster:
    """The started nodes of one stage. Only the main thread may use it."""

    def __init__(self, command: ServerCommand, nodes: list[Node], children: Children, log: Log) -> None:
        self._running: list[_RunningNode] = []
        self._log = log
        for index, node in enumerate(nodes):
            node.data.mkdir(parents=True, exist_ok=True)
            child = children.start(node.name, command.line(node, nodes))
            self._running.append(_RunningNode(child, log, log.prefix(node.name, index)))

    def await_ready(self, within_s: float = READY_WITHIN_S) -> None:
        """Returns when every node has said that it accepts requests."""
        deadline = time.monotonic() + within_s
        for node in self._running:
            while not node.ready.wait(POLL_EVERY_S):
                self._check_alive()
                if time.monotonic() > deadline:
                    raise Failure(
                        f"{node.child.name} has not said `ready http://…` within {within_s:g} s; the last it said:\n"
                        + (node.last_words() or "  (nothing)")
                    )

    def await_end(self) -> NoReturn:
        """Raises a Failure when a node ends: nodes are not meant to end by themselves."""
        while True:
            self._check_alive()
            time.sleep(POLL_EVERY_S)

    def stop(self, within_s: float) -> None:
        """Asks the nodes to stop, and returns when all have done so. Ctrl-C ends this wait, unlike Children.stop()."""
        deadline = time.monotonic() + within_s
        for node in self._running:
            node.child.signal(signal.SIGTERM)
        for node in self._running:
            while not node.child.gone():
                if time.monotonic() > deadline:
                    raise Failure(f"{node.child.name} has not stopped within {within_s:g} s")
                time.sleep(POLL_EVERY_S)
            if exit_code := node.child.exit_code():
                raise Failure(f"{node.child.name} has stopped badly, {_how(exit_code)}")

    def _check_alive(self) -> None:
        for node in self._running:
            if (exit_code := node.child.exit_code()) is not None:
                node.child.await_last_words()
                others = ": stopping the others" if len(self._running) > 1 else ""
                raise Failure(f"{node.child.name} has ended by itself, {_how(exit_code)}{others}")
        if self._log.broken:
            raise BrokenPipeError


class _RunningNode:
    """A node and what the thread that reads its output has seen."""

    def __init__(self, child: Child, log: Log, prefix: bytes) -> None:
        self.child = child
        self.ready = threading.Event()
        self._last_lines: deque[bytes] = deque(maxlen=LAST_LINES_MAX)  # Appended to by the reader alone.
        self._log = log
        self._prefix = prefix
        child.follow(self._on_line)

    def last_words(self) -> str:
        return b"".join(list(self._last_lines)).decode(errors="replace").rstrip()

    def _on_line(self, line: bytes) -> None:
        self._log.write(self._prefix, line)
        self._last_lines.append(line)
        if READY.match(line):
            self.ready.set()


def check_free(ports: list[int]) -> None:
    """Says at once, and by name, what a server would say late or, where it shares its port, not at all."""
    for port in ports:
        if port > PORT_MAX:
            raise Failure(f"port {port} is above {PORT_MAX}: choose a smaller --port")
        with contextlib.closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # As servers do: a port at rest is free.
            try:
                probe.bind((HOST, port))
            except OSError as problem:
                raise Failure(
                    f"port {port} cannot be used ({problem.strerror}): choose another with --port"
                ) from problem


def _how(exit_code: int) -> str:
    return f"killed by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exit code {exit_code}"
