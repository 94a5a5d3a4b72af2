"""The scripts' own tests, run by pytest."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from workbook import reports
from workbook.failure import Failure
from workbook.processes import Children
from workbook.project import Project
from workbook.screen import Screen

MODULE = "scripts"
TICK_S = 0.2
NO_TEST_FITS = 5  # pytest's exit code.
TESTS_FAILED = 1

BEGUN = re.compile(r"^(\S+\.py)::(\S+)")


@dataclass(frozen=True)
class PythonTests:
    project: Project
    only: str | None

    @property
    def log(self) -> Path:
        return self.project.logs / "test-scripts.log"

    def run(self, screen: Screen) -> None:
        report = self.project.logs / "TEST-scripts.xml"
        report.unlink(missing_ok=True)
        exit_code = self._run_pytest(report, screen)
        if exit_code not in (0, TESTS_FAILED, NO_TEST_FITS) or not report.is_file():
            output = self.log.read_text(encoding="utf-8")
            raise Failure(f"pytest broke with exit code {exit_code}\n{output}")
        by_suite: dict[str, list[reports.Result]] = {}
        for result in reports.read(report):
            by_suite.setdefault(result.suite, []).append(result)
        for results in by_suite.values():
            screen.ended(MODULE, results)

    def _run_pytest(self, report: Path, screen: Screen) -> int | None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        screen.doing(f"{MODULE}: collecting")
        with Children() as children, self.log.open("w", encoding="utf-8") as file:
            child = children.start("pytest", self._command(report), cwd=self.project.root / "scripts")
            for line in child.lines(TICK_S):
                file.write(f"{line}\n" if line is not None else "")
                if line is not None and (match := BEGUN.match(line)):
                    screen.doing(f"{MODULE}: {match[1]} {match[2]}")
            return child.exit_code()

    def _command(self, report: Path) -> list[str]:
        command = [sys.executable, "-m", "pytest", "--verbose", "--color=no", "-p", "no:cacheprovider"]
        command += [f"--junitxml={report}"]
        if self.only is not None:
            # The pattern is made for Java's class and method names: what is left of it here are its words.
            command += ["-k", " and ".join(re.findall(r"\w+", self.only)) or self.only]
        return command
