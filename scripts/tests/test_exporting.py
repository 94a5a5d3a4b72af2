"""Repositories to hand out: they hold the exercises, and no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exercise_fakes import fake_worker, git, make_exercise, make_exercises
from workbook.exercises import catalog, choosing, exporting, starting
from workbook.exercises.progress import BEGUN, Progress
from workbook.failure import Failure
from workbook.project import Project

SOURCE = Path("stage1-storage/src/main/java/dht/storage/Counter.java")
CUT_LINES = ("int before = count;", "count = before + 1;", "int answerOfTheReference = count;")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_exercises(tmp_path / "checkout")


def export(project: Project, target: Path, *ids: str) -> exporting.Exported:
    found = catalog.read(project)
    return exporting.export(project, found, found.select(list(ids or ["1"])), target, fake_worker())


def commit(project: Project) -> None:
    git(project.root, "add", "--all")
    git(project.root, "commit", "--quiet", "-m", "more")


def test_an_export_holds_the_starters_and_one_commit(project: Project, tmp_path: Path) -> None:
    made = export(project, tmp_path / "out")

    text = (tmp_path / "out" / SOURCE).read_text()
    assert "not built yet: Counter.add, exercise 1.1" in text
    assert git(tmp_path / "out", "rev-list", "--count", "--all").strip() == "1"
    assert git(tmp_path / "out", "status", "--porcelain") == ""
    assert [each.id for each in made.exercises] == ["1.1", "1.2"]
    assert made.hidden_lines >= len(CUT_LINES)


def test_no_cut_line_is_in_its_files_or_objects(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(project, out)

    objects = git(out, "cat-file", "--batch-all-objects", "--batch")
    files = "\n".join(path.read_text() for path in out.rglob("*") if path.is_file() and ".git" not in path.parts)
    for line in CUT_LINES:
        assert line not in objects
        assert line not in files


def test_answers_are_left_out_and_tasks_and_hints_are_kept(project: Project, tmp_path: Path) -> None:
    export(project, tmp_path / "out")

    folder = tmp_path / "out" / "stage1-storage" / "exercises" / "1.1-counter"
    assert sorted(path.name for path in folder.iterdir()) == ["exercise.toml", "hints.md", "task.md"]


def test_exercises_that_were_not_chosen_are_left_out_and_stay_reference(project: Project, tmp_path: Path) -> None:
    export(project, tmp_path / "out", "1.2")

    folder = tmp_path / "out" / "stage1-storage" / "exercises" / "1.1-counter"
    assert [path.name for path in folder.iterdir()] == ["task.md"]
    assert [each.id for each in catalog.read(Project(tmp_path / "out")).exercises] == ["1.2"]
    assert "count = before + 1;" in (tmp_path / "out" / SOURCE).read_text()


def test_progress_is_kept_by_git_so_that_hints_are_seen(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(project, out)

    assert "progress.toml" in git(out, "ls-files").split()
    found = catalog.read(Project(out))
    assert [Progress.read(out).of(each).state for each in found.exercises] == [BEGUN, BEGUN]
    assert (out / "answers" / "1.2-guess.toml").is_file()


def test_check_in_an_export_means_the_first_one_or_the_one_that_was_started(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(project, out)
    exported = Project(out)
    found, made = catalog.read(exported), Progress.read(out)
    for each in found.exercises:
        made.change(each, begun="2026-01-01T00:00:00Z")
    first, second = found.exercises
    assert choosing.chosen(None, exported, found, made) == first

    starting.start(exported, found, [second], made, fake_worker(), chain=False, again=False)

    assert choosing.chosen(None, exported, found, made) == second


def test_on_any_branch_of_an_export_all_of_its_exercises_are_here(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(project, out)
    git(out, "switch", "--quiet", "--create", "mine")
    exported = Project(out)
    found, made = catalog.read(exported), Progress.read(out)

    assert starting.here(exported, found, made) == found.exercises
    assert [each.id for each in starting.to_do_here(exported, found, made)] == ["1.1"]
    git(out, "switch", "--quiet", "--detach")  # As a workflow does.
    assert starting.here(exported, found, made) == found.exercises


def test_start_and_stop_in_an_export_change_nothing(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(project, out, "1.1")
    exported = Project(out)
    found, made = catalog.read(exported), Progress.read(out)

    begun = starting.start(exported, found, found.exercises, made, fake_worker(), chain=False, again=False)

    assert begun.branch == "main"
    assert begun.files == [out / SOURCE]
    with pytest.raises(Failure, match="there is no reference to go back to"):
        starting.stop(exported, found, made)


def test_an_answer_that_stands_in_a_hint_is_noticed_and_nothing_is_left(project: Project, tmp_path: Path) -> None:
    hints = project.root / "stage1-storage" / "exercises" / "1.1-counter" / "hints.md"
    hints.write_text(hints.read_text() + "\n    count = before + 1;\n")
    commit(project)

    with pytest.raises(Failure, match=r"hints\.md has the line: count = before \+ 1;"):
        export(project, tmp_path / "out")

    assert not (tmp_path / "out").exists()


def test_two_exercises_that_change_the_same_method_are_refused(project: Project, tmp_path: Path) -> None:
    folder = make_exercise(
        project.root,
        "1.3-mend",
        """
title = "A mistake"
kind = "mend"
minutes = 15
idea = "Look."
chapter = "stages/one.md#how"
goal = ["dht.storage.CounterTest"]
may-change = ["dht.storage.Counter"]
""",
    )
    (folder / "starter").mkdir()
    (folder / "starter" / "Counter.java").write_text(
        "class Counter {\n    int count() {\n        return 1;\n    }\n}\n"
    )
    commit(project)

    with pytest.raises(Failure, match=r"1\.1 and 1\.3 both change Counter\.count"):
        export(project, tmp_path / "out")
    found = catalog.read(project)
    assert [each.id for each in exporting.fitting(project, found.exercises, fake_worker())] == ["1.1", "1.2"]


def test_a_folder_that_is_not_empty_or_a_dirty_tree_is_refused(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(Failure, match="is not empty"):
        export(project, out)
    assert (out / "mine.txt").is_file()

    (project.root / "new.txt").write_text("new")
    with pytest.raises(Failure, match=r"new\.txt"):
        export(project, tmp_path / "other")


def test_what_mutants_change_is_left_out(project: Project, tmp_path: Path) -> None:
    (project.root / "stage1-storage" / "mutants.txt").write_text("Counter.add | MATH | count = before + 1;\n")
    commit(project)

    export(project, tmp_path / "out")

    assert not (tmp_path / "out" / "stage1-storage" / "mutants.txt").exists()


def test_an_answer_that_is_quoted_in_a_list_is_noticed(project: Project, tmp_path: Path) -> None:
    (project.root / "notes.txt").write_text("Counter.add | why | count = before + 1;\n")
    commit(project)

    with pytest.raises(Failure, match=r"notes\.txt has the line: count = before \+ 1;"):
        export(project, tmp_path / "out")


@pytest.mark.parametrize(
    "text", ["", "[export]\n", "export = 1\n", '[export]\nexercises = "1.1"\n', "[export]\nexercises = [1]\n"]
)
def test_a_list_of_exercises_that_makes_no_sense_is_a_failure(tmp_path: Path, text: str) -> None:
    (tmp_path / "export.toml").write_text(text)

    with pytest.raises(Failure, match=r"export\.toml must have \[export\]"):
        exporting.exported_ids(tmp_path)


def test_code_to_compare_with_has_all_other_answers(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(project, out)
    exported = Project(out)
    found = catalog.read(exported)
    stub = (out / SOURCE).read_text()
    (out / SOURCE).write_text("my answer")
    other = SOURCE.with_name("Other.java")
    (out / other).write_text("another answer, not committed")

    commit_id = exporting.begun_with(exported, found, found.get("1.1"))

    assert git(out, "show", f"{commit_id}:{SOURCE}") == stub
    assert git(out, "show", f"{commit_id}:{other}") == "another answer, not committed"
    assert (out / SOURCE).read_text() == "my answer"
    assert git(out, "rev-list", "--count", "--all").strip() == "1"


def test_class_that_another_exercise_changes_too_keeps_its_answers(project: Project, tmp_path: Path) -> None:
    folder = make_exercise(
        project.root,
        "1.3-slow",
        """
title = "Too slow"
kind = "speed"
minutes = 15
idea = "Measure."
chapter = "stages/one.md#how"
goal = ["dht.storage.CounterTest"]
may-change = ["dht.storage.Counter", "dht.storage.Slow"]
""",
    )
    slow = SOURCE.with_name("Slow.java")
    (project.root / slow).write_text("final class Slow {\n    int sum() {\n        return 1;\n    }\n}\n")
    (folder / "starter").mkdir()
    (folder / "starter" / "Slow.java").write_text("class Slow {\n    int sum() {\n        return 2;\n    }\n}\n")
    commit(project)
    out = tmp_path / "out"
    export(project, out, "1.1", "1.3")
    exported = Project(out)
    found = catalog.read(exported)
    for path in (SOURCE, slow):
        (out / path).write_text("my answer")

    commit_id = exporting.begun_with(exported, found, found.get("1.3"))

    assert git(out, "show", f"{commit_id}:{SOURCE}") == "my answer"
    assert "return 2;" in git(out, "show", f"{commit_id}:{slow}")


def test_clone_without_the_first_commit_says_how_to_get_it(project: Project, tmp_path: Path) -> None:
    export(project, tmp_path / "out")
    git(tmp_path / "out", "commit", "--quiet", "--allow-empty", "-m", "so far")
    git(tmp_path, "clone", "--quiet", "--depth=1", (tmp_path / "out").as_uri(), "shallow")
    shallow = Project(tmp_path / "shallow")
    found = catalog.read(shallow)

    with pytest.raises(Failure, match="git fetch --unshallow"):
        exporting.begun_with(shallow, found, found.get("1.1"))
