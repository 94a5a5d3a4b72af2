"""The load machines of a target: each has a load tool, and all tools begin at the same moment.

A shell on each machine stays open for the run (`session`). It starts the tool in the background and tells how it does.
When its input ends, it ends the tool and removes our files: so nothing is left there, even if this process is killed.

The moment is a time of this machine's clock. Each machine waits for it by its own clock, which is corrected by how far
it is ahead.
"""

from __future__ import annotations

import re
import secrets
import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbook import interrupts
from workbook.failure import Failure, UsageError
from workbook.jdk import MAJOR_VERSION
from workbook.measure.load_source import TICK_S, Loaded, OnTick
from workbook.measure.load_tool import LoadTool
from workbook.measure.merging import Part, merged, merged_text, merged_timeline, read_part
from workbook.measure.usage import CpuTime, ToolUsed, busy_share
from workbook.measure.workload import Load, Workload
from workbook.messages import warn
from workbook.remote.clock import Clock, clock_of
from workbook.remote.cluster import ASKED_WITHIN_S, RemoteTarget, cpu_time_of, machine_busy_of
from workbook.remote.machine import OPTIONS, PRINT_FILES, PROPERTIES, STATUS, Inspected, sections
from workbook.remote.network import Ways, asking, packed, read, round_trips, throughputs
from workbook.remote.place import ANSWERS_WITHIN_S, FAIL, Call, ask_all, last_line
from workbook.remote.process import jdk_on_path
from workbook.remote.recorder import archive
from workbook.remote.session import Session, ask_sessions, end_sessions
from workbook.remote.target_file import LoadHost, RemoteNode
from workbook.wrk2 import RATE_OPTION, keeps_rate

if TYPE_CHECKING:
    from workbook.measure.measuring import Measured

GENERATOR_JAR = "generator.jar"
GENERATOR_PACKAGES = ("dht/", "org/HdrHistogram/", "picocli/")
"""What the generator needs of benchmarks.jar, which has much more."""
TEXT, RECORDED, TIMELINE = "load.txt", "recorded.csv", "timeline.csv"
VERSION = re.compile(r'version "((\d+)[^"]*)"')

LEAD_S = 2.0
"""How long before the common moment the tools are started: a JVM takes a while."""
APART_S_MAX = 0.25
"""Tools that begin further apart than this are worth a warning."""
SILENT_S_MAX = 4.0
"""A machine that says nothing for longer while the load lasts counts as gone."""
ENDS_WITHIN_S = 8.0
"""How much longer than told a tool may take. wrk2 looks every two seconds whether its time is up."""
ENDED_STATES, STOPPED_STATES = "ZX", "Tt"

# What the shell knows, and what it does at its end, whatever ends it. A tool that does not end within a second is
# killed. A broken pipe must not end the shell before that.
BEGIN = """\
trap '' PIPE
trap 'exit 1' HUP INT TERM
tool=
{fail}
runs() {{
    read -r stat 2>/dev/null </proc/$tool/stat || return 1
    case "$stat" in *') Z '*) return 1 ;; esac
}}
end() {{
    if [ -n "$tool" ]; then
        kill "$tool" 2>/dev/null
        tries=0
        while runs && [ "$tries" -lt 10 ]; do sleep 0.1; tries=$((tries + 1)); done
        kill -9 "$tool" 2>/dev/null
    fi
    rm -rf {folder}
}}
trap end EXIT
mkdir {folder} 2>/dev/null || fail "cannot write to {directory} there: choose another directory"
"""
# Nothing that is started there may read the shell's input, which has the next questions.
CHECK_JAVA = f"""\
command -v java >/dev/null 2>&1 || fail "there is no java there: install a JDK {MAJOR_VERSION}, or name its folder with\
 java-home"
echo "== program"; java -version 2>&1 </dev/null
"""
CHECK_WRK2 = """\
[ -x {wrk2} ] || fail "there is no {wrk2} that can be run there"
echo "== program"; {wrk2} --help 2>&1 </dev/null
"""
INSPECT = f"""\
{PRINT_FILES}
echo "== {STATUS}"; cat /proc/self/status 2>/dev/null || fail "there is no /proc: load machines must run on Linux"
echo "== {OPTIONS}"
echo "== {PROPERTIES}"
echo "== end"
"""
START = """\
({exports}
{wait}exec {words}) </dev/null >{folder}/{text} 2>&1 &
tool=$!
"""
# wrk2 cannot wait. In milliseconds, as a shell has no fractions.
WAIT = """\
wait=$(({begins_ms} - $(date +%s%N) / 1000000)); [ "$wait" -gt 0 ] || wait=0
sleep "$((wait / 1000)).$(printf %03d "$((wait % 1000))")"
echo "Began: $(($(date +%s%N) / 1000000))"
"""
# Without starting a program, as a measurement goes on.
LOOK = """\
stat=; read -r stat 2>/dev/null </proc/$tool/stat; printf '%s\\n' "$stat"
read -r stat </proc/stat; printf '%s\\n' "$stat"
"""
COLLECT = """\
wait "$tool"; code=$?; tool=
echo "== code"; echo "$code"
echo "== text"; cat {folder}/{text}; echo
echo "== recorded"; cat {folder}/{recorded} 2>/dev/null; echo
echo "== timeline"; cat {folder}/{timeline} 2>/dev/null; echo
echo "== end"; rm -f {folder}/{text} {folder}/{recorded} {folder}/{timeline}
"""


@dataclass(frozen=True)
class Found:
    """A load machine, and what it was when it was reached."""

    host: LoadHost
    folder: str
    session: Session
    inspected: Inspected
    clock: Clock

    @property
    def name(self) -> str:
        return self.host.name

    def facts(self, to_nodes: Ways) -> dict[str, object]:
        """As run.json has it, apart from what it does in a run."""
        from_here = round(2000 * self.clock.uncertain_s, 2)
        return {
            "name": self.name,
            "through": self.host.place.through,
            "machine": {**self.inspected.machine(), **self.clock.facts()},
            "round_trip_ms": {"from_here": from_here, "to": round_trips(to_nodes)},
            "throughput_mb_per_s": {"to": throughputs(to_nodes)},
        }


@dataclass(frozen=True)
class Look:
    """What a shell tells of its tool, and of the machine. Without `state` it has ended."""

    state: str
    used: ToolUsed


class LoadHosts:
    """Makes a load on all load machines at once. Only the main thread may use it."""

    def __init__(self, tool: LoadTool, found: Sequence[Found]) -> None:
        self.tool = tool
        self._found = tuple(found)
        self._looks: dict[str, Look] = {}
        self._to_nodes: dict[str, Ways] = {}

    def measure_floor(self, nodes: Sequence[RemoteNode]) -> None:
        """From one machine after another. Without a `java` there it has no figures."""
        names = {node.url: node.name for node in nodes}
        for each in self._found:
            (text,) = ask_sessions(
                [each.session], [asking(f"{each.folder}/{GENERATOR_JAR}", list(names))], ASKED_WITHIN_S
            )
            self._to_nodes[each.name] = read(text, names)

    def load(self, workload: Workload, load: Load, urls: Sequence[str], on_tick: OnTick) -> Loaded:
        part = load.part
        begins_s, moment_s = time.time() + LEAD_S, time.monotonic() + LEAD_S
        scripts = [self._start(number, workload, part, urls, begins_s) for number in range(len(self._found))]
        self._looks.clear()
        self._ask(self._found, scripts)
        self._look(self._found)
        while (rest_s := moment_s - time.monotonic()) > 0:
            time.sleep(min(rest_s, TICK_S))
            self._look(self._found)
        warmup_s = self.tool.warmup_within_s(part)
        ended = self._await_ends(moment_s, warmup_s + part.duration_s + ENDS_WITHIN_S, on_tick)
        parts = self._parts(ended, begins_s + warmup_s)
        _warn_if_apart(parts)
        tool_slept = any(self.tool.has_slept(part, each.report) for each in parts)
        return Loaded(merged(parts), merged_text(parts), tool_slept, merged_timeline(parts), tuple(parts))

    def used(self) -> tuple[ToolUsed, ...]:
        self._look([each for each in self._found if self._looks[each.name].state])
        return tuple(self._looks[each.name].used for each in self._found)

    def facts(self, measured: Measured | None = None) -> list[dict[str, object]]:
        return [
            {**each.facts(self._to_nodes.get(each.name, {})), **(_figures(measured, number) if measured else {})}
            for number, each in enumerate(self._found)
        ]

    def _start(self, number: int, workload: Workload, part: Load, urls: Sequence[str], begins_s: float) -> str:
        each = self._found[number]
        begins_ms = round((begins_s + each.clock.ahead_s) * 1000)
        settings = {**self.tool.settings(workload, part, urls), "PART": f"{number + 1}/{len(self._found)}"}
        words, wait = self._words(each, workload, part, urls[0]), ""
        if self.tool.wrk2:
            settings["RECORD"] = f"{each.folder}/{RECORDED}"
            wait = WAIT.format(begins_ms=begins_ms)
        else:
            files = ("--record", f"{each.folder}/{RECORDED}", "--timeline", f"{each.folder}/{TIMELINE}")
            words[-1:] = [*files, "--start-at", str(begins_ms), words[-1]]
        exports = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in settings.items())
        return START.format(exports=exports, wait=wait, words=shlex.join(words), folder=each.folder, text=TEXT)

    def _words(self, each: Found, workload: Workload, part: Load, url: str) -> list[str]:
        """The command line of this machine, with what is there instead of what is here."""
        places = {
            str(self.tool.jdk.java): "java",
            str(self.tool.jar): f"{each.folder}/{GENERATOR_JAR}",
            str(self.tool.wrk2): str(each.host.wrk2),
        }
        words = self.tool.command(workload, part, url)
        return [places.get(word, word.replace(str(self.tool.scripts), each.folder)) for word in words]

    def _await_ends(self, moment_s: float, ends_by_s: float, on_tick: OnTick) -> Iterator[tuple[Found, dict[str, str]]]:
        """Each machine with what its tool has left, as soon as that has ended.

        `moment_s`: when all were to begin, by the monotonic clock; `ends_by_s`: at the latest, so long after that.
        """
        running = list(self._found)
        while True:
            lasted_s = time.monotonic() - moment_s
            on_tick(lasted_s)
            self._look(running)
            for each in [each for each in running if not self._looks[each.name].state]:
                running.remove(each)
                files = {"folder": each.folder, "text": TEXT, "recorded": RECORDED, "timeline": TIMELINE}
                left = sections(self._ask([each], [COLLECT.format(**files)])[0])
                if left["code"].strip() != "0":
                    on_tick(lasted_s)  # Says so if it is a node that has failed.
                    words = f"the load tool has ended with exit code {left['code'].strip()}"
                    raise Failure(f"{each.name}: {words}: {last_line(left['text']) or 'no word why'}")
                yield each, left
            if not running:
                return
            if lasted_s > ends_by_s:
                words = f"the load tool still runs after {lasted_s:.0f} s; it was to end by {ends_by_s:.0f} s"
                raise Failure("\n".join(f"{each.name}: {words}" for each in running))
            time.sleep(TICK_S)

    def _parts(self, ended: Iterable[tuple[Found, dict[str, str]]], begins_s: float) -> list[Part]:
        """In the order of the file."""
        found: dict[str, Part] = {}
        for each, left in ended:
            text, theirs_s = left["text"].rstrip("\n") + "\n", begins_s + each.clock.ahead_s
            found[each.name] = read_part(each.name, text, left["recorded"], left["timeline"], theirs_s)
        return [found[each.name] for each in self._found]

    def _look(self, machines: Sequence[Found]) -> None:
        """At the tools that run there. What one had used when it ended stays as it was."""
        for each, said in zip(machines, self._ask(machines, [LOOK] * len(machines)), strict=True):
            stat, machine = said.splitlines()[:2]
            before = self._looks.get(each.name)
            state = stat.rpartition(")")[2].split()[0] if stat else ""
            cpu = cpu_time_of(stat) if stat else before.used.cpu if before else CpuTime(0.0, 0.0)
            if state and state in STOPPED_STATES:
                raise Failure(f"{each.name}: the load tool is stopped there")
            used = ToolUsed(each.inspected.boot_id, machine_busy_of(machine), cpu)
            self._looks[each.name] = Look("" if state in ENDED_STATES else state, used)

    def _ask(self, machines: Sequence[Found], scripts: Sequence[str]) -> list[str]:
        return ask_sessions([each.session for each in machines], scripts, SILENT_S_MAX)


@contextmanager
def load_hosts(target: RemoteTarget, here: LoadTool, workload: Workload) -> Iterator[LoadHosts | None]:
    """The load machines of a target, checked; None if it has none. When the block is left, nothing of ours is there."""
    hosts, tool = target.file.load, target.load_tool(here).making(workload)
    if not hosts:
        yield None
        return
    if len(hosts) > 1 and workload.allowed_statuses:
        words = f"what several machines had accepted cannot be added up; name one load machine, not {len(hosts)}"
        raise UsageError(f"{workload.name}: {words}")
    mark = f"workbook-{secrets.token_hex(4)}"
    sessions: list[Session] = []
    try:
        for host in hosts:
            with interrupts.held():  # An interrupt between starting it and writing it down would lose it.
                sessions.append(Session(host.place))
        yield LoadHosts(tool, _reached(target, tool, sessions, mark))
    finally:
        with interrupts.held():
            left = end_sessions(sessions)
            if left:
                names = ", ".join(left)
                warn(f"{names}: did not confirm the end: files {mark}-* and a running load tool may be left there")


def _reached(target: RemoteTarget, tool: LoadTool, sessions: Sequence[Session], mark: str) -> list[Found]:
    hosts = target.file.load
    folders = [host.file(mark, "load") for host in hosts]
    ask_sessions(sessions, [_begin(*each) for each in zip(hosts, folders, strict=True)], ANSWERS_WITHIN_S)
    checked = ask_sessions(sessions, [_check(host, tool) for host in hosts], ASKED_WITHIN_S)
    inspected = [Inspected(0, sections(text)) for text in checked]
    problems = [problem for each in zip(hosts, inspected, strict=True) if (problem := _problem(tool, *each))]
    if problems:
        raise Failure("\n".join(problems))
    programs = _programs(tool)
    unpacking = [("tar", "-xf", "-", "-C", folder) for folder in folders]
    ask_all([Call(host.place, words, programs) for host, words in zip(hosts, unpacking, strict=True)])
    clocks = [clock_of(host.place) for host in hosts]
    return [Found(*each) for each in zip(hosts, folders, sessions, inspected, clocks, strict=True)]


def _begin(host: LoadHost, folder: str) -> str:
    return jdk_on_path(host) + BEGIN.format(fail=FAIL, folder=folder, directory=host.directory)


def _check(host: LoadHost, tool: LoadTool) -> str:
    return (CHECK_WRK2.format(wrk2=host.wrk2) if tool.wrk2 else CHECK_JAVA) + INSPECT


def _problem(tool: LoadTool, host: LoadHost, inspected: Inspected) -> str | None:
    """Why the program there cannot make the load."""
    said = inspected.texts["program"]
    if tool.wrk2:
        return None if keeps_rate(said) else f"{host.name}: {host.wrk2} does not know {RATE_OPTION}: is it wrk?"
    version = VERSION.search(said)
    if version is not None and int(version[2]) >= MAJOR_VERSION:
        return None
    found = f"Java {version[1]}" if version else "a java that does not tell its version"
    return f"{host.name}: there is {found}, and the load tool needs {MAJOR_VERSION}: name its folder with java-home"


def _programs(tool: LoadTool) -> bytes:
    """An archive of what is sent to each machine. The jar also measures the floor."""
    scripts = {file.name: file.read_bytes() for file in tool.scripts.glob("*.lua")} if tool.wrk2 else {}
    return archive(GENERATOR_JAR, packed(tool.jar, *GENERATOR_PACKAGES), scripts)


def _warn_if_apart(parts: Sequence[Part]) -> None:
    first, last = min(parts, key=lambda part: part.late_s), max(parts, key=lambda part: part.late_s)
    if last.late_s - first.late_s > APART_S_MAX:
        warn(f"{last.name} began {last.late_s - first.late_s:.1f} s after {first.name}")


def _figures(measured: Measured, number: int) -> dict[str, object]:
    """What one machine did in a run."""
    part, first, last = measured.loaded.parts[number], measured.first.loads[number], measured.last.loads[number]
    report = replace(part.report, allowed_statuses=measured.report.allowed_statuses)
    cpu_s = last.cpu.since(first.cpu).total_s
    return {
        "rate_per_s": report.rate_per_s,
        "requests": report.requests,
        "errors": report.errors.total,
        "p99_ms": report.latency.at(0.99),
        "began_late_ms": round(part.late_s * 1000, 1),
        "tool_cores": round(cpu_s / measured.window_s, 3) if measured.window_s else None,
        "machine_busy_share": busy_share(first.busy, last.busy),
    }
