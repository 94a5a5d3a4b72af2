"""Programs that a command starts and that never outlive it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BufferedReader
from pathlib import Path
from types import TracebackType

import psutil

from workbook import interrupts
from workbook.messages import warn

STOP_WITHIN_S = 10.0
KILLED_WITHIN_S = 5.0
POLL_EVERY_S = 0.02
LINES_HELD_MAX = 10_000
PIECE_MAX = 65_536
SILENT_PIPE_S = 1.0


class Child:
    """A started program that leads a session of its own: ending that session ends whatever it has started, too.

    Only the main thread may use it, apart from the thread that `follow` starts.
    """

    def __init__(self, name: str, process: subprocess.Popen[bytes]) -> None:
        self.name = name
        self.pid = process.pid
        self._process = process
        self._reader: threading.Thread | None = None
        self.not_taken: OSError | None = None  # Why some output could not be taken. Written by the reader alone.
        self._gone = False

    def exit_code(self) -> int | None:
        return self._process.poll()

    def wait(self) -> int:
        return self._process.wait()

    def gone(self) -> bool:
        """Whether the program and everything it has started has ended. Once true, its id may be another's."""
        self._gone = self._gone or (self._process.poll() is not None and not _group_runs(self.pid))
        return self._gone

    def signal(self, signum: int) -> None:
        if not self.gone():
            # It may have ended just now, which macOS tells with EPERM.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signum)

    def follow(self, on_line: Callable[[bytes], None], on_end: Callable[[], None] = lambda: None) -> None:
        """Hands over what the program prints, line by line, on a thread of its own.

        Where a line cannot be taken (a full disk), `not_taken` says why, and the rest is read and dropped, so that
        the program can go on.
        """
        self._read(lambda pipe: pipe, on_line, on_end)

    def follow_pieces(self, on_piece: Callable[[bytes], None]) -> None:
        """Like `follow`, but hands over what is printed at once, also the part of a line that has not ended."""
        self._read(lambda pipe: iter(lambda: pipe.read1(PIECE_MAX), b""), on_piece, lambda: None)

    def _read(
        self,
        parts_of: Callable[[BufferedReader], Iterable[bytes]],
        on_part: Callable[[bytes], None],
        on_end: Callable[[], None],
    ) -> None:
        pipe = self._process.stdout
        assert isinstance(pipe, BufferedReader), "start the child with its output captured"

        def read() -> None:
            with pipe:
                for part in parts_of(pipe):
                    if self.not_taken is None:
                        try:
                            on_part(part)
                        except OSError as problem:
                            self.not_taken = problem
            on_end()

        self._reader = threading.Thread(target=read, name=f"output of {self.name}", daemon=True)
        self._reader.start()

    def await_last_words(self) -> None:
        """After its end: returns when all it has printed has been handed over, unless others hold the pipe open."""
        if self._reader is not None:
            self._reader.join(SILENT_PIPE_S)

    def lines(self, tick_s: float) -> Iterator[str | None]:
        """What the program prints, line by line, until it ends; None when it has been silent for a tick.

        After its end, what is still in the pipe is waited for, but not the end of the pipe: a process that the program
        left behind may hold it open for ever.
        """
        held: queue.Queue[bytes | None] = queue.Queue(LINES_HELD_MAX)
        self.follow(held.put, lambda: held.put(None))
        silent_since_s: float | None = None  # After its end; what it was before doesn't count.
        while True:
            try:
                line = held.get(timeout=tick_s)
            except queue.Empty:
                if self.exit_code() is not None:
                    silent_since_s = silent_since_s or time.monotonic()
                    if time.monotonic() - silent_since_s > SILENT_PIPE_S:
                        return
                yield None
                continue
            if line is None:
                self._process.wait()
                return
            silent_since_s = None
            yield line.decode(errors="replace").rstrip("\r\n")


class Children:
    """The programs started within a `with` block. When the block is left, however that is, they have ended.

    `told_twice`: a second Ctrl-C sends them a second SIGTERM, and some seconds later a SIGKILL. Another ./workbook then
    has the time to kill its own programs. They have sessions of their own, so a SIGKILL at once would leave them.
    """

    def __init__(self, stop_within_s: float = STOP_WITHIN_S, *, told_twice: bool = False) -> None:
        self._stop_within_s = stop_within_s
        self._told_twice = told_twice
        self._children: list[Child] = []

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        captured: bool = True,
    ) -> Child:
        """Starts a program without input. Its output is captured, standard error among it, or goes where ours goes."""
        with interrupts.held():  # An interrupt between starting it and writing it down would lose it.
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if captured else None,
                stderr=subprocess.STDOUT if captured else None,
                start_new_session=True,
            )
            child = Child(name, process)
            self._children.append(child)
        return child

    @property
    def pids(self) -> list[int]:
        """Of all that were started, those that have ended among them."""
        return [child.pid for child in self._children]

    def kill(self) -> None:
        """SIGKILL to all at once, if what they would do at SIGTERM is not needed."""
        for child in self._children:
            child.signal(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM to all at once; SIGKILL to those that are still there after the time limit or a second Ctrl-C."""
        with interrupts.held():
            for child in self._children:
                child.signal(signal.SIGTERM)
            self._wait(self._stop_within_s, _user_is_impatient)
            if self._told_twice and _user_is_impatient():
                for child in self._children:
                    child.signal(signal.SIGTERM)
                self._wait(2 * KILLED_WITHIN_S, lambda: False)
            for child in self._children:
                if not child.gone():
                    child.signal(signal.SIGKILL)
                    limit = "a second signal" if _user_is_impatient() else f"{self._stop_within_s:g} s"
                    warn(f"{child.name} was still running after SIGTERM and {limit}: killed (pid={child.pid})")
            self._wait(KILLED_WITHIN_S, lambda: False)
            for child in self._children:
                child.await_last_words()
            self._children.clear()

    def _wait(self, limit_s: float, enough: Callable[[], bool]) -> None:
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline and not enough():
            if all(child.gone() for child in self._children):
                return
            time.sleep(POLL_EVERY_S)

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except interrupts.Interrupted:  # It came before stop() could hold it off. There is only one.
            self.stop()
            raise


def _user_is_impatient() -> bool:
    return interrupts.arrived() > 1


def _group_runs(leader_pid: int) -> bool:
    """Whether the process group still has a member that runs. A zombie, whose parent is slow to collect it, doesn't."""
    try:
        os.killpg(leader_pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return any(_runs_in(process, leader_pid) for process in psutil.process_iter())


def _runs_in(process: psutil.Process, group: int) -> bool:
    try:
        return os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, OSError):  # It has just ended.
        return False
