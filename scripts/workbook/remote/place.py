"""Where a command is run: on this machine, or where a command such as `ssh node-1` or `docker exec -i node-1` runs it.

A script goes to the standard input of a `sh` there. So nothing has to be quoted for one shell more or less: ssh has its
words read by another shell, docker and kubectl do not.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbook import interrupts
from workbook.failure import Failure

ANSWERS_WITHIN_S = 8.0
"""How long a command may stay silent. Whatever hangs there is told within ten seconds."""
POLL_EVERY_S = 0.01
REFUSED = 3
"""The exit code of a script that has said itself what is wrong."""
FAIL = f'fail() {{ echo "$*" >&2; exit {REFUSED}; }}'

# What every script begins with. It is a function, so that the whole of it is read before any command of it is run.
BEGIN = f"""\
{FAIL}
main() {{
"""
END = "\n}\nmain </dev/null\n"


class Silence(Failure):
    """Some places have not answered in time; there may be more problems in its words."""

    def __init__(self, words: str, names: frozenset[str]) -> None:
        super().__init__(words)
        self.names = names


@dataclass(frozen=True)
class Place:
    """`name` is what it is called in messages; without a prefix it is this machine."""

    name: str
    prefix: tuple[str, ...] = ()

    @property
    def through(self) -> str | None:
        """The program that leads there. Its other words may hold a secret: they are never shown or recorded."""
        return Path(self.prefix[0]).name if self.prefix else None


@dataclass(frozen=True)
class Call:
    """A command with its input. `into`: the file that takes what it prints."""

    place: Place
    words: tuple[str, ...]
    given: bytes
    into: Path | None = None

    @staticmethod
    def script(place: Place, text: str, into: Path | None = None) -> Call:
        return Call(place, ("sh",), f"{BEGIN}{text}{END}".encode(), into)


def ask_all(calls: Sequence[Call], within_s: float = ANSWERS_WITHIN_S) -> list[str]:
    """What they print, all run at once. A Failure has a line for each that fails or is silent for too long."""
    running: list[_Running] = []
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        try:
            for call in calls:
                with interrupts.held():  # An interrupt between starting it and writing it down would lose it.
                    running.append(_Running(call, Path(folder, str(len(running))), within_s))
            while sum(each.goes_on() for each in running):
                time.sleep(POLL_EVERY_S)
            problems = [problem for each in running if (problem := each.problem()) is not None]
            silent = frozenset(each.name for each in running if each.is_hanging)
            if silent:
                raise Silence("\n".join(problems), silent)
            if problems:
                raise Failure("\n".join(problems))
            return [each.said() for each in running]
        finally:
            with interrupts.held():
                for each in running:
                    each.end()


class _Running:
    """A call that was begun. It leads a session of its own, so that a signal ends what it has started, too.

    What goes in and what comes out are files, so that nobody has to read one pipe while another one is full.
    """

    def __init__(self, call: Call, file: Path, within_s: float) -> None:
        self._call = call
        self._within_s = within_s
        self._not_started: OSError | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._out = call.into or file.with_suffix(".out")
        self._err = file.with_suffix(".err")
        self._size = 0
        self._silent_since_s = time.monotonic()
        self.is_hanging = False
        file.write_bytes(call.given)
        with file.open("rb") as given, self._out.open("wb") as out, self._err.open("wb") as err:
            try:
                words = [*call.place.prefix, *call.words]
                self._process = subprocess.Popen(words, stdin=given, stdout=out, stderr=err, start_new_session=True)
            except OSError as problem:
                self._not_started = problem

    @property
    def name(self) -> str:
        return self._call.place.name

    def goes_on(self) -> bool:
        """Whether it runs, and has not been silent for too long."""
        if self._process is None or self.is_hanging or self._process.poll() is not None:
            return False
        size = self._out.stat().st_size
        if size != self._size:
            self._size, self._silent_since_s = size, time.monotonic()
        user_is_impatient = interrupts.arrived() > 1
        self.is_hanging = user_is_impatient or time.monotonic() - self._silent_since_s > self._within_s
        return not self.is_hanging

    def problem(self) -> str | None:
        """In one line."""
        place, program = self._call.place, self._call.words[0]
        if self._not_started is not None:
            return why_not_started(place, program, self._not_started)
        if self.is_hanging:
            return why_silent(place, self._within_s)
        exit_code = self._process.returncode if self._process else 0
        if exit_code == 0:
            return None
        return why_ended(place, program, exit_code, last_line(self._err.read_text(errors="replace")))

    def said(self) -> str:
        if self._call.into is not None:
            return ""
        return self._out.read_text(errors="replace")

    def end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def why_not_started(place: Place, program: str, problem: OSError) -> str:
    return f"{place.name}: cannot run {place.through or program}: {problem.strerror}"


def why_silent(place: Place, within_s: float) -> str:
    return f"{place.name}: {place.through or 'this machine'} has not answered within {within_s:g} s"


def why_ended(place: Place, program: str, exit_code: int, complaint: str) -> str:
    if exit_code == REFUSED and complaint:
        return f"{place.name}: {complaint}"
    words = f"{place.through or program} has failed, exit code {exit_code}"
    return f"{place.name}: {words}: {complaint or 'no word why'}"


def last_line(text: str) -> str:
    """The last one that is not empty: what comes before are warnings and greetings."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
