"""Builds the jars that commands run, when their sources have changed since."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from workbook import maven
from workbook.console import activity
from workbook.failure import Failure
from workbook.host import Host
from workbook.locks import directory_lock
from workbook.project import Module, Project


@dataclass(frozen=True)
class Builder:
    project: Project
    host: Host
    out: Console

    def ensure_jar(self, module: Module) -> Path:
        """Builds the module's jar unless it is made from the sources as they are now."""
        self.ensure_jars([module])
        return module.jar

    def ensure_jars(self, modules: Sequence[Module]) -> None:
        """Builds, in one run of Maven, the jars that are not made from the sources as they are now."""
        if self._stale(modules):
            with self.lock():
                # Asked again: the build that was waited for may have made these very jars.
                if stale := self._stale(modules):
                    self._build(stale)

    def _stale(self, modules: Sequence[Module]) -> dict[Module, str]:
        """Which jars must be built, and why."""
        reasons = {module: stale_because(self.project, module) for module in modules}
        return {module: reason for module, reason in reasons.items() if reason is not None}

    def copy_jar(self, module: Module, target: Path) -> Path:
        """A copy of the up-to-date jar. A server runs from it, so that a later build can't change its classes."""
        copy = target / module.jar.name
        if stale_because(self.project, module) is None:
            shutil.copyfile(module.jar, copy)
            if stale_because(self.project, module) is None:  # No build has written to it meanwhile.
                return copy
        with self.lock():
            if stale := self._stale([module]):
                self._build(stale)
            shutil.copyfile(module.jar, copy)
        return copy

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Held by whoever lets Maven write into the modules' target folders."""
        waiting = "another ./workbook is building in this checkout; waiting for it"
        with directory_lock(self.project.root, lambda: self.out.print(waiting)):
            yield

    def _build(self, stale: Mapping[Module, str]) -> None:
        tool = maven.require(self.project, self.host)
        packaged = {each for module in stale for each in self.project.upstream(module, with_tests=False)}
        digests = {each: sources_digest(self.project, each) for each in packaged}
        names = ", ".join(module.name for module in stale)
        log = self.project.logs / f"build-{'-'.join(module.name for module in stale)}.log"
        started = time.monotonic()
        for module, reason in stale.items():
            self.out.print(f"building {module.name}: {reason}")
        with activity(self.out, "starting Maven") as show:
            selected = ",".join(f":{module.name}" for module in stale)
            arguments = ["package", "-Dmaven.test.skip=true", "-pl", selected, "-am"]
            exit_code = tool.run(arguments, log, lambda line: show(maven.step(line or "")))
        if exit_code != 0:
            short = self.project.short(log)
            raise Failure(f"building {names} failed; Maven's whole output is in {short}\n{maven.problems(log)}")
        for module in stale:
            if not module.jar.is_file():
                raise Failure(
                    f"Maven has built {module.name}, but not {self.project.short(module.jar)}: its pom.xml needs the"
                    " maven-shade-plugin, as the other stages' have"
                )
        for each in packaged:  # Maven has packaged what they need, too.
            if each.jar.is_file():
                record(each, digests[each])
        built = ", ".join(self.project.short(module.jar) for module in stale)
        self.out.print(f"built {built} in {time.monotonic() - started:.1f} s")


def stale_because(project: Project, module: Module) -> str | None:
    """Why the jar must be built; None when it need not be."""
    if not module.jar.is_file():
        return "there is no jar yet"
    try:
        digest, jar_state = _note(module).read_text().split("\n")
    except (OSError, ValueError):
        return "its jar was not built by ./workbook"
    if jar_state != _state(module.jar):
        return "its jar was changed since ./workbook built it"
    if digest != sources_digest(project, module):
        return "its sources have changed"
    return None


def record(module: Module, digest: str) -> None:
    """Notes from which sources the jar has just been made: a digest taken before the build began."""
    _note(module).write_text(f"{digest}\n{_state(module.jar)}")


def sources_digest(project: Project, module: Module) -> str:
    """Of everything that goes into the jar: contents and not times, which a checkout of another branch changes."""
    digest = hashlib.sha256()
    for path in _sources(project, module):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(project.root)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _sources(project: Project, module: Module) -> Iterator[Path]:
    yield project.root / "pom.xml"
    yield from _files(project.root / ".mvn")
    for each in project.upstream(module, with_tests=False):
        yield each.directory / "pom.xml"
        yield from _files(each.directory / "src" / "main")


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _note(module: Module) -> Path:
    return module.jar.with_suffix(".made-from")


def _state(jar: Path) -> str:
    stat = jar.stat()
    return f"{stat.st_size} {stat.st_mtime_ns}"
