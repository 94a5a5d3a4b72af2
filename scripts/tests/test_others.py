"""The lists of what a starter turns red besides its goal tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from workbook.exercises import checking
from workbook.exercises.catalog import Exercise
from workbook.exercises.checking import matches
from workbook.exercises.others import OtherTests, shortest
from workbook.exercises.worker import TestResult, Worker
from workbook.project import Module


def result(suite: str, test: str, outcome: str = "failed") -> TestResult:
    return TestResult(suite, test, outcome)


def test_a_class_is_named_where_at_least_half_of_it_is_red_and_otherwise_its_methods() -> None:
    red = [
        result("dht.ATest", "one"),
        result("dht.ATest", "two[1]"),
        result("dht.BTest$Inner", "one"),
        result("dht.CTest", ""),
        result("dht.DTest", "one"),
    ]
    green = [*(result("dht.ATest", name, "passed") for name in "abc"), result("dht.DTest", "two", "passed")]

    assert shortest(red, green) == ["dht.ATest#one", "dht.ATest#two", "dht.BTest", "dht.CTest", "dht.DTest"]


class StubWorker:
    """Runs three tests of one class. Those that are red on the starter pass on the reference."""

    def __init__(self, red: set[str], *, hangs: bool = False) -> None:
        self._red = red
        self._hangs = hangs

    def test(
        self,
        folders: Sequence[Path],
        tests: Sequence[str],
        *,
        left: Sequence[str] = (),
        hangs_max: int = 20,
        **_: object,
    ) -> list[TestResult]:
        found: list[TestResult] = []
        for name in ("works", "waits", "history_of_many"):
            is_red = name in self._red and folders[0] == STARTER
            hung = is_red and self._hangs
            each = TestResult("dht.ATest", name, "failed" if is_red else "passed", hung=hung)
            is_asked = any(matches(pattern, each) for pattern in tests)
            if is_asked and not any(matches(pattern, each) for pattern in left):
                found.append(each)
            if sum(each.hung for each in found) == hangs_max:
                break
        return found


STARTER = Path("starter")


def problems(monkeypatch: pytest.MonkeyPatch, red: set[str], *, hangs: bool = False, **lists: Any) -> list[str]:
    monkeypatch.setattr(checking, "unit_tests", lambda _module: ["dht.ATest"])
    module = Module(Path("stage1-storage"))
    exercise = Exercise(Path("1.1-a"), module, 1, "A", "build", 15, "An idea.", "page.md#a", (), **lists)
    worker = cast(Worker, StubWorker(red, hangs=hangs))
    return OtherTests().problems(exercise, [], STARTER, [Path("classes")], worker)


def test_what_is_red_on_the_starter_must_be_named_and_what_is_named_must_be_red(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert problems(monkeypatch, set()) == []
    assert "also red on the starter: ATest.works" in problems(monkeypatch, {"works"})
    assert problems(monkeypatch, {"works"}, also_red=("dht.ATest#works",)) == []
    assert "also-red names dht.ATest#works, and no such test is red" in problems(
        monkeypatch, set(), also_red=("dht.ATest#works",)
    )


@pytest.mark.parametrize("red", [set(), {"history_of_many"}])
def test_what_is_sometimes_red_may_be_either(monkeypatch: pytest.MonkeyPatch, red: set[str]) -> None:
    assert problems(monkeypatch, red, sometimes_red=("dht.ATest#history_*",)) == []


def test_of_a_list_that_hangs_a_few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    red = {"works", "waits", "history_of_many"}
    assert problems(monkeypatch, red, hangs=True, also_red=("dht.ATest",)) == []
    said = problems(monkeypatch, red, hangs=True, also_red=("dht.ATest", "dht.BTest"))
    assert said[0] == "also-red names dht.BTest, and no such test is red"
    assert said[-1] == "also-red = ['dht.ATest']"
