"""What pages show of the exercises: which there are, and which mistakes their tests catch."""

from __future__ import annotations

import re
from pathlib import Path

from workbook.exercises import catalog
from workbook.exercises.catalog import Exercise
from workbook.project import Project

COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)


def listed(root: Path, stage: str = "") -> str:
    """A table of the exercises of one stage, or of all."""
    chosen = _chosen(root, stage)
    if not chosen:
        return "There are no exercises yet."
    rows = [
        f"| {each.id} | [{each.title}]({_page(each, stage)}) | {each.kind} | {each.minutes} | {each.idea} |"
        for each in chosen
    ]
    return "\n".join(["| | exercise | kind | minutes | idea |", "|---|---|---|---:|---|", *rows])


def mistakes(root: Path, stage: str = "") -> str:
    """The wrong answers that the checks are tried with, by exercise."""
    lines = []
    for exercise in _chosen(root, stage):
        for file in exercise.wrong_files:
            comment = COMMENT.search(file.read_text(encoding="utf-8"))
            words = " ".join(re.sub(r"^\s*\*\s?", "", comment[1], flags=re.MULTILINE).split()) if comment else file.stem
            lines.append(f"| {exercise.id} {exercise.title} | {words} |")
    return "\n".join(["| exercise | what goes wrong |", "|---|---|", *lines]) if lines else "None yet."


def _chosen(root: Path, stage: str) -> list[Exercise]:
    found = catalog.read(Project(root)).exercises
    return [each for each in found if not stage or each.stage == int(stage)]


def _page(exercise: Exercise, stage: str) -> str:
    """Relative to the page that lists all of them, or to a chapter that lists those of its stage."""
    return f"../exercises/{exercise.slug}.md" if stage else f"{exercise.slug}.md"
