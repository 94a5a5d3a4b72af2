"""The lab's page: one HTML file that needs no other file except the graphs that it links to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, cast

from workbook.measure import chart, waiting, waiting_page
from workbook.measure.comparing import COMPARISON_JSON
from workbook.measure.nodes_part import links, nodes_part
from workbook.measure.report import FLOOR, LADDERS, PROFILES, TRACE, read_report
from workbook.measure.results import errors_total, number, section, shown
from workbook.measure.run_folder import read_run
from workbook.measure.style import document, table
from workbook.measure.tracing import COST, cost_in_words
from workbook.measure.verdicts import MEASURES, WITHIN_NOISE

PAGE = "report.html"
PACKAGES_MAX = 15
SHARE_MIN = 0.005

Facts = Mapping[str, object]


def write(lab: Path) -> Path:
    """Makes the page of a lab's folder from its files; returns where it is."""
    report = read_report(lab)
    entries, comparisons = (cast("list[Facts]", report.get(name, [])) for name in ("runs", "comparisons"))
    parts = [
        _head(report),
        _figures(entries),
        _percentiles(lab, entries),
        *(_comparison(lab, each) for each in comparisons if each["name"] != COST),
        *_traces(lab, [each for each in entries if each["role"] == TRACE]),
        *(_cost(lab, each) for each in comparisons if each["name"] == COST),
        *(_ladder(lab, each) for each in entries if each["role"] in LADDERS),
        *(_profile(lab, each) for each in entries if each["role"] in PROFILES),
        _environment(report),
    ]
    path = lab / PAGE
    path.write_text(document(f"{report['stage']}: lab report", parts), encoding="utf-8")
    return path


def _head(report: Facts) -> str:
    machine = section(report, "machine")
    sustained = ", ".join(
        f"{name.upper()} {shown(number(rate), 0)}/s" for name, rate in section(report, "sustainable_per_s").items()
    )
    quick = " Made with --quick: good for a first look, not for a comparison." if report["quick"] else ""
    commit = str(report["commit"] or "no commit")[:12] + (" with changes" if report["dirty"] else "")
    return (
        f"<h1>{escape(str(report['stage']))}</h1><p>Sustained: <b>{escape(sustained)}</b>."
        f"<br><span class=dim>{escape(str(report['made_utc'] or report['started_utc']))} · {escape(commit)} ·"
        f" load by {escape(str(report['tool']))} · {machine.get('cores')} cores, {escape(str(machine.get('cpu')))}."
        f"{quick}</span></p>"
    )


def _figures(entries: Iterable[Facts]) -> str:
    columns = ("p50", "p90", "p99", "p99_9", "max")
    heads = [
        "run",
        "asked 1/s",
        "achieved 1/s",
        *(f"{c.replace('_', '.')} ms" for c in columns),
        "CPU µs/request",
        "errors",
    ]
    rows = []
    for each in entries:
        if each["role"] not in LADDERS:
            latency = section(each, "latency_ms")
            numbers = [shown(number(each[name]), 0) for name in ("rate_asked_per_s", "rate_per_s")]
            numbers += [shown(number(latency.get(column)), 2) for column in columns]
            numbers += [shown(number(each["server_cpu_us_per_request"]), 1), str(errors_total(each))]
            rows.append([str(each["title"]), *numbers])
    note = (
        "Latency counts from the moment when a request was due. CPU time is the sum over all processes of the server."
    )
    return f"<h2>Figures</h2><p class=dim>{note}</p>{table(heads, rows)}"


def _percentiles(lab: Path, entries: Iterable[Facts]) -> str:
    lines = []
    for each in entries:
        path = lab / str(each["folder"]) / "percentiles.json"
        if path.is_file() and each["role"] != TRACE:
            points = json.loads(path.read_text())["points"]
            lines.append(chart.Line(str(each["name"]), [(p, ms) for p, ms, _ in points], dashed=each["role"] == FLOOR))
    return f"<h2>Latency by percentile</h2>{chart.percentiles(lines)}" if lines else ""


def _traces(lab: Path, entries: list[Facts]) -> Iterator[str]:
    if entries:
        yield f"<h2>Where requests wait</h2>{waiting_page.legend()}"
    for each in entries:
        yield f"<h3>{escape(str(each['title']))}</h3>"
        yield waiting_page.as_clients_see(cast("Mapping[str, float]", each["latency_ms"]))
        folder = lab / str(each["folder"])
        yield from (waiting_page.section(found, table) for found in waiting.read(folder))
        if samples := section(section(read_run(folder), "wall"), "samples"):
            yield waiting_page.graphs_part(folder, f"{each['folder']}/", samples)


def _cost(lab: Path, entry: Facts) -> str:
    return f"{_comparison(lab, entry)}<p>{escape(cost_in_words(_read_comparison(lab, entry)))}</p>"


def _read_comparison(lab: Path, entry: Facts) -> dict[str, Any]:
    return dict(json.loads((lab / str(entry["folder"]) / COMPARISON_JSON).read_text()))


def _comparison(lab: Path, entry: Facts) -> str:
    """A row for each server: medians of its rounds, and a verdict where it differs from the first row."""
    comparison = _read_comparison(lab, entry)
    sides = comparison["sides"]
    measures = [measure for measure in MEASURES if all(measure.name in side["median"] for side in sides)]
    rounds = int(comparison["rounds"])
    rows = [[side["name"], *(_compared(side, measure.name, rounds) for measure in measures)] for side in sides]
    heads = ["server", *(measure.title for measure in measures)]
    note = (
        f"Medians of {rounds} rounds, in turn. faster, slower: differs from the first row by more than the noise."
        if rounds > 1
        else "There is one round of each, so the noise is not known: good for a first look, not for a comparison."
    )
    return f"<h2>{escape(str(entry['title']))}</h2>{table(heads, rows)}<p class=dim>{note}</p>"


def _compared(side: Mapping[str, Any], measure: str, rounds: int) -> str:
    words = [each["verdict"] for each in side["against_a"] if each["name"] == measure and rounds > 1]
    median = shown(side["median"][measure], 0 if measure.endswith("_per_s") else 2)
    return ", ".join([median, *(word for word in words if word != WITHIN_NOISE)])


def _ladder(lab: Path, entry: Facts) -> str:
    ladder = json.loads((lab / str(entry["folder"]) / "ladder.json").read_text())
    rows = []
    for rung in ladder["rungs"]:
        latency = rung["latency_ms"]
        numbers = [shown(rung["rate_asked_per_s"], 0), shown(rung["rate_per_s"], 0)]
        numbers += [shown(latency["p50"], 2), shown(latency["p99"], 2), shown(rung["server_cpu_us_per_request"], 1)]
        rows.append([rung["phase"], *numbers, "held" if rung["held"] else f"not held: {rung['why_not']}"])
    heads = ["phase", "asked 1/s", "achieved 1/s", "p50 ms", "p99 ms", "CPU µs/request", ""]
    found = f"sustained: <b>{shown(ladder['sustainable_per_s'], 0)}/s</b>"
    note = (
        "<p class=dim>The load tool opens its connections one after another. So in a short rung it sends fewer requests"
        " than the rate asks for. The achieved share is computed from the requests that were sent.</p>"
    )
    return f"<h2>{escape(str(entry['title']))}</h2><p>{found}</p>{table(heads, rows, numbers=range(1, 6))}{note}"


def _profile(lab: Path, entry: Facts) -> str:
    folder = str(entry["folder"])
    facts = read_run(lab / folder)
    profile = section(facts, "profile")
    note = f"<p>{escape(str(profile['note']))}</p>" if profile.get("note") else ""
    window = (
        f"<p class=dim>{profile.get('window_s')} s of the run were recorded, {escape(str(profile.get('options')))}</p>"
    )
    tables = []
    for kind, found in json.loads((lab / folder / "breakdown.json").read_text()).items():
        groups = [[row["name"], str(row["samples"]), f"{row['share']:.1%}"] for row in found["groups"]]
        packages = [
            [row["name"], f"{row['self_share']:.1%}", f"{row['total_share']:.1%}"]
            for row in found["packages"][:PACKAGES_MAX]
            if max(row["self_share"], row["total_share"]) >= SHARE_MIN
        ]
        tables.append(
            f"<h3>{escape(kind)}: {found['samples']} samples</h3><div class=pair>"
            f"{table(['threads', 'samples', 'share'], groups)}{table(['package', 'self', 'total'], packages)}</div>"
        )
    parts = [f"<p>{links(lab, folder)}</p>", nodes_part(facts, lab, folder), note, window, *tables]
    return f"<h2>{escape(str(entry['title']))}</h2>{''.join(parts)}"


def _environment(report: Facts) -> str:
    rows = [[name, str(value)] for name, value in section(report, "machine").items()]
    rows += [["command", str(report["command"])], ["commit", str(report["commit"])]]
    return f"<h2>Environment</h2>{table(['', ''], rows, numbers=())}"
