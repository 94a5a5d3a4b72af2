"""What a fitted law says, in sentences: those that a command prints, and a page shows."""

from __future__ import annotations

from collections.abc import Sequence

from workbook.laws.usl import FLAT_SHARE, Fit, Interval

FALLING_SHARE = 0.97
"""Below this share of the first step's rate, a later one is slower and not only different."""


def sentences(fit: Fit, what: str) -> list[str]:
    """`what` there are more of from step to step: connections, workers, nodes."""
    return [_how_well(fit, what), *_shape(fit, what), *_peak(fit, what)]


def _how_well(fit: Fit, what: str) -> str:
    at, share = fit.worst
    apart = f"rounds of one step differ by ±{fit.noise_share:.1%}"
    if fit.is_noisy:
        return f"The {apart}: too much for a fit. Measure again on an idle machine."
    if not fit.is_bad:
        return f"The law fits: no step is further than {abs(share):.1%} from the curve; {apart}."
    side = "above" if share > 0 else "below"
    return (
        f"The law does not fit: with {at:g} {what} the rate is {abs(share):.0%} {side} the curve, although rounds of"
        f" one step differ by only ±{fit.noise_share:.1%}. Do not use its coefficients."
    )


def _shape(fit: Fit, what: str) -> list[str]:
    rates = [rate for _, rate in fit.steps]
    first, last = fit.steps[0][0], fit.steps[-1][0]
    told = []
    if _falls(fit.steps):
        told.append(f"Every step has a lower rate than the first: more {what} make the server slower.")
    elif all(later < rates[0] / FALLING_SHARE for later in rates[1:]):
        told.append(f"The rate does not grow: {last:g} {what} answer no more than {first:g}.")
    elif _grows_faster(fit.steps):
        told.append(
            f"The rate grows faster than the number of {what}. The law has no such curve, so both coefficients are 0."
        )
    return told


def _falls(steps: Sequence[tuple[float, float]]) -> bool:
    (_, first), *later = steps
    return all(rate < FALLING_SHARE * first for _, rate in later)


def _grows_faster(steps: Sequence[tuple[float, float]]) -> bool:
    (first, rate), (last, last_rate) = steps[0], steps[-1]
    return last_rate / rate > 1.1 * last / first


def _peak(fit: Fit, what: str) -> list[str]:
    if fit.is_bad or fit.is_noisy or _falls(fit.steps):
        return []
    last = fit.steps[-1][0]
    if fit.peak is None or fit.peak.high is None:
        least = f" If there is one, it is at {_shown(fit.peak.low)} {what} or more." if fit.peak else ""
        return [f"These measurements show no peak: κ may be 0.{least}"]
    span = f"{_shown(fit.peak.value)} {what} ({_shown(fit.peak.low)} to {_shown(fit.peak.high)})"
    if fit.peak.value > last:
        return [f"The peak would be at {span}. That is beyond the last step, so it was not measured."]
    if fit.peak.value < fit.steps[0][0]:
        return [f"The peak is before the first step, at {span}."]
    return [f"The peak is at {span}: more {what} make it slower."]


def shown(interval: Interval) -> str:
    """`0.0487 (0.0390 to 0.0589)`."""
    high = "∞" if interval.high is None else f"{interval.high:.3g}"
    low, value = (0.0 if each < FLAT_SHARE / 1000 else each for each in (interval.low, interval.value))
    return f"{value:.3g} ({low:.3g} to {high})"


def _shown(n: float) -> str:
    return f"{n:.0f}" if n >= 10 else f"{n:.1f}"
