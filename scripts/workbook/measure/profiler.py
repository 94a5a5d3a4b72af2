"""One recording of cpu, allocations and locks within a measured run: async-profiler, loaded while that goes on."""

from __future__ import annotations

import os
import platform
import threading
import zipfile
from dataclasses import dataclass, field
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

BEGINS_AFTER_S = 1.0
ENDS_BEFORE_S = 1.5
"""Margins that keep the recording inside the run."""


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
    if paranoid is None or restrict is None:
        return Engine(CTIMER, "this kernel has no perf events: no kernel frames")
    if os.geteuid() != 0 and (int(paranoid) > PERF_EVENT_PARANOID_MAX or int(restrict) > KPTR_RESTRICT_MAX):
        limits = f"perf_event_paranoid={paranoid} kptr_restrict={restrict}"
        return Engine(CTIMER, f"the kernel forbids perf events ({limits}): no kernel frames; see ./workbook doctor")
    return Engine(PERF, None)


def library(jar: Path, version: str, target: Path) -> Path:
    """The native library from the jar, unpacked where it is not yet."""
    folder = {
        ("Linux", "x86_64"): "linux-x64",
        ("Linux", "aarch64"): "linux-arm64",
        ("Darwin", "arm64"): "macos",
        ("Darwin", "x86_64"): "macos",
    }.get((platform.system(), platform.machine()))
    if folder is None:
        raise Failure(f"async-profiler has no library for {platform.system()} on {platform.machine()}")
    unpacked = target / f"async-profiler-{version}-{folder}.so"
    if not unpacked.is_file():
        with zipfile.ZipFile(jar) as archive:
            unpacked.parent.mkdir(parents=True, exist_ok=True)
            unfinished = unpacked.with_name(f"{unpacked.name}.{os.getpid()}")
            unfinished.write_bytes(archive.read(f"{folder}/{LIBRARY}"))
            unfinished.chmod(0o755)
            unfinished.replace(unpacked)
    return unpacked


@dataclass
class Recorder:
    """Starts and stops the recording beside a measured run. `beside` is called by the main thread, again and again."""

    pid: int
    jdk: Jdk
    library: Path
    version: str
    engine: Engine
    recording: Path
    run_s: float
    host: Host
    started_s: float | None = None
    stopped_s: float | None = None
    problems: list[str] = field(default_factory=list)
    _worker: threading.Thread | None = None

    def beside(self, lasted_s: float) -> None:
        """Asking the JVM takes a second, which the load's output must not wait for: a thread does it."""
        if self.started_s is None and lasted_s >= BEGINS_AFTER_S:
            self.started_s = lasted_s
            self._in_background(self._start)
        elif self.started_s is not None and self.stopped_s is None and lasted_s >= self.run_s - ENDS_BEFORE_S:
            self.stopped_s = lasted_s
            self._in_background(self._stop)

    def facts(self) -> dict[str, object]:
        """As run.json has it, without the samples."""
        window_s = (self.stopped_s or 0.0) - (self.started_s or 0.0)
        return {
            "version": self.version,
            "window_s": round(window_s, 1),
            "cpu_engine": self.engine.name,
            "note": self.engine.note,
            "options": f"event={self.engine.event},{KINDS}",
        }

    def finish(self) -> None:
        """Returns when the recording is written; raises what went wrong."""
        if self._worker is not None:
            self._worker.join()
        if self.problems or not self.recording.is_file():
            raise Failure("the profiler left no recording" + "".join(f"\n{problem}" for problem in self.problems))

    def _in_background(self, work: object) -> None:
        assert callable(work)
        before = self._worker

        def in_turn() -> None:
            if before is not None:
                before.join()
            work()

        self._worker = threading.Thread(target=in_turn, name="profiler", daemon=True)
        self._worker.start()

    def _start(self) -> None:
        if (refused := self._command(f"start,event={self.engine.event},{KINDS},jfr,file={self.recording}")) is None:
            return
        if self.engine.name == CTIMER:
            self.problems.append(refused)
            return
        self.engine = Engine(CTIMER, "perf events were refused: no kernel frames")
        if (refused := self._command(f"start,event={CTIMER},{KINDS},jfr,file={self.recording}")) is not None:
            self.problems.append(refused)

    def _stop(self) -> None:
        if (refused := self._command(f"stop,file={self.recording}")) is not None:
            self.problems.append(refused)

    def _command(self, options: str) -> str | None:
        """None if the agent has done it; else what was said."""
        jcmd = self.jdk.home / "bin" / "jcmd"
        answer = self.host.output([str(jcmd), str(self.pid), "JVMTI.agent_load", str(self.library), f'"{options}"'])
        if answer is not None and answer[0] == 0 and "return code: 0" in answer[1]:
            return None
        return f"{options}: {answer[1].strip() if answer else 'jcmd does not answer'}"
