from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import make_jdk, make_program, make_project
from workbook.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "testkit/src/main/resources/dht/testkit/container/Dockerfile"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """On a machine with a JDK and nothing else."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(make_jdk(tmp_path / "jdk")))
    return make_project(tmp_path / "checkout").root


def test_image_without_docker_says_so_and_how_to_install_it(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["image", "1"], checkout) == 1

    first, *fixes = capsys.readouterr().err.splitlines()
    assert first == "workbook: images need Docker, and there is no docker on PATH"
    assert any("docker" in line.lower() for line in fixes)


def test_image_with_a_daemon_that_does_not_answer_repeats_what_docker_said(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_program(checkout.parent / "bin/docker", "#!/bin/sh\necho 'permission denied' >&2\nexit 1\n")

    assert main(["image", "1"], checkout) == 1

    first, *fixes = capsys.readouterr().err.splitlines()
    assert first == "workbook: images need Docker, and its daemon does not answer: permission denied"
    assert fixes


@pytest.mark.parametrize(
    ("words", "exit_code", "said"),
    [
        (["image"], 2, "the following arguments are required: N"),
        (["image", "one"], 2, "'one' is not the number of a stage"),
        (["image", "9"], 1, "there is no stage 9; there are 1, 3"),
    ],
)
def test_image_of_no_stage_is_one_clear_line(
    checkout: Path, capsys: pytest.CaptureFixture[str], words: list[str], exit_code: int, said: str
) -> None:
    assert main(words, checkout) == exit_code

    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    "line",
    [
        "ARG BASE=",
        "FROM ${BASE}",
        "USER 10001:10001",
        "COPY --chown=10001:10001 data/ /data/",
        "VOLUME /data",
        "STOPSIGNAL SIGTERM",
        'ENTRYPOINT ["java", ',  # A shell would not pass SIGTERM on.
        'CMD ["java", ',
        "dht.command.StatusProbe",
    ],
)
def test_docker_file_keeps_its_promises(line: str) -> None:
    assert line in DOCKERFILE.read_text()
