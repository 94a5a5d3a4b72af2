"""What a sync before each answer costs: PUTs with it beside PUTs without, beside Redis, and on three nodes.

    fsync.py [--wrk2 WRK2] [--java JAVA] [--disk FOLDER] [--rounds N] [--connections C] [--seconds S] [--warmup S]
    fsync.py --summary

In each round, each side starts on an empty directory and is asked for more than it can do: stages 1 and 2 with
`--durability os` and with `fsync`, Redis with `appendfsync always`, three nodes of stages 4 and 5 with `fsync` and
quorum 2/3. Each stage is then asked for half of the rate that it has just reached, and where it syncs, this script
measures after that how long the disk needs for one sync. If redis-server or redis-benchmark is not on PATH, Redis is
left out. Leaves docs/reports/fsync/; `--summary` makes the tables anew. Needs the jars that `mvn package` makes, Linux,
and a folder on a disk.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import re
import shlex
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cluster import (
    KEYS,
    NODES,
    ROOT,
    STOP_WITHIN_S,
    VALUE_BYTES,
    Facts,
    Report,
    Tools,
    await_ready,
    cluster_of,
    figures,
    number_of,
    parser_of,
    percentile_ms,
    rounds_of,
    said_by,
    table,
    tools_of,
    with_range,
)

from workbook.host import free_ports
from workbook.measure.workload import SATURATING_PER_S

OS, FSYNC = "os", "fsync"
SATURATED, HALF = "saturated", "half"
WORKLOAD = "put"

REDIS_OPTIONS = ("--appendonly", "yes", "--appendfsync", "always", "--save", "", "--auto-aof-rewrite-percentage", "0")
"""Neither snapshots nor a rewrite of its log: they would compete for the disk."""
FIRST_REQUESTS = 5_000
"""Of redis-benchmark, which takes a count and no duration: so many show how many it needs."""

SYNCS = 1_000
SYNCS_LAST_S_MAX = 5.0
BLOCK = bytes(4096)
WITHOUT_DISK = ("tmpfs", "ramfs")
REPORT = Report("fsync")


@dataclass(frozen=True)
class Stage:
    """So many nodes of a stage."""

    module: str
    durability: str
    nodes: int = 1

    @property
    def jar(self) -> Path:
        return ROOT / self.module / "target" / f"{self.module}.jar"

    @property
    def options(self) -> tuple[str, ...]:
        return ("--durability", self.durability)


STAGES = {
    "stage 1, os": Stage("stage1-storage", OS),
    "stage 1, fsync": Stage("stage1-storage", FSYNC),
    "stage 2, os": Stage("stage2-async", OS),
    "stage 2, fsync": Stage("stage2-async", FSYNC),
    "stage 4, three nodes, fsync": Stage("stage4-replication", FSYNC, NODES),
    "stage 5, three nodes, fsync": Stage("stage5-async-client", FSYNC, NODES),
}
REDIS = "Redis, appendfsync always"
SIDES = (*list(STAGES)[:4], REDIS, *list(STAGES)[4:])
WITHOUT_SYNC = {"stage 1, fsync": "stage 1, os", "stage 2, fsync": "stage 2, os"}

Found = list[tuple[str, str, Facts]]
"""Of each run: which load it had, what the load tool said, and its figures."""


@dataclass(frozen=True)
class Redis:
    """Its two programs."""

    server: str
    benchmark: str

    @staticmethod
    def found() -> Redis | None:
        server, benchmark = (shutil.which(name) for name in ("redis-server", "redis-benchmark"))
        return Redis(server, benchmark) if server and benchmark else None

    @property
    def version(self) -> str:
        said = re.search(r"v=(\S+)", said_by([self.server, "--version"], None))
        return said[1] if said else "unknown"

    @contextlib.contextmanager
    def running(self, disk: Path) -> Iterator[int]:
        """Its port, when it accepts connections."""
        with tempfile.TemporaryDirectory(prefix="redis-", dir=disk) as folder:
            port = free_ports(1)[0]
            where = ["--port", str(port), "--bind", "127.0.0.1", "--dir", folder]
            log = Path(folder) / "redis.log"
            with log.open("wb") as file:
                server = subprocess.Popen([self.server, *where, *REDIS_OPTIONS], stdout=file, stderr=file)
            try:
                await_ready(partial(accepts, server, port, log), "redis-server")
                yield port
            finally:
                server.terminate()
                server.wait(STOP_WITHIN_S)

    def load(self, port: int, connections: int, requests: int) -> list[str]:
        what = ["-t", "set", "-c", str(connections), "-d", str(VALUE_BYTES), "-r", str(KEYS), "-n", str(requests)]
        return [self.benchmark, "-p", str(port), *what, "--csv"]


def accepts(server: subprocess.Popen[bytes], port: int, log: Path) -> bool:
    if server.poll() is not None:
        raise SystemExit(f"redis-server has ended: {log.read_text().strip() or 'it says nothing'}")
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def redis_rate_per_s(text: str) -> float:
    """What redis-benchmark has counted, as CSV."""
    try:
        return float(next(csv.DictReader(text.splitlines()))["rps"])
    except (StopIteration, KeyError) as problem:
        raise SystemExit(f"redis-benchmark does not say its rate: {text.strip() or 'it says nothing'}") from problem


def measure_redis(redis: Redis, arguments: argparse.Namespace) -> Found:
    with redis.running(arguments.disk) as port:
        requests = FIRST_REQUESTS
        for seconds in (arguments.warmup, arguments.seconds):
            first = redis_rate_per_s(said_by(redis.load(port, arguments.connections, requests), None))
            requests = max(FIRST_REQUESTS, round(first * seconds))
        command = redis.load(port, arguments.connections, requests)
        text = said_by(command, None)
    shown = ["redis-benchmark", *command[3:]]
    facts: Facts = {"server": shlex.join(["redis-server", *REDIS_OPTIONS]), "tool": shlex.join(shown)}
    return [(SATURATED, text, {**facts, "rate_per_s": redis_rate_per_s(text)})]


def measure_stage(name: str, tools: Tools, arguments: argparse.Namespace) -> Found:
    """A saturated run, and one at half of its rate; where it syncs, also how long syncs take without any load."""
    stage = STAGES[name]
    with cluster_of(replace(tools, jar=stage.jar, options=stage.options, nodes=stage.nodes)) as cluster:
        ask = partial(asked, cluster.urls[0], tools, arguments)
        ask(SATURATING_PER_S, arguments.warmup)
        text, saturated = ask(SATURATING_PER_S, arguments.seconds)
        server: Facts = {"server": shlex.join([stage.jar.name, *stage.options]), "nodes": stage.nodes}
        found: Found = [(SATURATED, text, {**server, **saturated})]
        text, half = ask(round(number_of(saturated["rate_per_s"]) / 2), arguments.seconds)
        syncs = sync_facts(syncs_ms(arguments.disk)) if stage.durability == FSYNC else {}
        found.append((HALF, text, {**server, **half, **syncs}))
    return found


def asked(url: str, tools: Tools, arguments: argparse.Namespace, rate: int, seconds: int) -> tuple[str, Facts]:
    text = said_by(tools.load(url, WORKLOAD, rate, arguments.connections, seconds), None)
    report = figures(text, f"{WORKLOAD} at {rate:,}/s")
    words = f"{tools.name} -t1 -c{arguments.connections} -d{seconds}s -R{rate} -s {WORKLOAD}"
    found: Facts = {"rate_per_s": report.rate_per_s or 0.0, "p99_ms": percentile_ms(report, 0.99)}
    return text, {"tool": words, "asked_per_s": rate, **found}


def syncs_ms(disk: Path, count: int = SYNCS) -> list[float]:
    """How long each sync took, after 4 KiB were appended to a file. Fewer than `count` on a slow disk."""
    took: list[float] = []
    with tempfile.NamedTemporaryFile(prefix="syncs-", dir=disk, buffering=0) as file:
        begun = time.perf_counter()
        while len(took) < count and time.perf_counter() - begun < SYNCS_LAST_S_MAX:
            file.write(BLOCK)
            before = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(1e3 * (time.perf_counter() - before))
    return took


def sync_facts(took_ms: list[float]) -> Facts:
    ordered = sorted(took_ms)
    p99 = ordered[min(int(0.99 * len(ordered)), len(ordered) - 1)]
    return {"syncs": len(ordered), "sync_ms": round(statistics.median(ordered), 3), "sync_p99_ms": round(p99, 3)}


def file_system_of(folder: Path) -> str:
    """Its kind; it must be on a disk."""
    said = said_by(["df", "--output=fstype", str(folder)], None).split()[-1]
    if said in WITHOUT_DISK:
        raise SystemExit(
            f"{folder} is in memory ({said}), where a sync costs nothing: name a folder on a disk by --disk"
        )
    return said


def run(arguments: argparse.Namespace) -> None:
    arguments.disk.mkdir(parents=True, exist_ok=True)
    file_system = file_system_of(arguments.disk)
    tools = replace(tools_of(arguments), disk=arguments.disk)
    redis = Redis.found()
    if not redis:
        print("Redis is left out: redis-server or redis-benchmark is not on PATH", flush=True)
    version = redis.version if redis else "not measured: redis-server or redis-benchmark was not there"
    REPORT.begin(tools, {"file system": file_system, "nodes": f"1; stages 4 and 5: {NODES}", "Redis": version})
    sides = [side for side in SIDES if redis or side != REDIS]
    for number in range(1, arguments.rounds + 1):
        for side in sides if number % 2 else reversed(sides):
            if redis and side == REDIS:
                found = measure_redis(redis, arguments)
            else:
                found = measure_stage(side, tools, arguments)
            for load, text, facts in found:
                what: Facts = {"side": side, "load": load, "round": number, "connections": arguments.connections}
                lasts: Facts = {"seconds": arguments.seconds, "warmup_s": arguments.warmup}
                slug = re.sub("[^a-z0-9]+", "-", side.lower())
                REPORT.keep(f"{slug}-{load}-{number}", text, {**what, **lasts, **facts})
                print(f"{side}, {load} {number}: {facts}", flush=True)


def tables(runs: list[Facts]) -> list[str]:
    first = runs[0]
    sides = [side for side in SIDES if any(run["side"] == side for run in runs)]
    ranges = f"{rounds_of(runs)}, in brackets the least and the greatest. Each ratio is one of the same round."
    without_redis = "" if REDIS in sides else " Redis is missing: it was not installed."
    return [
        "## Rates with a sync",
        f"`PUT` of {VALUE_BYTES} bytes on {first['connections']} connections, as fast as each server answers, for"
        f" {first['seconds']} s after a warm-up of {first['warmup_s']} s. All servers store on the same disk. {ranges}"
        f"{without_redis}",
        table(
            "| | requests/s | of the rate with `os` | of the rate of Redis |", [rate_row(runs, side) for side in sides]
        ),
        "## Latency beside one sync",
        f"The same load at half of each rate, for {first['seconds']} s. One sync: `fdatasync` after 4 KiB were appended"
        f" to a file on the same disk, without any load. With `os` no request waits for a sync. {ranges}",
        table(
            "| | asked, requests/s | answered | p99, ms | one sync: median, ms | p99 | p99 of `PUT` / median sync |",
            [half_row(runs, side) for side in sides if by_round(runs, side, HALF, "p99_ms")],
        ),
        "## Commands",
        table("| | server | load tool | |", [command_row(run) for run in runs if run["round"] == first["round"]]),
    ]


def rate_row(runs: list[Facts], side: str) -> str:
    rates, of_redis = (by_round(runs, each, SATURATED, "rate_per_s") for each in (side, REDIS))
    of_os = by_round(runs, WITHOUT_SYNC.get(side, ""), SATURATED, "rate_per_s")
    syncs = side not in WITHOUT_SYNC.values() and side != REDIS
    cells = [with_range(list(rates.values()), ",.0f"), ratio_cell(rates, of_os)]
    cells.append(ratio_cell(rates, of_redis) if syncs else "")
    return "| " + " | ".join([side, *cells]) + " |"


def half_row(runs: list[Facts], side: str) -> str:
    shown = {"asked_per_s": ",.0f", "rate_per_s": ",.0f", "p99_ms": ".2f", "sync_ms": ".2f", "sync_p99_ms": ".2f"}
    found = {what: by_round(runs, side, HALF, what) for what in shown}
    cells = [with_range([*found[what].values()], form) if found[what] else "" for what, form in shown.items()]
    return "| " + " | ".join([side, *cells, ratio_cell(found["p99_ms"], found["sync_ms"])]) + " |"


def command_row(run: Facts) -> str:
    return f"| {run['side']} | `{run['server']}` | `{run['tool']}` | {run['load']} |"


def ratio_cell(over: dict[float, float], under: dict[float, float]) -> str:
    """Of figures of the same round."""
    ratios = [over[number] / under[number] for number in over if number in under]
    return with_range(ratios, ".2f") if ratios else ""


def by_round(runs: list[Facts], side: str, load: str, what: str) -> dict[float, float]:
    mine = [run for run in runs if (run["side"], run["load"]) == (side, load) and what in run]
    return {number_of(run["round"]): number_of(run[what]) for run in mine}


def main(words: list[str]) -> None:
    parser = parser_of(__doc__, rounds=5, connections=64, seconds=8, warmup=15)
    parser.add_argument("--disk", type=Path, default=ROOT / "target", help="where all servers store (default: target/)")
    arguments = parser.parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("What a sync before each answer costs", "fsync.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
