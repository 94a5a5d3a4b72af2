"""Packages that only some commands need: installed into .venv by the first command that asks for them."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from workbook.failure import Failure
from workbook.locks import directory_lock
from workbook.messages import warn
from workbook.processes import Children

SCRIPTS = Path(__file__).resolve().parents[1]
TICK_S = 0.2


@dataclass(frozen=True)
class Packages:
    """What scripts/requirements-NAME.txt pins. `called`: what people know it as."""

    name: str
    called: str
    venv: Path = Path(sys.prefix)

    def ensure(self) -> None:
        """Installs them, unless they are there as the file asks; a Failure says why it can't be done."""
        if self._are_installed():
            return
        with directory_lock(self.venv, lambda: warn("another ./workbook is installing into .venv; waiting for it")):
            if not self._are_installed():
                self._install()

    @property
    def _requirements(self) -> Path:
        return SCRIPTS / f"requirements-{self.name}.txt"

    @property
    def _made_from(self) -> Path:
        """The requirements as they were when they were installed."""
        return self.venv / f"made-from-{self.name}.txt"

    def _are_installed(self) -> bool:
        try:
            return self._made_from.read_bytes() == self._requirements.read_bytes()
        except FileNotFoundError:
            return False

    def _install(self) -> None:
        if importlib.util.find_spec("pip") is None:
            raise Failure(".venv has no pip: remove .venv and try again")
        warn(f"installing {self.called} into .venv (once, and when scripts/{self._requirements.name} changes)")
        words = ["install", "--quiet", "--no-input", "--disable-pip-version-check", "--require-hashes"]
        command = [sys.executable, "-m", "pip", *words, "--requirement", str(self._requirements)]
        with Children() as children:
            child = children.start("pip", command)
            said = [line for line in child.lines(TICK_S) if line is not None]
            if child.exit_code() != 0:
                hint = "pip needs to reach its package index: see the output of `pip config list`"
                raise Failure("\n".join([f"pip cannot install {self.called}", *said, hint]))
        importlib.invalidate_caches()
        unfinished = self._made_from.with_suffix(".new")
        shutil.copyfile(self._requirements, unfinished)
        unfinished.replace(self._made_from)
