"""Proves of each exercise that it can be done, that it must be done, and that a wrong answer is noticed.

For every exercise: the starter compiles without a warning; each of its goal tests is red on it (speed: green, since
that code is right, only slow), and green on the reference; each wrong answer is caught by a goal test; no line that was
cut can be found elsewhere by a student; the texts are all there. `full`: all other unit tests of the stage stay green
on the starter, apart from those in `also-red`, and each of these is red.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from workbook import console
from workbook.build import Builder
from workbook.console import activity
from workbook.exercises import checking, cutting, expressions
from workbook.exercises.catalog import HINTS_MIN, Catalog, Exercise
from workbook.exercises.classes import Classes, CompileErrors
from workbook.exercises.others import OtherTests
from workbook.exercises.worker import Problem, TestResult, Worker
from workbook.failure import Failure
from workbook.pages.sources import excerpt, find_source
from workbook.project import Project

WORKERS = 2
WRONG_MIN = 2
SHORTEST_TASK_LINES = 15
QUOTE = re.compile(r"\{\{ code (.+?) \}\}")


@dataclass
class Verdict:
    exercise: Exercise
    problems: list[str] = field(default_factory=list)
    goal_tests: int = 0
    wrong_answers: int = 0
    seconds: float = 0.0


def verify(builder: Builder, found: Catalog, ids: list[str], *, full: bool) -> int:
    """The exit code. Prints a table."""
    chosen = found.select(ids) if ids else found.exercises
    if not chosen:
        raise Failure("there are no exercises")
    classes = Classes(builder)
    classes.prepare([max(chosen, key=lambda each: each.stage).module])
    verdicts = list(_verified(classes, chosen, full=full))
    _print(verdicts, builder)
    failed = [each for each in verdicts if each.problems]
    builder.out.print(f"exercises: {len(verdicts) - len(failed)} passed, {len(failed)} failed", style="bold")
    return 1 if failed else 0


def _verified(classes: Classes, chosen: Sequence[Exercise], *, full: bool) -> Iterator[Verdict]:
    """Two at a time, each worker with the libraries of the latest stage. Prints each as it ends."""
    latest = max(chosen, key=lambda each: each.stage).module
    free: SimpleQueue[Worker] = SimpleQueue()
    out = classes.builder.out
    with ExitStack() as stack:
        workers = [stack.enter_context(classes.worker(latest, f"verify-{number + 1}")) for number in range(WORKERS)]
        for each in workers:
            free.put(each)

        others = OtherTests() if full else None

        def one(exercise: Exercise) -> Verdict:
            worker = free.get()
            try:
                return _Verification(classes, exercise, worker, others).run()
            finally:
                free.put(worker)

        with (
            ThreadPoolExecutor(WORKERS) as pool,
            checking.ended_early(workers, pool),
            activity(out, "verifying") as show,
        ):
            for verdict in pool.map(one, chosen):
                show(f"verified {verdict.exercise.id}")
                words = "; ".join(verdict.problems) or "passed"
                out.print(f"{verdict.exercise.slug}: {words} ({verdict.seconds:.1f} s)")
                yield verdict


class _Verification:
    def __init__(self, classes: Classes, exercise: Exercise, worker: Worker, others: OtherTests | None) -> None:
        self._classes = classes
        self._exercise = exercise
        self._worker = worker
        self._others = others
        self._home = classes.home / "verify" / exercise.slug
        self._verdict = Verdict(exercise)

    @property
    def _root(self) -> Path:
        return self._classes.project.root

    def run(self) -> Verdict:
        started_s = time.monotonic()
        shutil.rmtree(self._home, ignore_errors=True)
        try:
            self._texts()
            if self._exercise.kind == "predict":
                self._questions()
            elif self._exercise.goal:
                self._code()
            else:
                self._say("it has no goal tests")
        except (Failure, CompileErrors) as problem:
            self._say(str(problem))
        self._verdict.seconds = time.monotonic() - started_s
        return self._verdict

    def _say(self, problem: str) -> None:
        self._verdict.problems.append(problem)

    def _texts(self) -> None:
        exercise, docs = self._exercise, self._root / "docs"
        for file in (exercise.task, exercise.solution, exercise.folder / "hints.md"):
            if not file.is_file():
                self._say(f"{file.name} is missing")
                return
        if len(exercise.task.read_text(encoding="utf-8").splitlines()) < SHORTEST_TASK_LINES:
            self._say("task.md says too little")
        if len(exercise.hints) < HINTS_MIN:
            self._say(f"{len(exercise.hints)} hints: there must be {HINTS_MIN}")
        chapter, _, anchor = exercise.chapter.partition("#")
        if not (docs / chapter).is_file():
            self._say(f"chapter = {exercise.chapter!r}: no such page")
        elif anchor and f"{{ #{anchor} }}" not in (docs / chapter).read_text(encoding="utf-8"):
            self._say(f"chapter = {exercise.chapter!r}: no such section")
        self._quotes()
        page = docs / "exercises" / f"{exercise.slug}.md"
        if not page.is_file():
            self._say(f"its page is missing: docs/exercises/{page.name}")
        if f"- exercises/{page.name}\n" not in (self._root / "mkdocs.yml").read_text(encoding="utf-8"):
            self._say("mkdocs.yml does not list its page")

    def _quotes(self) -> None:
        """A task's page quotes code by class and name: each must be there, once."""
        for quote in QUOTE.findall(self._exercise.task.read_text(encoding="utf-8")):
            class_name, _, name = quote.partition(" ")
            try:
                excerpt(find_source(self._root, class_name), name)
            except Failure as problem:
                self._say(f"task.md quotes {quote}: {problem}")

    def _questions(self) -> None:
        names = {name for name, _ in self._exercise.runs}
        if not self._exercise.questions:
            self._say("it has no questions")
        for question in self._exercise.questions:
            if unknown := expressions.names(question.expect) - names:
                self._say(f"question {question.name}: no run is called {', '.join(sorted(unknown))}")
            if not question.choices and question.within_factor <= 1:
                self._say(f"question {question.name}: within-factor must be above 1")

    def _code(self) -> None:
        exercise = self._exercise
        base = self._base()
        reference = checking.goals(exercise, base, self._worker)
        goal_names = {each.name for each in reference.green}
        self._verdict.goal_tests = len(goal_names)
        for each in reference.red:
            self._say(f"red on the reference: {each.short_name}: {each.summary}")
        if not goal_names:
            self._say("no goal test passes on the reference")
            return
        self._starter(base, reference.green)
        self._wrong_answers(base)

    def _base(self) -> list[Path]:
        """The reference's classes. Changed since Maven compiled them: those are compiled anew, in front."""
        return self._classes.changed(self._exercise.module, self._worker)

    def _starter(self, base: list[Path], goals: list[TestResult]) -> None:
        exercise = self._exercise
        made = cutting.starter(self._root, exercise, self._worker)
        if not made.files:
            self._say("nothing is cut or replaced")
            return
        for line in sorted(self._left_over(made)):
            self._say(f"a student can still find this line: {line}")
        overlay, warnings = self._compiled(made.files, "starter", base)
        for warning in warnings:
            self._say(f"the starter has a warning: {warning.message.splitlines()[0]}")
        self._compiled(_with_package(made.files), "starter with its package", base)
        checked = checking.goals(exercise, [overlay, *base], self._worker)
        if exercise.kind == "speed":
            for each in checked.red:
                self._say(f"red on the slow code: {each.short_name}")
        else:
            # A class that cannot even begin makes all of its tests red.
            suites = {each.suite for each in checked.red if not each.test}
            for each in checked.green:
                if each.suite not in suites:
                    self._say(f"green on the starter: {each.short_name}")
        if self._others is not None:
            for problem in self._others.problems(exercise, goals, overlay, base, self._worker):
                self._say(problem)

    def _left_over(self, made: cutting.Starter) -> set[str]:
        texts = list(_sources(self._classes.project))
        cut_files = {str(path): text for path, text in made.files.items()}
        hidden = cutting.distinctive(made.cut_lines, texts, cut_files)
        given = [*made.files.values(), self._exercise.task.read_text(encoding="utf-8")]
        given.append((self._exercise.folder / "hints.md").read_text(encoding="utf-8"))
        return {line for line in hidden for text in given if any(line == each.strip() for each in text.splitlines())}

    def _wrong_answers(self, base: list[Path]) -> None:
        exercise = self._exercise
        if exercise.kind == "speed" and (
            not exercise.workload or exercise.factor <= 1 or "gain" not in exercise.settings
        ):
            self._say("a speed exercise needs workload, factor (above 1) and gain")
        if exercise.kind in ("build", "mend") and len(exercise.wrong_files) < WRONG_MIN:
            self._say(f"{len(exercise.wrong_files)} wrong answers: there must be {WRONG_MIN}")
        for file in exercise.wrong_files:
            files = cutting.answer(self._root, exercise, file, self._worker)
            overlay, _ = self._compiled(files, file.stem, base)
            # One red test is enough: after one that hangs, the others are not waited for.
            checked = checking.goals(exercise, [overlay, *base], self._worker, hangs_max=1)
            if checked.red:
                self._verdict.wrong_answers += 1
            else:
                self._say(f"no goal test catches wrong/{file.name}")

    def _compiled(self, files: dict[Path, str], name: str, base: list[Path]) -> tuple[Path, list[Problem]]:
        """A folder with the classes of the changed sources alone."""
        written = []
        for path, text in files.items():
            copy = self._home / name / "src" / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
            written.append(copy)
        target = self._home / name / "classes"
        class_path = [*base, *self._classes.libraries(self._exercise.module)]
        problems = self._worker.compile(written, class_path, target, ["-proc:none", "-Xlint:all,-processing,-path"])
        if errors := tuple(each for each in problems if each.kind == "error"):
            first = errors[0]
            raise Failure(f"{name} does not compile: {Path(first.file).name}:{first.line}: {first.message}")
        return target, problems


def _with_package(files: dict[Path, str]) -> dict[Path, str]:
    """Other classes of a package may use what the changed ones no longer offer: then Maven could not compile them."""
    folders = {path.parent for path in files}
    around = (path for folder in folders for path in folder.glob("[A-Z]*.java"))
    return {path: path.read_text(encoding="utf-8") for path in around} | files


def _sources(project: Project) -> Iterator[tuple[str, str]]:
    for module in project.modules:
        for path in module.directory.glob("src/**/*.java"):
            yield str(path), path.read_text(encoding="utf-8")


def _print(verdicts: Sequence[Verdict], builder: Builder) -> None:
    numbers = ("goal tests", "wrong answers", "seconds")
    table = console.table("exercise", "kind", *numbers, "", numbers=numbers)
    for each in verdicts:
        table.add_row(
            each.exercise.slug,
            each.exercise.kind,
            str(each.goal_tests),
            str(each.wrong_answers),
            f"{each.seconds:.1f}",
            "passed" if not each.problems else f"{len(each.problems)} problems",
        )
    builder.out.print(table, soft_wrap=False)
