"""Three nodes of stage 5 from deploy/compose.yaml, in a swarm of one machine and with Docker Compose.

They are measured as a target, and restarted one by one under load.
"""

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

from tests.fakes import WORKBOOK_WITH_RUNS, await_true, free_ports
from workbook import cli, console, jdk
from workbook.build import Builder
from workbook.findings import State, find_docker
from workbook.host import Host
from workbook.measure import stacks
from workbook.measure.load_report import read_report
from workbook.measure.load_tool import SPREAD
from workbook.measure.run_folder import read_run
from workbook.project import Project
from workbook.remote.watch import trouble_at

pytestmark = [pytest.mark.long_by_nature, pytest.mark.alone]

NAMES = ("node-1", "node-2", "node-3")
REPOSITORY = "workbook-test"
STARTS_WITHIN_S = 120.0
PROFILE_WITHIN_S = 300.0
KEYS = 2000
RATE_PER_S = 250
"""Two nodes that have just started keep up with it, while a third one starts on the same two processors."""
LOAD_S = 30
"""Longer than a node needs to stop, to start, and to be found by the others."""
ENDS_WITHIN_S = 60.0
WRITERS = 4
PAUSE_S = 0.01
"""Between two writes of one writer: the load is to come from the load tool."""
ANSWERS_WITHIN_S = 10.0


def docker(*words: str, variables: Mapping[str, str] | None = None) -> str:
    env = {**os.environ, **(variables or {})}
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=60, check=False, env=env)
    assert done.returncode == 0, f"docker {words}: {done.stderr}"
    return done.stdout.strip()


class Swarm:
    """`docker stack` in a swarm of this one machine."""

    def __init__(self, name: str, folder: Path, variables: Mapping[str, str]) -> None:
        self.name = name
        self._file = folder / "compose.yaml"
        self._variables = variables

    def start(self, undo: ExitStack) -> None:
        """`undo` gets what takes it away again, however far this comes."""
        if (state := docker("info", "--format", "{{.Swarm.LocalNodeState}}")) != "inactive":
            pytest.skip(f"this Docker daemon is in a swarm of somebody else: it is {state}")
        undo.callback(quietly, "volume", "rm", *(f"{self.name}_{node}" for node in NAMES))
        docker("swarm", "init", "--advertise-addr=127.0.0.1", f"--listen-addr=127.0.0.1:{free_ports()}")
        undo.callback(quietly, "swarm", "leave", "--force")
        undo.callback(self._remove)
        words = ("stack", "deploy", "--resolve-image=never", f"--compose-file={self._file}", self.name)
        docker(*words, variables=self._variables)

    def labels(self, node: str) -> list[str]:
        return [f"com.docker.swarm.service.name={self.name}_{node}"]

    def replace(self, node: str) -> None:
        docker("service", "update", "--force", "--detach", f"{self.name}_{node}")

    def _remove(self) -> None:
        """Waits for the end of its containers: they hold its volumes."""
        quietly("stack", "rm", self.name)
        ours = ("ps", "--all", "--quiet", "--filter", f"label=com.docker.stack.namespace={self.name}")
        await_true(lambda: not quietly(*ours), ENDS_WITHIN_S)


class Compose:
    """`docker compose`, a plugin of Docker that not every machine has."""

    def __init__(self, name: str, folder: Path, variables: Mapping[str, str]) -> None:
        self.name = name
        self._words = ("compose", f"--file={folder / 'compose.yaml'}", f"--project-name={name}")
        self._variables = variables

    def start(self, undo: ExitStack) -> None:
        """`undo` gets what takes it away again, however far this comes."""
        if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode != 0:
            pytest.skip("the docker of this machine has no plugin compose")
        undo.callback(quietly, *self._words, "down", "--volumes", variables=self._variables)
        docker(*self._words, "up", "--detach", variables=self._variables)

    def labels(self, node: str) -> list[str]:
        return [f"com.docker.compose.project={self.name}", f"com.docker.compose.service={node}"]

    def replace(self, node: str) -> None:
        docker(*self._words, "up", "--detach", "--force-recreate", "--no-deps", node, variables=self._variables)


@dataclass(frozen=True)
class Cluster:
    """The nodes, and files that list them."""

    manager: Swarm | Compose
    urls: tuple[str, ...]
    folder: Path

    def container(self, name: str) -> str:
        """The only one of this node that runs; empty while there is none."""
        filters = [f"--filter=label={label}" for label in self.manager.labels(name)]
        return docker("ps", "--quiet", *filters)

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

    def workbook(self, *words: str) -> subprocess.Popen[str]:
        env = {name: text for name, text in os.environ.items() if name != "WRK2"}
        return subprocess.Popen(
            [sys.executable, "-c", WORKBOOK_WITH_RUNS, str(self.folder / "runs"), *words],
            cwd=cli.ROOT / "scripts",
            env={**env, "KEYS": str(KEYS)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def latest(self) -> Path:
        return self.folder / "runs" / "stage5-async-client" / "latest"

    def restart(self, name: str) -> None:
        """Returns when another container of this node serves, and all nodes take a write."""
        before = self.container(name)
        self.manager.replace(name)
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
def tag() -> Iterator[str]:
    """Of an image of stage 5."""
    if (found := find_docker(Host())).state != State.FOUND:
        pytest.skip(f"an image needs a Docker daemon: {found.detail}")
    tag = secrets.token_hex(4)
    image = f"{REPOSITORY}/stage5:{tag}"
    try:
        assert cli.main(["image", "5", "--name", image]) == 0
        yield tag
    finally:
        quietly("image", "rm", "--force", image)


@pytest.fixture(scope="module", params=[Swarm, Compose], ids=["swarm", "compose"])
def cluster(request: pytest.FixtureRequest, tag: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder, first_port = tmp_path_factory.mktemp("cluster"), free_ports(len(NAMES))
    shutil.copy(cli.ROOT / "deploy" / "compose.yaml", folder)
    secret = folder / "cluster.properties"
    secret.write_text(f"cluster-secret={secrets.token_hex(16)}\n")
    secret.chmod(0o644)  # The user in the container reads it.
    ports = {f"PORT_{i + 1}": str(first_port + i) for i in range(len(NAMES))}
    variables = {"REGISTRY": REPOSITORY, "TAG": tag, "STAGE": "5", "MEMORY": "512m", **ports}
    # While a node starts, two slow processors may keep another one waiting for longer than the usual second.
    variables["SERVER_OPTIONS"] = "--peer-timeout=10s"
    manager = request.param(f"test-{tag}", folder, variables)
    with ExitStack() as undo:
        manager.start(undo)
        made = Cluster(manager, tuple(f"http://127.0.0.1:{port}" for port in ports.values()), folder)
        made.await_whole()
        yield made


def quietly(*words: str, variables: Mapping[str, str] | None = None) -> str:
    env = {**os.environ, **(variables or {})}
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=120, check=False, env=env)
    return done.stdout.strip()


@pytest.mark.timeout(PROFILE_WITHIN_S + STARTS_WITHIN_S + 2 * ENDS_WITHIN_S)
def test_profile_of_containers_has_every_node_and_leaves_nothing_in_them(cluster: Cluster) -> None:
    load = ("--quick", "--rate", "200", "--duration", "5", "--spread", "--connections", "8")
    with ended(cluster.workbook("profile", "5", "put", *load, "--target", str(cluster.target(*NAMES)))) as profile:
        said, _ = profile.communicate(timeout=PROFILE_WITHIN_S)

    assert profile.returncode == 0, said
    nodes = read_run(cluster.latest)["nodes"]
    assert isinstance(nodes, list)
    assert [(node["name"], node["through"]) for node in nodes] == [(name, "docker") for name in NAMES]
    for node in nodes:
        assert node["cpu"]["us_per_request"] > 1, said
        assert stacks.read(cluster.latest / "nodes" / node["name"], "cpu").with_package("dht").samples > 0, said
        assert "workbook" not in docker("exec", cluster.container(node["name"]), "sh", "-c", "echo /tmp/*")


@pytest.mark.timeout(len(NAMES) * (3 * STARTS_WITHIN_S + LOAD_S))
def test_rolling_restart_under_load_loses_no_request_through_the_other_nodes(cluster: Cluster) -> None:
    fill(cluster)
    registers = Registers()
    for away in NAMES:
        urls = [url for name, url in zip(NAMES, cluster.urls, strict=True) if name != away]
        with generator("-t2", "-c8", f"-d{LOAD_S}s", f"-R{RATE_PER_S}", "-s", "mixed", urls=urls) as load:
            with registers.used(urls):
                await_true(lambda: registers.reads > 0, ENDS_WITHIN_S)
                cluster.restart(away)
                is_covered = load.poll() is None
            said, _ = load.communicate(timeout=LOAD_S + ENDS_WITHIN_S)

        assert load.returncode == 0, said
        assert is_covered, f"the load ended before {away} was back"
        report = read_report(said)
        assert report.errors.total == 0, said
        assert report.rate_per_s is not None
        assert report.rate_per_s > 0.9 * RATE_PER_S, said
    for url in cluster.urls:
        with closing(Client(url)) as client:
            for key in registers.acknowledged:
                registers.check(key, client)

    assert registers.violations == []
    assert registers.reads > 100


def fill(cluster: Cluster) -> None:
    with generator("--fill", "-t1", "-c8", urls=cluster.urls) as filling:
        said, _ = filling.communicate(timeout=ENDS_WITHIN_S)
    assert filling.returncode == 0, said


@contextmanager
def generator(*words: str, urls: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """The load tool itself: the lab would repeat a run that a starting node disturbs."""
    host = Host()
    project = Project(cli.ROOT)
    jar = Builder(project, host, console.standard_output()).ensure_jar(project.module("benchmarks"))
    java = jdk.require(host).java
    with ended(
        subprocess.Popen(
            [str(java), "-XX:+UseSerialGC", "-Xmx128m", "-cp", str(jar), "dht.benchmarks.load.Main", *words, urls[0]],
            env={**os.environ, "KEYS": str(KEYS), SPREAD: ",".join(urls)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    ) as made:
        yield made


@contextmanager
def ended(command: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """It is ended, however the block is left."""
    try:
        yield command
    finally:
        if command.poll() is None:
            command.terminate()
            command.communicate(timeout=ENDS_WITHIN_S)
