"""The three kinds of runs: a load, a load with a profile, and a rate ladder. Each leaves its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from workbook.failure import Failure, UsageError
from workbook.measure import allocation, ladder, profiler, request_recording, waiting, waiting_page, wall
from workbook.measure.bench import Bench
from workbook.measure.facts import run_facts
from workbook.measure.graphs import make_differences, make_graphs, make_merged_graphs
from workbook.measure.ladder import Found, Limits, Plan, Step
from workbook.measure.measuring import Measured, cpu_facts, keep, refuse_errors
from workbook.measure.profiler import Recorder
from workbook.measure.run_folder import RunFolder, made, write_json
from workbook.measure.serving import Served, served_in, serving
from workbook.measure.targets import Target, check_profilable
from workbook.measure.waiting import Waiting, analyse
from workbook.measure.wall import Tracer
from workbook.measure.workload import Load, Workload
from workbook.remote.cluster import RemoteServer
from workbook.remote.recorder import RemoteRecorder

TRIES_MAX = 3
FIRST_NODE = 1
"""The one that clients ask, unless the load is spread."""
SERVED = "/v0/entit"  # Entities and ranges: not the status, and not what nodes ask each other.


def load(
    bench: Bench, target: Target, workload: Workload, load: Load, path: Path, *, traced: bool = False
) -> RunFolder:
    """`traced`: the requests are recorded and the recording is dropped, to see what that costs."""
    load = target.asked(load)
    with served_in(path, bench, target, workload, load) as served:
        recorder = _started_tracer(bench, served, workload, load) if traced else None
        _measure(bench, served, workload, load)
        if recorder:
            recorder.drop()
    return served.folder


def profile(
    bench: Bench,
    target: Target,
    workload: Workload,
    load: Load,
    path: Path,
    against: Path | None = None,
    node: int = FIRST_NODE,
) -> RunFolder:
    """A load with a recording within it, and all that is made of the recording.

    `node`: of those that are started here, which one is recorded. Of nodes that run already, all are.
    """
    load = target.asked(load)
    check_profilable(target)
    with made(path, run_facts(bench, target, workload, load, path.name)) as folder:
        with serving(bench, target, workload, load, folder) as served:
            recorder = _recorder(bench, served, node)
            counting = allocation.recorder(served.server.pids, bench.jdk, path, bench.host)
            recorder.start()
            counting.start()
            folder.facts["profile"] = recorder.facts()
            measured = _measure(bench, served, workload, load)
            counted = counting.stop()
            recorder.stop()
        folder.facts.update(_allocated(counted, measured, bench))
        bench.show(f"making the graphs of {path.name}")
        title = f"{target.name} {workload.name} at {load.rate_per_s}/s"
        if node != FIRST_NODE:
            title += f", node {node}"
        window = (measured.first.time_s, measured.last.time_s)
        tools = (bench.jdk, bench.tool.jar)
        for recording, ahead_s in recorder.recordings.items():
            folder_of_node, theirs = recording.parent, (window[0] + ahead_s, window[1] + ahead_s)
            make_graphs(folder_of_node, recording, theirs, f"{title}: {folder_of_node.name}", *tools)
        if nodes := [recording.parent for recording in recorder.recordings]:
            samples = make_merged_graphs(path, nodes, recorder.recording, window, title, *tools)
        else:
            samples = make_graphs(path, recorder.recording, window, title, *tools)
        if against is not None:
            make_differences(path, against, f"{title} against {against.name}", bench.jdk, bench.tool.jar)
        folder.facts["profile"] = {
            **recorder.facts(),
            "window_s": round(measured.window_s, 1),
            "samples": samples,
            "against": bench.project.short(against) if against else None,
        }
        return folder


def trace(bench: Bench, target: Target, workload: Workload, load: Load, path: Path) -> tuple[RunFolder, list[Waiting]]:
    """A load whose requests are recorded with wall-clock samples: where they waited, and graphs of what they did."""
    check_profilable(target)
    if not workload.needs_fill:
        raise UsageError(f"requests of the workload {workload.name} are not recorded: trace another one, such as put")
    with made(path, run_facts(bench, target, workload, load, path.name)) as folder:
        with serving(bench, target, workload, load, folder) as served:
            urls = served.server.urls
            recorder = _started_tracer(bench, served, workload, load)
            measured = _measure(bench, served, workload, load)
            recorded = recorder.stop()
        bench.show(f"reading what the nodes of {path.name} have recorded")
        recordings = [each.requests for each in recorded]
        # Only what the load tool counts, too: the p99 of the clients and that of the server are of the same requests.
        requests, background = request_recording.read(recordings, urls, bench.jdk, *measured.counted_s(load))
        kinds = sorted({each.kind for each in requests if each.kind.split(" ")[1].startswith(SERVED)})
        found = [each for kind in kinds if (each := analyse(kind, requests, background)) is not None]
        if not found:
            raise Failure(f"too few requests were recorded: {len(requests)}; ask for a longer run or a higher rate")
        waiting.save(path, found)
        title = f"{target.name} {workload.name} at {load.rate_per_s}/s"
        numbers = dict(
            zip((wall.ALL, wall.SLOWEST), waiting.numbers((each.kind for each in found), requests), strict=True)
        )
        samples = wall.make_graphs(path, recorded, numbers, title, bench.jdk, bench.tool.jar)
        folder.facts["wall"] = {"version": recorder.version, "options": wall.OPTIONS, "samples": samples}
        waiting_page.write(path, f"Where requests wait: {title}", found, samples)
        return folder, found


def saturate(
    bench: Bench, target: Target, workload: Workload, load: Load, plan: Plan, limits: Limits, path: Path
) -> tuple[RunFolder, Found]:
    """Climbs the rate ladder; each rung is on disk before the next one is tried."""
    plan = plan.for_machines(target.load_machines)
    load = target.asked(load.at(plan.from_per_s))
    with served_in(path, bench, target, workload, load) as served:
        rungs: list[dict[str, object]] = []
        facts: dict[str, object] = {
            "workload": workload.name,
            "threads": load.threads,
            "connections": load.connections,
            "spread": load.is_spread,
            "machines": load.machines,
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
            measured = served.measuring.measure(served.server, workload, asked)
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


def _measure(bench: Bench, served: Served, workload: Workload, load: Load) -> Measured:
    """Again, if others disturb it; after some tries it is as it is."""
    bench.show(
        f"measuring {served.server.target.name}: {workload.name} at {load.rate_per_s}/s for {load.duration_s:g} s"
    )
    measured, tries = served.measuring.measure(served.server, workload, load), 1
    while tries < TRIES_MAX and measured.is_disturbed:
        failed = measured.report.errors.total
        lost = f", and {failed} requests have failed" if failed else ""
        bench.out.print(f"{served.folder.path.name}: other programs are busy{lost}; it is measured again")
        measured, tries = served.measuring.measure(served.server, workload, load), tries + 1
    served.folder.facts["tries"] = tries
    keep(served.folder, measured, served.server, served.measuring.source)
    refuse_errors(measured, served.folder.path)
    return measured


def _allocated(files: Sequence[Path], measured: Measured, bench: Bench) -> dict[str, object]:
    """Of the nodes that have left these recordings, which are not needed any longer."""
    window = (measured.first.time_s, measured.last.time_s)
    per_s = [allocation.bytes_per_s(allocation.read(file, bench.jdk), *window) for file in files]
    for file in files:
        file.unlink()
    return allocation.facts(per_s, measured.requests / measured.window_s if measured.window_s else 0.0)


def _started_tracer(bench: Bench, served: Served, workload: Workload, load: Load) -> Tracer:
    """Records from now on. The code that records is warm: the first recording makes the JVM compile it."""
    tracer = _tracer(bench, served)
    tracer.start()
    served.measuring.warm_up(served.server, workload, load)
    tracer.drop()
    tracer.start()
    return tracer


def _tracer(bench: Bench, served: Served) -> Tracer:
    version = bench.project.pom_property(profiler.VERSION_PROPERTY)
    library = profiler.library(bench.tool.jar, version, bench.project.logs)
    return Tracer(served.server.pids, bench.jdk, library, version, served.folder.path, bench.host)


def _recorder(bench: Bench, served: Served, node: int) -> Recorder | RemoteRecorder:
    version = bench.project.pom_property(profiler.VERSION_PROPERTY)
    library = partial(profiler.library, bench.tool.jar, version, bench.project.logs)
    if isinstance(served.server, RemoteServer):
        return RemoteRecorder(served.server, version, partial(library, "Linux"))
    return Recorder(
        pid=served.server.pids[node - 1],
        jdk=bench.jdk,
        library=library(),
        version=version,
        engine=profiler.find_engine(bench.host),
        recording=served.folder.path / profiler.RECORDING,
        host=bench.host,
        node=node,
    )
