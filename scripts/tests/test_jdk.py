from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import make_host, make_jdk, make_program
from workbook import jdk
from workbook.failure import Failure
from workbook.host import Host


def test_find_with_nothing_installed_finds_none(tmp_path: Path) -> None:
    assert jdk.find(make_host(tmp_path, PATH="")) is None


def test_find_with_fitting_java_home_takes_it_before_all_others(tmp_path: Path) -> None:
    home = make_jdk(tmp_path / "mine")
    make_jdk(tmp_path / "root/usr/lib/jvm/jdk-25", "25.0.9")

    found = jdk.find(make_host(tmp_path, PATH="", JAVA_HOME=str(home)))

    assert found == jdk.Jdk(home, "25.0.1", "JAVA_HOME")


@pytest.mark.parametrize("version", ["17.0.15", "21", "24.0.2", "26-ea", "1.8.0_452", "250.1", "nonsense"])
def test_find_with_java_home_of_another_version_goes_on_searching(tmp_path: Path, version: str) -> None:
    other = make_jdk(tmp_path / "other", version)
    wanted = make_jdk(tmp_path / "root/usr/lib/jvm/temurin-25")

    found = jdk.find(make_host(tmp_path, PATH="", JAVA_HOME=str(other)))

    assert found is not None
    assert found.home == wanted


@pytest.mark.parametrize("version", ["25", "25-ea", "25.0.3", "25.0.3+9"])
def test_find_with_any_update_of_25_takes_it(tmp_path: Path, version: str) -> None:
    home = make_jdk(tmp_path / "jdk", version)

    found = jdk.find(make_host(tmp_path, PATH="", JAVA_HOME=str(home)))

    assert found is not None
    assert found.version == version


def test_find_with_java_on_path_follows_its_links_to_the_home(tmp_path: Path) -> None:
    home = make_jdk(tmp_path / "store/jdk")
    (tmp_path / "alternatives").mkdir()
    (tmp_path / "alternatives/java").symlink_to(home / "bin/java")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").symlink_to(tmp_path / "alternatives/java")

    found = jdk.find(make_host(tmp_path, PATH=str(tmp_path / "bin")))

    assert found == jdk.Jdk(home, "25.0.1", "PATH")


@pytest.mark.parametrize(
    "place",
    [
        "root/usr/lib/jvm/java-25-openjdk-amd64",
        "root/opt/jdk-25",
        "root/Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home",
        "root/opt/homebrew/opt/openjdk@25/libexec/openjdk.jdk/Contents/Home",
        "home/.sdkman/candidates/java/25.0.1-tem",
        "home/.jdks/temurin-25.0.1",
        "home/.asdf/installs/java/temurin-25.0.1",
        "home/.local/share/mise/installs/java/temurin-25",
        "home/Library/Java/JavaVirtualMachines/openjdk-25/Contents/Home",
    ],
)
def test_find_looks_where_installers_put_jdks(tmp_path: Path, place: str) -> None:
    home = make_jdk(tmp_path / place)

    found = jdk.find(make_host(tmp_path, PATH=""))

    assert found is not None
    assert found.home == home


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("SDKMAN_CANDIDATES_DIR", "java/25"),
        ("ASDF_DATA_DIR", "installs/java/25"),
        ("MISE_DATA_DIR", "installs/java/25"),
    ],
)
def test_find_looks_where_the_installers_variable_points(tmp_path: Path, variable: str, below: str) -> None:
    home = make_jdk(tmp_path / "moved" / below)

    found = jdk.find(make_host(tmp_path, **{"PATH": "", variable: str(tmp_path / "moved")}))

    assert found is not None
    assert found.home == home


def test_find_on_macos_asks_java_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_jdk(tmp_path / "somewhere")
    asked = []

    def output(_host: Host, command: list[str], env: object = None) -> tuple[int, str]:
        asked.append((command, env))
        return 0, f"{home}\n"

    monkeypatch.setattr(Host, "output", output)
    host = Host(env={"PATH": ""}, home=tmp_path, root=tmp_path, system="Darwin")

    assert jdk.find(host) == jdk.Jdk(home, "25.0.1", "java_home")
    assert asked == [(["/usr/libexec/java_home", "-v", "25"], None)]


def test_find_with_several_updates_takes_the_last_by_name(tmp_path: Path) -> None:
    for version in ("25.0.1", "25.0.2"):
        make_jdk(tmp_path / f"home/.jdks/temurin-{version}", version)

    found = jdk.find(make_host(tmp_path, PATH=""))

    assert found is not None
    assert found.version == "25.0.2"


def test_find_with_a_jre_passes_it_over(tmp_path: Path) -> None:
    home = make_jdk(tmp_path / "root/usr/lib/jvm/jre-25")
    (home / "bin/javac").unlink()

    assert jdk.find(make_host(tmp_path, PATH="")) is None


def test_find_without_release_file_passes_it_over_and_starts_nothing(tmp_path: Path) -> None:
    home = make_jdk(tmp_path / "jdk")
    (home / "release").unlink()
    make_program(home / "bin/java", f"#!/bin/sh\ntouch {tmp_path}/started\n")

    assert jdk.find(make_host(tmp_path, PATH=str(home / "bin"), JAVA_HOME=str(home))) is None
    assert not (tmp_path / "started").exists()


def test_find_with_links_to_nowhere_passes_them_over(tmp_path: Path) -> None:
    (tmp_path / "root/usr/lib/jvm").mkdir(parents=True)
    (tmp_path / "root/usr/lib/jvm/default").symlink_to(tmp_path / "gone")

    assert jdk.find(make_host(tmp_path, PATH="", JAVA_HOME=str(tmp_path / "gone too"))) is None


def test_require_without_jdk_says_what_to_install_on_this_system(tmp_path: Path) -> None:
    (tmp_path / "root/etc").mkdir(parents=True)
    (tmp_path / "root/etc/os-release").write_text("ID=ubuntu\nID_LIKE=debian\n")

    with pytest.raises(Failure) as failure:
        jdk.require(make_host(tmp_path, PATH=""))

    assert "no JDK 25 found" in str(failure.value)
    assert "apt-get install openjdk-25-jdk" in str(failure.value)
    assert "sdk install java" in str(failure.value)
    assert "brew" not in str(failure.value)


def test_require_on_an_unknown_system_names_all_ways(tmp_path: Path) -> None:
    with pytest.raises(Failure) as failure:
        jdk.require(make_host(tmp_path, PATH=""))

    assert all(tool in str(failure.value) for tool in ("apt-get", "dnf", "brew", "nix-shell", "sdk install"))
