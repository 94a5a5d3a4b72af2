"""The lists of what a starter turns red besides its goal tests."""

from __future__ import annotations

from workbook.exercises.others import shortest
from workbook.exercises.worker import TestResult


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
