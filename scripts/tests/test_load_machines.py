"""Loads that several machines make: their equal parts, and what a page says of the machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbook.failure import UsageError
from workbook.measure.nodes_part import nodes_part
from workbook.measure.workload import SATURATING_PER_S, Load

LOAD = Load(rate_per_s=6_000, connections=60, threads=2)


def test_rate_and_connections_are_divided_in_equal_parts_and_threads_are_not() -> None:
    load = LOAD.from_machines(3)

    assert (load.rate_per_s, load.connections) == (6_000, 60)
    assert load.part == Load(rate_per_s=2_000, connections=20, threads=2)


def test_connections_begin_as_early_as_those_of_one_part() -> None:
    load = LOAD.from_machines(3)

    assert load.first_round_s() == load.part.first_round_s() == pytest.approx(0.0225)
    assert load.first_round_ends_s() == load.part.first_round_ends_s() == pytest.approx(0.045)


def test_load_that_is_more_than_any_server_answers_is_that_from_each_machine() -> None:
    burst = LOAD.from_machines(3).burst

    assert burst.part.is_saturating
    assert (burst.part.rate_per_s, burst.part.connections) == (SATURATING_PER_S, 20)
    assert LOAD.at(SATURATING_PER_S).from_machines(3).machines == 3


def test_status_beside_a_load_comes_from_this_machine() -> None:
    assert LOAD.from_machines(3).of_status().machines == 1


@pytest.mark.parametrize(
    ("load", "complaint"),
    [
        (Load(5_000, connections=60), "--rate 5000 cannot be divided by 3 load machines; choose 4998 or 5001"),
        (Load(6_000), "--connections 64 cannot be divided by 3 load machines; choose 63 or 66"),
        (Load(2, connections=60), "--rate 2 cannot be divided by 3 load machines; choose 3 or more"),
        (
            Load(6_000, connections=6, threads=4),
            "--connections 6: each of 4 threads on each of 3 load machines needs one",
        ),
    ],
)
def test_load_without_equal_parts_is_refused(load: Load, complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        load.from_machines(3)

    assert str(refused.value) == complaint


def machine(name: str, rate_per_s: float) -> dict[str, object]:
    return {
        "name": name,
        "machine": {"clock_ahead_ms": -1.5},
        "round_trip_ms": {"from_here": 2.25, "to": {"node-1": 0.4}},
        "throughput_mb_per_s": {"to": {"node-1": 94.2}},
        "rate_per_s": rate_per_s,
        "p99_ms": 3.0,
        "began_late_ms": 1.1,
        "tool_cores": 0.5,
        "machine_busy_share": 0.31,
    }


def test_page_has_a_table_of_several_load_machines(tmp_path: Path) -> None:
    nodes = [{"name": "node-1", "round_trip_ms": {"from_load_host": 5.0, "to": {}}}]
    loads = [machine("load-1", 1_980.0), machine("load-2", 1_979.0)]

    page = nodes_part({"nodes": nodes, "load_machines": loads}, tmp_path, "run")

    cells = ("1 980", "3.00", "0.50", "31%", "1.1", "-1.5", "2.25")
    assert f"<td>load-1</td>{''.join(f'<td class=n>{cell}</td>' for cell in cells)}" in page
    assert "<td>load-2</td><td class=n>0.40</td>" in page
    assert "<td>load-2</td><td class=n>94.2</td>" in page


def test_page_of_a_single_load_machine_has_no_table_of_it(tmp_path: Path) -> None:
    page = nodes_part({"nodes": [{"name": "node-1"}], "load_machines": [machine("load-1", 1.0)]}, tmp_path, "run")

    assert "load machine" not in page
