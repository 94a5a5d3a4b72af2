"""Bytes that a request allocates, from what the JVM has counted for each thread."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.fakes import make_jdk, make_program
from workbook.jdk import Jdk
from workbook.measure import allocation
from workbook.measure.allocation import Counted, bytes_per_s

WORKER, SELECTOR, LATE = 1, 2, 3


def test_rate_is_what_all_threads_allocated_between_the_first_and_the_last_count() -> None:
    counted = [
        Counted(100.0 + s, thread, s * each) for s in range(6) for thread, each in ((WORKER, 1000), (SELECTOR, 50))
    ]

    assert bytes_per_s(counted, 100.5, 104.5) == pytest.approx(1050)
    assert bytes_per_s(reversed(counted), 100.5, 104.5) == pytest.approx(1050)


def test_thread_that_was_started_meanwhile_counts_from_nothing() -> None:
    counted = [Counted(100.0 + s, WORKER, 7_000_000) for s in range(3)]
    counted += [Counted(100.0, SELECTOR, 500), Counted(101.0, LATE, 300), Counted(102.0, LATE, 900)]

    assert bytes_per_s(counted, 99.0, 103.0) == pytest.approx(450)


@pytest.mark.parametrize("moments", [(), (100.2,), (100.2, 100.21)])
def test_count_at_one_moment_says_nothing(moments: tuple[float, ...]) -> None:
    assert bytes_per_s([Counted(at, WORKER, 1000) for at in moments], 100.0, 101.0) is None


def test_facts_are_of_all_nodes_or_of_none() -> None:
    nothing = {"allocated_bytes_per_request": None, "allocated_bytes_per_request_by_node": None}

    assert allocation.facts([2000.0], 10.0) == {**nothing, "allocated_bytes_per_request": 200.0}
    assert allocation.facts([2000.0, 500.0], 10.0) == {
        "allocated_bytes_per_request": 250.0,
        "allocated_bytes_per_request_by_node": [200.0, 50.0],
    }
    assert allocation.facts([2000.0, None], 10.0) == nothing
    assert allocation.facts([], 10.0) == allocation.facts([2000.0], 0.0) == nothing


def test_recording_is_read_thread_by_thread(tmp_path: Path) -> None:
    values = {"startTime": "2026-11-25T20:00:00.25Z", "allocated": 4096, "thread": {"osThreadId": 17}}
    events = [{"type": allocation.EVENT, "values": each} for each in (values, {**values, "thread": None})]
    said = json.dumps({"recording": {"events": events}})
    jfr = f"#!{sys.executable}\nimport sys\nassert sys.argv[-2] == {allocation.EVENT!r}, sys.argv\nprint({said!r})\n"
    jdk = Jdk(make_jdk(tmp_path), "25", "PATH")
    make_program(jdk.home / "bin/jfr", jfr)

    (found,) = allocation.read(tmp_path / "allocations-node1.jfr", jdk)

    assert (found.thread, found.total_bytes, found.time_s % 1) == (17, 4096, 0.25)
