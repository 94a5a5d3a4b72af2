"""What run.json says of a run before it has begun."""

from __future__ import annotations

from workbook.measure import allocation
from workbook.measure.bench import Bench
from workbook.measure.load_tool import LoadTool
from workbook.measure.server import MeasuredServer
from workbook.measure.targets import Target
from workbook.measure.workload import Load, Workload


def run_facts(bench: Bench, target: Target, workload: Workload, load: Load, name: str) -> dict[str, object]:
    tool = target.load_tool(bench.tool).making(workload)
    return {
        "name": name,
        **bench.facts,
        "stage": target.stage_name,
        "server": server_facts(target, bench),
        "workload": workload.facts(keys_filled=0),
        "load": {
            "tool": tool.name,
            "command": _load_command(bench, tool, workload, load),
            "rate_asked_per_s": load.rate_per_s,
            "threads": load.threads,
            "connections": load.connections,
            "spread": load.is_spread,
            "machines": load.machines,
            "status_asked_per_s": load.status_per_s,
            "burst_s": load.burst_s,
            "warmup_s": load.warmup_s,
            "duration_s": load.duration_s,
        },
        **dict.fromkeys(("nodes", "load_machines", "data", "results", "status_results")),
        **dict.fromkeys(("errors", "cpu", "gc", "profile")),
        **allocation.facts((), 0.0),
    }


def server_facts(target: Target, bench: Bench) -> dict[str, object]:
    return {
        "kind": target.kind,
        "name": target.name,
        "command": None,
        "nodes": target.nodes,
        "selector": None,
        "jdk": bench.jdk.version if target.jdk else None,
        "jvm_flags": list(target.flags.jvm) if target.jdk else None,
        "options": list(target.flags.server) if target.jdk else None,
    }


def _load_command(bench: Bench, tool: LoadTool, workload: Workload, load: Load) -> list[str]:
    """Of each load tool, if there are several."""
    words = tool.command(workload, load.part, "{url}")
    return _without_places(words, {str(tool.wrk2): "wrk2", **_places(bench)})


def server_command(bench: Bench, server: MeasuredServer) -> list[str]:
    own = {str(server.nodes[0].data): "{data}", str(server.folder): "{run}"}
    return _without_places(server.command(), {**own, **_places(bench)})


def _places(bench: Bench) -> dict[str, str]:
    found = {bench.work: "{work}", bench.project.root: "{project}", bench.jdk.home: "{jdk}", bench.host.home: "{home}"}
    return {str(place): name for place, name in found.items()}


def _without_places(words: list[str], places: dict[str, str]) -> list[str]:
    """The folders of this machine are no part of a measurement."""
    for place, name in places.items():
        words = [word.replace(place, name) for word in words]
    return words
