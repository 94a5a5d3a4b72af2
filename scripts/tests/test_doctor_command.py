from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes import make_host, make_jdk, make_program, make_project
from workbook import findings, fixes
from workbook.cli import main
from workbook.findings import State
from workbook.host import Host

MAVEN = '#!/bin/sh\necho "Apache Maven ${VERSION:-3.9.9} (abc)"\necho "Java home: $JAVA_HOME"\n'


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One with everything that is required, and nothing else on PATH but the system's tools."""
    make_program(tmp_path / "bin/mvn", MAVEN)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("JAVA_HOME", str(make_jdk(tmp_path / "jdk", "25.0.7")))
    return tmp_path


def test_doctor_with_everything_required_names_versions_and_places(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project(machine / "checkout")

    assert main(["doctor"], project.root) == 0

    rows = {line.split("  ")[0]: line for line in capsys.readouterr().out.splitlines()}
    assert f"25.0.7  {machine / 'jdk'}" in rows["JDK 25"]
    assert f"3.9.9  {machine / 'bin/mvn'}" in rows["Maven"]
    assert "found" in rows["Python"]
    for optional in (
        "Docker",
        "wrk2",
        "browser",
        "profiler",
        "selector",
        "cores",
        "memory",
        "free disk",
        "file descriptors",
    ):
        assert optional in rows


def test_doctor_without_maven_fails_and_says_how_to_install_it(
    machine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(machine))

    assert main(["doctor"], make_project(machine / "checkout").root) == 1

    output = capsys.readouterr().out
    assert "Maven, to fix it:" in output
    assert "install maven" in output
    assert "required and missing: Maven" in output


def test_doctor_asked_for_the_jdk_prints_its_home_alone(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--jdk-home"], machine) == 0
    assert capsys.readouterr().out == f"{machine / 'jdk'}\n"


def test_maven_is_asked_for_its_version_with_the_found_jdk(tmp_path: Path) -> None:
    told = tmp_path / "told.txt"
    make_program(tmp_path / "bin/mvn", f'#!/bin/sh\necho "$JAVA_HOME" > "{told}"\necho "Apache Maven 3.9.9"\n')
    home = make_jdk(tmp_path / "jdk")
    host = make_host(tmp_path, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", JAVA_HOME=str(home))

    assert findings.find_maven(make_project(tmp_path / "checkout"), host).state is State.FOUND
    assert told.read_text() == f"{home}\n"


@pytest.mark.parametrize(
    ("version", "state"), [("3.6.3", State.MISSING), ("3.8.7", State.FOUND), ("4.0.0", State.FOUND)]
)
def test_maven_that_is_too_old_is_missing(tmp_path: Path, version: str, state: State) -> None:
    make_program(tmp_path / "bin/mvn", MAVEN)
    host = make_host(tmp_path, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", VERSION=version)

    found = findings.find_maven(make_project(tmp_path / "checkout"), host)

    assert found.state is state
    assert version in found.detail


def test_maven_that_does_not_start_is_missing(tmp_path: Path) -> None:
    make_program(tmp_path / "mvn", "#!/bin/sh\necho 'no JVM here'\nexit 1\n")

    found = findings.find_maven(make_project(tmp_path / "checkout"), make_host(tmp_path, PATH=str(tmp_path)))

    assert found.state is State.MISSING
    assert "does not tell its version" in found.detail


def test_docker_whose_daemon_is_silent_is_missing_and_gets_the_fix_for_that(tmp_path: Path) -> None:
    make_program(tmp_path / "docker", "#!/bin/sh\necho 'Cannot connect to the Docker daemon'\nexit 1\n")

    found = findings.find_docker(make_host(tmp_path, PATH=str(tmp_path)))

    assert (found.state, found.fix) == (State.MISSING, fixes.DOCKER_DAEMON)


def test_docker_with_its_daemon_is_found_with_the_daemons_version(tmp_path: Path) -> None:
    make_program(tmp_path / "docker", "#!/bin/sh\necho 28.1.1\n")

    found = findings.find_docker(make_host(tmp_path, PATH=str(tmp_path)))

    assert (found.state, found.detail) == (State.FOUND, f"28.1.1  {tmp_path / 'docker'}")


@pytest.mark.parametrize(
    ("paranoid", "restrict", "state"),
    [("1", "0", State.FOUND), ("-1", "0", State.FOUND), ("2", "0", State.LIMITED), ("1", "1", State.LIMITED)],
)
def test_profiler_permissions_are_read_from_the_kernel(
    tmp_path: Path, paranoid: str, restrict: str, state: State
) -> None:
    kernel = tmp_path / "root/proc/sys/kernel"
    kernel.mkdir(parents=True)
    (kernel / "perf_event_paranoid").write_text(f"{paranoid}\n")
    (kernel / "kptr_restrict").write_text(f"{restrict}\n")

    assert findings.find_profiler_permissions(make_host(tmp_path)).state is state


def test_profiler_permissions_that_nobody_tells_are_limited(tmp_path: Path) -> None:
    assert findings.find_profiler_permissions(make_host(tmp_path)).state is State.LIMITED


def test_profiler_permissions_on_macos_need_no_fix(tmp_path: Path) -> None:
    found = findings.find_profiler_permissions(Host(env={}, home=tmp_path, root=tmp_path, system="Darwin"))

    assert (found.state, found.fix) == (State.LIMITED, None)


@pytest.mark.parametrize(
    ("os_release", "expected"),
    [
        ("ID=debian\n", ["Debian, Ubuntu", "SDKMAN"]),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', ["Debian, Ubuntu", "SDKMAN"]),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', ["Fedora", "SDKMAN"]),
        ("ID=arch\n", ["Debian, Ubuntu", "Fedora", "macOS", "nix", "SDKMAN"]),
    ],
)
def test_fix_is_shown_for_the_system_at_hand(tmp_path: Path, os_release: str, expected: list[str]) -> None:
    (tmp_path / "root/etc").mkdir(parents=True)
    (tmp_path / "root/etc/os-release").write_text(os_release)

    shown = fixes.for_host(fixes.JDK, make_host(tmp_path, PATH=""))

    assert [line.strip().split(":")[0] for line in shown.splitlines()] == expected


def test_browser_without_its_driver_is_missing(tmp_path: Path) -> None:
    chromium = make_program(tmp_path / "bin/chromium", "")
    alone = findings.find_browser(make_host(tmp_path, PATH=str(chromium.parent)))
    make_program(tmp_path / "bin/chromedriver", "")
    both = findings.find_browser(make_host(tmp_path, PATH=str(chromium.parent)))

    assert (alone.state, alone.detail) == (State.MISSING, "no chromedriver on PATH")
    assert (both.state, both.detail) == (State.FOUND, f"{chromium}, {chromium.parent / 'chromedriver'}")


@pytest.mark.parametrize(
    ("libc", "options", "state", "detail"),
    [
        ("glibc 2.36", "", State.FOUND, "java  (glibc 2.36: one-nio has no other here)"),
        ("glibc 2.41", "", State.FOUND, "java  (glibc 2.41: one-nio has a native one here, which servers do not use)"),
        ("", "", State.FOUND, "java  (no glibc: one-nio has no other here)"),
        (
            "glibc 2.38",
            "-Done.nio.net.force.java.socket=false",
            State.LIMITED,
            "native  (glibc 2.38): JAVA_TOOL_OPTIONS sets one.nio.net.force.java.socket",
        ),
        (
            "glibc 2.36",
            "-Done.nio.net.force.java.socket=false",
            State.FOUND,
            "java  (glibc 2.36: one-nio has no other here)",
        ),
        (
            "glibc 2.41",
            "-Done.nio.net.force.java.socket=TRUE",
            State.FOUND,
            "java  (glibc 2.41: one-nio has a native one here, which servers do not use)",
        ),
    ],
)
def test_selector_is_javas_unless_the_environment_lets_one_nio_take_its_own(
    tmp_path: Path, libc: str, options: str, state: State, detail: str
) -> None:
    make_program(tmp_path / "getconf", f"#!/bin/sh\n[ -n '{libc}' ] && echo '{libc}'\n")

    found = findings.find_selector(make_host(tmp_path, PATH=str(tmp_path), JAVA_TOOL_OPTIONS=options))

    assert (found.state, found.detail) == (state, detail)
