"""Three nodes of stage 5 that the test has started, measured as a target: each is reached in another way."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import await_true, free_ports, make_program
from workbook import cli, console, jdk
from workbook.build import Builder
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.measure import stacks
from workbook.measure.bench import Bench
from workbook.measure.run_folder import read_run
from workbook.processes import Children
from workbook.project import Project
from workbook.remote.watch import trouble_at
from workbook.servers import Node, ServerCommand

# Alone, because a busy machine may be too slow for the questions that are put to the nodes.
pytestmark = [pytest.mark.long_by_nature, pytest.mark.alone]

STAGE = 5
NAMES = ("here", "recorded", "like-ssh")
STARTS_WITHIN_S = 60
# The words are joined and read by another shell, as ssh does it.
LIKE_SSH = '#!/bin/sh\nexec sh -c "$*"\n'
RECORDED = '#!/bin/sh\necho "$@" >> {told}\nexec "$@"\n'


@pytest.fixture(scope="module")
def found_jdk() -> Jdk:
    return jdk.require(Host())


@pytest.fixture
def pids(tmp_path: Path, found_jdk: Jdk) -> Iterator[list[int]]:
    """Of the nodes, which are described in three.toml."""
    project = Project(cli.ROOT)
    jar = Builder(project, Host(), console.standard_output()).copy_jar(project.stage(STAGE), tmp_path)
    first_port = free_ports(3)
    nodes = [Node(name, first_port + i, tmp_path / f"data-{name}") for i, name in enumerate(NAMES)]
    reach = {
        "recorded": str(make_program(tmp_path / "reach", RECORDED.format(told=tmp_path / "told"))),
        "like-ssh": str(make_program(tmp_path / "like-ssh", LIKE_SSH)),
    }
    (tmp_path / "files").mkdir()
    tables = []
    for node in nodes:
        node.data.mkdir()
        table = {"name": node.name, "url": node.url, "directory": str(tmp_path / "files")}
        table |= {"java-home": str(found_jdk.home), "run": reach.get(node.name, "")}
        tables.append("\n".join(["[[node]]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]))
    (tmp_path / "three.toml").write_text("\n".join(tables))
    command = ServerCommand(found_jdk, jar, STAGE, ("-Xmx128m",), ("--peer-timeout=10s",))
    with Children() as children:
        started = [children.start(node.name, command.line(node, nodes)) for node in nodes]
        for child, node in zip(started, nodes, strict=True):
            child.follow(lambda _line: None)
            await_true(lambda node=node: trouble_at(node.url) is None, STARTS_WITHIN_S)  # type: ignore[misc]
        yield [child.pid for child in started]


def test_profile_of_a_target_has_every_node_and_leaves_nothing_on_them(
    tmp_path: Path,
    pids: list[int],
    found_jdk: Jdk,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path / "runs"))
    monkeypatch.delenv("WRK2", raising=False)
    monkeypatch.setenv("KEYS", "2000")

    load = ["--quick", "--rate", "1000", "--duration", "5", "--connections", "8"]
    exit_code = cli.main(["profile", "5", "put", *load, "--target", str(tmp_path / "three.toml")])

    told = capsys.readouterr()
    assert exit_code == 0, told.err
    run = tmp_path / "runs" / "stage5-async-client" / "latest"
    facts = read_run(run)
    nodes = facts["nodes"]
    assert isinstance(nodes, list)
    assert [node["name"] for node in nodes] == list(NAMES)
    for node in nodes:
        assert node["cpu"]["us_per_request"] > 1, told.out
        assert node["gc"] is not None
        assert "-Xmx128m" in node["jvm_flags"]
        sampled = stacks.read(run / "nodes" / node["name"], "cpu")
        assert sampled.on_threads("worker").with_package("dht.storage").samples > 0, told.out
    by_node = [stacks.read(run / "nodes" / name, "cpu").samples for name in NAMES]
    assert stacks.read(run, "cpu").samples == sum(by_node)
    # Only the first node was asked, and sends what is for the others.
    coordinating = [
        stacks.read(run / "nodes" / name, "cpu").with_package("dht.replication.async").samples for name in NAMES
    ]
    assert coordinating[0] > 0
    assert coordinating[1:] == [0, 0]

    assert list((tmp_path / "files").iterdir()) == []
    assert set((tmp_path / "told").read_text().splitlines()) <= {"sh", f"tar -xf - -C {tmp_path / 'files'}"}
    for pid in pids:
        jcmd = [str(found_jdk.home / "bin" / "jcmd"), str(pid), "VM.log", "list"]
        listed = subprocess.run(jcmd, capture_output=True, text=True, check=True).stdout
        assert "#1: " in listed
        assert "#2: " not in listed, "the log of collections goes on"
