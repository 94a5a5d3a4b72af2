"""What the lab's page says of each node of a target and of its load machines: their work, and the ways between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, cast

from workbook.measure.results import number, section, shown
from workbook.measure.run_folder import NODES
from workbook.measure.style import table

Ways = dict[str, dict[str, float | None]]
"""One figure for each way: by the machine that asks, then by the node that answers. HERE asks all nodes."""

HERE = "this machine"
HEADS = (
    "node",
    "CPU µs/request",
    "share",
    "cores used",
    "limit",
    "machine busy",
    "collections",
    "longest ms",
    "clock ahead ms",
)
LOAD_HEADS = (
    "load machine",
    "achieved 1/s",
    "p99 ms",
    "cores of the tool",
    "machine busy",
    "began late ms",
    "clock ahead ms",
    "round trip from here ms",
)


def nodes_part(facts: Mapping[str, object], lab: Path, folder: str) -> str:
    """Of the run in that folder of the lab; empty where there are no nodes with machines of their own."""
    nodes = cast("list[dict[str, Any]]", facts.get(NODES) or [])
    if not nodes:
        return ""
    total_us = sum(number(section(node, "cpu").get("us_per_request")) or 0.0 for node in nodes)
    names = [str(node["name"]) for node in nodes]
    graphs = "".join(f"<br>{escape(name)}: {links(lab, f'{folder}/{NODES}/{name}')}" for name in names)
    note = "The graphs above are of all nodes together. Of each node:"
    rows = table([*HEADS], [_row(node, total_us) for node in nodes])
    loads = cast("list[dict[str, Any]]", facts.get("load_machines") or [])
    return f"{rows}{_loads(loads)}{_network(nodes, loads)}<p class=dim>{note}{graphs}</p>"


def links(lab: Path, folder: str) -> str:
    """To the graphs in a folder of the lab."""
    return " · ".join(
        f'<a href="{escape(f"{folder}/{page.name}")}">{escape(page.stem.replace("-", " "))}</a>'
        for page in sorted((lab / folder).glob("*.html"))
    )


def _loads(loads: Sequence[Mapping[str, object]]) -> str:
    """A table, if there are several."""
    if len(loads) < 2:
        return ""
    words = (
        "The load came from several machines at once, in equal parts. The figures of the run are those of all requests"
        " together: rates were added, and so were the latencies, value by value. The p99 here is that of one machine."
        " Where a load machine was busy, its own delays are in the latencies."
    )
    return f"{table([*LOAD_HEADS], [_load_row(each) for each in loads])}<p>{escape(words)}</p>"


def _load_row(load: Mapping[str, object]) -> list[str]:
    return [
        str(load["name"]),
        shown(number(load.get("rate_per_s")), 0),
        shown(number(load.get("p99_ms")), 2),
        shown(number(load.get("tool_cores")), 2),
        _percent(number(load.get("machine_busy_share"))),
        shown(number(load.get("began_late_ms")), 1),
        shown(number(section(load, "machine").get("clock_ahead_ms")), 1),
        shown(number(section(load, "round_trip_ms").get("from_here")), 2),
    ]


def _network(nodes: Sequence[Mapping[str, object]], loads: Sequence[Mapping[str, object]]) -> str:
    """The network's floor: from this and the load machines to each node, and from each node to those that it knows."""
    return _round_trips(_ways("round_trip_ms", nodes, loads)) + _throughputs(_ways("throughput_mb_per_s", nodes, loads))


def _ways(what: str, nodes: Sequence[Mapping[str, object]], loads: Sequence[Mapping[str, object]]) -> Ways:
    figures = {str(node["name"]): section(node, what) for node in nodes}
    from_here = {name: each.get("from_load_host") for name, each in figures.items()}
    from_loads = {str(each["name"]): section(section(each, what), "to") for each in loads}
    between = {name: section(each, "to") for name, each in figures.items()}
    sources = {HERE: from_here, **from_loads, **between}
    return {source: {name: number(figure) for name, figure in to.items()} for source, to in sources.items()}


def _round_trips(ways: Ways) -> str:
    known = {name: ms for name, ms in ways[HERE].items() if ms is not None}
    if not known:
        return ""
    nearest, farthest = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    words = (
        "The network's floor: the median round trip of a request for the status over one connection, before the load."
        " A request takes at least this long. If the node must ask another node, that time is added."
    )
    if farthest != nearest:
        words += f" From this machine the nearest node is {nearest}, {known[nearest]:.2f} ms;"
        words += f" the farthest is {farthest}, {known[farthest]:.2f} ms."
    return f"{_ways_table('round trip ms, from', ways, 2)}<p>{escape(words)}</p>"


def _throughputs(ways: Ways) -> str:
    if all(figure is None for to in ways.values() for figure in to.values()):
        return ""
    words = (
        "The throughput of one connection: how fast stored data was received over it, before the load."
        " The machine of the row asked, and the node of the column sent."
        " The network gives at least this much: the node reads its storage meanwhile."
        " In a run, a connection carries the size of a value times its requests a second."
        " It cannot carry more than the network gives."
        " If it carries nearly as much as the table says, the network may be the limit."
        " A way has no figure if less than 1 MiB came over it."
    )
    return f"{_ways_table('MB/s over one connection, from', ways, 1)}<p>{escape(words)}</p>"


def _ways_table(head: str, ways: Ways, digits: int) -> str:
    """A row for each machine from which ways lead."""
    columns = list(dict.fromkeys([*ways[HERE], *(other for to in ways.values() for other in to)]))
    rows = [[source, *(shown(to.get(column), digits) for column in columns)] for source, to in ways.items()]
    return table([head, *(f"to {each}" for each in columns)], rows)


def _row(node: Mapping[str, object], total_us: float) -> list[str]:
    cpu, gc, machine = (section(node, name) for name in ("cpu", "gc", "machine"))
    us = number(cpu.get("us_per_request"))
    cores_limit = number(section(machine, "limits").get("cores"))
    return [
        str(node["name"]),
        shown(us, 1),
        _percent(us / total_us if us is not None and total_us else None),
        shown(number(cpu.get("cores")), 2),
        f"{machine.get('cores')} cores" if cores_limit is None else f"{cores_limit:g} of {machine.get('cores')} cores",
        _percent(number(cpu.get("machine_busy_share"))),
        shown(number(gc.get("collections")), 0),
        shown(number(gc.get("pause_ms_max")), 1),
        shown(number(machine.get("clock_ahead_ms")), 1),
    ]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
