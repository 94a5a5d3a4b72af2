"""The other tests of a stage: what a starter turns red besides the goal tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

from workbook.exercises import checking
from workbook.exercises.catalog import Exercise
from workbook.exercises.worker import TestResult, Worker

STARTER_TIMEOUT_S = 20
"""A test of the reference takes a few seconds at most: one that takes longer on a starter hangs."""


class OtherTests:
    """Knows which tests of a stage pass on the reference. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stages: defaultdict[int, Lock] = defaultdict(Lock)
        self._green: dict[int, set[str]] = {}

    def problems(self, exercise: Exercise, overlay: Path, base: Sequence[Path], worker: Worker) -> list[str]:
        """What `also-red` does not name and is red, and what it names and is green; and then how it should read."""
        green = self._green_on_reference(exercise, base, worker)
        found = checking.guards(exercise, [overlay, *base], worker, test_timeout_s=STARTER_TIMEOUT_S)
        red = [each for each in found.red if each.name in green or not each.test]
        kept = _without_red(found.green, red)
        said = [f"also red on the starter: {each.short_name}" for each in red if not _is_named(exercise, each)]
        for pattern in exercise.also_red:
            fitting = [each for each in kept if checking.matches(pattern, each)]
            said += [f"also-red names {each.short_name}, which stays green" for each in fitting]
            if not any(checking.matches(pattern, each) for each in red):
                said.append(f"also-red names {pattern}, and no such test is red")
        seen = {each.name for each in found.results}
        suites = {each.suite for each in red if not each.test}
        lost = [name for name in green - seen if name.rpartition(".")[0] not in suites and not _is_goal(exercise, name)]
        if lost:
            said.append(f"{len(lost)} tests had no turn on the starter, such as {min(lost)}")
        return [*said, f"also-red = {shortest(red, kept)}"] if said else []

    def _green_on_reference(self, exercise: Exercise, base: Sequence[Path], worker: Worker) -> set[str]:
        with self._lock:
            of_stage = self._stages[exercise.stage]
        with of_stage:
            if exercise.stage not in self._green:
                names = checking.unit_tests(exercise.module)
                results = worker.test(base, names, test_timeout_s=checking.GUARD_TIMEOUT_S)
                self._green[exercise.stage] = {each.name for each in results if each.outcome == "passed"}
            return self._green[exercise.stage]


def _is_named(exercise: Exercise, result: TestResult) -> bool:
    return any(checking.matches(pattern, result) for pattern in exercise.also_red)


def _is_goal(exercise: Exercise, name: str) -> bool:
    suite, _, test = name.rpartition(".")
    return checking.is_goal(exercise, TestResult(suite, test, "not run"))


def _without_red(green: Iterable[TestResult], red: Iterable[TestResult]) -> list[TestResult]:
    """A parameterized test is red where one of its repetitions is."""
    patterns = {each.pattern for each in red}
    return [each for each in green if each.pattern not in patterns]


def shortest(red: Iterable[TestResult], green: Iterable[TestResult]) -> list[str]:
    """Patterns that name all that is red, and no test that is green: a class where all of it is red."""
    with_green = {_class_of(each) for each in green}
    return sorted({each.pattern if _class_of(each) in with_green else _class_of(each) for each in red})


def _class_of(result: TestResult) -> str:
    return result.suite.partition("$")[0]
