"""Points, and the files that other tools read. The JVM that runs submissions is tested with the real one."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.exercise_fakes import make_exercises
from workbook.exercises import catalog, formats, grading
from workbook.exercises.catalog import Catalog
from workbook.exercises.grading import Grade, Graded, Rules
from workbook.exercises.worker import TestResult
from workbook.failure import Failure

PASSED = TestResult("dht.storage.CounterTest", "add_once_isOne", "passed", 0.5)
FAILED = TestResult("dht.storage.CounterTest", "add_twice_isTwo", "failed", 0.1, "expected 2\x07\nbut was 1")


@pytest.fixture
def found(tmp_path: Path) -> Catalog:
    return catalog.read(make_exercises(tmp_path / "checkout"))


@pytest.fixture
def graded(found: Catalog, tmp_path: Path) -> Graded:
    folder = tmp_path / "ada"
    folder.mkdir()
    build, guess = found.exercises
    half = Grade(build, 5.0, 10.0, [PASSED, FAILED], "1 of 2 checks hold")
    return Graded("ada", folder, [half, Grade(guess, 10.0, 10.0)])


def test_rules_of_an_exercise_stand_before_the_defaults(found: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "grading.toml"
    file.write_text('[defaults]\npoints = 4\nhint-cost = 1\n["1.1"]\npoints = 20\n')
    rules = Rules.read(file)

    assert rules.of(found.get("1.1")) == {"points": 20, "partial": True, "hint-cost": 1, "gave-up-factor": 1.0}
    assert rules.of(found.get("1.2"))["points"] == 4


def test_an_unknown_rule_is_named(tmp_path: Path) -> None:
    file = tmp_path / "grading.toml"
    file.write_text("[defaults]\npionts = 4\n")

    with pytest.raises(Failure, match=r"\[defaults\] has pionts"):
        Rules.read(file)


def test_submissions_are_one_folder_or_many(tmp_path: Path) -> None:
    for name in ("bob", "ada"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "workbook").write_text("")
    (tmp_path / "notes").mkdir()

    assert [each.name for each in grading.submissions(tmp_path)] == ["ada", "bob"]
    assert grading.submissions(tmp_path / "ada") == [tmp_path / "ada"]
    with pytest.raises(Failure, match="holds no submission"):
        grading.submissions(tmp_path / "notes")


def test_junit_counts_each_exercise_and_escapes_what_xml_cannot_hold(graded: Graded, tmp_path: Path) -> None:
    formats.write_all(graded, tmp_path / "grades", {})

    suite = ET.parse(tmp_path / "grades" / "junit.xml").getroot()[0]
    assert suite.attrib == {
        "name": "1.1 A counter",
        "tests": "2",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
        "time": "0.600",
    }
    assert suite[1][0].text == "expected 2\nbut was 1"


def test_gradescope_has_a_test_for_each_exercise(graded: Graded, tmp_path: Path) -> None:
    formats.write_all(graded, tmp_path / "grades", {})

    results = json.loads((tmp_path / "grades" / "results.json").read_text())
    assert results["score"] == 15.0
    assert [(each["name"], each["score"], each["max_score"], each["status"]) for each in results["tests"]] == [
        ("1.1 A counter", 5.0, 10.0, "failed"),
        ("1.2 A guess", 10.0, 10.0, "passed"),
    ]
    assert "add_twice_isTwo" in results["tests"][0]["output"]


def test_classroom50_has_all_that_its_format_requires(graded: Graded, tmp_path: Path) -> None:
    formats.write_all(graded, tmp_path / "grades", {"CLASSROOM": "hl-26", "OWNER": "ada-l"})

    result = json.loads((tmp_path / "grades" / "result.json").read_text())
    assert result["schema"] == "classroom50/result/v1"
    assert (result["classroom"], result["owner"], result["assignment_type"]) == ("hl-26", "ada-l", "individual")
    assert result["submission"].startswith("submit/")
    assert (result["score"], result["max-score"]) == (15, 20)
    assert all(each["score"] <= each["max-score"] for each in result["tests"])
    required = {"schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release"}
    assert required | {"review", "datetime", "score", "max-score", "tests"} <= set(result)
