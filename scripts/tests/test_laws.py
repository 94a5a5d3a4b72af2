"""The laws of docs/lab/queues-and-laws.md, on figures that are known."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from workbook.failure import Failure
from workbook.laws import queues, usl
from workbook.laws.little import Little
from workbook.laws.queues import Queue
from workbook.laws.words import sentences
from workbook.packages import Packages
from workbook.pages import laws
from workbook.pages.report import Ladder, Rung

COUNTS = (1, 2, 4, 8, 16, 32, 64)
ONE_PER_S = 9_000.0
SEEDS = range(3)


@pytest.fixture(scope="module", autouse=True)
def scipy() -> None:
    try:
        Packages("laws", "SciPy").ensure()
    except Failure as missing:
        pytest.skip(str(missing).splitlines()[0])


def rounds(
    sigma: float, kappa: float, *, noise: float = 0.0, seed: int = 0, counts: Sequence[int] = COUNTS
) -> dict[int, list[float]]:
    """Three rounds of each step, as the law makes them, each off by chance."""
    chance = random.Random(seed)
    return {
        n: [ONE_PER_S * usl.scale(n, sigma, kappa) * (1 + chance.gauss(0, noise)) for _ in range(3)] for n in counts
    }


def flat(rates: Mapping[int, float]) -> dict[int, list[float]]:
    return {n: [rate] for n, rate in rates.items()}


def holds(interval: usl.Interval, value: float) -> bool:
    return interval.low <= value and (interval.high is None or value <= interval.high)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("sigma", "kappa"), [(0.05, 0.002), (0.2, 0.0), (0.0, 0.01), (0.9, 0.0), (0.02, 0.0001), (0.6, 0.05)]
)
def test_fit_of_a_law_with_noise_finds_its_coefficients(sigma: float, kappa: float, seed: int) -> None:
    found = usl.fit(rounds(sigma, kappa, noise=0.02, seed=seed))

    assert found.sigma.value == pytest.approx(sigma, abs=0.04), seed
    assert found.kappa.value == pytest.approx(kappa, rel=0.15, abs=0.0006), seed
    assert found.one_per_s == pytest.approx(ONE_PER_S, rel=0.05), seed
    assert not found.is_bad, seed


def test_intervals_hold_the_true_coefficients_about_as_often_as_they_say() -> None:
    fits = [usl.fit(rounds(0.1, 0.003, noise=0.03, seed=seed)) for seed in range(12)]

    missed = [
        sum(not holds(each, value) for each in found)
        for found, value in (
            ([fit.sigma for fit in fits], 0.1),
            ([fit.kappa for fit in fits], 0.003),
            ([fit.peak for fit in fits if fit.peak], (0.9 / 0.003) ** 0.5),
        )
    ]

    # One of twenty on average. With 4 of 12 the intervals would be too narrow.
    assert max(missed) < 4, missed


def test_fit_of_sigma_is_not_one_of_kappa() -> None:
    waits, costs = usl.fit(rounds(0.3, 0.0)), usl.fit(rounds(0.0, 0.3))

    assert (waits.sigma.value, waits.kappa.value) == pytest.approx((0.3, 0.0), abs=1e-4)
    assert (costs.sigma.value, costs.kappa.value) == pytest.approx((0.0, 0.3), abs=1e-4)
    assert not holds(waits.sigma, 0.0)
    assert not holds(costs.kappa, 0.0)


def test_fit_of_rates_in_another_order_is_bad() -> None:
    right = rounds(0.05, 0.0005)
    backwards = dict(zip(COUNTS, (right[n] for n in (8, 1, 64, 2, 32, 4, 16)), strict=True))

    assert not usl.fit(right).is_bad
    assert usl.fit(backwards).is_bad
    assert "does not fit" in sentences(usl.fit(backwards), "workers")[0]


def test_peak_is_where_one_more_makes_it_slower() -> None:
    found = usl.fit(rounds(0.05, 0.002))

    assert found.peak is not None
    assert found.peak.value == pytest.approx((0.95 / 0.002) ** 0.5, rel=1e-3)
    peak = found.rate_per_s(found.peak.value)
    assert peak > max(found.rate_per_s(found.peak.value * by) for by in (0.8, 1.25))


def test_peak_beyond_the_last_step_is_told_as_not_measured() -> None:
    told = sentences(usl.fit(rounds(0.05, 0.0001, noise=0.002, seed=3)), "connections")

    assert any("beyond the last step" in each for each in told), told


def test_law_without_kappa_has_no_peak_in_sight() -> None:
    found = usl.fit(rounds(0.2, 0.0))

    assert found.peak is None or found.peak.high is None
    assert "These measurements show no peak" in " ".join(sentences(found, "workers"))


def test_interval_is_wide_where_the_law_does_not_fit() -> None:
    close = usl.fit(rounds(0.05, 0.002, noise=0.01, seed=1))
    loose = usl.fit(rounds(0.05, 0.002, noise=0.1, seed=1))

    assert close.sigma.high is not None
    assert loose.sigma.high is not None
    assert loose.sigma.high - loose.sigma.low > 3 * (close.sigma.high - close.sigma.low)


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ({1: 100.0, 2: 100.0, 4: 100.0, 8: 100.0}, "The rate does not grow: 8 nodes answer no more than 1."),
        ({1: 100.0, 2: 60.0, 4: 40.0, 8: 20.0}, "Every step has a lower rate than the first"),
        ({1: 10.0, 2: 30.0, 4: 100.0, 8: 300.0}, "The rate grows faster than the number of nodes"),
    ],
)
def test_rates_that_do_not_scale_are_told_in_words(rates: Mapping[int, float], told: str) -> None:
    found = usl.fit(flat(rates))

    assert told in " ".join(sentences(found, "nodes"))


def test_rates_that_fall_from_the_first_step_on_have_no_peak_to_look_for() -> None:
    found = usl.fit(flat({1: 100.0, 2: 30.0, 3: 18.0, 4: 13.0, 5: 10.0}))

    assert not found.is_bad
    assert not any("peak" in each for each in sentences(found, "nodes"))


def test_rates_that_grow_faster_than_the_law_can_say_are_a_bad_fit() -> None:
    assert usl.fit(flat({1: 10.0, 2: 30.0, 4: 100.0, 8: 300.0})).is_bad


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ({1: [100.0], 2: [150.0]}, "a curve through 2 steps says nothing: measure 4 steps or more"),
        ({}, "a curve through 0 steps says nothing"),
        ({1: [100.0], 2: [0.0], 4: [10.0], 8: [10.0]}, "a rate above 0 at each step"),
        ({1: [100.0], 2: [float("nan")], 4: [10.0], 8: [10.0]}, "a rate above 0 at each step"),
    ],
)
def test_what_cannot_be_fitted_is_a_failure_in_words(rates: Mapping[int, Sequence[float]], told: str) -> None:
    with pytest.raises(Failure, match=told):
        usl.fit(rates)


def test_noise_is_what_rounds_differ_by() -> None:
    found = usl.fit({n: [0.9 * rates[0], rates[0], 1.1 * rates[0]] for n, rates in rounds(0.05, 0.002).items()})

    assert found.noise_share == pytest.approx(0.1)


def test_rounds_that_differ_too_much_are_told_instead_of_a_fit() -> None:
    found = usl.fit({n: [0.6 * rates[0], rates[0], 1.4 * rates[0]] for n, rates in rounds(0.05, 0.002).items()})

    assert found.is_noisy
    assert sentences(found, "connections") == [
        "The rounds of one step differ by ±40.0%: too much for a fit. Measure again on an idle machine."
    ]


def test_little_compares_connections_with_rate_times_latency() -> None:
    found = Little(connections=64, rate_per_s=50_000, mean_ms=1.216)

    assert found.in_flight == pytest.approx(60.8)
    assert found.deviation_share == pytest.approx(-0.05)
    assert found.facts() == {"connections": 64, "in_flight": 60.8, "deviation_share": -0.05}


@pytest.mark.parametrize("utilisation", [0.1, 0.5, 0.9, 0.99])
def test_queue_with_one_worker_waits_as_mm1_does(utilisation: float) -> None:
    waits = queues.waiting_ms(1_000 * utilisation, 1_000, 1)

    assert waits == pytest.approx(utilisation / (1 - utilisation))  # In units of the service time, 1 ms.


def test_queue_with_two_workers_waits_as_mm2_does() -> None:
    for utilisation in (0.2, 0.5, 0.9):
        expected = 2 * utilisation**2 / (1 + utilisation)  # Erlang C for two, solved by hand.
        assert queues.waiting_share(2, 2 * utilisation) == pytest.approx(expected)


def test_more_workers_of_the_same_capacity_wait_less() -> None:
    waits = [queues.waiting_ms(800, 1_000, workers) for workers in (1, 2, 8, 400)]

    assert waits == sorted(waits, key=lambda each: -(each or 0))


def test_queue_predicts_the_base_at_its_rate_and_nothing_from_the_capacity_on() -> None:
    queue = Queue(workers=2, capacity_per_s=1_000, base_rate_per_s=200, base_ms=1.5)

    assert queue.mean_ms(200) == pytest.approx(1.5)
    before, near = queue.mean_ms(500), queue.mean_ms(990)
    assert before is not None
    assert near is not None
    assert 1.5 < before < near
    assert queue.mean_ms(1_000) is None
    assert queue.utilisation(500) == 0.5


def ladder(*rungs: tuple[float, float, bool]) -> Ladder:
    """The rate of each rung, its mean latency in ms, and whether it held."""
    made = tuple(Rung(rate, rate, mean_ms, None, None, held, "") for rate, mean_ms, held in rungs)
    return Ladder(made, max(rung.rate_asked_per_s for rung in made if rung.held))


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (ladder((1_000, 1.0, True), (2_000, 1.2, True), (4_000, 9.0, False)), "predicts a mean of 1.17"),
        (ladder((2_000, 1.2, True), (4_000, 9.0, False)), ""),  # The queue is made from this rung.
        (ladder((1_000, 1.0, True), (4_000, 9.0, True)), ""),  # At the capacity, a queue has no mean.
    ],
)
def test_queue_predicts_only_between_its_lowest_rate_and_its_capacity(found: Ladder, text: str) -> None:
    said = laws.prediction(found, 1)

    assert bool(said) == bool(text)
    assert text in said
