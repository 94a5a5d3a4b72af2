"""Maven, started with JDK 25 and read while it runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbook import fixes, jdk
from workbook.failure import Failure
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.processes import Children
from workbook.project import Project

# Maven's own libraries use Unsafe and load native code, for which JDK 25 prints warnings. The first flag does not
# exist before JDK 23, so it may go to Maven only together with the JAVA_HOME below.
QUIET_JVM = "--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"

FAST_JVM = "-XX:TieredStopAtLevel=1"
"""Maven itself does too little for the better compiler to pay. The user's own options come later, and win."""

TICK_S = 0.2
PROBLEM_LINES_MAX = 60

MODULE = re.compile(r"\[INFO\] -+< \S+:(\S+) >-+$")
BROKEN = re.compile(r"\[ERROR\] Failed to execute goal .*on project ([^\s:]+):")
# "maven-compiler-plugin:3.16.0:compile (default-compile) @ testkit"; Maven 3.9 writes "compiler:3.16.0:compile …".
GOAL = re.compile(r"\[INFO\] --- (?:maven-)?([\w-]+?)(?:-maven-plugin|-plugin)?:[^:]+:([\w-]+) \(.+\) @ (\S+) ---")
DOWNLOAD = re.compile(r"Downloading from \S+: \S*/([^/\s]+)")

NOISE = re.compile(r"\[INFO\]|(\[ERROR\] )?(\s+at |Command was |See dump files |org\.apache\.maven\.)")

WORDS = {
    "compiler:compile": "compiling",
    "compiler:testCompile": "compiling the tests",
    "surefire:test": "starting the tests",
    "shade:shade": "packing the self-contained jar",
}


@dataclass(frozen=True)
class Maven:
    program: Path
    jdk: Jdk
    project: Project
    host: Host

    def run(self, arguments: list[str], log: Path, watch: Callable[[str | None], None]) -> int:
        """Runs Maven to its end, all it prints into `log` and, line by line, to `watch`: None now and then."""
        log.parent.mkdir(parents=True, exist_ok=True)
        command = self.command(*arguments)
        with Children() as children, _written(log) as write:
            write(f"$ JAVA_HOME={self.jdk.home} {shlex.join(command)}")
            child = children.start("Maven", command, cwd=self.project.root, env=self.env())
            for line in child.lines(TICK_S):
                if line is not None:
                    write(line)
                watch(line)
            return child.wait()

    def command(self, *arguments: str) -> list[str]:
        return [str(self.program), "--batch-mode", "-Dstyle.color=never", *arguments]

    def env(self) -> dict[str, str]:
        options = f"{QUIET_JVM} {FAST_JVM} {self.host.env.get('MAVEN_OPTS', '')}".strip()
        return {**self.host.env, "JAVA_HOME": str(self.jdk.home), "MAVEN_OPTS": options}


@contextmanager
def _written(log: Path) -> Iterator[Callable[[str], None]]:
    """What writes a line into the log at once. A full disk is a Failure that names the log."""

    def write(line: str) -> None:
        try:
            file.write(f"{line}\n".encode())
        except OSError as problem:
            raise Failure(f"cannot write {log}: {problem.strerror}") from problem

    with log.open("wb", buffering=0) as file:
        yield write


def require(project: Project, host: Host) -> Maven:
    found_jdk = jdk.require(host)
    program = host.which("mvn")
    if program is None:
        raise Failure(f"no Maven found: there is no mvn on PATH\n{fixes.for_host(fixes.MAVEN, host)}")
    return Maven(program, found_jdk, project, host)


def step(line: str) -> str | None:
    """What Maven has begun to do, in words; None when the line doesn't say."""
    if match := GOAL.search(line):
        return f"{match[3]}: {WORDS.get(f'{match[1]}:{match[2]}', 'building')}"
    if match := DOWNLOAD.search(line):
        return f"downloading {match[1]}"
    return None


def problems(log: Path) -> str:
    """Why the build failed, without the advice that Maven adds for people who use it directly."""
    lines = log.read_text(encoding="utf-8").splitlines()
    verdicts = [number for number, line in enumerate(lines) if "BUILD FAILURE" in line]
    if not verdicts:  # Maven did not get as far as building: a broken pom, a JVM that does not start.
        return "\n".join(lines[1 : PROBLEM_LINES_MAX + 1])
    kept = []
    for line in lines[verdicts[-1] + 1 :]:
        if "-> [Help" in line:
            kept.append(line.partition(" -> [Help")[0])
            break
        if not NOISE.match(line):
            kept.append(line)
    shown = dict.fromkeys(line.removeprefix("[ERROR]").removeprefix(" ") for line in kept)  # Each line once.
    return "\n".join(list(filter(None, shown))[:PROBLEM_LINES_MAX])
