"""The scripts for wrk2: with a Lua interpreter alone, and with wrk2 where WRK2 names it."""

from __future__ import annotations

import collections
import contextlib
import os
import re
import shutil
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts/load"
PROBE = Path(__file__).with_name("load_probe.lua")
REQUESTS = ROOT / "benchmarks/src/test/resources/dht/benchmarks/load/requests.txt"
NAMES = (
    "KEYS",
    "KEY_NUMBERS",
    "VALUE_BYTES",
    "DISTRIBUTION",
    "SEED",
    "READ_SHARE",
    "RANGE_LENGTH",
    "MISSES",
    "REPLICAS",
    "THREADS",
    "STATUSES",
    "SPREAD",
    "PART",
    "RECORD",
)

LUA = next((found for name in ("luajit", "lua5.1") if (found := shutil.which(name))), None)
WRK2 = os.environ.get("WRK2")

needs_lua = pytest.mark.skipif(LUA is None, reason="neither luajit nor lua5.1 is installed")
needs_wrk2 = pytest.mark.skipif(not WRK2, reason="WRK2 is not set")


def environment(**settings: object) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if name not in NAMES}
    return clean | {name: str(value) for name, value in settings.items()}


def probe(workload: str, threads: int, requests: int, **settings: object) -> list[list[str]]:
    """Thread, method and target, and body of each request."""
    assert LUA
    done = subprocess.run(
        [LUA, PROBE, SCRIPTS / f"{workload}.lua", str(threads), str(requests)],
        env=environment(THREADS=threads, **settings),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [line.split("\t") for line in done.stdout.splitlines() if not line.startswith("Workload: ")]


def key_number(target: str) -> int:
    match = re.search(r"key(\d{9})", target)
    assert match
    return int(match[1])


@needs_lua
@pytest.mark.parametrize("distribution", ["uniform", "zipfian", "latest"])
@pytest.mark.parametrize(("threads", "keys"), [(1, 10), (4, 10), (3, 31), (7, 70)])
def test_put_of_several_threads_has_distinct_keys_that_cover_the_space(
    distribution: str, threads: int, keys: int
) -> None:
    seen: dict[int, set[int]] = collections.defaultdict(set)
    for thread, target, _ in probe("put", threads, 3000, KEYS=keys, DISTRIBUTION=distribution):
        seen[int(thread)].add(key_number(target))

    assert sum(map(len, seen.values())) == keys, "two threads share a key, or one is missing"
    assert set.union(*seen.values()) == set(range(keys))
    assert all(number % threads == thread for thread, numbers in seen.items() for number in numbers)


@needs_lua
def test_parts_of_a_load_have_distinct_keys_that_cover_the_space() -> None:
    seen: dict[int, set[int]] = collections.defaultdict(set)
    for part in ("1/3", "2/3", "3/3"):
        for thread, target, _ in probe("put", 2, 1000, KEYS=31, PART=part):
            seen[int(thread)].add(key_number(target))

    assert sorted(seen) == [0, 1, 2, 3, 4, 5]
    assert sum(map(len, seen.values())) == 31
    assert all(number % 6 == thread for thread, numbers in seen.items() for number in numbers)


@needs_lua
def test_latencies_of_a_histogram_are_recorded_with_their_counts(tmp_path: Path) -> None:
    assert LUA
    file = tmp_path / "recorded.csv"
    code = f'dofile("{SCRIPTS}/workload.lua").record({{100, 100, 100, 250, 900, 904, 905}}, "{file}")'
    subprocess.run([LUA, "-e", code], check=True, timeout=60)

    assert file.read_text().splitlines() == [
        "latency,valueMicros,count,totalCount,percentile",
        "recorded,100,3,3,42.857143",
        "recorded,250,1,4,57.142857",
        "recorded,904,2,6,85.714286",
        "recorded,905,1,7,100.000000",
    ]


@needs_lua
@pytest.mark.parametrize("workload", ["put", "get", "range"])
def test_requests_for_listed_keys_ask_for_those_of_their_thread(workload: str, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("3\n17\n99\n500\n1000\n")
    seen: dict[str, set[int]] = collections.defaultdict(set)
    for thread, target, _ in probe(workload, 2, 100, KEY_NUMBERS=keys):
        seen[thread].add(key_number(target))

    assert seen == {"0": {3, 99, 1000}, "1": {17, 500}}


@needs_lua
@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("1\n", "lists 1 keys for 2 threads"),
        ("1\nx\n3\n", "line 2 is not a number below 90000000"),
        ("1\n2\n90000000\n", "line 3 is not a number below 90000000"),
        (None, "cannot be read"),
    ],
)
def test_key_numbers_that_are_none_are_refused(content: str | None, complaint: str, tmp_path: Path) -> None:
    assert LUA
    keys = tmp_path / "keys"
    if content is not None:
        keys.write_text(content)
    done = subprocess.run(
        [LUA, PROBE, SCRIPTS / "get.lua", "2", "1"],
        env=environment(THREADS=2, KEY_NUMBERS=keys),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2
    assert done.stderr.startswith(f"workload: KEY_NUMBERS={keys}")
    assert complaint in done.stderr


@needs_lua
def test_requests_of_a_seed_are_those_of_the_generator() -> None:
    lines = []
    settings = {"KEYS": 1000, "VALUE_BYTES": 8, "SEED": 7, "READ_SHARE": 0.5, "RANGE_LENGTH": 20, "MISSES": 0.2}
    for distribution in ("uniform", "zipfian", "latest"):
        for workload in ("put", "get", "mixed", "range"):
            for thread, target, body in probe(workload, 3, 8, DISTRIBUTION=distribution, **settings):
                lines.append(" ".join(filter(None, (distribution, workload, thread, target, body))))

    assert lines == REQUESTS.read_text().splitlines()


@needs_lua
def test_replicas_are_asked_for_in_requests_for_one_key() -> None:
    targets = [target for _, target, _ in probe("mixed", 1, 20, KEYS=10, MISSES=0.5, REPLICAS="2/3")]

    assert all(re.search(r"\?id=key\d{9}x?&replicas=2/3$", target) for target in targets), targets
    assert all("replicas" not in target for _, target, _ in probe("range", 1, 5, KEYS=200, REPLICAS="2/3"))


@needs_lua
@pytest.mark.parametrize("value_bytes", [0, 1, 128, 1024, 1025, 100_000])
def test_values_have_their_length(value_bytes: int) -> None:
    bodies = {body for _, _, body in probe("put", 1, 20, KEYS=10, VALUE_BYTES=value_bytes)}

    assert {len(body) for body in bodies} == {value_bytes}
    assert len(bodies) == 1 if value_bytes == 0 else len(bodies) > 5


@needs_lua
@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("KEYS", "0", "KEYS=0 is not a number from 2 to 90000000"),
        ("KEYS", "many", "KEYS=many is not a number"),
        ("REPLICAS", "two of three", "REPLICAS=two of three is not ACK/FROM, such as 2/3"),
        ("VALUE_BYTES", "16777217", "is not a number from 0 to 16777216"),
        ("DISTRIBUTION", "normal", "DISTRIBUTION=normal is none of [uniform, zipfian, latest]"),
        ("READ_SHARE", "1.5", "READ_SHARE=1.5 is not a share from 0 to 1"),
        ("RANGE_LENGTH", "100001", "is not a number from 1 to 100000"),
        ("SPREAD", "http://a:1,b:2", "URL 'b:2' of SPREAD is not such as http://127.0.0.1:8080"),
        ("SPREAD", "http://a,http://b,http://c", "threads=2 must be a multiple of the 3 servers in SPREAD"),
        ("THREADS", "1", "there are more threads than THREADS=1"),
        ("PART", "4/3", "PART=4/3 is not NUMBER/COUNT, such as 2/3"),
        ("PART", "all", "PART=all is not NUMBER/COUNT, such as 2/3"),
    ],
)
def test_settings_out_of_bounds_are_refused_by_name(name: str, value: str, complaint: str) -> None:
    assert LUA
    done = subprocess.run(
        [LUA, PROBE, SCRIPTS / "mixed.lua", "2", "1"],
        env=environment(**{"THREADS": 2, name: value}),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2
    assert done.stderr.startswith("workload: ")
    assert complaint in done.stderr


@needs_lua
@pytest.mark.parametrize(
    ("words", "threads"),
    [
        (["wrk", "-t", "4", "-c64"], 4),
        (["wrk", "-t4", "-c64"], 4),
        (["wrk", "-Lt4", "-c64"], 4),
        (["wrk", "--threads", "4"], 4),
        (["wrk", "--threads=4"], 4),
        (["wrk", "-c64", "-d60s"], 2),
    ],
)
def test_number_of_threads_is_read_from_the_command_line(words: list[str], threads: int) -> None:
    assert LUA
    line = "\\000".join(words)
    code = f'print(dofile("{SCRIPTS}/workload.lua").threads_of("{line}"))'
    done = subprocess.run([LUA, "-e", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == str(threads)


class Recorder(socketserver.ThreadingTCPServer):
    """Answers 200 to everything, and keeps what each connection asked for."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        self.targets: dict[object, list[str]] = collections.defaultdict(list)
        self.hosts: set[str] = set()
        super().__init__(("127.0.0.1", 0), Recording)


class Recording(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, Recorder)
        while line := self.rfile.readline():
            length = 0
            while header := self.rfile.readline().strip():
                name, value = header.split(b": ")
                length = int(value) if name.lower() == b"content-length" else length
                if name.lower() == b"host":
                    self.server.hosts.add(value.decode())
            self.rfile.read(length)
            self.server.targets[self.client_address].append(line.decode().split()[1])
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


@contextlib.contextmanager
def recording() -> Iterator[Recorder]:
    with Recorder() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with recording() as server:
        yield server


@needs_wrk2
def test_wrk2_with_several_threads_sends_distinct_keys_that_cover_the_space(recorder: Recorder) -> None:
    assert WRK2
    url = f"http://127.0.0.1:{recorder.server_address[1]}"
    done = subprocess.run(
        [WRK2, "-t4", "-c8", "-d3s", "-R800", "-s", SCRIPTS / "put.lua", url],
        env=environment(KEYS=40),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    owners: dict[int, set[int]] = collections.defaultdict(set)
    for targets in recorder.targets.values():
        numbers = {key_number(target) for target in targets}
        assert len({number % 4 for number in numbers}) == 1, "a connection sends keys of more than one thread"
        owners[numbers.pop() % 4] |= {key_number(target) for target in targets}
    assert sorted(owners) == [0, 1, 2, 3]
    assert set.union(*owners.values()) == set(range(40))
    assert done.stdout.startswith("Workload: put KEYS=40 VALUE_BYTES=128 DISTRIBUTION=uniform SEED=42 ")
    assert not done.stderr


@needs_wrk2
def test_wrk2_spreads_its_threads_over_servers(recorder: Recorder) -> None:
    assert WRK2
    with recording() as other:
        urls = [f"http://127.0.0.1:{each.server_address[1]}" for each in (recorder, other)]
        subprocess.run(
            [WRK2, "-t4", "-c8", "-d3s", "-R800", "-s", SCRIPTS / "put.lua", urls[0]],
            env=environment(KEYS=40, SPREAD=",".join(urls)),
            check=True,
            timeout=60,
        )

    for server, threads in ((recorder, {0, 2}), (other, {1, 3})):
        numbers = {key_number(target) for targets in server.targets.values() for target in targets}
        assert {number % 4 for number in numbers} == threads
        assert server.hosts == {f"127.0.0.1:{server.server_address[1]}"}


@needs_wrk2
def test_wrk2_records_as_many_latencies_as_it_counts(recorder: Recorder, tmp_path: Path) -> None:
    assert WRK2
    url, file = f"http://127.0.0.1:{recorder.server_address[1]}", tmp_path / "recorded.csv"
    done = subprocess.run(
        [WRK2, "-t2", "-c4", "-d2s", "-R200", "-L", "-s", SCRIPTS / "put.lua", url],
        env=environment(RECORD=file),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    counted = re.search(r"Total count\s+=\s+(\d+)", done.stdout)
    assert counted
    assert sum(int(line.split(",")[2]) for line in file.read_text().splitlines()[1:]) == int(counted[1])


@needs_wrk2
def test_wrk2_counts_statuses_and_hits_where_asked_to(recorder: Recorder) -> None:
    assert WRK2
    url = f"http://127.0.0.1:{recorder.server_address[1]}"
    done = subprocess.run(
        [WRK2, "-t2", "-c4", "-d2s", "-R200", "-s", SCRIPTS / "get.lua", url],
        env=environment(MISSES=0.5),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert re.search(r"^Statuses: 200=\d+$", done.stdout, re.MULTILINE)
    assert re.search(r"^Misses asked: [1-9]\d*$", done.stdout, re.MULTILINE)
    assert re.search(r"^Hit ratio: 1\.0000 \((\d+) of \1 GETs\)$", done.stdout, re.MULTILINE)
