from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes import (
    SCRIPTS,
    WITHIN_S,
    Called,
    await_true,
    called,
    command_line,
    free_ports,
    make_program,
    make_project,
    make_server_jdk,
    runs,
    taken_port,
)
from workbook import build

MAVEN = """#!/bin/sh
for word in "$@"; do
    case $word in :*) mkdir -p "${word#:}/target" && echo jar > "${word#:}/target/${word#:}.jar" ;; esac
done
"""


class Bench:
    """A checkout whose stages are built, on a machine with a JDK that runs fake servers."""

    def __init__(self, tmp_path: Path) -> None:
        self.project = make_project(tmp_path / "checkout")
        self.env = {**os.environ, "JAVA_HOME": str(make_server_jdk(tmp_path / "jdk"))}
        self.env["PATH"] = f"{make_program(tmp_path / 'bin/mvn', MAVEN).parent}:{self.env['PATH']}"
        for module in self.project.modules:
            module.target.mkdir()
            module.jar.write_text("jar")
            build.record(module, build.sources_digest(self.project, module))

    @contextmanager
    def run(self, stage: int, *words: str, port: int | None = None, trains: str | None = None) -> Iterator[Called]:
        """Without an AOT cache, unless the test says how the JVM trains for it."""
        own = ["run", str(stage), "--port", str(port or free_ports(3)), *([] if trains else ["--no-aot"])]
        with called(self.project, *own, *words, env=self.env | {"TRAINS": trains or ""}) as command:
            yield command

    def training_log(self, stage: int) -> str:
        """What the servers of a training run have said so far."""
        log = self.project.logs / f"aot-{self.project.stage(stage).name}.log"
        return log.read_text() if log.exists() else ""

    def start_once(self, stage: int, *words: str) -> None:
        """The next start of this build will make a cache."""
        with self.run(stage, *words, trains="well") as command:
            command.await_line("Ctrl-C stops")
            assert "AOT" not in command.output

    def caches(self, stage: int) -> list[Path]:
        """And whatever else a training run has left."""
        return [file for file in (self.project.stage(stage).target / "aot").glob("*") if file.name != "started"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(("signum", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_run_when_interrupted_lets_the_server_finish_and_leaves_no_process(
    bench: Bench, signum: signal.Signals, exit_code: int
) -> None:
    with bench.run(1, "--", "with-child") as command:
        command.await_line("Ctrl-C stops it.")
        assert len(command.pids()) == 2
        assert all(map(runs, command.pids()))

        command.send(signum)

        assert command.await_exit() == exit_code
        assert "stopping node1" in command.output
        assert "node1 | flushed" in command.output
        assert "Traceback" not in command.output
        await_true(lambda: not any(map(runs, command.pids())))


def test_run_invites_to_try_the_server_where_it_listens(bench: Bench) -> None:
    port = free_ports()
    with bench.run(1, port=port) as command:
        command.await_line("Ctrl-C stops it.")

        assert f"node1 | ready http://127.0.0.1:{port}" in command.output
        assert "it stores in runs/stage1-storage/data" in command.output
        assert f"curl -i 'http://127.0.0.1:{port}/v0/entity?id=fox'" in command.output


def test_run_passes_options_to_the_jvm_and_to_the_server(bench: Bench) -> None:
    with bench.run(1, "--jvm", "-Xmx128m -Da=b", "--jvm", "-Xlog:gc", "--", "--config", "a b", "x") as command:
        command.await_line("called with")

        line = next(line for line in command.output.splitlines() if "called with" in line)
        assert "--sun-misc-unsafe-memory-access=allow -Xmx128m -Da=b -Xlog:gc -jar" in line
        assert line.endswith("--config a b x")
        assert "--cluster" not in line


def test_run_of_a_cluster_starts_each_node_with_all_addresses(bench: Bench) -> None:
    port = free_ports(3)
    with bench.run(3, "--nodes", "3", port=port) as command:
        command.await_line("Ctrl-C stops them.")

        lines = [line for line in command.output.splitlines() if "called with" in line]
        cluster = ",".join(f"http://127.0.0.1:{port + i}" for i in range(3))
        assert sorted(line.split(" | ")[0] for line in lines) == ["node1", "node2", "node3"]
        assert all(f"--cluster {cluster}" in line for line in lines)
        assert sum(f"--self http://127.0.0.1:{port + 1} " in line for line in lines) == 1
        assert sum(f"--data {bench.project.root}/runs/stage3-sharding/data/node2" in line for line in lines) == 1


def test_run_when_one_node_dies_stops_the_others_and_fails(bench: Bench) -> None:
    with bench.run(3, "--nodes", "3", "--", "dies-later") as command:
        assert command.await_exit() == 1

        assert "has ended by itself, exit code 0: stopping the others" in command.output
        await_true(lambda: not any(map(runs, command.pids())))


def test_run_when_the_server_cannot_start_shows_what_it_said(bench: Bench) -> None:
    with bench.run(1, "--", "dies") as command:
        assert command.await_exit() == 1

        assert "node1 | cannot open the data directory" in command.output
        assert "node1 has ended by itself, exit code 3" in command.output


def test_run_when_killed_from_outside_names_the_signal(bench: Bench) -> None:
    with bench.run(1) as command:
        command.await_line("Ctrl-C stops it.")
        os.kill(command.pids()[0], signal.SIGKILL)

        assert command.await_exit() == 1
        assert "node1 has ended by itself, killed by SIGKILL" in command.output


def test_run_when_interrupted_before_the_server_is_ready_leaves_no_process(bench: Bench) -> None:
    with bench.run(1, "--", "silent") as command:
        command.await_line("pid ")

        command.send(signal.SIGINT)

        assert command.await_exit() == 130
        await_true(lambda: not any(map(runs, command.pids())))


def test_run_when_interrupted_twice_kills_a_server_that_will_not_stop(bench: Bench) -> None:
    with bench.run(1, "--", "stubborn") as command:
        command.await_line("Ctrl-C stops it.")
        command.send(signal.SIGINT)
        command.await_line("stopping node1")

        command.send(signal.SIGINT)

        assert command.await_exit() == 130
        assert "node1 was still running after SIGTERM and a second signal: killed" in command.output
        await_true(lambda: not any(map(runs, command.pids())))


def test_run_when_interrupted_shows_all_that_the_server_says_while_it_stops(bench: Bench) -> None:
    with bench.run(1, "--", "wordy") as command:
        command.await_line("Ctrl-C stops it.")
        command.send(signal.SIGINT)

        assert command.await_exit() == 130
        assert command.output.count("node1 | flushing") == 5_000
        assert command.output.endswith("node1 | flushed")


def test_run_when_its_reader_goes_away_stops_the_server(bench: Bench) -> None:
    words = command_line(bench.project, "run", "1", "--no-aot", "--port", str(free_ports()), "--", "chatty")
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, cwd=SCRIPTS, env=bench.env, stdout=pipe, stderr=pipe, text=True)
    try:
        assert process.stdout is not None
        server = next(int(line.split()[-1]) for line in process.stdout if " | pid " in line)

        process.stdout.close()

        assert process.wait(WITHIN_S) == 1
        assert process.stderr is not None
        assert process.stderr.read() == ""
        await_true(lambda: not runs(server))
    finally:
        process.terminate()
        process.communicate()


def test_run_when_its_terminal_is_closed_stops_the_server(bench: Bench) -> None:
    ours, terminal = os.openpty()
    words = command_line(bench.project, "run", "1", "--port", str(free_ports()))
    process = subprocess.Popen(words, cwd=SCRIPTS, env=bench.env, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    try:
        seen = b""
        while b"Ctrl-C stops it." not in seen:
            seen += os.read(ours, 4096)
        server = int(seen.partition(b" pid ")[2].split()[0])

        os.close(ours)
        process.send_signal(signal.SIGHUP)

        assert process.wait(WITHIN_S) == 129
        await_true(lambda: not runs(server))
    finally:
        process.terminate()
        process.wait()


def test_run_twice_on_the_same_folder_refuses_the_second(bench: Bench) -> None:
    with bench.run(1) as first:
        first.await_line("Ctrl-C stops it.")
        with bench.run(1) as second:
            assert second.await_exit() == 1
            assert "another ./workbook runs servers on runs/stage1-storage/data" in second.output
            assert not second.pids()


def test_run_with_a_taken_port_says_so_and_starts_nothing(bench: Bench) -> None:
    with taken_port() as port, bench.run(1, port=port) as command:
        assert command.await_exit() == 1
        assert f"port {port} cannot be used" in command.output
        assert not command.pids()


def test_run_twice_with_another_folder_works(bench: Bench, tmp_path: Path) -> None:
    with bench.run(1) as first:
        first.await_line("Ctrl-C stops it.")
        with bench.run(1, "--data", str(tmp_path / "other")) as second:
            second.await_line("Ctrl-C stops it.")

            assert (tmp_path / "other/node1").is_dir()


def test_run_keeps_what_was_stored_unless_told_to_begin_fresh(bench: Bench) -> None:
    stored = bench.project.root / "runs/stage1-storage/data/node1/table"
    stored.parent.mkdir(parents=True)
    stored.write_text("entries")

    with bench.run(1) as command:
        command.await_line("Ctrl-C stops it.")
    assert stored.exists()

    with bench.run(1, "--fresh") as command:
        command.await_line("Ctrl-C stops it.")
        assert stored.parent.exists()
    assert not stored.exists()


def test_run_builds_what_is_stale_and_says_so(bench: Bench) -> None:
    (bench.project.stage(1).directory / "src/main/java/Main.java").write_text("class Changed {}")

    with bench.run(1) as command:
        command.await_line("Ctrl-C stops it.")

        assert "building stage1-storage: its sources have changed" in command.output
        assert "built stage1-storage/target/stage1-storage.jar in" in command.output


def test_second_start_of_a_build_makes_an_aot_cache_and_starts_with_it(bench: Bench) -> None:
    bench.start_once(1)
    with bench.run(1, "--jvm", "-Xmx128m", trains="well") as command:
        command.await_line("Ctrl-C stops it.")

        (cache,) = bench.caches(1)
        assert "making an AOT cache for stage 1 (once per build)" in command.output
        assert f"made stage1-storage/target/aot/{cache.name} in" in command.output
        # The user's options come last, so that they have the last word.
        assert f"-XX:AOTCache={cache} -Xlog:aot*=off " in command.output
        assert "-XX:-AOTReplayTraining -Xmx128m -jar" in command.output
        assert command.output.count("called with") == 1

    with bench.run(1, trains="dies") as command:
        command.await_line("Ctrl-C stops it.")

        assert "making" not in command.output
        assert f"-XX:AOTCache={cache}" in command.output


def test_run_without_aot_makes_no_cache_and_uses_none(bench: Bench) -> None:
    bench.start_once(1)
    with bench.run(1, "--no-aot", trains="well") as command:
        command.await_line("Ctrl-C stops it.")

        assert "AOT" not in command.output
        assert bench.caches(1) == []


def test_run_whose_training_fails_warns_and_starts_without_a_cache(bench: Bench) -> None:
    bench.start_once(1)
    with bench.run(1, trains="dies") as command:
        command.await_line("Ctrl-C stops it.")

        warning = next(line for line in command.output.splitlines() if line.startswith("workbook:"))
        assert "could not make an AOT cache, so the servers start more slowly" in warning
        assert "node1 has ended by itself, exit code 3" in warning
        assert "-XX:AOTCache" not in command.output
        assert bench.caches(1) == []


@pytest.mark.parametrize(("trains", "said"), [("silent", "pid "), ("slowly", "writing")])
def test_run_when_interrupted_in_a_training_run_leaves_nothing(bench: Bench, trains: str, said: str) -> None:
    bench.start_once(3, "--nodes", "3")
    with bench.run(3, "--nodes", "3", trains=trains) as command:
        await_true(lambda: said in bench.training_log(3) and bench.training_log(3).count("pid ") == 3)

        command.send(signal.SIGINT)

        assert command.await_exit() == 130
        assert "Traceback" not in command.output
        assert "called with" not in command.output
        assert bench.caches(3) == []
        pids = [int(line.split()[-1]) for line in bench.training_log(3).splitlines() if " | pid " in line]
        await_true(lambda: not any(map(runs, pids)))


def test_run_of_several_nodes_of_a_single_server_stage_is_refused(bench: Bench) -> None:
    with bench.run(1, "--nodes", "3") as command:
        assert command.await_exit() == 1
        assert "stage 1 is a single server: --nodes needs stage 3 or a later one" in command.output


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run"], "the following arguments are required: N"),
        (["run", "one"], "'one' is not the number of a stage"),
        (["run", "1", "--port", "70000"], "'70000' is not a port from 1 to 65535"),
        (["run", "3", "--nodes", "0"], "'0' is not a number of nodes from 1 to 16"),
        (["run", "1", "--nod", "2"], "unrecognized arguments: --nod 2"),
        (["run", "1", "--jvm", "'-Xmx1g"], "argument --jvm: No closing quotation"),
    ],
)
def test_run_with_a_wrong_command_line_is_one_clear_line(bench: Bench, words: list[str], complaint: str) -> None:
    with called(bench.project, *words, env=bench.env) as command:
        assert command.await_exit() == 2
        assert complaint in command.output
        assert len(command.output.splitlines()) == 1
