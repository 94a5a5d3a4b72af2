"""The proof by measuring, as far as it needs no server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.exercise_fakes import git, make_exercises
from workbook.exercises import catalog
from workbook.exercises.checkout import Checkout
from workbook.exercises.proving import Trial
from workbook.project import Project

SOURCE = Path("stage1-storage/src/main/java/dht/storage/Counter.java")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_exercises(tmp_path / "checkout")


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        ((10, 40, 11), ""),
        ((10, 14, 10), "the slow code passes"),
        ((10, 18, 10), "in an export the reference fails"),
        ((10, 40, 16), "the reference fails: allowed 1.5"),
    ],
)
def test_a_trial_says_what_it_does_not_tell_apart(
    project: Project, figures: tuple[float, float, float], problem: str
) -> None:
    exercise = replace(catalog.read(project).get("1.1"), kind="speed", factor=1.5, settings={"gain": 2})

    problems = Trial(exercise, *figures).problems

    assert (problem in "; ".join(problems)) if problem else not problems


def test_a_commit_beside_leaves_everything_as_it_was(project: Project) -> None:
    root = project.root
    before = (git(root, "rev-parse", "HEAD"), git(root, "status", "--porcelain"), git(root, "branch", "--list"))

    commit = Checkout(root).commit_beside({root / SOURCE: "class Counter {}\n"}, "slow")

    assert git(root, "show", f"{commit}:{SOURCE}") == "class Counter {}\n"
    assert git(root, "diff", "--name-only", "HEAD", commit).split() == [str(SOURCE)]
    assert before == (git(root, "rev-parse", "HEAD"), git(root, "status", "--porcelain"), git(root, "branch", "--list"))
