from __future__ import annotations

from pathlib import Path

from workbook.reports import Failed, NewReports, NotRun, Passed, Result, read

REPORTS = Path(__file__).parent / "reports"


def outcome(report: str, test: str) -> Failed | NotRun | Passed:
    [found] = [result.outcome for result in read(REPORTS / f"TEST-dht.stage1.{report}.xml") if result.test == test]
    return found


def test_read_tells_class_method_and_seconds() -> None:
    results = read(REPORTS / "TEST-dht.stage1.MixTest.xml")

    assert Result("dht.stage1.MixTest", "param(String)[1]", 0.016, Passed()) in results
    assert [result.suite for result in results if result.test == "in"] == ["dht.stage1.MixTest$Inner"]
    assert len(results) == 9


def test_failure_with_a_transcript_keeps_its_every_line() -> None:
    failed = outcome("MixTest", "fail_withTranscript")

    assert failed == Failed(
        """PUT then GET must return the value <&> "q"

  curl -X PUT 'http://h/v0?id=a'   --data x
    node1 ▶ 201
  curl 'http://h'
    expected 200
\tgot      404
  at this line is not a frame
Read: docs/stage1.md""",
        "\tat dht.stage1.MixTest.fail_withTranscript(MixTest.java:7)",
    )


def test_failure_of_an_assertion_drops_the_libraries_frames() -> None:
    failed = outcome("MixTest", "inFail")

    assert failed == Failed("expected: <a\nb> but was: <a\nc>", "\tat dht.stage1.MixTest$Inner.inFail(MixTest.java:12)")


def test_error_keeps_the_exceptions_name_and_causes() -> None:
    failed = outcome("MixTest", "error_npe")

    assert failed == Failed(
        "java.lang.IllegalStateException: \none\ntwo",
        "\tat dht.stage1.MixTest.error_npe(MixTest.java:8)\nCaused by: java.lang.RuntimeException: cause\nmore",
    )


def test_error_before_all_tests_is_a_failure() -> None:
    failed = outcome("BeforeTest", "initializationError")

    assert isinstance(failed, Failed)
    assert failed.message == "java.lang.IllegalStateException: cannot start"


def test_disabled_test_is_not_run_and_tells_why() -> None:
    assert outcome("MixTest", "disabled") == NotRun("needs Docker")


def test_disabled_class_has_all_its_tests_not_run() -> None:
    results = read(REPORTS / "TEST-dht.stage1.OffTest.xml")

    assert [result.outcome for result in results] == [NotRun("whole class off")] * 2


def test_aborted_test_is_not_run_and_tells_why_in_one_line() -> None:
    assert outcome("MixTest", "aborted") == NotRun("no tmpfs here second line")


def test_class_aborted_before_all_has_all_its_tests_not_run() -> None:
    results = read(REPORTS / "TEST-dht.stage1.AbortAllTest.xml")

    assert [result.outcome for result in results] == [NotRun("no docker")] * 2


def test_pytest_report_is_read_like_the_others() -> None:
    passed, failed, skipped, expected, error = read(REPORTS / "pytest.xml")

    assert passed.outcome == Passed()
    assert isinstance(failed.outcome, Failed)
    assert failed.outcome.message == "AssertionError: my\n  msg\nassert 1 == 2"
    assert failed.outcome.trace.endswith("E   assert 1 == 2\n\ntest_sample.py:3: AssertionError")
    assert skipped.outcome == NotRun("why")
    assert expected.outcome == NotRun("known")
    assert isinstance(error.outcome, Failed)


def test_failure_without_a_message_tells_the_exception(tmp_path: Path) -> None:
    report = tmp_path / "TEST-a.xml"
    report.write_text(
        '<testsuite><testcase classname="A" name="b"><failure type="java.lang.AssertionError">'
        "java.lang.AssertionError\n\tat dht.A.b(A.java:1)\n</failure></testcase></testsuite>"
    )

    [result] = read(report)

    assert result.outcome == Failed("java.lang.AssertionError", "\tat dht.A.b(A.java:1)")


def test_skipped_without_a_reason_says_so(tmp_path: Path) -> None:
    report = tmp_path / "TEST-a.xml"
    report.write_text('<testsuite><testcase classname="A" name="b"><skipped/></testcase></testsuite>')

    [result] = read(report)

    assert result.outcome == NotRun("no reason given")


def test_new_reports_are_handed_out_once_and_when_whole(tmp_path: Path) -> None:
    reports = NewReports([tmp_path, tmp_path / "not there yet"])
    assert reports.poll() == []

    path = tmp_path / "TEST-a.xml"
    whole = '<testsuite><testcase classname="A" name="b"/></testsuite>'
    path.write_text(whole[:30])
    assert reports.poll() == []
    assert reports.unreadable() == [path]

    path.write_text(whole)
    assert reports.poll() == [(path, [Result("A", "b", 0.0, Passed())])]
    assert reports.poll() == []
    assert reports.unreadable() == []
