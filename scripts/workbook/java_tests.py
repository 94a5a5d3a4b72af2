"""The modules' JUnit tests, run by Maven."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from workbook import build, maven
from workbook.build import Builder
from workbook.failure import Failure
from workbook.maven import Maven
from workbook.project import Module, Project
from workbook.reports import Failed, NewReports, NotRun, Result
from workbook.screen import Screen

# Not anchored: what a test prints without a line end stands before them.
RUNNING = re.compile(r"\[INFO\] Running (\S+)")
ENDED = re.compile(r"Tests run: \d+, .* -+ in (\S+)")

# By its name, `mvn verify` knows which of its two plugins runs a class.
UNIT_TESTS = ("Test*", "*Test", "*Tests", "*TestCase")
INTEGRATION_TESTS = ("IT*", "*IT", "*ITCase")

TOGETHER = (
    "-Dsurefire.phase=integration-test",
    f"-Dsurefire.includes={','.join(f'**/{name}.java' for name in (*UNIT_TESTS, *INTEGRATION_TESTS))}",
    "-DskipITs",
)
"""One plugin runs all classes of a module: the same JVMs, and none of them waits for the last unit test."""

ALONE = re.compile(r"^@Alone\b", re.MULTILINE)
"""In the source of a test class that needs the whole machine."""

NO_TURN = NotRun("not reached: the build broke before")


@dataclass(frozen=True)
class Tuning:
    """What the tests of the testkit's contracts can be told; None: as they are by themselves."""

    seed: int | None = None
    fault_seconds: int | None = None
    fault_runs: int | None = None

    def system_properties(self) -> list[str]:
        names = {
            "testkit.seed": self.seed,
            "testkit.fault.seconds": self.fault_seconds,
            "testkit.fault.runs": self.fault_runs,
        }
        return [f"-D{name}={value}" for name, value in names.items() if value is not None]

    def runner_options(self) -> list[str]:
        names = {"--seed": self.seed, "--fault-seconds": self.fault_seconds, "--fault-runs": self.fault_runs}
        return [f"{name}={value}" for name, value in names.items() if value is not None]


@dataclass(frozen=True)
class JavaTests:
    """The tests of one module or of all. What a module is built from is built as well, but not tested."""

    builder: Builder
    tool: Maven
    modules: list[Module]
    only: str | None
    full: bool = False
    tuning: Tuning = Tuning()
    keeps_jars: bool = False
    """The jars are up to date and stay as they are: others run them meanwhile."""
    alone: bool | None = None
    """True: only those that need the whole machine; False: only the others; None: both."""

    @property
    def project(self) -> Project:
        return self.builder.project

    @property
    def log(self) -> Path:
        return self.project.logs / f"test{'-alone' if self.alone else ''}.log"

    @property
    def classes_alone(self) -> list[str]:
        """The names of those that need the whole machine, without their packages."""
        paths = [path for module in self.modules for path in _test_sources(module)]
        return sorted(path.stem for path in paths if ALONE.search(path.read_text(encoding="utf-8")))

    @property
    def report_folders(self) -> list[Path]:
        return [folder for module in self.modules for folder in module.report_folders]

    def run(self, screen: Screen) -> None:
        """Runs them and tells the screen. Raises a Failure when the build breaks, apart from failed tests."""
        with self.builder.lock():
            if not self.alone:  # Else those of the other tests stay.
                for folder in self.report_folders:
                    shutil.rmtree(folder, ignore_errors=True)
            digests = {module: build.sources_digest(self.project, module) for module in self.modules}
            watch = _Watch(self, screen)
            exit_code = self.tool.run(self._arguments(), self.log, watch)
            watch.read_last_reports()
            for module, digest in digests.items():
                if exit_code == 0 and module.jar.is_file():
                    build.record(module, digest)
        if exit_code != 0:
            watch.report_what_is_missing()
            where = f"Maven's whole output is in {self.project.short(self.log)}"
            raise Failure(f"the build broke; {where}\n{maven.problems(self.log)}")

    def _arguments(self) -> list[str]:
        # Failed tests don't end the build: all are run and all are seen. They are counted from the reports.
        arguments = ["verify", "--fail-at-end", "-Dmaven.test.failure.ignore=true", *TOGETHER]
        arguments += self.tuning.system_properties()
        if self.keeps_jars:
            arguments += ["-Djars.kept=true"]
        if self.alone is not None:
            arguments += ["-Dgroups=alone" if self.alone else "-DexcludedGroups=alone"]
        if self.modules != self.project.modules:
            [module] = self.modules
            arguments += ["-pl", f":{module.name}", "-am", f"-Dtested={module.tested}"]
        if self.full or self.only is not None:  # What is asked for by its name is run, however long it takes.
            arguments += ["-Dtestkit.full=true"]
        only = ",".join(self.classes_alone) if self.alone else self.only
        if only is not None:
            arguments += [f"-Dtest={only}", "-Dsurefire.failIfNoSpecifiedTests=false"]
        return arguments


class _Watch:
    """Follows Maven's output, and reads each report as soon as it is there."""

    def __init__(self, tests: JavaTests, screen: Screen) -> None:
        self._tests = tests
        self._screen = screen
        self._reports = NewReports(tests.report_folders)  # Of what ran before, they are no news.
        self._module = ""
        self._reached: set[str] = set()
        self._broken: set[str] = set()
        self._running: dict[str, str] = {}
        self._seen: set[str] = set()

    def __call__(self, line: str | None) -> None:
        if line is not None:
            self._follow(line)
        self.read_reports()

    def _follow(self, line: str) -> None:
        if match := maven.MODULE.search(line):
            self._module = match[1]
            self._reached.add(match[1])
        elif match := RUNNING.search(line):
            self._running[match[1]] = self._module
            self._screen.doing(f"{self._module}: {match[1]}")
        elif match := ENDED.search(line):
            self._running.pop(match[1], None)
        elif match := maven.BROKEN.search(line):
            self._broken.add(match[1])
        elif words := maven.step(line):
            self._screen.doing(words)

    def read_reports(self) -> None:
        for path, results in self._reports.poll():
            # …/<module>/target/<plugin>-reports/TEST-….xml
            self._screen.ended(path.parents[2].name, results)
            self._seen.update(result.suite.partition("$")[0] for result in results)

    def read_last_reports(self) -> None:
        self.read_reports()
        for path in self._reports.unreadable():
            lost = Failed(f"this report was begun and never finished: {self._tests.project.short(path)}")
            self._screen.concluded(path.parents[2].name, [Result(path.name, "", 0.0, lost)])

    def report_what_is_missing(self) -> None:
        """After a broken build: the classes in whose midst the JVM ended, and those that had no turn."""
        for name, module in self._running.items():
            lost = Failed("started and did not end: its JVM ended, or was ended, in the middle of it")
            self._screen.concluded(module, [Result(name, "", 0.0, lost)])
        for tested in self._tests.modules:
            missed = [Result(name, "", 0.0, NO_TURN) for name in self._without_turn(tested)]
            self._screen.concluded(tested.name, missed)

    def _without_turn(self, module: Module) -> list[str]:
        if module.name not in self._reached:
            return ["all its tests"]
        if module.name not in self._broken or self._tests.only is not None or self._tests.alone:
            return []
        classes = {name.replace("/", ".") for name in _test_classes(module) if _is_named_as_test(name)}
        return sorted(classes - self._seen - self._running.keys())


def _is_named_as_test(name: str) -> bool:
    return any(fnmatchcase(name.rpartition("/")[2], pattern) for pattern in (*UNIT_TESTS, *INTEGRATION_TESTS))


def _test_classes(module: Module) -> set[str]:
    """As paths, `dht/storage/WalTest`."""
    folder = _test_folder(module)
    return {str(path.relative_to(folder).with_suffix("")) for path in _test_sources(module)}


def _test_sources(module: Module) -> Iterator[Path]:
    return _test_folder(module).rglob("*.java")


def _test_folder(module: Module) -> Path:
    return module.directory / "src" / "test" / "java"
