"""Where code that nobody trusts is run: a JVM with limits, and with --sandbox in a container without network."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import psutil

from workbook import jdk
from workbook.exercises.catalog import Exercise
from workbook.exercises.classes import MAIN, TESTKIT, Classes
from workbook.exercises.worker import Worker
from workbook.failure import Failure
from workbook.host import Host

HEAP = "-Xmx512m"
DISK_BYTES_MAX = 512 << 20
CHECK_EVERY_S = 0.2
PROCESSES_MAX = 64
CONTAINER_DISK = "512m"
CONTAINER_MEMORY = "1536m"
CONTAINER_PROCESSES_MAX = 512
IMAGE = "workbook-sandbox:1"
NOBODY = "65534:65534"
SETTINGS = Path("/etc")
DOCKER_WITHIN_S = 60.0
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Sandbox:
    """Limits keep a submission from using up the machine. Without a container it may read and write what you may."""

    host: Host
    in_container: bool

    @contextmanager
    def worker(self, classes: Classes, exercise: Exercise, folders: Sequence[Path], home: Path) -> Iterator[Worker]:
        """A JVM for one exercise of one submission. When the block is left, all that it has started has ended."""
        java = jdk.require(self.host).java.resolve()
        path = [classes.folder(classes.project.module(TESTKIT), MAIN), *classes.libraries(exercise.module)]
        scratch = home / "scratch"
        scratch.mkdir()
        flags = (HEAP, f"-Djava.io.tmpdir={scratch}")
        token = secrets.token_hex(16)
        name = f"workbook-grade-{token}"
        if self.in_container:
            docker = self._docker()
            home_of_jdk = java.parent.parent
            visible = [*path, *folders, home_of_jdk, *_linked(home_of_jdk)]
            wrapper = [str(docker), *_container(name, visible, scratch)]
        else:
            docker = None
            wrapper = [sys.executable, "-E", "-S", str(Path(__file__).with_name("limits.py")), str(scratch)]
        become_reaper()
        log = home / "jvm.log"
        with Worker(java, path, log, flags, wrapper=wrapper, token=token) as worker:
            try:
                with _watched(home, worker):
                    yield worker
            finally:  # Not watched any more: that would end docker, too.
                worker.stop()
                if docker is not None:
                    self._remove(docker, name)
                end_leftovers()

    def _remove(self, docker: Path, name: str) -> None:
        """Its own end may be removing it already, which is an error of `rm`: what counts is that it has gone."""
        until_s = time.monotonic() + DOCKER_WITHIN_S
        while time.monotonic() < until_s:
            self.host.output([str(docker), "rm", "--force", name])
            listed = self.host.output([str(docker), "ps", "--all", "--quiet", f"--filter=name={name}"])
            if listed is not None and listed[0] == 0 and not listed[1].strip():
                return
            time.sleep(CHECK_EVERY_S)
        raise Failure(f"the container {name} of a submission still runs: docker rm --force {name}")

    def _docker(self) -> Path:
        docker = self.host.which("docker")
        if docker is None:
            raise Failure("--sandbox needs Docker, and there is no docker on PATH")
        found = self.host.output([str(docker), "image", "inspect", IMAGE])
        if found is None or found[0] != 0:
            _make_image(docker)
        return docker


def _linked(home: Path, settings: Path = SETTINGS) -> list[Path]:
    """What links below a JDK lead to there. Distributions keep the JDK's own settings in it."""
    links = [Path(place, name) for place, folders, files in os.walk(home) for name in [*folders, *files]]
    targets = [Path(os.path.normpath(link.parent / link.readlink())) for link in links if link.is_symlink()]
    return sorted({each for each in targets if each.is_relative_to(settings) and each.exists()})


def _container(name: str, visible: Sequence[Path], scratch: Path) -> list[str]:
    """The image is empty: the system's libraries, the JDK and the classes are mounted, and can only be read."""
    system = [Path(folder) for folder in ("/usr", "/lib", "/lib64") if Path(folder).exists()]
    mounts = [f"--volume={each}:{each}:ro" for each in dict.fromkeys([*system, *visible])]
    return [
        "run",
        "--rm",
        f"--name={name}",
        "--interactive",
        "--log-driver=none",
        "--network=none",
        "--read-only",
        f"--tmpfs={scratch}:size={CONTAINER_DISK},mode=1777",
        "--tmpfs=/tmp:size=64m,mode=1777",
        f"--workdir={scratch}",
        f"--user={NOBODY}",
        f"--memory={CONTAINER_MEMORY}",
        f"--pids-limit={CONTAINER_PROCESSES_MAX}",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        *mounts,
        IMAGE,
    ]


def _make_image(docker: Path) -> None:
    empty = BytesIO()
    with tarfile.open(fileobj=empty, mode="w"):
        pass
    done = subprocess.run(
        [str(docker), "import", "-", IMAGE],
        input=empty.getvalue(),
        capture_output=True,
        timeout=DOCKER_WITHIN_S,
        check=False,
    )
    if done.returncode != 0:
        raise Failure(f"cannot make the sandbox's image: {done.stderr.decode(errors='replace').strip()}")


@contextmanager
def _watched(home: Path, worker: Worker) -> Iterator[None]:
    """Ends the JVM, and all that it has started, when there are more files or processes than it may have."""
    left = threading.Event()

    def watch() -> None:
        while not left.wait(CHECK_EVERY_S):
            is_within = False  # Also where it cannot be seen, whatever the submission has done to that end.
            with contextlib.suppress(Exception):
                is_within = _bytes(home) <= DISK_BYTES_MAX and len(_children()) <= PROCESSES_MAX
            if not is_within:
                worker.kill()
                with contextlib.suppress(Exception):
                    end_leftovers()

    thread = threading.Thread(target=watch, name="what the submission uses", daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join()


def _bytes(folder: Path) -> int:
    """What is deleted meanwhile is left out."""
    total = 0
    for place, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            with contextlib.suppress(OSError):
                total += Path(place, name).lstat().st_blocks * 512
    return total


def become_reaper() -> None:
    """From now on, what a submission leaves behind becomes a child of this process, which then ends it. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_leftovers() -> None:
    """Ends what was started below this process and is still there, until nothing is.

    All of them are stopped first: what multiplies would otherwise do so faster than it is ended.
    """
    while left := _children():
        for signum in (signal.SIGSTOP, signal.SIGKILL):
            for process in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.send_signal(signum)
        psutil.wait_procs(left, timeout=1)


def _children() -> list[psutil.Process]:
    return [each for each in psutil.Process().children(recursive=True) if _runs(each)]


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
