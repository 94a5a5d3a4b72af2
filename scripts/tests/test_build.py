from __future__ import annotations

import os
import threading
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tests.fakes import await_true, make_host, make_jdk, make_program, make_project
from workbook.build import Builder, sources_digest, stale_because
from workbook.failure import Failure
from workbook.locks import directory_lock
from workbook.project import Module, Project

# Notes that it was called, and makes the jar of the stage that -pl names.
MAVEN = """#!/bin/sh
echo called >> calls.txt
echo "$JAVA_HOME $MAVEN_OPTS $*" > call.txt
mkdir -p stage1-storage/target stage3-sharding/target
for word in "$@"; do
    case $word in :*) date +%N > "${word#:}/target/${word#:}.jar" ;; esac
done
"""
BROKEN_MAVEN = """#!/bin/sh
echo '[INFO] BUILD FAILURE'
echo '[ERROR] Failed to execute goal a:b:c on project stage1-storage: Compilation failure'
echo '[ERROR] Main.java:[1,7] cannot find symbol'
echo '[ERROR] -> [Help 1]'
echo '[ERROR] Re-run Maven using the -X switch'
exit 1
"""


class Bench:
    """A checkout, a fake Maven, and a builder that uses them."""

    def __init__(self, tmp_path: Path, maven: str = MAVEN, **env: str) -> None:
        self.project = make_project(tmp_path / "checkout")
        make_program(tmp_path / "bin/mvn", maven)
        self.jdk = make_jdk(tmp_path / "jdk")
        self._out = StringIO()
        host = make_host(tmp_path, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}", JAVA_HOME=str(self.jdk), **env)
        self.builder = Builder(self.project, host, Console(file=self._out, width=200))

    @property
    def printed(self) -> str:
        return self._out.getvalue()

    @property
    def stage1(self) -> Module:
        return self.project.stage(1)

    def calls_of_maven(self) -> int:
        calls = self.project.root / "calls.txt"
        return len(calls.read_text().splitlines()) if calls.exists() else 0

    def stale(self, stage: int = 1) -> str | None:
        return stale_because(Project(self.project.root), self.project.stage(stage))


def test_jar_that_is_missing_is_built_with_the_found_jdk(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    assert bench.builder.ensure_jar(bench.stage1) == bench.stage1.jar

    assert "building stage1-storage: there is no jar yet" in bench.printed
    call = (bench.project.root / "call.txt").read_text()
    assert call.startswith(f"{bench.jdk} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED")
    assert call.endswith("package -Dmaven.test.skip=true -pl :stage1-storage -am\n")


def test_options_of_the_user_for_maven_come_last_and_win(tmp_path: Path) -> None:
    bench = Bench(tmp_path, MAVEN_OPTS="-XX:+UseParallelGC -XX:TieredStopAtLevel=4")
    bench.builder.ensure_jar(bench.stage1)

    words = (bench.project.root / "call.txt").read_text().split()
    assert [word for word in words if word.startswith("-XX:")] == [
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseParallelGC",
        "-XX:TieredStopAtLevel=4",
    ]


def test_jar_of_unchanged_sources_is_built_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    for _ in range(3):
        bench.builder.ensure_jar(bench.stage1)

    assert bench.calls_of_maven() == 1


def test_jars_that_maven_has_packaged_on_the_way_are_not_built_again(tmp_path: Path) -> None:
    with_upstream = MAVEN + "echo jar > stage1-storage/target/stage1-storage.jar\n"
    bench = Bench(tmp_path, with_upstream)

    bench.builder.ensure_jar(bench.project.stage(3))
    bench.builder.ensure_jar(bench.stage1)

    assert bench.calls_of_maven() == 1


@pytest.mark.parametrize(
    "changed",
    [
        "pom.xml",
        ".mvn/jvm.config",
        "stage1-storage/pom.xml",
        "stage1-storage/src/main/java/Main.java",
        "stage1-storage/src/main/resources/new.properties",
    ],
)
def test_jar_is_stale_when_what_it_is_made_from_changes(tmp_path: Path, changed: str) -> None:
    bench = Bench(tmp_path)
    bench.builder.ensure_jar(bench.stage1)

    path = bench.project.root / changed
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + " ")

    assert bench.stale() == "its sources have changed"


@pytest.mark.parametrize("changed", ["stage1-storage/src/test/java/MainTest.java", "testkit/src/main/java/Main.java"])
def test_jar_is_not_stale_when_only_tests_change(tmp_path: Path, changed: str) -> None:
    bench = Bench(tmp_path)
    bench.builder.ensure_jar(bench.stage1)

    path = bench.project.root / changed
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("class Changed {}")

    assert bench.stale() is None


def test_jar_is_stale_when_a_stage_below_changes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.builder.ensure_jar(bench.project.stage(3))

    (bench.stage1.directory / "src/main/java/Main.java").write_text("class Changed {}")

    assert bench.stale(stage=3) == "its sources have changed"


def test_jar_is_stale_when_a_source_is_deleted_or_renamed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    source = bench.stage1.directory / "src/main/java/Main.java"
    before = sources_digest(bench.project, bench.stage1)

    source.rename(source.with_name("Other.java"))
    renamed = sources_digest(bench.project, bench.stage1)
    source.with_name("Other.java").unlink()

    assert len({before, renamed, sources_digest(bench.project, bench.stage1)}) == 3


def test_jar_is_not_stale_when_sources_were_written_anew_with_the_same_content(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.builder.ensure_jar(bench.stage1)

    source = bench.stage1.directory / "src/main/java/Main.java"
    source.write_text(source.read_text())
    os.utime(source, (2e9, 2e9))

    assert bench.stale() is None


def test_jar_that_another_build_has_written_is_stale(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.builder.ensure_jar(bench.stage1)

    bench.stage1.jar.write_text("another")

    assert bench.stale() == "its jar was changed since ./workbook built it"


def test_jar_without_a_note_of_its_sources_is_stale(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.stage1.target.mkdir()
    bench.stage1.jar.write_text("somebody's")

    assert bench.stale() == "its jar was not built by ./workbook"


def test_source_changed_during_the_build_makes_the_jar_stale(tmp_path: Path) -> None:
    bench = Bench(tmp_path, MAVEN + "echo 'class Newer {}' > stage1-storage/src/main/java/Main.java\n")

    bench.builder.ensure_jar(bench.stage1)

    assert bench.stale() == "its sources have changed"


def test_build_that_breaks_tells_mavens_reason_and_where_the_rest_is(tmp_path: Path) -> None:
    bench = Bench(tmp_path, BROKEN_MAVEN)

    with pytest.raises(Failure) as failure:
        bench.builder.ensure_jar(bench.stage1)

    assert str(failure.value) == (
        "building stage1-storage failed; Maven's whole output is in target/workbook/build-stage1-storage.log\n"
        "Failed to execute goal a:b:c on project stage1-storage: Compilation failure\n"
        "Main.java:[1,7] cannot find symbol"
    )
    assert "Re-run Maven" in (bench.project.logs / "build-stage1-storage.log").read_text()


def test_build_that_makes_no_jar_says_what_the_pom_lacks(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "#!/bin/sh\nexit 0\n")

    with pytest.raises(Failure, match=r"its pom\.xml needs the maven-shade-plugin"):
        bench.builder.ensure_jar(bench.stage1)


def test_build_without_maven_says_how_to_install_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    host = make_host(tmp_path, PATH="", JAVA_HOME=str(bench.jdk))

    with pytest.raises(Failure, match=r"there is no mvn on PATH\n.*apt-get install maven"):
        Builder(bench.project, host, Console(file=StringIO())).ensure_jar(bench.stage1)


def test_build_while_another_builds_waits_and_then_uses_its_jar(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with directory_lock(bench.project.root, lambda: None):
            held.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()

    def release_when_waited_for() -> None:
        await_true(lambda: "waiting for it" in bench.printed)
        release.set()

    releaser = threading.Thread(target=release_when_waited_for)
    releaser.start()
    bench.builder.ensure_jar(bench.stage1)

    releaser.join()
    holder.join()
    assert "another ./workbook is building in this checkout" in bench.printed
    assert bench.calls_of_maven() == 1


def test_copy_of_the_jar_is_what_was_built(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    first = bench.builder.copy_jar(bench.stage1, tmp_path)
    second = bench.builder.copy_jar(bench.stage1, tmp_path)

    assert first == second == tmp_path / "stage1-storage.jar"
    assert first.read_text() == bench.stage1.jar.read_text()
    assert bench.calls_of_maven() == 1
