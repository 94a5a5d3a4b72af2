"""The student's checkout as git sees it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbook import interrupts
from workbook.exercises.progress import FILE
from workbook.failure import Failure

AUTHOR = ("-c", "user.name=workbook", "-c", "user.email=workbook@localhost")


@dataclass(frozen=True)
class Checkout:
    root: Path

    def git(self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None) -> str:
        """What git prints. Raises a Failure with git's own words. `given`: its standard input.

        An interrupt is put off until git ends: a git that is killed leaves its locks, and then no other can work.
        """
        try:
            with interrupts.held():
                done = subprocess.run(
                    ["git", "-C", str(self.root), *arguments],
                    input=given,
                    env={**os.environ, **(env or {})},
                    capture_output=True,
                    text=True,
                    check=False,
                    start_new_session=True,  # Or Ctrl-C would reach git itself.
                )
        except OSError as problem:
            raise Failure(f"git cannot be started: {problem}") from problem
        if done.returncode != 0:
            raise Failure(f"git {arguments[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def branch(self) -> str:
        """Raises a Failure when no branch is checked out."""
        name = self.git("rev-parse", "--abbrev-ref", "HEAD").strip()
        if name == "HEAD":
            raise Failure("no branch is checked out here: `git switch main` first")
        return name

    def changed_files(self) -> list[str]:
        """Tracked files with changes, and new ones that git does not ignore."""
        lines = self.git("status", "--porcelain").splitlines()
        return [line[3:] for line in lines if line[3:] != FILE]

    def has_branch(self, name: str) -> bool:
        return bool(self.git("branch", "--list", name).strip())

    def is_empty(self, begin: str, end: str) -> bool:
        """Whether nothing was changed between two commits."""
        return not self.git("diff", "--name-only", begin, end).strip()

    def commit_all(self, message: str) -> None:
        self.git("add", "--all")
        self.git(*self._author(), "commit", "--quiet", "--no-verify", "-m", message)

    def commit(self, files: list[Path], message: str) -> None:
        """Even where the files are as they were."""
        self.git("add", "--", *map(str, files))
        self.git(*self._author(), "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)

    def commit_beside(self, files: Mapping[Path, str], message: str) -> str:
        """A commit of the tree as it is, committed or not, with these texts. Neither tree, index nor branch changes."""
        with tempfile.TemporaryDirectory() as place:
            index = {"GIT_INDEX_FILE": str(Path(place) / "index")}
            self.git("read-tree", "HEAD", env=index)
            self.git("add", "--all", env=index)
            for path, text in files.items():
                blob = self.git("hash-object", "-w", "--stdin", given=text).strip()
                name = path.relative_to(self.root).as_posix()
                self.git("update-index", "--cacheinfo", f"100644,{blob},{name}", env=index)
            tree = self.git("write-tree", env=index).strip()
        return self.git(*self._author(), "commit-tree", tree, "-p", "HEAD", "-m", message).strip()

    def _author(self) -> tuple[str, ...]:
        """A student's machine may have no name for git yet: then these commits get ours."""
        try:
            self.git("config", "user.email")
        except Failure:
            return AUTHOR
        return ()
