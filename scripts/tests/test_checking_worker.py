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


def test_worker_passes_over_what_a_test_prints_for_its_parser(tmp_path: Path) -> None:
    java = tmp_path / "java"
    deep = "head -c 200000 /dev/zero | tr '\\0' '['; echo"
    long = "head -c 5000 /dev/zero | tr '\\0' '9'; echo"
    java.write_text(f"""#!/bin/sh\nread request\n{deep}\n{long}\necho '{{"event": "done"}}'\n""")
    java.chmod(0o755)

    with Worker(java, [], tmp_path / "worker.log") as worker:
        assert worker.outline(tmp_path / "Some.java") == []
