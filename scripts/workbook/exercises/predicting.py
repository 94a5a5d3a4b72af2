"""Exercises that ask about the student's own machine: the answers are written down first, then measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from workbook.exercises import expressions, measured
from workbook.exercises.catalog import Exercise, Question
from workbook.failure import Failure
from workbook.host import Host
from workbook.project import Project
from workbook.toml import read_toml

FOLDER = "answers"


@dataclass(frozen=True)
class Judged:
    question: Question
    given: float | str
    actual: float | str
    is_right: bool


def answer_sheet(project: Project, exercise: Exercise) -> Path:
    return project.root / FOLDER / f"{exercise.slug}.toml"


def blank(exercise: Exercise) -> str:
    lines = [
        f"# Exercise {exercise.id}: {exercise.title}",
        "# Write your answers before you measure anything, then: ./workbook check",
    ]
    for question in exercise.questions:
        lines += ["", *(f"# {line}" for line in question.text.strip().splitlines())]
        if question.choices:
            lines += [f"# One of: {', '.join(question.choices)}", f'{question.name} = ""']
        else:
            unit = f" ({question.unit})" if question.unit else ""
            lines += [
                f"# A number{unit}; right within a factor of {question.within_factor:g}",
                f"{question.name} = 0.0",
            ]
    return "\n".join(lines) + "\n"


def answers(project: Project, exercise: Exercise) -> dict[str, float | str]:
    """Raises a Failure that names the first question without an answer."""
    sheet = answer_sheet(project, exercise)
    given = read_toml(sheet)
    for question in exercise.questions:
        value = given.get(question.name)
        where = f"{project.short(sheet)}: {question.name}"
        if question.choices and value not in question.choices:
            raise Failure(f"{where} is {value!r}: write one of {', '.join(question.choices)}, then check again")
        if not question.choices and (isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0):
            raise Failure(f"{where} is {value!r}: write a number above 0, then check again")
    return {question.name: given[question.name] for question in exercise.questions}


def measure(project: Project, host: Host, out: Console, exercise: Exercise) -> dict[str, dict[str, Any]]:
    """The figures of the runs that the questions need."""
    return {name: measured.figures(measured.run(project, host, out, words)) for name, words in exercise.runs}


def judge(exercise: Exercise, given: Mapping[str, float | str], runs: Mapping[str, Mapping[str, Any]]) -> list[Judged]:
    judged = []
    for question in exercise.questions:
        actual = expressions.evaluate(question.expect, runs)
        judged.append(Judged(question, given[question.name], actual, _is_right(question, given[question.name], actual)))
    return judged


def _is_right(question: Question, given: float | str, actual: float | str) -> bool:
    if isinstance(actual, str) or isinstance(given, str):
        return given == actual
    if actual <= 0 or given <= 0:
        return given == actual
    return max(given / actual, actual / given) <= question.within_factor
