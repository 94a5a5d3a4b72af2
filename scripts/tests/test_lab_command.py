from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import free_ports, make_program
from tests.load_fakes import LoadBench, recorded_requests
from workbook import cli, interrupts
from workbook.failure import Failure
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.measure import profiler, promotion, request_recording, waiting
from workbook.measure.profiler import CTIMER, PERF, Engine, Recorder, find_engine
from workbook.measure.report import REPORT_JSON, entry, read_report
from workbook.measure.run_folder import made, read_run
from workbook.measure.workload import Load


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadBench:
    monkeypatch.setattr(profiler, "library", lambda *_: tmp_path / "libasyncProfiler.so")
    monkeypatch.setattr(request_recording, "read", recorded_requests)
    return LoadBench(tmp_path).enter(monkeypatch)


def lab(bench: LoadBench, *words: str) -> int:
    return cli.main([*words, "--quick", "--port", str(free_ports(3))], bench.project.root)


def warmup_s(run: Path) -> object:
    load = read_run(run)["load"]
    assert isinstance(load, dict)
    return load["warmup_s"]


def test_lab_measures_everything_and_makes_a_page(bench: LoadBench, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab(bench, "lab", "1") == 0, capsys.readouterr().err

    report = read_report(bench.latest)
    assert (report["status"], report["stage"], report["stage_number"], report["tool"]) == (
        "done",
        "stage1-storage",
        1,
        "built-in",
    )
    runs = report["runs"]
    assert isinstance(runs, list)
    assert [(run["name"], run["role"]) for run in runs] == [
        ("put-ladder", "ladder"),
        ("get-ladder", "ladder"),
        ("put-profile", "profile"),
        ("put-floor", "floor"),
        ("get-profile", "profile"),
        ("mixed", "load"),
        ("status", "load"),
        ("put-trace", "trace"),
    ]
    sustainable = report["sustainable_per_s"]
    assert isinstance(sustainable, dict)
    asked = {run["name"]: run["rate_asked_per_s"] for run in runs}
    assert (
        asked["put-profile"]
        == asked["put-floor"]
        == asked["put-trace"]
        == pytest.approx(0.5 * sustainable["put"], rel=0.05)
    )
    assert asked["put-ladder"] is None
    assert runs[2]["latency_ms"]["p99"] == 1.5

    profile = read_run(bench.latest / "put-profile")
    assert isinstance(profile["profile"], dict)
    assert profile["profile"]["samples"] == {"cpu": 90, "alloc": 10, "lock": 0}
    assert "flame-lock.html" not in str(profile["files"])
    assert re.search(r" --from \d{13} --to \d{13} ", (bench.latest / "put-profile" / "heatmap-cpu.html").read_text())
    page = (bench.latest / "report.html").read_text()
    assert '<a href="put-profile/flame-cpu.html">flame cpu</a>' in page
    assert "dht.http" in page
    assert "http://" not in page
    output = capsys.readouterr().out
    assert output.rstrip().endswith(f"page: {bench.latest.resolve() / 'report.html'}")
    assert not (bench.project.root / "docs").exists()


def test_lab_traces_requests_in_runs_of_their_own_and_shows_what_that_costs(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab(bench, "lab", "1") == 0, capsys.readouterr().err

    kinds = [each.kind for each in waiting.read(bench.latest / "put-trace")]
    assert kinds == ["GET /v0/entity", "PUT /v0/entity"]
    cost = json.loads((bench.latest / "trace-cost" / "comparison.json").read_text())
    assert [side["name"] for side in cost["sides"]] == ["stage1-storage", "stage1-storage, traced"]
    assert list(cost["sides"][0]["median"]) == ["rate_per_s"]  # The fake takes no time, so its CPU time is not known.
    # One recording is kept to be read, and one is dropped, of the side that is traced. One before each is dropped, too.
    commands = [line for line in bench.told.read_text().splitlines() if "JFR." in line and "name=requests" in line]
    assert [" ".join(line.split()[1:3]) for line in commands] == [
        "JFR.start name=requests",
        "JFR.stop name=requests",
    ] * 4
    kept = [line.endswith("put-trace/requests-node1.jfr") for line in commands]
    assert kept == [False, False, False, True, False, False, False, False]
    page = (bench.latest / "report.html").read_text()
    assert page.count("<h2>Where requests wait</h2>") == 1
    traced, _, told = page.partition("<h2>What tracing costs: GET at saturation</h2>")
    assert (
        "half of the requests took up to 0.70 ms and 99 % up to 1.50 ms: from the moment when a request was due"
        in traced
    )
    assert "The 10 slowest, as time lines</summary>" in traced
    assert "<p>With tracing, the rate is " in told
    # The fake has a sample of each request. There are 120 of each kind, and two of them are the slowest.
    assert read_run(bench.latest / "put-trace")["wall"] == {
        "version": "4.6",
        "options": "wall=20ms",
        "samples": {"all": 240, "slowest": 4},
    }
    assert '<a href="put-trace/flame-wall-slowest.html">what the slowest 1 % did</a>' in traced
    assert not list((bench.latest / "trace-cost").rglob("wall-*.jfr"))


def test_lab_of_a_later_stage_measures_the_one_before_in_turn(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab(bench, "lab", "3") == 0, capsys.readouterr().err

    latest = bench.project.root / "runs" / "stage3-sharding" / "latest"
    report = read_report(latest)
    runs = report["runs"]
    assert isinstance(runs, list)
    before = [(run["name"], run["server"]) for run in runs if run["role"] == "profile-before"]
    assert before == [("put-profile-before", "stage1-storage"), ("get-profile-before", "stage1-storage")]
    asked = {run["name"]: run["rate_asked_per_s"] for run in runs}
    assert asked["put-profile-before"] == asked["put-profile"]
    assert (latest / "put-profile" / "diff-cpu.html").is_file()
    (traced,) = (run for run in runs if run["role"] == "trace")
    assert traced["name"] == "put-trace-cluster"
    assert traced["title"] == f"PUT at {asked['put-profile'] // 6}/s, 3 nodes, half of the sustained rate, traced"
    compared = [each["name"] for each in report["comparisons"]]  # type: ignore[attr-defined]
    assert compared == ["put-saturated", "put-status", "trace-cost"]
    status = json.loads((latest / "put-status" / "comparison.json").read_text())
    assert [side["name"] for side in status["sides"]] == ["stage1-storage", "stage3-sharding"]
    assert status["sides"][1]["median"]["status_p99_ms"] == 1.5
    page = (latest / "report.html").read_text()
    assert "<h2>the status under PUTs</h2>" in page
    assert "p99 of the status, ms" in page
    assert "one round of each" in page
    assert not any(word in page for word in (", faster", ", slower", "median of"))


@pytest.mark.long_by_nature
def test_full_lab_compares_clusters_too_and_its_comparisons_are_promoted(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["lab", "3", "--port", str(free_ports(3))]
    assert cli.main(words, bench.project.root) == 0, capsys.readouterr().err

    reports = bench.project.root / "docs" / "reports" / "stage3-sharding"
    comparison = json.loads((reports / "get-compared" / "comparison.json").read_text())
    assert [side["name"] for side in comparison["sides"]] == [
        "stage1-storage",
        "stage3-sharding",
        "stage3-sharding --nodes 3",
    ]
    assert {path.name for path in reports.iterdir() if path.name.endswith(("-compared", "-saturated"))} == {
        "get-compared",
        "get-saturated",
        "put-compared",
        "put-saturated",
    }
    runs = read_report(reports)["runs"]
    assert isinstance(runs, list)
    assert [(run["name"], run["rate_asked_per_s"]) for run in runs if run["role"] == "trace"] == [
        ("put-trace-cluster", 4400),
        ("put-trace-cluster-knee", 7100),
        ("get-trace-cluster", 4400),
        ("get-trace-cluster-knee", 7100),
    ]
    assert waiting.read(reports / "get-trace-cluster-knee")[0].count == 120
    assert len(list((bench.runs.parent / "stage3-sharding/latest/put-trace-cluster").glob("requests-node?.jfr"))) == 3
    ladders = [(run["name"], run["role"]) for run in runs if run["role"] == "ladder-cluster"]
    assert ladders == [("put-ladder-cluster", "ladder-cluster"), ("get-ladder-cluster", "ladder-cluster")]
    rates = {run["name"]: run["rate_asked_per_s"] for run in runs}
    for name in ("put", "get"):
        for node, role in enumerate(("asked", "owner", "third"), 1):
            profiled = read_run(reports / f"{name}-profile-{role}")
            assert isinstance(profiled["profile"], dict)
            assert (profiled["profile"]["node"], rates[f"{name}-profile-{role}"]) == (node, 666)
    latest = bench.project.root / "runs" / "stage3-sharding" / "latest"
    page = (latest / "report.html").read_text()
    assert "3 rounds, in turn" in page
    assert "<td>stage3-sharding --nodes 3, traced</td>" in page
    cluster = latest / "get-compared" / "c-1"
    assert len(list(cluster.glob("node?.log"))) == 3


@pytest.mark.long_by_nature
def test_lab_of_a_stage_that_replicates_measures_three_nodes(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["lab", "4", "--quick", "--port", str(free_ports(3))]
    assert cli.main(words, bench.project.root) == 0, capsys.readouterr().err

    latest = bench.project.root / "runs" / "stage4-replication" / "latest"
    for folder in ("put-profile", "put-profile-before", "put-saturated/a-1", "put-saturated/b-1"):
        assert len(list((latest / folder).glob("node?.log"))) == 3, folder


def test_lab_that_fails_halfway_keeps_what_it_has_and_says_why(
    bench: LoadBench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEYS", "20000")  # Every answer comes with timeouts.

    assert lab(bench, "lab", "1") == 1

    assert "no rate was sustained" in capsys.readouterr().err
    report = read_report(bench.latest)
    assert (report["status"], report["runs"]) == ("failed", [])
    assert read_run(bench.latest / "put-ladder")["status"] == "failed"


@pytest.mark.long_by_nature
def test_lab_of_a_part_measures_it_at_the_rates_of_the_report_and_keeps_the_rest(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab(bench, "lab", "1") == 0
    place = bench.project.root / "docs" / "reports" / "stage1-storage"
    promotion.promote(bench.latest, place)  # As if it had not been quick.
    before = read_report(place)

    words = ["lab", "1", "--only", "traces", "--port", str(free_ports())]
    assert cli.main(words, bench.project.root) == 0, capsys.readouterr().err

    measured = [run["name"] for run in read_report(bench.latest)["runs"]]  # type: ignore[attr-defined]
    assert measured == ["put-trace", "put-trace-knee", "get-trace", "get-trace-knee"]
    after = read_report(place)
    assert after["sustainable_per_s"] == before["sustainable_per_s"]
    names = [run["name"] for run in after["runs"]]  # type: ignore[attr-defined]
    assert names == [run["name"] for run in before["runs"]] + measured[1:]  # type: ignore[attr-defined]
    new = next(run for run in after["runs"] if run["name"] == "put-trace")  # type: ignore[attr-defined]
    sustained = before["sustainable_per_s"]["put"]  # type: ignore[index]
    assert new["rate_asked_per_s"] == pytest.approx(sustained / 2, rel=0.05)
    assert not read_run(place / "put-trace")["quick"]  # The one before was.
    assert (place / "put-profile" / "flame-cpu.html").is_file()
    assert [each["name"] for each in after["comparisons"]] == ["trace-cost"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "exit_code", "complaint"),
    [
        (("--only", "tracing"), 2, "'tracing' is none of profiles, comparisons, forwarding, traces, reference"),
        (("--only", "traces", "--quick"), 2, "--only is for a full lab on this machine"),
        (("--only", "traces"), 1, "--only needs docs/reports/stage1-storage"),
        (("--only", "ladders"), 2, "'ladders' is none of profiles, comparisons, forwarding, traces, reference"),
    ],
)
def test_lab_of_a_part_that_cannot_be_measured_says_why(
    bench: LoadBench, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], exit_code: int, complaint: str
) -> None:
    assert cli.main(["lab", "1", *words, "--port", str(free_ports())], bench.project.root) == exit_code
    assert complaint in capsys.readouterr().err


def test_lab_of_the_reference_measures_nothing_else(bench: LoadBench, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab(bench, "lab", "1") == 0
    promotion.promote(bench.latest, bench.project.root / "docs" / "reports" / "stage1-storage")

    words = ["lab", "1", "--only", "reference", "--port", str(free_ports())]
    assert cli.main(words, bench.project.root) == 0, capsys.readouterr().err

    measured = [run["name"] for run in read_report(bench.latest)["runs"]]  # type: ignore[attr-defined]
    assert measured == ["put-reference", "get-reference"]
    assert warmup_s(bench.latest / "put-reference") == 5.0


@pytest.mark.long_by_nature
def test_full_lab_of_several_nodes_warms_up_longer(bench: LoadBench, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab(bench, "lab", "3") == 0
    latest = bench.project.root / "runs" / "stage3-sharding" / "latest"
    promotion.promote(latest, bench.project.root / "docs" / "reports" / "stage3-sharding")

    words = ["lab", "3", "--nodes", "2", "--only", "reference", "--port", str(free_ports(2))]
    assert cli.main(words, bench.project.root) == 0, capsys.readouterr().err
    assert warmup_s(latest / "put-reference") == 20.0
    assert cli.main([*words, "--warmup", "3"], bench.project.root) == 0, capsys.readouterr().err
    assert warmup_s(latest / "put-reference") == 3.0


def test_lab_of_a_part_that_the_stage_has_not_got_says_so(bench: LoadBench, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab(bench, "lab", "1") == 0
    place = bench.project.root / "docs" / "reports" / "stage1-storage"
    promotion.promote(bench.latest, place)
    before = (place / "report.json").read_bytes()

    assert cli.main(["lab", "1", "--only", "forwarding", "--port", str(free_ports())], bench.project.root) == 1

    assert "the lab of stage1-storage has no forwarding" in capsys.readouterr().err
    assert (place / "report.json").read_bytes() == before


@pytest.mark.long_by_nature
def test_lab_of_the_comparisons_of_a_later_stage_measures_them(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab(bench, "lab", "3") == 0
    place = bench.project.root / "docs" / "reports" / "stage3-sharding"
    promotion.promote(bench.project.root / "runs" / "stage3-sharding" / "latest", place)

    assert cli.main(["lab", "3", "--only", "comparisons", "--port", str(free_ports())], bench.project.root) == 0, (
        capsys.readouterr().err
    )

    compared = [each["name"] for each in read_report(place)["comparisons"]]  # type: ignore[attr-defined]
    assert {"put-compared", "get-compared", "put-saturated", "get-saturated"} <= set(compared)


def test_trace_reads_only_the_requests_that_the_load_tool_counts(
    bench: LoadBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows_s = []

    def reads(files: list[Path], urls: list[str], jdk: Jdk, from_s: float, to_s: float) -> object:
        windows_s.append(to_s - from_s)
        return recorded_requests(files, urls, jdk, from_s, to_s)

    monkeypatch.setattr(request_recording, "read", reads)
    monkeypatch.setattr(Load, "forgets_s", 3600.0)

    assert lab(bench, "trace", "1", "put") == 0

    assert [window_s < -3000.0 for window_s in windows_s] == [True]


def test_trace_of_a_workload_without_keys_is_refused_before_it_runs(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["trace", "1", "status", "--quick", "--port", str(free_ports())], bench.project.root) == 2

    assert "requests of the workload status are not recorded" in capsys.readouterr().err
    assert not list((bench.project.root / "runs").glob("stage*/2*"))


def test_lab_of_a_part_refuses_the_rates_of_another_machine(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    place = bench.project.root / "docs" / "reports" / "stage1-storage"
    place.mkdir(parents=True)
    (place / "report.json").write_text(json.dumps({"machine": {"cpu": "i486", "cores": 1}, "runs": []}))

    assert cli.main(["lab", "1", "--only", "traces", "--port", str(free_ports())], bench.project.root) == 1
    assert "was made on another machine" in capsys.readouterr().err


def test_promotion_takes_the_small_files_in_place_of_those_before(tmp_path: Path) -> None:
    small = ["breakdown.json", "flame-cpu.html", "heatmap-cpu.html", "load.txt", "percentiles.json", "run.json"]
    target = tmp_path / "docs" / "reports" / "stage1-storage"
    (target / "old-run").mkdir(parents=True)
    with made(tmp_path / "lab", {"runs": []}, REPORT_JSON) as folder:
        with made(folder.path / "put-profile", {}) as run:
            for name in [*small, "recording.jfr", "stacks-cpu.txt", "node1.log"]:
                (run.path / name).write_text("{}")
        folder.facts["runs"] = [entry(run.path, "profile", "PUT", run.facts)]

    promotion.promote(folder.path, target)

    assert sorted(path.name for path in target.iterdir()) == ["put-profile", "report.json"]
    assert sorted(path.name for path in (target / "put-profile").iterdir()) == small
    assert read_run(target / "put-profile")["files"] == small
    assert read_report(target)["runs"] == [{**entry(run.path, "profile", "PUT", run.facts), "files": small}]
    assert list(target.parent.iterdir()) == [target]


def test_promotion_that_is_interrupted_leaves_a_whole_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "docs" / "reports" / "blocks"
    for folder, text in ((tmp_path / "first", "{}"), (tmp_path / "second", "[]")):
        folder.mkdir()
        (folder / "comparison.json").write_text(text)
    promotion.promote_comparison(tmp_path / "first", target)
    plain = shutil.rmtree

    def rmtree(path: Path, **more: Any) -> None:
        plain(path, **more)
        if path.suffix != ".new":
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(shutil, "rmtree", rmtree)
    with pytest.raises(interrupts.Interrupted), interrupts.taken():
        promotion.promote_comparison(tmp_path / "second", target)

    assert (target / "comparison.json").read_text() == "[]"
    assert list(target.parent.iterdir()) == [target]


def test_profile_against_another_makes_the_difference(bench: LoadBench) -> None:
    assert lab(bench, "profile", "1", "put") == 0
    first = bench.latest.resolve()

    assert lab(bench, "profile", "1", "put", "--against", str(first)) == 0

    facts = read_run(bench.latest)
    assert isinstance(facts["profile"], dict)
    assert facts["profile"]["against"] == str(first.relative_to(bench.project.root))
    assert (bench.latest / "diff-cpu.html").is_file()
    assert json.loads((bench.latest / "breakdown.json").read_text())["cpu"]["groups"][0]["name"] == "selector"
    assert list(bench.latest.glob(".stacks*")) == []


def test_profile_of_another_node_records_that_one(bench: LoadBench) -> None:
    words = ["profile", "3", "put", "--quick", "--nodes", "2", "--node", "2", "--port", str(free_ports(2))]

    assert cli.main(words, bench.project.root) == 0

    latest = bench.project.root / "runs" / "stage3-sharding" / "latest"
    pid = (latest / "node2.log").read_text().partition("pid ")[2].split()[0]
    recorded = [line.split()[0] for line in bench.told.read_text().splitlines() if "JVMTI.agent_load" in line]
    assert recorded == [pid, pid]
    profile = read_run(latest)["profile"]
    assert isinstance(profile, dict)
    assert profile["node"] == 2


def test_profile_of_a_node_that_there_is_not_is_refused(bench: LoadBench, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab(bench, "profile", "3", "put", "--node", "2") == 2
    assert "--node 2: the number of nodes is 1; see --nodes" in capsys.readouterr().err


def test_profile_against_a_folder_without_one_is_refused(
    bench: LoadBench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab(bench, "profile", "1", "put", "--against", str(tmp_path)) == 2
    assert "not the folder of a run with a profile" in capsys.readouterr().err


def recorder(bench: LoadBench, engine: str) -> Recorder:
    jdk = Jdk(bench.jdk, "25", "PATH")
    return Recorder(7, jdk, Path("/lib.so"), "4.6", Engine(engine, None), bench.told.with_name("r.jfr"), Host())


def test_recorder_starts_and_stops_one_recording(tmp_path: Path) -> None:
    bench = LoadBench(tmp_path)
    recording = recorder(bench, PERF)

    recording.start()
    recording.stop()

    start, stop = bench.told.read_text().splitlines()
    assert start.startswith('7 JVMTI.agent_load /lib.so "start,event=cpu,interval=1ms,alloc=512k,lock=10us,jfr,file=')
    assert stop.startswith('7 JVMTI.agent_load /lib.so "stop,file=')
    assert recording.facts()["cpu_engine"] == PERF


def test_recorder_falls_back_to_timers_where_perf_events_are_refused_and_says_so(tmp_path: Path) -> None:
    recording = recorder(LoadBench(tmp_path, perf_refused=True), PERF)

    recording.start()
    recording.stop()

    facts = recording.facts()
    assert (facts["cpu_engine"], facts["note"]) == (CTIMER, "perf events were refused: no kernel frames")
    assert str(facts["options"]).startswith("event=ctimer,")


def test_recorder_that_leaves_no_recording_is_a_failure(tmp_path: Path) -> None:
    bench = LoadBench(tmp_path)
    make_program(bench.jdk / "bin" / "jcmd", "#!/bin/sh\necho 'return code: 0'\n")
    recording = recorder(bench, PERF)
    recording.start()

    with pytest.raises(Failure, match="the profiler left no recording"):
        recording.stop()


def test_recorder_whose_server_is_gone_says_what_was_answered(tmp_path: Path) -> None:
    bench = LoadBench(tmp_path)
    make_program(bench.jdk / "bin" / "jcmd", "#!/bin/sh\necho '7: No such process'\nexit 1\n")

    with pytest.raises(Failure, match=r"the profiler cannot start\n.*event=ctimer.*No such process"):
        recorder(bench, PERF).start()


@pytest.mark.parametrize(
    ("paranoid", "euid", "engine"), [("1", 1000, PERF), ("2", 1000, CTIMER), ("2", 0, PERF), (None, 0, CTIMER)]
)
def test_engine_is_what_the_kernel_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paranoid: str | None, euid: int, engine: str
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: euid)
    kernel = tmp_path / "root/proc/sys/kernel"
    kernel.mkdir(parents=True)
    (kernel / "kptr_restrict").write_text("0\n")
    if paranoid is not None:
        (kernel / "perf_event_paranoid").write_text(f"{paranoid}\n")

    found = find_engine(Host(env={}, home=tmp_path, root=tmp_path / "root", system="Linux"))

    assert found.name == engine
    assert (found.note is None) == (engine == PERF)
