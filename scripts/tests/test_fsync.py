from __future__ import annotations

import contextlib
import socket
import subprocess
from argparse import Namespace
from pathlib import Path

import fsync
import pytest
from cluster import Facts
from fsync import HALF, REDIS, SATURATED

CSV = '"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms"\n"SET","8375.21","7.603","0.952","7.447"\n'


def saturated(side: str, number: int, rate_per_s: float) -> Facts:
    what: Facts = {"side": side, "load": SATURATED, "round": number, "rate_per_s": rate_per_s}
    return {**what, "connections": 64, "seconds": 8, "warmup_s": 15, "server": "a server", "tool": "a tool"}


def half(side: str, number: int, p99_ms: float, sync_ms: float) -> Facts:
    found: Facts = {"load": HALF, "asked_per_s": 5_000, "p99_ms": p99_ms, "sync_ms": sync_ms, "sync_p99_ms": 3.0}
    return {**saturated(side, number, 4_990), **found}


def test_rates_are_compared_with_those_of_the_same_round() -> None:
    rates = {"stage 1, os": (20_000, 40_000), "stage 1, fsync": (10_000, 10_000), REDIS: (8_000, 5_000)}
    runs = [saturated(side, number + 1, of[number]) for number in (0, 1) for side, of in rates.items()]

    text = "\n".join(fsync.tables(runs))

    assert "`PUT` of 128 bytes on 64 connections" in text
    assert "Medians of 2 rounds" in text
    assert "| stage 1, os | 30,000 (20,000 to 40,000) |  |  |" in text
    assert "| stage 1, fsync | 10,000 (10,000 to 10,000) | 0.38 (0.25 to 0.50) | 1.62 (1.25 to 2.00) |" in text
    assert f"| {REDIS} | 6,500 (5,000 to 8,000) |  |  |" in text
    assert "stage 2" not in text
    assert text.count("| `a server` | `a tool` | saturated |") == 3


def test_report_without_redis_says_so() -> None:
    text = "\n".join(fsync.tables([saturated("stage 2, os", 1, 20_000), saturated("stage 2, fsync", 1, 10_000)]))

    assert "Redis is missing" in text
    assert "| stage 2, fsync | 10,000 | 0.50 |  |" in text


def test_latency_at_half_of_the_rate_is_counted_in_syncs_of_the_same_round() -> None:
    side = "stage 5, three nodes, fsync"
    runs = [saturated(side, 1, 10_000), half(side, 1, 4.0, 2.0), half(side, 2, 9.0, 3.0)]

    text = "\n".join(fsync.tables(runs))

    first = f"| {side} | 5,000 (5,000 to 5,000) | 4,990 (4,990 to 4,990) | 6.50 (4.00 to 9.00)"
    assert f"{first} | 2.50 (2.00 to 3.00) | 3.00 (3.00 to 3.00) | 2.50 (2.00 to 3.00) |" in text


def test_latency_without_a_sync_stands_beside_it() -> None:
    at_half = {**saturated("stage 1, os", 1, 4_990), "load": HALF, "asked_per_s": 5_000, "p99_ms": 3.5}

    text = "\n".join(fsync.tables([saturated("stage 1, os", 1, 10_000), at_half]))

    assert "| stage 1, os | 5,000 | 4,990 | 3.50 |  |  |  |" in text


def test_rate_of_redis_is_read_and_one_that_is_not_there_ends_the_measurement() -> None:
    assert fsync.redis_rate_per_s(CSV) == 8375.21
    for text in ("", "WARNING: could not fetch server CONFIG\n"):
        with pytest.raises(SystemExit, match="redis-benchmark does not say its rate"):
            fsync.redis_rate_per_s(text)


def test_syncs_are_of_a_file_that_goes_away(tmp_path: Path) -> None:
    assert all(took > 0 for took in fsync.syncs_ms(tmp_path, 5))
    assert len(fsync.syncs_ms(tmp_path, 5)) == 5
    assert list(tmp_path.iterdir()) == []


def test_syncs_have_a_median_and_a_percentile() -> None:
    assert fsync.sync_facts([*[1.0] * 50, *[2.0] * 48, 5.0, 9.0]) == {"syncs": 100, "sync_ms": 1.5, "sync_p99_ms": 9.0}


def test_folder_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fsync, "said_by", lambda *_: "Type\ntmpfs\n")
    with pytest.raises(SystemExit, match="where a sync costs nothing"):
        fsync.file_system_of(tmp_path)

    monkeypatch.setattr(fsync, "said_by", lambda *_: "Type\next4\n")
    assert fsync.file_system_of(tmp_path) == "ext4"


def test_redis_syncs_on_the_disk_that_was_named_and_is_ended(tmp_path: Path) -> None:
    redis = fsync.Redis.found()
    if not redis:
        pytest.skip("redis-server or redis-benchmark is not on PATH")
    with redis.running(tmp_path) as port:
        subprocess.run(redis.load(port, 4, 200), check=True, stdout=subprocess.DEVNULL)
        stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*.aof"))
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"CONFIG GET appendfsync\r\n")
            said = connection.recv(1024)

    assert stored.count(b"key:") == 200
    assert b"always" in said
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_redis_is_asked_for_as_long_as_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[str] = []

    def said_by(command: list[str], _: Path | None) -> str:
        counts.append(command[command.index("-n") + 1])
        return CSV.replace("8375.21", "20000")

    monkeypatch.setattr(fsync, "said_by", said_by)
    monkeypatch.setattr(fsync.Redis, "running", lambda *_: contextlib.nullcontext(6379))

    found = fsync.measure_redis(
        fsync.Redis("server", "benchmark"), Namespace(disk=tmp_path, warmup=2, seconds=3, connections=64)
    )

    assert counts == [str(fsync.FIRST_REQUESTS), "40000", "60000"]
    [(load, _, facts)] = found
    assert (load, facts["rate_per_s"]) == (SATURATED, 20_000)
    assert str(facts["tool"]).startswith("redis-benchmark -t set -c 64 -d 128 ")
