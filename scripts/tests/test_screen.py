from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from workbook.reports import Failed, Passed, Result
from workbook.screen import Screen
from workbook.summary import Counts, Summary

RESULTS = [Result("A", "works", 0.5, Passed()), Result("A", "breaks", 0.0, Failed("one\n  [two]", "\tat dht.A(A:1)"))]


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return StringIO()


def test_screen_without_a_terminal_prints_a_line_for_each_class_and_each_failure(out: StringIO) -> None:
    summary = Summary()
    with Screen(Console(file=out, markup=False), summary) as screen:
        screen.doing("something that a log need not hold")
        screen.ended("testkit", RESULTS)

    assert out.getvalue().splitlines() == [
        "testkit  A: 1 passed, 1 failed, 0 not run (0.5 s)",
        "",
        "FAILED  testkit  A.breaks",
        "one",
        "  [two]",
        "        at dht.A(A:1)",
    ]
    assert summary.total() == Counts(1, 1, 0)


def test_screen_on_a_terminal_draws_one_line_over_and_keeps_failures(out: StringIO) -> None:
    console = Console(file=out, force_terminal=True, width=100, markup=False)
    with Screen(console, Summary()) as screen:
        screen.doing("testkit: dht.testkit.ATest")
        screen.ended("testkit", RESULTS)
        console.print(screen)

    drawn = out.getvalue()
    assert "1 passed, 1 failed, 0 not run" in drawn
    assert "testkit: dht.testkit.ATest (0 s)" in drawn
    assert "FAILED  testkit  A.breaks" in drawn
    assert "testkit  A: 1 passed" not in drawn
