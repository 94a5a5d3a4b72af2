"""Words on standard error, apart from what a command prints as its result. Costs no import of rich."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def warn(text: str) -> None:
    """A closed terminal must not stop the stopping, so that nobody may be there to read it is no error."""
    try:
        print(f"workbook: {text}", file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def flush_output() -> None:
    """Before the interpreter does it and, where the reader has gone or the terminal was closed, fails."""
    try:
        sys.stdout.flush()
    except OSError:
        silence(sys.stdout)


def silence(stream: TextIO) -> None:
    """What it still holds goes nowhere. Else the interpreter tries again when it ends, and exits with code 120."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
