"""One run: fill, warm up, measure, against a server that was just started."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from workbook.failure import Failure
from workbook.host import Host
from workbook.measure import usage
from workbook.measure.load_report import LoadReport, read_report
from workbook.measure.load_tool import LoadTool
from workbook.measure.measurable import Measurable
from workbook.measure.run_folder import RunFolder, write_json
from workbook.measure.status_probe import StatusProbe
from workbook.measure.workload import Load, Workload
from workbook.processes import Children

TICK_S = 0.1
ENDS_WITHIN_S = 15.0
"""How much longer than told a load tool may take: wrk2 looks every two seconds whether its time is up."""
TRIES_MAX = 4
OTHERS_CORES_MAX = 0.25
"""What others may use meanwhile. The kernel's own work for the network, which nobody is charged with, is among it."""
FILL_WITHIN_S = 600.0
WINDOW_BEGINS_S, WINDOW_ENDS_S = 0.7, 0.4
"""Margins within a run that keep its beginning and its end out of what the server has used."""

Show = Callable[[str], None]


@dataclass(frozen=True)
class Window:
    """A moment of a run: the time, and what had been used by then."""

    time_s: float
    used: usage.Used
    tools: usage.CpuTime

    @staticmethod
    def now(server: Measurable, tools: list[int]) -> Window:
        """The time is that of the answer: to reach a node takes longer than to come back from it."""
        used = server.used()
        return Window(time.time(), used, usage.cpu_time(tools))


@dataclass(frozen=True)
class Measured:
    """What one run of the load tool gave, and what was used from `first` to `last`, both within it."""

    report: LoadReport
    text: str
    first: Window
    last: Window
    status_text: str | None = None
    status: LoadReport | None = None

    @property
    def window_s(self) -> float:
        return self.last.time_s - self.first.time_s

    @property
    def cpu(self) -> tuple[usage.CpuTime, ...]:
        """Of each node."""
        return tuple(last.since(first) for first, last in zip(self.first.used.nodes, self.last.used.nodes, strict=True))

    @property
    def others_cores(self) -> float | None:
        """Of several machines, where others are busiest."""
        ours_s = [self.last.tools.since(self.first.tools).total_s, *[0.0] * (len(self.first.used.machines) - 1)]
        for place, cpu in zip(self.first.used.places, self.cpu, strict=True):
            ours_s[place] += cpu.total_s
        machines = zip(self.first.used.machines, self.last.used.machines, ours_s, strict=True)
        found = [usage.others_cores(before, after, ours, self.window_s) for before, after, ours in machines]
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
    """Drives the load tool against a server."""

    tool: LoadTool
    host: Host
    children: Children
    show: Show

    def fill(self, server: Measurable, workload: Workload) -> str:
        """Writes every key once; returns what the load tool said."""
        self.show(f"filling {server.target.name} with {workload.keys} keys")
        text = self._run(self.tool.fill_command(server.urls[0]), workload, Load(0), server, FILL_WITHIN_S, None)
        if "Filled " not in text:
            raise Failure(f"the fill did not end well:\n{text.strip()}")
        return text

    def warm_up(self, server: Measurable, workload: Workload, load: Load) -> None:
        """A burst, then the rate of the run: in a run of its own, unless the tool has it within each run."""
        at_rate = load.lasting(0.0 if self.tool.making(workload).warms_up else load.warmup_s)
        texts = []
        for each in (load.burst, at_rate):
            if each.duration_s > 0:
                self.show(f"warming up {server.target.name} with {workload.name} for {each.duration_s:g} s")
                texts.append(self.measure(server, workload, each).text)
        if texts:
            (server.folder / "warmup.txt").write_text("\n".join(texts))

    def measure(self, server: Measurable, workload: Workload, load: Load) -> Measured:
        """Again, if the tool began late; after some tries it is as it is."""
        for _ in range(TRIES_MAX):
            measured = self._measure(server, workload, load)
            if not self.tool.making(workload).has_begun_late(load, measured.report):
                break
        return measured

    def _measure(self, server: Measurable, workload: Workload, load: Load) -> Measured:
        windows: list[Window] = []
        tool = self.tool.making(workload)
        warmup_s = tool.warmup_within_s(load)
        begins_s = warmup_s + WINDOW_BEGINS_S
        ends_s = warmup_s + load.duration_s - WINDOW_ENDS_S - server.look_s

        def watch(lasted_s: float) -> None:
            if (not windows and lasted_s >= begins_s) or (len(windows) == 1 and lasted_s >= ends_s):
                windows.append(self._window(server))

        limit_s = warmup_s + load.duration_s + ENDS_WITHIN_S
        command = tool.command(workload, load, server.urls[0])
        probe = StatusProbe(self.tool, load, server.urls[0], self.children, self.host) if load.status_per_s else None
        text = self._run(command, workload, load, server, limit_s, watch)
        server.check_alive()
        status_text, status = probe.result() if probe else (None, None)
        report = replace(read_report(text), allowed_statuses=workload.allowed_statuses)
        windows += [self._window(server)] * (2 - len(windows))
        return Measured(report, text, windows[0], windows[1], status_text, status)

    def _window(self, server: Measurable) -> Window:
        tools = [pid for pid in self.children.pids if pid not in server.pids]
        return Window.now(server, tools)

    def _run(
        self,
        command: list[str],
        workload: Workload,
        load: Load,
        server: Measurable,
        limit_s: float,
        watch: Callable[[float], None] | None,
    ) -> str:
        """All that the tool prints. Ends it when the server has died, or when it takes too long."""
        lines: list[str] = []
        env = self.tool.env(workload, load, server.urls, self.host)
        child = self.children.start("the load tool", command, env=env)
        started_s = time.monotonic()
        if watch is not None:
            watch(0.0)
        for line in child.lines(TICK_S):
            if line is not None:
                lines.append(line)
            server.check_alive()
            lasted_s = time.monotonic() - started_s
            if watch is not None:
                watch(lasted_s)
            if lasted_s > limit_s:
                raise Failure(f"the load tool still runs after {lasted_s:.0f} s; it was to end by {limit_s:.0f} s")
        exit_code = child.wait()
        text = "\n".join([*lines, ""])
        if exit_code != 0:
            server.check_alive()
            raise Failure(f"the load tool has ended with exit code {exit_code}:\n{text.strip()[-2000:]}")
        return text


def is_disturbed_by(others_cores: float | None) -> bool:
    return others_cores is not None and others_cores > OTHERS_CORES_MAX


def keep(folder: RunFolder, measured: Measured, server: Measurable) -> None:
    """Writes a run's figures to its folder, those of a run that is refused as well."""
    report = measured.report
    (folder.path / "load.txt").write_text(measured.text)
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
        "machine_busy_share": usage.busy_share(measured.first.used.machines[0], measured.last.used.machines[0]),
    }


def refuse_errors(measured: Measured, folder: Path) -> None:
    """A run with errors is not a throughput."""
    for report, name in ((measured.report, "load.txt"), (measured.status, "status.txt")):
        if report is not None and (why := report.refused_because()) is not None:
            raise Failure(f"this run is no measurement: {why}; what the load tool said is in {folder / name}")


def _data(folder: RunFolder) -> dict[str, object]:
    found = folder.facts.get("data")
    return found if isinstance(found, dict) else {}
