from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import make_host, make_program
from workbook.host import Host
from workbook.measure import gc_log, usage
from workbook.measure.usage import CpuTime

GC_LOG = """\
[2026-11-20T17:00:00.100+0000] Using G1
[2026-11-20T17:00:01.250+0000] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 23M->4M(258M) 1.234ms
[2026-11-20T17:00:02.000+0000] GC(1) Pause Young (Concurrent Start) (G1 Humongous) 24M->5M(258M) 2.500ms
[2026-11-20T17:00:02.001+0000] GC(2) Concurrent Mark Cycle
[2026-11-20T17:00:02.900+0000] GC(2) Pause Remark 9M->9M(258M) 0.500ms
[2026-11-20T17:00:02.950+0000] GC(2) Concurrent Mark Cycle 9.111ms
"""
SECOND_0 = 1_795_194_000.0


def stat(pid: int, group: int, *, user: int, system: int, waited: int = 0) -> str:
    return f"{pid} (a (b) c) S 1 {group} {group} 0 -1 0 0 0 0 0 {user} {system} {waited} {waited} 20 0 9 0 100\n"


def test_processor_time_is_that_of_the_whole_group(tmp_path: Path) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    for pid, text in {
        "self": "",
        "9": "",  # Ended between being opened and being read.
        "10": stat(10, 10, user=3 * ticks, system=ticks, waited=ticks),
        "11": stat(11, 10, user=ticks, system=0),
        "12": stat(12, 12, user=99 * ticks, system=99 * ticks),
    }.items():
        (tmp_path / "root/proc" / pid).mkdir(parents=True)
        (tmp_path / "root/proc" / pid / "stat").write_text(text)

    assert usage.cpu_time([10], make_host(tmp_path)) == CpuTime(5.0, 2.0)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")
def test_processor_time_of_a_process_that_spends_it_grows() -> None:
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint('spent', flush=True)\ntime.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        spent = usage.cpu_time([process.pid], Host())
    finally:
        process.kill()
        process.communicate()

    assert spent is not None
    assert 0.1 <= spent.total_s < 5


def test_processor_time_without_proc_is_asked_of_ps(tmp_path: Path) -> None:
    make_program(tmp_path / "bin/ps", "#!/bin/sh\necho ' 10   0:01.50'\necho ' 10   1:00:00.25'\necho ' 7 9:00.00'\n")
    host = make_host(tmp_path, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    found = usage.cpu_time([10], host)

    assert found == CpuTime(3601.75, 0.0)


def test_machine_is_busy_by_what_is_not_idle(tmp_path: Path) -> None:
    proc = tmp_path / "root/proc"
    proc.mkdir(parents=True)
    (proc / "stat").write_text("cpu  10 0 10 70 10 0 0 0 0 0\ncpu0 1 1 1 1\n")
    before = usage.machine_busy(make_host(tmp_path))
    (proc / "stat").write_text("cpu  70 0 30 80 20 0 0 0 0 0\ncpu0 1 1 1 1\n")

    assert usage.busy_share(before, usage.machine_busy(make_host(tmp_path))) == 0.8
    assert usage.busy_share(None, before) is None


def test_collections_are_those_between_two_moments(tmp_path: Path) -> None:
    log = tmp_path / "gc.log"
    log.write_text(GC_LOG)

    found = gc_log.read_collections(log, SECOND_0 + 1.5, SECOND_0 + 3)

    assert found == gc_log.Collections(2, 3.0, 2.5)
    assert gc_log.read_collections(log, SECOND_0 + 9, SECOND_0 + 10) == gc_log.Collections(0, 0, 0.0)
    assert gc_log.read_collections(tmp_path / "none", 0, 1) is None


def test_size_on_disk_is_what_is_really_there(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "full").write_bytes(b"x" * 100_000)
    with (tmp_path / "reserved").open("wb") as file:
        file.truncate(100_000_000)

    assert 100_000 <= usage.bytes_below(tmp_path) < 1_000_000


def test_what_others_use_is_what_is_left_of_a_busy_machine() -> None:
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    before, after = (0.0, 0.0), (3.0 * ticks_per_s, 4.0 * ticks_per_s)

    assert usage.others_cores(before, after, 2.0, 2.0) == 0.5
    assert usage.others_cores(before, after, 3.5, 2.0) == 0.0
    assert usage.others_cores(None, after, 1.0, 2.0) is None
    assert usage.others_cores(before, after, 0.1, 0.2) is None
