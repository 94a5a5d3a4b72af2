"""The three kinds of runs: a load, a load with a profile, and a rate ladder. Each leaves its folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from workbook.failure import Failure
from workbook.measure import ladder, profiler
from workbook.measure.bench import Bench
from workbook.measure.graphs import make_differences, make_graphs
from workbook.measure.ladder import Found, Limits, Plan, Step
from workbook.measure.measuring import Beside, Measuring, cpu_facts, keep, refuse_errors
from workbook.measure.profiler import Recorder
from workbook.measure.run_folder import RunFolder, made, write_json
from workbook.measure.server import MeasuredServer
from workbook.measure.targets import Target, check_profilable
from workbook.measure.usage import bytes_below
from workbook.measure.workload import Load, Workload
from workbook.processes import Children


@dataclass(frozen=True)
class Served:
    """A filled and warm server, and the folder of the run that it serves."""

    folder: RunFolder
    server: MeasuredServer
    measuring: Measuring


def load(bench: Bench, target: Target, workload: Workload, load: Load, path: Path) -> RunFolder:
    with _served(bench, target, workload, load, path) as served:
        _measure(bench, served, workload, load, None)
    return served.folder


def profile(
    bench: Bench, target: Target, workload: Workload, load: Load, path: Path, against: Path | None = None
) -> RunFolder:
    """A load with a recording within it, and all that is made of the recording."""
    check_profilable(target)
    with made(path, _facts(bench, target, workload, load, path.name)) as folder:
        with _serving(bench, target, workload, load, folder) as served:
            recorder = _recorder(bench, served, load)
            try:
                _measure(bench, served, workload, load, recorder.beside)
            finally:
                folder.facts["profile"] = recorder.facts()
            recorder.finish()
        bench.show(f"making the graphs of {path.name}")
        title = f"{target.name} {workload.name} at {load.rate_per_s}/s"
        samples = make_graphs(path, recorder.recording, title, bench.jdk, bench.tool.jar)
        if against is not None:
            make_differences(path, against, f"{title} against {against.name}", bench.jdk, bench.tool.jar)
        folder.facts["profile"] = {
            **recorder.facts(),
            "samples": samples,
            "against": bench.project.short(against) if against else None,
        }
        return folder


def saturate(
    bench: Bench, target: Target, workload: Workload, load: Load, plan: Plan, limits: Limits, path: Path
) -> tuple[RunFolder, Found]:
    """Climbs the rate ladder; each rung is on disk before the next one is tried."""
    with _served(bench, target, workload, load.at(plan.from_per_s), path) as served:
        rungs: list[dict[str, object]] = []
        facts: dict[str, object] = {
            "workload": workload.name,
            "threads": load.threads,
            "connections": load.connections,
            "rung_s": load.duration_s,
            "limits": limits.__dict__,
            "sustainable_per_s": None,
            "tops_out": False,
            "rungs": rungs,
        }
        (path / "rungs").mkdir()

        def rung(rate_per_s: int, phase: str) -> Step:
            lasts_s = max(load.duration_s, plan.confirm_s) if phase == ladder.CONFIRM else load.duration_s
            warmup_s = 0.0 if rungs else load.warmup_s
            asked = replace(load, rate_per_s=rate_per_s, duration_s=lasts_s, warmup_s=warmup_s)
            bench.show(f"{workload.name}: {phase} {rate_per_s}/s for {lasts_s:g} s")
            measured = served.measuring.measure(served.server, workload, asked, None)
            report = measured.report
            achieved_share = asked.achieved_share(report.rate_per_s or 0.0)
            why_not = limits.why_not(report, achieved_share)
            (path / "rungs" / f"{rate_per_s}-{len(rungs) + 1}.txt").write_text(measured.text)
            rungs.append(
                {
                    "phase": phase,
                    "duration_s": lasts_s,
                    "rate_asked_per_s": rate_per_s,
                    "rate_per_s": report.rate_per_s,
                    "latency_ms": report.latency.named(),
                    "errors": report.errors.__dict__,
                    "server_cpu_us_per_request": cpu_facts(measured)["server_us_per_request"],
                    "held": why_not is None,
                    "why_not": why_not,
                }
            )
            write_json(path / "ladder.json", facts)
            return limits.step(report, achieved_share)

        found = ladder.climb(plan, rung)
        facts["sustainable_per_s"], facts["tops_out"] = found.sustainable_per_s, found.tops_out
        write_json(path / "ladder.json", facts)
        if found.sustainable_per_s is None:
            last = rungs[-1]
            raise Failure(f"no rate was sustained, not even {last['rate_asked_per_s']}/s: {last['why_not']}")
    return served.folder, found


@contextmanager
def _served(bench: Bench, target: Target, workload: Workload, load: Load, path: Path) -> Iterator[Served]:
    with (
        made(path, _facts(bench, target, workload, load, path.name)) as folder,
        _serving(bench, target, workload, load, folder) as served,
    ):
        yield served


@contextmanager
def _serving(bench: Bench, target: Target, workload: Workload, load: Load, folder: RunFolder) -> Iterator[Served]:
    data = bench.work / "data"
    try:
        with Children() as children:
            bench.show(f"starting {target.name}")
            server = MeasuredServer(target, bench.first_port(target.nodes), folder.path, data, children)
            folder.facts["server"] = {**_server(target, bench), "command": _server_command(bench, server)}
            server.await_ready()
            measuring = Measuring(bench.tool, bench.host, children, bench.show)
            filled = measuring.fill(server, workload)
            folder.facts["workload"] = {**_workload(workload), "keys_filled": filled}
            measuring.warm_up(server, workload, load)
            folder.facts["data"] = {"bytes_before": bytes_below(data), "bytes_after": None}
            yield Served(folder, server, measuring)
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _measure(bench: Bench, served: Served, workload: Workload, load: Load, beside: Beside | None) -> None:
    what = "profiling" if beside else "measuring"
    bench.show(f"{what} {served.server.target.name}: {workload.name} at {load.rate_per_s}/s for {load.duration_s:g} s")
    measured = served.measuring.measure(served.server, workload, load, beside)
    keep(served.folder, measured, served.server)
    refuse_errors(measured.report, served.folder.path)


def _recorder(bench: Bench, served: Served, load: Load) -> Recorder:
    version = bench.project.pom_property(profiler.VERSION_PROPERTY)
    library = profiler.library(bench.tool.jar, version, bench.project.logs)
    return Recorder(
        pid=served.server.pids[0],
        jdk=bench.jdk,
        library=library,
        version=version,
        engine=profiler.find_engine(bench.host),
        recording=served.folder.path / profiler.RECORDING,
        run_s=load.duration_s,
        host=bench.host,
    )


def _facts(bench: Bench, target: Target, workload: Workload, load: Load, name: str) -> dict[str, object]:
    return {
        "name": name,
        **bench.facts,
        "stage": target.stage_name,
        "server": _server(target, bench),
        "workload": _workload(workload),
        "load": {
            "tool": bench.tool.name,
            "command": _load_command(bench, workload, load),
            "rate_asked_per_s": load.rate_per_s,
            "threads": load.threads,
            "connections": load.connections,
            "warmup_s": load.warmup_s,
            "duration_s": load.duration_s,
        },
        **dict.fromkeys(("data", "results", "errors", "cpu", "gc", "profile")),
    }


def _server(target: Target, bench: Bench) -> dict[str, object]:
    return {
        "kind": target.kind,
        "name": target.name,
        "command": None,
        "nodes": target.nodes,
        "jdk": bench.jdk.version if target.is_jvm else None,
        "jvm_flags": list(target.jvm_flags) if target.is_jvm else None,
    }


def _workload(workload: Workload) -> dict[str, object]:
    return {"name": workload.name, "environment": dict(workload.environment), "keys_filled": 0}


def _load_command(bench: Bench, workload: Workload, load: Load) -> list[str]:
    words = bench.tool.command(workload, load, "{url}")
    return _without_places(words, {str(bench.tool.wrk2): "wrk2", **_places(bench)})


def _server_command(bench: Bench, server: MeasuredServer) -> list[str]:
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
