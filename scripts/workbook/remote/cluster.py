"""The nodes of a target while they are measured: what they have used, and what we have left on them for the time."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbook import interrupts
from workbook.failure import Failure
from workbook.measure.gc_log import Collections, read_collections
from workbook.measure.load_tool import LoadTool
from workbook.measure.run_folder import NODES
from workbook.measure.server import Crashed
from workbook.measure.targets import GC_LOG, Target
from workbook.measure.usage import CpuTime, Used, busy_share, machine_busy
from workbook.messages import warn
from workbook.project import Module
from workbook.remote.clock import SUSPECT_S, Clock, clock_of
from workbook.remote.machine import STAT, Inspected, differences, inspect, sections, start_of
from workbook.remote.place import ANSWERS_WITHIN_S, Call, Silence, ask_all
from workbook.remote.process import find_pids, with_jdk
from workbook.remote.target_file import RemoteNode, TargetFile
from workbook.remote.watch import Watch, check_answers
from workbook.servers import FIRST_CLUSTER_STAGE

if TYPE_CHECKING:
    from workbook.measure.measuring import Measured

TICKS_PER_S = 100
"""In which Linux counts the processor time of a process, on all machines of today."""
MACHINE_STAT = "machine"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
ASKED_WITHIN_S, ENDS_WITHIN_S = 6.0, 3.5
"""What is wrong with a node that was reached is told after the others are tidied up: both take less than 10 s."""
COLLECTS_WITHIN_S = 30.0
"""Only the first question may take longer. A full collection of a large heap takes seconds, and so does each start of
jcmd where all processors are busy."""


@dataclass(frozen=True)
class RemoteTarget(Target):
    """Nodes that somebody else has started: those of a file."""

    file: TargetFile = field(kw_only=True)

    @property
    def nodes(self) -> int:
        return len(self.file.nodes)

    @property
    def can_be_profiled(self) -> bool:
        return True

    @property
    def load_machines(self) -> int:
        return len(self.file.load) or 1

    def load_tool(self, here: LoadTool) -> LoadTool:
        """The same kind of tool on all load machines, though wrk2 need not be at the same place."""
        if not self.file.load:
            return here
        wrk2 = self.file.load[0].wrk2
        return replace(here, wrk2=Path(wrk2) if wrk2 else None)


def remote_target(file: TargetFile, module: Module) -> RemoteTarget:
    """`module`: the stage that runs there."""
    if len(file.nodes) > 1 and (module.stage_number or 1) < FIRST_CLUSTER_STAGE:
        words = (
            f"stage {module.stage_number} is a single server, and the target {file.name} has {len(file.nodes)} nodes"
        )
        raise Failure(f"{words}: from stage {FIRST_CLUSTER_STAGE} on there may be several")
    return RemoteTarget("target", f"{module.name} on {file.name}", module.name, file=file)


@dataclass(frozen=True)
class Reached:
    """A node, and what it was when it was reached."""

    node: RemoteNode
    inspected: Inspected
    clock: Clock

    @property
    def pid(self) -> int:
        return self.inspected.pid


class RemoteServer:
    """Takes the place of a server that was started here. Only the main thread may use it.

    `mark` is what the names of our files on the nodes begin with; `floor` what is known of the network to and from each
    node, once it was measured.
    """

    def __init__(self, target: RemoteTarget, folder: Path, reached: Sequence[Reached], mark: str) -> None:
        self.target = target
        self.folder = folder
        self.reached = tuple(reached)
        self.look_s = 0.0
        self.floor: Mapping[str, Mapping[str, object]] = {}
        self._mark = mark
        self._watches: list[Watch] = []
        self._profilers: dict[str, str] = {}
        self._sent: dict[str, str] = {}
        self._silent: frozenset[str] = frozenset()

    @property
    def urls(self) -> list[str]:
        return [each.node.url for each in self.reached]

    @property
    def pids(self) -> list[int]:
        return []

    def begin(self) -> None:
        """A log of collections on each node, and a first one, so that what is alive is old."""
        self.ask(self._beginning, within_s=COLLECTS_WITHIN_S)
        began_s = time.monotonic()
        self.used()
        self.look_s = time.monotonic() - began_s
        self._watches = [Watch(each.node) for each in self.reached]

    def end(self, within_s: float) -> None:
        """Ends what we have begun on the nodes, and removes our files. What cannot be done is said.

        Who was silent before is not asked again.
        """
        for watch in self._watches:
            watch.end()
        answering = [each for each in self.reached if each.node.name not in self._silent]
        problems = [f"{name} is silent" for name in sorted(self._silent)]
        with interrupts.held():
            try:
                ask_all([with_jdk(each.node, self._tidying(each)) for each in answering], within_s)
            except Failure as problem:
                problems.append(str(problem))
            if problems:
                warn("\n".join([*problems, f"so files with names {self._mark}-* may be left there"]))

    def used(self) -> Used:
        """Each machine counts once: this one, and those of the nodes."""
        said = self.ask(
            lambda each: (
                f'echo "== {STAT}"; cat /proc/{each.pid}/stat 2>/dev/null\n'
                f'echo "== {MACHINE_STAT}"; cat /proc/stat; echo "== end"'
            )
        )
        nodes: list[CpuTime] = []
        machines = {_boot_id_here(): machine_busy()}
        for each, text in zip(self.reached, said, strict=True):
            found = sections(text)
            if not found[STAT].strip() or start_of(found[STAT]) != each.inspected.started:
                raise Crashed(f"{each.node.name} has ended by itself: pid={each.pid}")
            nodes.append(cpu_time_of(found[STAT]))
            machines.setdefault(each.inspected.boot_id, machine_busy_of(found[MACHINE_STAT]))
        return Used(tuple(nodes), machines, tuple(each.inspected.boot_id for each in self.reached))

    def stored_bytes(self) -> None:
        """Where a node keeps its data is its own business."""

    def collections(self, since_s: float, until_s: float) -> Collections | None:
        return self._collections(self.reached[0], since_s, until_s)

    def check_alive(self) -> None:
        for watch in self._watches:
            if watch.problem is not None:
                raise Crashed(watch.problem)

    def node_facts(self, measured: Measured | None = None) -> list[dict[str, object]]:
        """Of each node, as run.json has it."""
        return [self._facts(each, index, measured) for index, each in enumerate(self.reached)]

    def ask(
        self,
        script: Callable[[Reached], str],
        into: Callable[[Reached], Path | None] = lambda _: None,
        within_s: float = ASKED_WITHIN_S,
    ) -> list[str]:
        """What the nodes say to their scripts, all at once."""
        return self._ask([with_jdk(each.node, script(each), into(each)) for each in self.reached], within_s)

    def ask_one(self, each: Reached, script: str) -> str:
        """While the other nodes are left alone."""
        return self._ask([with_jdk(each.node, script)], ASKED_WITHIN_S)[0]

    def _ask(self, calls: Sequence[Call], within_s: float) -> list[str]:
        try:
            return ask_all(calls, within_s)
        except Silence as problem:
            self._silent |= problem.names
            raise

    def file_of(self, each: Reached, suffix: str) -> str:
        """Of ours, on the node."""
        return each.node.file(self._mark, suffix)

    def folder_of(self, each: Reached) -> Path:
        """Here, for what comes from the node."""
        folder = self.folder / NODES / each.node.name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def sends(self, each: Reached, file: str) -> None:
        """Said before a file is sent there, so that it is removed, however this ends."""
        self._sent[each.node.name] = file

    def profiles(self, each: Reached, library: str) -> None:
        """Said before the profiler is started there, so that it is stopped, however this ends."""
        self._profilers[each.node.name] = library

    def stop_profilers(self) -> None:
        """They write their recordings then."""
        self.ask(self._stopping)
        self._profilers.clear()

    def fetch_gc_logs(self) -> None:
        self.ask(lambda each: f"cat {self.file_of(each, 'gc')}", lambda each: self.folder_of(each) / GC_LOG)

    def _collections(self, each: Reached, since_s: float, until_s: float) -> Collections | None:
        """The node's log has the node's time."""
        ahead_s = each.clock.ahead_s
        return read_collections(self.folder_of(each) / GC_LOG, since_s + ahead_s, until_s + ahead_s)

    def _facts(self, each: Reached, index: int, measured: Measured | None) -> dict[str, object]:
        return {
            "name": each.node.name,
            "url": each.node.url,
            "through": each.node.place.through,
            **each.inspected.server(),
            "machine": {**each.inspected.machine(), **each.clock.facts()},
            **dict.fromkeys(("round_trip_ms", "throughput_mb_per_s")),
            **self.floor.get(each.node.name, {}),
            **(self._figures(each, index, measured) if measured else {"cpu": None, "gc": None}),
        }

    def _figures(self, each: Reached, index: int, measured: Measured) -> dict[str, object]:
        first, last, cpu = measured.first.used, measured.last.used, measured.cpu[index]
        collections = self._collections(each, measured.first.time_s, measured.last.time_s)
        return {
            "cpu": {
                "us_per_request": measured.cpu_us_by_node[index] if measured.cpu_us_by_node else None,
                "user_s": round(cpu.user_s, 2),
                "system_s": round(cpu.system_s, 2),
                "cores": round(cpu.total_s / measured.window_s, 3) if measured.window_s else None,
                "machine_busy_share": busy_share(first.machine_of(index), last.machine_of(index)),
            },
            "gc": asdict(collections) if collections else None,
        }

    def _beginning(self, each: Reached) -> str:
        log = self.file_of(each, "gc")
        return f"""\
jcmd {each.pid} GC.run >/dev/null || fail "jcmd {each.pid} GC.run fails there"
jcmd {each.pid} VM.log output={log} what=gc decorators=time >/dev/null
[ -r {log} ] || fail "the server cannot write to {each.node.directory} there: choose another directory"
"""

    def _stopping(self, each: Reached) -> str:
        """Stops the profiler, where it was started; `true` where not."""
        library = self._profilers.get(each.node.name)
        if library is None:
            return "true"
        options = f"stop,file={self.file_of(each, 'jfr')}"
        return f"jcmd {each.pid} JVMTI.agent_load {library} '\"{options}\"' >/dev/null 2>&1 || true"

    def _tidying(self, each: Reached) -> str:
        log_off = f"jcmd {each.pid} VM.log output={self.file_of(each, 'gc')} what=all=off >/dev/null 2>&1"
        remove = f"rm -f {self.file_of(each, '*')} {self._sent.get(each.node.name, '')}"
        return f"{self._stopping(each)}\n{log_off}\n{remove}"


@contextmanager
def reached(target: RemoteTarget, folder: Path) -> Iterator[RemoteServer]:
    """The nodes, checked; when the block is left, however that is, nothing of ours is on them."""
    nodes = target.file.nodes
    check_answers(nodes)
    mark = f"workbook-{secrets.token_hex(4)}"
    inspected = inspect(nodes, find_pids(nodes), mark)
    clocks = [clock_of(node.place) for node in nodes]
    for line in differences(nodes, inspected):
        warn(line)
    found = [Reached(*each) for each in zip(nodes, inspected, clocks, strict=True)]
    for each in found:
        if abs(each.clock.ahead_s) > SUSPECT_S + each.clock.uncertain_s:
            warn(f"{each.node.name}: its clock is {each.clock.ahead_s:+.1f} s from that of this machine")
    server = RemoteServer(target, folder, found, mark)
    ends_within_s = ENDS_WITHIN_S
    try:
        server.begin()
        yield server
        ends_within_s = ANSWERS_WITHIN_S
    finally:
        server.end(ends_within_s)


def cpu_time_of(stat: str) -> CpuTime:
    """Of /proc/PID/stat: its fields 14 and 15."""
    fields = stat.rpartition(")")[2].split()
    return CpuTime(int(fields[11]) / TICKS_PER_S, int(fields[12]) / TICKS_PER_S)


def machine_busy_of(stat: str) -> tuple[float, float]:
    """Of the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guests are users, too."""
    times = [int(word) / TICKS_PER_S for word in stat.splitlines()[0].split()[1:9]]
    return sum(times) - times[3] - times[4], sum(times)


def _boot_id_here() -> str:
    try:
        return BOOT_ID.read_text().strip()
    except OSError:  # Not Linux: no node has the same.
        return ""
