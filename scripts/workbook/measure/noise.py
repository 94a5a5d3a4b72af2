"""How much figures vary on this machine by themselves: the same server measured twice in turn, stolen processor time,
late timers, and the speed of the processors.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from workbook.host import Host
from workbook.measure import machine
from workbook.measure.bench import Bench
from workbook.measure.comparing import in_turn
from workbook.measure.resolution import fewest_rounds, least_difference
from workbook.measure.results import figures
from workbook.measure.run_folder import made, new_path, utc, write_json
from workbook.measure.sides import Side
from workbook.measure.speed import Speed, Speedometer
from workbook.measure.workload import Load, Workload

NOISE_JSON = "noise.json"
LOAD = Load(rate_per_s=5_000, duration_s=4.0, warmup_s=2.0, burst_s=2.0)
ROUNDS = 4
ROUNDS_OF_COMPARE = (3, 4, 5, 6, 7)
MEASURES = ("p50_ms", "p99_ms", "server_cpu_us_per_request")
"""The rate is the one that was asked for."""
SLEEPS, SLEEP_S = 1000, 0.001


@dataclass(frozen=True)
class Late:
    """By how much sleeping threads wake up late, in ms."""

    p50: float
    p99: float
    max: float


@dataclass(frozen=True)
class Noise:
    """`stolen_share`: of the time of all cores, taken by other guests of the same machine; None: not told.

    `told_apart`: for each measure, the least difference that `compare` tells apart; None: not even the greatest tried.
    """

    made_utc: str
    machine: Mapping[str, object]
    rounds: Mapping[str, Sequence[float]]
    disturbed: int
    stolen_share: float | None
    late_ms: Late
    told_apart: Mapping[str, float | None]
    compare_rounds: int
    speed: Speed | None = None


def measure(bench: Bench) -> Noise:
    """Takes about a minute and a half, and keeps what was found for `compare`."""
    target = bench.stage(1)
    sides = {name: Side(target.name, target) for name in ("a", "b")}
    path = new_path(bench.runs, target.stage_name, "noise")
    late, before = _late_ms(), psutil.cpu_times()
    with made(path, {"name": path.name, **bench.facts}), Speedometer(bench.host) as speedometer:
        turns = in_turn(bench, sides, Workload.named("put", bench.host.env), LOAD, ROUNDS, path)
    found = [figures(facts) for side in turns.facts.values() for facts in side]
    rounds = {name: [value for each in found if (value := each[name]) is not None] for name in MEASURES}
    known = {name: values for name, values in rounds.items() if len(values) == len(found)}
    count = fewest_rounds(known, ROUNDS_OF_COMPARE)
    noise = Noise(
        made_utc=utc(time.time()),
        machine=machine.describe(bench.host),
        rounds=known,
        disturbed=turns.disturbed,
        stolen_share=stolen_share(before._asdict(), psutil.cpu_times()._asdict()),
        late_ms=late,
        told_apart={name: least_difference(known, name, count) for name in known},
        compare_rounds=count,
        speed=speedometer.speed,
    )
    write_json(bench.runs / NOISE_JSON, asdict(noise))
    return noise


def read(runs: Path, host: Host) -> Noise | None:
    """None if nobody has measured it on this machine."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        data: dict[str, Any] = json.loads((runs / NOISE_JSON).read_text(encoding="utf-8"))
        noise = Noise(**{**data, "late_ms": Late(**data["late_ms"]), "speed": _speed(data.get("speed"))})
        return noise if noise.machine == machine.describe(host) else None
    return None


def stolen_share(before: Mapping[str, float], after: Mapping[str, float]) -> float | None:
    """None where the system does not tell."""
    if "steal" not in before:
        return None
    all_s = sum(after.values()) - sum(before.values())
    return (after["steal"] - before["steal"]) / all_s if all_s > 0 else None


def _speed(data: dict[str, Any] | None) -> Speed | None:
    """None in files of earlier versions."""
    return Speed(**{**data, "mhz": tuple(data["mhz"]) if data["mhz"] else None}) if data else None


def _late_ms() -> Late:
    late = []
    for _ in range(SLEEPS):
        due_s = time.perf_counter() + SLEEP_S
        time.sleep(SLEEP_S)
        late.append((time.perf_counter() - due_s) * 1000)
    late.sort()
    return Late(round(median(late), 3), round(late[int(SLEEPS * 0.99)], 3), round(late[-1], 3))
