"""Where recorded requests wait: parts, groups, and what happened elsewhere meanwhile."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import make_jdk, make_program
from workbook.failure import Failure
from workbook.jdk import Jdk
from workbook.measure import request_recording, waiting, waiting_page, wall
from workbook.measure.load_report import LoadReport
from workbook.measure.load_source import Loaded
from workbook.measure.measuring import Measured, Window
from workbook.measure.request_recording import Background, Call, Request
from workbook.measure.tracing import cost_in_words
from workbook.measure.usage import CpuTime, Used
from workbook.measure.waiting import ANSWER, OTHERS, QUEUE, STORAGE, WRITE, analyse, parts_us
from workbook.measure.workload import Load

PUT = "PUT /v0/entity"
ALONE = Request(0, 1000.0, PUT, 201, ("1",), 1.0, 10.0, 30.0, 33.0, 40.0, ())
ASKING = replace(ALONE, answered_us=70.0, written_us=75.0, calls=(Call(1, 30.0, 65.0, "Answered"),))


@pytest.mark.parametrize(
    ("request_", "parts"),
    [
        (ALONE, {QUEUE: 10.0, STORAGE: 20.0, OTHERS: 0.0, ANSWER: 3.0, WRITE: 7.0}),
        (ASKING, {QUEUE: 10.0, STORAGE: 20.0, OTHERS: 35.0, ANSWER: 5.0, WRITE: 5.0}),
        # An answer that came too late was not waited for, and one that never came was not, either.
        (
            replace(ASKING, calls=(*ASKING.calls, Call(2, 30.0, 72.0, "Answered"), Call(2, 30.0, None, "-"))),
            {QUEUE: 10.0, STORAGE: 20.0, OTHERS: 35.0, ANSWER: 5.0, WRITE: 5.0},
        ),
        # Own storage is done after the others.
        (replace(ASKING, stored_us=68.0), {QUEUE: 10.0, STORAGE: 58.0, OTHERS: 0.0, ANSWER: 2.0, WRITE: 5.0}),
        # The owner is another node; and a request that a full queue refuses.
        (replace(ASKING, stored_us=None), {QUEUE: 10.0, STORAGE: 0.0, OTHERS: 55.0, ANSWER: 5.0, WRITE: 5.0}),
        (
            replace(ALONE, begun_us=None, stored_us=None),
            {QUEUE: 0.0, STORAGE: 0.0, OTHERS: 0.0, ANSWER: 33.0, WRITE: 7.0},
        ),
    ],
)
def test_parts_of_a_request_make_up_its_time(request_: Request, parts: dict[str, float]) -> None:
    assert parts_us(request_) == parts
    assert sum(parts.values()) == request_.written_us


@pytest.mark.parametrize(
    ("load", "from_s"),
    [
        (Load(1000, connections=64, duration_s=30.0), 1010.32),
        (Load(1000, connections=64, threads=2, duration_s=30.0), 1010.16),
        # So short a run is over before the load tool forgets anything.
        (Load(1000, connections=64, duration_s=10.0), 1000.0),
    ],
)
def test_requests_that_the_load_tool_forgets_are_not_counted(load: Load, from_s: float) -> None:
    nothing = CpuTime(0.0, 0.0)
    first, last = (Window(time_s, time_s, Used((nothing,), {}, ()), nothing) for time_s in (1000.0, 1029.0))

    assert Measured(Loaded(LoadReport(), ""), first, last).counted_s(load) == pytest.approx((from_s, 1029.0))


def test_median_and_slowest_are_told_apart_by_their_parts() -> None:
    fast = [replace(ALONE, numbers=(str(i),)) for i in range(980)]
    slow = [
        replace(ALONE, numbers=(str(i),), begun_us=900.0, stored_us=920.0, answered_us=930.0, written_us=1000.0 + i)
        for i in range(20)
    ]

    found = analyse(PUT, [*slow, *fast], [])

    assert found is not None
    assert (found.count, found.p50_us, found.p99_us) == (1000, 40.0, 1010.0)
    assert found.median.parts_us[QUEUE] == 10.0
    assert (found.slowest.count, found.slowest.parts_us[QUEUE]) == (10, 900.0)
    assert found.slowest.total_us == pytest.approx(sum(1010 + i for i in range(10)) / 10)
    assert [each.request.written_us for each in found.ten] == [1019.0 - i for i in range(10)]


def test_numbers_of_the_slowest_are_those_of_each_kind() -> None:
    puts = [replace(ALONE, numbers=(f"{i}",), written_us=1000.0 - i) for i in range(200)]
    gets = [replace(ALONE, kind="GET /v0/entity", numbers=(f"{1000 + i}",), written_us=1.0 + i) for i in range(100)]
    others = [replace(ALONE, node=1, numbers=("7000",), written_us=1e6)] * 9

    asked, slowest = waiting.numbers([PUT, "GET /v0/entity"], [*puts, *gets, *others])

    assert sorted(map(int, asked)) == [*range(200), *range(1000, 1100)]
    assert sorted(slowest) == ["0", "1", "1099"]


def test_slow_request_has_what_happened_elsewhere_meanwhile() -> None:
    there = Request(1, 1000.00004, "PUT /internal/v0/entity", 201, ("7", "8"), 0.0, 1.0, 2.0, 3.0, 4.0, ())
    of_another = replace(there, numbers=("9",))
    from_a_client = replace(there, kind=PUT, numbers=("8",))
    during, before, after = (Background(2, "flush", at_s, 5.0) for at_s in (1000.00005, 999.0, 1000.0001))
    requests = [*(replace(ALONE, numbers=(str(100 + i),)) for i in range(120)), replace(ASKING, numbers=("8",))]

    found = analyse(PUT, [*requests, there, of_another, from_a_client], [before, during, after])

    assert found is not None
    slowest = found.ten[0]
    assert slowest.request.numbers == ("8",)
    assert list(slowest.elsewhere) == [there]
    assert list(slowest.background) == [during]


def test_requests_of_other_kinds_and_nodes_do_not_count() -> None:
    others = [replace(ALONE, kind="GET /v0/entity")] * 200 + [replace(ALONE, node=1)] * 200

    assert analyse(PUT, [*others, *[ALONE] * 99], []) is None


def test_page_names_nodes_and_escapes_what_it_shows(tmp_path: Path) -> None:
    found = analyse(
        PUT, [replace(ASKING, calls=(Call(1, 30.0, 65.0, "<b>"),))] * 100, [Background(2, "flush", 1000.00001, 5.0)]
    )

    assert found is not None
    page = waiting_page.write(tmp_path, "a & b", [found], {wall.ALL: 700, wall.SLOWEST: 7}).read_text()
    assert "<h1>a &amp; b</h1>" in page
    assert "node2: &lt;b&gt; after 0.04 ms" in page
    assert "node3: flush for 0.01 ms" in page
    assert "<b>" not in page.split("</ul>")[1]
    assert "700 wall-clock samples belong to requests, 7 to the slowest 1 %." in page


@pytest.mark.parametrize(
    ("text", "us"), [("PT0.000123456S", 123.456), ("PT1.5S", 1_500_000.0), ("PT2M3S", 123_000_000.0), ("PT0S", 0.0)]
)
def test_duration_of_a_recording_is_read(text: str, us: float) -> None:
    assert request_recording._us(text) == pytest.approx(us)


@pytest.mark.parametrize(
    ("text", "time_s"),
    [
        ("2026-11-25T21:23:12.961960823Z", 1795641792.961961),
        ("2026-11-25T22:23:12.5+01:00", 1795641792.5),
        ("2026-11-25T14:23:12-07:00", 1795641792.0),
    ],
)
def test_time_of_a_recording_is_read_in_any_zone(text: str, time_s: float) -> None:
    assert request_recording.time_s(text) == pytest.approx(time_s, abs=1e-6)


def printed(path: Path, *, kind: str = PUT, exit_code: int = 0) -> Jdk:
    """A JDK whose `jfr` prints a recording: requests of two seconds, and a pause of the first."""

    def request(second: int, calls: str) -> dict[str, object]:
        values = {"startTime": f"1970-01-01T00:00:0{second}Z", "duration": "PT0.001S", "kind": kind, "status": 201}
        points = {"queued": 1000, "begun": 2000, "stored": -1, "answered": 9000}
        return {"type": "dht.Request", "values": {**values, **points, "numbers": "7,8", "calls": calls}}

    pause = {"startTime": "1970-01-01T00:00:01Z", "duration": "PT0.002S"}
    events = [request(1, ""), {"type": "jdk.GCPhasePause", "values": pause}, request(2, "http://b 3000 -1 -")]
    jdk = make_jdk(path / "jdk")
    (path / "recording.json").write_text(json.dumps({"recording": {"events": events}}, indent=2))
    make_program(jdk / "bin" / "jfr", f"#!/bin/sh\ncat '{path}/recording.json'\nexit {exit_code}\n")
    return Jdk(jdk, "25", "PATH")


@pytest.mark.parametrize(("kind", "count"), [(PUT, 0), ("PUT /internal/v0/entity", 2)])
def test_what_nodes_ask_each_other_may_begin_outside_of_the_time(tmp_path: Path, kind: str, count: int) -> None:
    requests, _ = request_recording.read([tmp_path], ["http://a", "http://b"], printed(tmp_path, kind=kind), 1.4, 1.6)

    assert len(requests) == count


@pytest.mark.parametrize("chunk_chars", [60, 400, 1 << 20])
def test_recording_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk_chars: int) -> None:
    monkeypatch.setattr(request_recording, "CHUNK_CHARS", chunk_chars)

    requests, background = request_recording.read([tmp_path], ["http://a", "http://b"], printed(tmp_path), 1.5, 9.0)

    calls = (Call(1, 3.0, None, "-"),)
    assert requests == [Request(0, 2.0, PUT, 201, ("7", "8"), 1.0, 2.0, None, 9.0, 1000.0, calls)]
    assert background == [Background(0, "garbage collection", 1.0, 2000.0)]


def test_recording_that_cannot_be_printed_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(Failure, match=r"requests\.jfr cannot be read: jfr ended with exit code 3"):
        request_recording.read([Path("requests.jfr")], ["http://a", "http://b"], printed(tmp_path, exit_code=3), 0, 9)


def test_what_was_saved_is_read_as_it_was(tmp_path: Path) -> None:
    there = Request(1, 1000.00004, "PUT /internal/v0/entity", 201, ("1",), 0.0, 1.0, None, 3.0, 4.0, ())
    found = analyse(PUT, [*[ASKING] * 120, there], [Background(1, "flush", 1000.0, 50.0)])
    assert found is not None
    assert found.ten[0].elsewhere

    waiting.save(tmp_path, [found])

    assert waiting.read(tmp_path) == [found]
    with pytest.raises(Failure, match=r"cannot read .*none/waiting\.json"):
        waiting.read(tmp_path / "none")


@pytest.mark.parametrize(
    ("rounds", "words"),
    [
        (3, "the rate is 4.1% lower and the CPU time per request is 0.3% higher (within the noise)"),
        (1, "the rate is 4.1% lower and the CPU time per request is 0.3% higher"),
    ],
)
def test_cost_of_tracing_is_said_as_the_table_has_it(rounds: int, words: str) -> None:
    verdicts = [
        {"name": "rate_per_s", "change_share": -0.041, "verdict": "slower"},
        {"name": "server_cpu_us_per_request", "change_share": 0.003, "verdict": "within noise"},
    ]

    said = cost_in_words({"rounds": rounds, "sides": [{"against_a": []}, {"against_a": verdicts}]})

    assert said == f"With tracing, {words}."
