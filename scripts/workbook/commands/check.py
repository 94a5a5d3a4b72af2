"""`workbook check`: red or green, and why."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from rich.console import Console
from rich.text import Text

from workbook import console
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.console import activity
from workbook.exercises import catalog, checking, exporting, predicting, progress, speed, starting
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.checking import Checked
from workbook.exercises.choosing import chosen
from workbook.exercises.classes import Classes, CompileErrors
from workbook.exercises.progress import DONE, Progress
from workbook.exercises.worker import TestResult, Worker
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.project import Project

DESCRIPTION = """\
Compiles what you have changed and runs the checks of an exercise. Shows which checks pass, which fail, and the message
of the first one that fails. When all pass, the other tests of the stage follow.
"""
EXIT_CODES = "Exit code: 0 all checks pass, 1 one fails, 2 the command line makes no sense."
WATCH_EVERY_S = 0.5
RUN_AGAIN_MAX = 10


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EXIT_CODES
    parser.add_argument("id", nargs="?", metavar="ID", help="such as 1.3; default: the one that you are at")
    parser.add_argument("--watch", action="store_true", help="check again whenever a source is saved; Ctrl-C ends it")
    parser.add_argument(
        "--all", action="store_true", help="each exercise that is begun on this branch, one after another"
    )
    parser.add_argument(
        "--goals", action="store_true", help="only the exercise's own checks, not the rest of the stage"
    )


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    out = console.standard_output()
    found = catalog.read(project)
    made = Progress.read(project.root)
    classes = Classes(Builder(project, host, out))
    if arguments.all:
        return _check_all(classes, found, made, with_guards=not arguments.goals)
    exercise = chosen(arguments.id, project, found, made)
    with _workers(classes, [exercise]) as workers:
        check = Check(classes, found, exercise, workers, with_guards=not arguments.goals)
        if not arguments.watch:
            return check.once()
        while True:
            before = _times(exercise)
            try:
                check.once()
            except Failure as problem:
                out.print(str(problem))
            out.print("\nwaiting for a change; Ctrl-C ends it", style="dim")
            _await_change(exercise, before)
            out.rule(style="dim")


def _check_all(classes: Classes, found: Catalog, made: Progress, *, with_guards: bool) -> int:
    begun = starting.here(classes.project, found, made)
    if not begun:
        raise UsageError("no exercise is begun on this branch: ./workbook exercise shows what there is")
    red = []
    with _workers(classes, begun) as workers:
        for exercise in begun:
            try:
                exit_code = Check(classes, found, exercise, workers, with_guards=with_guards).once()
            except Failure as problem:
                classes.builder.out.print(str(problem))
                exit_code = 1
            red += [exercise.id] if exit_code else []
            classes.builder.out.print()
    words = f"{len(begun) - len(red)} of {len(begun)} exercises are done"
    classes.builder.out.print(words + (f"; not yet: {', '.join(red)}" if red else ""), style="bold")
    return 1 if red else 0


@contextmanager
def _workers(classes: Classes, exercises: Sequence[Exercise]) -> Iterator[list[Worker]]:
    """The second is only started for the other tests of the stage. None where no exercise has tests: then nothing is
    compiled."""
    tested = [each for each in exercises if each.goal]
    if not tested:
        yield []
        return
    stage = max(tested, key=lambda each: each.stage).module
    classes.prepare([stage])
    with classes.worker(stage) as first, classes.worker(stage, "worker-2") as second:
        yield [first, second]


class Check:
    """One exercise, checked as often as it is asked for."""

    def __init__(
        self, classes: Classes, found: Catalog, exercise: Exercise, workers: Sequence[Worker], *, with_guards: bool
    ) -> None:
        self._classes = classes
        self._catalog = found
        self._exercise = exercise
        self._workers = workers
        self._with_guards = with_guards

    @property
    def _worker(self) -> Worker:
        return self._workers[0]

    @property
    def _project(self) -> Project:
        return self._classes.project

    @property
    def _out(self) -> Console:
        return self._classes.builder.out

    def once(self) -> int:
        """The exit code."""
        made, exercise, out = Progress.read(self._project.root), self._exercise, self._out
        made.change(exercise, checks=made.of(exercise).checks + 1)
        out.print(f"{exercise.id}  {exercise.title}", style="bold")
        given = predicting.answers(self._project, exercise) if exercise.kind == "predict" else {}
        started_s = time.monotonic()
        try:
            with activity(out, "compiling"):
                folders = checking.folders(self._classes, exercise, self._worker) if exercise.goal else []
        except CompileErrors as errors:
            self._print_errors(errors)
            return 1
        compiled_s = time.monotonic()
        goals = self._goals(folders) if exercise.goal else Checked()
        if goals.results:
            checked_s = time.monotonic() - compiled_s
            out.print(f"(compiled in {compiled_s - started_s:.1f} s, checked in {checked_s:.1f} s)", style="dim")
        holds = goals.holds or not exercise.goal
        if holds and exercise.kind == "speed":
            holds = self._is_fast(made.of(exercise).base or "main")
        if holds and exercise.kind == "predict":
            holds = self._are_right(given)
        if not holds:
            return 1
        broken = self._guards(folders, goals) if self._with_guards and exercise.goal else []
        self._conclude(broken)
        return 1 if broken else 0

    def _goals(self, folders: list[Path]) -> Checked:
        exercise, out = self._exercise, self._out
        lines = _Lines(out)
        checked = checking.goals(exercise, folders, self._worker, lines.add)
        lines.end()
        if checked.holds:
            return checked
        count = len(checked.results)
        not_run = count - len(checked.green) - len(checked.red)
        more = f", {not_run} not run" if not_run else ""
        out.print(f"\n{len(checked.green)} of {count} pass, {len(checked.red)} fail{more}.", style="bold")
        if checked.red:
            self._print_failure(checked.red[0])
        return checked

    def _print_failure(self, first: TestResult) -> None:
        out = self._out
        out.print("The first check that fails:\n")
        out.print(Text(first.short_name, "bold red"))
        out.print(Text(first.message.strip()))
        for line in first.trace:
            out.print(Text(f"    {line}", "dim"))
        if needed := self._needs(first):
            out.print(f"\nThis check also needs exercise {needed.id} ({needed.title}), which is not built yet here.")
        out.print(f"\nread: docs/{self._exercise.chapter}")
        out.print(f"hint: ./workbook hint {self._exercise.id}")

    def _needs(self, failure: TestResult) -> Exercise | None:
        """Another exercise whose code is cut out here, too, and was called."""
        others = [each for each in self._catalog.exercises if each.id != self._exercise.id]
        return next((each for each in others if starting.is_stub(failure.message, each.id)), None)

    def _print_errors(self, errors: CompileErrors) -> None:
        first, *others = errors.problems
        where = self._project.short(Path(first.file))
        self._out.print(Text(f"\n{where}:{first.line}: {first.message}", "red"))
        if others:
            self._out.print(f"and {len(others)} more errors")
        self._out.print("\nIt does not compile yet.", style="bold")

    def _is_fast(self, reference: str) -> bool:
        builder, exercise = self._classes.builder, self._exercise
        slow = exporting.is_export(self._project.root)
        name = "the code that you began with" if slow else "reference"
        revision = exporting.begun_with(self._project, self._catalog, exercise) if slow else reference
        most = speed.allowed(exercise, beside_slow_code=slow)
        beside = speed.compare(self._project, builder.host, self._out, exercise, revision, most)
        self._out.print(
            f"\n{beside.figure}: yours {beside.yours:.4g}, {name} {beside.reference:.4g}."
            f" Yours is {beside.ratio:.2f} times as high; at most {beside.allowed:g} times is allowed.",
            style="green" if beside.is_fast else "red",
        )
        return beside.is_fast

    def _are_right(self, given: dict[str, float | str]) -> bool:
        builder = self._classes.builder
        runs = predicting.measure(self._project, builder.host, self._out, self._exercise)
        judged = predicting.judge(self._exercise, given, runs)
        for each in judged:
            mark, style = ("right", "green") if each.is_right else ("wrong", "red")
            actual = each.actual if isinstance(each.actual, str) else f"{each.actual:.4g}"
            self._out.print(f"\n{each.question.text.strip()}")
            unit = f" {each.question.unit}" if each.question.unit else ""
            self._out.print(f"  {mark}: you said {each.given}, measured {actual}{unit}", style=style)
        wrong = sum(not each.is_right for each in judged)
        if wrong:
            self._out.print(
                f"\n{wrong} of {len(judged)} are not what was measured here. Find out why, correct"
                f" {self._project.short(predicting.answer_sheet(self._project, self._exercise))}, and check again."
            )
        return wrong == 0

    def _guards(self, folders: list[Path], goals: Checked) -> list[TestResult]:
        """The tests that the change has broken besides."""
        out, started_s = self._out, time.monotonic()
        left = {each.pattern for each in goals.results if each.test}
        to_do = starting.to_do_here(self._project, self._catalog, Progress.read(self._project.root))
        here = self._exercise
        if others := [each for each in to_do if each.id != here.id and each.stage <= here.stage]:
            left.update(pattern for each in others for pattern in (*each.goal, *each.also_red))
            ids = ", ".join(each.id for each in others)
            out.print(f"\nNot run: tests that need exercises which are not done here: {ids}")
        out.print("\nAll pass. Now the other tests of the stage, those nearest to your code first:")
        count = 0
        with activity(out, "testing") as show:

            def take(result: TestResult) -> None:
                nonlocal count
                count += 1
                show(f"{count} run; {result.short_name.partition('.')[0]}")

            checked = checking.guards(self._exercise, folders, self._workers, sorted(left), take)
            # In an export, a test may need the code of another exercise although nobody knew it.
            broken = self._still_red([each for each in checked.red if not self._needs(each)], folders)
        seconds = time.monotonic() - started_s
        out.print(f"{len(checked.green)} passed, {len(broken)} failed ({seconds:.0f} s)")
        for each in broken:
            out.print(Text(f"  broken: {each.short_name}: {each.summary}", "red"))
        return broken

    def _still_red(self, red: list[TestResult], folders: list[Path]) -> list[TestResult]:
        """A few are run once more: on a busy machine a test of time or chance may fail that nobody broke."""
        if not 0 < len(red) <= RUN_AGAIN_MAX:
            return red
        again = self._worker.test(
            folders, sorted({each.pattern for each in red}), test_timeout_s=checking.GUARD_TIMEOUT_S
        )
        passed = {each.name for each in again if each.outcome == "passed"}
        return [each for each in red if each.name not in passed]

    def _conclude(self, broken: list[TestResult]) -> None:
        exercise, out = self._exercise, self._out
        made = Progress.read(self._project.root)  # Other commands may have changed it while the tests ran.
        if broken:
            others = "another test fails" if len(broken) == 1 else f"{len(broken)} other tests fail"
            out.print(f"\nAll checks of {exercise.id} pass, but {others}.", style="bold red")
            return
        if not starting.is_here(self._project, exercise, made):
            where = made.of(exercise).branch
            begun = f"it was begun on the branch {where}" if where else "it is not begun"
            out.print(f"\nAll checks pass here, but this is not your answer to {exercise.id}: {begun}.")
            out.print(f"begin or go on: ./workbook exercise start {exercise.id}")
            return
        made.change(exercise, state=DONE, done=made.of(exercise).done or progress.now())
        out.print(f"\n{exercise.id} is done.", style="bold green")
        if exercise.solution.is_file():
            out.print(f"compare: ./workbook solution {exercise.id}")
        left = [
            each for each in self._catalog.exercises if each.stage == exercise.stage and made.of(each).state != DONE
        ]
        if left:
            out.print(f"next:    ./workbook exercise start {left[0].id}    ({left[0].title})")
        else:
            out.print(f"stage {exercise.stage} is done. Now measure it: ./workbook lab {exercise.stage} --quick")


class _Lines:
    """A line for each test as it ends. The repetitions of a parameterized test share one."""

    MARKS: ClassVar = {
        "passed": ("passes ", "green"),
        "failed": ("fails  ", "red"),
        "not run": ("not run", "yellow"),
    }

    def __init__(self, out: Console) -> None:
        self._out = out
        self._repetitions: list[TestResult] = []

    def add(self, result: TestResult) -> None:
        if self._repetitions and self._repetitions[0].pattern != result.pattern:
            self.end()
        self._repetitions.append(result)

    def end(self) -> None:
        results, self._repetitions = self._repetitions, []
        if not results:
            return
        worst = next((each for each in results if each.outcome == "failed"), results[0])
        mark, style = self.MARKS[worst.outcome]
        alike = sum(each.outcome == worst.outcome for each in results)
        times = f" ({alike} of {len(results)})" if len(results) > 1 else ""
        name = worst.short_name.partition("[")[0]
        self._out.print(Text.assemble((mark, style), f"  {name}", (times, "dim")))


def _await_change(exercise: Exercise, before: dict[Path, int]) -> None:
    """`before`: as it was when the check began. A source that was saved since then is a change already."""
    while _times(exercise) == before:
        time.sleep(WATCH_EVERY_S)


def _times(exercise: Exercise) -> dict[Path, int]:
    root = exercise.module.directory.parent
    times = {}
    for path in (*root.glob("stage*/src/**/*.java"), *root.glob("answers/*.toml")):
        try:
            times[path] = path.stat().st_mtime_ns
        except OSError:  # Just being replaced by an editor.
            continue
    return times
