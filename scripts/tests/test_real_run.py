"""One run with everything real: server, load, profiler, graphs. Its figures are not judged: the machine may be busy."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests import fakes
from tests.fakes import called, free_ports
from workbook import cli
from workbook.build import Builder
from workbook.console import standard_output
from workbook.host import Host
from workbook.measure import stacks
from workbook.measure.bench import Bench
from workbook.measure.run_folder import read_run
from workbook.measure.wall import ASKED_NODE, OTHER_NODES
from workbook.project import Project

pytestmark = [pytest.mark.long_by_nature, pytest.mark.alone]

PATIENT = "--server-options=--peer-timeout=10s"
"""On a busy machine, a node may need a second for an answer."""


def test_profile_of_stage_1_keeps_its_promises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path))
    monkeypatch.delenv("WRK2", raising=False)
    monkeypatch.setenv("KEYS", "2000")

    exit_code = cli.main(["profile", "1", "put", "--quick", "--rate", "3000", "--duration", "5", "--connections", "8"])

    told = capsys.readouterr()
    run = tmp_path / "stage1-storage" / "latest"
    facts = read_run(run)
    assert exit_code == 0, f"{told.err}\n{facts['problem']}"
    assert facts["status"] == "done"
    results, cpu = facts["results"], facts["cpu"]
    assert isinstance(results, dict)
    assert isinstance(cpu, dict)
    assert results["requests"] > 5_000
    assert 1 < cpu["server_us_per_request"] < 10_000
    assert {"flame-cpu.html", "heatmap-cpu.html", "stacks-cpu.txt", "gc.log"} <= {path.name for path in run.iterdir()}

    allocated = facts["allocated_bytes_per_request"]
    assert isinstance(allocated, float)
    assert 16 < allocated < 100_000
    assert not list(run.glob("allocations-*"))

    sampled = stacks.read(run, "cpu")
    assert sampled.on_threads("selector").with_package("dht.http").samples > 0, told.out
    # Merging tables and writing them to disk is the background's work, whatever the load.
    stacks.assert_absent(sampled, package="dht.storage.compaction", group="selector")
    flushing = sampled.on_threads("selector").with_frame("SSTableWriter")
    stacks.assert_share_under(sampled, flushing, what="writing tables on selectors", share_max=0.001)

    # What stage 2 changes; were this to pass, the assertion below would say nothing.
    with pytest.raises(AssertionError, match=r"dht\.storage must not run on threads of group 'selector'"):
        stacks.assert_absent(sampled, package="dht.storage", group="selector")


def test_profile_of_stage_2_has_no_storage_on_selectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path))
    monkeypatch.delenv("WRK2", raising=False)
    monkeypatch.setenv("KEYS", "2000")

    exit_code = cli.main(
        ["profile", "2", "mixed", "--quick", "--rate", "3000", "--duration", "5", "--connections", "8"]
    )

    told = capsys.readouterr()
    assert exit_code == 0, told.err
    sampled = stacks.read(tmp_path / "stage2-async" / "latest", "cpu")
    assert sampled.on_threads("selector").with_package("dht.http").samples > 0, told.out
    assert sampled.on_threads("worker").with_package("dht.storage").samples > 0, told.out
    stacks.assert_absent(sampled, package="dht.storage", group="selector")


def test_profile_of_stage_3_has_selectors_that_never_wait_for_other_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path))
    monkeypatch.delenv("WRK2", raising=False)
    monkeypatch.setenv("KEYS", "2000")

    load = ["--nodes", "3", PATIENT, "--rate", "3000", "--duration", "5", "--connections", "8"]
    exit_code = cli.main(["profile", "3", "put", "--quick", *load])

    told = capsys.readouterr()
    assert exit_code == 0, told.err
    sampled = stacks.read(tmp_path / "stage3-sharding" / "latest", "cpu")
    assert sampled.on_threads("worker").with_package("dht.storage").samples > 0, told.out
    stacks.assert_absent(sampled, package="dht.storage", group="selector")

    # A selector sends what is for another node, and the peer's threads wait for the answer.
    assert sampled.on_threads("selector").with_frame("RequestWriter.send").samples > 0, told.out
    assert sampled.on_threads("peer").with_frame("AnswerReader.receive").samples > 0, told.out
    asking = sampled.on_threads("selector").with_package("dht.peer")
    for waiting in (
        "AnswerReader.receive",
        "SocketPool.",
        "Object.wait",
        "Thread.yield",
        "LockSupport.park",
        "Net.poll",
    ):
        guilty = asking.with_frame(waiting)
        assert not guilty.stacks, f"selectors wait for other nodes in {waiting}\n{stacks.shown(guilty)}"


def test_profile_of_stage_5_goes_on_where_it_says_and_blocks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path))
    monkeypatch.delenv("WRK2", raising=False)
    monkeypatch.setenv("KEYS", "2000")

    arguments = ["--quick", "--nodes", "3", PATIENT, "--rate", "1500", "--duration", "5", "--connections", "8"]
    exit_code = cli.main(["profile", "5", "put", *arguments])

    told = capsys.readouterr()
    assert exit_code == 0, told.err
    run = tmp_path / "stage5-async-client" / "latest"
    sampled = stacks.read(run, "cpu")
    # What answers decide is done where the client reads them.
    assert sampled.on_threads("HttpClient").with_package("dht.replication.async").samples > 0, told.out
    assert sampled.on_threads("worker").with_package("dht.storage").samples > 0, told.out
    stacks.assert_absent(sampled, package="dht", group="common pool")
    stacks.assert_absent(sampled, package="dht.storage", group="HttpClient")
    stacks.assert_absent(sampled, package="dht.storage", group="selector")
    # Waiting for an answer would show as this; locks held for a moment are the client's own.
    waiting = sampled.on_threads("HttpClient").with_frame("CompletableFuture.waitingGet")
    assert not waiting.stacks, stacks.shown(waiting)


def test_trace_of_stage_4_follows_requests_to_the_other_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path))
    monkeypatch.delenv("WRK2", raising=False)
    monkeypatch.setenv("KEYS", "2000")

    # Long enough that each part of their way has about ten of the samples, which are taken every 20 ms.
    load = ["--nodes", "3", PATIENT, "--rate", "3000", "--duration", "30", "--warmup", "1", "--connections", "16"]
    exit_code = cli.main(["trace", "4", "put", "--quick", *load])

    told = capsys.readouterr()
    assert exit_code == 0, told.err
    run = tmp_path / "stage4-replication" / "latest"
    (found,) = json.loads((run / "waiting.json").read_text())
    assert found["kind"] == "PUT /v0/entity"
    for group in (found["median"], found["slowest"]):
        assert sum(group["parts_us"].values()) == pytest.approx(group["total_us"])
        assert all(group["parts_us"][part] > 0 for part in ("own storage", "other nodes", "write")), told.out
    for slow in found["ten"]:
        assert {call["node"] for call in slow["request"]["calls"]} <= {1, 2}
        assert slow["elsewhere"], "no event of another node has the number of this request"
    assert "<svg" in (run / "waiting.html").read_text()
    stacked = (run / "stacks-wall-all.txt").read_text().splitlines()
    served = {
        node: [line for line in stacked if line.startswith(f"{node};served;")] for node in (ASKED_NODE, OTHER_NODES)
    }
    assert any("threads: worker;" in line and "SequentialWrite." in line for line in served[ASKED_NODE]), told.out
    # The peer's thread answers the client when the last copy is confirmed.
    assert any("threads: peer;" in line and "Responder." in line for line in served[ASKED_NODE]), told.out
    assert any("threads: worker;" in line and "ReplicaService." in line for line in served[OTHER_NODES]), told.out
    # A worker that sleeps until there is a request works for none. The last moments of a stretch may show it.
    asleep = [line for lines in served.values() for line in lines if "Worker.sleep" in line]
    assert _samples(asleep) < 0.05 * _samples(stacked), "\n".join(asleep)
    assert read_run(run)["wall"]["samples"]["all"] == _samples(stacked)  # type: ignore[index]
    assert (run / "flame-wall-all.html").is_file()


def _samples(stacked: list[str]) -> int:
    return sum(int(line.rpartition(" ")[2]) for line in stacked)


def test_sweep_of_connections_keeps_littles_law(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Bench, "runs", property(lambda _: tmp_path))
    monkeypatch.delenv("WRK2", raising=False)
    monkeypatch.setenv("KEYS", "2000")

    words = ["--connections", "1,4", "--quick", "--rounds", "1", "--duration", "3", "--warmup", "1"]
    exit_code = cli.main(["sweep", "1", "get", *words])

    told = capsys.readouterr()
    assert exit_code == 0, told.err
    swept = json.loads((tmp_path / "stage1-storage" / "latest" / "sweep.json").read_text())
    assert [step["value"] for step in swept["steps"]] == [1, 4]
    for step in swept["steps"]:
        # Time between an answer and the next request is the tool's. More in flight than connections cannot be.
        assert -0.5 < step["little"]["deviation_share"] < 0.1, told.out


@pytest.mark.parametrize(("stage", "options"), [(1, ()), (5, ("--nodes", "3"))])
def test_run_starts_with_classes_from_its_aot_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: int, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr(fakes, "WITHIN_S", 180.0)  # For the training run, on a busy machine.
    project = Project(cli.ROOT)
    module = project.stage(stage)
    Builder(project, Host(), standard_output()).ensure_jar(module)
    shutil.rmtree(module.target / "aot", ignore_errors=True)
    loaded = tmp_path / "loaded.txt"
    own = ["run", str(stage), "--data", str(tmp_path / "data"), *options]

    with called(project, *own, "--port", str(free_ports(3)), env=os.environ) as command:
        command.await_line("Ctrl-C stops")
        assert "AOT" not in command.output, "the first start of a build"

    # With three nodes, each writes a file of its own: the JVM puts its process id for %p.
    log = f"-Xlog:class+load:file={loaded}.%p"
    with called(project, *own, "--port", str(free_ports(3)), "--jvm", log, env=os.environ) as command:
        command.await_line("Ctrl-C stops")
        assert f"making an AOT cache for stage {stage} (once per build)" in command.output
        assert "no AOT cache" not in command.output
        assert "[warning]" not in command.output
    files = list(tmp_path.glob("loaded.txt.*"))
    assert len(files) == (3 if options else 1)
    for file in files:
        assert f"dht.stage{stage}.Main source: shared objects file" in file.read_text()
        # Its published jar has class files that no cache can hold.
        assert "picocli.CommandLine source: shared objects file" in file.read_text()

    # The next start finds the cache; a JVM that cannot use it starts all the same, and does not complain.
    other = ["--jvm", "-XX:+UseZGC -XX:+UseCompactObjectHeaders"]
    with called(project, *own, "--port", str(free_ports(3)), *other, env=os.environ) as command:
        command.await_line("Ctrl-C stops")
        assert "making an AOT cache" not in command.output
        assert "][" not in command.output, "the JVM has something to say"
