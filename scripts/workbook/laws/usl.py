"""The Universal Scalability Law, fitted to rates.

    rate(n) = one * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))

n is how many there are (connections, workers, nodes), `one` the rate of a single one. sigma is the share of the work
that only one can do at a time, kappa what each one costs each other one. Both are at least 0, and sigma at most 1.

The fit is least squares of the logarithms, since rates vary by a share of themselves. Each interval has all values of a
coefficient with which the law fits nearly as well (profile likelihood, F-test): near 0, where these coefficients often
are, intervals that are symmetric by construction would be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from workbook.failure import Failure

UNKNOWNS = 3
STEPS_MIN = UNKNOWNS + 1
CONFIDENCE = 0.95
BAD_SHARE = 0.1
"""A step that is further off than this, and than rounds differ by, is not explained by the law."""
NOISY_SHARE = 0.15
"""Rounds that differ by more than this say little, however near the curve their medians are."""
STARTS = ((0.02, 0.001), (0.3, 0.05), (0.9, 0.5), (0.1, 5.0), (0.9, 50.0))
"""Where the search begins: sigma, and kappa times the square of the largest n."""
SIGMAS = (0.0, 0.001, 0.003, 0.01, 0.03, *(i / 20 for i in range(1, 21)))
KAPPAS = (0.0, *(10 ** (i / 4) for i in range(-28, 29)))
"""Where the search along one unknown begins: there is one minimum at most between the neighbours of a value. Those of
kappa are times the square of the largest n."""
EXACT = 1e-12
"""A sum of squares below this is of a curve through all points."""
EXACT_SHARE = 1e-9
FLAT_SHARE = 1e-4
DOUBLINGS_MAX = 60
NOTHING = 1e-9
"""A coefficient below this is 0."""


@dataclass(frozen=True)
class Interval:
    """The value that fits best, and the least and the greatest that fit nearly as well; None: there is no greatest."""

    value: float
    low: float
    high: float | None

    def facts(self) -> dict[str, float | None]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Fit:
    """`peak` is the n of the highest rate: None where the law has none, since kappa is 0."""

    one_per_s: float
    sigma: Interval
    kappa: Interval
    peak: Interval | None
    r_squared: float
    steps: tuple[tuple[float, float], ...]
    noise_share: float

    def rate_per_s(self, n: float) -> float:
        return self.one_per_s * scale(n, self.sigma.value, self.kappa.value)

    @property
    def worst(self) -> tuple[float, float]:
        """The n of the step that is furthest from the curve, and by how much, as a share of the curve."""
        off = [(n, rate / self.rate_per_s(n) - 1) for n, rate in self.steps]
        return max(off, key=lambda each: abs(each[1]))

    @property
    def is_bad(self) -> bool:
        return abs(self.worst[1]) > max(BAD_SHARE, 2 * self.noise_share)

    @property
    def is_noisy(self) -> bool:
        return self.noise_share > NOISY_SHARE

    def facts(self) -> dict[str, object]:
        """As sweep.json has it."""
        at, share = self.worst
        return {
            "one_per_s": self.one_per_s,
            "sigma": self.sigma.facts(),
            "kappa": self.kappa.facts(),
            "peak": self.peak.facts() if self.peak else None,
            "confidence": CONFIDENCE,
            "r_squared": round(self.r_squared, 4),
            "worst": {"at": at, "share": round(share, 4)},
            "noise_share": round(self.noise_share, 4),
            "is_bad": self.is_bad,
            "is_noisy": self.is_noisy,
        }


def scale(n: float, sigma: float, kappa: float) -> float:
    """How many times the rate of one."""
    return n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def fit(rounds: Mapping[int, Sequence[float]]) -> Fit:
    """Of the rates of each step. A Failure says why there can be no fit."""
    steps = sorted((n, median(rates)) for n, rates in rounds.items() if rates)
    if len(steps) < STEPS_MIN:
        raise Failure(
            f"it has {UNKNOWNS} unknowns, and a curve through {len(steps)} steps says nothing:"
            f" measure {STEPS_MIN} steps or more"
        )
    if any(n < 1 or not rate > 0 or math.isinf(rate) for n, rate in steps):
        raise Failure("it needs a rate above 0 at each step")
    return _Search(steps).fit(_noise_share(rounds))


class _Search:
    """Least squares on the medians of the steps: what rounds differ by and what the law misses are both in the rest."""

    def __init__(self, steps: Sequence[tuple[int, float]]) -> None:
        self._steps = steps
        self._unit = float(steps[-1][0]) ** 2  # So that both unknowns are of the size of 1.

    def fit(self, noise_share: float) -> Fit:
        sigma, kappa, least = self._best(lambda x: (x[0], x[1] / self._unit), STARTS, ((0, 0), (1, math.inf)))
        one = math.exp(mean(math.log(rate / scale(n, sigma, kappa)) for n, rate in self._steps))
        limit = self._limit(least)

        def with_sigma(value: float) -> float:
            return self._least_along(KAPPAS, lambda x: (value, x / self._unit))

        def with_kappa(value: float) -> float:
            return self._least_along(SIGMAS, lambda x: (x, value))

        def with_peak(value: float) -> float:
            return self._least_along(SIGMAS, lambda x: (x, (1 - x) / value**2))

        peak = None
        if kappa * self._unit > FLAT_SHARE and 1 - sigma > FLAT_SHARE:
            peak = _interval(math.sqrt((1 - sigma) / kappa), with_peak, limit)
        rates = [rate for _, rate in self._steps]
        missed = sum((rate - one * scale(n, sigma, kappa)) ** 2 for n, rate in self._steps)
        spread = sum((rate - mean(rates)) ** 2 for rate in rates)
        return Fit(
            one,
            _interval(sigma, with_sigma, limit, 1.0),
            _interval(kappa, with_kappa, limit),
            peak,
            1 - missed / spread if spread else 1.0,
            tuple((float(n), rate) for n, rate in self._steps),
            noise_share,
        )

    def _limit(self, least: float) -> float:
        """The sum of squares up to which a fit is nearly as good."""
        from scipy import stats

        free = len(self._steps) - UNKNOWNS
        return max(least, EXACT) * (1 + float(stats.f.ppf(CONFIDENCE, 1, free)) / free)

    def _best(
        self,
        coefficients: Callable[[Sequence[float]], tuple[float, float]],
        starts: Sequence[Sequence[float]],
        bounds: tuple[Sequence[float], Sequence[float]],
    ) -> tuple[float, float, float]:
        """sigma, kappa and the sum of squares."""
        from scipy import optimize

        found = [
            optimize.least_squares(lambda x: self._rests(*coefficients(x)), start, bounds=bounds, x_scale="jac")
            for start in starts
        ]
        best = min(found, key=lambda each: float(each.cost))
        sigma, kappa = (float(each) for each in coefficients(best.x))
        return sigma, kappa, 2 * float(best.cost)

    def _least_along(self, values: Sequence[float], coefficients: Callable[[float], tuple[float, float]]) -> float:
        """The least sum of squares with one of the unknowns held."""
        from scipy import optimize

        def squares(x: float) -> float:
            return math.fsum(rest**2 for rest in self._rests(*coefficients(x)))

        found = [squares(x) for x in values]
        nearest = found.index(min(found))
        low, high = values[max(nearest - 1, 0)], values[min(nearest + 1, len(values) - 1)]
        refined = optimize.minimize_scalar(
            squares, bounds=(low, high), method="bounded", options={"xatol": high * EXACT_SHARE}
        )
        return min(found[nearest], float(refined.fun))

    def _rests(self, sigma: float, kappa: float) -> list[float]:
        logs = [math.log(rate / scale(n, sigma, kappa)) for n, rate in self._steps]
        middle = math.fsum(logs) / len(logs)  # The rate of one that fits best with these coefficients.
        return [each - middle for each in logs]


def _interval(value: float, least: Callable[[float], float], limit: float, most: float | None = None) -> Interval:
    """Where `least` crosses the limit, below the value and above it."""
    low = 0.0 if least(NOTHING) <= limit else _crossing(least, limit, NOTHING, value)
    above = max(2 * value, NOTHING) if most is None else most
    for _ in range(DOUBLINGS_MAX):
        if least(above) > limit:
            return Interval(value, min(low, value), max(value, _crossing(least, limit, value, above)))
        if most is not None:
            return Interval(value, min(low, value), most)
        above *= 2
    return Interval(value, min(low, value), None)


def _crossing(least: Callable[[float], float], limit: float, below: float, above: float) -> float:
    from scipy import optimize

    def over(x: float) -> float:
        return least(x) - limit

    if over(below) * over(above) > 0:  # The value itself is at the limit: a curve through all points.
        return above if over(above) <= 0 else below
    return float(optimize.brentq(over, below, above, rtol=1e-4))


def _noise_share(rounds: Mapping[int, Sequence[float]]) -> float:
    """Half of what the rounds of a step differ by, as a share of their median: the middle one of all steps."""
    return median([(max(rates) - min(rates)) / 2 / median(rates) for rates in rounds.values() if rates])
