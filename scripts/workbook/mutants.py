"""Mutants: what PIT made of a package's code, which of them its tests noticed, and which need not be noticed.

A stage's `mutants.txt` names the packages that are tested this way, and the mutants that no test can notice:

    package dht.storage tested by dht.storage.*
    package dht.storage.memory

    dht.storage.memory.Bytes.compare | ConditionalsBoundary | for (; i <= common - Long.BYTES; i += Long.BYTES) {
        The last eight bytes are compared one by one, with the same result.

A package's own tests have to notice, unless the list names others. A mutant goes by its method, its mutator and the
text of its line, so that it is found again when lines move.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbook.failure import Failure
from workbook.project import Module

FILE = "mutants.txt"
PACKAGE = "package "
TESTED_BY = " tested by "
SEPARATOR = " | "
# Lincheck changes the classes of its tests while they run, so PIT cannot tell which lines of them ran.
UNFIT = "*LinearizabilityTest"

# PIT's words for a mutant that was noticed: a test failed, it hung or ran out of memory, or the JVM refused the class.
NOTICED = {"KILLED", "TIMED_OUT", "MEMORY_ERROR", "NON_VIABLE"}
# PIT counts as noticed what it could not try, as when a JVM did not start in time. It was not.
WHY_NOT = {"NO_COVERAGE": "no test runs it: ", "RUN_ERROR": "it could not be tried: "}


@dataclass(frozen=True)
class Identity:
    method: str
    mutator: str
    line: str

    def __str__(self) -> str:
        return SEPARATOR.join((self.method, self.mutator, self.line))


@dataclass(frozen=True)
class Mutant:
    identity: Identity
    file: str
    line_number: int
    what: str
    status: str

    @property
    def is_noticed(self) -> bool:
        return self.status in NOTICED

    def __str__(self) -> str:
        """Words and a place that an editor opens."""
        return f"{self.file}:{self.line_number}: {WHY_NOT.get(self.status, '')}{self.what}"


@dataclass(frozen=True)
class Harmless:
    """A mutant that these tests cannot notice, and why."""

    identity: Identity
    reason: str


@dataclass(frozen=True)
class Package:
    """Whose classes are changed, without those of packages below, and by which tests: PIT's patterns."""

    name: str
    tested_by: str | None = None

    @property
    def options(self) -> list[str]:
        classes, below = f"{self.name}.*", f"{self.name}.*.*"
        options = [f"-DtargetClasses={classes}", f"-DexcludedClasses={below}"]
        if self.tested_by is not None:
            return [*options, f"-DtargetTests={self.tested_by}", f"-DexcludedTestClasses={UNFIT}"]
        return [*options, f"-DtargetTests={classes}", f"-DexcludedTestClasses={below},{UNFIT}"]


@dataclass(frozen=True)
class MutantList:
    """A module's `mutants.txt`."""

    path: Path
    packages: list[Package] = field(default_factory=list)
    harmless: list[Harmless] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    """What came of one package."""

    package: str
    count: int
    noticed: int
    listed: list[Mutant]
    survivors: list[Mutant]
    unlisted_since: list[Harmless]
    """Listed, but there is no such mutant, or a test notices it by now."""

    @property
    def score(self) -> float:
        return self.noticed / self.count if self.count else 1.0

    @property
    def holds(self) -> bool:
        return not self.survivors and not self.unlisted_since


def read_list(module: Module) -> MutantList | None:
    """None where the module has none, and so isn't tested this way."""
    path = module.directory / FILE
    if not path.is_file():
        return None
    found = MutantList(path)
    reasons: list[list[str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if line[0].isspace() and reasons:
            reasons[-1].append(text)
        elif text.startswith(PACKAGE):
            name, _, tests = text.removeprefix(PACKAGE).partition(TESTED_BY)
            found.packages.append(Package(name.strip(), tests.strip() or None))
        elif text.count(SEPARATOR) >= 2:
            found.harmless.append(Harmless(Identity(*text.split(SEPARATOR, 2)), ""))
            reasons.append([])
        else:
            raise Failure(f"{path}:{number}: neither a package nor METHOD{SEPARATOR}MUTATOR{SEPARATOR}LINE: {text}")
    for each, reason in zip(found.harmless, reasons, strict=True):
        if not reason:
            raise Failure(f"{path}: no reason is given for {each.identity}: say why no test can notice it")
    found.harmless[:] = [
        Harmless(each.identity, " ".join(reason)) for each, reason in zip(found.harmless, reasons, strict=True)
    ]
    return found


def read_report(report: Path, module: Module) -> list[Mutant]:
    """What PIT's `mutations.xml` says."""
    try:
        root = ET.parse(report).getroot()
    except (OSError, ET.ParseError) as problem:
        raise Failure(f"cannot read {report}: {problem}") from problem
    sources = module.directory / "src" / "main" / "java"
    return [_mutant(element, sources) for element in root.iterfind("mutation")]


def _mutant(element: ET.Element, sources: Path) -> Mutant:
    class_name = element.findtext("mutatedClass", "")
    package = class_name.rpartition(".")[0]
    source = sources / package.replace(".", "/") / element.findtext("sourceFile", "")
    line_number = int(element.findtext("lineNumber", "0"))
    mutator = element.findtext("mutator", "").rpartition(".")[2].removesuffix("Mutator")
    method = f"{class_name}.{element.findtext('mutatedMethod', '')}"
    return Mutant(
        Identity(method, mutator, _line(source, line_number)),
        source.name,
        line_number,
        element.findtext("description", ""),
        element.get("status", ""),
    )


def _line(source: Path, number: int) -> str:
    lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def judge(package: str, mutants: Sequence[Mutant], harmless: Iterable[Harmless]) -> Verdict:
    """`harmless`: of the whole module; those of other packages are left aside."""
    ours = {each.identity: each for each in harmless if _package(each.identity) == package}
    unnoticed = [mutant for mutant in mutants if not mutant.is_noticed]
    listed = [mutant for mutant in unnoticed if mutant.identity in ours]
    met = {mutant.identity for mutant in listed}
    return Verdict(
        package,
        len(mutants),
        len(mutants) - len(unnoticed),
        listed,
        [mutant for mutant in unnoticed if mutant.identity not in ours],
        [each for identity, each in ours.items() if identity not in met],
    )


def _package(identity: Identity) -> str:
    """Of `dht.execution.WorkerPool$Turn.run`: names of packages are in lower case, those of classes are not."""
    words = identity.method.split(".")
    return ".".join(word for word in words[:-1] if word[:1].islower())
