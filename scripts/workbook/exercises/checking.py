"""Runs the tests of an exercise with the student's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from workbook.exercises.catalog import Exercise
from workbook.exercises.classes import Classes, sources
from workbook.exercises.worker import TestResult, Worker
from workbook.project import Module

TEST_TIMEOUT_S = 20
UNIT_TESTS = ("Test*", "*Test", "*Tests")
LOADS_CLASSES_ITSELF = "import org.jetbrains.lincheck."


@dataclass(frozen=True)
class Checked:
    """What the goal tests say."""

    results: list[TestResult] = field(default_factory=list)

    @property
    def red(self) -> list[TestResult]:
        return [each for each in self.results if each.outcome == "failed"]

    @property
    def green(self) -> list[TestResult]:
        return [each for each in self.results if each.outcome == "passed"]

    @property
    def holds(self) -> bool:
        return not self.red and bool(self.green)


def goals(
    exercise: Exercise,
    folders: Sequence[Path],
    worker: Worker,
    on_result: Callable[[TestResult], None] = lambda _result: None,
) -> Checked:
    if not exercise.goal:
        return Checked()
    results = worker.test(folders, exercise.goal, test_timeout_s=timeout_s(exercise))
    kept = [each for each in results if not is_excepted(exercise, each)]
    for each in kept:
        on_result(each)
    return Checked(kept)


def guards(
    exercise: Exercise,
    module: Module,
    folders: Sequence[Path],
    worker: Worker,
    on_result: Callable[[TestResult], None] = lambda _result: None,
) -> Checked:
    """All unit tests of the stage but the goals."""
    names = unit_tests(module)
    results = worker.test(folders, names, test_timeout_s=60, on_result=on_result)
    return Checked([each for each in results if not is_goal(exercise, each)])


def timeout_s(exercise: Exercise) -> int:
    return int(exercise.settings.get("test-timeout-s", TEST_TIMEOUT_S))


def is_excepted(exercise: Exercise, result: TestResult) -> bool:
    return any(matches(pattern, result) for pattern in exercise.goal_except)


def is_goal(exercise: Exercise, result: TestResult) -> bool:
    return any(matches(pattern, result) for pattern in exercise.goal) and not is_excepted(exercise, result)


def matches(pattern: str, result: TestResult) -> bool:
    """Whether `dht.some.ClassTest` or `dht.some.ClassTest#method*` means this test."""
    suite, hash_sign, method = pattern.partition("#")
    own = result.suite.partition("$")[0]
    if not fnmatchcase(own, suite) and result.suite != suite:
        return False
    return not hash_sign or fnmatchcase(result.test.partition("[")[0], method)


def unit_tests(module: Module) -> list[str]:
    """The classes, but not those that must be run by Maven, since they load the classes under test themselves."""
    root = module.directory / "src" / "test" / "java"
    names = []
    for path in sources(module, "test"):
        is_test = path.suffix == ".java" and any(fnmatchcase(path.stem, pattern) for pattern in UNIT_TESTS)
        if is_test and LOADS_CLASSES_ITSELF not in path.read_text(encoding="utf-8"):
            names.append(".".join(path.relative_to(root).with_suffix("").parts))
    return names


def folders(classes: Classes, exercise: Exercise, worker: Worker) -> list[Path]:
    return classes.changed(exercise.module, worker)
