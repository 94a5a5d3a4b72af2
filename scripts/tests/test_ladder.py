from __future__ import annotations

from collections.abc import Callable

import pytest

from workbook.measure.ladder import CLIMB, CONFIRM, NARROW, Found, Limits, Plan, Step, climb, rounded
from workbook.measure.load_report import Latency, LoadReport

PLAN = Plan(from_per_s=1_000, to_per_s=1_000_000, within_share=0.05)


class Climbed:
    """Rungs that are held up to a rate, as long as `luck` doesn't say otherwise."""

    def __init__(self, limit_per_s: int, luck: Callable[[int], bool] = lambda _: True) -> None:
        self._limit_per_s = limit_per_s
        self._luck = luck
        self.rungs: list[tuple[int, str]] = []

    def __call__(self, rate_per_s: int, phase: str) -> Step:
        self.rungs.append((rate_per_s, phase))
        if rate_per_s > self._limit_per_s:
            return Step.LOST
        return Step.HELD if self._luck(len(self.rungs)) else Step.MISSED


@pytest.mark.parametrize("limit_per_s", [1_000, 1_234, 7_777, 41_000, 640_000])
def test_ladder_comes_as_near_to_the_limit_as_asked_from_below(limit_per_s: int) -> None:
    rungs = Climbed(limit_per_s)

    found = climb(PLAN, rungs)

    assert found.sustainable_per_s is not None
    assert limit_per_s / 1.11 <= found.sustainable_per_s <= limit_per_s
    assert rungs.rungs[-1] == (found.sustainable_per_s, CONFIRM)
    assert len(rungs.rungs) < 25


def test_ladder_climbs_then_narrows_then_confirms() -> None:
    rungs = Climbed(5_000)

    climb(PLAN, rungs)

    assert [phase for _, phase in rungs.rungs] == [CLIMB] * 4 + [NARROW] * 4 + [CONFIRM]
    assert [rate for rate, phase in rungs.rungs if phase == CLIMB] == [1_000, 2_000, 4_000, 8_000]


def test_ladder_that_ends_before_the_server_does_says_so() -> None:
    assert climb(Plan(1_000, 10_000, 0.05), Climbed(50_000)) == Found(10_000, tops_out=True)


def test_ladder_whose_first_rung_is_too_high_goes_down() -> None:
    found = climb(PLAN, Climbed(130))

    assert found.sustainable_per_s is not None
    assert 117 <= found.sustainable_per_s <= 130


def test_ladder_of_a_server_that_holds_nothing_finds_nothing_and_ends() -> None:
    rungs = Climbed(0)

    assert climb(PLAN, rungs) == Found(None, tops_out=False)
    assert len(rungs.rungs) < 12


def test_ladder_whose_find_is_not_confirmed_steps_down() -> None:
    rungs = Climbed(8_000, luck=lambda rung: rung != 10)

    found = climb(PLAN, rungs)

    assert [phase for _, phase in rungs.rungs][-2:] == [CONFIRM, CONFIRM]
    assert found.sustainable_per_s == 7_600


@pytest.mark.parametrize("bad", [2, 5, 9, 12])
def test_ladder_forgives_one_bad_moment_in_any_phase_if_told_to(bad: int) -> None:
    plan = Plan(1_000, 64_000, 0.05, tries=2)
    forgiven = Climbed(5_000, luck=lambda rung: rung != bad)

    assert climb(plan, forgiven) == climb(plan, Climbed(5_000))


def test_ladder_does_not_try_again_what_is_lost() -> None:
    rungs = Climbed(3_000)

    climb(Plan(1_000, 4_000, 0.5, tries=2), rungs)

    assert [rate for rate, phase in rungs.rungs if phase == CLIMB] == [1_000, 2_000, 4_000]


def test_ladder_goes_far_down_before_it_gives_up_to_confirm() -> None:
    rungs = Climbed(8_000, luck=lambda rung: rung < 10 or rung > 14)

    assert climb(PLAN, rungs) == Found(4_000, tops_out=False)


@pytest.mark.parametrize(("rate", "expected"), [(4_096, 4_100), (4_949, 4_900), (99_600, 100_000), (7, 7)])
def test_rates_are_round(rate: int, expected: int) -> None:
    assert rounded(rate) == expected


@pytest.mark.parametrize("machines", [2, 3, 7])
def test_rates_of_several_load_machines_can_be_divided(machines: int) -> None:
    plan, rungs = PLAN.for_machines(machines), Climbed(41_000)
    found = climb(plan, rungs)

    assert {rate % machines for rate, _ in rungs.rungs} == {0}
    assert found.sustainable_per_s is not None
    assert 41_000 * 0.9 < found.sustainable_per_s <= 41_000


def report(*, p99_ms: float = 1.0, timeouts: int = 0, requests: int = 100) -> LoadReport:
    latency = Latency(percentiles={0.99: p99_ms})
    return LoadReport(requests=requests, rate_per_s=1.0, latency=latency, socket_errors=(0, 0, 0, timeouts))


@pytest.mark.parametrize(
    ("got", "achieved_share", "why_not"),
    [
        (report(), 0.98, None),
        (report(), 0.9312, "achieved 93.1% of the asked rate"),
        (report(p99_ms=61.04), 1.0, "p99 of 61.0 ms is over 50 ms"),
        (report(timeouts=12), 1.0, "12 timeouts (of 100 requests)"),
        (report(requests=0), 0.0, "not one request was answered"),
    ],
)
def test_rung_that_is_not_held_says_why(got: LoadReport, achieved_share: float, why_not: str | None) -> None:
    assert Limits(p99_ms_max=50.0).why_not(got, achieved_share) == why_not


@pytest.mark.parametrize(
    ("got", "achieved_share", "step"),
    [
        (report(), 0.98, Step.HELD),
        (report(), 0.93, Step.MISSED),
        (report(p99_ms=61.0), 1.0, Step.MISSED),
        (report(), 0.7, Step.LOST),
        (report(timeouts=1), 1.0, Step.LOST),
    ],
)
def test_rung_that_is_far_off_is_lost(got: LoadReport, achieved_share: float, step: Step) -> None:
    assert Limits(p99_ms_max=50.0).step(got, achieved_share) is step
