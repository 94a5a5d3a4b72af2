"""Which differences `compare` tells apart, given what one server's figures differ by from round to round."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from statistics import mean

from workbook.measure.verdicts import WITHIN_NOISE, judge

ByMeasure = Mapping[str, Sequence[float]]
"""Of one server: a measure's figures, by its name."""

DIFFERENCES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0)
TRIES = 200
SURE_SHARE = 0.9
FALSE_SHARE_MAX = 0.01
AS_OFTEN_SHARE = 0.02
SEED = 42


def told_share(rounds: ByMeasure, measure: str, count: int, difference: float) -> float:
    """How often `count` rounds tell two servers apart of which one has greater figures, by this share.

    Their rounds are drawn from those that were measured, and are judged as `compare` judges.
    """
    values, chance = rounds[measure], random.Random(SEED)
    told = 0
    for _ in range(TRIES):
        a = [{measure: chance.choice(values)} for _ in range(count)]
        b = [{measure: chance.choice(values) * (1 + difference)} for _ in range(count)]
        told += any(verdict.word != WITHIN_NOISE for verdict in judge(a, b))
    return told / TRIES


def least_difference(rounds: ByMeasure, measure: str, count: int) -> float | None:
    """The least of DIFFERENCES that is told apart nearly always; None if none is."""
    told = (each for each in DIFFERENCES if told_share(rounds, measure, count, each) >= SURE_SHARE)
    return next(told, None)


def fewest_rounds(rounds: ByMeasure, counts: Sequence[int]) -> int:
    """The first of the counts that finds differences as often as any of them does, and hardly any where there are none.

    More are not always better: `compare` asks that the rounds of one server do not lie among those of the other.
    """
    honest = [each for each in counts if all(told_share(rounds, m, each, 0.0) <= FALSE_SHARE_MAX for m in rounds)]
    shares = {count: _found_share(rounds, count) for count in honest}
    return next((each for each in honest if shares[each] >= max(shares.values()) - AS_OFTEN_SHARE), counts[-1])


def _found_share(rounds: ByMeasure, count: int) -> float:
    """How often differences are told apart: of all measures, of each size."""
    return mean(told_share(rounds, measure, count, each) for measure in rounds for each in DIFFERENCES)
