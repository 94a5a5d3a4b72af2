from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes import SCRIPTS, Called, await_true, called, free_ports, make_program, runs
from tests.load_fakes import LoadBench
from workbook import cli
from workbook.commands.compare import DESCRIPTION
from workbook.measure import comparing
from workbook.measure.load_tool import BARE_LIBRARIES
from workbook.measure.measuring import Measured
from workbook.measure.run_folder import made, read_run
from workbook.measure.workload import Load

DEFAULT_WORKLOAD = {
    "name": "put",
    "environment": {"KEYS": "1000", "VALUE_BYTES": "128", "DISTRIBUTION": "uniform", "SEED": "42"},
    "keys_filled": 1000,
}


@pytest.fixture
def bench(tmp_path: Path) -> LoadBench:
    return LoadBench(tmp_path)


@contextmanager
def command(bench: LoadBench, *words: str, **env: str) -> Iterator[Called]:
    with called(bench.project, *words, "--quick", "--port", str(free_ports()), env={**bench.env, **env}) as made:
        yield made


def run_json(folder: Path) -> dict[str, object]:
    return dict(json.loads((folder / "run.json").read_text()))


def server_pid(folder: Path) -> int:
    lines = (folder / "node1.log").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("pid "))


def test_load_fills_warms_up_measures_and_leaves_its_folder(bench: LoadBench) -> None:
    left_by_a_killed_one = bench.project.root / "runs" / ".work" / "1234567" / "data"
    left_by_a_killed_one.mkdir(parents=True)
    with command(bench, "load", "1", "put", "--rate", "5000", "--jvm", "-Xmx128m") as load:
        assert load.await_exit() == 0, load.output

    facts = run_json(bench.latest)
    assert (facts["status"], facts["problem"], facts["quick"]) == ("done", None, True)
    assert facts["workload"] == DEFAULT_WORKLOAD
    results = facts["results"]
    assert isinstance(results, dict)
    assert (results["rate_per_s"], results["latency_ms"]["p99"]) == (4950.0, 1.5)
    assert facts["errors"] == {"connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0}
    assert set(facts["files"]) == {  # type: ignore[call-overload]
        "fill.txt",
        "fill/node1.log",
        "load.txt",
        "node1.log",
        "percentiles.json",
        "run.json",
        "warmup.txt",
    }
    assert isinstance(facts["load"], dict)
    assert "-d2s -R1000000" in (bench.latest / "warmup.txt").read_text()
    assert " ".join(facts["load"]["command"]).endswith("-s put --warmup 2000ms {url}")
    assert "-Xmx128m" in (bench.latest / "node1.log").read_text()
    assert "load: the built-in generator" in load.output
    assert "4 950" in load.output
    assert not runs(server_pid(bench.latest))
    assert list((bench.project.root / "runs" / ".work").iterdir()) == []


def test_load_names_no_folder_of_this_machine_in_its_record(bench: LoadBench) -> None:
    with command(bench, "load", "1", "get") as load:
        assert load.await_exit() == 0, load.output

    facts = run_json(bench.latest)
    text = json.dumps([facts["server"], facts["load"]])
    assert str(bench.project.root) not in text
    assert str(bench.jdk) not in text
    assert '"{work}/stage1-storage.jar", "--port"' in text
    assert '"--data", "{data}"' in text


def test_load_passes_options_on_to_the_server_and_records_them(bench: LoadBench) -> None:
    with command(bench, "load", "1", "put", "--server-options", "--block-size 1024") as load:
        assert load.await_exit() == 0, load.output

    server = run_json(bench.latest)["server"]
    assert isinstance(server, dict)
    assert server["options"] == ["--block-size", "1024"]
    assert (bench.latest / "node1.log").read_text().splitlines()[0].endswith(" --block-size 1024")


@pytest.mark.parametrize(("waits_in", "selector"), [("Java", "java"), ("Native", "native"), ("Nobody", None)])
def test_load_records_the_selector_that_the_server_waits_in(
    bench: LoadBench, waits_in: str, selector: str | None
) -> None:
    with command(bench, "compare", "1", "bare one-nio", "--rounds", "1", SELECTOR=waits_in) as compare:
        assert compare.await_exit() == 0, compare.output

    for run in ("a-1", "b-1"):
        server = run_json(bench.latest.resolve() / run)["server"]
        assert isinstance(server, dict)
        assert server["selector"] == selector
        assert server["command"]


def test_overload_may_be_refused_and_is_measured_by_what_was_accepted(bench: LoadBench) -> None:
    with command(bench, "load", "1", "overload") as load:
        assert load.await_exit() == 0, load.output

    facts = run_json(bench.latest)
    results, status = facts["results"], facts["status_results"]
    assert isinstance(results, dict)
    assert isinstance(status, dict)
    assert (results["refused_share"], results["accepted_per_s"]) == (0.75, 2227.5)
    assert results["accepted_ms"] == {"p50": 7.3, "p99": 20.1, "p99_9": 31.0, "max": 1200.0}
    assert facts["errors"] == {"connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0}
    assert "-c512 -d10s -R200000 --latency -s put" in (bench.latest / "load.txt").read_text()
    assert "-c4 -d10s -R200 --latency -s status" in (bench.latest / "status.txt").read_text()
    assert status["latency_ms"]["p99"] == 1.5


def test_overload_begins_when_the_compilers_are_done(bench: LoadBench) -> None:
    words = ("load", "1", "overload", "--duration", "10", "--port", str(free_ports()))
    with called(bench.project, *words, env=bench.env) as load:
        assert load.await_exit() == 0, load.output

    assert "-R200000 --latency -s put --warmup 20000ms" in (bench.latest / "load.txt").read_text()


def test_status_is_measured_beside_any_load(bench: LoadBench) -> None:
    with command(bench, "load", "1", "put", "--status-rate", "100") as load:
        assert load.await_exit() == 0, load.output

    assert "-R100 --latency -s status" in (bench.latest / "status.txt").read_text()
    assert (bench.latest / "status-percentiles.json").is_file()


def test_load_with_errors_is_refused_by_their_name_and_keeps_what_it_found(bench: LoadBench) -> None:
    with command(bench, "load", "1", "put", KEYS="20000") as load:
        assert load.await_exit() == 1

    facts = run_json(bench.latest)
    assert facts["status"] == "failed"
    # The warm-up is no measurement: only the measured run is judged.
    assert "this run is no measurement: 7 timeouts (of 49500 requests)" in str(facts["problem"])
    assert "7 timeouts" in load.output
    assert facts["errors"] == {"connect": 0, "read": 0, "write": 0, "timeout": 7, "status": 0}
    assert "timeout 7" in (bench.latest / "load.txt").read_text()


def test_load_of_a_server_that_dies_says_that_it_crashed_and_what_it_said(bench: LoadBench) -> None:
    with command(bench, "load", "1", "put", "--jvm", "-Ddies=1", KEYS="30000") as load:
        assert load.await_exit() == 1

    facts = run_json(bench.latest)
    assert facts["status"] == "crashed"
    assert "node1 has ended by itself, exit code 3" in str(facts["problem"])
    assert "out of memory" in load.output


@pytest.mark.parametrize(("signum", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_load_when_interrupted_leaves_a_folder_that_says_so_and_no_process(
    bench: LoadBench, signum: signal.Signals, exit_code: int
) -> None:
    with command(bench, "load", "1", "put", KEYS="30000") as load:
        await_true(lambda: (bench.latest / "fill.txt").is_file())
        pid = server_pid(bench.latest)

        load.send(signum)

        assert load.await_exit() == exit_code, load.output
        assert "Traceback" not in load.output

    facts = run_json(bench.latest)
    assert (facts["status"], facts["problem"]) == ("interrupted", f"interrupted by {signum.name}")
    await_true(lambda: not runs(pid))
    assert list((bench.project.root / "runs" / ".work").iterdir()) == []


def test_two_measurements_at_a_time_are_refused(bench: LoadBench) -> None:
    with command(bench, "load", "1", "put", KEYS="30000") as first:
        await_true(lambda: (bench.latest / "fill.txt").is_file())
        with command(bench, "load", "1", "put") as second:
            assert second.await_exit() == 1
            assert "another ./workbook is measuring in this checkout" in second.output
        first.send(signal.SIGINT)
        first.await_exit()


def test_load_with_wrk2_set_to_another_program_does_not_take_the_generator_in_silence(bench: LoadBench) -> None:
    with command(bench, "load", "1", "put", WRK2="/bin/true") as load:
        assert load.await_exit() == 1

    assert "WRK2=/bin/true does not know -R" in load.output


def test_load_takes_wrk2_with_the_projects_scripts_where_there_is_one(bench: LoadBench, tmp_path: Path) -> None:
    text = (
        bench.jdk.joinpath("bin/java")
        .read_text()
        .replace("words = ", 'if "--help" in sys.argv: print("-R"); sys.exit()\nwords = ')
    )
    wrk2 = tmp_path / "bin" / "wrk2"
    wrk2.parent.mkdir()
    wrk2.write_text(text)
    wrk2.chmod(0o755)
    script = bench.project.root / "scripts" / "load" / "get.lua"
    script.parent.mkdir(parents=True)
    script.write_text("")

    with command(bench, "load", "1", "get", "--rate", "2000", "--warmup", "7", WRK2=str(wrk2)) as load:
        assert load.await_exit() == 0, load.output

    burst, at_rate = re.findall(r"-d(\d+)s -R(\d+)", (bench.latest / "warmup.txt").read_text())
    assert (burst, at_rate) == (("2", "1000000"), ("7", "2000"))
    called_with = (bench.latest / "load.txt").read_text().splitlines()[0]
    assert "-t1 -c64 -d10s -R2000 --latency -s" in called_with
    assert "scripts/load/get.lua http://127.0.0.1:" in called_with
    facts = run_json(bench.latest)
    assert isinstance(facts["load"], dict)
    assert facts["load"]["tool"] == "wrk2"
    assert facts["load"]["command"][0] == "wrk2"
    assert facts["load"]["warmup_s"] == 7.0


def test_spread_load_has_a_thread_for_each_node_and_fills_through_the_first(bench: LoadBench) -> None:
    port = free_ports(3)
    words = ("load", "3", "put", "--quick", "--nodes", "3", "--spread", "--threads", "2", "--status-rate", "100")
    with called(bench.project, *words, "--port", str(port), env=bench.env) as load:
        assert load.await_exit() == 0, load.output

    run = bench.project.root / "runs" / "stage3-sharding" / "latest"
    facts = run_json(run)
    assert isinstance(facts["load"], dict)
    assert (facts["load"]["spread"], facts["load"]["threads"]) == (True, 3)
    spread = f"spread over http://127.0.0.1:{port},http://127.0.0.1:{port + 1},http://127.0.0.1:{port + 2}"
    for name in ("load.txt", "warmup.txt"):
        text = (run / name).read_text()
        assert "-t3 -c64" in text
        assert spread in text
    for name in ("fill.txt", "status.txt"):
        assert "spread over" not in (run / name).read_text()


def test_load_asks_only_the_first_node_unless_it_is_told_to_spread(bench: LoadBench) -> None:
    port = free_ports(2)
    words = ("load", "3", "put", "--quick", "--nodes", "2", "--port", str(port))
    with called(bench.project, *words, env=bench.env) as load:
        assert load.await_exit() == 0, load.output

    run = bench.project.root / "runs" / "stage3-sharding" / "latest"
    assert "spread over" not in (run / "load.txt").read_text()
    assert '"spread": false' in (run / "run.json").read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("3", "put", "--spread"), "--spread: there is one node only"),
        (("3", "put", "--spread", "--nodes", "3", "--connections", "2"), "each of 3 threads for 3 nodes needs one of"),
        (("9", "put"), "there is no stage 9"),
        (("1", "putt"), "invalid choice: 'putt'"),
        (("1", "put", "--rate", "0"), "'0' is not a rate from 1 to"),
        (("1", "put", "--threads", "4", "--connections", "2"), "each of 4 threads needs one"),
        (("1", "put", "--nodes", "3"), "stage 1 is a single server"),
        (("3", "put", "--nodes", "17"), "'17' is not a number of nodes from 1 to 16"),
    ],
)
def test_load_that_makes_no_sense_is_refused(bench: LoadBench, words: tuple[str, ...], complaint: str) -> None:
    with command(bench, "load", *words) as load:
        assert load.await_exit() in (1, 2)

    assert complaint in load.output
    assert "Traceback" not in load.output


@pytest.mark.parametrize(
    ("rung", "complaint"),
    [
        ("0.4", "'0.4' is not a number of seconds from 1 to 3600"),
        ("-1", "'-1' is not a number of seconds from 1 to 3600"),
        ("11", "--rung 11: load tools drop the latencies of the first 10 s"),
    ],
)
def test_rung_is_as_long_as_a_measurement_may_be(
    bench: LoadBench, capsys: pytest.CaptureFixture[str], rung: str, complaint: str
) -> None:
    assert cli.main(["saturate", "1", "put", f"--rung={rung}"], bench.project.root) == 2
    assert complaint in capsys.readouterr().err


def test_saturate_climbs_to_what_the_server_holds_and_records_each_rung(bench: LoadBench) -> None:
    with command(bench, "saturate", "1", "put", "--from", "2000") as saturate:
        assert saturate.await_exit() == 0, saturate.output

    ladder = json.loads((bench.latest / "ladder.json").read_text())
    assert 8_000 <= ladder["sustainable_per_s"] <= 9_700
    assert f"sustains {ladder['sustainable_per_s']} put requests a second" in saturate.output
    assert ladder["rungs"][0]["phase"] == "climb"
    assert ladder["rungs"][-1] == {**ladder["rungs"][-1], "phase": "confirm", "held": True, "why_not": None}
    lost = next(rung for rung in ladder["rungs"] if not rung["held"])
    assert "of the asked rate" in lost["why_not"]
    assert len(list((bench.latest / "rungs").iterdir())) == len(ladder["rungs"])


def test_compare_of_a_stage_with_itself_is_within_noise(bench: LoadBench) -> None:
    with command(bench, "compare", "1", "1", "--rounds", "2") as compare:
        assert compare.await_exit() == 0, compare.output

    comparison = json.loads((bench.latest / "comparison.json").read_text())
    latencies = [each for each in comparison["sides"][1]["against_a"] if each["name"].endswith("ms")]
    assert {measure["verdict"] for measure in latencies} == {"within noise"}
    assert [path.name for path in sorted(bench.latest.resolve().iterdir()) if path.is_dir()] == [
        "a-1",
        "a-2",
        "b-1",
        "b-2",
    ]
    assert "B is " in compare.output


def test_compare_of_several_sides_gives_each_its_own_options_and_goes_forth_and_back(bench: LoadBench) -> None:
    sides = ("1", "1 --block-size 512", "1 -Xmx64m -Dx=1")
    words = ("compare", *sides, "--rounds", "2", "--report", "blocks", "--port", str(free_ports()))
    with called(bench.project, *words, env=bench.env) as compare:
        assert compare.await_exit() == 0, compare.output

    comparison = json.loads((bench.project.root / "docs/reports/blocks/comparison.json").read_text())
    assert [side["name"] for side in comparison["sides"]] == [f"stage1-storage{side[1:]}" for side in sides]
    assert [bool(side["against_a"]) for side in comparison["sides"]] == [False, True, True]
    assert comparison["sides"][2]["rounds"]["p99_ms"] == [1.5, 1.5]
    assert re.findall(r"^([abc] \d)/2: ", compare.output, re.MULTILINE) == ["a 1", "b 1", "c 1", "c 2", "b 2", "a 2"]
    assert (bench.latest / "c-1" / "node1.log").read_text().splitlines()[0].count("-Xmx64m") == 1
    assert len(list((bench.project.root / "docs/reports/blocks/raw").iterdir())) == 6
    assert "C is within noise" in compare.output


def test_compare_of_two_runs_takes_what_was_recorded(bench: LoadBench) -> None:
    with command(bench, "load", "1", "put") as load:
        assert load.await_exit() == 0, load.output
    recorded = str(bench.latest.resolve())

    with command(bench, "compare", recorded, recorded) as compare:
        assert compare.await_exit() == 0, compare.output

    assert "B is within noise" in compare.output
    assert not list(bench.latest.resolve().glob("a-*"))


def test_compare_with_a_recorded_run_has_its_whole_load(bench: LoadBench) -> None:
    words = ("--rate", "3000", "--connections", "8", "--warmup", "3", "--status-rate", "50", "--duration", "6")
    with command(bench, "load", "1", "put", *words) as load:
        assert load.await_exit() == 0, load.output
    recorded = str(bench.latest.resolve())

    with command(bench, "compare", recorded, "1", "--rounds", "1") as compare:
        assert compare.await_exit() == 0, compare.output

    before, beside = (run_json(folder)["load"] for folder in (Path(recorded), bench.latest.resolve() / "b-1"))
    assert isinstance(before, dict)
    assert isinstance(beside, dict)
    asked = ("rate_asked_per_s", "connections", "warmup_s", "burst_s", "status_asked_per_s", "spread")
    assert [beside[name] for name in asked] == [before[name] for name in asked]
    assert (before["duration_s"], beside["duration_s"]) == (6.0, 4.0)  # --quick says how long.


@pytest.mark.parametrize("rate", [[], ["--rate", "3000"]])
def test_compare_with_the_folder_of_a_comparison_asks_for_one_of_its_runs(
    bench: LoadBench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rate: list[str]
) -> None:
    bench.enter(monkeypatch)
    folder = bench.runs / "put-compare"
    with made(folder, {"sides": [], "load": Load(5000).__dict__}):
        pass

    assert cli.main(["compare", str(folder), "1", "--quick", *rate], bench.project.root) == 1

    assert f"{folder} has no results of its own: name one run, such as a-1" in capsys.readouterr().err


def test_compare_of_runs_under_different_loads_is_refused(bench: LoadBench) -> None:
    recorded = []
    for status_rate in ("50", "60"):
        with command(bench, "load", "1", "put", "--status-rate", status_rate) as load:
            assert load.await_exit() == 0, load.output
        recorded.append(str(bench.latest.resolve()))

    with command(bench, "compare", *recorded) as compare:
        assert compare.await_exit() == 2, compare.output

    assert "the two runs were made under different loads" in compare.output


def test_compare_takes_servers_of_other_people(bench: LoadBench) -> None:
    java = os.fspath(bench.jdk / "bin" / "java")
    with command(bench, "compare", "1", f"{java} -jar x --port {{port}} --data {{data}}", "--rounds", "1") as compare:
        assert compare.await_exit() == 0, compare.output

    facts = run_json(bench.latest.resolve() / "b-1")
    assert isinstance(facts["server"], dict)
    assert (facts["server"]["kind"], facts["server"]["jvm_flags"]) == ("command", None)


def test_compare_takes_bare_servers_which_are_filled_with_nothing(bench: LoadBench) -> None:
    sides = ("bare one-nio", "bare netty-epoll --selectors 2 -Xmx64m")
    with command(bench, "compare", *sides, "--rounds", "1") as compare:
        assert compare.await_exit() == 0, compare.output

    comparison = json.loads((bench.latest / "comparison.json").read_text())
    assert [(side["name"], side["kind"]) for side in comparison["sides"]] == [(side, "floor") for side in sides]
    asked = [(bench.latest / name / "node1.log").read_text().splitlines()[0] for name in ("a-1", "b-1")]
    assert re.search(r" dht\.benchmarks\.floor\.BareServer --server one-nio --port \d+$", asked[0])
    assert re.search(r" -Xmx64m -cp .*BareServer --server netty-epoll --port \d+ --selectors 2$", asked[1])
    facts = run_json(bench.latest / "b-1")
    assert isinstance(facts["workload"], dict)
    assert facts["workload"]["keys_filled"] == 0


@pytest.mark.parametrize(
    ("side", "told"),
    [
        ("bare nginx", "bare nginx: there is bare one-nio, netty-nio,"),
        ("bare", "bare: there is bare one-nio, netty-nio,"),
        ("bare jdk VALUE_BYTES=7", "bare servers read VALUE_BYTES from the environment"),
        ("bare jdk --nodes 3", "bare jdk: a bare server knows no other nodes"),
    ],
)
def test_bare_server_that_there_is_not_is_refused(bench: LoadBench, side: str, told: str) -> None:
    with command(bench, "compare", side, "1") as compare:
        assert compare.await_exit() == 2

    assert told in compare.output


def test_bare_servers_are_those_of_the_benchmarks() -> None:
    source = SCRIPTS.parent / "benchmarks/src/main/java/dht/benchmarks/floor/HttpLibrary.java"
    titles = re.findall(r"^    [A-Z_]+\(\"([^\"]+)\"", source.read_text(), re.MULTILINE)

    assert tuple(titles) == BARE_LIBRARIES
    for title in titles:
        assert title in DESCRIPTION


FORGETFUL = """
import sys, http.server
class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(404 if "entity" in self.path else 200)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Server).serve_forever()
"""


def test_server_is_filled_once_a_command_and_each_run_begins_with_a_copy(bench: LoadBench) -> None:
    with command(bench, "compare", "1", "1", "--rounds", "2") as compare:
        assert compare.await_exit() == 0, compare.output

    runs = bench.latest.resolve()
    assert [run.name for run in sorted(runs.iterdir()) if (run / "fill").is_dir()] == ["a-1"]
    assert (runs / "b-2" / "fill.txt").read_text().endswith("\nFilled 1000 keys in 0.01s\n")


def test_server_that_has_forgotten_what_it_was_filled_with_is_filled_again(bench: LoadBench, tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(FORGETFUL)
    with command(bench, "compare", "1", f"{sys.executable} {script} {{port}}", "--rounds", "1") as compare:
        assert compare.await_exit() == 0, compare.output

    assert "server.py {port} loses its data when it is stopped" in compare.output


def test_load_of_the_status_fills_nothing(bench: LoadBench) -> None:
    with command(bench, "load", "1", "status") as load:
        assert load.await_exit() == 0, load.output

    assert run_json(bench.latest)["workload"] == {**DEFAULT_WORKLOAD, "name": "status", "keys_filled": 0}


def test_compare_with_a_git_revision_builds_it_in_a_checkout_of_its_own(bench: LoadBench, tmp_path: Path) -> None:
    git = ["git", "-C", str(bench.project.root), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    (bench.project.root / ".gitignore").write_text("target/\nruns/\n")
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "first"]):
        subprocess.run([*git, *words], check=True)
    log = tmp_path / "maven-was-here.txt"
    mvn = make_program(
        tmp_path / "bin" / "mvn",
        f'#!/bin/sh\npwd >> "{log}"\ncd stage1-storage\nmkdir -p target\necho jar > target/stage1-storage.jar\n',
    )

    path = f"{mvn.parent}:{bench.env['PATH']}"
    with command(bench, "compare", "HEAD", "1", "--rounds", "1", PATH=path) as compare:
        assert compare.await_exit() == 0, compare.output

    facts = run_json(bench.latest.resolve() / "a-1")
    assert isinstance(facts["server"], dict)
    assert facts["server"]["kind"] == "revision"
    assert str(facts["server"]["name"]).startswith("stage1-storage at HEAD (")
    assert "target/workbook/revisions/" in log.read_text()


def test_compare_with_what_git_does_not_know_is_refused(bench: LoadBench) -> None:
    with command(bench, "compare", "no-such-thing", "1") as compare:
        assert compare.await_exit() == 1

    assert "git knows no revision 'no-such-thing'" in compare.output


def test_side_may_be_asked_for_something_else(bench: LoadBench) -> None:
    words = ("compare", "1 VALUE_BYTES=64 -Xmx128m", "1", "--rounds", "1")
    with command(bench, *words) as compare:
        assert compare.await_exit() == 0, compare.output

    asked = [run_json(bench.latest.resolve() / name)["workload"] for name in ("a-1", "b-1")]
    assert [each["environment"]["VALUE_BYTES"] for each in asked] == ["64", "128"]  # type: ignore[index]
    sides = json.loads((bench.latest / "comparison.json").read_text())["sides"]
    assert [side["name"] for side in sides] == ["stage1-storage VALUE_BYTES=64 -Xmx128m", "stage1-storage"]


def test_side_with_a_setting_that_there_is_not_is_refused(bench: LoadBench) -> None:
    with command(bench, "compare", "1 VALUES=64", "1") as compare:
        assert compare.await_exit() == 2

    assert "1 VALUES=64: VALUES is none of KEYS, VALUE_BYTES" in compare.output


def test_round_that_others_disturb_is_measured_again_and_counted(
    bench: LoadBench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WRK2", raising=False)
    for name, value in bench.env.items():
        monkeypatch.setenv(name, value)
    disturbed = iter([True, False, True, True])
    monkeypatch.setattr(Measured, "is_disturbed", property(lambda _: next(disturbed)))
    at_last = iter([False, True])
    monkeypatch.setattr(comparing, "is_disturbed_by", lambda _: next(at_last))

    words = ["compare", "1", "1", "--quick", "--rounds", "1", "--port", str(free_ports())]
    assert cli.main(words, bench.project.root) == 0, capsys.readouterr().err

    said = capsys.readouterr().out
    assert [said.count(f"{name}: other programs are busy; it is measured again") for name in ("a-1", "b-1")] == [1, 2]
    assert [read_run(bench.latest / name)["tries"] for name in ("a-1", "b-1")] == [2, 3]
    assert json.loads((bench.latest / "comparison.json").read_text())["disturbed"] == 1
