"""Points, and the files that other tools read. The JVM that runs submissions is tested with the real one."""

from __future__ import annotations

import contextlib
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
import xmlschema
from rich.console import Console

from tests.exercise_fakes import git, make_exercises
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.commands import grade
from workbook.exercises import catalog, checking, formats, grading, server_grading
from workbook.exercises.catalog import Catalog
from workbook.exercises.classes import Classes
from workbook.exercises.grading import Grade, Graded, Grader, Rules
from workbook.exercises.sandbox import Sandbox
from workbook.exercises.worker import TestResult, Worker
from workbook.failure import Failure
from workbook.host import Host
from workbook.project import Project

PASSED = TestResult("dht.storage.CounterTest", "add_once_isOne", "passed", 0.5)
FAILED = TestResult(
    "dht.storage.CounterTest", "add_twice_isTwo", "failed", 0.1, "expected\udc80 2\x07\nbut was\ufffe 1"
)
NOT_RUN = TestResult("dht.storage.CounterTest", "add_never_isZero", "not run", 0.0, "no zero here")
SCHEMAS = Path(__file__).with_name("schemas")


@pytest.fixture
def found(tmp_path: Path) -> Catalog:
    return catalog.read(make_exercises(tmp_path / "checkout"))


@pytest.fixture
def graded(found: Catalog, tmp_path: Path) -> Graded:
    folder = tmp_path / "ada"
    folder.mkdir()
    build, guess = found.exercises
    half = Grade(build.id, build.title, 5.5, 10.0, [PASSED, FAILED, NOT_RUN], "1 of 2 checks pass")
    return Graded("ada", folder, [half, Grade(guess.id, guess.title, 10.0, 10.0)])


def test_rules_of_an_exercise_stand_before_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "grading.toml"
    file.write_text('[defaults]\npoints = 4\nhint-cost = 1\n["1.1"]\npoints = 20\n')
    rules = Rules.read(file)

    assert rules.of("1.1") == {"points": 20, "partial": True, "hint-cost": 1, "gave-up-factor": 1.0}
    assert rules.of("1.2")["points"] == 4


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
    (tmp_path / "eve.zip").write_text("")
    (tmp_path / ".DS_Store").write_text("")

    found = grading.submissions(tmp_path)
    assert [each.name for each in found] == ["ada", "bob"]
    assert [each.name for each in grading.skipped(tmp_path, found)] == ["eve.zip", "notes"]
    assert grading.submissions(tmp_path / "ada") == [tmp_path / "ada"]
    assert grading.skipped(tmp_path / "ada", [tmp_path / "ada"]) == []
    with pytest.raises(Failure, match="holds no submission"):
        grading.submissions(tmp_path / "notes")


def test_junit_counts_each_exercise_and_escapes_what_xml_cannot_hold(graded: Graded, tmp_path: Path) -> None:
    formats.write_all(graded, tmp_path / "grades", {})

    suite = ET.parse(tmp_path / "grades" / "junit.xml").getroot()[0]
    assert suite.attrib == {
        "name": "1.1 A counter",
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
        "time": "0.600",
    }
    assert suite[1][0].text == "expected 2\nbut was 1"


def test_gradescope_has_a_test_for_each_exercise(graded: Graded, tmp_path: Path) -> None:
    formats.write_all(graded, tmp_path / "grades", {})

    results = json.loads((tmp_path / "grades" / "results.json").read_text())
    assert results["score"] == 15.5
    assert [(each["name"], each["score"], each["max_score"], each["status"]) for each in results["tests"]] == [
        ("1.1 A counter", 5.5, 10.0, "failed"),
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


def test_files_are_as_their_readers_publish_them(graded: Graded, tmp_path: Path) -> None:
    nothing = Graded("bob", tmp_path / "ada", [Grade("1.1", "A counter", 0.0, 10.0, [], "it does not compile")])
    for each in (graded, nothing):
        junit, gradescope, classroom = formats.write_all(each, tmp_path / "grades" / each.name, {})

        xmlschema.XMLSchema(str(SCHEMAS / "junit.xsd")).validate(str(junit))
        _validate(gradescope, "gradescope-results")
        _validate(classroom, "classroom50-result")


@pytest.mark.parametrize(
    ("schema", "file", "change"),
    [
        ("gradescope-results", "results.json", {"score": "15.5"}),
        ("gradescope-results", "results.json", {"visibility": "everybody"}),
        ("classroom50-result", "result.json", {"score": 15.5}),
        ("classroom50-result", "result.json", {"datetime": "2026-11-25 01:00:00"}),
        ("classroom50-result", "result.json", {"usernames": ["ada"]}),
    ],
)
def test_schemas_refuse_what_is_wrong(
    graded: Graded, tmp_path: Path, schema: str, file: str, change: dict[str, Any]
) -> None:
    formats.write_all(graded, tmp_path, {})
    (tmp_path / file).write_text(json.dumps(json.loads((tmp_path / file).read_text()) | change))

    with pytest.raises(jsonschema.ValidationError):
        _validate(tmp_path / file, schema)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [('tests="3"', 'tests="-1"'), ('time="0.600"', 'time="long"'), ("<testcase ", '<testcase colour="red" ')],
)
def test_junits_schema_refuses_what_is_wrong(graded: Graded, tmp_path: Path, right: str, wrong: str) -> None:
    junit, *_ = formats.write_all(graded, tmp_path, {})
    text = junit.read_text(encoding="utf-8")
    assert right in text
    junit.write_text(text.replace(right, wrong, 1), encoding="utf-8")

    with pytest.raises(xmlschema.XMLSchemaValidationError):
        xmlschema.XMLSchema(str(SCHEMAS / "junit.xsd")).validate(str(junit))


def _validate(file: Path, schema: str) -> None:
    rules = json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(rules)
    value = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.validate(value, rules, jsonschema.Draft202012Validator)
    for test in value["tests"]:
        assert test["score"] <= test.get("max_score", test.get("max-score"))


def test_a_server_is_graded_by_contract() -> None:
    lines = [
        {"contract": "EntityContract", "test": "get_a", "outcome": "planned"},
        {"contract": "EntityContract", "test": "put_b", "outcome": "planned"},
        {"contract": "RangeContract", "test": "range_c", "outcome": "planned"},
        {"contract": "FaultContract", "test": "kill_d", "outcome": "planned"},
        {"contract": "EntityContract", "test": "get_a", "outcome": "passed", "seconds": 0.5, "message": ""},
        {"contract": "EntityContract", "test": "put_b", "outcome": "failed", "seconds": 1, "message": "$ curl -v"},
        {"contract": "FaultContract", "test": "kill_d", "outcome": "not run", "seconds": 0, "message": "no Docker"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)

    made = server_grading.graded(text, 4, Rules({"EntityContract": {"points": 20}}), Path())

    assert made.name == "stage4-server"
    assert [(each.name, each.points, each.points_max, each.remark) for each in made.grades] == [
        ("EntityContract", 10, 20, "1 of 2 tests pass"),
        ("RangeContract", 0, 10, "0 of 1 tests pass"),
        ("FaultContract", 0, 0, "1 not run"),
    ]
    assert "no turn" in made.grades[1].results[0].message


def test_names_of_strangers_can_be_printed() -> None:
    assert grading.readable("ada\udc80\x1b[2J") == r"ada\udc80\x1b[2J"
    assert grading.readable("Ада, 陈") == "Ада, 陈"


def submission(folder: Path, exercises: str | None = None) -> Path:
    folder.mkdir()
    (folder / "workbook").write_text("")
    if exercises is not None:
        (folder / "export.toml").write_text(exercises)
    return folder


def test_a_submission_does_not_choose_what_it_is_graded_for(found: Catalog, tmp_path: Path) -> None:
    both = submission(tmp_path / "ada", '[export]\nexercises = ["1.1", "1.2"]\n')
    fewer = submission(tmp_path / "bob", '[export]\nexercises = ["1.2"]\n')
    broken = submission(tmp_path / "eve", "[export\n")
    without = submission(tmp_path / "mallory")

    chosen, odd = grading.wanted([both, fewer, broken, without], found)

    assert [each.id for each in chosen] == ["1.1", "1.2"]
    assert odd == {fewer: "1.2", broken: "nothing", without: "nothing"}
    assert grading.wanted([without], found) == (found.exercises, {})


def test_what_is_no_submission_is_named(
    graded: Graded,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    submission(tmp_path / "ada" / "ada-main")
    submission(tmp_path / "bob")
    monkeypatch.setattr(Classes, "prepare", lambda *_: None)
    monkeypatch.setattr(Grader, "grade", lambda *_: graded)
    parser = Parser(prog="workbook grade")
    grade.configure(parser)

    words = [str(tmp_path), "--out", str(tmp_path / "grades")]
    assert grade.run(parser.read(words), Project(tmp_path / "checkout"), Host()) == 0

    said = capsys.readouterr().out
    assert "ada: not graded, because it has no ./workbook at its root" in said
    assert "bob: not" not in said


@pytest.mark.parametrize(
    "progress",
    [
        b'["1.1"]\nhints = "2"\n',
        b'["1.1"]\nhints = -100\n',
        b'["1.1"]\ngave-up = 7\n',
        b'"1.1" = 3\n',
        'hints = "ä"\n'.encode("utf-16"),
        b"a = " + b"[" * 100_000,
        b'["1.1"]\nhints = ' + b"9" * 5_000,
    ],
    ids=["text", "negative", "number", "no table", "UTF-16", "nested", "long number"],
)
def test_progress_that_makes_no_sense_costs_and_gives_nothing(
    found: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, progress: bytes
) -> None:
    folder = submission(tmp_path / "ada")
    (folder / "progress.toml").write_bytes(progress)
    (folder / "answers").mkdir()
    (folder / "answers" / "1.2-guess.toml").write_bytes(progress)
    rules = Rules({"defaults": {"hint-cost": 1, "gave-up-factor": 0.5}})
    grader = Grader(None, found, rules, None)  # type: ignore[arg-type]
    monkeypatch.setattr(grader, "_goal_tests", lambda _: [PASSED])
    monkeypatch.setattr(grader, "run", lambda *_: [PASSED])

    graded = grader.grade(folder, found.exercises)

    assert [each.points for each in graded.grades] == [10.0, 0.0]


def test_more_hints_than_there_are_cost_as_much_as_all(
    found: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = submission(tmp_path / "ada")
    (folder / "progress.toml").write_text('["1.1"]\nhints = ' + "9" * 400)
    grader = Grader(None, found, Rules({"defaults": {"hint-cost": 1}}), None)  # type: ignore[arg-type]
    monkeypatch.setattr(grader, "_goal_tests", lambda _: [PASSED])
    monkeypatch.setattr(grader, "run", lambda *_: [PASSED])

    assert grader.grade(folder, [found.get("1.1")]).points == 7


def test_a_test_may_take_as_long_as_it_may_for_the_student(found: Catalog) -> None:
    class FakeWorker:
        def __init__(self) -> None:
            self.limits_s: list[int] = []

        def test(self, *_: object, test_timeout_s: int, **_more: object) -> list[TestResult]:
            self.limits_s.append(test_timeout_s)
            return [PASSED]

    worker, exercise = FakeWorker(), found.get("1.1")
    checking.goals(exercise, [], cast(Worker, worker))
    Grader._test(cast(Worker, worker), exercise, [])

    assert worker.limits_s == [checking.TEST_TIMEOUT_S] * 2


def test_a_test_that_the_reference_fails_where_submissions_are_run_ends_the_grading(
    found: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise all students would lose the points for it."""
    classes = Classes(Builder(Project(tmp_path / "checkout"), Host(), Console()))
    grader = Grader(classes, found, Rules({}), Sandbox(Host(), in_container=True))
    monkeypatch.setattr(Classes, "worker", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(Classes, "changed", lambda *_: [])
    monkeypatch.setattr(checking, "goals", lambda *_: checking.Checked([PASSED]))
    monkeypatch.setattr(grader, "run", lambda *_: [replace(PASSED, outcome="failed", message="no net.properties")])

    with pytest.raises(Failure, match=r"CounterTest.add_once_isOne passes on the reference, but .* no net.properties"):
        grader._goal_tests(found.get("1.1"))


@pytest.mark.parametrize("packed", [False, True])
def test_commit_of_a_submission_is_read_without_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    folder = tmp_path / "ada"
    folder.mkdir()
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-02T03:04:05+03:00")
    git(folder, "init", "--quiet")
    name = ("-c", "user.name=ada", "-c", "user.email=ada@localhost")
    git(folder, *name, "commit", "--quiet", "--allow-empty", "-m", "mine")
    sha = git(folder, "rev-parse", "HEAD").strip()
    if packed:
        git(folder, "pack-refs", "--all")
        git(folder, "gc", "--quiet")
    (folder / ".git" / "config").write_text("[this is no setting")

    assert formats._commit(folder) == (sha, "2026-01-02T00:04:05Z")


@pytest.mark.parametrize("head", ["ref: ../../secret", "ref: refs/heads/none", "0123", ""])
def test_submission_without_a_commit_is_graded_all_the_same(tmp_path: Path, head: str) -> None:
    (tmp_path / "secret").write_text("0" * 40)
    folder = tmp_path / "ada"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text(head)

    assert formats._commit(folder)[0] == "no-commit"
    assert formats._commit(tmp_path)[0] == "no-commit"
