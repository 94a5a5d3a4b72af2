"""What exercises there are. Each is a folder beside the stage it belongs to:

    stage1-storage/exercises/1.1-bloom-filter/
        exercise.toml   title, kind, minutes, what is cut or replaced, which tests must pass
        task.md         what to build, a page of the site
        hints.md        one section a hint, from where to look to how it goes
        solution.md     why the reference does it so
        starter/*.java  mend, speed: methods that take the place of the reference's
        wrong/*.java    answers that a student might give, and that a goal test must catch

A file under starter/ or wrong/ holds one class with the simple name of the class that it changes. Its methods take the
place of those of the same name and parameters; its comment says what is wrong with them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from workbook.failure import Failure, UsageError
from workbook.project import Module, Project
from workbook.toml import read_toml

FOLDER = "exercises"
FOLDER_NAME = re.compile(r"(\d+)\.(\d+)-([a-z0-9-]+)")
KINDS = ("build", "mend", "speed", "predict")
HINTS_MIN = 3


@dataclass(frozen=True)
class Cut:
    """Methods of one class that are missing. A method is a name, or `name(Type, Type)` where there are several."""

    class_name: str
    methods: tuple[str, ...]
    removed: tuple[str, ...] = ()
    stubs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Question:
    """One question about the student's own machine. `expect` is an expression over the figures of the runs."""

    name: str
    text: str
    expect: str
    choices: tuple[str, ...] = ()
    unit: str = ""
    within_factor: float = 1.0


@dataclass(frozen=True)
class Exercise:
    folder: Path
    module: Module
    number: int
    title: str
    kind: str
    minutes: int
    idea: str
    chapter: str
    goal: tuple[str, ...]
    goal_except: tuple[str, ...] = ()
    also_red: tuple[str, ...] = ()
    sometimes_red: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()
    may_change: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    runs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    workload: str = ""
    factor: float = 0.0
    settings: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def stage(self) -> int:
        assert self.module.stage_number is not None
        return self.module.stage_number

    @property
    def id(self) -> str:
        return f"{self.stage}.{self.number}"

    @property
    def slug(self) -> str:
        return self.folder.name

    @property
    def task(self) -> Path:
        return self.folder / "task.md"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.md"

    @property
    def starter_files(self) -> list[Path]:
        return sorted((self.folder / "starter").glob("*.java"))

    @property
    def wrong_files(self) -> list[Path]:
        return sorted((self.folder / "wrong").glob("*.java"))

    @property
    def changed_classes(self) -> list[str]:
        """The classes that a student changes: those that are cut, and those that may be changed besides."""
        return list(dict.fromkeys([*(cut.class_name for cut in self.cuts), *self.may_change]))

    @cached_property
    def hints(self) -> list[tuple[str, str]]:
        """Heading and text of each, in order."""
        text = (self.folder / "hints.md").read_text(encoding="utf-8")
        parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
        return [(title.strip(), body.strip()) for title, body in zip(parts[1::2], parts[2::2], strict=True)]

    def class_called(self, simple_name: str) -> str:
        """The full name of the class that a file under starter/ or wrong/ changes."""
        found = [name for name in self.changed_classes if name.rpartition(".")[2] == simple_name]
        if len(found) != 1:
            raise Failure(f"{self.folder / 'exercise.toml'}: no class, or more than one, is called {simple_name}")
        return found[0]


@dataclass(frozen=True)
class Catalog:
    exercises: list[Exercise]

    def get(self, exercise_id: str) -> Exercise:
        for each in self.exercises:
            if each.id == exercise_id:
                return each
        raise UsageError(f"there is no exercise {exercise_id!r}: see ./workbook exercise")

    def select(self, words: list[str]) -> list[Exercise]:
        """Exercises by id (`1.3`), range (`1.1-1.5`) or stage (`1`), in the order of the catalog."""
        wanted: set[str] = set()
        for word in words:
            wanted.update(each.id for each in self._selected(word))
        return [each for each in self.exercises if each.id in wanted]

    def _selected(self, word: str) -> list[Exercise]:
        first, dash, last = word.partition("-")
        if dash:
            begin, end = self.exercises.index(self.get(first)), self.exercises.index(self.get(last))
            if end < begin:
                raise UsageError(f"the range {word} is empty: write {last}-{first}")
            return self.exercises[begin : end + 1]
        if word.isdecimal():
            found = [each for each in self.exercises if each.stage == int(word)]
            if not found:
                raise UsageError(f"stage {word} has no exercises")
            return found
        return [self.get(word)]


def read(project: Project) -> Catalog:
    folders = []
    for module in project.modules:
        for file in module.directory.glob(f"{FOLDER}/*/exercise.toml"):
            match = FOLDER_NAME.fullmatch(file.parent.name)
            if match is None or int(match[1]) != module.stage_number:
                raise Failure(f"{file.parent}: an exercise's folder is called like 1.3-some-words, by its stage")
            folders.append((int(match[1]), int(match[2]), module, file.parent))
    folders.sort(key=lambda each: each[:2])
    return Catalog([_exercise(folder, module, number) for _, number, module, folder in folders])


def _exercise(folder: Path, module: Module, number: int) -> Exercise:
    file = folder / "exercise.toml"
    settings = read_toml(file)
    try:
        made = Exercise(
            folder=folder,
            module=module,
            number=number,
            title=settings["title"],
            kind=settings["kind"],
            minutes=settings["minutes"],
            idea=settings["idea"],
            chapter=settings["chapter"],
            goal=tuple(settings.get("goal", ())),
            goal_except=tuple(settings.get("goal-except", ())),
            also_red=tuple(settings.get("also-red", ())),
            sometimes_red=tuple(settings.get("sometimes-red", ())),
            cuts=tuple(_cut(each) for each in settings.get("cut", ())),
            may_change=tuple(settings.get("may-change", ())),
            questions=tuple(_question(each) for each in settings.get("question", ())),
            runs=tuple((name, tuple(command)) for name, command in settings.get("runs", {}).items()),
            workload=settings.get("workload", ""),
            factor=float(settings.get("factor", 0)),
            settings=settings,
        )
    except KeyError as missing:
        raise Failure(f"{file}: the field {missing} is missing") from missing
    if made.kind not in KINDS:
        raise Failure(f"{file}: kind = {made.kind!r} is not one of {', '.join(KINDS)}")
    return made


def _cut(settings: dict[str, Any]) -> Cut:
    return Cut(
        settings["class"],
        tuple(settings.get("methods", ())),
        tuple(settings.get("remove", ())),
        tuple(settings.get("stub", {}).items()),
    )


def _question(settings: dict[str, Any]) -> Question:
    return Question(
        settings["name"],
        settings["text"],
        settings["expect"],
        tuple(settings.get("choices", ())),
        settings.get("unit", ""),
        float(settings.get("within-factor", 1.0)),
    )
