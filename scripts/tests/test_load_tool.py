from __future__ import annotations

from pathlib import Path

import pytest

from workbook.jdk import Jdk
from workbook.measure.load_report import Latency, LoadReport
from workbook.measure.load_tool import LoadTool
from workbook.measure.workload import SATURATING_PER_S, Load

JDK = Jdk(Path("jdk"), "25", "a test")
WRK2 = LoadTool(Path("wrk2"), Path("benchmarks.jar"), JDK, Path("scripts"))
BUILT_IN = LoadTool(None, Path("benchmarks.jar"), JDK, Path("scripts"))


def report(rate_per_s: float, p99_ms: float = 3.0, max_ms: float | None = None) -> LoadReport:
    return LoadReport(requests=1, rate_per_s=rate_per_s, latency=Latency(max=max_ms, percentiles={0.99: p99_ms}))


@pytest.mark.parametrize(
    ("load", "rate_per_s", "p99_ms", "is_late"),
    [
        (Load(16_000, duration_s=2.0), 7_954.0, 3.0, True),  # As it was seen: a second of two.
        (Load(16_000, duration_s=4.0), 12_001.0, 3.7, True),
        (Load(2_000, duration_s=30.0), 1_934.0, 2.4, True),
        (Load(2_000, duration_s=30.0), 1_989.0, 2.4, False),
        (Load(16_000, duration_s=2.0), 14_740.0, 3.0, False),  # All but the first round.
        (Load(16_000, duration_s=4.0), 12_001.0, 900.0, False),  # The server was slow.
        (Load(16_000, duration_s=2.0), 11_000.0, 3.0, False),  # Something else.
        (Load(4_000, duration_s=30.0, connections=16, threads=4), 3_998.0, 3.0, False),
        (Load(4_000, duration_s=30.0, connections=16, threads=4), 3_966.0, 3.0, True),  # One thread of four.
        (Load(4_000, duration_s=10.0, connections=500), 3_500.0, 3.0, False),  # All but the first round, again.
        (Load(4_000, duration_s=10.0, connections=500), 3_420.0, 3.0, True),
    ],
)
def test_wrk2_that_began_a_second_late_is_told_from_a_slow_server(
    load: Load, rate_per_s: float, p99_ms: float, is_late: bool
) -> None:
    assert WRK2.has_slept(load, report(rate_per_s, p99_ms)) is is_late


@pytest.mark.parametrize(
    ("max_ms", "slept"),
    [
        (1001.5, True),  # As it was seen: a status load of 200/s, all of whose requests waited for a second.
        (1007.6, True),  # 4000/s, of which 64 connections had none in flight.
        (985.0, True),  # The timer was overdue by 15 ms.
        (26.9, False),
        (678.9, False),  # The server was slow.
        (1120.0, False),
        (None, False),
    ],
)
def test_wrk2_that_slept_for_a_second_in_the_middle_is_told_from_a_slow_server(
    max_ms: float | None, slept: bool
) -> None:
    load = Load(4_000, duration_s=8.0)
    assert WRK2.has_slept(load, report(3_924.0, max_ms=max_ms)) is slept
    assert not WRK2.has_slept(load.at(SATURATING_PER_S), report(3_924.0, max_ms=max_ms))
    assert not BUILT_IN.has_slept(load, report(3_924.0, max_ms=max_ms))


def test_the_built_in_generator_begins_at_once() -> None:
    assert not BUILT_IN.has_slept(Load(16_000, duration_s=2.0), report(7_954.0))
