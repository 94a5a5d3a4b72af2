"""Small stand-ins for a JDK, Maven, servers and a checkout, so that no test needs the real ones."""

from __future__ import annotations

import random
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from workbook.failure import Failure
from workbook.host import Host
from workbook.project import Project
from workbook.servers import check_free

SCRIPTS = Path(__file__).resolve().parents[1]
WITHIN_S = 60.0

# For `python -c`: ./workbook with a folder for its runs, before its own words. The checkout is not the test's.
WORKBOOK_WITH_RUNS = """
import sys
from pathlib import Path
from workbook import cli
from workbook.measure.bench import Bench
Bench.runs = property(lambda _: Path(sys.argv[1]))
sys.exit(cli.main(sys.argv[2:]))
"""

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>{name}</artifactId>
<modules>{modules}</modules><dependencies>{dependencies}</dependencies></project>"""

# Understands what a server understands, and misbehaves on demand. Where TRAINS is set, it also answers requests; as the
# JVM that writes an AOT cache, it does that as the value of TRAINS says.
SERVER = """#!{python} -ES
import os, signal, subprocess, sys, time
words = sys.argv[sys.argv.index("-jar") + 2:]
port, behaviour = words[words.index("--port") + 1], words[-1]
print("called with", *sys.argv[1:], flush=True)
print("pid", os.getpid(), flush=True)
trains = os.environ.get("TRAINS")
cache = next((word.partition("=")[2] for word in sys.argv if word.startswith("-XX:AOTCacheOutput=")), None)
if cache is not None and trains in ("silent", "dies"):
    behaviour = trains
if behaviour == "dies":
    print("cannot open the data directory", file=sys.stderr, flush=True)
    sys.exit(3)
if behaviour == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
else:
    # Not with print(), in whose midst the signal may come.
    last_words = b"flushing\\n" * (5_000 if behaviour == "wordy" else 0) + b"flushed\\n"

    def stop(*_):
        os.write(1, last_words)
        if cache is not None and trains in ("well", "badly"):
            open(cache, "w").write("classes and profiles")
        if cache is not None and trains in ("badly", "slowly"):
            open(cache + ".config", "w").write("what a second JVM would read")
        if cache is not None and trains == "slowly":
            os.write(1, b"writing\\n")
            time.sleep(600)
        os._exit(0)

    signal.signal(signal.SIGTERM, stop)
if trains:
    import threading
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_PUT = do_DELETE = do_GET

        def log_message(self, *_):
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", int(port)), Answers)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
if behaviour == "with-child":
    print("pid", subprocess.Popen(["sleep", "600"]).pid, flush=True)
if behaviour != "silent":
    print("ready http://127.0.0.1:" + port, flush=True)
if behaviour == "dies-later":
    sys.exit(0)
while behaviour == "chatty":
    print("still here", flush=True)
    time.sleep(0.01)
while True:
    time.sleep(1)
"""


def make_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def make_jdk(home: Path, version: str = "25.0.1", java: str = "#!/bin/sh\n") -> Path:
    """Something that looks like a JDK; its `java` runs a fake server if told to."""
    make_program(home / "bin" / "java", java)
    make_program(home / "bin" / "javac", "#!/bin/sh\n")
    (home / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\n')
    return home


def make_server_jdk(home: Path) -> Path:
    return make_jdk(home, java=SERVER.replace("{python}", sys.executable))


def make_module(root: Path, name: str, *, needs: Mapping[str, str] | None = None) -> Path:
    """A module with one source file. `needs` maps the names of other modules to a scope."""
    directory = root / name
    source = directory / "src" / "main" / "java" / "Main.java"
    source.parent.mkdir(parents=True)
    source.write_text(f"class Main {{}} // {name}\n")
    dependencies = "".join(
        f"<dependency><artifactId>{each}</artifactId><scope>{scope}</scope></dependency>"
        for each, scope in (needs or {}).items()
    )
    (directory / "pom.xml").write_text(POM.format(name=name, modules="", dependencies=dependencies))
    return directory


def make_project(root: Path) -> Project:
    """A checkout with a testkit, stages 1 and 3, each needing what is before it."""
    root.mkdir(parents=True, exist_ok=True)
    make_module(root, "testkit")
    make_module(root, "stage1-storage", needs={"testkit": "test", "one-nio": "compile"})
    make_module(root, "stage3-sharding", needs={"stage1-storage": "compile", "testkit": "test"})
    modules = "".join(f"<module>{name}</module>" for name in ("testkit", "stage1-storage", "stage3-sharding"))
    (root / "pom.xml").write_text(POM.format(name="all", modules=modules, dependencies=""))
    return Project(root)


def make_host(tmp_path: Path, **env: str) -> Host:
    """A machine on which nothing is installed but what the test puts under `tmp_path`."""
    return Host(env=env, home=tmp_path / "home", root=tmp_path / "root", system="Linux")


def free_ports(count: int = 1) -> int:
    """The first of some free neighbours, of those which neither Linux nor a server test would take by chance."""
    while True:
        port = random.randrange(61_000, 65_500)
        try:
            check_free(list(range(port, port + count)))
        except Failure:
            continue
        return port


@contextmanager
def taken_port() -> Iterator[int]:
    """A port on which somebody else listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield int(taken.getsockname()[1])


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """The URL of a server that says this to each request without a body, be it HTTP or not."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def runs(pid: int) -> bool:
    """Whether the process is there and more than a zombie."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


class Called:
    """A `workbook` that was called as a process of its own, on a project in another folder."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        with self._news:
            return "\n".join(self._lines)

    def pids(self) -> list[int]:
        """Of the fake servers, and of what they have started."""
        return [int(line.split()[-1]) for line in self.output.splitlines() if " | pid " in line]

    def await_line(self, part: str, times: int = 1) -> None:
        with self._news:
            arrived = self._news.wait_for(lambda: sum(part in line for line in self._lines) >= times, WITHIN_S)
        assert arrived, f"waited for {part!r} in:\n{self.output}"

    def send(self, signum: signal.Signals) -> None:
        self._process.send_signal(signum)

    def await_exit(self, within_s: float = WITHIN_S) -> int:
        exit_code = self._process.wait(within_s)
        self._reader.join(WITHIN_S)
        return exit_code

    def end(self) -> None:
        """Gives it the time to end what it has started, as no test may leave a process behind."""
        self._process.terminate()
        try:
            self._process.wait(WITHIN_S)
        finally:
            self._process.kill()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._news:
                self._lines.append(line.rstrip("\n"))
                self._news.notify_all()


def command_line(project: Project, *words: str) -> list[str]:
    code = "import sys; from pathlib import Path; from workbook.cli import main; "
    code += "sys.exit(main(sys.argv[2:], Path(sys.argv[1])))"
    return [sys.executable, "-c", code, str(project.root), *words]


@contextmanager
def called(project: Project, *words: str, env: Mapping[str, str]) -> Iterator[Called]:
    process = subprocess.Popen(
        command_line(project, *words),
        cwd=SCRIPTS,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    command = Called(process)
    try:
        yield command
    finally:
        command.end()


def await_true(condition: Callable[[], bool], within_s: float = WITHIN_S) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
