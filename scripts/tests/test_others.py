"""The lists of what a starter turns red besides its goal tests."""

from __future__ import annotations

from workbook.exercises.others import shortest
from workbook.exercises.worker import TestResult


def result(suite: str, test: str, outcome: str = "failed") -> TestResult:
    return TestResult(suite, test, outcome)


def test_a_class_that_is_red_throughout_is_named_as_a_whole_and_others_by_method() -> None:
    red = [
        result("dht.ATest", "one"),
        result("dht.ATest", "two[1]"),
        result("dht.ATest", "two[2]"),
        result("dht.BTest$Inner", "one"),
        result("dht.CTest", ""),
    ]
    green = [result("dht.ATest", "three", "passed")]

    assert shortest(red, green) == ["dht.ATest#one", "dht.ATest#two", "dht.BTest", "dht.CTest"]
