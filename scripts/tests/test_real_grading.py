"""The reference handed in as a submission: with the limits of grading, each goal test must still pass."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbook import console
from workbook.build import Builder
from workbook.cli import ROOT
from workbook.exercises import catalog, checking
from workbook.exercises.catalog import Exercise
from workbook.exercises.classes import Classes
from workbook.exercises.grading import Grader, Rules
from workbook.exercises.sandbox import Sandbox
from workbook.host import Host
from workbook.project import Project

pytestmark = pytest.mark.long_by_nature

CATALOG = catalog.read(Project(ROOT))
GRADED = [each for each in CATALOG.exercises if each.kind != "predict"]


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """Without the time limits of the exercises: a busy machine may need longer than a student's."""
    project = Project(ROOT)
    classes = Classes(Builder(project, Host(), console.standard_output()))
    classes.prepare([max(GRADED, key=lambda each: each.stage).module])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(checking, "timeout_s", lambda _exercise: 60)
        yield Grader(classes, CATALOG, Rules({}), Sandbox(Host(), in_container=False))


@pytest.mark.parametrize("exercise", GRADED, ids=lambda each: each.id)
def test_goal_tests_pass_on_the_reference_within_the_limits(grader: Grader, exercise: Exercise) -> None:
    """A test may need more than a submission gets, for example a larger file. Then nobody could have its points."""
    results = grader.run(ROOT, exercise)

    assert results
    assert [f"{each.short_name}: {each.summary}" for each in results if each.outcome != "passed"] == []
