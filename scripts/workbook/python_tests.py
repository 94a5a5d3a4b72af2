"""The scripts' own tests, run by pytest."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

from workbook import reports
from workbook.failure import Failure
from workbook.processes import Child, Children
from workbook.project import Project
from workbook.screen import Screen

MODULE = "scripts"
TICK_S = 0.2
NO_TEST_FITS = 5  # pytest's exit code.
TESTS_FAILED = 1
SILENT_MAX_S = 1200.0
"""Longer than the time limit of any test: pytest itself hangs, perhaps at its end."""

BEGUN = re.compile(r"^(\S+\.py)::(\S+)")


@dataclass(frozen=True)
class PythonTests:
    project: Project
    only: str | None
    full: bool = False
    alone: bool | None = None
    """True: only those that need the whole machine; False: only the others; None: both."""

    @property
    def _name(self) -> str:
        return f"{MODULE}-alone" if self.alone else MODULE

    @property
    def log(self) -> Path:
        return self.project.logs / f"test-{self._name}.log"

    @property
    def report(self) -> Path:
        return self.project.logs / f"TEST-{self._name}.xml"

    @contextmanager
    def begun(self) -> Iterator[BegunPythonTests]:
        """Runs them beside what the block does; when it is left, they have ended or are ended."""
        self.report.unlink(missing_ok=True)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        # The log is closed last: pytest prints until it has ended, also when it is ended here.
        with self.log.open("wb", buffering=0) as log, Children() as children:
            child = children.start("pytest", self._command(), cwd=self.project.root / "scripts")
            begun = BegunPythonTests(self, child)
            child.follow_pieces(lambda piece: begun.take(piece, log))
            yield begun

    def _command(self) -> list[str]:
        command = [sys.executable, "-X", "faulthandler", "-m", "pytest"]
        command += ["--verbose", "--color=no", "--tb=short", "-p", "no:cacheprovider"]
        command += [f"--junitxml={self.report}"]
        command += ["--full"] if self.full or self.only is not None else []
        if self.alone is not None:
            command += ["-m", "alone" if self.alone else "not alone"]
        if self.only is not None:
            # The pattern is made for Java's class and method names: what is left of it here are its words.
            command += ["-k", " and ".join(re.findall(r"\w+", self.only)) or self.only]
        return command


class BegunPythonTests:
    """The scripts' tests while they run."""

    def __init__(self, tests: PythonTests, child: Child) -> None:
        self._tests = tests
        self._child = child
        self._doing = "collecting"
        self._heard_s = time.monotonic()
        self._line = b""  # What pytest has printed of its last line: a test's name when it begins, its result later.

    def take(self, piece: bytes, log: BinaryIO) -> None:
        """What pytest has printed now. Called by the thread that reads it."""
        self._heard_s = time.monotonic()
        *ended, self._line = (self._line + piece).split(b"\n")
        for line in (*ended, self._line):
            if match := BEGUN.match(line.decode(errors="replace")):
                self._doing = f"{match[1]} {match[2]}"
        log.write(piece)

    def finish(self, screen: Screen) -> None:
        """Waits for their end and tells the screen. Raises a Failure when pytest breaks, apart from failed tests."""
        try:
            while (exit_code := self._child.exit_code()) is None:
                screen.doing(f"{MODULE}: {self._doing}")
                if time.monotonic() - self._heard_s > SILENT_MAX_S:
                    self._child.signal(signal.SIGABRT)  # With it, Python prints the stacks of all threads.
                time.sleep(TICK_S)
        finally:
            screen.doing(f"{MODULE}: {self._doing}")  # An interrupt asks for it, too.
        self._child.await_last_words()
        if (problem := self._child.not_taken) is not None:
            raise Failure(f"cannot write {self._tests.log}: {problem.strerror}")
        if exit_code not in (0, TESTS_FAILED, NO_TEST_FITS) or not self._tests.report.is_file():
            output = self._tests.log.read_text(encoding="utf-8", errors="replace")
            raise Failure(f"pytest broke with exit code {exit_code}\n{output}")
        by_suite: dict[str, list[reports.Result]] = {}
        for result in self._results():
            by_suite.setdefault(result.suite, []).append(result)
        for results in by_suite.values():
            screen.ended(MODULE, results)

    def _results(self) -> list[reports.Result]:
        try:
            return reports.read(self._tests.report)
        except ElementTree.ParseError as problem:
            raise Failure(f"the report of pytest is cut off: {self._tests.report}: {problem}") from problem
