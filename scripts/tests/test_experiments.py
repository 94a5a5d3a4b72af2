"""Faults and figures of the experiments, with stand-ins for servers and load tools."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import cast

import cluster
import cold_profile
import cold_start
import engines
import hashes
import pytest
import replica_lost
import two_profilers
from cluster import Cluster, Tools, number_of, seconds_in

from tests.fakes import make_host, make_jdk, make_program
from workbook import git
from workbook.jdk import Jdk
from workbook.measure import stacks
from workbook.measure.profiler import CTIMER, Engine, Recorder

# A generator whose run begins half a second after it has announced it. It notes the seconds of its run in which the
# server stops and goes on: in between, a file is there.
GENERATOR = """#!{python} -ES
import os, sys, time
print("Running 1m test @", sys.argv[-1], flush=True)
time.sleep(0.5)
began_ms = int(time.time() * 1000)
began = began_ms / 1000
print("Began: %d" % began_ms, flush=True)
noted = []
for is_there in (True, False):
    while os.path.exists({paused!r}) is not is_there and time.time() < began + 20:
        time.sleep(0.001)
    noted.append(int(time.time() - began))
with open(sys.argv[sys.argv.index("--timeline") + 1], "w") as out:
    print("second,answered,errors,p50Micros,p99Micros,maxMicros", file=out)
    for second in range(noted[1] + 1):
        print(second, 1, int(second in noted), 1, 2, 3, sep=",", file=out)
"""
SILENT = """#!{python} -ES
print("Running 1m test", flush=True)
"""


class PausedByAFile:
    """In place of a cluster."""

    urls = ("http://127.0.0.1:1",)

    def __init__(self, file: Path) -> None:
        self._file = file

    def pause(self, _: int) -> None:
        self._file.write_text("")

    def resume(self, _: int) -> None:
        self._file.unlink()


def generator(tmp_path: Path, text: str) -> Tools:
    program = text.replace("{python}", sys.executable).replace("{paused!r}", repr(str(tmp_path / "paused")))
    return Tools(make_program(tmp_path / "java", program), None)


def test_replica_is_lost_in_that_second_of_the_loads_own_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("BEGINS_S", 1), ("ENDS_S", 2), ("LASTS_S", 3)):
        monkeypatch.setattr(replica_lost, name, value)
    monkeypatch.setattr(cluster, "LATE_S_MAX", 10)  # The machine may be busy: late is well, and early would be wrong.
    nodes = cast(Cluster, PausedByAFile(tmp_path / "paused"))
    arguments = argparse.Namespace(rate=50, connections=1)

    text, lost_at_s = replica_lost.measure(nodes, generator(tmp_path, GENERATOR), arguments, "put", "paused")

    noted = [second["second"] for second in seconds_in(text) if second["errors"]]
    assert len(noted) in (1, 2), text
    assert [number_of(noted[0]) >= 1, number_of(noted[-1]) >= 2] == [True, True], text
    assert [lost_at_s[0] >= 1, lost_at_s[1] >= 2] == [True, True]


def test_load_that_does_not_say_when_it_begins_is_no_measurement(tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit, match="has ended before it began"),
        cluster.load_beside(generator(tmp_path, SILENT), "http://127.0.0.1:1", "put", 1, 1, 1),
    ):
        pytest.fail("nothing has begun")


def test_fault_that_comes_in_a_later_second_is_no_measurement() -> None:
    with pytest.raises(SystemExit, match=r"second 2 of the load came \d+\.\d s late"):
        cluster.Beside(began_s=0.0).await_second(2)


@pytest.mark.parametrize(
    ("dirty", "told", "row"),
    [
        (False, "", "| commit | 0123456789ab |"),
        (True, "not for the site", "| commit | 0123456789ab, with changes that are in no commit |"),
    ],
)
def test_report_says_of_which_commit_it_is_and_whether_that_is_all(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    dirty: bool,
    told: str,
    row: str,
) -> None:
    monkeypatch.setattr(cluster, "ROOT", tmp_path)
    monkeypatch.setattr(git, "state", lambda _: ("0123456789abcdef", dirty))
    report = cluster.Report("some")

    report.begin(Tools(make_program(tmp_path / "java", "#!/bin/sh\necho openjdk 25\n"), None))
    report.write("Some", "some.py", lambda _: [])

    folder = tmp_path / "docs/reports/some"
    assert json.loads((folder / "machine.json").read_text())["dirty"] is dirty
    results = (folder / "results.md").read_text()
    assert row in results
    assert "dirty" not in results
    assert told in capsys.readouterr().out


def test_time_of_a_cold_start_is_divided_by_what_threads_do() -> None:
    recorded = """\
[C2 CompilerThre tid=1];start_thread;CompileBroker::invoke_compiler_on_method 30
[GC Thread#0 tid=2];start_thread;G1ParTask::work 4
[main tid=3];JavaMain;picocli/CommandLine.execute_[0];java/lang/ClassLoader.loadClass_[1];memcpy 20
[main tid=3];picocli/CommandLine.execute_[0];SystemDictionary::load_instance_class 5
[main tid=3];java/lang/invoke/MethodHandleNatives.linkCallSite_[0];java/lang/ClassLoader.defineClass_[0] 7
[worker-1 tid=4];dht/http/RequestParser.parse_[0];dht/http/Bytes.find_[0] 11
[worker-1 tid=4];dht/http/RequestParser.parse_[0];dht/http/Bytes.find_[j] 13
[worker-1 tid=4];dht/http/HttpSession.write_[0];__write;ksys_write_[k] 2
[main tid=3];JavaMain;JNI_CreateJavaVM 8
"""
    found = cold_profile.by_kind(stacks.parse(recorded).stacks)

    assert found == {
        cold_profile.COMPILERS: 30,
        cold_profile.LOADING: 25,
        cold_profile.LAMBDAS: 7,
        cold_profile.INTERPRETED: 13,
        cold_profile.COMPILED: 13,
        cold_profile.COLLECTOR: 4,
        cold_profile.VIRTUAL_MACHINE: 8,
    }


def test_compilations_of_the_first_seconds_are_counted_by_compiler() -> None:
    log = """\
[0.520s]    1       3       java.lang.Object::<init> (1 bytes)
[0.535s]    4     n 0       jdk.internal.misc.Unsafe::getReferenceVolatile (native)
[0.701s]   57  s!   2       java.lang.StringBuffer::append (13 bytes)
[1.102s]  101 %     4       dht.storage.Hash::of @ 5 (44 bytes)
[1.300s]   17       3       java.lang.String::hashCode (60 bytes)   made not entrant
[4.999s]  900       4       dht.http.RequestParser::parse (1,204 bytes)
[5.001s]  901       4       dht.http.RequestParser::line (204 bytes)
"""
    assert cold_profile.compilations_in(log) == {"C1": 2, "C2": 2, "made not entrant": 1}


def test_first_seconds_are_a_table_of_all_rounds_and_say_where_there_are_none() -> None:
    def run(compilers: int, ours: int) -> cluster.Facts:
        samples = {
            **dict.fromkeys(cold_profile.KINDS, 0),
            cold_profile.COMPILERS: compilers,
            cold_profile.COMPILED: ours,
        }
        compilations = {"C1": 1000, "C2": compilers, "made not entrant": 3}
        return {"samples": {"cpu": samples, "wall": samples}, "compilations": compilations}

    before, rows, after = cold_profile.tables([run(3000, 1000), run(3000, 3000)])

    assert "2 runs together. It kept 1.00 processors busy." in before
    assert f"| {cold_profile.COMPILERS} | 60.0% | 60.0% |" in rows
    assert f"| {cold_profile.LAMBDAS} | 0.0% | 0.0% |" in rows
    assert "C1 compiled 1,000 times and C2 3,000 times in one run; 3 compiled methods were dropped again." in after
    assert cold_profile.tables([]) == ["*(not measured yet)*"]


def test_tables_of_cold_starts_leave_the_profiled_ones_out() -> None:
    of_start = ("ready_s", "ready_cpu_s", "first_cpu_s", "first_second")
    of_load = [f"{window}_{name}" for window in ("later", "minute") for name in ("rate", "p50_ms", "p99_ms")]
    figures = {**dict.fromkeys((*of_start, *of_load), 1.5), "nodes": 1, "cache_bytes": 1 << 20, "failed": 0}
    runs: list[cluster.Facts] = [
        {"stage": stage, "start": start, "round": 1, **figures}
        for stage in cold_start.STAGES
        for start in cold_start.STARTS
    ]
    counted = {name: dict.fromkeys(cold_profile.KINDS, 1) for name in ("cpu", "wall")}
    compilations = {"C1": 1, "C2": 1, "made not entrant": 0}
    profiled = {"stage": 5, "start": cold_start.PROFILED, "round": 2, "samples": counted, "compilations": compilations}

    without, with_it = cold_start.tables(runs), cold_start.tables([*runs, profiled])

    assert without[-2:] == ["## Where the first seconds go", "*(not measured yet)*"]
    assert with_it[: len(without) - 1] == without[:-1]
    assert "One round" in with_it[1]
    assert "14.3%" in with_it[-2]


def test_table_of_hashes_finds_the_times_of_each_by_its_name() -> None:
    spread = "## Hash choice\n\n| hash | most |\n|---|---|\n| Arrays.hashCode | 1.08 |\n| CRC-32 | 1.06 |\n"
    measured = [
        {"params": {"hash": name, "keyBytes": length}, "primaryMetric": {"rawData": [[1.0 * i, 2.0 * i, 3.0 * i]]}}
        for i, name in enumerate(("CRC_32", "ARRAYS_HASHCODE"), 1)
        for length in hashes.LENGTHS
    ]
    runs: list[cluster.Facts] = [
        {"name": hashes.SPREAD, "table": spread},
        {"name": hashes.TIMES, "nanos": hashes.nanos_of(measured)},
    ]

    shown = hashes.tables(runs)

    assert shown[0] == spread.strip()
    assert shown[-1].splitlines()[2:] == [
        "| Arrays.hashCode | 4.0 (2.0 to 6.0) | 4.0 (2.0 to 6.0) |",
        "| CRC-32 | 2.0 (1.0 to 3.0) | 2.0 (1.0 to 3.0) |",
    ]


def test_table_of_engines_has_a_row_for_each_with_each_number_of_threads() -> None:
    def measured(factor: float) -> list[dict[str, object]]:
        return [
            {
                "benchmark": f"dht.benchmarks.storage.StorageBenchmark.{operation}",
                "params": {"engine": engine, "entries": "1000000"},
                "primaryMetric": {"rawData": [[1_000.0 * factor * i, 2_000.0 * factor * i, 3_000.0 * factor * i]]},
            }
            for engine in engines.ENGINES
            for i, operation in enumerate(engines.OPERATIONS, 1)
        ]

    runs: list[cluster.Facts] = [
        {"name": f"threads-{threads}", "threads": threads, "micros": engines.micros_of(measured(float(threads)))}
        for threads in engines.THREADS
    ]

    rows = engines.tables(runs)[-1].splitlines()

    assert rows[0] == "| threads | engine | get, key exists | get, no such key | put | range of 100 |"
    assert [row.split(" | ")[:3] for row in rows[2:]] == [
        [f"| {threads}", engine, f"{2.0 * int(threads):.2f} ({int(threads):.2f} to {3.0 * int(threads):.2f})"]
        for threads in engines.THREADS
        for engine in engines.ENGINES.values()
    ]


def test_methods_are_the_innermost_in_java_on_threads_that_both_profilers_sample() -> None:
    recorded = """\
[NIO Selector #0 tid=1];dht/http/HttpSession.process_[j];sun/nio/ch/SocketDispatcher.write0_[j];__write;tcp_[k] 6
[NIO Selector #0 tid=1];dht/http/HttpSession.process_[j];dht/http/RequestParser.parse_[i] 3
[C1 CompilerThre tid=2];start_thread;Compiler::compile_method 50
[VM Thread tid=3];start_thread;VMThread::run 5
"""
    found = two_profilers.methods(stacks.parse(recorded).stacks)

    assert found == {"sun.nio.ch.SocketDispatcher.write0": 6, "dht.http.RequestParser.parse": 3}


def test_profilers_are_set_side_by_side_method_by_method() -> None:
    def run(workload: str, seen_async: dict[str, int], seen_jvm: dict[str, int]) -> cluster.Facts:
        asked = {"workload": workload, "rate": 10_000, "connections": 64, "engine": "perf"}
        methods = {two_profilers.ASYNC: seen_async, two_profilers.JVM: seen_jvm}
        samples = {two_profilers.ASYNC: 2 * sum(seen_async.values()), two_profilers.JVM: sum(seen_jvm.values())}
        return {**asked, "methods": methods, "samples": samples}

    rare = {f"rare{number}": 1 for number in range(20)}
    put = run("put", {"write": 1}, {"write": 1})
    runs = [run("get", {"write": 50, "parse": 30, **rare}, {"write": 60, "read": 40}) for _ in range(2)]

    head, asked, rows, told = two_profilers.tables([*runs, put])[:4]

    assert head == "## Methods of GET"
    assert asked.startswith(
        "GET, 10,000 requests a second on 64 connections; 400 samples of async-profiler (perf), 200"
    )
    first = ["| `write` | 50.0% | 60.0% |", "| `read` | 0.0% | 40.0% |", "| `parse` | 30.0% | 0.0% |"]
    assert rows.splitlines()[2:5] == first
    assert len(rows.splitlines()) == 2 + 11  # Ten of the one, and one more of the other.
    assert told.startswith("1 of the first 10 methods are the same. The two agree on 50.0% of the samples. 50.0% of")


def test_profiler_takes_another_signal_beside_one_that_has_the_usual(tmp_path: Path) -> None:
    told = tmp_path / "told"
    jdk = Jdk(make_jdk(tmp_path / "jdk"), "25", "PATH")
    make_program(jdk.home / "bin/jcmd", f'#!/bin/sh\necho "$@" >> {told}\necho return code: 0\n')
    for signal in (None, 38):
        recording, engine = tmp_path / "x.jfr", Engine(CTIMER, None)
        Recorder(1, jdk, tmp_path / "lib.so", "4.5", engine, recording, make_host(tmp_path), signal=signal).start()

    assert ["signal=38" in line for line in told.read_text().splitlines()] == [False, True]
