"""What `check` prints of each test."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from workbook.commands.check import _Lines
from workbook.exercises import starting
from workbook.exercises.worker import TestResult


def test_repetitions_share_a_line_and_the_first_that_fails_speaks_for_all() -> None:
    text = io.StringIO()
    lines = _Lines(Console(file=text, width=100))

    for name, outcome in [
        ("a[1]", "passed"),
        ("a[2]", "failed"),
        ("b", "passed"),
        ("c[1]", "passed"),
        ("c[2]", "passed"),
    ]:
        lines.add(TestResult("dht.SomeTest", name, outcome))
    lines.end()

    assert text.getvalue().splitlines() == [
        "fails    SomeTest.a (1 of 2)",
        "passes   SomeTest.b",
        "passes   SomeTest.c (2 of 2)",
    ]


@pytest.mark.parametrize(
    ("message", "summary"),
    [
        ("boom", "boom"),
        ("\nExpecting text:\n  two lines\nto have line count:\n  1", "Expecting text: two lines"),
        ("expected: 1\nbut was: 2", "expected: 1"),
        ("Expecting:", "Expecting:"),
        ("", "failed"),
        ("x" * 500, "x" * 200),
    ],
)
def test_summary_of_a_failure_is_one_line_that_says_something(message: str, summary: str) -> None:
    assert TestResult("dht.SomeTest", "some_test", "failed", 0.0, message).summary == summary


def test_exercise_that_a_failure_needs_is_told_by_its_whole_number() -> None:
    message = "StorageException: not built yet: CompactionPolicy.pick, exercise 1.10"

    assert starting.is_stub(message, "1.10")
    assert not starting.is_stub(message, "1.1")
