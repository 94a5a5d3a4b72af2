from __future__ import annotations

import random

import pytest

from workbook.measure.verdicts import FASTER, SLOWER, WITHIN_NOISE, judge, overall

NAMES = ("rate_per_s", "p50_ms", "p90_ms", "p99_ms", "p99_9_ms", "server_cpu_us_per_request")
# Recorded with `compare 1 1 --quick` and `compare 1 'java -XX:TieredStopAtLevel=0 …' --quick` at 72404133afc1, PUT at
# 5000/s, on two cores of a machine that was busy with other things: three rounds each.
STAGE = [
    (4846.83, 0.96, 1.7, 4.27, 17.55, 20.55),
    (4845.77, 1.04, 2.89, 27.39, 48.83, 20.75),
    (4845.73, 1.25, 30.94, 135.81, 170.62, 21.43),
]
AGAIN = [
    (4842.44, 1.03, 2.03, 31.92, 44.29, 22.62),
    (4814.41, 1.08, 3.27, 41.18, 97.54, 19.55),
    (4839.42, 1.82, 156.29, 364.29, 422.4, 35.19),
]
BEFORE_SLOWED = [
    (4847.16, 0.98, 1.64, 3.27, 5.74, 20.03),
    (4847.97, 0.9, 1.56, 3.68, 8.12, 17.36),
    (4846.89, 0.99, 1.73, 4.39, 6.32, 22.66),
]
SLOWED = [
    (3716.78, 640.0, 1010.0, 1260.0, 1440.0, 247.27),
    (3659.01, 273.41, 405.5, 513.28, 589.31, 296.55),
    (3481.16, 686.08, 1230.0, 1510.0, 1790.0, 261.74),
]

Rounds = list[tuple[float, float, float, float, float, float]]


def figures(rounds: Rounds) -> list[dict[str, float | None]]:
    return [dict(zip(NAMES, values, strict=True)) for values in rounds]


def test_stage_against_itself_is_within_noise() -> None:
    verdicts = judge(figures(STAGE), figures(AGAIN))

    assert {verdict.word for verdict in verdicts} == {WITHIN_NOISE}
    assert overall(verdicts) == WITHIN_NOISE


def test_copy_slowed_on_purpose_is_slower() -> None:
    verdicts = judge(figures(BEFORE_SLOWED), figures(SLOWED))

    assert overall(verdicts) == "slower in rate, p50, p90, p99, p99.9, server CPU"
    assert verdicts[-1].change_share == pytest.approx(261.74 / 20.03 - 1)
    assert verdicts[-1].noise_share == pytest.approx((22.66 - 17.36) / 2 / 20.03)


def test_the_other_way_round_it_is_faster() -> None:
    assert overall(judge(figures(SLOWED), figures(BEFORE_SLOWED))).startswith("faster in rate, p50")


def test_higher_rate_is_faster_and_higher_latency_slower() -> None:
    more = [{"rate_per_s": 2000.0, "p99_ms": 9.0}] * 3
    less = [{"rate_per_s": 1000.0, "p99_ms": 3.0}] * 3

    assert [verdict.word for verdict in judge(less, more)] == [FASTER, SLOWER]
    assert overall(judge(less, more)) == "slower in p99; faster in rate"


@pytest.mark.parametrize(
    ("pauses", "word"), [((2.1, 2.4, 2.3), SLOWER), ((0.0, 2.4, 2.3), WITHIN_NOISE), ((0.1, 0.2, 0.1), WITHIN_NOISE)]
)
def test_change_from_nothing_is_no_share_but_may_be_a_change(pauses: tuple[float, ...], word: str) -> None:
    nothing = [{"gc_pause_ms_max": 0.0}] * 3
    some = [{"gc_pause_ms_max": value} for value in pauses]

    (verdict,) = judge(nothing, some)
    (back,) = judge(some, nothing)

    assert (verdict.word, verdict.change_share, verdict.facts()["change_share"]) == (word, None, None)
    assert (back.word == FASTER) == (word == SLOWER)


def test_rounds_that_overlap_are_within_noise_however_far_their_medians() -> None:
    a = [{"p99_ms": value} for value in (2.0, 2.1, 20.0)]
    b = [{"p99_ms": value} for value in (9.0, 9.5, 10.0)]

    assert [verdict.word for verdict in judge(a, b)] == [WITHIN_NOISE]


def test_one_stray_round_of_six_hides_no_difference() -> None:
    # Recorded with `compare 1 '1 -XX:TieredStopAtLevel=1' --quick`: the compiler was still at work in the second round.
    a, b = (11.06, 22.15, 12.4), (17.94, 17.55, 17.25)

    def words(rounds: int, a: tuple[float, ...], b: tuple[float, ...]) -> list[str]:
        figures = ([{"server_cpu_us_per_request": value} for value in (side * 2)[:rounds]] for side in (a, b))
        return [verdict.word for verdict in judge(*figures)]

    once = (*a, 11.5, 11.9, 12.1)
    assert words(6, once, b) == [SLOWER]
    assert words(5, once, b) == [WITHIN_NOISE]
    assert words(6, a, b) == [WITHIN_NOISE]


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
        return [{"p99_ms": numbers.lognormvariate(1, 0.3), "p50_ms": numbers.gauss(1, 0.05)} for _ in range(7)]

    told = sum(overall(judge(rounds(), rounds())) != WITHIN_NOISE for _ in range(500))
    assert told <= 10, f"seed={seed}: {told} of 500"
