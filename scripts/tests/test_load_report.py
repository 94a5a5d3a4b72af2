from __future__ import annotations

from pathlib import Path

import pytest

from workbook.failure import Failure
from workbook.measure.load_report import BUILT_IN, WRK, WRK2, Errors, LoadReport, read_report, read_reports
from workbook.measure.tables import read_tables

QUOTED = Path(__file__).with_name("load_reports")

BUILT_IN_TEXT = """\
workbook-load 1.0 (Java 25.0.1)
Workload: get KEYS=100000 VALUE_BYTES=128 DISTRIBUTION=uniform SEED=42 MISSES=0.1
Running 1m test @ http://127.0.0.1:8080
  1 threads and 64 connections
  Thread calibration: mean lat.: 0.712ms, rate sampling interval: 10ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   701.45us  312.11us   5.32ms   68.20%
    Req/Sec    10.56k     0.92k   13.44k    71.02%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%  698.00us
 99.900%    4.01ms
100.000%    5.32ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.051     0.000000            1         1.00
       0.698     0.500000       300004         2.00
       5.319     1.000000       599999          inf
#[Mean    =        0.701, StdDeviation   =        0.312]
#[Max     =        5.319, Total count    =       599999]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------

  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))
 50.000%   98.00us
  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.011     0.000000            1         1.00
#[Mean    =        0.101, StdDeviation   =        0.012]
#[Max     =        0.319, Total count    =       599999]
  600000 requests in 1.00m, 118.26MB read
  Non-2xx or 3xx responses: {bad}
Requests/sec:   9999.61
Transfer/sec:      1.97MB
Statuses: 200=539988 404=60012
Misses asked: {asked}
Hit ratio: 0.8999 (539988 of 600000 GETs)
In flight at the end: 3
"""

WRK_TEXT = """\
Running 10s test @ http://127.0.0.1:8080/v0/status
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    76.38us   41.93us   2.54ms   95.65%
    Req/Sec    56.85k     3.37k   61.12k    85.64%
  Latency Distribution
     50%   70.00us
     99%  182.00us
  1142474 requests in 10.10s, 71.91MB read
Requests/sec: 113117.48
Transfer/sec:      7.12MB
"""


def quoted(name: str) -> list[LoadReport]:
    return read_reports((QUOTED / name).read_text())


def test_report_of_wrk2_is_read_to_the_last_line() -> None:
    put, get = quoted("000-replication.txt")

    assert (put.tool, put.threads, put.connections) == (WRK2, 4, 64)
    assert (put.requests, put.duration_s, put.rate_per_s) == (299340, 120.0, 2494.15)
    assert put.bytes_read == round(19.13 * (1 << 20))
    assert put.latency.named() == {
        "mean": 1.666,
        "stdev": 1.93,
        "max": 69.056,
        "p50": 1.4,
        "p75": 1.84,
        "p90": 2.36,
        "p99": 8.53,
        "p99_9": 27.02,
        "p99_99": 58.08,
        "p99_999": 68.29,
    }
    assert (put.latency.count, len(put.latency.points)) == (274806, 93)
    assert put.latency.points[0] == (0.0, 0.15, 1)
    assert put.latency.points[-1] == (1.0, 69.119, 274806)
    assert (get.rate_per_s, get.latency.at(0.99)) == (750.01, 23.84)
    assert put.refused_because() is None


def test_report_that_is_indented_in_a_page_is_read_like_any_other() -> None:
    put, get = quoted("002-client.txt")

    assert [report.rate_per_s for report in (put, get)] == [3999.53, 3999.51]
    assert [report.latency.at(0.999) for report in (put, get)] == [21.33, 17.31]


def test_report_with_timeouts_is_refused_by_their_name() -> None:
    put, _ = quoted("004-storage.txt")

    assert put.errors == Errors(timeout=85)
    assert put.refused_because() == "85 timeouts (of 488310 requests)"


def test_report_with_bad_answers_is_refused_by_their_name() -> None:
    _, get = quoted("004-storage.txt")

    assert get.refused_because() == "171686 answers that are neither 2xx nor 3xx (of 659996 requests)"
    assert get.latency.at(0.9) == 115.26


def test_report_quoted_in_part_is_read_so_far_and_refused() -> None:
    found = quoted("001-client-fragments.txt")

    assert [report.latency.mean for report in found] == [29_280.0, 2.28, 2.19, 2.05]
    assert found[0].latency.max == 0.89 * 60_000
    assert {report.refused_because() for report in found} == {"the end of the load tool's output is missing"}


def test_figures_quoted_as_tables_are_read_by_column_and_by_row() -> None:
    tables = read_tables((QUOTED / "003-tables.txt").read_text())

    first, *_, last = tables
    assert first["GET prev"].latency.at(0.5) == 0.747
    assert first["status under put current"].latency.at(0.9999) == 14.56
    assert tables[2]["GET current"].latency.at(0.99999) == 15.38
    assert last["replicas/put"].rate_per_s == 2509.32
    assert last["futures/get"].refused_because() == "7057 timeouts (of 145893 requests)"


def test_short_report_of_wrk2_without_samples_of_the_rate_is_read() -> None:
    report = read_report((QUOTED / "wrk2-short.txt").read_text())

    assert (report.duration_s, report.latency.at(0.99)) == (2.99, 290.05)


def test_report_of_the_built_in_generator_keeps_the_corrected_latencies() -> None:
    report = read_report(BUILT_IN_TEXT.format(bad=60012, asked=60015))

    assert report.tool == BUILT_IN
    assert (report.latency.at(0.5), report.latency.max, report.latency.count) == (0.698, 5.319, 599_999)
    assert len(report.latency.points) == 3
    assert report.hit_ratio == 0.8999


def test_misses_that_were_asked_for_are_no_errors() -> None:
    assert read_report(BUILT_IN_TEXT.format(bad=60012, asked=60015)).refused_because() is None


def test_misses_beyond_those_asked_for_are_errors() -> None:
    assert read_report(BUILT_IN_TEXT.format(bad=60012, asked=60000)).errors == Errors(status=12)


def test_report_of_wrk_is_read_without_a_spectrum() -> None:
    report = read_report(WRK_TEXT)

    assert (report.tool, report.requests, report.rate_per_s) == (WRK, 1_142_474, 113_117.48)
    assert (report.latency.at(0.99), report.latency.points) == (0.182, [])


def test_every_kind_of_error_is_named() -> None:
    text = WRK_TEXT.replace("Requests/sec", "  Socket errors: connect 1, read 2, write 3, timeout 4\nRequests/sec")

    assert read_report(text).refused_because() == (
        "1 connections that failed, 2 failed reads, 3 failed writes, 4 timeouts (of 1142474 requests)"
    )


def test_run_without_an_answer_is_refused() -> None:
    assert LoadReport(requests=0, rate_per_s=0.0).refused_because() == "not one request was answered"


@pytest.mark.parametrize(
    ("text", "words"), [("unable to connect\n", "no report:\nunable to connect"), (WRK_TEXT * 2, "2 reports")]
)
def test_output_that_is_not_one_report_is_shown(text: str, words: str) -> None:
    with pytest.raises(Failure, match=words):
        read_report(text)
