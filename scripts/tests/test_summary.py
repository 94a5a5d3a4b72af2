from __future__ import annotations

from io import StringIO

from rich.console import Console

from workbook.reports import Failed, NotRun, Passed, Result
from workbook.summary import Counts, Summary


def printed(summary: Summary) -> list[str]:
    out = StringIO()
    summary.print_to(Console(file=out, width=200, highlight=False, markup=False))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_printed_summary_has_the_line_of_counts_and_then_what_was_not_run_and_what_failed() -> None:
    summary = Summary()
    summary.add("testkit", [Result("A", "a", 1.25, Passed()), Result("A", "[b]", 0.0, Failed("no"))])
    summary.add("stage1-storage", [Result("B", "c", 0.0, NotRun("no Docker")), Result("B", "d", 0.0, Passed())])

    lines = printed(summary)

    assert lines[lines.index("tests: 2 passed, 1 failed, 1 not run") :] == [
        "tests: 2 passed, 1 failed, 1 not run",
        "  not run: stage1-storage B.c: no Docker",
        "  failed: testkit A.[b]",
    ]


def test_class_of_which_nothing_was_run_for_one_reason_is_one_line() -> None:
    summary = Summary()
    summary.add("testkit", [Result("A", each, 0.0, NotRun("no Docker")) for each in "abc"])
    summary.add("testkit", [Result("B", each, 0.0, NotRun(f"no {each}")) for each in "ab"])
    summary.add("testkit", [Result("C", "a", 0.0, NotRun("no Docker")), Result("C", "b", 0.0, Passed())])

    assert printed(summary)[-5:] == [
        "tests: 1 passed, 0 failed, 6 not run",
        "  not run: testkit A (3 tests): no Docker",
        "  not run: testkit B.a: no a",
        "  not run: testkit B.b: no b",
        "  not run: testkit C.a: no Docker",
    ]


def test_printed_summary_has_a_row_for_each_module_even_without_tests() -> None:
    summary = Summary()
    summary.expect("testkit")
    summary.add("stage1-storage", [Result("B", "c", 1.26, Passed())])

    rows = [line.split() for line in printed(summary)]

    assert ["testkit", "0", "0", "0", "0.0"] in rows
    assert ["stage1-storage", "1", "0", "0", "1.3"] in rows


def test_total_adds_up_all_modules() -> None:
    summary = Summary()
    summary.add("a", [Result("A", "a", 0.0, Passed())])
    summary.add("b", [Result("B", "b", 0.0, Passed()), Result("B", "c", 0.0, NotRun("x"))])

    assert summary.total() == Counts(2, 0, 1)


def test_printed_summary_names_the_ten_slowest_classes_slowest_first() -> None:
    summary = Summary()
    summary.add("testkit", [Result(f"T{second:02}", "a", float(second), Passed()) for second in range(1, 13)])
    summary.add("stage1-storage", [Result("Twice", each, 50.0, Passed()) for each in "ab"])

    lines = [line.split() for line in printed(summary)]
    first = lines.index(["the", "slowest", "of", "seconds"]) + 2

    assert lines[first] == ["Twice", "stage1-storage", "100.0"]
    assert lines[first + 1 : first + 10] == [[f"T{second:02}", "testkit", f"{second}.0"] for second in range(12, 3, -1)]
    assert lines[first + 10] == []


def test_printed_summary_without_any_test_names_no_slowest() -> None:
    summary = Summary()
    summary.expect("testkit")

    assert not any("slowest" in line for line in printed(summary))
