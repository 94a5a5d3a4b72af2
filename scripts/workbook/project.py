"""The project's folders: its Maven modules, and which of them are stages."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workbook.failure import Failure

STAGE_NAME = re.compile(r"stage(\d+)-.+")
POM = "{http://maven.apache.org/POM/4.0.0}"


@dataclass(frozen=True)
class Module:
    """A folder with a pom.xml."""

    directory: Path

    @property
    def name(self) -> str:
        return self.directory.name

    @property
    def target(self) -> Path:
        return self.directory / "target"

    @property
    def jar(self) -> Path:
        """The self-contained one, which `java -jar` runs."""
        return self.target / f"{self.name}.jar"

    @property
    def has_sources(self) -> bool:
        """False: the module compiles the sources of a library."""
        return (self.directory / "src").is_dir()

    @property
    def report_folders(self) -> tuple[Path, Path]:
        return self.target / "surefire-reports", self.target / "failsafe-reports"

    @property
    def tested(self) -> str:
        """The value of Maven's -Dtested that has this module's tests run, and no others: its package below dht."""
        return self.name if self.stage_number is None else f"stage{self.stage_number}"

    @property
    def stage_number(self) -> int | None:
        match = STAGE_NAME.fullmatch(self.name)
        return int(match[1]) if match else None


@dataclass(frozen=True)
class Project:
    """A checkout. Its poms are read once, when first asked for."""

    root: Path

    @cached_property
    def modules(self) -> list[Module]:
        """In the order of the root pom, in which Maven builds them as far as their dependencies allow."""
        names = [element.text or "" for element in _pom(self.root).iterfind(f"{POM}modules/{POM}module")]
        return [Module(self.root / name) for name in names]

    def module(self, name: str) -> Module:
        for module in self.modules:
            if module.name == name:
                return module
        raise Failure(f"there is no module {name}; there are {_listed(module.name for module in self.modules)}")

    def stage(self, number: int) -> Module:
        stages = {module.stage_number: module for module in self.modules if module.stage_number is not None}
        if number not in stages:
            raise Failure(f"there is no stage {number}; there are {_listed(map(str, sorted(stages)))}")
        return stages[number]

    def pom_property(self, name: str) -> str:
        """A property of the root pom."""
        value = _pom(self.root).findtext(f"{POM}properties/{POM}{name}")
        if value is None:
            raise Failure(f"{self.root / 'pom.xml'} has no property {name}")
        return value

    def upstream(self, module: Module, *, with_tests: bool) -> list[Module]:
        """The modules that this one is built from, itself last; with those that only its tests need if asked."""
        found: list[Module] = []
        for name in self._dependencies(module, with_tests):
            found += [each for each in self.upstream(self.module(name), with_tests=with_tests) if each not in found]
        return [*found, module]

    def _dependencies(self, module: Module, with_tests: bool) -> list[str]:
        ours = {each.name for each in self.modules}
        dependencies = []
        for element in _pom(module.directory).iterfind(f"{POM}dependencies/{POM}dependency"):
            name, scope = element.findtext(f"{POM}artifactId", ""), element.findtext(f"{POM}scope", "compile")
            if name in ours and (with_tests or scope != "test"):
                dependencies.append(name)
        return dependencies

    @property
    def logs(self) -> Path:
        """Where commands keep what they don't show."""
        return self.root / "target" / "workbook"

    def short(self, path: Path) -> str:
        """The path as the user sees it: from the project's root where it lies inside."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def _pom(directory: Path) -> ET.Element:
    pom = directory / "pom.xml"
    try:
        return ET.parse(pom).getroot()
    except (OSError, ET.ParseError) as problem:
        raise Failure(f"cannot read {pom}: {problem}") from problem


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
