"""Beginning and leaving exercises: nothing of the student's is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.exercise_fakes import COUNTER, fake_worker, git, make_exercise, make_exercises
from workbook import interrupts
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.commands import check, exercise
from workbook.exercises import catalog, starting
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.checkout import Checkout
from workbook.exercises.classes import Classes
from workbook.exercises.progress import BEGUN, DONE, OPEN, Progress
from workbook.failure import Failure
from workbook.host import Host
from workbook.project import Project

SOURCE = Path("stage1-storage/src/main/java/dht/storage/Counter.java")
GUESS = """
title = "Another guess"
kind = "predict"
minutes = 15
idea = "Guess first."
chapter = "stages/one.md#how"

[[question]]
name = "p99"
text = "How many milliseconds?"
expect = "1"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_exercises(tmp_path / "checkout")


def start(project: Project, *ids: str, chain: bool = False, again: bool = False) -> starting.Begun:
    found = catalog.read(project)
    made = Progress.read(project.root)
    return starting.start(project, found, found.select(list(ids)), made, fake_worker(), chain=chain, again=again)


def stop(project: Project) -> tuple[str, str]:
    return starting.stop(project, catalog.read(project), Progress.read(project.root))


def chosen(project: Project) -> tuple[Catalog, Exercise]:
    found = catalog.read(project)
    return found, found.get("1.1")


def branch(project: Project) -> str:
    return git(project.root, "rev-parse", "--abbrev-ref", "HEAD").strip()


def test_start_cuts_on_a_branch_of_its_own(project: Project) -> None:
    begun = start(project, "1.1")

    assert branch(project) == begun.branch == "exercise/1.1"
    assert "not built yet" in (project.root / SOURCE).read_text()
    assert begun.files == [project.root / SOURCE]
    assert git(project.root, "status", "--porcelain") == ""
    assert git(project.root, "show", f"main:{SOURCE}") == COUNTER
    assert Progress.read(project.root).of(chosen(project)[1]).state == BEGUN


def test_start_of_several_cuts_all_of_them(project: Project) -> None:
    begun = start(project, "1.1-1.2")

    assert begun.branch == "exercise/1.1-1.2"
    assert (project.root / "answers" / "1.2-guess.toml").is_file()
    assert "not built yet" in (project.root / SOURCE).read_text()


@pytest.mark.parametrize("name", [str(SOURCE), "notes.txt"])
def test_start_refuses_a_tree_with_changes(project: Project, name: str) -> None:
    (project.root / name).write_text("mine")

    with pytest.raises(Failure, match=name):
        start(project, "1.1")

    assert branch(project) == "main"
    assert (project.root / name).read_text() == "mine"


def test_start_that_fails_leaves_everything_as_it_was(project: Project) -> None:
    toml = project.root / "stage1-storage/exercises/1.1-counter/exercise.toml"
    toml.write_text(toml.read_text().replace('"count"]', '"amount"]'))
    git(project.root, "commit", "--quiet", "-am", "an exercise that does not fit")

    with pytest.raises(Failure, match="amount"):
        start(project, "1.1")

    assert branch(project) == "main"
    assert git(project.root, "branch", "--list", "exercise/*") == ""
    assert git(project.root, "status", "--porcelain") == ""


def test_stop_keeps_what_was_not_committed_and_start_goes_on_there(project: Project) -> None:
    start(project, "1.1")
    (project.root / SOURCE).write_text("mine, half done")

    assert stop(project) == ("exercise/1.1", "main")
    assert (project.root / SOURCE).read_text() == COUNTER
    assert start(project, "1.1").was_there
    assert (project.root / SOURCE).read_text() == "mine, half done"


def test_stop_on_the_reference_says_that_nothing_is_begun(project: Project) -> None:
    with pytest.raises(Failure, match="no exercise is begun here: this is the branch main"):
        stop(project)


def test_start_again_keeps_the_earlier_branch_under_another_name(project: Project) -> None:
    start(project, "1.1")
    (project.root / SOURCE).write_text("first try")
    stop(project)

    begun = start(project, "1.1", again=True)

    assert begun.kept == "exercise/1.1-kept-1"
    assert "not built yet" in (project.root / SOURCE).read_text()
    assert git(project.root, "show", f"exercise/1.1-kept-1:{SOURCE}") == "first try"


def test_start_from_another_exercise_begins_at_the_reference_unless_chained(project: Project) -> None:
    start(project, "1.1")
    (project.root / SOURCE).write_text("my answer")
    git(project.root, "commit", "--quiet", "-am", "my answer")

    start(project, "1.2")
    assert (project.root / SOURCE).read_text() == COUNTER
    git(project.root, "switch", "--quiet", "exercise/1.1")
    start(project, "1.2", chain=True, again=True)

    assert (project.root / SOURCE).read_text() == "my answer"


def test_chain_from_the_reference_goes_on_from_the_answer_that_was_done_last(project: Project) -> None:
    _, exercise = chosen(project)
    start(project, "1.1")
    (project.root / SOURCE).write_text("my answer")
    Progress.read(project.root).change(exercise, state=DONE, done="2026-11-25T01:00:00Z")
    stop(project)

    begun = start(project, "1.2", chain=True)

    assert (project.root / SOURCE).read_text() == "my answer"
    assert begun.on_top_of == "exercise/1.1"


def test_start_again_on_top_of_the_branch_that_is_renamed(project: Project) -> None:
    start(project, "1.2")
    (project.root / "notes.txt").write_text("mine")
    git(project.root, "add", "--all")
    git(project.root, "commit", "--quiet", "-m", "my notes")

    begun = start(project, "1.2", chain=True, again=True)

    assert (begun.kept, begun.on_top_of) == ("exercise/1.2-kept-1", "exercise/1.2-kept-1")
    assert (project.root / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("left", ["main", "exercise/1.1"])
@pytest.mark.parametrize("fails", ["branch", "switch", "_cut", "commit"])
def test_start_again_that_is_interrupted_leaves_every_branch_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch, left: str, fails: str
) -> None:
    start(project, "1.1")
    (project.root / SOURCE).write_text("my answer")
    git(project.root, "commit", "--quiet", "-am", "my answer")
    git(project.root, "switch", "--quiet", left)
    before = git(project.root, "show-ref")

    with monkeypatch.context() as patched:
        interrupt_at(fails, patched)
        with pytest.raises(KeyboardInterrupt):
            start(project, "1.1", again=True)

    assert git(project.root, "show-ref") == before
    assert branch(project) == left
    assert git(project.root, "status", "--porcelain") == ""


def test_start_that_is_interrupted_leaves_no_answer_sheet(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_at("commit", monkeypatch)

    with pytest.raises(KeyboardInterrupt):
        start(project, "1.2")

    assert git(project.root, "status", "--porcelain") == ""
    assert branch(project) == "main"


def test_interrupt_waits_until_git_has_ended(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = subprocess.run
    ended = []

    def run_while_interrupted(*words: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        done = plain(*words, **more)
        ended.append(done.stdout.strip())
        return done

    monkeypatch.setattr(subprocess, "run", run_while_interrupted)
    with interrupts.taken(), pytest.raises(interrupts.Interrupted):
        Checkout(project.root).git("-c", "alias.session=!ps -o sess= -p $$ #", "session")

    assert ended != [str(os.getsid(0))], "Ctrl-C reaches git"
    assert len(ended) == 1, "git did not end"


def interrupt_at(what: str, patched: pytest.MonkeyPatch) -> None:
    """Right after a command of git that changes a branch, or in the middle of a step, but only once."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    if what == "_cut":
        patched.setattr(starting, "_cut", interrupt)
        return
    if what == "commit":
        patched.setattr(Checkout, "commit", interrupt)
        return
    plain = Checkout.git
    interrupted: list[tuple[str, ...]] = []

    def git_then_interrupt(self: Checkout, *words: str, **more: Any) -> str:
        said = plain(self, *words, **more)
        if words[:2] in {("branch", "--move"), ("switch", "--quiet")} and words[0] == what and not interrupted:
            interrupted.append(words)
            interrupt()
        return said

    patched.setattr(Checkout, "git", git_then_interrupt)


def test_selection_with_a_gap_names_each_exercise(project: Project) -> None:
    make_exercise(project.root, "1.3-guess-again", GUESS)
    git(project.root, "add", "--all")
    git(project.root, "commit", "--quiet", "-m", "one more")

    assert start(project, "1.1", "1.3").branch == "exercise/1.1,1.3"
    stop(project)
    assert start(project, "1.1", "1.3").was_there
    assert start(project, "1.1", "1.2", "1.3").branch == "exercise/1.1-1.3"


def test_what_passes_on_another_branch_is_not_recorded(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    found, exercise = chosen(project)

    def conclude() -> str:
        classes = Classes(Builder(project, Host(), Console(width=200)))
        check.Check(classes, found, exercise, [], with_guards=False)._conclude([])
        return Progress.read(project.root).of(exercise).state

    assert conclude() == OPEN
    start(project, "1.1")
    stop(project)
    assert conclude() == BEGUN
    assert "it was begun on the branch exercise/1.1" in capsys.readouterr().out
    start(project, "1.1")
    Progress.read(project.root).change(exercise, hints=2)

    assert conclude() == DONE
    assert Progress.read(project.root).of(exercise).hints == 2


def test_check_of_all_means_those_of_this_branch(project: Project) -> None:
    found, _ = chosen(project)
    start(project, "1.1")
    start(project, "1.2")

    def here() -> list[str]:
        made = Progress.read(project.root)
        return [each.id for each in found.exercises if starting.is_here(project, each, made)]

    assert here() == ["1.2"]
    stop(project)
    assert here() == []


def test_source_that_was_saved_during_a_check_is_checked_at_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, exercise = chosen(project)
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waits"))
    before = check._times(exercise)
    os.utime(project.root / SOURCE, ns=(1, 1))

    check._await_change(exercise, before)


def test_chain_without_an_answer_is_refused_and_changes_nothing(project: Project) -> None:
    with pytest.raises(Failure, match="there is none that is done"):
        start(project, "1.1", chain=True)

    assert branch(project) == "main"


def test_what_is_cut_out_here_is_to_do_until_it_is_done_and_there(project: Project) -> None:
    found, exercise = chosen(project)

    def to_do() -> list[str]:
        return [each.id for each in starting.to_do_here(project, found, Progress.read(project.root))]

    assert to_do() == []
    start(project, "1")
    assert to_do() == ["1.1"]
    Progress.read(project.root).change(exercise, state=DONE)
    assert to_do() == ["1.1"]  # Its stubs are still there.
    (project.root / SOURCE).write_text(COUNTER)
    assert to_do() == []


def test_a_begun_exercise_that_is_done_stays_done(project: Project) -> None:
    _, exercise = chosen(project)
    start(project, "1.1")
    Progress.read(project.root).change(exercise, state=DONE)
    stop(project)

    start(project, "1.1")

    assert Progress.read(project.root).of(exercise).state == DONE


def test_start_of_a_prediction_compiles_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Classes, "prepare", lambda *_: pytest.fail("it compiles"))
    monkeypatch.chdir(project.root)
    parser = Parser(prog="workbook exercise")
    exercise.configure(parser)

    assert exercise.run(parser.read(["start", "1.2"]), project, Host()) == 0

    assert (project.root / "answers" / "1.2-guess.toml").is_file()
    assert branch(project) == "exercise/1.2"


def test_chain_on_a_branch_that_is_there_is_said_to_do_nothing(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = Parser(prog="workbook exercise")
    exercise.configure(parser)

    def said(*words: str) -> str:
        assert exercise.run(parser.read(["start", "1.2", *words]), project, Host()) == 0
        return capsys.readouterr().out

    assert "--chain" not in said()
    assert "--chain did nothing" in (second := said("--chain"))
    assert second.count("./workbook exercise start 1.2 --again --chain") == 1
    assert "--chain" not in said("--again", "--chain")


def test_check_of_a_prediction_compiles_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Classes, "prepare", lambda *_: pytest.fail("it compiles"))
    classes = Classes(Builder(project, Host(), Console()))

    with check._workers(classes, [catalog.read(project).get("1.2")]) as workers:
        assert workers == []
