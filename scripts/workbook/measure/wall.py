"""What requests did: wall-clock samples of all nodes within all requests and within the slowest, as flame graphs.

The server records which threads worked for each request, and when. A sample counts as SERVED if its thread worked for
one of the requests at that moment. It counts as QUEUED if its thread is one of those that take requests from the queue,
and one of the requests was in there. The program RequestSamples compares the recordings of one node. Its Javadoc says
why the latency filter of the profiler's converter is not used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from workbook.failure import Failure
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.measure import stacks
from workbook.measure.graphs import CONVERTER, fit_narrow_screens, flame_graph, run_all, write_lines
from workbook.measure.profiler import Agent
from workbook.measure.request_recording import FlightRecorder

INTERVAL_MS = 20
OPTIONS = f"wall={INTERVAL_MS}ms"
"""A sample of each thread so often. With 2 ms, three nodes of stage 3 need half as much processor time again."""
ALL, SLOWEST = "all", "slowest"
DIFFERENCE = "diff-wall"
GRAPHS = {
    f"flame-wall-{ALL}": "what all requests did",
    f"flame-wall-{SLOWEST}": "what the slowest 1 % did",
    DIFFERENCE: "the difference",
}
"""What they are called, by the names of their files. Without a sample of the slowest there is only the first."""
PROGRAM = "dht.benchmarks.wall.RequestSamples"
ASKED_NODE, OTHER_NODES = "asked node", "other nodes"
SERVED, QUEUED = "served", "in the queue, meanwhile"
WAYS = (SERVED, QUEUED)
PARTS_OF_ALL = 1_000_000


@dataclass(frozen=True)
class Recorded:
    """The recordings of one node."""

    requests: Path
    wall: Path


@dataclass(frozen=True)
class Tracer:
    """Records the requests and wall-clock samples of each node. A run with it has figures of its own."""

    pids: Sequence[int]
    jdk: Jdk
    library: Path
    version: str
    folder: Path
    host: Host

    def start(self) -> None:
        self._requests.start()
        for agent, file in self._agents():
            if (refused := agent.command(f"start,{OPTIONS},jfr,file={file}")) is not None:
                raise Failure(f"the profiler cannot start\n{refused}")

    def stop(self) -> list[Recorded]:
        """The recordings of each node."""
        files = []
        for agent, file in self._agents():
            agent.stop(file)
            files.append(file)
        return [Recorded(*each) for each in zip(self._requests.stop(), files, strict=True)]

    def drop(self) -> None:
        """Ends the recordings without keeping them."""
        for agent, file in self._agents():
            agent.stop(file)
            file.unlink()
        self._requests.drop()

    @property
    def _requests(self) -> FlightRecorder:
        return FlightRecorder(self.pids, self.jdk, self.folder, self.host)

    def _agents(self) -> Iterator[tuple[Agent, Path]]:
        for index, pid in enumerate(self.pids):
            agent = Agent(pid, self.jdk, self.library, self.host)
            yield agent, self.folder / f"wall-node{index + 1}.jfr"


def make_graphs(
    folder: Path, recorded: Sequence[Recorded], numbers: Mapping[str, Iterable[str]], title: str, jdk: Jdk, jar: Path
) -> dict[str, int]:
    """`numbers`: of ALL and SLOWEST requests. The first of the recordings is of the asked node, and a request has the
    same number on all nodes. Returns how many samples there are of both."""
    java = [str(jdk.java), "-Xmx512m", "-XX:+UseSerialGC", "-cp", str(jar)]
    _choose(folder, recorded, numbers, java)
    counts = {}
    for name in (ALL, SLOWEST):
        lines = _merged(folder, name, len(recorded))
        counts[name] = sum(lines.values())
        write_lines(_stacks(folder, name), _text(lines))
    seen = [name for name in (ALL, SLOWEST) if counts[name]]
    run_all(
        flame_graph(
            [*java, CONVERTER],
            f"{title}: {GRAPHS[f'flame-wall-{name}']}",
            [],
            [_stacks(folder, name), folder / f"flame-wall-{name}.html"],
        )
        for name in seen
    )
    if SLOWEST in seen:
        _draw_difference(folder, counts, title, java)
    fit_narrow_screens(folder)
    return counts


def _choose(
    folder: Path, recorded: Sequence[Recorded], numbers: Mapping[str, Iterable[str]], java: Sequence[str]
) -> None:
    lists = {name: folder / f".numbers-{name}" for name in (ALL, SLOWEST)}
    for name, file in lists.items():
        write_lines(file, numbers[name])
    run_all(
        [
            *(*java, PROGRAM, str(asked), str(each.requests), str(each.wall)),
            *(str(_chosen(folder, name, node, way)) for way in WAYS),
        ]
        for name, asked in lists.items()
        for node, each in enumerate(recorded)
    )
    for file in lists.values():
        file.unlink()


def _merged(folder: Path, name: str, nodes: int) -> Counter[tuple[str, ...]]:
    """The stacks of all nodes, below the node's part, SERVED or QUEUED, and the group of threads: single threads make
    no difference."""
    found: Counter[tuple[str, ...]] = Counter()
    for node, way in product(range(nodes), WAYS):
        file = _chosen(folder, name, node, way)
        node_part = () if nodes == 1 else (OTHER_NODES,) if node else (ASKED_NODE,)
        for each in stacks.parse(file.read_text()).stacks:
            stack = (*node_part, way, f"threads: {each.group}", *each.frames)
            found[stack] += each.samples
        file.unlink()
    return found


def _draw_difference(folder: Path, counts: Mapping[str, int], title: str, java: Sequence[str]) -> None:
    """Of shares: there are a hundred times as many requests in all as in the slowest 1 %."""
    files = [folder / f".share-{name}.collapsed" for name in (ALL, SLOWEST)]
    for name, file in zip((ALL, SLOWEST), files, strict=True):
        write_lines(file, (_in_parts(line, counts[name]) for line in _stacks(folder, name).read_text().splitlines()))
    words = f"{title}: the slowest 1 % against all, parts of a million"
    run_all([flame_graph([*java, CONVERTER], words, ["--diff"], [*files, folder / f"{DIFFERENCE}.html"])])
    for file in files:
        file.unlink()


def _in_parts(line: str, total: int) -> str:
    """A stack without how its frames were compiled, which differs by itself."""
    stack, _, count = line.rpartition(" ")
    frames = (stacks.MARK.sub("", frame) for frame in stack.split(";"))
    return f"{';'.join(frames)} {int(count) * PARTS_OF_ALL // total}"


def _text(lines: Counter[tuple[str, ...]]) -> Iterator[str]:
    return (f"{';'.join(frames)} {count}" for frames, count in sorted(lines.items()))


def _stacks(folder: Path, name: str) -> Path:
    return folder / f"stacks-wall-{name}.txt"


def _chosen(folder: Path, name: str, node: int, way: str) -> Path:
    return folder / f".chosen-{name}-{node}-{WAYS.index(way)}.collapsed"
