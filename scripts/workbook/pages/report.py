"""The measured data of a stage, as docs/reports/STAGE holds it: docs/reference/run-folder.md describes its files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from workbook.failure import Failure
from workbook.measure.run_folder import MACHINE_JSON, why_not_published

INDEX = "report.json"
FORMAT = 1
EVENTS = {"cpu": "CPU time", "alloc": "allocation", "lock": "lock waits"}
GRAPHS = {
    **{f"flame-{event}": words for event, words in EVENTS.items()},
    "heatmap-cpu": "heatmap",
    **{f"diff-{event}": f"{words}, difference" for event, words in EVENTS.items()},
}
"""What the tabs of a page are called, by the names of the files; not every run has all of them."""

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Rung:
    """One step of a rate ladder."""

    rate_asked_per_s: float
    rate_per_s: float | None
    mean_ms: float | None
    p50_ms: float | None
    p99_ms: float | None
    held: bool
    why_not: str


@dataclass(frozen=True)
class Ladder:
    rungs: tuple[Rung, ...]
    sustainable_per_s: float | None


@dataclass(frozen=True)
class Package:
    """Shares, from 0 to 1, of the samples whose innermost frame is of the package, and of those of which any is."""

    name: str
    self_share: float
    total_share: float


@dataclass(frozen=True)
class Group:
    """Samples of a group of threads, or of a layer."""

    name: str
    samples: int
    share: float


@dataclass(frozen=True)
class Breakdown:
    samples: int
    groups: tuple[Group, ...]
    layers: tuple[Group, ...]
    packages: tuple[Package, ...]
    within: Mapping[tuple[str, str], float]
    """Shares of all samples by group of threads and class that they pass through, without the smallest ones."""


@dataclass(frozen=True)
class Graph:
    """A page that the profiler's converter drew. `path` starts at the report's folder."""

    title: str
    path: str
    bytes: int


@dataclass(frozen=True)
class Run:
    """One run. `entry` is its line in the index; its files are read when they are asked for."""

    folder: Path
    entry: Json

    @property
    def name(self) -> str:
        return str(self.entry["name"])

    @property
    def workload(self) -> str:
        return str(self.entry["workload"])

    @property
    def is_floor(self) -> bool:
        """Whether it is the ruler's own: a server that answers and does nothing else."""
        return bool(self.entry["role"] == "floor")

    @property
    def error_count(self) -> int:
        return sum((self.entry["errors"] or {}).values())

    @cached_property
    def record(self) -> Json:
        """Its run.json."""
        return read_json(self.folder / "run.json")

    @cached_property
    def spectrum(self) -> tuple[tuple[float, float], ...]:
        """Pairs of percentile (0 to 1) and latency in milliseconds."""
        return tuple((at, ms) for at, ms, _ in read_json(self.folder / "percentiles.json")["points"])

    @cached_property
    def latency_count(self) -> int:
        return int(read_json(self.folder / "percentiles.json")["count"])

    def ms_at(self, percentile: float) -> float:
        """The latency that this share of the requests did not exceed."""
        return next((ms for at, ms in self.spectrum if at >= percentile), self.spectrum[-1][1])

    def ladder(self) -> Ladder:
        data = read_json(self.folder / "ladder.json")
        return Ladder(tuple(_rung(each) for each in data["rungs"]), data["sustainable_per_s"])

    def breakdown(self, event: str) -> Breakdown | None:
        """None where the recording has no sample of that kind."""
        data = read_json(self.folder / "breakdown.json").get(event)
        if data is None:
            return None
        return Breakdown(
            data["samples"],
            _groups(data["groups"]),
            _groups(data.get("layers", [])),
            tuple(Package(each["name"], each["self_share"], each["total_share"]) for each in data["packages"]),
            {(each["group"], each["class"]): each["share"] for each in data.get("classes", [])},
        )

    def graphs(self, titles: Mapping[str, str] = GRAPHS) -> list[Graph]:
        """Those that it has of these, by the names of their files."""
        found = []
        for name, title in titles.items():
            file = self.folder / f"{name}.html"
            if file.is_file():
                found.append(Graph(title, f"{self.entry['folder']}/{file.name}", file.stat().st_size))
        return found


@dataclass(frozen=True)
class Report:
    """What the lab made of one stage. `index` is its report.json."""

    stage: str
    index: Json
    runs: Mapping[str, Run]

    @staticmethod
    def read(reports: Path, stage: str) -> Report | None:
        """None where nobody has measured that stage yet."""
        folder = reports / stage
        if not (folder / INDEX).is_file():
            return None
        index = read_published(folder / INDEX)
        if index.get("format") != FORMAT:
            raise Failure(f"{folder / INDEX} is of format={index.get('format')}; this site reads format={FORMAT}")
        runs = [Run(folder / entry["folder"], entry) for entry in index["runs"]]
        return Report(stage, index, {run.name: run for run in runs})

    def of_role(self, role: str) -> list[Run]:
        return [run for run in self.runs.values() if run.entry["role"] == role]


def read_published(file: Path) -> Json:
    """
    Raises:
        Failure: if it is no basis for a figure on a page.
    """
    found = read_json(file)
    if why := why_not_published(found):
        raise Failure(f"{file} cannot be shown: {why}. Commit what has changed, and measure it again in full")
    return found


def check_experiment(folder: Path) -> None:
    """Of what a script of scripts/experiments has measured.

    Raises:
        Failure: if it is no basis for a figure on a page.
    """
    if (folder / MACHINE_JSON).is_file():
        read_published(folder / MACHINE_JSON)


def read_json(file: Path) -> Json:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise Failure(f"cannot read {file}: {problem}") from problem
    assert isinstance(data, dict), file
    return data


def _groups(rows: Sequence[Json]) -> tuple[Group, ...]:
    return tuple(Group(each["name"], each["samples"], each["share"]) for each in rows)


def _rung(data: Json) -> Rung:
    latency = data["latency_ms"] or {}
    return Rung(
        data["rate_asked_per_s"],
        data["rate_per_s"],
        latency.get("mean"),
        latency.get("p50"),
        latency.get("p99"),
        data["held"],
        data["why_not"] or "",
    )
