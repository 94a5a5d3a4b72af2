"""The machine as the commands see it: environment, home and file system. Handed in, so that a test can bend it."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

PROBE_WITHIN_S = 10.0


@dataclass(frozen=True)
class Host:
    """`root` is where absolute paths begin: another folder in tests."""

    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    home: Path = field(default_factory=Path.home)
    root: Path = Path("/")
    system: str = field(default_factory=platform.system)

    @property
    def is_macos(self) -> bool:
        return self.system == "Darwin"

    def path(self, absolute: str) -> Path:
        return self.root / absolute.lstrip("/")

    def which(self, program: str) -> Path | None:
        found = shutil.which(program, path=self.env.get("PATH", os.defpath))
        return Path(found) if found else None

    def read(self, absolute: str) -> str | None:
        try:
            return self.path(absolute).read_text(errors="replace").strip()
        except OSError:
            return None

    def output(
        self, command: Sequence[str], env: Mapping[str, str] | None = None, within_s: float = PROBE_WITHIN_S
    ) -> tuple[int, str] | None:
        """Exit code and everything printed; None when the program cannot be started or does not end."""
        try:
            done = subprocess.run(
                command,
                env=self.env if env is None else env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=within_s,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.returncode, done.stdout.decode(errors="replace")


def free_ports(count: int) -> list[int]:
    """Of loopback: ports that nobody used a moment ago."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
