"""A shell in a place that stays open, and answers one question after another.

When its input ends, so does the shell, and what it was told to do at its end is done: whether we close the input, or
this process is killed, or the connection breaks.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence

from workbook import interrupts
from workbook.failure import Failure
from workbook.remote.place import Place, Silence, last_line, why_ended, why_not_started, why_silent

MARK = "=answered="
TICK_S = 0.2
ENDS_WITHIN_S = 5.0


class Session:
    """Only the main thread may use it. The caller that opens it must close it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.is_silent = False
        self._said = b""
        self._asked = 0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                [*place.prefix, "sh"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as problem:
            self._errors.close()
            raise Failure(why_not_started(place, "sh", problem)) from problem

    def ask(self, script: str) -> None:
        """The answer is what the script prints. A script may not read its own lines as input."""
        assert self._process.stdin is not None
        self._asked += 1
        with contextlib.suppress(OSError):  # If the shell has ended, answer() says why.
            self._process.stdin.write(f"{script}\necho; echo '{MARK} {self._asked}'\n".encode())
            self._process.stdin.flush()

    def answer(self, since_s: float, within_s: float) -> str:
        """To the last question, which was asked at that time of the monotonic clock. What prints is not silent."""
        assert self._process.stdout is not None
        mark, deadline_s = f"\n{MARK} {self._asked}\n".encode(), since_s + within_s
        while mark not in self._said:
            rest_s = deadline_s - time.monotonic()
            if not select.select([self._process.stdout], [], [], min(TICK_S, max(0.0, rest_s)))[0]:
                if rest_s > 0 and interrupts.arrived() <= 1:
                    continue
                self.is_silent = True
                raise Silence(why_silent(self.place, within_s), frozenset({self.place.name}))
            part = os.read(self._process.stdout.fileno(), 1 << 16)
            if not part:
                raise Failure(self._why_ended())
            self._said += part
            deadline_s = time.monotonic() + within_s
        text, _, self._said = self._said.partition(mark)
        return text.decode(errors="replace")

    def close(self) -> None:
        """Lets it end, even if it is about to print what nobody reads any more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.stdout.close()

    def end(self, within_s: float) -> bool:
        """Whether it has ended by itself in time, after it was closed."""
        try:
            self._process.wait(0.0 if self.is_silent else within_s)
            has_ended = True
        except subprocess.TimeoutExpired:
            has_ended = False
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._errors.close()
        return has_ended

    def _why_ended(self) -> str:
        try:
            exit_code = self._process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            return f"{self.place.name}: the connection was lost"
        self._errors.seek(0)
        return why_ended(self.place, "sh", exit_code, last_line(self._errors.read().decode(errors="replace")))


def ask_sessions(sessions: Sequence[Session], scripts: Iterable[str], within_s: float) -> list[str]:
    """What they answer, asked all at once. A Failure has a line for each that fails or is silent for too long."""
    for session, script in zip(sessions, scripts, strict=True):
        session.ask(script)
    since_s = time.monotonic()
    said: list[str] = []
    problems: list[str] = []
    silent: frozenset[str] = frozenset()
    for session in sessions:
        try:
            said.append(session.answer(since_s, within_s))
        except Silence as problem:
            problems.append(str(problem))
            silent |= problem.names
        except Failure as problem:
            problems.append(str(problem))
    if silent:
        raise Silence("\n".join(problems), silent)
    if problems:
        raise Failure("\n".join(problems))
    return said


def end_sessions(sessions: Sequence[Session]) -> list[str]:
    """The names of those that have not ended by themselves. Nobody knows what these have left there."""
    for session in sessions:
        session.close()
    deadline_s = time.monotonic() + ENDS_WITHIN_S
    return [each.place.name for each in sessions if not each.end(max(0.0, deadline_s - time.monotonic()))]
