from __future__ import annotations

import random

import pytest

from workbook.measure.verdicts import FASTER, SLOWER, WITHIN_NOISE, judge, overall

# Recorded: stage 1 against itself and against a copy slowed down on purpose, PUT at 5000/s, five rounds of 10 s.
STAGE = [(4986.1, 0.98, 1.74, 2.9, 14.2), (4985.9, 1.01, 1.79, 3.6, 14.9), (4986.3, 0.97, 1.72, 2.7, 14.4)]
AGAIN = [(4986.0, 0.99, 1.76, 3.1, 14.6), (4986.2, 1.02, 1.80, 3.3, 14.1), (4985.8, 0.98, 1.75, 3.8, 14.8)]
SLOWED = [(4985.2, 1.61, 3.24, 9.8, 61.3), (4984.8, 1.66, 3.31, 11.2, 62.9), (4985.0, 1.58, 3.19, 10.4, 60.8)]


def figures(rounds: list[tuple[float, float, float, float, float]]) -> list[dict[str, float | None]]:
    names = ("rate_per_s", "p50_ms", "p90_ms", "p99_ms", "server_cpu_us_per_request")
    return [{**dict(zip(names, values, strict=True)), "p99_9_ms": None} for values in rounds]


def test_stage_against_itself_is_within_noise() -> None:
    verdicts = judge(figures(STAGE), figures(AGAIN))

    assert {verdict.word for verdict in verdicts} == {WITHIN_NOISE}
    assert overall(verdicts) == WITHIN_NOISE


def test_copy_slowed_on_purpose_is_slower() -> None:
    verdicts = {verdict.measure.name: verdict for verdict in judge(figures(STAGE), figures(SLOWED))}

    assert verdicts["rate_per_s"].word == WITHIN_NOISE
    assert verdicts["p99_ms"].word == SLOWER
    assert verdicts["server_cpu_us_per_request"].word == SLOWER
    assert verdicts["server_cpu_us_per_request"].change_share == pytest.approx(61.3 / 14.4 - 1)
    assert overall(list(verdicts.values())) == "slower in p50, p90, p99, server CPU"


def test_the_other_way_round_it_is_faster() -> None:
    assert overall(judge(figures(SLOWED), figures(STAGE))) == "faster in p50, p90, p99, server CPU"


def test_higher_rate_is_faster_and_higher_latency_slower() -> None:
    more = [{"rate_per_s": 2000.0, "p99_ms": 9.0}] * 3
    less = [{"rate_per_s": 1000.0, "p99_ms": 3.0}] * 3

    assert [verdict.word for verdict in judge(less, more)] == [FASTER, SLOWER]
    assert overall(judge(less, more)) == "slower in p99; faster in rate"


def test_rounds_that_overlap_are_within_noise_however_far_their_medians() -> None:
    a = [{"p99_ms": value} for value in (2.0, 2.1, 20.0)]
    b = [{"p99_ms": value} for value in (9.0, 9.5, 10.0)]

    assert [verdict.word for verdict in judge(a, b)] == [WITHIN_NOISE]


def test_tenths_of_a_millisecond_are_the_load_tools_own() -> None:
    assert [v.word for v in judge([{"p50_ms": 0.50}] * 3, [{"p50_ms": 0.69}] * 3)] == [WITHIN_NOISE]


def test_run_that_was_measured_once_has_a_wide_band() -> None:
    once = [{"server_cpu_us_per_request": 10.0}]

    assert judge(once, [{"server_cpu_us_per_request": 12.0}] * 5)[0].word == WITHIN_NOISE
    assert judge(once, [{"server_cpu_us_per_request": 13.0}] * 5)[0].word == SLOWER


def test_figure_that_one_round_lacks_is_not_judged() -> None:
    assert judge([{"p50_ms": 1.0}, {"p50_ms": None}], [{"p50_ms": 1.0}, {"p50_ms": 1.0}]) == []


def test_same_server_is_rarely_told_from_itself() -> None:
    seed = 20
    numbers = random.Random(seed)

    def rounds() -> list[dict[str, float | None]]:
        return [{"p99_ms": numbers.lognormvariate(1, 0.3), "p50_ms": numbers.gauss(1, 0.05)} for _ in range(5)]

    told = sum(overall(judge(rounds(), rounds())) != WITHIN_NOISE for _ in range(500))
    assert told <= 10, f"seed={seed}: {told} of 500"
