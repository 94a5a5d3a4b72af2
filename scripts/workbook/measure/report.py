"""report.json: the index of a lab's runs, with the figures that a table of them needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from workbook.failure import Failure
from workbook.measure.results import section

REPORT_JSON = "report.json"
LOAD, PROFILE, LADDER, FLOOR, REFERENCE = "load", "profile", "ladder", "floor", "reference"
TRACE = "trace"
PROFILE_BEFORE, LADDER_BEFORE = "profile-before", "ladder-before"
LADDER_CLUSTER = "ladder-cluster"
"""Of the stage as three nodes, where everything else is measured of one."""
PROFILE_ASKED, PROFILE_OWNER, PROFILE_THIRD = "profile-asked", "profile-owner", "profile-third"
"""Of a cluster: the node that all clients ask, and the two that execute what the first one forwards."""
FORWARDING = {
    PROFILE_ASKED: "the asked node",
    PROFILE_OWNER: "a node that is forwarded to",
    PROFILE_THIRD: "the other node that is forwarded to",
}
"""In the order of the nodes."""
PROFILES = (PROFILE, PROFILE_BEFORE, *FORWARDING)
LADDERS = (LADDER, LADDER_BEFORE, LADDER_CLUSTER)


def entry(folder: Path, role: str, title: str, facts: Mapping[str, object]) -> dict[str, object]:
    """Of one run, folder named from the report's own."""
    results = section(facts, "results")
    return {
        "name": folder.name,
        "folder": folder.name,
        "role": role,
        "title": title,
        "workload": section(facts, "workload").get("name"),
        "server": section(facts, "server").get("name"),
        "files": facts.get("files"),
        "rate_asked_per_s": section(facts, "load").get("rate_asked_per_s") if role not in LADDERS else None,
        "rate_per_s": results.get("rate_per_s"),
        "latency_ms": results.get("latency_ms"),
        "errors": facts.get("errors"),
        "server_cpu_us_per_request": section(facts, "cpu").get("server_us_per_request"),
    }


def read_report(folder: Path) -> dict[str, object]:
    try:
        found = json.loads((folder / REPORT_JSON).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise Failure(f"{folder} has no report: {problem}") from problem
    return dict(found)
