from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from workbook.failure import Failure
from workbook.interrupts import Interrupted
from workbook.measure.run_folder import made, new_path, read_run
from workbook.measure.server import Crashed


def test_folder_of_a_run_under_way_says_so_and_whose_it_is(tmp_path: Path) -> None:
    with made(tmp_path / "run", {"name": "put"}):
        facts = read_run(tmp_path / "run")

    assert (facts["status"], facts["name"], facts["ended_utc"]) == ("running", "put", None)
    assert isinstance(facts["pid"], int)


def test_folder_of_a_run_that_ended_well_lists_its_files(tmp_path: Path) -> None:
    with made(tmp_path / "run", {}) as folder:
        (folder.path / "load.txt").write_text("text")
        (folder.path / "rungs").mkdir()
        (folder.path / "rungs" / "100-1.txt").write_text("text")
        folder.facts["results"] = {"requests": 1}

    facts = read_run(tmp_path / "run")
    assert (facts["status"], facts["problem"], facts["results"]) == ("done", None, {"requests": 1})
    assert facts["files"] == ["load.txt", "run.json", "rungs/100-1.txt"]
    assert facts["ended_utc"] is not None


@pytest.mark.parametrize(
    ("problem", "status", "words"),
    [
        (Failure("12 timeouts"), "failed", "12 timeouts"),
        (Crashed("node1 has ended by itself"), "crashed", "node1 has ended by itself"),
        (Interrupted(signal.SIGINT), "interrupted", "interrupted by SIGINT"),
        (ZeroDivisionError(), "failed", "ZeroDivisionError()"),
    ],
)
def test_folder_of_a_run_that_did_not_says_how_it_ended(
    tmp_path: Path, problem: BaseException, status: str, words: str
) -> None:
    with pytest.raises(type(problem)), made(tmp_path / "run", {}):
        raise problem

    facts = read_run(tmp_path / "run")
    assert (facts["status"], facts["problem"]) == (status, words)


def test_newest_run_is_the_latest_and_takes_no_other_runs_name(tmp_path: Path) -> None:
    paths = []
    for _ in range(3):
        paths.append(new_path(tmp_path, "stage1-storage", "put"))
        paths[-1].mkdir()  # Fails if it is another's.

    assert (tmp_path / "stage1-storage" / "latest").resolve() == paths[-1].resolve()
    assert paths[0].name.endswith("Z-put")


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"format": 99})])
def test_folder_that_is_none_of_ours_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)

    with pytest.raises(Failure, match="run"):
        read_run(tmp_path)
