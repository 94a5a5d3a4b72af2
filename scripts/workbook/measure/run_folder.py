"""The folder of a run: made before anything is started, and told how it ended, however that was."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from workbook.failure import Failure
from workbook.interrupts import Interrupted
from workbook.measure.server import Crashed

FORMAT = 1
RUN_JSON = "run.json"
MACHINE_JSON = "machine.json"
"""Beside what a script of scripts/experiments has measured: where, and at which commit."""
LATEST = "latest"
NODES = "nodes"

RUNNING, DONE, FAILED, CRASHED, INTERRUPTED = "running", "done", "failed", "crashed", "interrupted"


class RunFolder:
    """Its `facts` become its JSON file whenever `save` is called. Only the main thread may use it."""

    def __init__(self, path: Path, facts: dict[str, object], json_name: str = RUN_JSON) -> None:
        self.path = path
        self.facts = {"format": FORMAT, "status": RUNNING, "problem": None, **facts}
        self._json = path / json_name

    def save(self) -> None:
        """Written beside and renamed, so that whoever reads it finds it whole."""
        self.facts["files"] = sorted(
            str(each.relative_to(self.path))
            for each in self.path.rglob("*")
            if each.is_file() and each.suffix != ".new" and "data" not in each.relative_to(self.path).parts[:-1]
        )
        write_json(self._json, self.facts)


@contextmanager
def made(path: Path, facts: dict[str, object], json_name: str = RUN_JSON) -> Iterator[RunFolder]:
    """The folder for as long as the run takes; its status says how the block was left."""
    path.mkdir(parents=True)
    folder = RunFolder(
        path, {**facts, "pid": os.getpid(), "started_utc": utc(time.time()), "ended_utc": None}, json_name
    )
    folder.save()
    try:
        yield folder
        folder.facts["status"] = DONE
    except BaseException as problem:
        folder.facts["status"] = _status(problem)
        folder.facts["problem"] = _words(problem)
        raise
    finally:
        folder.facts["ended_utc"] = utc(time.time())
        folder.save()


def new_path(runs: Path, stage_name: str, name: str) -> Path:
    """A name that is not taken: the time in seconds, and a number where that is not enough. Becomes `latest`."""
    stamp = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())
    stage = runs / stage_name
    stage.mkdir(parents=True, exist_ok=True)
    path = stage / f"{stamp}-{name}"
    number = 1
    while path.exists():
        number += 1
        path = stage / f"{stamp}-{name}-{number}"
    unfinished = stage / f".{LATEST}-{os.getpid()}"
    with contextlib.suppress(OSError):
        unfinished.unlink(missing_ok=True)
        unfinished.symlink_to(path.name)
        unfinished.replace(stage / LATEST)
    return path


def read_run(folder: Path) -> dict[str, object]:
    try:
        found = json.loads((folder / RUN_JSON).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise Failure(f"{folder} is not a run folder: {problem}") from problem
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise Failure(f"{folder / RUN_JSON} has another format than {FORMAT}: made by another version of ./workbook?")
    return found


def write_json(path: Path, value: object) -> None:
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(path)


def utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _status(problem: BaseException) -> str:
    match problem:
        case Crashed():
            return CRASHED
        case Interrupted() | KeyboardInterrupt():
            return INTERRUPTED
        case _:
            return FAILED


def _words(problem: BaseException) -> str:
    return f"interrupted by {problem}" if isinstance(problem, Interrupted) else str(problem) or repr(problem)


def why_not_published(facts: Mapping[str, object]) -> str | None:
    """Why the site does not show a measurement: nobody could repeat it, or it was too short."""
    if facts.get("dirty"):
        return "it was measured with changes that are in no commit"
    return "it was measured with --quick" if facts.get("quick") else None
