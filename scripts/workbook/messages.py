"""Words on standard error, apart from what a command prints as its result. Costs no import of rich."""

from __future__ import annotations

import contextlib
import os
import sys


def warn(text: str) -> None:
    """A closed terminal must not stop the stopping, so that nobody may be there to read it is no error."""
    with contextlib.suppress(OSError):
        print(f"workbook: {text}", file=sys.stderr, flush=True)


def flush_output() -> None:
    """Before the interpreter does it and, where the reader has gone or the terminal was closed, fails."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
