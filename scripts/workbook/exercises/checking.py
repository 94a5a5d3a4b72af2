"""Runs the tests of an exercise with the student's code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Lock

from workbook.exercises.catalog import Exercise
from workbook.exercises.classes import Classes, sources
from workbook.exercises.worker import HANGS_MAX, TestResult, Worker
from workbook.project import Module

TEST_TIMEOUT_S = 20
GUARD_TIMEOUT_S = 60
UNIT_TESTS = ("Test*", "*Test", "*Tests")
LOAD_CLASSES_THEMSELVES = ("import org.jetbrains.lincheck.", "import dht.testkit.allocation.AllocationLoader;")


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
    *,
    hangs_max: int = HANGS_MAX,
) -> Checked:
    if not exercise.goal:
        return Checked()
    return Checked(
        worker.test(
            folders,
            exercise.goal,
            left=exercise.goal_except,
            test_timeout_s=timeout_s(exercise),
            hangs_max=hangs_max,
            on_result=on_result,
        )
    )


def guards(
    exercise: Exercise,
    folders: Sequence[Path],
    workers: Sequence[Worker],
    left: Sequence[str],
    on_result: Callable[[TestResult], None] = lambda _result: None,
) -> Checked:
    """All unit tests of the stage apart from the goals, and from those that are `left`; side by side, the workers share
    them. First come those that are nearest to what the student changes."""
    names = nearest_first(exercise, unit_tests(exercise.module))
    shares = [(worker, names[number :: len(workers)]) for number, worker in enumerate(workers)]
    told = Lock()

    def tell(result: TestResult) -> None:
        with told:
            on_result(result)

    def run(share: tuple[Worker, list[str]]) -> list[TestResult]:
        worker, tests = share
        return worker.test(folders, tests, left=left, test_timeout_s=GUARD_TIMEOUT_S, on_result=tell)

    with ThreadPoolExecutor(len(workers)) as pool, ended_early(workers, pool):
        results = [result for part in pool.map(run, shares) for result in part]
    return Checked([each for each in results if not is_goal(exercise, each)])


@contextmanager
def ended_early(workers: Sequence[Worker], pool: ThreadPoolExecutor) -> Iterator[None]:
    """When the block is left by an interrupt or a failure, what is under way ends at once: the pool waits for it."""
    try:
        yield
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.end()
        raise


def nearest_first(exercise: Exercise, names: Sequence[str]) -> list[str]:
    """Tests whose source names a class that the student changes; those of its package; then all others."""
    packages = {each.rpartition(".")[0] for each in exercise.changed_classes}
    changed = re.compile("|".join(rf"\b{each.rpartition('.')[2]}\b" for each in exercise.changed_classes))
    root = exercise.module.directory / "src" / "test" / "java"

    def distance(name: str) -> int:
        if changed.search((root / name.replace(".", "/")).with_suffix(".java").read_text(encoding="utf-8")):
            return 0
        return 1 if name.rpartition(".")[0] in packages else 2

    return sorted(names, key=distance)


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
        if is_test and not any(each in path.read_text(encoding="utf-8") for each in LOAD_CLASSES_THEMSELVES):
            names.append(".".join(path.relative_to(root).with_suffix("").parts))
    return names


def folders(classes: Classes, exercise: Exercise, worker: Worker) -> list[Path]:
    return classes.changed(exercise.module, worker)
