"""Ctrl-C, SIGTERM and SIGHUP as an exception in the main thread, which can be put off for a few lines.

Only the first one is raised; later ones are counted, for those who wait to see that the user has become impatient.
Signals belong to the whole process, and so does the state here. Only the main thread may use this module.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """Somebody asked this process to end. Not an Exception, as KeyboardInterrupt isn't: `except` must not eat it."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_code = 128 + signum


class _State:
    arrived = 0
    holds = 0
    pending: int | None = None


@contextmanager
def taken() -> Iterator[None]:
    """Turns the signals into Interrupted for as long as the block runs."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # Ignored by nohup, and meant so.
        signals.append(signal.SIGHUP)
    _State.arrived = 0
    previous = {signum: signal.signal(signum, _on_signal) for signum in signals}
    try:
        yield
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)


@contextmanager
def held() -> Iterator[None]:
    """Puts Interrupted off until the block ends: for lines that must not be left halfway, such as ending children."""
    _State.holds += 1
    try:
        yield
    finally:
        _State.holds -= 1
        if _State.holds == 0 and _State.pending is not None:
            signum, _State.pending = _State.pending, None
            raise Interrupted(signum)


def arrived() -> int:
    """How many have arrived since they were taken."""
    return _State.arrived


def _on_signal(signum: int, _frame: FrameType | None) -> None:
    _State.arrived += 1
    if _State.arrived > 1:
        return  # The first one is on its way up, through blocks that end what they have started: it must get there.
    if _State.holds:
        _State.pending = signum
    else:
        raise Interrupted(signum)
