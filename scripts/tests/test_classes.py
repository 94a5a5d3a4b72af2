"""The classes that were changed, as far as they need no JVM."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from rich.console import Console

from tests.fakes import make_project
from workbook.build import Builder
from workbook.exercises.classes import CLASSPATH_FILE, MAIN, TEST, Classes
from workbook.exercises.worker import Problem, Worker
from workbook.host import Host
from workbook.locks import directory_lock


class FakeWorker:
    """Writes a class that holds the source. It may be interrupted after that."""

    def __init__(self, overlay: Path) -> None:
        self._overlay = overlay
        self.is_interrupted = False
        self.was_alone = False

    def compile(self, sources: list[Path], _path: list[Path], target: Path) -> list[Problem]:
        target.mkdir(parents=True, exist_ok=True)
        for source in sources:
            (target / f"{source.stem}.class").write_text(source.read_text())
        with pytest.raises(BlockingIOError), directory_lock(self._overlay.parent, refuse):
            pass
        self.was_alone = True
        if self.is_interrupted:
            raise KeyboardInterrupt
        return []


def refuse() -> None:
    raise BlockingIOError


@pytest.fixture
def classes(tmp_path: Path) -> Classes:
    made = Classes(Builder(make_project(tmp_path), Host(), Console()))
    for module in made.project.modules:
        digests = {kind: made._digest_of(module, kind) for kind in (MAIN, TEST)}
        made._keep(module, (digests[MAIN], digests[TEST]))
        (module.directory / CLASSPATH_FILE).parent.mkdir(exist_ok=True)
        (module.directory / CLASSPATH_FILE).write_text("")
    return made


def test_changed_classes_are_compiled_by_one_command_at_a_time_and_stay_whole(classes: Classes) -> None:
    stage = classes.project.stage(1)
    source = stage.directory / "src" / "main" / "java" / "Main.java"
    overlay = classes.overlay(stage, MAIN)
    worker = FakeWorker(overlay)
    source.write_text("class Main { int one; }")
    assert classes.changed(stage, cast(Worker, worker))[0] == overlay
    assert worker.was_alone

    source.write_text("class Main { int two; }")
    worker.is_interrupted = True
    with pytest.raises(KeyboardInterrupt):
        classes.changed(stage, cast(Worker, worker))
    assert (overlay / "Main.class").read_text() == "class Main { int one; }"

    worker.is_interrupted = False
    classes.changed(stage, cast(Worker, worker))
    assert (overlay / "Main.class").read_text() == "class Main { int two; }"
