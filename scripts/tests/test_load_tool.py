from __future__ import annotations

from pathlib import Path

import pytest

from workbook.jdk import Jdk
from workbook.measure.load_report import Latency, LoadReport
from workbook.measure.load_tool import LoadTool
from workbook.measure.workload import Load

JDK = Jdk(Path("jdk"), "25", "a test")
WRK2 = LoadTool(Path("wrk2"), Path("benchmarks.jar"), JDK, Path("scripts"))
BUILT_IN = LoadTool(None, Path("benchmarks.jar"), JDK, Path("scripts"))


def report(rate_per_s: float, p99_ms: float = 3.0) -> LoadReport:
    return LoadReport(requests=1, rate_per_s=rate_per_s, latency=Latency(percentiles={0.99: p99_ms}))


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
    assert WRK2.has_begun_late(load, report(rate_per_s, p99_ms)) is is_late


def test_the_built_in_generator_begins_at_once() -> None:
    assert not BUILT_IN.has_begun_late(Load(16_000, duration_s=2.0), report(7_954.0))
