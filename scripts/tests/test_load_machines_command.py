"""`--target` with load machines: each is reached through a program that writes down what it was asked."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import await_true, make_program, runs
from tests.load_fakes import LoadBench
from tests.remote_fakes import Nodes, three_nodes
from tests.test_target_command import LAB_ENDS_WITHIN_S, TOLD_WITHIN_S, command, give_library, latest, refused, run_json

ENDS_WITHIN_S = 30.0


@pytest.fixture
def bench(tmp_path: Path) -> LoadBench:
    return LoadBench(tmp_path)


@pytest.fixture
def nodes(bench: LoadBench, tmp_path: Path) -> Iterator[Nodes]:
    with three_nodes(bench, tmp_path / "nodes") as nodes:
        nodes.give_loads()
        yield nodes
        assert list(nodes.directory.iterdir()) == [], "something was left on a machine"


def load_machines(bench: LoadBench) -> list[dict[str, Any]]:
    return list(run_json(bench)["load_machines"])


def test_load_comes_from_two_machines_in_equal_parts_and_is_one_report(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "put", "--rate", "4000", "--spread") as load:
        assert load.await_exit() == 0, load.output

    assert "load: the built-in generator on load-1, load-2" in load.output
    text = (latest(bench) / "load.txt").read_text()
    assert re.findall(r"^== (\S+)$", text, re.MULTILINE) == ["load-1", "load-2"]
    assert re.findall(r"-t3 -c32 -d10s -R2000 ", text) == ["-t3 -c32 -d10s -R2000 "] * 2
    assert re.findall(r"part (\S+)$", text, re.MULTILINE) == ["1/2", "2/2"]
    assert text.count("spread over http://127.0.0.1:") == 2

    facts = run_json(bench)
    assert (facts["load"]["machines"], facts["load"]["rate_asked_per_s"], facts["load"]["connections"]) == (2, 4000, 64)
    assert " -R2000 " in " ".join(facts["load"]["command"])
    results = facts["results"]
    assert (results["rate_per_s"], results["requests"]) == (3960.0, 39600)
    # One machine has latencies of 1 ms only, and the other one of 9 ms only.
    assert [results["latency_ms"][name] for name in ("p50", "p75", "p99")] == [1.0, 9.0, 9.0]
    points = json.loads((latest(bench) / "percentiles.json").read_text())["points"]
    assert points[-1] == [1.0, 9.0, 39600]
    timeline = (latest(bench) / "timeline.csv").read_text().splitlines()
    assert (timeline[0], timeline[1], len(timeline)) == ("second,answered,errors,maxMicros", "0,3960,0,9000", 11)


@pytest.mark.long_by_nature
def test_load_machines_are_recorded_without_their_secrets(bench: LoadBench, nodes: Nodes) -> None:
    nodes.give_loads(3)
    with command(bench, nodes, "load", "3", "status", "--rate", "3000", "--connections", "6") as load:
        assert load.await_exit() == 0, load.output

    found = load_machines(bench)
    assert [(each["name"], each["through"]) for each in found] == [(f"load-{i}", f"reach-load-{i}") for i in (1, 2, 3)]
    for each in found:
        assert each["rate_per_s"] == 990.0
        assert each["p99_ms"] == 1.5
        assert each["errors"] == 0
        assert each["machine"]["cores"] >= 1
        assert abs(each["machine"]["clock_ahead_ms"]) < 20_000
        assert 0 < each["round_trip_ms"]["from_here"] < 20_000
        assert each["round_trip_ms"]["to"] == {"node-1": 0.25, "node-2": 0.25, "node-3": 0.25}
        assert each["throughput_mb_per_s"] == {"to": {"node-1": None, "node-2": None, "node-3": None}}
        assert {"requests", "began_late_ms", "tool_cores", "machine_busy_share"} <= set(each)
    assert str(nodes.folder) not in json.dumps(found)
    assert set(nodes.asked("load-2")) == {"sh", nodes.asked("load-2")[1]}
    assert nodes.asked("load-2")[1].startswith(f"tar -xf - -C {nodes.directory}/workbook-")


@pytest.mark.long_by_nature
def test_tools_begin_at_one_moment_though_a_clock_is_ahead(bench: LoadBench, nodes: Nodes, tmp_path: Path) -> None:
    make_program(tmp_path / "ahead" / "date", '#!/bin/sh\nexec /bin/date -d "+100 seconds" "$@"\n')
    nodes.change_way("load-2", f"export AHEAD_S=100 PATH={tmp_path}/ahead:$PATH")

    with command(bench, nodes, "load", "3", "status", "--rate", "4000") as load:
        assert load.await_exit() == 0, load.output

    first, second = load_machines(bench)
    assert second["machine"]["clock_ahead_ms"] - first["machine"]["clock_ahead_ms"] == pytest.approx(
        100_000, abs=20_000
    )
    # The tool here does not warm up, and so it begins a warm-up early.
    assert first["began_late_ms"] == pytest.approx(second["began_late_ms"], abs=20_000)


def test_single_load_machine_takes_the_same_way(bench: LoadBench, nodes: Nodes) -> None:
    nodes.give_loads(1)
    assert "\n[load]\n" in nodes.file.read_text()

    with command(bench, nodes, "load", "3", "overload") as load:
        assert load.await_exit() == 0, load.output

    facts = run_json(bench)
    assert [each["name"] for each in facts["load_machines"]] == ["load-1"]
    assert facts["load"]["machines"] == 1
    assert facts["results"]["accepted_ms"]["p99"] == 20.1
    assert facts["results"]["refused_share"] == 0.75
    assert facts["status_results"]["rate_per_s"] == 198.0
    assert "part 1/1" in (latest(bench) / "load.txt").read_text()


def test_load_machine_measures_the_network_once_the_nodes_have_data(bench: LoadBench, nodes: Nodes) -> None:
    nodes.give_loads(1)
    with command(bench, nodes, "load", "3", "get") as load:
        assert load.await_exit() == 0, load.output

    (found,) = load_machines(bench)
    assert found["throughput_mb_per_s"] == {"to": {"node-1": 117.4, "node-2": 117.4, "node-3": 117.4}}


def make_script(bench: LoadBench) -> None:
    """The project's, which wrk2 needs."""
    scripts = bench.project.root / "scripts" / "load"
    scripts.mkdir(parents=True)
    (scripts / "put.lua").write_text("")


@pytest.mark.long_by_nature
def test_wrk2_of_the_load_machines_makes_the_load_with_the_projects_scripts(
    bench: LoadBench, nodes: Nodes, tmp_path: Path
) -> None:
    java = bench.jdk.joinpath("bin/java").read_text()
    said = java.replace("words = ", 'if "--help" in sys.argv: print("-R"); sys.exit()\nwords = ', 1)
    wrk2 = str(make_program(tmp_path / "wrk2" / "wrk", said))
    make_script(bench)
    nodes.give_loads(2, wrk2=wrk2)

    with command(bench, nodes, "load", "3", "put", "--rate", "4000") as load:
        assert load.await_exit() == 0, load.output

    facts = run_json(bench)
    assert (facts["load"]["tool"], facts["load"]["command"][0]) == ("wrk2", "wrk2")
    assert facts["results"]["rate_per_s"] == 3960.0
    assert facts["results"]["latency_ms"]["p75"] == 9.0
    text = (latest(bench) / "load.txt").read_text()
    assert len(re.findall(rf"-s {re.escape(str(nodes.directory))}/workbook-\S+\.load/put\.lua http://", text)) == 2
    assert not (latest(bench) / "timeline.csv").exists()
    assert all(abs(each["began_late_ms"]) < 20_000 for each in facts["load_machines"])


@pytest.mark.long_by_nature
def test_saturate_from_three_machines_has_rates_that_can_be_divided(bench: LoadBench, nodes: Nodes) -> None:
    nodes.give_loads(3)
    words = ("saturate", "3", "status", "--from", "16000", "--to", "32000", "--connections", "6")
    with command(bench, nodes, *words) as saturate:
        assert saturate.await_exit(LAB_ENDS_WITHIN_S) == 0, saturate.output

    ladder = json.loads((latest(bench) / "ladder.json").read_text())
    assert {rung["rate_asked_per_s"] % 3 for rung in ladder["rungs"]} == {0}
    assert ladder["rungs"][0]["rate_asked_per_s"] == 15_999
    assert "stage3-sharding on three sustains" in saturate.output


@pytest.mark.long_by_nature
def test_profile_from_two_machines_records_every_node(bench: LoadBench, nodes: Nodes) -> None:
    give_library(bench)
    with command(bench, nodes, "profile", "3", "status") as profile:
        assert profile.await_exit() == 0, profile.output

    assert len(load_machines(bench)) == 2
    assert (latest(bench) / "nodes" / "node-3" / "flame-cpu.html").is_file()


@pytest.mark.long_by_nature
def test_compare_from_two_machines_measures_both_sides_from_them(bench: LoadBench, nodes: Nodes) -> None:
    words = ("compare", "3 REPLICAS=1/3", "3", "--rounds", "1", "--workload", "status")
    with command(bench, nodes, *words) as compare:
        assert compare.await_exit() == 0, compare.output

    for side in ("a-1", "b-1"):
        facts = json.loads((latest(bench) / side / "run.json").read_text())
        assert len(facts["load_machines"]) == 2


@pytest.mark.long_by_nature
def test_lab_from_two_machines_has_them_on_its_page(bench: LoadBench, nodes: Nodes) -> None:
    give_library(bench)
    with command(bench, nodes, "lab", "3", "--no-open") as lab:
        assert lab.await_exit(LAB_ENDS_WITHIN_S) == 0, lab.output

    report = json.loads((latest(bench) / "report.json").read_text())
    assert report["status"] == "done"
    for run in report["runs"]:
        facts = json.loads((latest(bench) / run["folder"] / "run.json").read_text())
        # The floor is a server of this machine, and so is its load.
        names = [each["name"] for each in facts["load_machines"] or []]
        assert names == ([] if run["role"] == "floor" else ["load-1", "load-2"]), run
    ladder = json.loads((latest(bench) / "put-ladder" / "ladder.json").read_text())
    assert {rung["rate_asked_per_s"] % 2 for rung in ladder["rungs"]} == {0}
    page = (latest(bench) / "report.html").read_text()
    assert "The load came from several machines at once, in equal parts." in page
    assert "<td>load-2</td>" in page


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("load", "3", "put", "--connections", "63"), "--connections 63 cannot be divided by 2 load machines; choose"),
        (("load", "3", "put", "--rate", "1"), "--rate 1 cannot be divided by 2 load machines; choose 2 or more"),
        (("load", "3", "overload"), "overload: what several machines had accepted cannot be added up"),
        (("lab", "3", "--reference"), "--reference: its one connection cannot be divided by 2 load machines"),
    ],
)
def test_load_that_several_machines_cannot_make_is_refused(
    bench: LoadBench, nodes: Nodes, words: tuple[str, ...], complaint: str
) -> None:
    with command(bench, nodes, *words) as load:
        assert load.await_exit() == 2, load.output

    assert complaint in load.output


def test_load_machine_that_cannot_be_reached_is_named(bench: LoadBench, nodes: Nodes) -> None:
    failing = make_program(nodes.folder / "ssh", "#!/bin/sh\necho 'ssh: no such host' >&2\nexit 255\n")
    nodes.give_loads(2, run=[str(failing), "hush"])

    last = refused(bench, nodes).splitlines()[-1]

    assert last == "workbook: load-2: ssh has failed, exit code 255: ssh: no such host"


@pytest.mark.long_by_nature
def test_load_machine_that_hangs_is_named_and_ended(bench: LoadBench, nodes: Nodes) -> None:
    (nodes.folder / "hangs-load-2").touch()

    said = refused(bench, nodes)

    assert "workbook: load-2: reach-load-2 has not answered within 8 s" in said
    assert not runs(int((nodes.folder / "hung-load-2").read_text()))


def test_load_machine_without_java_is_named(bench: LoadBench, nodes: Nodes, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("mkdir", "rm", "sh"):
        (programs / name).symlink_to(shutil.which(name) or "")
    reach = make_program(tmp_path / "reach", f'#!/bin/sh\nPATH={programs} exec "$@"\n')
    nodes.give_loads(2, run=[str(reach)], **{"java-home": "/no/such/jdk"})

    last = refused(bench, nodes).splitlines()[-1]

    assert last == "workbook: load-2: there is no java there: install a JDK 25, or name its folder with java-home"


def test_load_machine_with_an_old_java_is_named(bench: LoadBench, nodes: Nodes, tmp_path: Path) -> None:
    make_program(tmp_path / "old" / "bin" / "java", "#!/bin/sh\necho 'openjdk version \"21.0.2\" 2024-01-16' >&2\n")
    nodes.give_loads(2, **{"java-home": str(tmp_path / "old")})

    last = refused(bench, nodes).splitlines()[-1]

    words = "there is Java 21.0.2, and the load tool needs 25: name its folder with java-home"
    assert last == f"workbook: load-2: {words}"


@pytest.mark.parametrize(
    ("wrk2", "words"),
    [
        ("/bin/true", "/bin/true does not know -R: is it wrk?"),
        ("/no/such/wrk2", "there is no /no/such/wrk2 that can be run there"),
    ],
)
def test_load_machine_without_wrk2_where_it_is_said_to_be_is_named(
    bench: LoadBench, nodes: Nodes, wrk2: str, words: str
) -> None:
    make_script(bench)
    nodes.give_loads(1, wrk2=wrk2)

    assert refused(bench, nodes).splitlines()[-1] == f"workbook: load-1: {words}"


def test_load_machine_where_nothing_can_be_written_is_named(bench: LoadBench, nodes: Nodes) -> None:
    nodes.give_loads(2, directory="/proc")

    last = refused(bench, nodes).splitlines()[-1]

    assert last == "workbook: load-2: cannot write to /proc there: choose another directory"


def told_under_load(bench: LoadBench, nodes: Nodes, trouble: Callable[[], None]) -> str:
    """What a load says in time that meets with trouble once its tools run. They have ended with it."""
    with command(bench, nodes, "load", "3", "put", KEYS="30000") as load:
        tools = [nodes.tool_pid(name) for name in ("load-1", "load-2")]
        trouble()
        began_s = time.monotonic()

        assert load.await_exit() == 1, load.output
    assert time.monotonic() - began_s < TOLD_WITHIN_S
    for pid in tools:
        await_true(lambda pid=pid: not runs(pid))  # type: ignore[misc]
    assert run_json(bench)["status"] == "failed"
    return load.output


def test_load_machines_refuse_a_file_that_they_do_not_have(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "put", KEY_NUMBERS="keys.txt") as load:
        assert load.await_exit() == 2, load.output

    assert "KEY_NUMBERS: load machines have no such file" in load.output


@pytest.mark.long_by_nature
def test_load_tool_that_dies_is_named(bench: LoadBench, nodes: Nodes) -> None:
    said = told_under_load(bench, nodes, lambda: os.kill(nodes.tool_pid("load-2"), signal.SIGKILL))

    assert said.splitlines()[-1].startswith("workbook: load-2: the load tool has ended with exit code 137: ")


def test_load_tool_that_is_stopped_is_named(bench: LoadBench, nodes: Nodes) -> None:
    said = told_under_load(bench, nodes, lambda: os.kill(nodes.tool_pid("load-2"), signal.SIGSTOP))

    assert said.splitlines()[-1] == "workbook: load-2: the load tool is stopped there"


@pytest.mark.long_by_nature
def test_load_machine_that_hangs_under_load_is_named(bench: LoadBench, nodes: Nodes) -> None:
    said = told_under_load(bench, nodes, lambda: os.kill(nodes.pids("load-2")[0], signal.SIGSTOP))

    assert "workbook: load-2: reach-load-2 has not answered within 4 s" in said
    assert "workbook: load-2: did not confirm the end: files workbook-" in said
    (left,) = nodes.directory.glob("*.load")
    shutil.rmtree(left)


def test_way_to_a_load_machine_that_breaks_under_load_is_named(bench: LoadBench, nodes: Nodes) -> None:
    def break_way() -> None:
        os.killpg(nodes.pids("load-2")[0], signal.SIGKILL)

    said = told_under_load(bench, nodes, break_way)

    assert said.splitlines()[-1] == "workbook: load-2: reach-load-2 has failed, exit code -9: no word why"
    (left,) = nodes.directory.glob("*.load")
    shutil.rmtree(left)


@pytest.mark.parametrize(("signum", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_load_leaves_no_tool_on_the_machines(
    bench: LoadBench, nodes: Nodes, signum: signal.Signals, exit_code: int
) -> None:
    with command(bench, nodes, "load", "3", "put", KEYS="30000") as load:
        tools = [nodes.tool_pid(name) for name in ("load-1", "load-2")]

        load.send(signum)

        assert load.await_exit() == exit_code, load.output
        assert not any(runs(pid) for pid in tools)
    assert run_json(bench)["status"] == "interrupted"


def test_command_that_is_killed_leaves_no_tool_on_the_load_machines(bench: LoadBench, nodes: Nodes) -> None:
    with command(bench, nodes, "load", "3", "put", KEYS="30000") as load:
        tools = [nodes.tool_pid(name) for name in ("load-1", "load-2")]

        load.send(signal.SIGKILL)

        load.await_exit()
        await_true(lambda: not any(runs(pid) for pid in tools), ENDS_WITHIN_S)
        await_true(lambda: not list(nodes.directory.glob("*.load")), ENDS_WITHIN_S)
    for left in nodes.directory.iterdir():  # Nobody was left to end the logs on the nodes.
        left.unlink()
