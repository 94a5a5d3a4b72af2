from __future__ import annotations

import os
import socket
import subprocess
import tarfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.fakes import make_program, taken_port
from workbook.failure import Failure
from workbook.measure.gc_log import Collections
from workbook.measure.load_report import LoadReport
from workbook.measure.load_source import Loaded, LoadSource
from workbook.measure.measurable import Measurable
from workbook.measure.measuring import Measured, Window, cpu_facts
from workbook.measure.profiler import CTIMER, PERF
from workbook.measure.server import Crashed
from workbook.measure.usage import CpuTime, ToolUsed, Used
from workbook.remote import watch
from workbook.remote.clock import Clock, clock_of, nearest
from workbook.remote.cluster import Reached, RemoteServer, RemoteTarget, cpu_time_of, machine_busy_of
from workbook.remote.machine import Inspected, differences, sections, start_of
from workbook.remote.place import Place
from workbook.remote.process import pid_of
from workbook.remote.recorder import PERF_WAS_USED, archive, is_whole
from workbook.remote.target_file import RemoteNode, TargetFile
from workbook.remote.watch import check_answers

ANSWERS_WITH_WORDS = ("sh", "-c", "read -r question; echo words")
NODE = RemoteNode(Place("node-1"), "http://10.0.0.1:8081")
JCMD = "99 jdk.jcmd/sun.tools.jcmd.JCmd -l\n"
STAT = "17 (java (x) y) S 1 1 1 0 -1 4194560 9 0 0 0 1234 66 0 0 20 0 40 0 777 1 2"
CHUNK = b"FLR\0\0\2\0\0" + (20).to_bytes(8, "big") + b"four"

TEXT = f"""\
a greeting of the machine
== /proc/cpuinfo
processor : 0
model name	: AMD EPYC

== /proc/meminfo
MemTotal:       1000 kB

== /proc/sys/kernel/osrelease
6.1.0

== /proc/sys/kernel/perf_event_paranoid
2

== /proc/sys/kernel/kptr_restrict
0

== /etc/os-release
NAME="x"
PRETTY_NAME="Debian 12"

== /sys/fs/cgroup/cpu.max
70000 100000

== /sys/fs/cgroup/memory.max
536870912

== status
Uid:	10001	10001	10001	10001
Cpus_allowed_list:	0-2,5
== stat
{STAT}
== profiler
== options
VM Arguments:
jvm_args: -Xmx128m -Dkey.password=hush
java_command: /srv/x/server.jar --port 8080 --cluster-secret hush --data /data
== properties
java.version=25.0.1
os.arch=amd64
== threads
	at one.nio.net.NativeSelector.epollWait(Native Method)
== end
"""


def inspected(**more: str) -> Inspected:
    return Inspected(17, {**sections(TEXT), **more})


@pytest.mark.parametrize(
    ("listed", "pid"),
    [
        ("1 /server.jar --port=8080\n", 1),  # Its port is published as another one.
        ("1 java\n", 1),  # As the first process tells by itself, which jcmd may not list.
        ("1 java\n1 /server.jar --port=8080\n", 1),
        ("5 a.jar --port 80812\n7 b.jar --port 8081 --data x\n", 7),
        ("5 a.jar --port=8080\n7 b.jar --port=8081\n", 7),
    ],
)
def test_server_is_the_only_jvm_or_the_one_with_the_port(listed: str, pid: int) -> None:
    assert pid_of(NODE, listed + JCMD) == pid


def test_server_is_the_jvm_with_the_words_of_the_file() -> None:
    node = RemoteNode(NODE.place, NODE.url, process="--data /b")

    assert pid_of(node, f"5 s.jar --data /a\n7 s.jar --data /b\n{JCMD}") == 7


@pytest.mark.parametrize(
    ("process", "listed", "complaint"),
    [
        (None, "", "jcmd finds no JVM there"),
        (None, "5 a.jar hush\n7 b.jar hush\n", "several JVMs run there, a.jar (pid=5), b.jar (pid=7): choose one with"),
        ("stage5", "5 a.jar hush\n", "no JVM there has 'stage5' in its command line; there are a.jar (pid=5)"),
    ],
)
def test_server_that_cannot_be_told_is_no_guess(process: str | None, listed: str, complaint: str) -> None:
    with pytest.raises(Failure) as failed:
        pid_of(RemoteNode(NODE.place, NODE.url, process), listed + JCMD)

    assert complaint in str(failed.value)
    assert "hush" not in str(failed.value)


def test_machine_is_described_with_the_limits_of_its_container() -> None:
    assert inspected().machine() == {
        "cpu": "AMD EPYC",
        "cores": 4,
        "memory_bytes": 1_024_000,
        "kernel": "6.1.0",
        "system": "Debian 12",
        "governor": None,
        "limits": {"cores": 0.7, "memory_bytes": 536_870_912},
    }


@pytest.mark.parametrize(
    ("files", "limits"),
    [
        ({"cpu.max": "max 100000\n", "memory.max": "max\n"}, (None, None)),
        ({"cpu.max": "", "memory.max": ""}, (None, None)),
        (
            {
                "cpu.max": "",
                "memory.max": "",
                "cpu/cpu.cfs_quota_us": "150000\n",
                "cpu/cpu.cfs_period_us": "100000\n",
                "memory/memory.limit_in_bytes": "1024\n",
            },
            (1.5, 1024),
        ),
        (
            {
                "cpu.max": "",
                "memory.max": "",
                "cpu/cpu.cfs_quota_us": "-1\n",
                "cpu/cpu.cfs_period_us": "100000\n",
                "memory/memory.limit_in_bytes": "9223372036854771712\n",
            },
            (None, None),
        ),
    ],
)
def test_limits_are_read_from_both_versions_of_control_groups(
    files: dict[str, str], limits: tuple[float | None, int | None]
) -> None:
    machine = inspected(**{f"/sys/fs/cgroup/{name}": text for name, text in files.items()}).machine()

    assert machine["limits"] == {"cores": limits[0], "memory_bytes": limits[1]}


def test_server_is_described_without_its_secrets_and_its_folder() -> None:
    assert inspected().server() == {
        "jdk": "25.0.1",
        "jvm_flags": ["-Xmx128m", "-Dkey.password=…"],
        "options": ["--port", "8080", "--cluster-secret", "…", "--data", "/data"],
        "selector": "native",
    }


def test_perf_events_are_roots_or_everybodys() -> None:
    assert inspected().engine.name == CTIMER
    assert inspected(**{"/proc/sys/kernel/perf_event_paranoid": "1\n"}).engine.name == PERF
    assert inspected(status="Uid:\t0\t0\t0\t0\n").engine.name == PERF


def test_nodes_that_are_not_alike_are_told_apart() -> None:
    newer = inspected(properties="java.version=25.0.2\n")

    assert differences([NODE, RemoteNode(Place("b"), "http://b")], [inspected(), newer]) == [
        "the nodes do not have the same JDK: 25.0.1 on node-1, 25.0.2 on b"
    ]


def test_answer_that_is_cut_off_is_no_answer() -> None:
    with pytest.raises(Failure, match="is incomplete"):
        sections(TEXT[: TEXT.index("== end")])


def test_process_time_and_its_begin_are_read_behind_a_name_with_brackets() -> None:
    assert cpu_time_of(STAT) == CpuTime(12.34, 0.66)
    assert start_of(STAT) == "777"


def test_machine_is_busy_by_all_but_idle_and_waiting() -> None:
    assert machine_busy_of("cpu  100 0 200 5000 300 0 10 90 7 7\ncpu0 1 2 3\n") == (4.0, 57.0)


def test_clock_is_that_of_the_question_that_was_answered_soonest() -> None:
    assert nearest([(10.0, 70.0, 10.8), (11.0, 61.25, 11.5), (12.0, 70.0, 13.0)]) == Clock(50.0, 0.25)


def test_clock_that_is_ahead_is_noticed(tmp_path: Path) -> None:
    make_program(tmp_path / "bin" / "date", '#!/bin/sh\nexec /bin/date -d "+100 seconds" "$@"\n')
    make_program(tmp_path / "reach", f'#!/bin/sh\nPATH={tmp_path}/bin:$PATH exec "$@"\n')

    ahead, here = clock_of(Place("ahead", (str(tmp_path / "reach"),))), clock_of(Place("here"))

    assert abs(ahead.ahead_s - 100) <= ahead.uncertain_s + 0.1
    assert abs(here.ahead_s) <= here.uncertain_s + 0.1


@pytest.mark.parametrize(("prefix", "complaint"), [(ANSWERS_WITH_WORDS, "answers"), (("true",), "node-1: ")])
def test_clock_of_what_is_no_shell_is_an_error(prefix: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(Failure, match=complaint):
        clock_of(Place("node-1", prefix))


def test_url_where_nobody_is_and_url_of_others_are_named() -> None:
    with taken_port() as silent:
        nodes = [RemoteNode(Place("a"), "http://127.0.0.1:1"), RemoteNode(Place("b"), f"http://127.0.0.1:{silent}")]
        with pytest.raises(Failure) as failed:
            check_answers(nodes)

    refused, late = str(failed.value).split("\n")
    assert refused == "a: http://127.0.0.1:1/v0/status does not answer: Connection refused"
    assert late.startswith(f"b: http://127.0.0.1:{silent}/v0/status does not answer: ")


def test_name_that_nobody_can_look_up_in_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    forever = threading.Event()

    def look_up(*_: object) -> None:
        forever.wait()
        raise socket.gaierror(socket.EAI_AGAIN, "nobody knows")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(watch, "CHECKED_WITHIN_S", 0.2)

    with pytest.raises(Failure) as failed:
        check_answers([RemoteNode(Place("a"), "http://lost:8080")])

    forever.set()
    assert str(failed.value) == "a: http://lost:8080/v0/status does not answer: there is no sign of it within 0.2 s"


def test_duration_of_a_window_does_not_depend_on_the_time_of_day(monkeypatch: pytest.MonkeyPatch) -> None:
    source = cast(LoadSource, SimpleNamespace(used=lambda: ()))
    server = cast(Measurable, SimpleNamespace(used=lambda: Used((), {}, ())))
    moments = []
    for time_s, clock_s in ((1_000.0, 5.0), (900.0, 15.0)):
        monkeypatch.setattr(time, "time", lambda time_s=time_s: time_s)
        monkeypatch.setattr(time, "monotonic", lambda clock_s=clock_s: clock_s)
        moments.append(Window.now(server, [], source))

    first, last = moments
    measured = Measured(Loaded(LoadReport(), ""), first, last)

    assert measured.window_s == 10
    assert (first.time_s, last.time_s) == (1_000, 900)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CHUNK, True),
        (CHUNK * 3, True),
        (CHUNK[:-1], False),
        (CHUNK + CHUNK[:18], False),
        (CHUNK + b"FLR", False),
        (b"", False),
        (b"JFR" + CHUNK[3:], False),
    ],
)
def test_recording_is_whole_if_it_ends_with_one_of_its_parts(tmp_path: Path, content: bytes, expected: bool) -> None:
    file = tmp_path / "recording.jfr"
    file.write_bytes(content)

    assert is_whole(file) is expected


def test_engine_is_read_from_the_recording() -> None:
    assert PERF_WAS_USED.search(b"..\x03\x06engine\x03\x0bperf_events..")
    assert not PERF_WAS_USED.search(b"..\x03\x06engine\x03\x06ctimer..[kernel] perf_events")


def test_program_is_packed_so_that_it_can_be_run(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(archive("lib.so", b"binary"))
    with tarfile.open(tmp_path / "a.tar") as tar:
        (entry,) = tar.getmembers()

    assert (entry.name, entry.size, entry.mode) == ("lib.so", 6, 0o755)


def test_others_are_counted_on_the_machine_where_they_are_busiest() -> None:
    nothing = CpuTime(0.0, 0.0)
    places = ("here", "there")
    first = Window(0.0, 0.0, Used((nothing, nothing), {"here": (0.0, 0.0), "there": (0.0, 0.0)}, places), nothing)
    used = (CpuTime(1.0, 0.0), CpuTime(2.0, 0.0))
    last = Window(10.0, 10.0, Used(used, {"here": (5.0, 20.0), "there": (9.0, 40.0)}, places), CpuTime(3.0, 0.0))
    measured = Measured(Loaded(LoadReport(), ""), first, last)

    # This machine: 5 s busy, of which 1 s by its node and 3 s by the load tool. The other one: 9 s, 2 s by its node.
    assert measured.others_cores == 0.7
    assert cpu_facts(measured)["machine_busy_share"] == 0.25


def test_load_tools_elsewhere_are_no_others() -> None:
    """One shares the machine of the node, and one has a machine of its own."""
    nothing, idle = CpuTime(0.0, 0.0), (0.0, 0.0)
    before, after = {"here": idle, "there": idle}, {"here": (0.0, 20.0), "there": (9.0, 40.0)}
    loads = tuple(ToolUsed(place, idle, nothing) for place in ("there", "apart"))
    first = Window(0.0, 0.0, Used((nothing,), before, ("there",)), nothing, loads)
    busy = (ToolUsed("there", (9.0, 40.0), CpuTime(4.0, 1.0)), ToolUsed("apart", (8.0, 40.0), CpuTime(5.0, 0.0)))
    last = Window(10.0, 10.0, Used((CpuTime(3.0, 0.0),), after, ("there",)), nothing, busy)

    # There: 9 s busy, 3 s by the node, 5 s by the tool. Apart: 8 s busy, 5 s by the tool.
    assert Measured(Loaded(LoadReport(), ""), first, last).others_cores == 0.3


def reached(folder: Path, pid: int, ahead_s: float = 0.0) -> RemoteServer:
    target = RemoteTarget("target", "one", "stage1-storage", file=TargetFile("one", (NODE,)))
    found = Reached(RemoteNode(Place("node-1"), NODE.url), Inspected(pid, sections(TEXT)), Clock(ahead_s, 0.0))
    return RemoteServer(target, folder, [found], "workbook-1")


def test_collections_of_a_node_are_found_by_its_own_clock(tmp_path: Path) -> None:
    server = reached(tmp_path, 1, ahead_s=100.0)
    log = server.folder_of(server.reached[0]) / "gc.log"
    log.write_text("[2026-11-20T17:00:01.250+0000] GC(0) Pause Young (Normal) 23M->4M(258M) 1.234ms\n")
    second_1_s = 1_795_194_001.0

    assert server.collections(second_1_s - 100, second_1_s - 99) == Collections(1, 1.234, 1.234)
    assert server.collections(second_1_s, second_1_s + 1) == Collections(0, 0, 0.0)


def test_process_of_the_same_number_that_began_at_another_time_is_not_the_server(tmp_path: Path) -> None:
    with pytest.raises(Crashed, match=f"node-1 has ended by itself: pid={os.getpid()}"):
        reached(tmp_path, os.getpid()).used()


def test_process_that_is_no_more_is_told(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()

    with pytest.raises(Crashed, match=f"node-1 has ended by itself: pid={gone.pid}"):
        reached(tmp_path, gone.pid).used()
