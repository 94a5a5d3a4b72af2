"""The limits of a submission, as far as they need no JVM."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from tests.fakes import WITHIN_S
from workbook.exercises import sandbox
from workbook.exercises.worker import Worker


class FakeWorker:
    def __init__(self) -> None:
        self.killed = threading.Event()

    def kill(self) -> None:
        self.killed.set()


def test_folder_that_vanishes_while_it_is_looked_through_takes_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    (tmp_path / "kept").write_bytes(bytes(100_000))
    plain = os.scandir

    def scandir(place: Any) -> Any:
        if Path(place) == gone:
            gone.rmdir()
        return plain(place)

    monkeypatch.setattr(os, "scandir", scandir)

    assert sandbox._bytes(tmp_path) >= 100_000
    assert not gone.exists()


def test_submission_whose_use_cannot_be_seen_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> int:
        raise RecursionError

    monkeypatch.setattr(sandbox, "_bytes", fail)
    monkeypatch.setattr(sandbox, "end_leftovers", lambda: None)
    worker = FakeWorker()

    with sandbox._watched(tmp_path, cast(Worker, worker)):
        assert worker.killed.wait(WITHIN_S)
