"""By how much a node's clock is ahead of this machine's: asked a few times over one connection."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from workbook import interrupts
from workbook.failure import Failure
from workbook.remote.place import ANSWERS_WITHIN_S, Place

ASKED = 8
QUESTION = b"date +%s.%N\n"
SUSPECT_S = 0.5
"""A clock that is further away is worth a warning."""


@dataclass(frozen=True)
class Clock:
    """`ahead_s` may be wrong by `uncertain_s`, half of the shortest time that a question and its answer took."""

    ahead_s: float
    uncertain_s: float

    def facts(self) -> dict[str, object]:
        """As run.json has it."""
        return {
            "clock_ahead_ms": round(self.ahead_s * 1000, 1),
            "clock_uncertain_ms": round(self.uncertain_s * 1000, 1),
        }


def clock_of(place: Place) -> Clock:
    with _shell(place) as shell:
        return nearest([_asked(place, shell) for _ in range(ASKED)])


def nearest(asked: Sequence[tuple[float, float, float]]) -> Clock:
    """Of the question that took the shortest time, from (sent, what the node's clock said, received)."""
    sent_s, theirs_s, received_s = min(asked, key=lambda each: each[2] - each[0])
    return Clock(theirs_s - (sent_s + received_s) / 2, (received_s - sent_s) / 2)


def _asked(place: Place, shell: subprocess.Popen[bytes]) -> tuple[float, float, float]:
    assert shell.stdin is not None
    assert shell.stdout is not None
    sent_s = time.time()
    try:
        shell.stdin.write(QUESTION)
        shell.stdin.flush()
        if not select.select([shell.stdout], [], [], ANSWERS_WITHIN_S)[0]:
            raise Failure(
                f"{place.name}: {place.through or 'this machine'} has not answered within {ANSWERS_WITHIN_S:g} s"
            )
        answer = os.read(shell.stdout.fileno(), 64)
    except OSError as problem:
        raise Failure(f"{place.name}: the connection was lost: {problem.strerror}") from problem
    received_s = time.time()
    try:
        return sent_s, float(answer), received_s
    except ValueError:  # A `date` without nanoseconds, or nothing.
        raise Failure(
            f"{place.name}: `date +%s.%N` answers {answer.decode(errors='replace').strip()!r} there"
        ) from None


@contextmanager
def _shell(place: Place) -> Iterator[subprocess.Popen[bytes]]:
    with interrupts.held():
        shell = subprocess.Popen(
            [*place.prefix, "sh"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
    try:
        yield shell
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.communicate()
