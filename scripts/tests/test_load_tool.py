from __future__ import annotations

from pathlib import Path

import pytest

from workbook.jdk import Jdk
from workbook.measure.load_tool import LoadTool
from workbook.measure.workload import Load

JDK = Jdk(Path("jdk"), "25", "a test")
WRK2 = LoadTool(Path("wrk2"), Path("benchmarks.jar"), JDK, Path("scripts"))
BUILT_IN = LoadTool(None, Path("benchmarks.jar"), JDK, Path("scripts"))


@pytest.mark.parametrize(("now_s", "begins_in_s"), [(1000.0, 0.0), (1000.3, 0.0), (1000.5, 0.5), (1000.99, 0.01)])
def test_wrk2_does_not_open_its_connections_while_a_second_ends(now_s: float, begins_in_s: float) -> None:
    assert WRK2.begins_in_s(Load(1000), now_s) == pytest.approx(begins_in_s)


def test_wrk2_with_more_connections_than_a_second_begins_when_it_will() -> None:
    assert WRK2.begins_in_s(Load(1000, connections=512), 1000.99) == 0.0


def test_the_built_in_generator_begins_at_once() -> None:
    assert BUILT_IN.begins_in_s(Load(1000), 1000.99) == 0.0
