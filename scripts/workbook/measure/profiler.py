"""One recording of cpu, allocations and locks around a measured run: async-profiler, loaded into the running server."""

from __future__ import annotations

import os
import platform
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbook.failure import Failure
from workbook.findings import KPTR_RESTRICT_MAX, PERF_EVENT_PARANOID_MAX
from workbook.host import Host
from workbook.jdk import Jdk

PERF, CTIMER = "perf", "ctimer"
# A sample each millisecond of processor time, each 512 KiB allocated, each wait over 10 µs.
KINDS = "interval=1ms,alloc=512k,lock=10us"
RECORDING = "recording.jfr"
LIBRARY = "libasyncProfiler.so"
VERSION_PROPERTY = "async-profiler.version"


@dataclass(frozen=True)
class Engine:
    """How processor time is sampled; `note` says why not with perf events."""

    name: str
    note: str | None

    @property
    def event(self) -> str:
        return "cpu" if self.name == PERF else "ctimer"


def find_engine(host: Host) -> Engine:
    """perf events where the kernel lets this user have them with kernel frames; else timers."""
    if host.is_macos:
        return Engine(CTIMER, "macOS has no perf events: no kernel frames")
    paranoid, restrict = (host.read(f"/proc/sys/kernel/{name}") for name in ("perf_event_paranoid", "kptr_restrict"))
    return engine_for(paranoid, restrict, is_root=os.geteuid() == 0)


def engine_for(paranoid: str | None, restrict: str | None, *, is_root: bool) -> Engine:
    """What a Linux with these settings lets a process have."""
    if paranoid is None or restrict is None:
        return Engine(CTIMER, "this kernel has no perf events: no kernel frames")
    if not is_root and (int(paranoid) > PERF_EVENT_PARANOID_MAX or int(restrict) > KPTR_RESTRICT_MAX):
        limits = f"perf_event_paranoid={paranoid} kptr_restrict={restrict}"
        return Engine(CTIMER, f"the kernel forbids perf events ({limits}): no kernel frames; see ./workbook doctor")
    return Engine(PERF, None)


def library(
    jar: Path, version: str, target: Path, system: str = platform.system(), machine: str = platform.machine()
) -> Path:
    """The native library for such a machine from the jar, unpacked where it is not yet."""
    folder = {
        ("Linux", "x86_64"): "linux-x64",
        ("Linux", "amd64"): "linux-x64",
        ("Linux", "aarch64"): "linux-arm64",
        ("Darwin", "arm64"): "macos",
        ("Darwin", "x86_64"): "macos",
    }.get((system, machine))
    if folder is None:
        raise Failure(f"async-profiler has no library for {system} on {machine}")
    unpacked = target / f"async-profiler-{version}-{folder}.so"
    if not unpacked.is_file():
        with zipfile.ZipFile(jar) as archive:
            unpacked.parent.mkdir(parents=True, exist_ok=True)
            unfinished = unpacked.with_name(f"{unpacked.name}.{os.getpid()}")
            unfinished.write_bytes(archive.read(f"{folder}/{LIBRARY}"))
            unfinished.chmod(0o755)
            unfinished.replace(unpacked)
    return unpacked


@dataclass(frozen=True)
class Agent:
    """The profiler in a running JVM of this machine."""

    pid: int
    jdk: Jdk
    library: Path
    host: Host

    def command(self, options: str) -> str | None:
        """None if the agent has done it; else what was said."""
        answer = self.jdk.jcmd(self.host, self.pid, "JVMTI.agent_load", str(self.library), f'"{options}"')
        if answer is not None and answer[0] == 0 and "return code: 0" in answer[1]:
            return None
        return f"{options}: {answer[1].strip() if answer else 'jcmd does not answer'}"

    def stop(self, recording: Path) -> None:
        """Returns when the recording is written."""
        refused = self.command(f"stop,file={recording}")
        if refused is not None or not recording.is_file():
            raise Failure(f"the profiler left no recording\n{refused or ''}".rstrip())


@dataclass
class Recorder:
    """Starts the recording before a measured run and ends it after it: both keep the JVM busy for a second.

    `signal`: by which samples are taken, if not by SIGPROF, which one profiler alone can use.
    """

    pid: int
    jdk: Jdk
    library: Path
    version: str
    engine: Engine
    recording: Path
    host: Host
    node: int = 1
    signal: int | None = None

    def start(self) -> None:
        refused = self._start()
        if refused is not None and self.engine.name == PERF:
            self.engine = Engine(CTIMER, "perf events were refused: no kernel frames")
            refused = self._start()
        if refused is not None:
            raise Failure(f"the profiler cannot start\n{refused}")

    def stop(self) -> None:
        """Returns when the recording is written."""
        self._agent.stop(self.recording)

    @property
    def recordings(self) -> Mapping[Path, float]:
        """Of single nodes, beside `recording`: there are none."""
        return {}

    def facts(self) -> dict[str, object]:
        """As run.json has it, without the samples."""
        return {
            "version": self.version,
            "node": self.node,
            "window_s": None,
            "cpu_engine": self.engine.name,
            "note": self.engine.note,
            "options": f"event={self.engine.event},{KINDS}",
        }

    @property
    def _agent(self) -> Agent:
        return Agent(self.pid, self.jdk, self.library, self.host)

    def _start(self) -> str | None:
        signal = "" if self.signal is None else f",signal={self.signal}"
        return self._agent.command(f"start,event={self.engine.event},{KINDS}{signal},jfr,file={self.recording}")
