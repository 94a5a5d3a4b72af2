"""Where the time of requests goes: of the median ones, of the slowest 1 %, and of the ten slowest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workbook.failure import Failure
from workbook.measure.request_recording import Background, Call, Request, is_from_a_node
from workbook.measure.run_folder import write_json

WAITING_JSON = "waiting.json"
QUEUE, STORAGE, OTHERS, ANSWER, WRITE = "queue", "own storage", "other nodes", "answer", "write"
PARTS = {
    QUEUE: "from when it was read until a thread began to serve it",
    STORAGE: "from then until this node's storage was done",
    OTHERS: "from then until the last answer that it needed from another node arrived",
    ANSWER: "from then until the answer was passed to the connection",
    WRITE: "from then until the answer was passed to the operating system",
}
MEDIAN_FROM, MEDIAN_TO, SLOWEST_FROM = 0.45, 0.55, 0.99
SLOWEST_SHOWN = 10


@dataclass(frozen=True)
class Group:
    """Requests of similar latency: how many, and the means of their parts in µs."""

    count: int
    total_us: float
    parts_us: Mapping[str, float]

    def share(self, part: str) -> float:
        """The share of the time that this part has."""
        return self.parts_us[part] / self.total_us if self.total_us else 0.0


@dataclass(frozen=True)
class Slow:
    """One of the slowest requests, with what the nodes did meanwhile."""

    request: Request
    elsewhere: Sequence[Request]
    background: Sequence[Background]


@dataclass(frozen=True)
class Waiting:
    """Latencies are in µs, from when a request was read until its answer was written."""

    kind: str
    count: int
    p50_us: float
    p99_us: float
    median: Group
    slowest: Group
    ten: Sequence[Slow]


def parts_us(request: Request) -> dict[str, float]:
    """The parts of a request's time. Their sum is its latency."""
    ended_us = [call.ended_us for call in request.calls if call.ended_us is not None]
    ends = {
        QUEUE: request.begun_us,
        STORAGE: request.stored_us,
        OTHERS: max((each for each in ended_us if each <= request.answered_us), default=None),
        ANSWER: request.answered_us,
        WRITE: request.written_us,
    }
    parts, at = {}, 0.0
    for name, end_us in ends.items():
        until = max(at, min(end_us if end_us is not None else at, request.written_us))
        parts[name], at = until - at, until
    return parts


def analyse(kind: str, requests: Sequence[Request], background: Sequence[Background]) -> Waiting | None:
    """Of the requests of this kind to the first node; None if there are too few of them."""
    asked = _asked(kind, requests)
    if len(asked) < 1 / (1 - SLOWEST_FROM):
        return None
    elsewhere = _by_number(requests)
    return Waiting(
        kind,
        len(asked),
        asked[int(len(asked) * 0.5)].written_us,
        asked[int(len(asked) * SLOWEST_FROM)].written_us,
        _group(asked[int(len(asked) * MEDIAN_FROM) : int(len(asked) * MEDIAN_TO) + 1]),
        _group(asked[int(len(asked) * SLOWEST_FROM) :]),
        [_slow(each, elsewhere, background) for each in reversed(asked[-SLOWEST_SHOWN:])],
    )


def numbers(kinds: Iterable[str], requests: Sequence[Request]) -> tuple[list[str], list[str]]:
    """Of the requests of these kinds to the first node: the numbers of all, and of the slowest 1 % of each kind."""
    by_kind = [[each.numbers[0] for each in _asked(kind, requests)] for kind in kinds]
    slowest = [each for of_kind in by_kind for each in of_kind[int(len(of_kind) * SLOWEST_FROM) :]]
    return [each for of_kind in by_kind for each in of_kind], slowest


def _asked(kind: str, requests: Iterable[Request]) -> list[Request]:
    """Of this kind, from the fastest to the slowest."""
    return sorted((each for each in requests if each.node == 0 and each.kind == kind), key=lambda each: each.written_us)


def _by_number(requests: Iterable[Request]) -> dict[str, list[Request]]:
    found: dict[str, list[Request]] = {}
    for each in requests:
        if is_from_a_node(each.kind):
            for number in each.numbers:
                found.setdefault(number, []).append(each)
    return found


def _group(requests: Sequence[Request]) -> Group:
    parts = [parts_us(each) for each in requests]
    means = {name: sum(each[name] for each in parts) / len(parts) for name in PARTS}
    return Group(len(requests), sum(means.values()), means)


def _slow(request: Request, elsewhere: Mapping[str, Sequence[Request]], background: Sequence[Background]) -> Slow:
    ended_s = request.began_s + request.written_us / 1e6
    during = [
        each for each in background if each.began_s < ended_s and each.began_s + each.lasted_us / 1e6 > request.began_s
    ]
    return Slow(request, elsewhere.get(request.numbers[0], []), during)


def save(folder: Path, found: Iterable[Waiting]) -> None:
    write_json(folder / WAITING_JSON, [asdict(each) for each in found])


def read(folder: Path) -> list[Waiting]:
    """What was saved in the folder of a run."""
    file = folder / WAITING_JSON
    try:
        return [_waiting_of(each) for each in json.loads(file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise Failure(f"cannot read {file}: {problem}") from problem


def _waiting_of(data: Mapping[str, Any]) -> Waiting:
    groups = {name: Group(**data[name]) for name in ("median", "slowest")}
    return Waiting(**{**data, **groups, "ten": [_slow_of(each) for each in data["ten"]]})


def _slow_of(data: Mapping[str, Any]) -> Slow:
    elsewhere = [_request_of(each) for each in data["elsewhere"]]
    return Slow(_request_of(data["request"]), elsewhere, [Background(**each) for each in data["background"]])


def _request_of(data: Mapping[str, Any]) -> Request:
    calls = tuple(Call(**each) for each in data["calls"])
    return Request(**{**data, "numbers": tuple(data["numbers"]), "calls": calls})
