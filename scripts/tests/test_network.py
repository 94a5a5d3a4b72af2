"""The network's floor of a target: what is asked, what is read, and what the page says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbook.measure.nodes_part import nodes_part
from workbook.remote.clock import Clock
from workbook.remote.cluster import Reached
from workbook.remote.machine import Inspected
from workbook.remote.network import Way, peer_urls, read
from workbook.remote.place import Place
from workbook.remote.target_file import RemoteNode


def node(name: str, to: dict[str, float | None], from_here: float | None) -> dict[str, Any]:
    return {"name": name, "round_trip_ms": {"from_load_host": from_here, "to": to}}


@pytest.mark.parametrize(
    ("options", "peers"),
    [
        ("--self http://a:1 --cluster http://a:1,http://b:1,http://c:1 --data /x", ["http://b:1", "http://c:1"]),
        ("--self=http://b:1 --cluster=http://a:1,http://b:1", ["http://a:1"]),
        ("--port 8080", []),
        ("--cluster-secret --cluster", []),
    ],
)
def test_node_is_asked_for_those_that_its_own_options_list(options: str, peers: list[str]) -> None:
    inspected = Inspected(1, {"options": f"java_command: /x/server.jar {options}\n"})

    assert peer_urls(Reached(RemoteNode(Place("a"), "http://here:1"), inspected, Clock(0, 0))) == peers


def test_figures_are_by_name_or_by_address_where_nobody_has_the_name() -> None:
    text = "a greeting\n\nhttp://b:1 10125 117.4\nhttp://c:1 - -\nhttp://d:1 90 8.0\n"

    assert read(text, {"http://b:1": "node-2", "http://c:1": "node-3"}) == {
        "node-2": Way(10.125, 117.4),
        "node-3": Way(None, None),
        "d:1": Way(0.09, 8.0),
    }


def test_each_figure_may_be_missing_without_the_other() -> None:
    text = "http://b:1 90 -\nhttp://c:1 - 8.5\nhttp://d:1 90 1"  # What wrote the last line was ended.

    assert read(text, {}) == {"b:1": Way(0.09, None), "c:1": Way(None, 8.5)}


def test_page_shows_who_is_far_from_whom(tmp_path: Path) -> None:
    nodes = [node("node-1", {"node-2": 10.1}, 0.11), node("node-2", {"node-1": None}, 10.22)]

    page = nodes_part({"nodes": nodes}, tmp_path, "run")

    assert "<td>this machine</td><td class=n>0.11</td><td class=n>10.22</td>" in page
    assert "<td>node-1</td><td class=n>-</td><td class=n>10.10</td>" in page
    assert "<td>node-2</td><td class=n>-</td><td class=n>-</td>" in page
    assert "the nearest node is node-1, 0.11 ms; the farthest is node-2, 10.22 ms." in page


def test_page_shows_how_much_a_connection_carries_from_whom_to_whom(tmp_path: Path) -> None:
    nodes = [node("node-1", {"node-2": 10.1}, 0.11), node("node-2", {"node-1": None}, 10.22)]
    nodes[0]["throughput_mb_per_s"] = {"from_load_host": 1117.44, "to": {"node-2": 94.21}}
    nodes[1]["throughput_mb_per_s"] = {"from_load_host": None, "to": {"node-1": None}}
    load = {"name": "load-1", "throughput_mb_per_s": {"to": {"node-1": 8.0, "node-2": 7.96}}}

    page = nodes_part({"nodes": nodes, "load_machines": [load]}, tmp_path, "run")

    trips, throughputs = page[page.index("round trip ms, from") :].split("MB/s over one connection, from")
    assert "<td>node-1</td><td class=n>-</td><td class=n>10.10</td>" in trips
    assert "<th class=n>to node-1</th><th class=n>to node-2</th>" in throughputs
    assert "<td>this machine</td><td class=n>1 117.4</td><td class=n>-</td>" in throughputs
    assert "<td>load-1</td><td class=n>8.0</td><td class=n>8.0</td>" in throughputs
    assert "<td>node-1</td><td class=n>-</td><td class=n>94.2</td>" in throughputs
    assert "<td>node-2</td><td class=n>-</td><td class=n>-</td>" in throughputs
    assert "at least this much" in throughputs


def test_page_has_no_table_of_throughputs_if_no_node_has_data(tmp_path: Path) -> None:
    nodes = [node("node-1", {"node-2": 10.1}, 0.11), node("node-2", {"node-1": 10.2}, 10.22)]
    before = nodes_part({"nodes": nodes}, tmp_path, "run")
    for each in nodes:
        each["throughput_mb_per_s"] = {"from_load_host": None, "to": dict.fromkeys(each["round_trip_ms"]["to"])}

    assert "floor" in before
    assert "one connection, from" not in before
    assert nodes_part({"nodes": nodes}, tmp_path, "run") == before


def test_page_of_a_run_without_these_figures_has_no_floor(tmp_path: Path) -> None:
    assert "floor" not in nodes_part({"nodes": [{"name": "node-1"}]}, tmp_path, "run")
