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


def test_settings_that_a_jdk_links_to_are_seen_in_the_container(tmp_path: Path) -> None:
    """As Debian installs it: by the file; and as Fedora does: by the folder."""
    home, settings = tmp_path / "jvm" / "java-25", tmp_path / "etc"
    for folder in (home / "conf", home / "lib", settings / "java-25", settings / "security"):
        folder.mkdir(parents=True)
    for file in (settings / "java-25" / "net.properties", settings / "security" / "java.security", home / "release"):
        file.write_text("")
    (home / "conf" / "net.properties").symlink_to(settings / "java-25" / "net.properties")
    (home / "conf" / "security").symlink_to("../../../etc/security")
    (home / "conf" / "gone").symlink_to(settings / "gone")  # Docker would make it on this machine.
    (home / "lib" / "release").symlink_to("../release")

    linked = sandbox._linked(home, settings)

    assert linked == [settings / "java-25" / "net.properties", settings / "security"]
    container = sandbox._container("some", [home, *linked], tmp_path)
    assert f"--volume={linked[0]}:{linked[0]}:ro" in container
