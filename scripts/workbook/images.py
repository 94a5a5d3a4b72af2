"""Container images of servers, built with the Docker files of the suites in containers."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from workbook import fixes
from workbook.archives import normalize
from workbook.failure import Failure
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.project import Project

TESTKIT = Path("testkit", "src", "main")
PACKAGE = Path("dht", "testkit", "container")
EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
EPOCH_PROPERTY = "project.build.outputTimestamp"
DOCKER_WITHIN_S = 600.0
# With attestations, two builds would differ.
BUILDER_ENV = {"BUILDX_NO_DEFAULT_ATTESTATIONS": "1"}
EMPTY = ("data", "tmp")  # Directories that the Dockerfile copies with the server's owner.
PROFILER = Path("profiler", "libasyncProfiler.so")


@dataclass(frozen=True)
class Image:
    name: str
    digest: str
    size_bytes: int


@dataclass(frozen=True)
class Docker:
    """The `docker` command, and a daemon that answers it."""

    program: Path
    host: Host

    @staticmethod
    def require(host: Host) -> Docker:
        program = host.which("docker")
        if program is None:
            raise Failure(f"images need Docker, and there is no docker on PATH\n{fixes.for_host(fixes.DOCKER, host)}")
        answer = host.output([str(program), "version", "--format", "{{.Server.Version}}"])
        if answer is None or answer[0] != 0:
            said = answer[1].strip().splitlines()[-1] if answer and answer[1].strip() else "no answer"
            fix = fixes.for_host(fixes.DOCKER_DAEMON, host)
            raise Failure(f"images need Docker, and its daemon does not answer: {said}\n{fix}")
        return Docker(program, host)

    def run(self, *words: str) -> str:
        """What a command of Docker prints; a Failure with its last words if it fails."""
        try:
            done = subprocess.run(
                [str(self.program), *words],
                env={**self.host.env, **BUILDER_ENV},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=DOCKER_WITHIN_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise Failure(f"docker {words[0]} failed: {problem}") from problem
        if done.returncode != 0:
            raise Failure(f"docker {words[0]} failed\n{done.stderr.strip() or done.stdout.strip()}")
        return done.stdout.strip()

    def layers(self, image: str) -> list[str]:
        found: list[str] = json.loads(self.run("image", "inspect", "--format", "{{json .RootFS.Layers}}", image))
        return found


@dataclass(frozen=True)
class ImageBuilder:
    """Builds images in two steps: Docker makes one, then its archive is made the same as that of any other build."""

    project: Project
    host: Host
    jdk: Jdk
    docker: Docker

    def runtime(self, name: str) -> Image:
        """The image below the server's: a Java runtime, and of this machine the C library."""
        with self._folder() as folder:
            context = folder / "context"
            context.mkdir()
            self._prepare(context)
            shutil.copyfile(self._resource("Dockerfile.base"), context / "Dockerfile")
            return self._build(folder, context, name, (), ())

    def server(self, name: str, jar: Path, profiler: Path, base: str) -> Image:
        with self._folder() as folder:
            context = folder / "context"
            for each in EMPTY:
                (context / each).mkdir(parents=True)
            (context / PROFILER).parent.mkdir()
            shutil.copy(profiler, context / PROFILER)
            shutil.copyfile(jar, context / "server.jar")
            shutil.copyfile(self._resource("Dockerfile"), context / "Dockerfile")
            return self._build(folder, context, name, ("--build-arg", f"BASE={base}"), self._layers_of(base))

    def _layers_of(self, base: str) -> Sequence[str]:
        """Pulls the base, if it is not on this machine: its layers stay as they are."""
        try:
            return self.docker.layers(base)
        except Failure:
            self.docker.run("pull", base)
            return self.docker.layers(base)

    def _build(self, folder: Path, context: Path, name: str, arguments: Sequence[str], kept: Sequence[str]) -> Image:
        note = folder / "built"
        self.docker.run("build", "--force-rm", "--no-cache", f"--iidfile={note}", *arguments, str(context))
        built = note.read_text().strip()
        try:
            saved = folder / "saved.tar"
            self.docker.run("save", f"--output={saved}", built)
        finally:
            self.docker.run("image", "rm", built)
        digest = normalize(saved, folder / "image.tar", self._epoch_s(), kept)
        self.docker.run("load", "--quiet", f"--input={folder / 'image.tar'}")
        self.docker.run("tag", f"sha256:{digest}", name)
        size = int(self.docker.run("image", "inspect", "--format", "{{.Size}}", name))
        return Image(name, digest, size)

    def _prepare(self, context: Path) -> None:
        source = self.project.root / TESTKIT / "java" / PACKAGE / "RuntimeImage.java"
        done = subprocess.run(
            [str(self.jdk.java), str(source), str(context)],
            capture_output=True,
            text=True,
            timeout=DOCKER_WITHIN_S,
            check=False,
        )
        if done.returncode != 0:
            raise Failure(f"cannot make a Java runtime for the image\n{done.stderr.strip()}")

    def _resource(self, name: str) -> Path:
        return self.project.root / TESTKIT / "resources" / PACKAGE / name

    def _epoch_s(self) -> int:
        """The time that all files of the image have: as in the jars, unless the environment says another."""
        if text := self.host.env.get(EPOCH_VARIABLE):
            if not text.isdecimal():
                raise Failure(f"{EPOCH_VARIABLE}={text} is not a number of seconds")
            return int(text)
        stamp = self.project.pom_property(EPOCH_PROPERTY)
        return int(datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp())

    @contextlib.contextmanager
    def _folder(self) -> Iterator[Path]:
        self.project.logs.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.project.logs, prefix="image-") as folder:
            yield Path(folder)
