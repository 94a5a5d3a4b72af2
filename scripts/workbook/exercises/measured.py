"""Runs a measuring command of `./workbook` for an exercise, and reads the figures that it leaves."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from workbook.console import activity
from workbook.failure import Failure
from workbook.host import Host
from workbook.measure import results
from workbook.measure.comparing import COMPARISON_JSON
from workbook.measure.run_folder import read_run
from workbook.processes import Children
from workbook.project import Project

RUN_LINE = "run: "
TICK_S = 0.5
STOP_WITHIN_S = 60.0
"""The command has several blocks of programs, and ends one after another: each within 15 s."""
LAST_LINES = 12
SETTING = re.compile(r"([A-Z_]+)=(.*)")


def settings(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The settings of the load that stand before a command, as in a shell, and the words of the command."""
    found: dict[str, str] = {}
    for number, word in enumerate(words):
        if (setting := SETTING.fullmatch(word)) is None:
            return found, list(words[number:])
        found[setting[1]] = setting[2]
    return found, []


def run(project: Project, host: Host, out: Console, words: Sequence[str]) -> Path:
    """The folder of the run. Raises a Failure with the command's last words when it fails.

    `words`: `REPLICAS=2/3 load 4 put`; settings may be missing.
    """
    load_settings, words = settings(words)
    shown = " ".join([*(f"{name}={value}" for name, value in load_settings.items()), "./workbook", *words])
    out.print(f"$ {shown}")
    folder: Path | None = None
    last: list[str] = []
    with Children(STOP_WITHIN_S, told_twice=True) as children, activity(out, words[0]) as show:
        command = [sys.executable, "-E", str(project.root / "scripts"), *words]
        child = children.start(words[0], command, cwd=project.root, env={**host.env, **load_settings})
        for line in child.lines(TICK_S):
            if line is None:
                continue
            show(line)
            last = [*last, line][-LAST_LINES:]
            if line.startswith(RUN_LINE):
                folder = project.root / line.removeprefix(RUN_LINE)
        exit_code = child.wait()
    if exit_code != 0 or folder is None:
        raise Failure(f"{shown} failed (exit code {exit_code}):\n" + "\n".join(last))
    return folder


def figures(folder: Path) -> dict[str, Any]:
    """Those of run.json that are compared; under overload the share that was refused; of several nodes the CPU time of
    each; of a profile the samples by thread group and by layer."""
    facts = read_run(folder)
    found: dict[str, Any] = {name: value for name, value in results.figures(facts).items() if value is not None}
    if (refused_share := results.number(results.section(facts, "results").get("refused_share"))) is not None:
        found["refused_share"] = refused_share
    by_node = results.section(facts, "cpu").get("server_us_per_request_by_node")
    if isinstance(by_node, list):
        found["server_cpu_by_node"] = {f"node {number}": value for number, value in enumerate(by_node, 1)}
    ladder = folder / "ladder.json"
    if ladder.is_file():
        found["sustainable_per_s"] = json.loads(ladder.read_text(encoding="utf-8"))["sustainable_per_s"]
    breakdown = folder / "breakdown.json"
    if breakdown.is_file():
        for event, tables in json.loads(breakdown.read_text(encoding="utf-8")).items():
            for table in ("groups", "layers"):
                rows = tables.get(table, [])
                found[f"{event}_{table}"] = {row["name"]: row["samples"] for row in rows}
    return found


def comparison(folder: Path) -> list[Mapping[str, Any]]:
    """The sides of a comparison, with the median of each figure."""
    sides: list[Mapping[str, Any]] = json.loads((folder / COMPARISON_JSON).read_text(encoding="utf-8"))["sides"]
    return sides
