from __future__ import annotations

import os
import threading
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tests.fakes import await_true, make_host, make_project, make_server_jdk
from workbook.aot_cache import JAR_TIME_S, STARTED, AotCaches
from workbook.jdk import Jdk
from workbook.locks import directory_lock


class Bench:
    """A checkout with jars, and a JDK whose servers train well unless the test says otherwise."""

    def __init__(self, tmp_path: Path, *, at_once: bool = True, **env: str) -> None:
        self.project = make_project(tmp_path / "checkout")
        self.jdk = Jdk(make_server_jdk(tmp_path / "jdk"), "25.0.1", "a test")
        self.copies = tmp_path / "copies"
        self.copies.mkdir()
        self._out = StringIO()
        out = Console(file=self._out, width=200, soft_wrap=True)
        self.caches = AotCaches(self.project, make_host(tmp_path, **env), out, load_s=0.05, at_once=at_once)

    @property
    def printed(self) -> str:
        return self._out.getvalue()

    def jar(self, content: str, stage: int = 1) -> Path:
        """A copy of the stage's jar, as servers run from it."""
        copy = self.copies / self.project.stage(stage).jar.name
        copy.write_text(content)
        return copy

    def flags(self, content: str, *jvm_options: str, stage: int = 1) -> tuple[str, ...]:
        return self.caches.flags(self.project.stage(stage), self.jdk, self.jar(content, stage), jvm_options)

    def cache(self, content: str) -> Path:
        option, *_ = self.flags(content)
        assert option.startswith("-XX:AOTCache=")
        return Path(option.partition("=")[2])

    def files(self, stage: int = 1) -> list[Path]:
        """Apart from the note of the last start."""
        found = (self.project.stage(stage).target / "aot").glob("*")
        return [each for each in found if each.name != STARTED]

    def training_log(self, stage: int) -> str:
        return (self.project.logs / f"aot-{self.project.stage(stage).name}.log").read_text()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("TRAINS", "well")
    return Bench(tmp_path)


def test_cache_is_made_once_for_equal_contents(bench: Bench) -> None:
    first = bench.cache("classes")

    assert bench.cache("classes") == first
    assert bench.printed.count("making an AOT cache for stage 1") == 1
    assert first.read_text() == "classes and profiles"
    assert bench.files() == [first]


def test_first_start_of_each_build_makes_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINS", "well")
    bench = Bench(tmp_path, at_once=False)

    assert bench.flags("classes") == ()
    assert bench.flags("other classes") == ()
    assert bench.flags("classes") == ()
    assert bench.printed == ""
    cache = bench.cache("classes")
    assert bench.cache("classes") == cache
    assert bench.printed.count("making an AOT cache for stage 1") == 1
    assert bench.files() == [cache]


def test_start_after_a_failed_training_trains_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, at_once=False)
    monkeypatch.setenv("TRAINS", "badly")
    assert bench.flags("classes") == ()
    assert bench.flags("classes") == ()
    assert bench.printed.count("making an AOT cache for stage 1") == 1

    monkeypatch.setenv("TRAINS", "well")
    assert bench.cache("classes").is_file()


def test_copies_of_a_jar_have_the_time_that_the_jvm_compares(bench: Bench) -> None:
    times = []
    for long_ago_s in (5, 6):
        copy = bench.jar("classes")
        os.utime(copy, (long_ago_s, long_ago_s))
        bench.caches.flags(bench.project.stage(1), bench.jdk, copy)
        times.append(copy.stat().st_mtime)

    assert times == [JAR_TIME_S, JAR_TIME_S]


def test_cache_of_another_build_is_removed(bench: Bench) -> None:
    old = bench.cache("classes")
    (old.parent / "training-of-a-killed-process").mkdir()

    new = bench.cache("other classes")

    assert new != old
    assert bench.files() == [new]


def test_cache_of_another_jdk_is_not_used(bench: Bench) -> None:
    old = bench.cache("classes")
    (bench.jdk.home / "release").write_text('IMPLEMENTOR="Somebody else"\nJAVA_VERSION="25.0.1"\n')

    assert bench.cache("classes") != old


def test_training_of_a_cluster_stage_has_three_nodes_and_one_of_them_writes(bench: Bench) -> None:
    bench.flags("classes", stage=3)

    log = bench.training_log(3)
    assert log.count("called with") == 3
    assert log.count("-XX:AOTCacheOutput=") == 1
    assert log.count("flushed") == 3
    assert "node1 | called with" in log


@pytest.mark.parametrize(
    ("trains", "reason"),
    [
        ("dies", "node1 has ended by itself, exit code 3"),
        ("badly", "the JVM has not written it, see target/workbook/aot-stage1-storage.log"),
        ("not at all", "the JVM has not written it, see target/workbook/aot-stage1-storage.log"),
        ("", "Connection refused"),
    ],
)
def test_failed_training_is_a_warning_and_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], trains: str, reason: str
) -> None:
    monkeypatch.setenv("TRAINS", trains)

    assert bench.flags("classes") == ()

    (warning,) = capsys.readouterr().err.splitlines()
    assert warning.startswith("workbook: could not make an AOT cache")
    assert reason in warning
    assert bench.files() == []


def test_folder_that_may_not_be_written_is_a_warning(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    stage = bench.project.stage(1)
    stage.target.write_text("in the way")

    assert bench.flags("classes") == ()
    assert "could not make an AOT cache" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", ["-Xshare:off", "-XX:AOTMode=record", "-XX:AOTCache=my.aot", "-XX:SharedArchiveFile=my.jsa"]
)
def test_user_who_says_where_classes_come_from_gets_no_cache(tmp_path: Path, bench: Bench, option: str) -> None:
    assert bench.flags("classes", "-Xmx128m", option) == ()
    assert Bench(tmp_path / "with-variable", JAVA_TOOL_OPTIONS=f"-Da=b {option}").flags("classes") == ()
    assert bench.files() == []


@pytest.mark.parametrize("option", ["-XX:+UseZGC", "-XX:+UseCompactObjectHeaders", "-XX:AOTMode=on"])
def test_other_options_of_the_user_leave_it_to_the_jvm_whether_it_takes_the_cache(bench: Bench, option: str) -> None:
    assert bench.flags("classes", option) == bench.flags("classes") != ()


def test_second_process_waits_for_the_first_and_takes_its_cache(bench: Bench) -> None:
    cache = bench.cache("classes")
    cache.unlink()
    found: list[Path] = []
    with directory_lock(cache.parent, lambda: None):
        waiting = threading.Thread(target=lambda: found.append(bench.cache("classes")))
        waiting.start()
        await_true(lambda: "another ./workbook is making an AOT cache" in bench.printed)
        time.sleep(0.05)
        assert not found
        cache.write_text("of the first")
    waiting.join()

    assert found == [cache]
    assert cache.read_text() == "of the first"
    assert bench.printed.count("making an AOT cache for stage 1") == 1
