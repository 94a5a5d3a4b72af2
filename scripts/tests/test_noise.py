"""What a machine's figures vary by, and which differences can be told apart all the same."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.fakes import WITHIN_S, free_ports, make_host
from tests.load_fakes import LoadBench
from workbook import cli
from workbook.host import Host
from workbook.measure import machine, noise
from workbook.measure.noise import Late, Noise
from workbook.measure.resolution import fewest_rounds, least_difference, told_share
from workbook.measure.run_folder import write_json
from workbook.measure.speed import LOOPS_MIN, Speed, Speedometer, mhz_of, speed_of, timed_loop_ms

CPU, P99 = "server_cpu_us_per_request", "p99_ms"
QUIET = {CPU: [100.0, 100.5, 99.5, 101.0, 99.0, 100.2, 99.8, 100.4]}
NOISY = {CPU: [100.0, 110.0, 92.0, 118.0, 88.0, 104.0, 97.0, 125.0]}
STRAYS = {CPU: [100.0, 100.5, 99.5, 101.0, 99.0, 100.2, 99.8, 200.0]}


def test_equal_servers_are_not_told_apart() -> None:
    assert told_share(QUIET, CPU, 7, 0.0) == told_share(NOISY, CPU, 7, 0.0) == 0.0


def test_least_difference_is_that_of_the_measure_on_a_quiet_machine_and_grows_with_the_noise() -> None:
    quiet, noisy = (least_difference(rounds, CPU, 7) for rounds in (QUIET, NOISY))

    assert quiet == 0.1  # Less than 5 % of CPU time never count, and of 5 % not all tries say so.
    assert noisy is not None
    assert noisy > 2 * quiet


def test_difference_that_no_number_of_rounds_shows_is_none() -> None:
    assert least_difference({CPU: [1.0, 10.0, 100.0, 1000.0]}, CPU, 7) is None


def test_quiet_machine_needs_few_rounds_and_strays_need_six() -> None:
    assert fewest_rounds(QUIET, (3, 4, 5, 6, 7)) == 3
    assert fewest_rounds(STRAYS, (3, 4, 5, 6, 7)) == 6  # From six on, one of the rounds may be a stray.


def test_no_rounds_are_too_few_that_find_differences_where_there_are_none() -> None:
    assert fewest_rounds({CPU: [100.0, 130.0] * 4 + [101.0, 131.0, 99.0, 129.0]}, (2, 7)) == 7


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        ({"user": 1.0, "idle": 8.0, "steal": 1.0}, {"user": 3.0, "idle": 14.0, "steal": 3.0}, 0.2),
        ({"user": 1.0, "idle": 8.0}, {"user": 3.0, "idle": 14.0}, None),
        ({"user": 1.0, "steal": 0.0}, {"user": 1.0, "steal": 0.0}, None),
    ],
)
def test_stolen_time_is_a_share_of_the_time_of_all_cores(
    before: dict[str, float], after: dict[str, float], share: float | None
) -> None:
    assert noise.stolen_share(before, after) == share


FOUND = Noise("2026-11-25T21:00:00Z", {}, QUIET, 0, 0.0, Late(0.1, 0.2, 0.3), {CPU: 0.1}, 4)


def test_noise_of_another_machine_does_not_count(tmp_path: Path) -> None:
    here = replace(FOUND, machine=machine.describe(Host()))
    assert noise.read(tmp_path, Host()) is None

    for found, read in ((here, here), (FOUND, None)):
        write_json(tmp_path / noise.NOISE_JSON, asdict(found))
        assert noise.read(tmp_path, Host()) == read
    (tmp_path / noise.NOISE_JSON).write_text('{"rounds": ')
    assert noise.read(tmp_path, Host()) is None


def test_noise_that_was_measured_before_speeds_were_still_counts(tmp_path: Path) -> None:
    here = replace(FOUND, machine=machine.describe(Host()))
    earlier = asdict(here)
    del earlier["speed"]
    write_json(tmp_path / noise.NOISE_JSON, earlier)

    assert noise.read(tmp_path, Host()) == here


def test_speed_tells_a_drift_from_loops_that_are_slow_now_and_then() -> None:
    steady = speed_of([10.0] * 30, [])
    drifting = speed_of([10.0] * 15 + [8.0] * 15, [2000.0, 3000.0, 2500.0])
    straying = speed_of(([10.0] * 4 + [15.0]) * 6, [2000.0])

    assert steady == Speed(30, 10.0, 0.0, 0.0, None)
    assert drifting is not None
    assert straying is not None
    assert drifting.drift_share == pytest.approx(0.22, abs=0.01)
    assert drifting.mhz == (2000.0, 3000.0)
    assert straying.drift_share == 0.0
    assert straying.spread_share == pytest.approx(0.5)
    assert speed_of([10.0] * 11, []) is None


def test_frequency_is_that_of_each_processor() -> None:
    cpuinfo = "processor\t: 0\ncpu MHz\t\t: 2249.998\ncache size\t: 512 KB\nprocessor\t: 1\ncpu MHz\t\t: 3300.5\n"

    assert mhz_of(cpuinfo) == [2249.998, 3300.5]
    assert mhz_of("processor : 0\nBogoMIPS : 50.00\n") == []


def test_loop_takes_processor_time_of_its_thread() -> None:
    begun_s = time.thread_time()
    took_ms = timed_loop_ms()

    assert 0 < took_ms <= (time.thread_time() - begun_s) * 1000


def test_speedometer_times_the_loop_as_long_as_its_block_lasts(tmp_path: Path) -> None:
    timed = threading.Semaphore(0)

    def loop_ms() -> float:
        timed.release()
        return 2.0

    cpuinfo = tmp_path / "root/proc/cpuinfo"
    cpuinfo.parent.mkdir(parents=True)
    cpuinfo.write_text("cpu MHz : 2000.000\n")
    with Speedometer(make_host(tmp_path), 0.001, loop_ms) as speedometer:
        for _ in range(LOOPS_MIN):
            assert timed.acquire(timeout=WITHIN_S)

    speed = speedometer.speed
    assert speed is not None
    assert (speed.loop_ms, speed.mhz) == (2.0, (2000.0, 2000.0))
    assert speed.loops >= LOOPS_MIN


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadBench:
    return LoadBench(tmp_path).enter(monkeypatch)


def test_doctor_measures_one_server_in_turn_and_compare_uses_what_it_found(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["doctor", "--noise"], bench.project.root) == 0, capsys.readouterr().err

    told = capsys.readouterr().out
    assert "p99, ms" in told
    assert "compare measures 3 rounds of each server" in told
    found = json.loads((bench.project.root / "runs" / "noise.json").read_text())
    assert "speed" in found
    assert found["rounds"] == {"p50_ms": [0.698] * 8, "p99_ms": [1.5] * 8}
    assert found["told_apart"] == {"p50_ms": 0.3, "p99_ms": 0.5}  # 0.2 ms of p50 and 0.5 ms of p99 never count.
    assert sorted(each.name for each in bench.latest.iterdir() if each.is_dir()) == [
        f"{side}-{n}" for side in "ab" for n in range(1, 5)
    ]

    assert cli.main(["compare", "1", "1", "--port", str(free_ports())], bench.project.root) == 0
    assert json.loads((bench.latest / "comparison.json").read_text())["rounds"] == 3


@pytest.mark.parametrize(
    ("mhz", "told"),
    [
        ((2250.0, 3300.4), "are within 8.0%. Linux reports 2250 to 3300 MHz."),
        ((2250.1, 2250.4), "are within 8.0%. Linux reports 2250 MHz all the time."),
        (None, "are within 8.0%.\n"),
    ],
)
def test_doctor_tells_whether_the_processors_keep_their_speed(
    bench: LoadBench,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mhz: tuple[float, float] | None,
    told: str,
) -> None:
    monkeypatch.setattr(noise, "measure", lambda _: replace(FOUND, speed=Speed(120, 4.04, 0.08, 0.03, mhz)))

    assert cli.main(["doctor", "--noise"], bench.project.root) == 0

    said = capsys.readouterr().out
    assert "A fixed loop takes 4.0 ms of processor time. Its median drifted by 3.0%, and nine of ten loops" in said
    assert told in said
