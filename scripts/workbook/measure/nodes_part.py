"""What the lab's page says of each node of a target: its share of the work, its machine, and its own graphs."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, cast

from workbook.measure.results import number, section, shown
from workbook.measure.run_folder import NODES
from workbook.measure.style import table

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


def nodes_part(facts: Mapping[str, object], lab: Path, folder: str) -> str:
    """Of the run in that folder of the lab; empty where there are no nodes with machines of their own."""
    nodes = cast("list[dict[str, Any]]", facts.get(NODES) or [])
    if not nodes:
        return ""
    total_us = sum(number(section(node, "cpu").get("us_per_request")) or 0.0 for node in nodes)
    names = [str(node["name"]) for node in nodes]
    graphs = "".join(f"<br>{escape(name)}: {links(lab, f'{folder}/{NODES}/{name}')}" for name in names)
    note = "The graphs above are of all nodes together. Of each node:"
    return f"{table([*HEADS], [_row(node, total_us) for node in nodes])}<p class=dim>{note}{graphs}</p>"


def links(lab: Path, folder: str) -> str:
    """To the graphs in a folder of the lab."""
    return " · ".join(
        f'<a href="{escape(f"{folder}/{page.name}")}">{escape(page.stem.replace("-", " "))}</a>'
        for page in sorted((lab / folder).glob("*.html"))
    )


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
