"""Builds the site with MkDocs, in .venv, which gets what that needs the first time."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from workbook.failure import Failure
from workbook.packages import Packages
from workbook.processes import Child, Children
from workbook.project import Project

SCRIPTS = Path(__file__).resolve().parents[2]
PYTHON_MINIMUM = (3, 11)
TICK_S = 0.2
REPOSITORY, EDIT_PATH = "WORKBOOK_REPOSITORY", "WORKBOOK_EDIT_PATH"  # mkdocs.yml reads both.


@dataclass(frozen=True)
class SiteBuilder:
    project: Project
    venv: Path = Path(sys.prefix)

    def build(self, target: Path) -> None:
        """Makes the whole site in a folder of its own, or raises a Failure that shows what stands in the way."""
        self.prepare()
        with Children() as children:
            # Without --quiet: what isn't said isn't counted as a warning, and then nothing is strict.
            child = self._mkdocs(children, "build", "--strict", "--site-dir", str(target))
            said = [line for line in child.lines(TICK_S) if line is not None]
            if child.exit_code() != 0:
                raise Failure(
                    "\n".join(["the site cannot be built", *filter(_is_trouble, takewhile(_is_for_people, said))])
                )

    def serve(self, port: int) -> int:
        """Serves the site, and builds it anew when a page changes, until it is interrupted."""
        self.prepare()
        with Children() as children:
            # Said although it is the default: some versions of the library behind MkDocs' command line lose that.
            words = ["--dev-addr", f"127.0.0.1:{port}", "--livereload"]
            return self._mkdocs(children, "serve", *words, captured=False).wait()

    def _mkdocs(self, children: Children, *words: str, captured: bool = True) -> Child:
        command = [sys.executable, "-m", "mkdocs", *words]
        return children.start("mkdocs", command, cwd=self.project.root, env=_environment(), captured=captured)

    def prepare(self) -> None:
        """Installs what is needed, once; a Failure says why it can't be."""
        if sys.version_info < PYTHON_MINIMUM:
            wanted, found = (".".join(map(str, each[:2])) for each in (PYTHON_MINIMUM, sys.version_info))
            raise Failure(f"building the site needs Python {wanted}; .venv has {found}")
        Packages("site", "MkDocs", self.venv).ensure()


def _is_for_people(line: str) -> bool:
    return not line.startswith("Traceback ")


def _is_trouble(line: str) -> bool:
    return not line.startswith("INFO ")


def _environment() -> Mapping[str, str]:
    """The variables of the MkDocs process.

    PYTHONPATH lets it find our Markdown extension. NO_MKDOCS_2_WARNING switches an advertisement of the theme off.
    A page can be edited only where the repository is known, so the path of the editor is set only then.
    """
    edit = {EDIT_PATH: "edit/main/docs/", **os.environ} if os.environ.get(REPOSITORY) else {**os.environ, EDIT_PATH: ""}
    return {**edit, "PYTHONPATH": str(SCRIPTS), "NO_MKDOCS_2_WARNING": "1"}
