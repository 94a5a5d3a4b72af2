"""Three nodes of stage 5 in a swarm of one machine: measured as a target, and restarted one by one under load."""

from __future__ import annotations

import http.client
import os
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.fakes import await_true, free_ports
from workbook import cli
from workbook.findings import State, find_docker
from workbook.host import Host
from workbook.measure import stacks
from workbook.measure.run_folder import read_run
from workbook.remote.watch import trouble_at

pytestmark = pytest.mark.long_by_nature

NAMES = ("node-1", "node-2", "node-3")
REPOSITORY = "workbook-test"
STARTS_WITHIN_S = 120.0
LAB_WITHIN_S = 600.0
RATE_PER_S = 2000
LOAD_S = 40
"""Longer than a node needs to stop, to start, and to be found by the others."""
LOAD_ENDS_WITHIN_S = 120.0
ENDS_WITHIN_S = 60.0
WRITERS = 4
PAUSE_S = 0.01
"""Between two writes of one writer: the load is to come from the load tool."""
ANSWERS_WITHIN_S = 10.0
# The checkout is not the test's: its runs go elsewhere.
WORKBOOK = """
import sys
from pathlib import Path
from workbook import cli
from workbook.measure.bench import Bench
Bench.runs = property(lambda _: Path(sys.argv[1]))
sys.exit(cli.main(sys.argv[2:]))
"""


def docker(*words: str, variables: Mapping[str, str] | None = None) -> str:
    env = {**os.environ, **(variables or {})}
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=60, check=False, env=env)
    assert done.returncode == 0, f"docker {words}: {done.stderr}"
    return done.stdout.strip()


@dataclass(frozen=True)
class Swarm:
    """The nodes, and files that list them."""

    stack: str
    urls: tuple[str, ...]
    folder: Path

    def container(self, name: str) -> str:
        """The only one of this node that runs; empty while there is none."""
        service = f"label=com.docker.swarm.service.name={self.stack}_{name}"
        return docker("ps", "--filter", service, "--format", "{{.Names}}")

    def target(self, *names: str) -> Path:
        """A file with these nodes."""
        file = self.folder / f"{'-'.join(names)}.toml"
        tables = [
            f'[[node]]\nname = "{name}"\nurl = "{url}"\nrun = "docker exec -i {self.container(name)}"\n'
            for name, url in zip(NAMES, self.urls, strict=True)
            if name in names
        ]
        file.write_text("\n".join(tables))
        return file

    @contextmanager
    def workbook(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        env = {name: text for name, text in os.environ.items() if name != "WRK2"}
        command = subprocess.Popen(
            [sys.executable, "-c", WORKBOOK, str(self.folder / "runs"), *words],
            cwd=cli.ROOT / "scripts",
            env={**env, "KEYS": "2000"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield command
        finally:
            if command.poll() is None:
                command.terminate()
                command.communicate(timeout=ENDS_WITHIN_S)

    @property
    def latest(self) -> Path:
        return self.folder / "runs" / "stage5-async-client" / "latest"

    def restart(self, name: str) -> None:
        """Returns when another container of this node serves, and all nodes take a write."""
        before = self.container(name)
        docker("service", "update", "--force", "--detach", f"{self.stack}_{name}")
        await_true(lambda: self.container(name) not in {"", before}, STARTS_WITHIN_S)
        self.await_whole()

    def await_whole(self) -> None:
        await_true(lambda: all(trouble_at(url) is None for url in self.urls), STARTS_WITHIN_S)
        await_true(lambda: all(serves_all_replicas(url) for url in self.urls), STARTS_WITHIN_S)


def serves_all_replicas(url: str) -> bool:
    with closing(Client(url)) as client:
        written, _ = client.ask("PUT", "whole", b"yes", "&replicas=3/3")
        read, _ = client.ask("GET", "whole", None, "&replicas=3/3")
    return (written, read) == (HTTPStatus.CREATED, HTTPStatus.OK)


class Client:
    """Sends one request after another to one node. Only one thread may use it."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=ANSWERS_WITHIN_S)

    def ask(self, method: str, key: str, body: bytes | None = None, more: str = "") -> tuple[int, bytes]:
        """The status, 0 if no answer came, and the body."""
        try:
            self._connection.request(method, f"/v0/entity?id={key}{more}", body)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return 0, b""

    def close(self) -> None:
        self._connection.close()


@dataclass
class Registers:
    """Keys with one writer each, which counts up. A read after a write must return the number of this write."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    reads: int = 0

    @contextmanager
    def used(self, urls: Sequence[str]) -> Iterator[None]:
        """Meanwhile all writers write to one of these nodes, and read from the other one."""
        over = threading.Event()
        threads = [threading.Thread(target=self._write, args=(i, urls, over)) for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def _write(self, writer: int, urls: Sequence[str], over: threading.Event) -> None:
        key = f"register-{writer}"
        number = self.acknowledged.get(key, 0)
        with ExitStack() as stack:
            clients = [stack.enter_context(closing(Client(url))) for url in urls]
            while not over.wait(PAUSE_S):
                number += 1
                to, other = clients[number % 2], clients[(number + 1) % 2]
                status, said = to.ask("PUT", key, str(number).encode())
                if status != HTTPStatus.CREATED:
                    self.violations.append(f"PUT {key}={number}: {status} {said!r}")
                    continue
                self.acknowledged[key] = number
                self.check(key, other)

    def check(self, key: str, client: Client) -> None:
        status, value = client.ask("GET", key)
        self.reads += 1
        if (status, value) != (HTTPStatus.OK, str(self.acknowledged[key]).encode()):
            self.violations.append(f"GET {key}: {status} {value!r} after {self.acknowledged[key]} was acknowledged")


@pytest.fixture(scope="module")
def swarm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swarm]:
    """Nothing of it stays with the daemon, however far it has come."""
    if (found := find_docker(Host())).state != State.FOUND:
        pytest.skip(f"a swarm needs a Docker daemon: {found.detail}")
    folder, tag = tmp_path_factory.mktemp("swarm"), secrets.token_hex(4)
    image, stack = f"{REPOSITORY}/stage5:{tag}", f"test-{tag}"
    first_port, swarm_port = free_ports(len(NAMES)), free_ports()
    shutil.copy(cli.ROOT / "deploy" / "compose.yaml", folder)
    (folder / "cluster.properties").write_text(f"cluster-secret={secrets.token_hex(16)}\n")
    ports = {f"PORT_{i + 1}": str(first_port + i) for i in range(len(NAMES))}
    with ExitStack() as undo:
        undo.callback(quietly, "image", "rm", "--force", image)
        assert cli.main(["image", "5", "--name", image]) == 0
        if (state := docker("info", "--format", "{{.Swarm.LocalNodeState}}")) != "inactive":
            pytest.skip(f"this Docker daemon is in a swarm of somebody else: it is {state}")
        undo.callback(quietly, "volume", "rm", *(f"{stack}_{name}" for name in NAMES))
        docker("swarm", "init", "--advertise-addr=127.0.0.1", f"--listen-addr=127.0.0.1:{swarm_port}")
        undo.callback(quietly, "swarm", "leave", "--force")
        undo.callback(remove, stack)
        words = ("stack", "deploy", "--resolve-image=never", f"--compose-file={folder / 'compose.yaml'}", stack)
        docker(*words, variables={"REGISTRY": REPOSITORY, "TAG": tag, "STAGE": "5", "MEMORY": "512m", **ports})
        made = Swarm(stack, tuple(f"http://127.0.0.1:{port}" for port in ports.values()), folder)
        made.await_whole()
        yield made


def remove(stack: str) -> None:
    """Waits for the end of its containers: they hold its volumes."""
    quietly("stack", "rm", stack)
    ours = ("ps", "--all", "--quiet", "--filter", f"label=com.docker.stack.namespace={stack}")
    await_true(lambda: not quietly(*ours), ENDS_WITHIN_S)


def quietly(*words: str) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=120, check=False)
    return done.stdout.strip()


def test_lab_of_a_swarm_has_a_profile_of_each_node(swarm: Swarm) -> None:
    load = ("--quick", "--spread", "--connections", "8", "--warmup", "1", "--no-open")
    with swarm.workbook("lab", "5", *load, "--target", str(swarm.target(*NAMES))) as lab:
        said, _ = lab.communicate(timeout=LAB_WITHIN_S)

    assert lab.returncode == 0, said
    (profile,) = swarm.latest.glob("put-profile")
    nodes = read_run(profile)["nodes"]
    assert isinstance(nodes, list)
    assert [(node["name"], node["through"]) for node in nodes] == [(name, "docker") for name in NAMES]
    page = (swarm.latest / "report.html").read_text()
    for node in nodes:
        assert node["cpu"]["us_per_request"] > 1, said
        assert stacks.read(profile / "nodes" / node["name"], "cpu").with_package("dht").samples > 0, said
        assert f'href="put-profile/nodes/{node["name"]}/' in page
        assert "workbook" not in docker("exec", swarm.container(node["name"]), "ls", "-a", "/tmp")


def test_rolling_restart_under_load_loses_no_request_through_the_other_nodes(swarm: Swarm) -> None:
    registers = Registers()
    for away in NAMES:
        others = [name for name in NAMES if name != away]
        urls = [url for name, url in zip(NAMES, swarm.urls, strict=True) if name != away]
        words = ("mixed", "--rate", str(RATE_PER_S), "--duration", str(LOAD_S), "--warmup", "1", "--spread")
        warmed_up = swarm.latest / "warmup.txt"
        warmed_up.unlink(missing_ok=True)  # That of the run before.
        with swarm.workbook("load", "5", *words, "--target", str(swarm.target(*others))) as load:
            await_true(lambda: warmed_up.is_file() or load.poll() is not None, LOAD_ENDS_WITHIN_S)  # noqa: B023
            with registers.used(urls):
                swarm.restart(away)
                is_covered = load.poll() is None
            said, _ = load.communicate(timeout=LOAD_ENDS_WITHIN_S)

        assert load.returncode == 0, said
        assert is_covered, f"the load ended before {away} was back"
        facts = read_run(swarm.latest)
        results, errors = facts["results"], facts["errors"]
        assert isinstance(results, dict)
        assert isinstance(errors, dict)
        assert set(errors.values()) == {0}, said
        assert results["rate_per_s"] > 0.9 * RATE_PER_S, said
    for url in swarm.urls:
        with closing(Client(url)) as client:
            for key in registers.acknowledged:
                registers.check(key, client)

    assert registers.violations == []
    assert registers.reads > 100
