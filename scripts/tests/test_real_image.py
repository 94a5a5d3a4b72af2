"""An image with a real Docker daemon: built twice, run, profiled and stopped."""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.fakes import await_true
from workbook import cli
from workbook.findings import State, find_docker
from workbook.host import Host

pytestmark = pytest.mark.long_by_nature

PROFILER = "/opt/profiler/libasyncProfiler.so"
STOPS_WITHIN_S = 10.0


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
