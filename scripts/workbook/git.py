"""What git knows of a checkout."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from workbook.failure import Failure

WITHIN_S = 60.0


def commit_of(root: Path, revision: str = "HEAD") -> str:
    found = _ask(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not found:
        raise Failure(
            f"git knows no revision {revision!r}, and it is no stage, no run folder and no .toml file;"
            " the command of a server contains {port}"
        )
    return found


def state(root: Path) -> tuple[str | None, bool | None]:
    """The commit, and whether something is changed that is in no commit; None where it is no git checkout.

    Reports do not count: a measurement writes them, and they change nothing that the next one measures.
    """
    commit = _ask(root, "rev-parse", "--verify", "--quiet", "HEAD")
    status = _ask(root, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/reports")
    return commit, None if status is None else bool(status)


@cache
def is_in_history(folder: Path, commit: str) -> bool | None:
    """Whether HEAD contains a commit; None where nobody can say: without git, or where the history is cut off."""
    if not _has_history(folder):
        return None
    return _ask(folder, "merge-base", "--is-ancestor", commit, "HEAD") is not None


def rebased_as(reports: Path, commit: str) -> str | None:
    """The commit that contains the changes of a measured one that was rebased: `rebased.txt` of the reports says it.

    `commit`: 12 digits or more.
    """
    listed = reports / "rebased.txt"
    lines = listed.read_text().splitlines() if listed.is_file() else []
    pairs = [line.split() for line in lines if not line.startswith("#")]
    return next((now for before, now in pairs if before.startswith(commit)), None)


@cache
def _has_history(folder: Path) -> bool:
    return _ask(folder, "rev-parse", "--is-shallow-repository") == "false"


def check_out(root: Path, commit: str, folder: Path) -> None:
    """A worktree at that commit; one that is there is taken as it is, if git had come to its end with it."""
    whole = folder.with_name(f"{folder.name}.whole")
    if whole.is_file() and (folder / ".git").is_file():
        return
    whole.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _ask(root, "worktree", "prune")
    # Forced twice: a worktree that was interrupted is locked.
    if _ask(root, "worktree", "add", "--detach", "--force", "--force", str(folder), commit) is None:
        raise Failure(f"git could not check {commit} out into {folder}")
    whole.touch()


def _ask(root: Path, *words: str) -> str | None:
    """None if git is not there or refuses."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, timeout=WITHIN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
