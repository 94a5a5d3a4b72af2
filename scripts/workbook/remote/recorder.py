"""A recording of cpu, allocations and locks on each node of a target, by async-profiler in the running servers."""

from __future__ import annotations

import io
import re
import shutil
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbook.failure import Failure
from workbook.measure.profiler import CTIMER, KINDS, PERF, RECORDING, Engine
from workbook.remote.cluster import Reached, RemoteServer
from workbook.remote.machine import PROFILER
from workbook.remote.place import Call, ask_all
from workbook.remote.process import with_jdk

ENDS_AFTER_S = 7200
"""When the profiler ends by itself, should nobody be left to end it."""
SUCCESS = "return code: 0"
MAGIC = b"FLR\0"
HEADER_BYTES = 16
PERF_WAS_USED = re.compile(rb"engine.{1,3}perf_events", re.DOTALL)
"""As the profiler writes it into a recording: the name of the setting, the length of its value, the value."""


@dataclass
class RemoteRecorder:
    """`library_for` finds the profiler's library for an architecture, on this machine."""

    server: RemoteServer
    version: str
    library_for: Callable[[str], Path]
    engines: dict[str, Engine] = field(default_factory=dict)

    @property
    def recording(self) -> Path:
        """The recordings of all nodes, one after the other: each is complete in itself, and so are both together."""
        return self.server.folder / RECORDING

    @property
    def recordings(self) -> Mapping[Path, float]:
        """Those of the nodes, each with how far the node's clock is ahead."""
        return {self._recording_of(each): each.clock.ahead_s for each in self.server.reached}

    def start(self) -> None:
        libraries = {each.node.name: self._library_on(each) for each in self.server.reached}
        self.engines = {each.node.name: each.inspected.engine for each in self.server.reached}
        refused = self._start(libraries, self.server.reached)
        again = [each for each in self.server.reached if each.node.name in refused and self._engine(each).name == PERF]
        for each in again:
            self.engines[each.node.name] = _without_perf()
            del refused[each.node.name]
        refused |= self._start(libraries, again)
        if refused:
            raise Failure("\n".join(f"{name}: the profiler cannot start: {said}" for name, said in refused.items()))

    def stop(self) -> None:
        """Returns when the recordings are here."""
        self.server.stop_profilers()
        self.server.ask(lambda each: f"cat {self.server.file_of(each, 'jfr')}", self._recording_of)
        with self.recording.open("wb") as whole:
            for each in self.server.reached:
                recording = self._recording_of(each)
                if not is_whole(recording):
                    full = f"is the disk of {each.node.directory} full there?"
                    raise Failure(f"{each.node.name}: its recording is incomplete: {full}")
                if self._engine(each).name == PERF and not PERF_WAS_USED.search(recording.read_bytes()):
                    self.engines[each.node.name] = _without_perf()
                with recording.open("rb") as part:
                    shutil.copyfileobj(part, whole)

    def facts(self) -> dict[str, object]:
        """As run.json has it, without the samples."""
        notes: dict[str, list[str]] = {}
        for name, each in self.engines.items():
            if each.note:
                notes.setdefault(each.note, []).append(name)
        engine = CTIMER if notes else PERF
        return {
            "version": self.version,
            "window_s": None,
            "cpu_engine": engine,
            "note": "; ".join(f"{', '.join(names)}: {note}" for note, names in notes.items()) or None,
            "options": f"event={Engine(engine, None).event},{KINDS}",
        }

    def _engine(self, each: Reached) -> Engine:
        return self.engines[each.node.name]

    def _recording_of(self, each: Reached) -> Path:
        return self.server.folder_of(each) / RECORDING

    def _library_on(self, each: Reached) -> str:
        """On the node, where it may have to be sent."""
        node = each.node
        if each.inspected.has_profiler:
            return node.profiler or PROFILER
        if node.profiler is not None:
            raise Failure(f"{node.name}: there is no {node.profiler} that can be read there")
        name = f"workbook-async-profiler-{self.version}.so"
        self.server.sends(each, f"{node.directory}/{name}")
        given = archive(name, self.library_for(each.inspected.architecture).read_bytes())
        ask_all([Call(node.place, ("tar", "-xf", "-", "-C", node.directory), given)])
        return f"{node.directory}/{name}"

    def _start(self, libraries: Mapping[str, str], nodes: Sequence[Reached]) -> dict[str, str]:
        """What those say that refuse."""
        calls = [with_jdk(each.node, self._starting(each, libraries[each.node.name])) for each in nodes]
        for each in nodes:
            self.server.profiles(each, libraries[each.node.name])
        answers = dict(zip((each.node.name for each in nodes), ask_all(calls), strict=True))
        return {name: " ".join(said.split()) for name, said in answers.items() if SUCCESS not in said}

    def _starting(self, each: Reached, library: str) -> str:
        event, file = self._engine(each).event, self.server.file_of(each, "jfr")
        options = f"start,event={event},{KINDS},jfr,file={file},timeout={ENDS_AFTER_S}"
        return f"jcmd {each.pid} JVMTI.agent_load {library} '\"{options}\"' 2>&1 || true"


def is_whole(recording: Path) -> bool:
    """Whether a recording ends where its parts say that they do."""
    size, offset = recording.stat().st_size, 0
    with recording.open("rb") as file:
        while offset < size:
            file.seek(offset)
            header = file.read(HEADER_BYTES)
            length = int.from_bytes(header[8:], "big")
            if header[:4] != MAGIC or length < HEADER_BYTES:
                return False
            offset += length
    return size > 0 and offset == size


def archive(name: str, content: bytes, others: Mapping[str, bytes] | None = None) -> bytes:
    """A tar archive of one program, and of others by their names."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for each, text in {name: content, **(others or {})}.items():
            entry = tarfile.TarInfo(each)
            entry.size, entry.mode = len(text), 0o755
            tar.addfile(entry, io.BytesIO(text))
    return made.getvalue()


def _without_perf() -> Engine:
    return Engine(CTIMER, "perf events were refused: no kernel frames")
