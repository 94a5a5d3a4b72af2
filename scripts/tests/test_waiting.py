"""Where recorded requests wait: parts, groups, and what happened elsewhere meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbook.measure import request_recording, waiting_page
from workbook.measure.request_recording import Background, Call, Request
from workbook.measure.waiting import ANSWER, OTHERS, QUEUE, STORAGE, WRITE, analyse, parts_us

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
    page = waiting_page.write(tmp_path, "a & b", [found]).read_text()
    assert "<h1>a &amp; b</h1>" in page
    assert "node2: &lt;b&gt; after 0.04 ms" in page
    assert "node3: flush for 0.01 ms" in page
    assert "<b>" not in page.split("</ul>")[1]


@pytest.mark.parametrize(
    ("text", "us"), [("PT0.000123456S", 123.456), ("PT1.5S", 1_500_000.0), ("PT2M3S", 123_000_000.0), ("PT0S", 0.0)]
)
def test_duration_of_a_recording_is_read(text: str, us: float) -> None:
    assert request_recording._us(text) == pytest.approx(us)
