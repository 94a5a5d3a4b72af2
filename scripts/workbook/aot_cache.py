"""AOT caches: the classes that the JVM of a stage has loaded in a training run, for the servers of `run` to begin with.

A cache is a file in the stage's target/aot. Its name says for what it is good: the jar, the JDK, the flags of servers.
What is in it, and what it brings: docs/lab/cold-start.md.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from workbook.closed_loop import closed_loop
from workbook.console import activity
from workbook.failure import Failure
from workbook.host import Host, free_ports
from workbook.jdk import SERVER_FLAGS, Jdk
from workbook.locks import directory_lock
from workbook.messages import warn
from workbook.processes import Children
from workbook.project import Module, Project
from workbook.servers import FIRST_CLUSTER_STAGE, Cluster, Log, Node, ServerCommand

TRAINED_NODES = 3
"""From the first stage with clusters on: the code that asks other nodes learns only where there are some."""
CONNECTIONS = 6
LOAD_S = 2.5
READY_WITHIN_S = 60.0  # A server that hangs does so again, visibly, when the training run has failed.
WRITTEN_WITHIN_S = 180.0
STARTED = "started"
"""A file with the name of the cache that the last start would have used."""

# A JVM takes a cache only if its jar has the time, in whole seconds, that the jar of the training run had. So all
# copies of jars get this one; what differs between jars is in the name of the cache.
JAR_TIME_S = 1_000_000_000

# Where another flag makes a cache unusable, the JVM goes on without it, but prints some lines about it among those of
# the server. A later option overrides this one: --jvm -Xlog:aot shows them.
QUIET = "-Xlog:aot*=off"

# With the profiles of the training run, the JVM compiles more until a server answers, and the server does less in its
# first minute. A later option overrides this one, too.
NO_PROFILES = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTReplayTraining")

# A JVM that gets one of these and -XX:AOTCache refuses to start. The user has said what is loaded from where.
OWN_ARCHIVE = re.compile(
    r"-Xshare:|-XX:(AOTCache|AOTConfiguration|AOTMode=(record|create)|DumpLoadedClassList|Shared\w+File)"
)
OPTION_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")


@dataclass(frozen=True)
class AotCaches:
    """Of this checkout. Any number of processes may use them at a time."""

    project: Project
    host: Host
    out: Console
    load_s: float = LOAD_S
    at_once: bool = False
    """Whether the first start of a build makes the cache. The second one does otherwise: making it takes longer than
    all that one start gains, and most builds are started once."""

    def flags(self, stage: Module, jdk: Jdk, jar: Path, jvm_options: Sequence[str] = ()) -> tuple[str, ...]:
        """JVM flags with which servers run from this copy of the stage's jar use a cache. They are to stand before the
        user's `jvm_options`.

        If there is no cache, it is made, unless this is the first start. Without one there are no flags, and the
        servers start as usual.
        """
        cache = stage.target / "aot" / f"{_key(jdk, jar)}.aot"
        if _chosen_by_user(jvm_options, self.host.env) or os.pathsep in str(cache):  # It would be taken for two files.
            return ()
        try:
            _set_time(jar)
            cache.parent.mkdir(parents=True, exist_ok=True)
            if not cache.is_file():
                if not self.at_once and _is_first_start(cache):
                    return ()
                self._make_once(stage, jdk, jar, cache)
        except BrokenPipeError:  # The reader of our output has gone.
            raise
        except (Failure, OSError) as problem:
            reason = re.split("[;\n]", str(problem))[0]
            warn(f"could not make an AOT cache, so the servers start more slowly (--no-aot skips this): {reason}")
            return ()
        return f"-XX:AOTCache={cache}", QUIET, *NO_PROFILES

    def _make_once(self, stage: Module, jdk: Jdk, jar: Path, cache: Path) -> None:
        waiting = "another ./workbook is making an AOT cache; waiting for it"
        with directory_lock(cache.parent, lambda: self.out.print(waiting)):
            if cache.is_file():  # It was the same one.
                return
            self.out.print(f"making an AOT cache for stage {stage.stage_number} (once per build)")
            started = time.monotonic()
            for old in cache.parent.iterdir():  # Of other builds, and of training runs that were killed.
                if old.is_dir():
                    shutil.rmtree(old)
                elif old.name != STARTED:
                    old.unlink()
            with tempfile.TemporaryDirectory(prefix="training-", dir=cache.parent) as place:
                self._make(stage, jdk, jar, Path(place)).replace(cache)
            self.out.print(f"made {self.project.short(cache)} in {time.monotonic() - started:.1f} s")

    def _make(self, stage: Module, jdk: Jdk, jar: Path, place: Path) -> Path:
        """All of it within `place`. The first JVM writes the cache when it ends, with the help of another JVM."""
        number = stage.stage_number
        assert number is not None, f"{stage.name} is no stage"
        trained = place / jar.name
        shutil.copyfile(jar, trained)
        _set_time(trained)
        cache = place / "cache.aot"
        command = ServerCommand(jdk, trained, number, first_jvm_options=(f"-XX:AOTCacheOutput={cache}",))
        ports = free_ports(TRAINED_NODES if number >= FIRST_CLUSTER_STAGE else 1)
        nodes = [Node(f"node{i + 1}", port, place / f"node{i + 1}") for i, port in enumerate(ports)]
        log = self.project.logs / f"aot-{stage.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with activity(self.out, "starting the training run") as show:
            self._train(command, nodes, log, show)
        # The JVM leaves its notes where the other JVM could not make a cache of them.
        if not cache.is_file() or Path(f"{cache}.config").exists():
            raise Failure(f"the JVM has not written it, see {self.project.short(log)}")
        return cache

    def _train(self, command: ServerCommand, nodes: list[Node], log: Path, show: Callable[[str | None], None]) -> None:
        with log.open("wb", buffering=0) as file, Children() as children:
            try:
                cluster = Cluster(command, nodes, children, Log(coloured=False, file=file))
                cluster.await_ready(READY_WITHIN_S)
                show("training run: requests")
                with closed_loop([node.url for node in nodes], CONNECTIONS) as loop:
                    loop.ask(seconds_max=self.load_s)
                show("training run: the JVM writes the cache")
                cluster.stop(WRITTEN_WITHIN_S)
            except BaseException:
                children.kill()  # At SIGTERM a JVM would write a cache that nobody wants, for seconds.
                raise


def _key(jdk: Jdk, jar: Path) -> str:
    """Whatever of this changes, the cache is another one. A JVM would also refuse it, but not say so."""
    digest = hashlib.sha256()
    for part in ((jdk.home / "release").read_bytes(), " ".join(SERVER_FLAGS).encode(), jar.read_bytes()):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]


def _is_first_start(cache: Path) -> bool:
    """Of servers that would use this cache. Notes that there was one."""
    note = cache.with_name(STARTED)
    if note.is_file() and note.read_text() == cache.stem:
        return False
    note.write_text(cache.stem)
    return True


def _set_time(jar: Path) -> None:
    os.utime(jar, (JAR_TIME_S, JAR_TIME_S))


def _chosen_by_user(jvm_options: Sequence[str], env: Mapping[str, str]) -> bool:
    words = [*jvm_options, *(word for name in OPTION_VARIABLES for word in env.get(name, "").split())]
    return any(OWN_ARCHIVE.match(word) for word in words)
