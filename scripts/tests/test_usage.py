from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from workbook.measure import gc_log, usage

GC_LOG = """\
[2026-11-20T17:00:00.100+0000] Using G1
[2026-11-20T17:00:01.250+0000] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 23M->4M(258M) 1.234ms
[2026-11-20T17:00:02.000+0000] GC(1) Pause Young (Concurrent Start) (G1 Humongous) 24M->5M(258M) 2.500ms
[2026-11-20T17:00:02.001+0000] GC(2) Concurrent Mark Cycle
[2026-11-20T17:00:02.900+0000] GC(2) Pause Remark 9M->9M(258M) 0.500ms
[2026-11-20T17:00:02.950+0000] GC(2) Concurrent Mark Cycle 9.111ms
"""
SECOND_0 = 1_795_194_000.0


def test_processor_time_of_a_process_that_spends_it_grows() -> None:
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint('spent', flush=True)\ntime.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        spent = usage.cpu_time([process.pid])
    finally:
        process.kill()
        process.communicate()

    assert 0.1 <= spent.total_s < 5


def test_processor_time_is_that_of_the_whole_group_and_of_nobody_else() -> None:
    """The leader sleeps, and its child spends. The system counts in ticks, so it may count a little less."""
    spend = "import time\\nwhile time.process_time() < 0.5: pass\\nprint('spent', flush=True)\\ntime.sleep(60)"
    code = f'import subprocess, sys\nsubprocess.run([sys.executable, \'-c\', """{spend}"""])'
    both = [
        subprocess.Popen([sys.executable, "-c", each], stdout=subprocess.PIPE, start_new_session=True)
        for each in (code, "print('idle', flush=True)\nimport time\ntime.sleep(60)")
    ]
    try:
        for process in both:
            assert process.stdout is not None
            process.stdout.readline()
        spender, idler = (usage.cpu_time([process.pid]) for process in both)
    finally:
        for process in both:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    assert spender.total_s >= 0.4
    assert idler.total_s < 0.4


def test_machine_is_busy_by_what_is_not_idle() -> None:
    busy_s, total_s = usage.machine_busy()

    assert 0 < busy_s < total_s
    assert usage.busy_share((10.0, 100.0), (90.0, 200.0)) == 0.8
    assert usage.busy_share((10.0, 100.0), (10.0, 100.0)) is None


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
    before, after = (0.0, 0.0), (3.0, 4.0)

    assert usage.others_cores(before, after, 2.0, 2.0) == 0.5
    assert usage.others_cores(before, after, 3.5, 2.0) == 0.0
    assert usage.others_cores(before, after, 0.1, 0.2) is None
