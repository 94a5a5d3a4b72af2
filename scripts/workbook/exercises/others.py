"""The other tests of a stage: what a starter turns red besides the goal tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Lock

from workbook.exercises import checking
from workbook.exercises.catalog import Exercise
from workbook.exercises.worker import TestResult, Worker

HANGS_MAX = 2
STARTER_TIMEOUT_S = 20
"""A test of the reference takes a few seconds at most: one that takes longer on a starter hangs."""


class OtherTests:
    """Knows which tests of a stage pass on the reference. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stages: defaultdict[int, Lock] = defaultdict(Lock)
        self._reference: dict[int, tuple[set[str], list[str]]] = {}

    def problems(
        self, exercise: Exercise, goals: Sequence[TestResult], overlay: Path, base: Sequence[Path], worker: Worker
    ) -> list[str]:
        """What is red and not named in `also-red`, and what is named and green; and then how it should read.

        Tests in `sometimes-red` are not run: whether they notice depends on what their clients happen to meet.
        """
        reference, never_green = self._of_reference(exercise, base, worker)
        folders, left = [overlay, *base], sorted({*(each.pattern for each in goals), *exercise.sometimes_red})
        names = checking.unit_tests(exercise.module)
        others = _run(worker, folders, names, [*left, *exercise.also_red])
        cut_short: list[str] = []
        named: list[TestResult] = []
        for pattern in exercise.also_red:
            found = _run_some(worker, folders, _expanded(pattern, names), left)
            named += (each for each in found if checking.matches(pattern, each))
            if _is_cut_short(found):
                cut_short.append(pattern)
        results = [*others, *named]
        red = [each for each in results if each.outcome == "failed" and (each.name in reference or not each.test)]
        green = _without_red([each for each in results if each.outcome == "passed"], red)
        said = [f"also red on the starter: {each.short_name}" for each in red if not _is_named(exercise, each)]
        for pattern in exercise.also_red:
            if pattern not in cut_short:  # Two of its tests hung.
                said += _too_wide(pattern, red, green)
        said += [f"red on the reference, where check runs it: {each}" for each in never_green]
        if lost := self._lost(exercise, [*goals, *results], reference):
            said.append(f"{len(lost)} tests had no turn on the starter, such as {min(lost)}")
        known = [each for each in red if not _matches_any(cut_short, each)]
        return [*said, f"also-red = {sorted({*cut_short, *shortest(known, green)})}"] if said else []

    @staticmethod
    def _lost(exercise: Exercise, seen: Sequence[TestResult], reference: set[str]) -> set[str]:
        """Too many tests before them hung. Of those that are named, a few are enough."""
        names = {each.name for each in seen}
        suites = {_class_of(each) for each in seen if not each.test or each.hung}
        lost = {name for name in reference - names if _class_of(_result_called(name)) not in suites}
        patterns = (*exercise.also_red, *exercise.sometimes_red)
        return {name for name in lost if not _matches_any(patterns, _result_called(name))}

    def _of_reference(self, exercise: Exercise, base: Sequence[Path], worker: Worker) -> tuple[set[str], list[str]]:
        """The names of the tests that pass on the reference, and of those that do not: `check` could never end well."""
        with self._lock:
            of_stage = self._stages[exercise.stage]
        with of_stage:
            if exercise.stage not in self._reference:
                names = checking.unit_tests(exercise.module)
                results = worker.test(base, names, test_timeout_s=checking.GUARD_TIMEOUT_S)
                if red := sorted({each.pattern for each in results if each.outcome == "failed"}):
                    results += worker.test(base, red, test_timeout_s=checking.GUARD_TIMEOUT_S)
                green = {each.name for each in results if each.outcome == "passed"}
                lost = {each.short_name for each in results if each.outcome == "failed" and each.name not in green}
                self._reference[exercise.stage] = green, sorted(lost)
            return self._reference[exercise.stage]


def _is_named(exercise: Exercise, result: TestResult) -> bool:
    return _matches_any(exercise.also_red, result)


def _matches_any(patterns: Iterable[str], result: TestResult) -> bool:
    return any(checking.matches(pattern, result) for pattern in patterns)


def _result_called(name: str) -> TestResult:
    suite, _, test = name.rpartition(".")
    return TestResult(suite, test, "not run")


def _run(worker: Worker, folders: Sequence[Path], tests: Sequence[str], left: Sequence[str]) -> list[TestResult]:
    """After some tests of a class that hang, its other tests have no turn."""
    results: list[TestResult] = []
    done = set(left)
    while True:
        part = worker.test(folders, tests, left=sorted(done), test_timeout_s=STARTER_TIMEOUT_S, hangs_max=HANGS_MAX)
        results += part
        hung = Counter(_class_of(each) for each in part if each.hung)
        if hung.total() < HANGS_MAX:
            return results
        done.update(each.pattern for each in results if each.test or not each.hung)
        done.update(hung)


def _run_some(worker: Worker, folders: Sequence[Path], tests: Sequence[str], left: Sequence[str]) -> list[TestResult]:
    """Of tests that are to be red, a few that hang are enough: all of them would take half an hour."""
    if not tests:
        return []
    return worker.test(folders, tests, left=sorted(set(left)), test_timeout_s=STARTER_TIMEOUT_S, hangs_max=HANGS_MAX)


def _is_cut_short(results: Iterable[TestResult]) -> bool:
    return sum(each.hung for each in results) >= HANGS_MAX


def _expanded(pattern: str, names: Sequence[str]) -> list[str]:
    """The worker takes classes by their full names."""
    suite, hash_sign, method = pattern.partition("#")
    return [f"{name}{hash_sign}{method}" for name in names if fnmatchcase(name, suite)]


def _without_red(green: Iterable[TestResult], red: Iterable[TestResult]) -> list[TestResult]:
    """A parameterized test is red where one of its repetitions is."""
    patterns = {each.pattern for each in red}
    return [each for each in green if each.pattern not in patterns]


def _too_wide(pattern: str, red: Iterable[TestResult], green: Iterable[TestResult]) -> list[str]:
    """A pattern that names many tests that stay green would hide one that should."""
    counts = _by_class(each for each in red if checking.matches(pattern, each))
    kept = _by_class(each for each in green if checking.matches(pattern, each))
    if not counts:
        return [f"also-red names {pattern}, and no such test is red"]
    return [
        f"also-red names {pattern}, and {counts[each]} tests of {each} are red, but {kept[each]} stay green"
        for each in kept
        if kept[each] > counts[each]
    ]


def shortest(red: Iterable[TestResult], green: Iterable[TestResult]) -> list[str]:
    """Patterns that name all that is red: a class where at least half of it is, and otherwise its methods."""
    red = list(red)
    counts, kept = _by_class(red), _by_class(green)
    whole = {each for each in counts if counts[each] >= kept[each]}
    return sorted({_class_of(each) if _class_of(each) in whole else _pattern(each) for each in red})


def _by_class(results: Iterable[TestResult]) -> Counter[str]:
    return Counter(_class_of(each) for each in results)


def _pattern(result: TestResult) -> str:
    return f"{_class_of(result)}#{result.test.partition('[')[0] or '*'}"


def _class_of(result: TestResult) -> str:
    return result.suite.partition("$")[0]
