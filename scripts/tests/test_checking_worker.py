"""The JVM of exercises as a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbook.exercises.worker import Silence, Worker


def test_worker_runs_in_the_folder_of_its_module_as_maven_does(tmp_path: Path) -> None:
    java, module, log = tmp_path / "java", tmp_path / "module", tmp_path / "worker.log"
    java.write_text("#!/bin/sh\npwd >&2\n")
    java.chmod(0o755)
    module.mkdir()

    with Worker(java, [], log, directory=module) as worker, pytest.raises(Silence):
        worker.outline(tmp_path / "Some.java")

    assert log.read_text().strip() == str(module)
