"""Sets limits for this process, and then becomes another program: `limits.py FOLDER PROGRAM ARGUMENT …`.

Needs only the standard library, since it is run by itself. The limits hold for all that the program starts.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path

FILE_BYTES_MAX = 256 << 20
CPU_S_MAX = 300
OPEN_FILES_MAX = 4096
DATA_BYTES_MAX = 3 << 30
TASKS_MAX = 1024
"""Processes and threads, beside those that the user has already. The system does not hold root to it."""


def main(folder: str, command: list[str]) -> None:
    limits = (
        (resource.RLIMIT_FSIZE, FILE_BYTES_MAX),
        (resource.RLIMIT_CPU, CPU_S_MAX),
        (resource.RLIMIT_NOFILE, OPEN_FILES_MAX),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, DATA_BYTES_MAX),
        (resource.RLIMIT_NPROC, _tasks() + TASKS_MAX),
    )
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # A write beyond the limit then fails, and does not end the program.
    os.chdir(folder)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    os.execve(command[0], command, {**kept, "HOME": folder, "TMPDIR": folder})


def _tasks() -> int:
    """How many processes and threads this user has; where there is no /proc, more than anybody."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == os.getuid():
                count += sum(1 for _ in (process / "task").iterdir())
        except OSError:  # It has just ended.
            continue
    return count or 1 << 16


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
