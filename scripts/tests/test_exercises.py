"""What exercises are made of: the catalog, cutting, progress, expressions and predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.exercise_fakes import COUNTER, fake_worker, make_exercise, make_exercises
from workbook.exercises import catalog, cutting, expressions, measured, predicting
from workbook.exercises.catalog import Catalog
from workbook.exercises.progress import BEGUN, DONE, Progress
from workbook.failure import Failure, UsageError
from workbook.measure.run_folder import FORMAT, RUN_JSON
from workbook.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_exercises(tmp_path / "checkout")


@pytest.fixture
def found(project: Project) -> Catalog:
    return catalog.read(project)


def test_catalog_is_in_the_order_of_stages_and_numbers(project: Project) -> None:
    settings = 'title = "T"\nkind = "build"\nminutes = 1\nidea = ""\nchapter = ""\n'
    make_exercise(project.root, "1.10-last", settings)

    assert [each.id for each in catalog.read(project).exercises] == ["1.1", "1.2", "1.10"]


def test_selection_takes_ids_ranges_and_stages(found: Catalog) -> None:
    assert [each.id for each in found.select(["1.2"])] == ["1.2"]
    assert [each.id for each in found.select(["1.1-1.2"])] == ["1.1", "1.2"]
    assert [each.id for each in found.select(["1", "1.1"])] == ["1.1", "1.2"]


@pytest.mark.parametrize("word", ["1.9", "7", "1.1-1.9", "1.2-1.1", "words"])
def test_selection_of_what_is_not_there_is_a_usage_error(found: Catalog, word: str) -> None:
    with pytest.raises(UsageError):
        found.select([word])


def test_a_missing_field_names_the_file(project: Project) -> None:
    make_exercise(project.root, "1.3-bad", 'title = "T"\n')

    with pytest.raises(Failure, match=r"1\.3-bad/exercise\.toml: the field 'kind' is missing"):
        catalog.read(project)


def test_a_folder_of_another_stage_is_refused(project: Project) -> None:
    make_exercise(project.root, "2.1-stray", "")

    with pytest.raises(Failure, match="by its stage"):
        catalog.read(project)


def test_starter_has_stubs_and_no_line_of_the_bodies(project: Project, found: Catalog) -> None:
    made = cutting.starter(project.root, found.get("1.1"), fake_worker())

    (text,) = made.files.values()
    assert 'throw new UnsupportedOperationException("not built yet: Counter.add, exercise 1.1");' in text
    assert "before + 1" not in text
    assert "answerOfTheReference" not in text
    assert "int answerOfTheReference = count;" in made.cut_lines


def test_starter_keeps_comments_of_methods_and_markers_of_regions(project: Project, found: Catalog) -> None:
    (text,) = cutting.starter(project.root, found.get("1.1"), fake_worker()).files.values()

    assert "    /** Counts one more. */\n    void add(String name) {" in text
    assert "// region what-it-says\n" in text
    assert "// endregion\n" in text


def test_starter_lacks_removed_members_with_their_comments(project: Project, found: Catalog) -> None:
    (text,) = cutting.starter(project.root, found.get("1.1"), fake_worker()).files.values()

    assert "doubled" not in text
    assert "Helps" not in text


def test_imports_that_nothing_needs_any_more_go(project: Project) -> None:
    source = cutting.Source(project.root / "stage1-storage/src/main/java/dht/storage/Counter.java", fake_worker())
    without_list = COUNTER.replace("    private final List<String> seen = new ArrayList<>();\n", "")

    text = cutting.without_unused_imports(without_list, source)

    assert "import" not in text


def test_a_cut_that_does_not_fit_says_which_name(project: Project) -> None:
    toml = project.root / "stage1-storage/exercises/1.1-counter/exercise.toml"
    toml.write_text(toml.read_text().replace('"count"]', '"amount"]'))

    with pytest.raises(Failure, match=r"Counter\.java has no members called 'amount'"):
        cutting.starter(project.root, catalog.read(project).get("1.1"), fake_worker())


def test_a_wrong_answer_takes_the_place_of_the_methods_of_its_name(project: Project, found: Catalog) -> None:
    exercise = found.get("1.1")

    (text,) = cutting.answer(project.root, exercise, exercise.wrong_files[0], fake_worker()).values()

    assert text == COUNTER.replace("        int before = count;\n        count = before + 1;\n", "")


def test_lines_that_stand_elsewhere_too_are_not_distinctive() -> None:
    lines = {"return answer + secret;", "return value;"}

    left = cutting.distinctive(lines, [("A", "return answer + secret;"), ("B", "  return value;")], {"A": ""})

    assert left == {"return answer + secret;"}


def test_progress_survives_in_a_readable_file(project: Project, found: Catalog) -> None:
    made = Progress.read(project.root)
    made.change(found.get("1.2"), state=BEGUN, branch="exercise/1.2")
    made.change(found.get("1.1"), state=DONE, hints=2, gave_up=True)

    again = Progress.read(project.root)

    assert again.entries == made.entries
    text = (project.root / "progress.toml").read_text()
    assert text.index('["1.1"]') < text.index('["1.2"]')
    assert 'state = "done"\nhints = 2\ngave-up = true\n' in text


def test_next_is_the_begun_one_then_the_one_after_the_last_done(project: Project, found: Catalog) -> None:
    made = Progress.read(project.root)
    first, second = found.exercises
    assert made.next(found) == first
    made.change(first, state=DONE)
    assert made.next(found) == second
    made.change(second, state=BEGUN)
    assert made.next(found) == second
    made.change(second, state=DONE)
    assert made.next(found) is None


def test_expressions_read_the_figures_of_runs() -> None:
    runs: dict[str, dict[str, Any]] = {
        "os": {"p99_ms": 2.0},
        "fsync": {"p99_ms": 9.0, "cpu_groups": {"selector": 30, "GC": 10}},
    }

    assert expressions.evaluate("fsync.p99_ms / os.p99_ms", runs) == 4.5
    assert expressions.evaluate("largest(fsync.cpu_groups)", runs) == "selector"
    assert expressions.evaluate('share(fsync.cpu_groups, "GC") * 100', runs) == 25
    assert expressions.names("fsync.p99_ms / os.p99_ms") == {"fsync", "os"}


def test_figures_of_several_nodes_have_the_cpu_time_of_each(tmp_path: Path) -> None:
    cpu = {"server_us_per_request": 80.0, "server_us_per_request_by_node": [60.0, 20.0]}
    (tmp_path / RUN_JSON).write_text(json.dumps({"format": FORMAT, "cpu": cpu}))

    figures = measured.figures(tmp_path)

    assert figures["server_cpu_us_per_request"] == 80
    assert figures["server_cpu_by_node"] == {"node 1": 60, "node 2": 20}


def test_figures_of_an_overload_have_the_share_that_was_refused(tmp_path: Path) -> None:
    (tmp_path / RUN_JSON).write_text(json.dumps({"format": FORMAT, "results": {"refused_share": 0.31}}))

    assert measured.figures(tmp_path)["refused_share"] == 0.31


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "os.p99_ms.real", "os.p50_ms", "os +", "os.p99_ms / 0", "os"]
)
def test_other_expressions_are_refused(expression: str) -> None:
    with pytest.raises(Failure):
        expressions.evaluate(expression, {"os": {"p99_ms": 2.0}})


def test_an_unanswered_question_is_named(project: Project, found: Catalog) -> None:
    exercise = found.get("1.2")
    sheet = predicting.answer_sheet(project, exercise)
    sheet.parent.mkdir()
    sheet.write_text(predicting.blank(exercise))

    with pytest.raises(Failure, match=r"answers/1\.2-guess\.toml: p99 is 0\.0"):
        predicting.answers(project, exercise)


def test_answers_are_right_within_their_factor(found: Catalog) -> None:
    exercise = found.get("1.2")
    runs = {"put": {"p99_ms": 3.0, "cpu_groups": {"selector": 3, "GC": 1}}}

    close = predicting.judge(exercise, {"p99": 5.9, "group": "selector"}, runs)
    far = predicting.judge(exercise, {"p99": 6.1, "group": "GC"}, runs)

    assert [each.is_right for each in close] == [True, True]
    assert [each.is_right for each in far] == [False, False]


def test_settings_before_a_command_are_not_its_words() -> None:
    assert measured.settings(["REPLICAS=2/3", "KEYS=10", "load", "4", "put"]) == (
        {"REPLICAS": "2/3", "KEYS": "10"},
        ["load", "4", "put"],
    )
    assert measured.settings(["load", "1", "put", "--jvm", "A=B"]) == ({}, ["load", "1", "put", "--jvm", "A=B"])
