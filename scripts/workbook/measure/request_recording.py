"""Requests as the nodes of a stage record them: a flight recording of each node, around a measured run."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from workbook.failure import Failure
from workbook.host import Host
from workbook.jdk import Jdk

REQUEST, WORK, PAUSE = "dht.Request", "dht.BackgroundWork", "jdk.GCPhasePause"
EVENTS = (REQUEST, WORK, PAUSE)
GARBAGE = "garbage collection"
RECORDING = "requests"
CHUNK_CHARS = 1 << 20
NEVER = -1
STORAGE_PREFIX = "storage-"
INTERNAL = "/internal/"
CALLS_MARGIN_S = 5.0
"""Another node begins its part of a request later, and by its own clock, which can be a little ahead or behind."""
MOMENT = re.compile(r"([^.Z+]+)(\.\d+)?(Z|[+-]\d\d:\d\d)")
SECONDS = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?")


@dataclass(frozen=True, slots=True)
class Call:
    """A request to another node, by its number from 0. Times are in µs since the request was read; None: not ended when
    the answer was written."""

    node: int
    begun_us: float
    ended_us: float | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Request:
    """When a request passed the points on its way, in µs since it was read; None: it has not passed that point."""

    node: int
    began_s: float
    kind: str
    status: int
    numbers: tuple[str, ...]
    queued_us: float | None
    begun_us: float | None
    stored_us: float | None
    answered_us: float
    written_us: float
    calls: tuple[Call, ...]


def is_from_a_node(kind: str) -> bool:
    """Not from a client."""
    return kind.split(" ")[1].startswith(INTERNAL)


@dataclass(frozen=True)
class Background:
    """What a node did besides requests: a pause for garbage collection, or work of its storage."""

    node: int
    name: str
    began_s: float
    lasted_us: float


@dataclass(frozen=True)
class FlightRecorder:
    """Records events of each node, those of requests unless `settings` say otherwise.

    Requests cost some processor time: a run with them has figures of its own. `name`: of the recording in the JVM, and
    of its file.
    """

    pids: Sequence[int]
    jdk: Jdk
    folder: Path
    host: Host
    name: str = RECORDING
    settings: Sequence[str] = tuple(f"{event}#enabled=true" for event in EVENTS)

    def start(self) -> None:
        for pid in self.pids:
            self._command(pid, "JFR.start", "settings=none", *(f"+{setting}" for setting in self.settings))

    def stop(self) -> list[Path]:
        """The recording of each node."""
        files = [self.folder / f"{self.name}-node{index + 1}.jfr" for index in range(len(self.pids))]
        for pid, file in zip(self.pids, files, strict=True):
            self._command(pid, "JFR.stop", f"filename={file}")
        return files

    def drop(self) -> None:
        """Ends the recordings without keeping them."""
        for pid in self.pids:
            self._command(pid, "JFR.stop")

    def _command(self, pid: int, command: str, *options: str) -> None:
        answer = self.jdk.jcmd(self.host, pid, command, f"name={self.name}", *options)
        if answer is None or answer[0] != 0:
            said = answer[1].strip() if answer else "jcmd does not answer"
            raise Failure(f"the {self.name} cannot be recorded: {command}: {said}")


def read(
    files: Sequence[Path], urls: Sequence[str], jdk: Jdk, from_s: float, to_s: float
) -> tuple[list[Request], list[Background]]:
    """What the nodes with these URLs have recorded, in order of time: clients' requests that began in this time, what
    nodes asked each other for them, and other work.

    A recording can have millions of requests, so they are not all in memory as they were read.
    """
    requests: list[Request] = []
    background: list[Background] = []
    for node, file in enumerate(files):
        for event in read_events(file, jdk, EVENTS):
            values, began_s = event["values"], time_s(event["values"]["startTime"])
            if event["type"] != REQUEST:
                name = GARBAGE if event["type"] == PAUSE else values["work"].removeprefix(STORAGE_PREFIX)
                background.append(Background(node, name, began_s, _us(values["duration"])))
                continue
            margin_s = CALLS_MARGIN_S if is_from_a_node(values["kind"]) else 0.0
            if from_s - margin_s <= began_s <= to_s + margin_s:
                requests.append(_request(node, began_s, values, urls))
    return sorted(requests, key=lambda each: each.began_s), sorted(background, key=lambda each: each.began_s)


def read_events(file: Path, jdk: Jdk, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Those of a recording that have one of these names."""
    command = [str(jdk.home / "bin" / "jfr"), "print", "--json", "--events", ",".join(names), str(file)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as printing:
        assert printing.stdout is not None
        yield from _listed(printing.stdout)
    if printing.returncode != 0:
        raise Failure(f"{file} cannot be read: jfr ended with exit code {printing.returncode}")


def _listed(text: IO[str]) -> Iterator[dict[str, Any]]:
    """The objects of the list in a JSON text, each as soon as it was read. The list begins in the first chunk."""
    decoder, held = json.JSONDecoder(), text.read(CHUNK_CHARS).partition("[")[2]
    while held:
        at = 0
        with contextlib.suppress(ValueError):  # The end of an object is in the next chunk.
            while (begin := held.find("{", at)) >= 0:
                found, at = decoder.raw_decode(held, begin)
                yield found
        more = text.read(CHUNK_CHARS)
        held = held[at:] + more if more else ""


def _request(node: int, began_s: float, values: dict[str, Any], urls: Sequence[str]) -> Request:
    return Request(
        node=node,
        began_s=began_s,
        kind=values["kind"],
        status=int(values["status"]),
        numbers=tuple(values["numbers"].split(",")),
        queued_us=_point(values["queued"]),
        begun_us=_point(values["begun"]),
        stored_us=_point(values["stored"]),
        answered_us=_point(values["answered"]) or 0.0,
        written_us=_us(values["duration"]),
        calls=tuple(_call(text, urls) for text in values["calls"].split(";") if text),
    )


def _call(text: str, urls: Sequence[str]) -> Call:
    url, begun, ended, outcome = text.split(" ")
    return Call(urls.index(url), _point(begun) or 0.0, _point(ended), outcome)


def _point(nanos: str | int) -> float | None:
    return None if int(nanos) == NEVER else int(nanos) / 1000


def time_s(text: str) -> float:
    """Of a time such as 2026-11-25T21:23:12.961960823+01:00."""
    match = MOMENT.fullmatch(text)
    if match is None:
        raise Failure(f"a recording has a time of {text!r}")
    zone = "+00:00" if match[3] == "Z" else match[3]
    return datetime.fromisoformat(match[1] + zone).timestamp() + float(match[2] or 0)


def _us(text: str) -> float:
    """Of a duration such as PT0.000123S."""
    match = SECONDS.fullmatch(text)
    if match is None:
        raise Failure(f"a recording has a duration of {text!r}")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return (hours * 3600 + minutes * 60 + seconds) * 1e6
