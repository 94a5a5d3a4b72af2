"""The JDK that everything is built and run with: found wherever machines keep one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbook import fixes
from workbook.failure import Failure
from workbook.host import Host

MAJOR_VERSION = 25

# The servers' HTTP library loads a native library and uses Unsafe; without these the JVM prints warnings.
SERVER_FLAGS = ("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")

# Folders of JDKs, one JDK a folder within; a leading ~ is the user's home.
COLLECTIONS = (
    "/usr/lib/jvm",
    "/usr/lib64/jvm",
    "/usr/java",
    "/usr/local/java",
    "/opt/java",
    "/opt",
    "~/.sdkman/candidates/java",
    "~/.jdks",
    "~/.gradle/jdks",
    "~/.asdf/installs/java",
    "~/.local/share/mise/installs/java",
    "~/.local/share/rtx/installs/java",
    "/Library/Java/JavaVirtualMachines",
    "~/Library/Java/JavaVirtualMachines",
    "/opt/homebrew/opt",
    "/usr/local/opt",
    "/home/linuxbrew/.linuxbrew/opt",
)
# The same, named by the tool's own variable.
COLLECTION_VARIABLES = {
    "SDKMAN_CANDIDATES_DIR": "java",
    "ASDF_DATA_DIR": "installs/java",
    "MISE_DATA_DIR": "installs/java",
}
# Where the home lies within such a folder: macOS bundles and Homebrew wrap it.
WITHIN = (".", "Contents/Home", "libexec/openjdk.jdk/Contents/Home", "libexec", "lib/openjdk")

JCMD_WITHIN_S = 60.0
"""On a busy machine, the JVM of `jcmd` and the JVM that it asks take some time."""


@dataclass(frozen=True)
class Jdk:
    home: Path
    version: str
    found_by: str

    @property
    def java(self) -> Path:
        return self.home / "bin" / "java"

    def jcmd(self, host: Host, pid: int, *words: str) -> tuple[int, str] | None:
        """Exit code and everything printed by `jcmd PID WORDS`; None if it cannot be started or does not end."""
        return host.output([str(self.home / "bin" / "jcmd"), str(pid), *words], within_s=JCMD_WITHIN_S)


def find(host: Host) -> Jdk | None:
    """The first JDK of the wanted version. No JVM is started for it: the `release` file tells the version."""
    for home, found_by in _candidates(host):
        version = version_of(home)
        if version is not None and _major(version) == MAJOR_VERSION:
            return Jdk(home.resolve(), version, found_by)
    return None


def require(host: Host) -> Jdk:
    found = find(host)
    if found is None:
        raise Failure(
            f"no JDK {MAJOR_VERSION} found (looked at JAVA_HOME, PATH and where JDKs are usually installed)\n"
            f"{fixes.for_host(fixes.JDK, host)}\n"
            "  or set JAVA_HOME to one that is installed elsewhere"
        )
    return found


def version_of(home: Path) -> str | None:
    """The version of a whole JDK, compiler included; None for anything else."""
    if not all((home / "bin" / program).is_file() for program in ("java", "javac")):
        return None
    try:
        release = (home / "release").read_text(errors="replace")
    except OSError:
        return None
    match = re.search(r'^JAVA_VERSION="?([^"\s]+)', release, re.MULTILINE)
    return match[1] if match else None


def _major(version: str) -> int:
    digits = re.match(r"\d+", version)
    return int(digits[0]) if digits else 0


def _candidates(host: Host) -> Iterator[tuple[Path, str]]:
    if java_home := host.env.get("JAVA_HOME"):
        yield Path(java_home), "JAVA_HOME"
    if java := host.which("java"):
        yield java.resolve().parent.parent, "PATH"
    if host.is_macos and (answer := host.output(["/usr/libexec/java_home", "-v", str(MAJOR_VERSION)])):
        exit_code, home = answer
        if exit_code == 0:
            yield Path(home.strip()), "java_home"
    for collection in _collections(host):
        for folder in _folders(collection):
            for within in WITHIN:
                yield folder / within, str(collection)


def _collections(host: Host) -> Iterator[Path]:
    for variable, below in COLLECTION_VARIABLES.items():
        if named := host.env.get(variable):
            yield Path(named) / below
    for place in COLLECTIONS:
        yield host.home / place[2:] if place.startswith("~/") else host.path(place)


def _folders(collection: Path) -> list[Path]:
    """Newest name first, so that of two updates of one JDK the later is taken, the same on each call."""
    try:
        return sorted((entry for entry in collection.iterdir() if entry.is_dir()), reverse=True)
    except OSError:
        return []
