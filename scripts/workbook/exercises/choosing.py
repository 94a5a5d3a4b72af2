"""Which exercise is meant when the command line names none."""

from __future__ import annotations

from workbook.exercises import starting
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.progress import BEGUN, Progress
from workbook.failure import UsageError
from workbook.project import Project


def chosen(exercise_id: str | None, project: Project, catalog: Catalog, made: Progress) -> Exercise:
    """The named one, or one of this branch that is not done yet, or else of all: the one begun last.

    Of those that were begun together, the first one.
    """
    if exercise_id is not None:
        return catalog.get(exercise_id)
    here = starting.here(project, catalog, made)
    unfinished = [each for each in here if made.of(each).state == BEGUN]
    if here and not unfinished:
        return here[0]
    if begun := unfinished or [each for each in catalog.exercises if made.of(each).state == BEGUN]:
        return max(begun, key=lambda each: made.of(each).begun)
    raise UsageError("no exercise is begun: ./workbook exercise shows what there is")
