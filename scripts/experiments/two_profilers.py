"""The JVM's own profiler beside async-profiler: both record the same runs of one server. Do they see the same methods?

    two_profilers.py [--wrk2 WRK2] [--java JAVA] [--rounds N] [--rate R] [--connections C] [--seconds S]
    two_profilers.py --summary

One node of stage 1, filled and warm, is asked at a constant rate. async-profiler and the JVM's flight recorder, with
samples of processor time, record it at the same time. Leaves docs/reports/two-profilers/; `--summary` makes the tables
anew. Needs the jars that `mvn package` makes, the Python packages in .venv, and Linux.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from cluster import (
    BENCHMARKS,
    ROOT,
    Facts,
    Report,
    Tools,
    counts_in,
    environment,
    figures,
    parser_of,
    request_count,
    said_by,
    table,
    tools_of,
)
from cold_start import started

from workbook.host import Host
from workbook.jdk import Jdk, version_of
from workbook.measure import profiler, stacks
from workbook.measure.profiler import Recorder
from workbook.measure.request_recording import FlightRecorder
from workbook.measure.stacks import Stack
from workbook.measure.targets import MEASURED_JVM
from workbook.project import Project
from workbook.servers import ServerCommand

STAGE = 1
WORKLOADS = ("get", "put")
ASYNC, JVM = "async-profiler", "JVM"
CONVERTED = {ASYNC: "--cpu", JVM: "--cpu-time"}
"""What the converter is asked for, of the recording of each."""
SETTINGS = ("jdk.CPUTimeSample#enabled=true", "jdk.CPUTimeSample#throttle=1ms")
"""A sample each millisecond of a thread's processor time, as async-profiler takes them."""
SIGNAL = 38
"""For async-profiler: the JVM takes its samples with the usual one, SIGPROF."""
WARMUP_S, WARMUP_ROUNDS = 8, 2
SHOWN = 10
REPORT = Report("two-profilers")


def measure(
    tools: Tools, arguments: argparse.Namespace, jdk: Jdk, pid: int, url: str, workload: str
) -> tuple[Facts, str]:
    """A run that both record: what each has seen, method by method."""
    host = Host()
    with tempfile.TemporaryDirectory(prefix="two-profilers-") as name:
        folder = Path(name)
        recording = folder / "async-profiler.jfr"
        project = Project(ROOT)
        version = project.pom_property(profiler.VERSION_PROPERTY)
        library = profiler.library(BENCHMARKS, version, folder)
        engine = profiler.find_engine(host)
        beside = Recorder(pid, jdk, library, version, engine, recording, host, signal=SIGNAL)
        own = FlightRecorder([pid], jdk, folder, host, "processor-time", SETTINGS)
        beside.start()
        own.start()
        text = said_by(tools.load(url, workload, arguments.rate, arguments.connections, arguments.seconds), None)
        (recorded,) = own.stop()
        beside.stop()
        found = {ASYNC: stacks_of(recording, ASYNC, jdk), JVM: stacks_of(recorded, JVM, jdk)}
    facts: Facts = {
        "requests": request_count(figures(text)),
        "engine": beside.engine.name,
        "samples": {name: sum(stack.samples for stack in each) for name, each in found.items()},
        "methods": {name: dict(methods(each).most_common()) for name, each in found.items()},
    }
    return facts, text


def stacks_of(recording: Path, name: str, jdk: Jdk) -> Sequence[Stack]:
    target = recording.with_suffix(".txt")
    command = [str(jdk.java), "-Xmx512m", "-cp", str(BENCHMARKS), "one.convert.Main", CONVERTED[name], "--threads"]
    command += ["--norm", "-o", "collapsed", str(recording), str(target)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return stacks.parse(target.read_text()).stacks


def methods(found: Sequence[Stack]) -> Counter[str]:
    """Samples by the innermost method in Java: time in the kernel and in native code belongs to the one that called it.

    Without the threads of compilers and collectors, which the JVM does not sample, and threads outside of Java.
    """
    counts = Counter[str]()
    for stack in found:
        java = [frame for frame in stack.frames if stacks.package_of(frame) not in (stacks.KERNEL, stacks.NATIVE)]
        if java and stack.group not in ("GC", "JIT"):
            counts[stacks.MARK.sub("", java[-1]).replace("/", ".")] += stack.samples
    return counts


def run(arguments: argparse.Namespace) -> None:
    tools = tools_of(arguments)
    home = tools.java.resolve().parent.parent
    jdk = Jdk(home, version_of(home) or "unknown", "--java")
    stage = Project(ROOT).stage(STAGE)
    if not stage.jar.is_file():
        raise SystemExit(f"there is no {stage.jar.relative_to(ROOT)}: mvn package -DskipTests")
    REPORT.begin(tools, {"nodes": 1})
    with started(ServerCommand(jdk, stage.jar, STAGE, MEASURED_JVM)) as server:
        server.await_answers()
        url = server.urls[0]
        fill = [*tools.generator(), "--fill", "-t1", "-c16", url]
        subprocess.run(fill, env=environment(), check=True, stdout=subprocess.DEVNULL)
        shorter = argparse.Namespace(**{**vars(arguments), "seconds": WARMUP_S})
        for workload in WORKLOADS * WARMUP_ROUNDS:
            said_by(tools.load(url, workload, shorter.rate, shorter.connections, shorter.seconds), None)
        for number in range(1, arguments.rounds + 1):
            for workload in WORKLOADS:
                facts, text = measure(tools, arguments, jdk, server.pids[0], url, workload)
                asked: Facts = {"workload": workload, "round": number, "rate": arguments.rate}
                REPORT.keep(f"{workload}-{number}", text, {**asked, "connections": arguments.connections, **facts})
                print(f"{workload} {number}: {facts['samples']}", flush=True)


def tables(runs: list[Facts]) -> list[str]:
    parts = []
    for workload in WORKLOADS:
        mine = [run for run in runs if run["workload"] == workload]
        parts += [f"## Methods of {workload.upper()}", *tables_of(mine)]
    return parts


def tables_of(runs: list[Facts]) -> list[str]:
    """The ten first methods of each, and by which share both agree."""
    counts = {name: Counter[str]() for name in CONVERTED}
    for run, (name, count) in product(runs, counts.items()):
        count.update(counts_in(run, "methods", name))
    shares = {name: {m: n / each.total() for m, n in each.items()} for name, each in counts.items()}
    first = {name: [method for method, _ in each.most_common(SHOWN)] for name, each in counts.items()}
    shown = sorted({*first[ASYNC], *first[JVM]}, key=lambda m: -shares[ASYNC].get(m, 0) - shares[JVM].get(m, 0))
    rows = [f"| `{m}` | {share(shares[ASYNC].get(m, 0))} | {share(shares[JVM].get(m, 0))} |" for m in shown]
    agreed = sum(min(each, shares[JVM].get(m, 0)) for m, each in shares[ASYNC].items())
    both = len({*first[ASYNC]} & {*first[JVM]})
    samples = {name: sum(counts_in(run, "samples")[name] for run in runs) for name in CONVERTED}
    elsewhere = 1 - counts[ASYNC].total() / samples[ASYNC]
    of = runs[0]
    asked = f"{str(of['workload']).upper()}, {of['rate']:,} requests a second on {of['connections']} connections"
    return [
        f"{asked}; {samples[ASYNC]:,} samples of"
        f" async-profiler ({runs[0]['engine']}), {samples[JVM]:,} of the JVM. Shares of the samples in Java, by the"
        " innermost Java method.",
        table("| method | async-profiler | JVM |", rows),
        f"{both} of the first {SHOWN} methods are the same. The two agree on {share(agreed)} of the samples."
        f" {share(elsewhere)} of async-profiler's samples are of compilers, collectors and other threads outside of"
        " Java, which the JVM does not sample.",
    ]


def share(value: float) -> str:
    return f"{value:.1%}"


def main(words: list[str]) -> None:
    arguments = parser_of(__doc__, rounds=2, rate=10_000, connections=64, seconds=20).parse_args(words)
    if not arguments.summary:
        run(arguments)
    REPORT.write("The JVM's profiler beside async-profiler", "two_profilers.py", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
