"""An image with a real Docker daemon: built twice, run, profiled, measured as a target, and stopped."""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import await_true, free_ports
from workbook import cli
from workbook.findings import State, find_docker
from workbook.host import Host
from workbook.measure import stacks
from workbook.measure.bench import Bench
from workbook.measure.run_folder import read_run
from workbook.remote.watch import trouble_at

# Alone, because a busy machine may be too slow for the questions that are put to the container.
pytestmark = [pytest.mark.long_by_nature, pytest.mark.alone]

PROFILER = "/opt/profiler/libasyncProfiler.so"
STOPS_WITHIN_S = 25.0


def docker(*words: str) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"docker {words}: {done.stderr}"
    return done.stdout.strip()


@pytest.fixture(scope="module")
def name() -> Iterator[str]:
    if (found := find_docker(Host())).state != State.FOUND:
        pytest.skip(f"an image needs a Docker daemon: {found.detail}")
    name = f"workbook/stage5-test:{secrets.token_hex(4)}"
    yield name
    subprocess.run(["docker", "image", "rm", "--force", name], capture_output=True, timeout=60, check=False)


@pytest.fixture
def container() -> Iterator[str]:
    name = f"workbook-test-{secrets.token_hex(4)}"
    yield name
    subprocess.run(["docker", "rm", "--force", "--volumes", name], capture_output=True, timeout=60, check=False)


def build(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert cli.main(["image", "5", "--name", name]) == 0
    return capsys.readouterr().out.splitlines()[-1].split("  ")


def test_image_of_stage_5_is_the_same_twice_and_keeps_its_promises(
    name: str, container: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = build(name, capsys), build(name, capsys)
    assert first == second
    assert first[0] == name
    assert docker("image", "inspect", "--format", "{{.Id}}", name) == first[1]
    assert float(first[2].removesuffix(" MB")) < 150

    docker("run", "--detach", f"--name={container}", name)
    await_true(lambda: docker("inspect", "--format={{.State.Health.Status}}", container) == "healthy", 60)

    assert docker("exec", container, "cat", "/proc/1/status").split("Uid:")[1].split()[:2] == ["10001", "10001"]
    loaded = docker("exec", container, "jcmd", "1", "JVMTI.agent_load", PROFILER, '"status"')
    assert "return code: 0" in loaded

    began = time.monotonic()
    docker("stop", "--timeout=30", container)
    assert time.monotonic() - began < STOPS_WITHIN_S
    assert docker("inspect", "--format={{.State.ExitCode}}", container) == "0"


def test_server_in_a_container_is_profiled_there_without_perf_events_and_left_clean(
    name: str,
    container: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    build(name, capsys)
    port = free_ports()
    # The kernel would let this user have perf events, and the container does not; jcmd lists no JVM of a nameless user.
    limits = ("--user=0:0", "--cpus=0.8", "--memory=512m", "--no-healthcheck")
    docker("run", "--detach", f"--name={container}", f"--publish=127.0.0.1:{port}:8080", *limits, name)
    url, target = f"http://127.0.0.1:{port}", tmp_path / "one.toml"
    await_true(lambda: trouble_at(url) is None, 60)
    target.write_text(f'[[node]]\nname = "one"\nurl = "{url}"\nrun = "docker exec -i {container}"\n')
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path / "runs"))
    monkeypatch.setenv("KEYS", "2000")

    load = ["--quick", "--rate", "500", "--duration", "5", "--connections", "8"]
    exit_code = cli.main(["profile", "5", "put", *load, "--target", str(target)])

    told = capsys.readouterr()
    assert exit_code == 0, told.err
    run = tmp_path / "runs" / "stage5-async-client" / "latest"
    facts = read_run(run)
    profile, nodes = facts["profile"], facts["nodes"]
    assert isinstance(profile, dict)
    assert isinstance(nodes, list)
    assert profile["cpu_engine"] == "ctimer"
    assert profile["note"] == "one: perf events were refused: no kernel frames"
    assert nodes[0]["machine"]["limits"] == {"cores": 0.8, "memory_bytes": 512 << 20}
    assert nodes[0]["through"] == "docker"
    assert stacks.read(run / "nodes" / "one", "cpu").on_threads("worker").with_package("dht.storage").samples > 0
    assert "workbook" not in docker("diff", container)
