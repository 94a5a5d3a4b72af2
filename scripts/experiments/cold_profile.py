"""Where the time of a server's first seconds goes: a profile from the first moment on, and what the compilers did.

cold_start.py takes it of one node of stage 5 that starts without an AOT cache. The profiler slows the node down, so
this is a run of its own.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cluster import Facts, counts_in, table

from workbook.host import Host
from workbook.jdk import Jdk
from workbook.measure import profiler, stacks
from workbook.measure.stacks import Stack
from workbook.project import Project

SECONDS = 5
CPU_MS, WALL_MS = 1, 10
CONVERTED = {"cpu": ["--cpu"], "wall": ["--wall", "--state", "runnable"]}
"""What is made of a recording: samples of processor time, and of all threads that want to run."""

COMPILERS, COLLECTOR, VIRTUAL_MACHINE = "JIT compilers", "garbage collection", "other work of the JVM"
LOADING, LAMBDAS = "loading and linking classes", "making lambdas"
INTERPRETED, COMPILED = "our threads, interpreted code", "our threads, compiled code"
KINDS = (COMPILERS, LOADING, LAMBDAS, INTERPRETED, COMPILED, COLLECTOR, VIRTUAL_MACHINE)

IS_LOADING = re.compile(
    r"ClassLoader\w*\.|\.defineClass|\.loadClass|SystemDictionary::|KlassFactory::|ClassFileParser::"
    r"|InstanceKlass::link_class|Verifier::|Rewriter::"
)
IS_LAMBDA = re.compile(r"MethodHandleNatives\.link|LambdaMetafactory\.|StringConcatFactory\.")
INTERPRETED_MARK = "0"
COMPILATION = re.compile(r"\[([\d.]+)s\]\s+\d+\s+[%sbn! ]*?(\d)\s+(\S+)\s+(.*)$")
TIERS = {"1": "C1", "2": "C1", "3": "C1", "4": "C2"}
DROPPED = "made not entrant"


@dataclass(frozen=True)
class ColdProfile:
    """How one node is started to be profiled, and what is read of it when it has ended."""

    project: Project
    jdk: Jdk
    jar: Path
    folder: Path
    host: Host

    @property
    def options(self) -> tuple[str, ...]:
        """Of the JVM. The recording ends by itself."""
        version = self.project.pom_property(profiler.VERSION_PROPERTY)
        library = profiler.library(self.jar, version, self.folder)
        event = profiler.find_engine(self.host).event
        what = f"start,event={event},interval={CPU_MS}ms,wall={WALL_MS}ms,timeout={SECONDS},jfr"
        return (
            f"-agentpath:{library}={what},file={self._recording}",
            f"-Xlog:jit+compilation=debug:file={self._log}:uptime",
        )

    @property
    def _recording(self) -> Path:
        return self.folder / "cold.jfr"

    @property
    def _log(self) -> Path:
        return self.folder / "compilations.log"

    def facts(self) -> Facts:
        if not self._recording.is_file():
            raise SystemExit("the profiler has left no recording: the node has not lived long enough, or it refused")
        samples = {name: by_kind(self._stacks(name)) for name in CONVERTED}
        return {"samples": samples, "compilations": compilations_in(self._log.read_text(errors="replace"))}

    def _stacks(self, name: str) -> Sequence[Stack]:
        target = self.folder / f"stacks-{name}.txt"
        command = [str(self.jdk.java), "-Xmx512m", "-cp", str(self.jar), "one.convert.Main", *CONVERTED[name]]
        command += ["--threads", "--norm", "-o", "collapsed", str(self._recording), str(target)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return stacks.parse(target.read_text()).stacks


def kind_of(stack: Stack) -> str:
    """What a thread did. Loading and linking counts as such on whatever thread it happens."""
    if stack.group in ("JIT", "GC"):
        return COMPILERS if stack.group == "JIT" else COLLECTOR
    if any(IS_LAMBDA.search(frame) for frame in stack.frames):
        return LAMBDAS
    if any(IS_LOADING.search(frame) for frame in stack.frames):
        return LOADING
    java = [frame for frame in stack.frames if stacks.package_of(frame) not in (stacks.KERNEL, stacks.NATIVE)]
    if not java:
        return VIRTUAL_MACHINE
    mark = stacks.MARK.search(java[-1])
    return INTERPRETED if mark and mark[1] == INTERPRETED_MARK else COMPILED


def by_kind(found: Sequence[Stack]) -> dict[str, int]:
    counts = Counter[str]()
    for stack in found:
        counts[kind_of(stack)] += stack.samples
    return {kind: counts[kind] for kind in KINDS}


def compilations_in(log: str) -> dict[str, int]:
    """Of the first seconds, by compiler, and how many compiled methods were dropped."""
    counts = Counter[str]()
    for line in log.splitlines():
        match = COMPILATION.match(line)
        if match and match[2] in TIERS and float(match[1]) <= SECONDS:
            counts[DROPPED if match[4].endswith(DROPPED) else TIERS[match[2]]] += 1
    return {name: counts[name] for name in ("C1", "C2", DROPPED)}


def tables(runs: Sequence[Facts]) -> list[str]:
    """Sums of all rounds: each has few samples."""
    if not runs:
        return ["*(not measured yet)*"]
    cpu, wall = (sum_of([counts_in(run, "samples", name) for run in runs]) for name in CONVERTED)
    compiled = sum_of([counts_in(run, "compilations") for run in runs])
    rows = [f"| {kind} | {share(cpu, kind)} | {share(wall, kind)} |" for kind in KINDS]
    each = {name: count / len(runs) for name, count in compiled.items()}
    cores = sum(cpu.values()) * CPU_MS / 1000 / SECONDS / len(runs)
    return [
        f"One of three nodes, without a cache, in its first {SECONDS} s; {len(runs)}"
        f" {'run' if len(runs) == 1 else 'runs together'}. It kept {cores:.2f} processors busy. *Processor time*: which"
        " part of that. *Wants to run*: of the threads that did not wait for anything but a processor.",
        table("| | processor time | wants to run |", rows),
        f"In these seconds, C1 compiled {each['C1']:,.0f} times and C2 {each['C2']:,.0f} times in one run;"
        f" {each[DROPPED]:,.0f} compiled methods were dropped again.",
    ]


def sum_of(parts: Sequence[dict[str, int]]) -> Counter[str]:
    total = Counter[str]()
    for each in parts:
        total.update(each)
    return total


def share(counts: Counter[str], kind: str) -> str:
    total = sum(counts.values())
    return f"{counts[kind] / total:.1%}" if total else "-"
