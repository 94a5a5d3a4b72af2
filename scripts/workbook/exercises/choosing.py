"""Which exercise is meant when the command line names none."""

from __future__ import annotations

from workbook.exercises import starting
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.progress import BEGUN, Progress
from workbook.failure import UsageError
from workbook.project import Project


def chosen(exercise_id: str | None, project: Project, catalog: Catalog, made: Progress) -> Exercise:
    """The named one, or the first of this branch that is not done yet, or the last one begun."""
    if exercise_id is not None:
        return catalog.get(exercise_id)
    here = starting.here(project, catalog, made)
    unfinished = [each for each in here if made.of(each).state == BEGUN]
    if unfinished or here:
        return (unfinished or here)[0]
    begun = [each for each in catalog.exercises if made.of(each).state == BEGUN]
    if begun:
        return max(begun, key=lambda each: made.of(each).begun)
    raise UsageError("no exercise is begun: ./workbook exercise shows what there is")
