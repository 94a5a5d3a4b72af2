"""What several load tools say of one load, made one report."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.load_fakes import PUT_REPORT
from workbook.failure import Failure
from workbook.measure.load_report import Latency, LoadReport
from workbook.measure.merging import (
    RECORDED,
    UNCORRECTED,
    Part,
    Second,
    merged,
    merged_text,
    merged_timeline,
    percentile_us,
    read_part,
    timeline_text,
)

HEAD = "latency,valueMicros,count,totalCount,percentile\n"
TIMELINE_HEAD = "second,answered,errors,p50Micros,p99Micros,maxMicros\n"


def part(name: str, counts: dict[int, int], **figures: object) -> Part:
    """One whose latencies are these, in microseconds."""
    count = sum(counts.values())
    mean = sum(value * each for value, each in counts.items()) / count / 1000
    squares = sum((value / 1000) ** 2 * each for value, each in counts.items()) / count
    latency = Latency(mean, (squares - mean**2) ** 0.5, max(counts) / 1000, count)
    report = LoadReport(requests=count, duration_s=10.0, rate_per_s=count / 10, latency=latency)
    for figure, value in figures.items():
        setattr(report, figure, value)
    return Part(name, "", report, {RECORDED: Counter(counts), UNCORRECTED: Counter()})


def test_percentiles_are_those_of_all_latencies_together_and_no_averages() -> None:
    fast, slow = part("fast", {1_000: 900}), part("slow", {1_000: 50, 100_000: 50})

    latency = merged([fast, slow]).latency

    # Of 1000 latencies 50 are slow. The average of both p90 would be 50.5 ms.
    assert latency.named() == {
        "mean": 5.95,
        "stdev": pytest.approx(21.577, abs=0.001),
        "max": 100.0,
        "p50": 1.0,
        "p75": 1.0,
        "p90": 1.0,
        "p99": 100.0,
        "p99_9": 100.0,
        "p99_99": 100.0,
        "p99_999": 100.0,
    }
    assert latency.count == 1000
    assert latency.at(0.95) == 1.0
    assert latency.at(0.951) == 100.0


def test_spectrum_goes_up_to_the_last_latency() -> None:
    counts = dict.fromkeys(range(1, 101), 1)

    points = merged([part("a", counts), part("b", counts)]).latency.points

    assert points[0] == (0.0, 0.001, 2)
    assert (0.5, 0.05, 100) in points
    assert (0.9, 0.09, 180) in points
    assert points[-1] == (1.0, 0.1, 200)
    assert points == sorted(points)


def test_mean_and_deviation_are_those_of_all_latencies() -> None:
    latency = merged([part("a", {1_000: 2, 3_000: 2}), part("b", {10_000: 4})]).latency

    assert (latency.mean, latency.stdev) == (6.0, 4.062)


def test_counts_of_all_machines_are_added() -> None:
    first = part(
        "a", {1_000: 10}, statuses={200: 8, 404: 2}, socket_errors=(1, 0, 0, 2), bad_statuses=2, hits=8, lookups=10
    )
    other = part("b", {1_000: 30}, statuses={200: 30}, socket_errors=(0, 1, 0, 1), misses_asked=2, hits=30, lookups=30)

    report = merged([first, other])

    assert (report.requests, report.rate_per_s, report.duration_s) == (40, 4.0, 10.0)
    assert report.statuses == {200: 38, 404: 2}
    assert report.socket_errors == (1, 1, 0, 3)
    assert (report.bad_statuses, report.misses_asked) == (2, 2)
    assert report.errors.total == 5
    assert report.hit_ratio == 0.95


def test_latencies_from_sending_are_added_only_where_they_were_recorded() -> None:
    sent = Latency(2.0, 0.0, 2.0, 10)
    recorded = part("a", {5_000: 10}, from_sending=sent)
    recorded.recorded[UNCORRECTED][2_000] = 10
    told = part("b", {5_000: 10}, from_sending=Latency(4.0, 0.0, 4.0, 10))

    assert merged([recorded, recorded]).from_sending.at(0.5) == 2.0
    of_wrk2 = merged([told, told]).from_sending
    assert (of_wrk2.mean, of_wrk2.max, of_wrk2.at(0.5)) == (4.0, 4.0, None)


def test_single_report_stays_what_it_is() -> None:
    alone = part("a", {1_000: 99, 7_000: 1}, from_sending=Latency(1.0, 0.0, 1.0, 100, {0.99: 1.0}))

    assert merged([alone]) is alone.report


@pytest.mark.parametrize(("percentile", "expected"), [(0.0, 1), (0.5, 1), (0.5001, 2), (0.99, 2), (0.999, 3), (1.0, 3)])
def test_percentile_is_the_smallest_value_that_so_many_do_not_exceed(percentile: float, expected: int) -> None:
    assert percentile_us({3: 1, 1: 50, 2: 49}, percentile) == expected


def test_seconds_are_added_from_the_common_moment_on() -> None:
    on_time = Part("a", "", LoadReport(), seconds=(Second(10, 1, 300), Second(20, 0, 100)), late_s=0.02)
    late = Part("b", "", LoadReport(), seconds=(Second(5, 0, 900), Second(6, 2, 50)), late_s=1.1)

    timeline = merged_timeline([on_time, late])

    assert timeline == (Second(10, 1, 300), Second(25, 0, 900), Second(6, 2, 50))
    assert timeline_text(timeline).splitlines()[:2] == ["second,answered,errors,maxMicros", "0,10,1,300"]


def test_no_seconds_make_no_time_line() -> None:
    assert merged_timeline([Part("a", "", LoadReport()), Part("b", "", LoadReport())]) == ()


def tool_text(requests: int) -> str:
    named = {"url": "u", "threads": 1, "connections": 4, "p50": 1, "p99": 2, "errors": "", "answers": ""}
    return PUT_REPORT.format(requests=requests, duration=10, rate=requests / 10, **named) + "Began: 1000250\n"


def test_part_is_read_from_what_a_tool_has_left() -> None:
    recorded = f"{HEAD}recorded,100,30,30,75.0\nrecorded,400,10,40,100.0\nuncorrected,90,40,40,100.0\n\n"

    read = read_part("load-1", tool_text(40), recorded, f"{TIMELINE_HEAD}0,40,1,100,400,400\n\n", 1000.0)

    assert read.report.requests == 40
    assert read.recorded == {RECORDED: Counter({100: 30, 400: 10}), UNCORRECTED: Counter({90: 40})}
    assert read.seconds == (Second(40, 1, 400),)
    assert read.late_s == pytest.approx(0.25)
    assert merged_text([read, read]).count("== load-1\nworkbook-load") == 2


@pytest.mark.parametrize(
    "recorded", ["\n", f"{HEAD}recorded,100,30,30,75.0\n", f"{HEAD}recorded,100,40,40,100.0\nreco"]
)
def test_part_whose_latencies_are_incomplete_is_named(recorded: str) -> None:
    with pytest.raises(Failure, match=r"^load-1: its latencies are incomplete: is its disk full"):
        read_part("load-1", tool_text(40), recorded, "\n", 0.0)


def test_part_whose_seconds_are_incomplete_is_named_even_if_it_has_no_latencies() -> None:
    with pytest.raises(Failure, match=r"^load-1: its latencies are incomplete: is its disk full"):
        read_part("load-1", tool_text(0), f"{HEAD}\n", f"{TIMELINE_HEAD}0,4", 0.0)


def test_part_without_a_report_is_named_in_one_line() -> None:
    with pytest.raises(Failure, match=r"^load-2: the load tool has printed no report: .*strange words$"):
        read_part("load-2", "some\nstrange words\n", "\n", "\n", 0.0)
