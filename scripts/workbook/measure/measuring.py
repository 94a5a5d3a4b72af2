"""One run: fill, warm up, measure, against a server that was just started."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbook.failure import Failure
from workbook.measure import usage
from workbook.measure.healing import await_delivery
from workbook.measure.load_report import LoadReport
from workbook.measure.load_source import Here, Loaded, LoadSource
from workbook.measure.measurable import Measurable
from workbook.measure.merging import timeline_text
from workbook.measure.run_folder import RunFolder, write_json
from workbook.measure.status_probe import StatusProbe
from workbook.measure.workload import Load, Workload
from workbook.messages import warn

TRIES_MAX = 4
OTHERS_CORES_MAX = 0.25
"""What others may use meanwhile. The kernel's own work for the network, which nobody is charged with, is among it."""
FILL_WITHIN_S = 600.0
WINDOW_BEGINS_S, WINDOW_ENDS_S = 0.7, 0.4
"""Margins within a run that keep its beginning and its end out of what the server has used."""

Show = Callable[[str], None]


@dataclass(frozen=True)
class Window:
    """A moment of a run: the time, and what had been used by then. `tools`: by those here; `loads`: by the others.

    `clock_s` is of a clock that nobody sets, for durations.
    """

    time_s: float
    clock_s: float
    used: usage.Used
    tools: usage.CpuTime
    loads: tuple[usage.ToolUsed, ...] = ()

    @property
    def machines(self) -> Mapping[str, usage.Busy]:
        """All that take part, each once. This machine is the first one."""
        apart = {each.place: each.busy for each in self.loads if each.place not in self.used.machines}
        return {**self.used.machines, **apart}

    @staticmethod
    def now(server: Measurable, tools: list[int], source: LoadSource) -> Window:
        """The time is that of the answer: to reach a node takes longer than to come back from it."""
        used = server.used()
        return Window(time.time(), time.monotonic(), used, usage.cpu_time(tools), source.used())


@dataclass(frozen=True)
class Measured:
    """What one run of the load gave, and what was used from `first` to `last`, both within it."""

    loaded: Loaded
    first: Window
    last: Window
    status_text: str | None = None
    status: LoadReport | None = None

    @property
    def report(self) -> LoadReport:
        return self.loaded.report

    @property
    def text(self) -> str:
        return self.loaded.text

    @property
    def window_s(self) -> float:
        return self.last.clock_s - self.first.clock_s

    def counted_s(self, load: Load) -> tuple[float, float]:
        """From when to when the load tool counts the latencies of requests, within this time."""
        return self.first.time_s + load.forgets_s, self.last.time_s

    @property
    def cpu(self) -> tuple[usage.CpuTime, ...]:
        """Of each node."""
        return tuple(last.since(first) for first, last in zip(self.first.used.nodes, self.last.used.nodes, strict=True))

    @property
    def others_cores(self) -> float | None:
        """Of several machines, where others are busiest."""
        before, after = self.first.machines, self.last.machines
        ours_s = dict.fromkeys(before, 0.0)
        ours_s[next(iter(before))] += self.last.tools.since(self.first.tools).total_s
        for place, cpu in zip(self.first.used.places, self.cpu, strict=True):
            ours_s[place] += cpu.total_s
        for first, last in zip(self.first.loads, self.last.loads, strict=True):
            ours_s[last.place] += last.cpu.since(first.cpu).total_s
        found = [usage.others_cores(before[each], after[each], ours_s[each], self.window_s) for each in before]
        return max((each for each in found if each is not None), default=None)

    @property
    def is_disturbed(self) -> bool:
        return is_disturbed_by(self.others_cores)

    @property
    def requests(self) -> float:
        """In the window, of both tools."""
        rates = [report.rate_per_s or 0.0 for report in (self.report, self.status) if report]
        return sum(rates) * self.window_s

    @property
    def cpu_us_by_node(self) -> list[float]:
        """For each request, wherever it was served: their sum is what a request costs."""
        return [round(each.total_s * 1e6 / self.requests, 2) for each in self.cpu] if self.requests else []

    @property
    def cpu_us_per_request(self) -> float | None:
        return round(sum(self.cpu_us_by_node), 2) if self.cpu_us_by_node else None


@dataclass(frozen=True)
class Measuring:
    """Has a server loaded: from `elsewhere`, if that is set. The tool `here` fills it, and asks for its status."""

    here: Here
    show: Show
    elsewhere: LoadSource | None = None

    @property
    def source(self) -> LoadSource:
        return self.elsewhere or self.here

    def fill(self, server: Measurable, workload: Workload) -> str:
        """Writes every key once; returns what the load tool said."""
        self.show(f"filling {server.target.name} with {workload.keys} keys")
        tool = self.here.tool
        env = tool.env(workload, Load(0), server.urls, self.here.host)
        command = tool.fill_command(server.urls[0])
        text = self.here.run(command, env, FILL_WITHIN_S, lambda _: server.check_alive())
        if "Filled " not in text:
            raise Failure(f"the fill did not end well:\n{text.strip()}")
        return text

    def warm_up(self, server: Measurable, workload: Workload, load: Load) -> None:
        """A burst, then the rate of the run: in a run of its own, unless the tool has it within each run."""
        at_rate = load.lasting(0.0 if self.source.tool.making(workload).warms_up else load.warmup_s)
        texts = []
        for each in (load.burst, at_rate):
            if each.duration_s > 0:
                self.show(f"warming up {server.target.name} with {workload.name} for {each.duration_s:g} s")
                texts.append(self.measure(server, workload, each).text)
        if texts:
            (server.folder / "warmup.txt").write_text("\n".join(texts))

    def await_healed(self, server: Measurable) -> None:
        """So that no copies of the fill and of the warm-up are made during the measurement."""

        def on_wait(left: int) -> None:
            self.show(f"{server.target.name} still has {left} hints to deliver")
            server.check_alive()

        if left := await_delivery(server.urls, on_wait):
            warn(f"{server.target.name} still has {left} hints to deliver: the measurement includes it")

    def measure(self, server: Measurable, workload: Workload, load: Load) -> Measured:
        """Again, if the tool slept; after some tries it is as it is."""
        for _ in range(TRIES_MAX):
            measured = self._measure(server, workload, load)
            if not measured.loaded.tool_slept:
                break
        return measured

    def _measure(self, server: Measurable, workload: Workload, load: Load) -> Measured:
        windows: list[Window] = []
        probes: list[StatusProbe] = []
        warmup_s = self.source.tool.making(workload).warmup_within_s(load)
        begins_s = warmup_s + WINDOW_BEGINS_S
        ends_s = warmup_s + load.duration_s - WINDOW_ENDS_S - server.look_s

        def on_tick(lasted_s: float) -> None:
            server.check_alive()
            if load.status_per_s and not probes:
                probes.append(StatusProbe(self.here, load, server.urls[0]))
            if (not windows and lasted_s >= begins_s) or (len(windows) == 1 and lasted_s >= ends_s):
                windows.append(self._window(server))

        loaded = self.source.load(workload, load, server.urls, on_tick)
        server.check_alive()
        status_text, status = probes[0].result() if probes else (None, None)
        report = replace(loaded.report, allowed_statuses=workload.allowed_statuses)
        windows += [self._window(server)] * (2 - len(windows))
        return Measured(replace(loaded, report=report), windows[0], windows[1], status_text, status)

    def _window(self, server: Measurable) -> Window:
        tools = [pid for pid in self.here.children.pids if pid not in server.pids]
        return Window.now(server, tools, self.source)


def is_disturbed_by(others_cores: float | None) -> bool:
    return others_cores is not None and others_cores > OTHERS_CORES_MAX


def keep(folder: RunFolder, measured: Measured, server: Measurable, source: LoadSource) -> None:
    """Writes a run's figures to its folder, those of a run that is refused as well."""
    report = measured.report
    (folder.path / "load.txt").write_text(measured.text)
    if measured.loaded.timeline:
        (folder.path / "timeline.csv").write_text(timeline_text(measured.loaded.timeline))
    _keep_percentiles(folder.path / "percentiles.json", report)
    folder.facts["results"] = results_of(report)
    if measured.status is not None:
        (folder.path / "status.txt").write_text(measured.status_text or "")
        _keep_percentiles(folder.path / "status-percentiles.json", measured.status)
        folder.facts["status_results"] = results_of(measured.status)
    folder.facts["errors"] = report.errors.__dict__
    folder.facts["cpu"] = cpu_facts(measured)
    server.fetch_gc_logs()
    collections = server.collections(measured.first.time_s, measured.last.time_s)
    folder.facts["gc"] = collections.__dict__ if collections else None
    folder.facts["nodes"] = server.node_facts(measured)
    folder.facts["load_machines"] = source.facts(measured)
    folder.facts["data"] = {**_data(folder), "bytes_after": server.stored_bytes()}
    folder.save()


def _keep_percentiles(path: Path, report: LoadReport) -> None:
    points = [list(point) for point in report.latency.points]
    write_json(path, {"unit": "ms", "count": report.latency.count, "points": points})


def results_of(report: LoadReport) -> dict[str, object]:
    return {
        "requests": report.requests,
        "duration_s": report.duration_s,
        "rate_per_s": report.rate_per_s,
        "latency_ms": report.latency.named(),
        "latency_count": report.latency.count,
        **({"from_sending_ms": report.from_sending.named()} if report.from_sending.mean is not None else {}),
        "hit_ratio": report.hit_ratio,
        **(_overload(report) if report.allowed_statuses else {}),
    }


def _overload(report: LoadReport) -> dict[str, object]:
    """Of a load under which a server may refuse."""
    requests, duration_s = report.requests or 0, report.duration_s or 0.0
    return {
        "accepted_per_s": round((requests - report.refused) / duration_s, 2) if duration_s else None,
        "refused_share": round(report.refused / requests, 4) if requests else None,
        "accepted_ms": report.accepted_ms or None,
    }


def cpu_facts(measured: Measured) -> dict[str, object]:
    cpu, by_node = measured.cpu, measured.cpu_us_by_node
    total_s = sum(each.total_s for each in cpu)
    return {
        "window_s": round(measured.window_s, 2),
        "server_us_per_request": measured.cpu_us_per_request,
        "server_us_per_request_by_node": by_node if len(by_node) > 1 else None,
        "server_user_s": round(sum(each.user_s for each in cpu), 2) if cpu else None,
        "server_system_s": round(sum(each.system_s for each in cpu), 2) if cpu else None,
        "server_cores": round(total_s / measured.window_s, 3) if cpu and measured.window_s else None,
        "others_cores": measured.others_cores,
        "machine_busy_share": usage.busy_share(measured.first.used.here, measured.last.used.here),
    }


def refuse_errors(measured: Measured, folder: Path) -> None:
    """A run with errors is not a throughput."""
    for report, name in ((measured.report, "load.txt"), (measured.status, "status.txt")):
        if report is not None and (why := report.refused_because()) is not None:
            raise Failure(f"this run is no measurement: {why}; what the load tool said is in {folder / name}")


def _data(folder: RunFolder) -> dict[str, object]:
    found = folder.facts.get("data")
    return found if isinstance(found, dict) else {}
