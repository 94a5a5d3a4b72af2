"""The classes that exercises are checked with.

Those of the checkout as Maven last compiled it are kept apart; in front of them come those of the modules that were
changed since.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbook import jdk, maven
from workbook.build import Builder
from workbook.console import activity
from workbook.exercises.worker import Problem, Worker
from workbook.failure import Failure
from workbook.locks import directory_lock
from workbook.project import Module, Project

CLASSPATH_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath"
CLASSPATH_FILE = "target/test-class-path.txt"
MAIN, TEST = "main", "test"
# As Maven calls them: tests of the architecture tell a test's class by its folder.
FOLDERS = {MAIN: "classes", TEST: "test-classes"}
TESTKIT = "testkit"
WORKER_PACKAGE = "exercise"


@dataclass(frozen=True)
class CompileErrors(Exception):
    """The student's code does not compile."""

    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        first = self.problems[0]
        return f"{first.file}:{first.line} does not compile: {first.message.splitlines()[0]}"


@dataclass(frozen=True)
class Classes:
    builder: Builder

    @property
    def project(self) -> Project:
        return self.builder.project

    @property
    def home(self) -> Path:
        return self.project.root / "target" / "workbook" / "exercises"

    def folder(self, module: Module, kind: str) -> Path:
        return self.home / "reference" / module.name / "target" / FOLDERS[kind]

    def overlay(self, module: Module, kind: str) -> Path:
        return self.home / "changed" / module.name / "target" / FOLDERS[kind]

    def modules(self, stage: Module) -> list[Module]:
        """Those that the stage's tests need, the stage last."""
        return self.project.upstream(stage, with_tests=True)

    def prepare(self, stages: Sequence[Module]) -> None:
        """Compiles all once with Maven, unless that was done."""
        needed = {each.name: each for stage in stages for each in self.modules(stage)}
        if all(self._is_prepared(module) for module in needed.values()):
            return
        tool = maven.require(self.project, self.builder.host)
        log = self.project.logs / "exercises.log"
        out = self.builder.out
        out.print("compiling the workbook for its exercises: once, about a minute")
        selected = ",".join(f":{stage.name}" for stage in stages)
        arguments = ["test-compile", CLASSPATH_GOAL, f"-Dmdep.outputFile={CLASSPATH_FILE}", "-pl", selected, "-am"]
        digests = {name: self._digests(module) for name, module in needed.items()}
        with self.builder.lock(), activity(out, "starting Maven") as show:
            exit_code = tool.run(arguments, log, lambda line: show(maven.step(line or "")))
            if exit_code != 0:
                short = self.project.short(log)
                raise Failure(f"compiling failed; Maven's whole output is in {short}\n{maven.problems(log)}")
            for name, module in needed.items():
                self._keep(module, digests[name])

    def _is_prepared(self, module: Module) -> bool:
        return self._note(module).is_file() and self._note(module).read_text().split("\n")[0] == self._foundation()

    def _note(self, module: Module) -> Path:
        return self.home / "reference" / module.name / "made-from.txt"

    def _foundation(self) -> str:
        """Of what only Maven can compile: the libraries, and the worker, which compiles all else."""
        poms = [self.project.root / "pom.xml", *(each.directory / "pom.xml" for each in self.project.modules)]
        worker = [path for path in sources(self.project.module(TESTKIT), MAIN) if path.parent.name == WORKER_PACKAGE]
        return _digest(self.project.root, [*poms, *worker])

    def _digests(self, module: Module) -> tuple[str, str]:
        return self._digest_of(module, MAIN), self._digest_of(module, TEST)

    def _digest_of(self, module: Module, kind: str) -> str:
        return _digest(self.project.root, sources(module, kind))

    def _keep(self, module: Module, digests: tuple[str, str]) -> None:
        self._note(module).unlink(missing_ok=True)
        for kind, made in FOLDERS.items():
            folder = self.folder(module, kind)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if (module.target / made).is_dir():
                shutil.copytree(module.target / made, folder, dirs_exist_ok=True)
        self._note(module).write_text("\n".join([self._foundation(), *digests]))

    def libraries(self, stage: Module) -> list[Path]:
        """What the stage's tests need of other projects: jars, and the classes of modules that compile a library."""
        compiled = [self.folder(module, MAIN) for module in self.modules(stage) if not module.has_sources]
        path = (stage.directory / CLASSPATH_FILE).read_text().strip().split(os.pathsep)
        return [*compiled, *(Path(each) for each in path if not Path(each).is_relative_to(self.project.root))]

    def worker(self, stage: Module, name: str = "worker") -> Worker:
        """A process that has the libraries of the stage's tests."""
        java = jdk.require(self.builder.host).java
        path = [self.folder(self.project.module(TESTKIT), MAIN), *self.libraries(stage)]
        return Worker(java, path, self.home / f"{name}.log", directory=stage.directory)

    def changed(self, stage: Module, worker: Worker) -> list[Path]:
        """The folders of the stage's classes, in the order in which they are looked through; compiles what was changed.

        Raises CompileErrors.
        """
        found: list[Path] = []
        for module in self.modules(stage):
            if not module.has_sources:
                continue
            digests = self._note(module).read_text().split("\n")[1:]
            for kind in (MAIN, TEST):
                if self._digest_of(module, kind) != digests[0 if kind == MAIN else 1]:
                    self._compile(module, kind, worker, found)
                    found.insert(0, self.overlay(module, kind))
            found += [self.folder(module, MAIN), self.folder(module, TEST)]
        return found

    def _compile(self, module: Module, kind: str, worker: Worker, before: Sequence[Path]) -> None:
        """Beside what was compiled before, and then in its place: so that it is whole, and only one command does it."""
        target = self.overlay(module, kind)
        note, beside = target.with_suffix(".made-from"), target.with_suffix(".new")
        target.parent.mkdir(parents=True, exist_ok=True)
        waiting = f"another check is compiling {module.name}: waiting for it"
        with directory_lock(target.parent, lambda: self.builder.out.print(waiting)):
            digest = self._digest_of(module, kind)
            if note.is_file() and note.read_text() == digest:
                return
            shutil.rmtree(beside, ignore_errors=True)
            self._compile_to(beside, module, kind, worker, before)
            note.unlink(missing_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            beside.rename(target)
            note.write_text(digest)

    def _compile_to(self, target: Path, module: Module, kind: str, worker: Worker, before: Sequence[Path]) -> None:
        own = [self.folder(module, MAIN)] if kind == TEST else []
        # Its own libraries: tests of an earlier stage may need some that a later stage does not have.
        path = [*before, *own, *self.libraries(module)]
        java = [each for each in sources(module, kind) if each.suffix == ".java"]
        problems = worker.compile(java, path, target)
        if errors := tuple(each for each in problems if each.kind == "error"):
            raise CompileErrors(errors)
        resources = self.folder(module, kind)
        for file in resources.rglob("*"):
            if file.is_file() and file.suffix != ".class":
                copy = target / file.relative_to(resources)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)


def sources(module: Module, kind: str) -> list[Path]:
    return sorted(path for path in (module.directory / "src" / kind).rglob("*") if path.is_file())


def _digest(root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
