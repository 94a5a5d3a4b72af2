"""Exercises whose code is right, but slow: the student's server is measured beside another one, in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

from workbook.exercises import measured
from workbook.exercises.catalog import Exercise
from workbook.failure import Failure
from workbook.host import Host
from workbook.project import Project

USUAL_FIGURE = "server_cpu_us_per_request"


@dataclass(frozen=True)
class Beside:
    """`ratio`: the student's figure by the other's. It may be at most `allowed`."""

    figure: str
    reference: float
    yours: float
    allowed: float

    @property
    def ratio(self) -> float:
        return self.yours / self.reference if self.reference else float("inf")

    @property
    def is_fast(self) -> bool:
        return self.ratio <= self.allowed


def allowed(exercise: Exercise, *, beside_slow_code: bool) -> float:
    """`factor` beside the reference; beside the slow code, from which an answer must be `gain` times away."""
    if not beside_slow_code:
        return exercise.factor
    return 1 / float(exercise.settings["gain"])


def compare(project: Project, host: Host, out: Console, exercise: Exercise, reference: str, allowed: float) -> Beside:
    """`reference`: the git revision that holds the reference's code; in an export, which has none, the slow code."""
    first, second = figures(project, host, out, exercise, [reference, str(exercise.stage)])
    return Beside(figure(exercise), first, second, allowed)


def figure(exercise: Exercise) -> str:
    return str(exercise.settings.get("figure", USUAL_FIGURE))


def figures(project: Project, host: Host, out: Console, exercise: Exercise, sides: Sequence[str]) -> list[float]:
    """The exercise's figure of each side, measured in one interleaved run. `sides`: as `compare` takes them."""
    options = [str(word) for word in exercise.settings.get("load", ())]
    words = ["compare", *sides, "--stage", str(exercise.stage), "--workload", exercise.workload, *options]
    folder = measured.run(project, host, out, words)
    try:
        return [float(side["median"][figure(exercise)]) for side in measured.comparison(folder)]
    except KeyError as missing:
        raise Failure(f"{project.short(folder)} has no figure {missing}") from missing
