"""Locks between processes, held on a directory. The kernel drops them with their holder, however that ended."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def directory_lock(directory: Path, when_taken: Callable[[], None]) -> Iterator[None]:
    """Holds the directory's lock. If another holds it, calls `when_taken`, which may raise, and then waits."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            when_taken()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
