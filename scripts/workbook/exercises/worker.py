"""The JVM that outlines, compiles and tests sources for exercises: one process, asked again and again."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

from workbook import interrupts
from workbook.failure import Failure

MAIN = "dht.testkit.exercise.Worker"
FLAGS = (
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
    "-Xmx1g",
)
ANSWER_WITHIN_S = 60.0
STOP_WITHIN_S = 5.0
GRACE_S = 15.0
OVERDUE_GRACE_S = 6.0
"""A test whose time is over is interrupted each second, and what closes its servers as well."""

HANGS_MAX = 20
LINES_MAX = 1000
LINE_CHARS_MAX = 1 << 20
SUMMARY_CHARS_MAX = 200
PUT_WITHIN_S = 0.5

Event = dict[str, Any]


class Silence(Failure):
    """The worker did not answer in time, or has ended in the middle of an answer. It was stopped."""


class _TooManyHangs(Exception):
    """Ends the run."""


@dataclass(frozen=True)
class TestResult:
    """What became of one test. `seconds` is 0 where it did not end; `hung`: it did not end by itself."""

    __test__: ClassVar[bool] = False  # By its name pytest would take it for a class of tests.

    suite: str
    test: str
    outcome: str
    seconds: float = 0.0
    message: str = ""
    trace: tuple[str, ...] = ()
    hung: bool = False

    @property
    def name(self) -> str:
        return f"{self.suite}.{self.test}" if self.test else self.suite

    @property
    def pattern(self) -> str:
        """As the worker takes it: all repetitions of a parameterized test are one."""
        return f"{self.suite}#{self.test.partition('[')[0]}" if self.test else self.suite

    @property
    def summary(self) -> str:
        """One line: the message as far as a line that does not announce what follows, such as `Expecting text:`."""
        words: list[str] = []
        for line in filter(None, map(str.strip, self.message.splitlines())):
            words.append(line)
            if not line.endswith(":"):
                break
        return " ".join(words)[:SUMMARY_CHARS_MAX] or self.outcome

    @property
    def short_name(self) -> str:
        return f"{self.suite.rpartition('.')[2]}.{self.test}" if self.test else self.suite.rpartition(".")[2]


@dataclass(frozen=True)
class Problem:
    kind: str
    file: str
    line: int
    message: str


@dataclass
class Worker:
    """Started when it is first asked, and again when it is asked after it had to be stopped.

    `directory`: where it runs; tests expect to be run in the folder of their module, as Maven does.
    `wrapper`: the command that runs the JVM's. `token`: without it an event does not count, so that what a test prints
    is never taken for one. Only one thread may use it; any may `kill` it.
    """

    java: Path
    class_path: Sequence[Path]
    log: Path
    flags: Sequence[str] = ()
    directory: Path | None = None
    wrapper: Sequence[str] = ()
    token: str = ""
    _ended: bool = field(default=False, repr=False)
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)
    _lines: queue.Queue[str | None] = field(default_factory=queue.Queue, repr=False)

    def outline(self, source: Path) -> list[Event]:
        return list(self.ask({"do": "outline", "source": str(source)}))

    def compile(
        self, sources: Sequence[Path], class_path: Sequence[Path], target: Path, options: Sequence[str] = ()
    ) -> list[Problem]:
        """The compiler's complaints. There are classes in `target` when none of them is an error."""
        request = {
            "do": "compile",
            "sources": [str(each) for each in sources],
            "classPath": [str(each) for each in class_path],
            "target": str(target),
            "options": list(options),
        }
        events = list(self.ask(request))
        return [
            Problem(each["kind"], each["file"], each["line"], each["message"])
            for each in events
            if each["event"] == "problem"
        ]

    def test(
        self,
        folders: Sequence[Path],
        tests: Sequence[str],
        *,
        test_timeout_s: int,
        left: Sequence[str] = (),
        hangs_max: int = HANGS_MAX,
        on_result: Callable[[TestResult], None] = lambda _result: None,
    ) -> list[TestResult]:
        """Runs tests, without those that are `left`. One that ends the JVM, or ignores that its time is over, has
        failed; the others are then run by another JVM.

        After so many that did so, or whose time was over, the rest is not run and has no result.
        """
        results: list[TestResult] = []
        hangs = 0

        def take(result: TestResult) -> None:
            nonlocal hangs
            results.append(result)
            hangs += result.hung
            on_result(result)
            if hangs == hangs_max:
                raise _TooManyHangs

        with contextlib.suppress(_TooManyHangs):
            self._test_all(folders, tests, left, test_timeout_s, results, take)
        if hangs == hangs_max:
            self.stop()
        return results

    def _test_all(
        self,
        folders: Sequence[Path],
        tests: Sequence[str],
        left: Sequence[str],
        test_timeout_s: int,
        results: list[TestResult],
        take: Callable[[TestResult], None],
    ) -> None:
        while True:
            ended = sorted({each.pattern for each in results if each.test or not each.hung})
            running: dict[tuple[str, str], str] = {}
            try:
                self._test_once(folders, tests, [*left, *ended], test_timeout_s, running, take)
                return
            except Silence as silence:
                for (suite, test), words in (running or {(tests[0].partition("#")[0], ""): ""}).items():
                    message = f"{words}; {silence}" if words else f"it did not end: {silence}"
                    take(TestResult(suite, test, "failed", 0.0, message, hung=True))
                if not running:
                    return

    def _test_once(
        self,
        folders: Sequence[Path],
        tests: Sequence[str],
        left: Sequence[str],
        test_timeout_s: int,
        running: dict[tuple[str, str], str],
        take: Callable[[TestResult], None],
    ) -> None:
        """Leaves in `running` what did not end, with what is known of it."""
        request = {
            "do": "test",
            "folders": [str(each) for each in folders],
            "tests": list(tests),
            "left": list(left),
            "testTimeoutS": test_timeout_s,
        }
        for event in self.ask(request, silence_s=test_timeout_s + GRACE_S):
            key = (event["suite"], event["test"])
            if event["event"] == "test":
                running.pop(key, None)
                take(_result(event))
            else:
                running[key] = str(event.get("message", ""))

    def ask(self, request: Event, silence_s: float = ANSWER_WITHIN_S) -> Iterator[Event]:
        """The events of the answer. Raises Silence when there is none for so long, Failure when it says so."""
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps({**request, "token": self.token}) + "\n")
            process.stdin.flush()
        except OSError as problem:
            self.stop()
            raise Silence("the JVM has ended") from problem
        waited_s = silence_s
        while True:
            event = self._next(waited_s)
            waited_s = OVERDUE_GRACE_S if event["event"] == "overdue" else silence_s
            if event["event"] == "done":
                return
            if event["event"] == "failed":
                raise Failure(f"{event['message']} (the JVM's output is in {self.log})")
            yield event

    def _next(self, silence_s: float) -> Event:
        """What is printed besides the events does not count: it neither ends the wait nor prolongs it."""
        deadline = time.monotonic() + silence_s
        while True:
            left_s = deadline - time.monotonic()
            try:
                if left_s <= 0:
                    raise queue.Empty
                line = self._lines.get(timeout=left_s)
            except queue.Empty:
                self.stop()
                raise Silence(f"nothing was heard for {silence_s:.0f} s, and its JVM was stopped") from None
            if line is None:
                self.stop()
                raise Silence("its JVM has ended")
            with contextlib.suppress(ValueError, RecursionError):  # A test may print numbers and lists without end.
                event = json.loads(line)
                if isinstance(event, dict) and "event" in event and event.get("token", "") == self.token:
                    return event

    def _running(self) -> subprocess.Popen[str]:
        if self._ended:
            raise Failure("the worker was ended")
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._process is not None
        return self._process

    def _start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join(str(each) for each in self.class_path)
        command = [*self.wrapper, str(self.java), *FLAGS, *self.flags, "-cp", path, MAIN]
        with interrupts.held(), self.log.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                command,
                cwd=self.directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        lines: queue.Queue[str | None] = queue.Queue(LINES_MAX)
        self._process, self._lines = process, lines

        def read() -> None:
            """Where nobody takes the lines, the JVM waits, and its output does not pile up here."""
            assert process.stdout is not None
            with process.stdout as out:
                while self._process is process and (line := out.readline(LINE_CHARS_MAX)):
                    _put(lines, line, lambda: self._process is process)
            _put(lines, None, lambda: self._lines is lines)

        threading.Thread(target=read, name="answers of the worker", daemon=True).start()

    def kill(self) -> None:
        """Ends it now. A thread that waits for its answer gets a Silence."""
        process = self._process
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Ends it for good: nothing starts it again."""
        self._ended = True
        self.kill()

    def stop(self) -> None:
        """Ends it and all of its session."""
        self.kill()
        process, self._process = self._process, None
        if process is None:
            return
        process.wait(STOP_WITHIN_S)
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self.stop()


def _result(event: Event) -> TestResult:
    return TestResult(
        event["suite"],
        event["test"],
        event["outcome"],
        float(event.get("seconds", 0.0)),
        str(event.get("message", "")),
        tuple(event.get("trace", ())),
        bool(event.get("hung", False)),
    )


def _put(lines: queue.Queue[str | None], line: str | None, is_wanted: Callable[[], bool]) -> None:
    while is_wanted():
        with contextlib.suppress(queue.Full):
            lines.put(line, timeout=PUT_WITHIN_S)
            return
