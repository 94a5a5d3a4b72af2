"""Three nodes of stage 5 and two load machines, each a machine of its own, measured as a target through ssh."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import machines
from tests.fakes import SCRIPTS, WORKBOOK_WITH_RUNS, await_true
from tests.machines import Machine, Network
from workbook import cli, console, jdk
from workbook.build import Builder
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.measure import stacks
from workbook.measure.nodes_part import nodes_part
from workbook.measure.run_folder import read_run
from workbook.project import Project

# Alone: beside the suites of Java a start of jcmd takes seconds, and there are several for each command.
pytestmark = [pytest.mark.long_by_nature, pytest.mark.alone]

STAGE = 5
NAMES = ("node-1", "node-2", "node-3")
LOADS = ("load-1", "load-2")
PORT = 8080
SECRET = "hush-for-the-test"
ENDS_WITHIN_S = 180.0
TOLD_WITHIN_S = 30.0
SLOW_MS_MIN = 5.0
LOAD = ("--quick", "--rate", "200", "--duration", "3", "--connections", "6")


@dataclass(frozen=True)
class Cluster:
    """The nodes, and the file that lists them."""

    network: Network
    jdk: Jdk
    folder: Path

    @property
    def nodes(self) -> tuple[Machine, ...]:
        return self.network.machines[: len(NAMES)]

    def target(self, *, with_loads: bool = False, **other: str) -> Path:
        """The file. `other` is what it says of node-2 only."""
        tables = []
        for machine in self.network.machines if with_loads else self.nodes:
            head = "[[node]]" if machine in self.nodes else "[[load]]"
            table: dict[str, object] = {"url": url(machine)} if machine in self.nodes else {}
            table |= {"name": machine.name, "directory": "/srv/files"}
            table |= {"java-home": str(self.jdk.home), "run": [*self.network.ssh, machine.name]}
            table |= other if machine.name == "node-2" else {}
            tables.append("\n".join([head, *(f"{key} = {json.dumps(value)}" for key, value in table.items())]))
        file = self.folder / "three.toml"
        file.write_text("\n".join(tables))
        return file

    def begin(self, *words: str, with_loads: bool = False, **other: str) -> subprocess.Popen[str]:
        """A command of ./workbook with the target, where the machines are reached."""
        target = str(self.target(with_loads=with_loads, **other))
        env = {name: value for name, value in os.environ.items() if name != "WRK2" and "proxy" not in name.lower()}
        workbook = (sys.executable, "-c", WORKBOOK_WITH_RUNS, str(self.folder / "runs"))
        return subprocess.Popen(
            [*self.network.here, *workbook, *words, "--target", target],
            cwd=SCRIPTS,
            env={**env, "KEYS": "200"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *words: str, with_loads: bool = False) -> tuple[int, str]:
        """Its exit code, and what it said."""
        with self.begin(*words, with_loads=with_loads) as command:
            try:
                said, _ = command.communicate(timeout=ENDS_WITHIN_S)
            finally:
                command.terminate()
        return command.returncode, said

    @property
    def latest(self) -> Path:
        return self.folder / "runs" / "stage5-async-client" / "latest"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if (problem := machines.why_not()) is not None:
        pytest.skip(problem)
    folder = tmp_path_factory.mktemp("machines")
    project, found = Project(cli.ROOT), jdk.require(Host())
    builder = Builder(project, Host(), console.standard_output())
    jar = builder.copy_jar(project.stage(STAGE), folder)
    builder.ensure_jar(project.module("benchmarks"))  # Where the machines are, nothing can be downloaded.
    with machines.network(folder, (*NAMES, *LOADS)) as network:
        cluster = Cluster(network, found, folder)
        urls = ",".join(url(machine) for machine in cluster.nodes)
        for machine in network.machines:
            (machine.folder / "files").mkdir()
        for machine in cluster.nodes:
            (machine.folder / "data").mkdir()
            shutil.copy(jar, machine.folder / "server.jar")
            machine.start(server(found, machine, urls), "server.log")
        for machine in cluster.nodes:
            machine.await_said("server.log", "ready http://")
        yield cluster


@pytest.fixture(autouse=True)
def is_left_clean(cluster: Cluster) -> Iterator[None]:
    """Nothing of ours is left on the machines, nor any ssh here."""
    yield
    for machine in cluster.network.machines:
        assert list((machine.folder / "files").iterdir()) == []
        ours = {"sh", "sshd", "ps", *(["java"] if machine in cluster.nodes else [])}
        await_true(lambda machine=machine, ours=ours: programs(machine) <= ours)  # type: ignore[misc]
    await_true(lambda: str(cluster.folder) not in ssh_here())


def server(found: Jdk, machine: Machine, urls: str) -> str:
    """Its command line. Nodes that others can reach need a secret."""
    here = f"--host {machine.address} --port {PORT} --data /srv/data"
    cluster = f"--self {url(machine)} --cluster {urls} --cluster-secret {SECRET}"
    return f"{found.java} -Xmx128m -jar /srv/server.jar {here} {cluster}"


def url(machine: Machine) -> str:
    return f"http://{machine.address}:{PORT}"


def programs(machine: Machine) -> set[str]:
    return set(machine.tell("ps -e -o comm=").split())


def ssh_here() -> str:
    return subprocess.run(["ps", "-C", "ssh", "-o", "args="], capture_output=True, text=True, check=False).stdout


def test_nodes_behind_ssh_are_profiled_where_they_are(cluster: Cluster) -> None:
    exit_code, said = cluster.run("profile", str(STAGE), "put", "--spread", *LOAD)

    assert exit_code == 0, said
    facts = read_run(cluster.latest)
    nodes = facts["nodes"]
    assert isinstance(nodes, list)
    assert [(node["name"], node["through"]) for node in nodes] == [(name, "ssh") for name in NAMES]
    for node in nodes:
        assert node["cpu"]["us_per_request"] > 1, said
        assert node["gc"] is not None
        assert "-Xmx128m" in node["jvm_flags"]
        sampled = stacks.read(cluster.latest / "nodes" / node["name"], "cpu")
        assert sampled.with_package("dht").samples > 0, said
    by_node = [stacks.read(cluster.latest / "nodes" / name, "cpu").samples for name in NAMES]
    assert stacks.read(cluster.latest, "cpu").samples == sum(by_node)
    assert SECRET not in (cluster.latest / "run.json").read_text()


def test_slow_node_is_seen_on_the_page(cluster: Cluster) -> None:
    cluster.network.machines[2].slow_down(PORT)
    try:
        exit_code, said = cluster.run("load", str(STAGE), "status", *LOAD[:3], "--duration", "2")
    finally:
        cluster.network.machines[2].speed_up()

    assert exit_code == 0, said
    facts = read_run(cluster.latest)
    nodes = facts["nodes"]
    assert isinstance(nodes, list)
    trips = [node["round_trip_ms"] for node in nodes]
    from_here = [each["from_load_host"] for each in trips]
    assert from_here[2] > max(SLOW_MS_MIN, from_here[0], from_here[1]), trips
    assert [set(each["to"]) for each in trips] == [set(NAMES) - {name} for name in NAMES]
    assert trips[0]["to"]["node-3"] > max(SLOW_MS_MIN, trips[0]["to"]["node-2"]), trips
    assert trips[1]["to"]["node-3"] > max(SLOW_MS_MIN, trips[1]["to"]["node-1"]), trips
    # The nodes have too few data for a figure, but each way was asked for one.
    assert [set(node["throughput_mb_per_s"]["to"]) for node in nodes] == [set(NAMES) - {name} for name in NAMES]
    page = nodes_part(facts, cluster.latest.parent, cluster.latest.name)
    assert f"the farthest is node-3, {from_here[2]:.2f} ms" in page


def test_load_from_two_machines_is_one_load(cluster: Cluster) -> None:
    words = ("load", str(STAGE), "put", "--spread", "--quick", "--rate", "160", "--duration", "4")
    exit_code, said = cluster.run(*words, "--connections", "12", with_loads=True)

    assert exit_code == 0, said
    facts = read_run(cluster.latest)
    loads, results = facts["load_machines"], facts["results"]
    assert isinstance(loads, list)
    assert isinstance(results, dict)
    assert [(each["name"], each["through"]) for each in loads] == [(name, "ssh") for name in LOADS]
    for each in loads:
        assert each["rate_per_s"] == pytest.approx(80, rel=0.1), said
        assert abs(each["began_late_ms"]) < 1000, said
        assert each["tool_cores"] > 0, said
        assert 0 < each["round_trip_ms"]["from_here"] < 1000
        assert all(each["round_trip_ms"]["to"][name] > 0 for name in NAMES), said
        assert set(each["throughput_mb_per_s"]["to"]) == set(NAMES), said
    assert results["rate_per_s"] == pytest.approx(sum(each["rate_per_s"] for each in loads), abs=0.1)
    assert results["latency_count"] == sum(each["requests"] for each in loads)
    timeline = (cluster.latest / "timeline.csv").read_text().splitlines()[1:]
    assert sum(int(line.split(",")[1]) for line in timeline) == results["requests"]


def await_load(cluster: Cluster, load: subprocess.Popen[str], *machines: Machine) -> None:
    """Until the nodes are filled, and the load tool runs on these machines."""

    def is_loading() -> bool:
        is_filled = (cluster.latest / "fill.txt").is_file()
        return is_filled and all("java" in programs(machine) for machine in machines)

    await_true(lambda: is_loading() or load.poll() is not None, ENDS_WITHIN_S)
    assert load.poll() is None, load.communicate()[0]


def forget_fills(cluster: Cluster) -> None:
    """So that the next one is seen."""
    for each in (cluster.folder / "runs").rglob("fill.txt"):
        each.unlink()


def test_command_that_is_killed_leaves_nothing_on_the_load_machines(cluster: Cluster) -> None:
    first, second = cluster.network.machines[len(NAMES) :]
    forget_fills(cluster)
    with cluster.begin("load", str(STAGE), "put", *LOAD, "--duration", "60", with_loads=True) as load:
        try:
            await_load(cluster, load, first, second)
        finally:
            load.kill()
    for machine in (first, second):
        await_true(lambda machine=machine: "java" not in programs(machine))  # type: ignore[misc]
        await_true(lambda machine=machine: not list((machine.folder / "files").iterdir()))  # type: ignore[misc]
    for machine in cluster.nodes:  # Nobody was left to end the logs there.
        for file in (machine.folder / "files").iterdir():
            file.unlink()


def test_load_machine_that_vanishes_under_load_is_named(cluster: Cluster) -> None:
    first, second = cluster.network.machines[len(NAMES) :]
    forget_fills(cluster)
    with cluster.begin("load", str(STAGE), "put", *LOAD, "--duration", "60", with_loads=True) as load:
        try:
            await_load(cluster, load, first, second)
            second.vanish()
            began_s = time.monotonic()
            said, _ = load.communicate(timeout=ENDS_WITHIN_S)
            took_s = time.monotonic() - began_s
        finally:
            load.terminate()
            second.come_back()

    assert load.returncode == 1, said
    assert took_s < TOLD_WITHIN_S
    assert said.splitlines()[-1] == "workbook: load-2: ssh has not answered within 4 s"
    # Its sshd learns of the end when the machine is back.
    await_true(lambda: not list((second.folder / "files").iterdir()), ENDS_WITHIN_S)


def refused(cluster: Cluster, **other: str) -> str:
    """The last line of a load that cannot begin, in time from when it tries to reach the machines."""
    with cluster.begin("load", str(STAGE), "put", *LOAD, with_loads=False, **other) as load:
        try:
            await_true(lambda: str(cluster.folder) in ssh_here() or load.poll() is not None, ENDS_WITHIN_S)
            began_s = time.monotonic()
            said, _ = load.communicate(timeout=ENDS_WITHIN_S)
        finally:
            load.terminate()
    assert load.returncode == 1, said
    assert time.monotonic() - began_s < TOLD_WITHIN_S
    return said.splitlines()[-1]


def test_sshd_that_hangs_is_named(cluster: Cluster) -> None:
    second = cluster.nodes[1]
    second.tell("kill -STOP $(cat /srv/sshd.pid)")
    try:
        assert refused(cluster) == "workbook: node-2: ssh has not answered within 8 s"
    finally:
        second.tell("kill -CONT $(cat /srv/sshd.pid)")


def test_ssh_that_is_not_let_in_is_named(cluster: Cluster) -> None:
    second = cluster.nodes[1]
    keys = second.folder / "authorized_keys"
    known = keys.read_text()
    keys.write_text("")
    try:
        last = refused(cluster)
    finally:
        keys.write_text(known)

    assert (
        last
        == f"workbook: node-2: ssh has failed, exit code 255: root@{second.address}: Permission denied (publickey)."
    )


def test_full_disk_of_a_machine_is_named(cluster: Cluster) -> None:
    cluster.network.machines[1].tell("mkdir -p /tmp/small && mount -t tmpfs -o size=4m small /tmp/small")

    last = refused(cluster, directory="/tmp/small")

    assert last == "workbook: node-2: cannot write 8 MB to /tmp/small there: is its disk full?"
    assert cluster.network.machines[1].tell("ls /tmp/small") == ""


def test_machine_that_vanishes_under_load_is_named(cluster: Cluster) -> None:
    second = cluster.nodes[1]
    forget_fills(cluster)
    with cluster.begin("load", str(STAGE), "put", *LOAD, "--duration", "60") as load:
        try:
            filled = cluster.latest / "fill.txt"
            await_true(lambda: filled.is_file() or load.poll() is not None, ENDS_WITHIN_S)
            second.vanish()
            began_s = time.monotonic()
            said, _ = load.communicate(timeout=ENDS_WITHIN_S)
        finally:
            load.terminate()
            second.come_back()

    took_s = time.monotonic() - began_s
    assert load.returncode == 1, said
    assert took_s < TOLD_WITHIN_S
    # Its status and its processor time are asked for. Either of the two questions may fail first.
    assert re.search("^workbook: node-2( has gone: .*|: ssh has not answered within 6 s)$", said, re.MULTILINE), said
    (left,) = (second.folder / "files").iterdir()
    left.unlink()
