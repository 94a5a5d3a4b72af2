"""`--target`: nodes that run elsewhere, reached through a program that writes down what it was asked."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import Called, await_true, called, free_ports, make_program, runs
from tests.load_fakes import LoadBench
from tests.remote_fakes import Nodes, somebody_else, three_nodes

TOLD_WITHIN_S = 30.0
LAB_ENDS_WITHIN_S = 600.0
"""Of many loads; before each, load machines wait for a moment at which all begin."""


@pytest.fixture
def bench(tmp_path: Path) -> LoadBench:
    return LoadBench(tmp_path)


@pytest.fixture
def nodes(bench: LoadBench, tmp_path: Path) -> Iterator[Nodes]:
    with three_nodes(bench, tmp_path / "nodes") as nodes:
        yield nodes
        assert list(nodes.directory.iterdir()) == [], "something was left on a node"


@contextmanager
def command(bench: LoadBench, nodes: Nodes, *words: str, **env: str) -> Iterator[Called]:
    target = ("--quick", "--target", str(nodes.file))
    with called(bench.project, *words, *target, env={**bench.env, **env}) as made:
        yield made


def latest(bench: LoadBench) -> Path:
    return bench.project.root / "runs" / "stage3-sharding" / "latest"


def run_json(bench: LoadBench) -> dict[str, Any]:
    return dict(json.loads((latest(bench) / "run.json").read_text()))


def give_library(bench: LoadBench) -> None:
    library = bench.project.root / "target" / "workbook" / "async-profiler-4.6-linux-x64.so"
    library.parent.mkdir(parents=True)
    library.write_text("library")


def refused(bench: LoadBench, nodes: Nodes, *words: str) -> str:
    """What the command says that cannot do its work, in time."""
    began_s = time.monotonic()
    with command(bench, nodes, *(words or ("load", "3", "put"))) as load:
        assert load.await_exit() == 1, load.output
    assert time.monotonic() - began_s < TOLD_WITHIN_S
    assert "Traceback" not in load.output
    return load.output


def test_load_of_a_target_fills_and_measures_it_and_records_its_nodes(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "put") as load:
        assert load.await_exit() == 0, load.output

    facts = run_json(bench)
    assert facts["status"] == "done"
    assert (facts["server"]["kind"], facts["server"]["name"]) == ("target", "stage3-sharding on three")
    assert facts["workload"]["keys_filled"] == 1000
    assert facts["results"]["rate_per_s"] == 4950.0
    assert [node["name"] for node in facts["nodes"]] == ["node-1", "node-2", "node-3"]
    first = facts["nodes"][0]
    assert (first["through"], first["jdk"], first["jvm_flags"]) == ("reach-1", "25.0.1", ["-Xmx128m"])
    assert first["options"] is not None
    assert first["options"][-1] == "--cluster-secret=…"
    assert first["round_trip_ms"] == {"from_load_host": 0.25, "to": {"node-2": 0.25, "node-3": 0.25}}
    # The nodes have no throughput before they are filled.
    assert first["throughput_mb_per_s"] == {"from_load_host": 117.4, "to": {"node-2": 117.4, "node-3": 117.4}}
    assert first["machine"]["cores"] >= 1
    assert abs(first["machine"]["clock_ahead_ms"]) < 500
    assert set(first["cpu"]) == {"us_per_request", "user_s", "system_s", "cores", "machine_busy_share"}
    assert first["gc"]["collections"] == 0
    assert first["selector"] == "java"
    assert "Pause Full" in (latest(bench) / "nodes" / "node-2" / "gc.log").read_text()
    # Where the nodes are, and what is known of their machines, is no secret; what leads there may be one.
    assert str(nodes.folder) not in json.dumps(facts["nodes"])
    assert "hush" not in (latest(bench) / "run.json").read_text()
    assert set(nodes.asked("node-3")) == {"sh", f"tar -xf - -C {nodes.directory}"}


def test_target_that_needs_no_data_has_its_floor_without_a_fill(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "status") as load:
        assert load.await_exit() == 0, load.output

    first = run_json(bench)["nodes"][0]
    assert first["round_trip_ms"] == {"from_load_host": 0.25, "to": {"node-2": 0.25, "node-3": 0.25}}
    assert first["throughput_mb_per_s"] == {"from_load_host": None, "to": {"node-2": None, "node-3": None}}
    assert not (latest(bench) / "fill.txt").exists()


def test_load_of_a_target_collects_garbage_once_and_ends_its_log(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "status") as load:
        assert load.await_exit() == 0, load.output

    for server in nodes.servers:
        asked = [words.split(maxsplit=1)[1] for words in nodes.asked() if words.startswith(f"{server.pid} ")]
        assert asked[:4] == ["VM.command_line", "VM.system_properties", "Thread.print", "GC.run"]
        assert asked[4].endswith(" what=gc decorators=time")
        assert asked[-1].endswith(" what=all=off")


def test_saturate_of_a_target_climbs(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "saturate", "3", "put", "--from", "4000") as saturate:
        assert saturate.await_exit() == 0, saturate.output

    assert "stage3-sharding on three sustains" in saturate.output


def test_profile_of_a_target_records_every_node(bench: LoadBench, nodes: Nodes) -> None:
    give_library(bench)

    with command(bench, nodes, "profile", "3", "put") as profile:
        assert profile.await_exit() == 0, profile.output

    run, profiled = latest(bench), run_json(bench)["profile"]
    assert profiled["cpu_engine"] == "ctimer"
    assert profiled["note"] is not None
    assert (run / "recording.jfr").stat().st_size == 3 * 16
    for name in ("node-1", "node-2", "node-3"):
        assert (run / "nodes" / name / "recording.jfr").stat().st_size == 16
        assert name in (run / "nodes" / name / "flame-cpu.html").read_text()
        assert f"nodes/{name}/flame-cpu.html" in profile.output
        assert nodes.asked(name)[-1] == "sh"
        assert f"tar -xf - -C {nodes.directory}" in nodes.asked(name)
    for server in nodes.servers:
        assert sum(f"{server.pid} JVMTI" in words and "start," in words for words in nodes.asked()) >= 1
        assert sum(f"{server.pid} JVMTI" in words and "stop," in words for words in nodes.asked()) == 1


def test_profile_of_a_target_with_a_library_that_is_not_there_names_it(bench: LoadBench, nodes: Nodes) -> None:
    give_library(bench)
    nodes.write(2, profiler="/no/such/lib.so")

    said = refused(bench, nodes, "profile", "3", "put")

    assert said.splitlines()[-1] == "workbook: node-2: there is no /no/such/lib.so that can be read there"


def test_compare_asks_the_same_nodes_for_different_things(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "compare", "3 REPLICAS=1/3", "3", "--rounds", "1") as compare:
        assert compare.await_exit() == 0, compare.output

    sides = [json.loads((latest(bench) / side / "run.json").read_text()) for side in ("a-1", "b-1")]
    assert [side["server"]["kind"] for side in sides] == ["target", "target"]
    assert [side["workload"]["environment"].get("REPLICAS") for side in sides] == ["1/3", None]
    assert "B is " in compare.output


def test_compare_takes_files_of_targets_as_sides(bench: LoadBench, nodes: Nodes) -> None:
    words = ("compare", str(nodes.file), "3", "--stage", "3", "--rounds", "1", "--quick", "--port", str(free_ports()))
    with called(bench.project, *words, env=bench.env) as compare:
        assert compare.await_exit() == 0, compare.output

    sides = json.loads((latest(bench) / "comparison.json").read_text())["sides"]
    assert [side["kind"] for side in sides] == ["target", "stage"]


@pytest.mark.long_by_nature
def test_lab_of_a_target_has_a_page_with_every_node(bench: LoadBench, nodes: Nodes) -> None:
    give_library(bench)
    with command(bench, nodes, "lab", "3", "--no-open") as lab:
        assert lab.await_exit(LAB_ENDS_WITHIN_S) == 0, lab.output

    page = (latest(bench) / "report.html").read_text()
    for name in ("node-1", "node-2", "node-3"):
        for run in ("put-profile", "get-profile"):
            graph = f"{run}/nodes/{name}/flame-cpu.html"
            assert f'href="{graph}"' in page
            assert (latest(bench) / graph).is_file()
    assert "<td>this machine</td><td class=n>0.25</td>" in page
    assert "<td>this machine</td><td class=n>117.4</td>" in page
    assert "The network&#x27;s floor" in page
    report = json.loads((latest(bench) / "report.json").read_text())
    assert report["status"] == "done"
    assert {"ladder", "profile", "load", "floor"} == {run["role"] for run in report["runs"]}
    assert not (bench.project.root / "docs" / "reports").exists()


def test_node_that_dies_under_load_is_named(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "put", KEYS="30000") as load:
        await_true(lambda: (latest(bench) / "fill.txt").is_file())
        nodes.servers[1].kill()
        nodes.servers[1].wait()
        began_s = time.monotonic()

        assert load.await_exit() == 1, load.output

    assert time.monotonic() - began_s < TOLD_WITHIN_S
    assert re.search(r"^workbook: node-2 has (gone|ended by itself): ", load.output, re.MULTILINE)
    assert run_json(bench)["status"] == "crashed"


@pytest.mark.long_by_nature
def test_node_that_stops_answering_under_load_is_named(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "put", KEYS="30000") as load:
        await_true(lambda: (latest(bench) / "fill.txt").is_file())
        nodes.servers[2].send_signal(signal.SIGSTOP)
        began_s = time.monotonic()

        assert load.await_exit() == 1, load.output

    assert time.monotonic() - began_s < TOLD_WITHIN_S
    assert "workbook: node-3 has gone: http://127.0.0.1:" in load.output


@pytest.mark.long_by_nature
def test_prefix_that_hangs_under_load_is_named_and_ended(bench: LoadBench, nodes: Nodes) -> None:
    hung = nodes.folder / "hung-node-2"
    with command(bench, nodes, "load", "3", "put", KEYS="30000") as load:
        await_true(lambda: (latest(bench) / "fill.txt").is_file())
        (nodes.folder / "hangs-node-2").touch()
        await_true(hung.is_file)
        began_s = time.monotonic()

        assert load.await_exit() == 1, load.output

    assert time.monotonic() - began_s < TOLD_WITHIN_S
    assert load.output.splitlines()[-1] == "workbook: node-2: reach-2 has not answered within 6 s"
    (left,) = nodes.directory.iterdir()
    assert f"so files with names {left.name.partition('-node-2')[0]}-* may be left there" in load.output
    left.unlink()
    assert not runs(int(hung.read_text()))


def test_disk_that_becomes_full_during_a_profile_is_named(bench: LoadBench, nodes: Nodes) -> None:
    give_library(bench)
    (nodes.folder / f"full-of-{nodes.servers[1].pid}").touch()

    with command(bench, nodes, "profile", "3", "put") as profile:
        assert profile.await_exit() == 1, profile.output

    full = f"is the disk of {nodes.directory} full there?"
    assert profile.output.splitlines()[-1] == f"workbook: node-2: its recording is incomplete: {full}"


@pytest.mark.parametrize(("signum", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_load_leaves_nothing_on_the_nodes(
    bench: LoadBench, nodes: Nodes, signum: signal.Signals, exit_code: int
) -> None:
    with command(bench, nodes, "load", "3", "put", KEYS="30000") as load:
        await_true(lambda: (latest(bench) / "fill.txt").is_file())
        assert len(list(nodes.directory.iterdir())) == 3

        load.send(signum)

        assert load.await_exit() == exit_code, load.output
    assert run_json(bench)["status"] == "interrupted"


def test_url_of_nobody_is_named(bench: LoadBench, nodes: Nodes) -> None:
    nodes.write(2, url="http://127.0.0.1:1")

    last = refused(bench, nodes).splitlines()[-1]

    assert last == "workbook: node-2: http://127.0.0.1:1/v0/status does not answer: Connection refused"


def test_url_of_somebody_else_is_named(bench: LoadBench, nodes: Nodes) -> None:
    with somebody_else(nodes.folder / "files") as url:
        nodes.write(2, url=url)
        last = refused(bench, nodes).splitlines()[-1]

    assert last == f"workbook: node-2: {url}/v0/status answers 404: is the url right?"


@pytest.mark.long_by_nature
def test_prefix_that_hangs_is_named_and_ended(bench: LoadBench, nodes: Nodes) -> None:
    pid = nodes.folder / "pid"
    hanging = make_program(nodes.folder / "hang", f"#!/bin/sh\necho $$ > {pid}\nsleep 600\n")
    nodes.write(3, run=str(hanging))

    last = refused(bench, nodes).splitlines()[-1]

    assert last == "workbook: node-3: hang has not answered within 8 s"
    assert not runs(int(pid.read_text()))


def test_prefix_that_fails_is_named_with_its_words(bench: LoadBench, nodes: Nodes) -> None:
    failing = make_program(nodes.folder / "ssh", "#!/bin/sh\necho 'ssh: no such host' >&2\nexit 255\n")
    nodes.write(1, run=[str(failing), "hush"])

    last = refused(bench, nodes).splitlines()[-1]

    assert last == "workbook: node-1: ssh has failed, exit code 255: ssh: no such host"


def test_node_without_a_jdk_is_named(bench: LoadBench, nodes: Nodes, tmp_path: Path) -> None:
    empty = make_program(tmp_path / "reach", f'#!/bin/sh\nPATH={tmp_path}/empty exec /bin/"$@"\n')
    nodes.write(2, run=str(empty), **{"java-home": "/no/such/jdk"})

    last = refused(bench, nodes).splitlines()[-1]

    assert last.startswith(
        "workbook: node-2: there is no jcmd there: install a JDK 25, or name its folder with java-home"
    )


def test_node_where_nothing_can_be_written_is_named(bench: LoadBench, nodes: Nodes) -> None:
    nodes.write(2, directory="/proc")

    last = refused(bench, nodes).splitlines()[-1]

    assert last == "workbook: node-2: cannot write 8 MB to /proc there: is its disk full?"


def test_node_whose_server_cannot_write_there_is_named(bench: LoadBench, nodes: Nodes) -> None:
    (nodes.folder / "refuses-log").touch()

    lines = refused(bench, nodes).splitlines()[-3:]

    words = f"the server cannot write to {nodes.directory} there: choose another directory"
    assert lines == [f"workbook: node-1: {words}", f"node-2: {words}", f"node-3: {words}"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("load", "3", "put", "--nodes", "3"), "--target: its nodes run already, so it excludes --nodes"),
        (("load", "3", "put", "--jvm", "-Xmx1g"), "--target: its nodes run already"),
        (("load", "3", "put", "--port", "8080"), "--target: its nodes run already"),
        (
            ("compare", "3 --workers 1", "3"),
            "3 --workers 1: its nodes run already, so only NAME=VALUE can be asked of it",
        ),
        (("load", "1", "put"), "stage 1 is a single server, and the target three has 3 nodes"),
        (("trace", "3", "put"), "unrecognized arguments: --target"),
    ],
)
def test_target_that_does_not_fit_the_command_is_refused(
    bench: LoadBench, nodes: Nodes, words: tuple[str, ...], complaint: str
) -> None:
    with command(bench, nodes, *words) as load:
        assert load.await_exit() in (1, 2)

    assert complaint in load.output
