"""Points for what came back: the allowed files of a submission, laid over the teacher's own checkout."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbook.exercises import checking, exporting, predicting, progress
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.classes import Classes
from workbook.exercises.progress import Progress
from workbook.exercises.sandbox import Sandbox
from workbook.exercises.worker import TestResult, Worker
from workbook.failure import Failure
from workbook.pages.sources import find_source
from workbook.toml import read_toml

FILE_BYTES_MAX = 1 << 20
HANGS_MAX = 4
DEFAULTS: Mapping[str, Any] = {"points": 10, "partial": True, "hint-cost": 0, "gave-up-factor": 1.0}


@dataclass(frozen=True)
class Rules:
    """`grading.toml`: a table `defaults`, and one for each exercise or contract that differs."""

    tables: Mapping[str, Mapping[str, Any]]

    @staticmethod
    def read(file: Path | None) -> Rules:
        tables = read_toml(file) if file is not None else {}
        for name, table in tables.items():
            if unknown := set(table) - set(DEFAULTS):
                raise Failure(f"{file}: [{name}] has {', '.join(sorted(unknown))}; known are {', '.join(DEFAULTS)}")
        return Rules(tables)

    def of(self, name: str) -> dict[str, Any]:
        """Of an exercise by its id, or of a contract by its name."""
        return {**DEFAULTS, **self.tables.get("defaults", {}), **self.tables.get(name, {})}


@dataclass(frozen=True)
class Grade:
    """Of one exercise of one submission, or of one contract of a server. `results`: one for each of its tests."""

    id: str
    title: str
    points: float
    points_max: float
    results: list[TestResult] = field(default_factory=list)
    remark: str = ""

    @property
    def name(self) -> str:
        return f"{self.id} {self.title}".strip()

    @property
    def passed(self) -> int:
        return sum(each.outcome == "passed" for each in self.results)


@dataclass(frozen=True)
class Graded:
    name: str
    folder: Path
    grades: list[Grade]

    @property
    def points(self) -> float:
        return sum(each.points for each in self.grades)

    @property
    def points_max(self) -> float:
        return sum(each.points_max for each in self.grades)


def submissions(folder: Path) -> list[Path]:
    """One, or those in the folder: a submission has the entry script at its root."""
    if not folder.is_dir():
        raise Failure(f"{folder} is not a folder")
    if (folder / "workbook").is_file():
        return [folder]
    found = sorted(each for each in folder.iterdir() if (each / "workbook").is_file())
    if not found:
        raise Failure(f"{folder} holds no submission: a submission has ./workbook at its root")
    return found


def skipped(folder: Path, found: Sequence[Path]) -> list[Path]:
    """What else is in the folder, apart from hidden files: a submission that was not unpacked, or lies one deeper."""
    others = [] if folder in found else [each for each in folder.iterdir() if each not in found]
    return sorted(each for each in others if not each.name.startswith("."))


class Grader:
    """Grades with the reference's tests and scripts alone. What a submission changes besides counts for nothing."""

    def __init__(self, classes: Classes, found: Catalog, rules: Rules, sandbox: Sandbox) -> None:
        self._classes = classes
        self._catalog = found
        self._rules = rules
        self._sandbox = sandbox
        self._expected: dict[str, list[TestResult]] = {}

    @property
    def catalog(self) -> Catalog:
        return self._catalog

    def grade(self, submission: Path, chosen: Sequence[Exercise]) -> Graded:
        made = _progress(submission)
        grades = [self._grade(submission, exercise, made) for exercise in chosen]
        return Graded(readable(submission.resolve().name), submission, grades)

    def _grade(self, submission: Path, exercise: Exercise, made: Progress) -> Grade:
        rules = self._rules.of(exercise.id)
        points_max = float(rules["points"])
        if exercise.kind == "predict":
            return self._grade_prediction(submission, exercise, points_max)
        expected = self._goal_tests(exercise)
        try:
            results = _of_all(expected, self.run(submission, exercise))
        except Failure as problem:
            lost = [TestResult(each.suite, each.test, "failed", 0.0, str(problem)) for each in expected]
            return Grade(exercise.id, exercise.title, 0.0, points_max, lost, readable(str(problem).splitlines()[0]))
        passed = sum(each.outcome == "passed" for each in results)
        share = passed / len(expected) if rules["partial"] or passed == len(expected) else 0.0
        entry = made.of(exercise)
        points = points_max * share
        if entry.gave_up:
            points *= float(rules["gave-up-factor"])
        hints = min(max(0, entry.hints), len(exercise.hints))  # A submission may say any number.
        points = max(0.0, points - hints * float(rules["hint-cost"]))
        remark = "" if passed == len(expected) else f"{passed} of {len(expected)} checks pass"
        if exercise.kind == "speed" and not remark:
            remark = "right; its speed was not measured"
        return Grade(exercise.id, exercise.title, round(points, 2), points_max, results, remark)

    def _grade_prediction(self, submission: Path, exercise: Exercise, points_max: float) -> Grade:
        """That there is an answer to each question. Whether it is right depends on the student's machine."""
        sheet = submission / predicting.FOLDER / f"{exercise.slug}.toml"
        try:
            given = read_toml(sheet) if _is_plain(sheet) and sheet.stat().st_size <= FILE_BYTES_MAX else {}
        except Failure:
            given = {}
        answered = sum(given.get(question.name) not in (None, "", 0, 0.0) for question in exercise.questions)
        points = points_max * answered / len(exercise.questions)
        remark = f"{answered} of {len(exercise.questions)} questions answered; not judged"
        return Grade(exercise.id, exercise.title, round(points, 2), points_max, [], remark)

    def _goal_tests(self, exercise: Exercise) -> list[TestResult]:
        """Those that pass on the reference: also where submissions are run, or nobody could pass them."""
        if exercise.id not in self._expected:
            with self._classes.worker(exercise.module, "grade-reference") as worker:
                folders = self._classes.changed(exercise.module, worker)
                checked = checking.goals(exercise, folders, worker)
            if not checked.green:
                raise Failure(f"exercise {exercise.id}: no goal test passes on the reference")
            for each in _of_all(checked.green, self.run(self._classes.project.root, exercise)):
                if each.outcome != "passed":
                    raise Failure(
                        f"exercise {exercise.id}: {each.short_name} passes on the reference, but not where submissions"
                        f" are run: {each.summary}\ngrade the other exercises with --exercises"
                    )
            self._expected[exercise.id] = checked.green
        return self._expected[exercise.id]

    def run(self, submission: Path, exercise: Exercise) -> list[TestResult]:
        """Of the goal tests, with the submission's classes and with the limits of grading. A hang ends it early."""
        classes = self._classes
        with tempfile.TemporaryDirectory(prefix="grade-") as place:
            home = Path(place)
            with classes.worker(exercise.module, "grade-compile") as compiler:
                base = classes.changed(exercise.module, compiler)
                overlay = self._compile(submission, exercise, base, compiler, home)
            folders = [overlay, *_without_reference(exercise, base, home)]
            with self._sandbox.worker(classes, exercise, folders, home) as worker:
                return self._test(worker, exercise, folders)

    @staticmethod
    def _test(worker: Worker, exercise: Exercise, folders: Sequence[Path]) -> list[TestResult]:
        within_s = checking.timeout_s(exercise)  # As for the student.
        return worker.test(folders, exercise.goal, test_timeout_s=within_s, hangs_max=HANGS_MAX)

    def _compile(
        self, submission: Path, exercise: Exercise, base: Sequence[Path], compiler: Worker, home: Path
    ) -> Path:
        sources = [self._allowed_file(submission, name, home) for name in exercise.changed_classes]
        target = home / "overlay"
        path = [*base, *self._classes.libraries(exercise.module)]
        problems = compiler.compile(sources, path, target, ["-proc:none"])
        for each in problems:
            if each.kind == "error":
                raise Failure(
                    f"it does not compile: {Path(each.file).name}:{each.line}: {each.message.splitlines()[0]}"
                )
        _refuse_others(exercise, base, target)
        return target

    def _allowed_file(self, submission: Path, class_name: str, home: Path) -> Path:
        """A copy of the file that a student may change. Anything but a plain file of some size is refused."""
        root = self._classes.project.root
        name = find_source(root, class_name).relative_to(root)
        file = submission / name
        if not _is_plain(file) or not file.resolve().is_relative_to(submission.resolve()):
            raise Failure(f"{name} is missing, or is no plain file")
        if file.stat().st_size > FILE_BYTES_MAX:
            raise Failure(f"{name} is larger than {FILE_BYTES_MAX} bytes")
        copy = home / "src" / name.name
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, copy)
        return copy


def _of_all(expected: Sequence[TestResult], found: Sequence[TestResult]) -> list[TestResult]:
    by_name = {each.name: each for each in found}
    missing = "it was not run: too many tests before it hung, or ended their JVM"
    return [by_name.get(each.name, TestResult(each.suite, each.test, "failed", 0.0, missing)) for each in expected]


def _is_of(exercise: Exercise, class_file: str) -> bool:
    """Whether `dht/some/Name.class`, or one of its nested classes, is what a student may change."""
    name = class_file.removesuffix(".class").replace("/", ".")
    return name.partition("$")[0] in exercise.changed_classes


def _refuse_others(exercise: Exercise, base: Sequence[Path], overlay: Path) -> None:
    """A file may hold further classes, but none that the workbook has: a test, for one, which would pass."""
    for path in overlay.rglob("*.class"):
        name = path.relative_to(overlay).as_posix()
        if not _is_of(exercise, name) and any((folder / name).exists() for folder in base):
            raise Failure(f"it holds a class of the workbook that it may not change: {name}")


def _without_reference(exercise: Exercise, base: Sequence[Path], home: Path) -> list[Path]:
    """The folders without the classes that the student writes: an answer could load and call them."""
    kept = []
    for number, folder in enumerate(base):
        if not any((folder / f"{name.replace('.', '/')}.class").exists() for name in exercise.changed_classes):
            kept.append(folder)
            continue
        copy = home / "base" / str(number) / folder.parent.name / folder.name

        def answers(place: str, names: list[str], folder: Path = folder) -> list[str]:
            inside = Path(place).relative_to(folder)
            return [name for name in names if name.endswith(".class") and _is_of(exercise, str(inside / name))]

        shutil.copytree(folder, copy, ignore=answers)
        kept.append(copy)
    return kept


def readable(text: str) -> str:
    """What cannot be printed, or is no character at all, is spelled out: names and messages come from strangers."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink() and os.access(file, os.R_OK)


def _progress(submission: Path) -> Progress:
    """What the submission says of hints; nothing where that cannot be read."""
    file = submission / progress.FILE
    try:
        if _is_plain(file) and file.stat().st_size <= FILE_BYTES_MAX:
            return Progress.read(submission)
    except Failure:
        pass
    return Progress(file)


def wanted(submissions: Sequence[Path], found: Catalog) -> tuple[list[Exercise], dict[Path, str]]:
    """The exercises of the exports that came back, for all of them the same, and the submissions that name others.

    A submission can't choose what it is graded for: what one of them holds, all are graded for. All exercises where
    none is an export. The second part says of such a submission what its list has, as a message to the teacher.
    """
    lists = {each: _listed(each, found) for each in submissions}
    ids = {exercise_id for listed in lists.values() for exercise_id in listed}
    chosen = [each for each in found.exercises if each.id in ids]
    odd = {each: ", ".join(listed) or "nothing" for each, listed in lists.items() if set(listed) != ids}
    return (chosen, odd) if chosen else (found.exercises, {})


def _listed(submission: Path, found: Catalog) -> list[str]:
    """The exercises that the submission's `export.toml` names; none where there is none, or it cannot be read."""
    file = submission / exporting.MARK
    try:
        if not _is_plain(file) or file.stat().st_size > FILE_BYTES_MAX:
            return []
        named = set(exporting.exported_ids(submission))
    except Failure:
        return []
    return [each.id for each in found.exercises if each.id in named]
