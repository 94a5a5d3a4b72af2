"""Proves of the exercises on speed, by measuring, that the slow code fails and the reference passes, each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbook import console
from workbook.build import Builder
from workbook.exercises import cutting, speed
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.checkout import Checkout
from workbook.exercises.classes import Classes
from workbook.failure import Failure, UsageError


@dataclass(frozen=True)
class Trial:
    """Figures of one interleaved run: the reference, the code that a student begins with, the reference again."""

    exercise: Exercise
    reference: float
    slow: float
    again: float

    @property
    def slow_ratio(self) -> float:
        return self.slow / self.reference

    @property
    def reference_ratio(self) -> float:
        return self.again / self.reference

    @property
    def problems(self) -> list[str]:
        factor, gain = self.exercise.factor, float(self.exercise.settings["gain"])
        found = []
        if self.slow_ratio <= factor:
            found.append(f"the slow code passes: allowed {factor:g}")
        if self.slow_ratio < gain:
            found.append(f"in an export the reference fails: it must be {gain:g} times better")
        if self.reference_ratio > factor:
            found.append(f"the reference fails: allowed {factor:g}")
        return found


def prove(builder: Builder, found: Catalog, ids: list[str], times: int) -> int:
    """The exit code. Prints a table."""
    chosen = [each for each in (found.select(ids) if ids else found.exercises) if each.kind == "speed"]
    if not chosen:
        raise UsageError("--measured is for exercises on speed, and none of these is")
    checkout = Checkout(builder.project.root)
    if changed := checkout.changed_files():
        raise Failure(f"these files are not committed: {', '.join(changed[:5])}: only what is committed is measured")
    trials = []
    for exercise in chosen:
        slow = _slow(builder, checkout, exercise)
        for number in range(1, times + 1):
            builder.out.print(f"{exercise.slug}: {number} of {times}", style="bold")
            figures = speed.figures(builder.project, builder.host, builder.out, exercise, ["HEAD", slow, "HEAD"])
            trials.append(Trial(exercise, *figures))
    return _print(trials, builder)


def _slow(builder: Builder, checkout: Checkout, exercise: Exercise) -> str:
    """A commit with the code that a student begins with; on no branch."""
    classes = Classes(builder)
    classes.prepare([exercise.module])
    with classes.worker(exercise.module, "prove") as worker:
        files = cutting.starter(builder.project.root, exercise, worker).files
    return checkout.commit_beside(files, f"exercise {exercise.id}: what a student begins with")


def _print(trials: Sequence[Trial], builder: Builder) -> int:
    numbers = ("reference", "slow", "times", "reference again", "times again")
    table = console.table("exercise", "figure", *numbers, "", numbers=numbers)
    for each in trials:
        table.add_row(
            each.exercise.slug,
            speed.figure(each.exercise),
            f"{each.reference:.4g}",
            f"{each.slow:.4g}",
            f"{each.slow_ratio:.2f}",
            f"{each.again:.4g}",
            f"{each.reference_ratio:.2f}",
            "; ".join(each.problems) or "told apart",
        )
    builder.out.print(table, soft_wrap=False)
    told = sum(not each.problems for each in trials)
    builder.out.print(f"{told} of {len(trials)} runs tell the slow code from the reference", style="bold")
    return 0 if told == len(trials) else 1
