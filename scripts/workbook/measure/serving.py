"""A filled and warm server for a run. Each target is filled once a command: every run begins with a copy of that."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbook.measure.bench import Bench
from workbook.measure.facts import run_facts, server_command, server_facts
from workbook.measure.filled import Filled
from workbook.measure.load_source import Here
from workbook.measure.measurable import Measurable
from workbook.measure.measuring import Measuring
from workbook.measure.results import section
from workbook.measure.run_folder import RunFolder, made
from workbook.measure.server import MeasuredServer, nodes
from workbook.measure.targets import StartedTarget, Target
from workbook.measure.workload import FIRST_KEY, Load, Workload
from workbook.messages import warn
from workbook.processes import Children
from workbook.remote.cluster import RemoteServer, RemoteTarget, reached
from workbook.remote.load_hosts import LoadHosts, load_hosts
from workbook.remote.network import measure_floor

FILL_TEXT = "fill.txt"


@dataclass(frozen=True)
class Served:
    """A filled and warm server, and the folder of the run that it serves."""

    folder: RunFolder
    server: Measurable
    measuring: Measuring


@contextmanager
def served_in(path: Path, bench: Bench, target: Target, workload: Workload, load: Load) -> Iterator[Served]:
    """In a run folder made for it."""
    with (
        made(path, run_facts(bench, target, workload, load, path.name)) as folder,
        serving(bench, target, workload, load, folder) as served,
    ):
        yield served


@contextmanager
def serving(bench: Bench, target: Target, workload: Workload, load: Load, folder: RunFolder) -> Iterator[Served]:
    match target:
        case RemoteTarget():
            running = _elsewhere(bench, target, workload, folder)
        case StartedTarget():
            running = _started_here(bench, target, workload, folder)
        case _:
            raise AssertionError(f"nobody knows how to reach {target}")
    with running as (server, measuring):
        measuring.warm_up(server, workload, load)
        measuring.await_healed(server)
        folder.facts["data"] = {"bytes_before": server.stored_bytes(), "bytes_after": None}
        yield Served(folder, server, measuring)


@contextmanager
def _started_here(
    bench: Bench, target: StartedTarget, workload: Workload, folder: RunFolder
) -> Iterator[tuple[Measurable, Measuring]]:
    data = bench.work / "data"
    first_port = bench.first_port(target.nodes)
    filled = _filled(bench, target, workload, first_port, folder.path)
    try:
        with Children() as children:
            bench.show(f"starting {target.name}")
            stored = filled.data if filled else None
            server = MeasuredServer(target, first_port, folder.path, data, children, stored)
            folder.facts["server"] = {**server_facts(target, bench), "command": server_command(bench, server)}
            server.await_ready()
            server.collect_garbage(bench.host)
            folder.facts["server"] = {**section(folder.facts, "server"), "selector": server.selector(bench.host)}
            measuring = Measuring(_here(bench, children), bench.show)
            if filled:
                (folder.path / FILL_TEXT).write_text(_kept(filled, server, measuring, workload))
                folder.facts["workload"] = workload.facts(keys_filled=workload.keys)
            yield server, measuring
    finally:
        shutil.rmtree(data, ignore_errors=True)


@contextmanager
def _elsewhere(
    bench: Bench, target: RemoteTarget, workload: Workload, folder: RunFolder
) -> Iterator[tuple[Measurable, Measuring]]:
    """The nodes keep what they have stored from one run to the next, so they are filled once a command, too.

    What the network gives is measured with what they store.
    """
    bench.show(f"reaching the nodes of {target.name}")
    with (
        load_hosts(target, bench.tool, workload) as elsewhere,
        reached(target, folder.path) as server,
        Children() as children,
    ):
        _keep_machines(folder, server, elsewhere)
        measuring = Measuring(_here(bench, children), bench.show, elsewhere)
        filled = None
        if workload.needs_fill:
            key = (*server.urls, *sorted(workload.environment.items()))
            filled = bench.stock.get(key, lambda _: measuring.fill(server, workload))
        server.floor = measure_floor(server, bench.tool.jar, bench.jdk)
        if elsewhere:
            elsewhere.measure_floor(target.file.nodes)
        _keep_machines(folder, server, elsewhere)
        if filled:
            (folder.path / FILL_TEXT).write_text(filled.text)
            folder.facts["workload"] = workload.facts(keys_filled=workload.keys)
        yield server, measuring


def _keep_machines(folder: RunFolder, server: RemoteServer, elsewhere: LoadHosts | None) -> None:
    folder.facts["nodes"] = server.node_facts()
    folder.facts["load_machines"] = elsewhere.facts() if elsewhere else None


def _here(bench: Bench, children: Children) -> Here:
    return Here(bench.tool, bench.host, children)


def _filled(bench: Bench, target: StartedTarget, workload: Workload, first_port: int, folder: Path) -> Filled | None:
    """None where there is nothing to fill."""
    if not workload.needs_fill or not target.stores:
        return None

    def fill(data: Path) -> str:
        logs = folder / "fill"
        logs.mkdir()
        with Children() as children:
            server = MeasuredServer(target, first_port, logs, data, children)
            server.await_ready()
            return Measuring(_here(bench, children), bench.show).fill(server, workload)

    cluster = nodes(target, first_port, bench.work)
    lines = (tuple(target.line(node, cluster, bench.work)) for node in cluster)
    return bench.stock.get((*lines, *sorted(workload.environment.items())), fill)


def _kept(filled: Filled, server: MeasuredServer, measuring: Measuring, workload: Workload) -> str:
    """What was said while it was filled: now, if the server has forgotten what was stored before it was stopped."""
    if not server.lacks(FIRST_KEY):
        return filled.text
    warn(f"{server.target.name} loses its data when it is stopped: it is filled again before each run")
    return measuring.fill(server, workload)
