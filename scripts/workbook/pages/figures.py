"""Charts, tables and flame graphs of measured data, as HTML and Markdown.

A chart is a table first: readers without JavaScript, or with a screen reader, get the table. docs/assets/site.js draws
the chart.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from workbook import git, selector
from workbook.failure import Failure
from workbook.measure.report import PROFILE, PROFILE_ASKED, PROFILE_OWNER, PROFILE_THIRD
from workbook.measure.stacks import SELECTED_SHARE_MIN
from workbook.pages.numbers import GAP, count, figure, share, size
from workbook.pages.report import EVENTS, Breakdown, Graph, Json, Ladder, Report, Run, check_experiment
from workbook.pages.sources import JavaPackage, section

REPORTS_FROM_PAGE = "../reports"  # Pages that show flame graphs lie in a folder of docs.

POINTS_A_DECADE = 24
FIRST_POINT = 3  # At 25 %: the very fastest requests would stretch the other axis, and nobody asks for them.
TABLE_PERCENTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)
PACKAGES_SHOWN_MAX = 9
LAYER_US_MIN = 0.1
SHARE_SHOWN_MIN = 0.0005
"""A smaller share would be written as 0.0 %."""
COMMIT_DIGITS = 12
SELECTORS = {selector.JAVA: "Java's", selector.NATIVE: "one-nio's native one"}

GRAPHED = {
    PROFILE: "",
    PROFILE_ASKED: "asked node of 3",
    PROFILE_OWNER: "other node of 3",
    PROFILE_THIRD: "third node of 3",
}
"""Roles of runs whose flame graphs a page has, and which node they are of, if there are several."""

NOT_MEASURED = "*(not measured yet)*"
NOT_YET = "not measured yet"
"""The same in a cell, whose text is no Markdown."""
NONE = "\N{EN DASH}"


class Html(str):
    """Markup that is ready, unlike text in Markdown."""


@dataclass(frozen=True)
class Missing:
    """Stands for the report of a stage that nobody has measured yet."""

    stage: str


def note(stage: str) -> str:
    number = stage.removeprefix("stage").partition("-")[0]
    return (
        '!!! info "Not measured yet"\n'
        f"    `./workbook lab {number}` measures this stage on your machine and fills this place in."
    )


def no_file(path: str) -> str:
    """For pages that tell how to make it."""
    return f'!!! info "Not measured yet"\n    There is no `{path}` yet. This page explains how to make it.'


def measured_section(file: Path, path: str, heading: str) -> str:
    """Of what a script of scripts/experiments has made. `path`: of the file, from the project on."""
    if not file.is_file():
        return no_file(path)
    check_experiment(file.parent)
    return section(file, heading)


def _runs(report: Report | Missing, names: Sequence[str]) -> list[Run]:
    """Those of the runs that the report has: which were made is the lab's to say."""
    if isinstance(report, Missing):
        return []
    return [report.runs[name] for name in names if name in report.runs]


# ---- within a sentence


def value(report: Report | Missing, name: str, what: str) -> str:
    """One figure of a run: `p99` and the like, `max`, `rate`, `asked`, `errors`, `cpu`, `hits`, `keys`, `processor`."""
    for run in _runs(report, [name]):
        if what.startswith("p") and what[1:].replace(".", "", 1).isdigit():
            return figure(run.ms_at(float(what[1:]) / 100), "ms")
        texts = {
            "max": _ms((run.entry["latency_ms"] or {}).get("max")),
            "rate": _rate(run.entry["rate_per_s"]),
            "asked": _rate(run.entry["rate_asked_per_s"]),
            "errors": count(run.error_count),
            "cpu": _cpu(run.entry["server_cpu_us_per_request"]),
            "hits": _hits(run),
            "keys": _keys(run),
            "processor": _processor(run),
        }
        if what not in texts:
            raise Failure(f"{what!r} is no percentile, and none of {', '.join(texts)}")
        return texts[what]
    return NOT_MEASURED


def sustainable(report: Report | Missing, workload: str) -> str:
    """The highest rate that held."""
    rate = None if isinstance(report, Missing) else report.index["sustainable_per_s"].get(workload)
    return NOT_MEASURED if rate is None else _rate(rate)


def part(report: Report | Missing, name: str, event: str, of: str) -> str:
    """The share that a group of threads, or a package with all it calls, has of a profile."""
    for run in _runs(report, [name]):
        found = run.breakdown(event)
        shares = {} if found is None else {each.name: each.share for each in found.groups}
        shares |= {} if found is None else {each.name: each.total_share for each in found.packages}
        return share(shares.get(of, 0.0))
    return NOT_MEASURED


def allocated_times(report: Report | Missing, name: str) -> str:
    """How many times the memory that a request of a profile needs is that of the stage before, such as `2.0 times`.

    Both profiles belong to one lab, and have the same rate.
    """
    bytes_of = [_sampled_bytes(run) for run in _runs(report, [name, f"{name}-before"])]
    own, before = (*bytes_of, None, None)[:2]
    return NOT_MEASURED if not own or not before else f"{own / before:.1f} times"


def _sampled_bytes(run: Run) -> float | None:
    """For each request, on the profiled node, in units of the sampler: each sample stands for the same size."""
    found = run.breakdown("alloc")
    requests = (run.entry["rate_per_s"] or 0.0) * run.record["profile"]["window_s"]
    return found.samples / requests if found and requests else None


def within(report: Report | Missing, name: str, event: str, group: str, class_name: str) -> str:
    """The share of all samples that are on a group of threads and pass through a class."""
    for run in _runs(report, [name]):
        found = run.breakdown(event)
        if found is None or not found.within:
            return NOT_MEASURED
        known = found.within.get((group, class_name))
        return f"less than {share(SELECTED_SHARE_MIN)}" if known is None else share(known)
    return NOT_MEASURED


# ---- charts


def percentiles(report: Report | Missing, names: Sequence[str]) -> str | Html:
    """The latency that each share of the requests stayed below, on an axis that stretches the last few."""
    found = _runs(report, names)
    if not found:
        return note(report.stage)
    return spectra([_spectrum(run) for run in found])


@dataclass(frozen=True)
class Spectrum:
    """A line of the chart: the latency of a number of requests, by percentile (0 to 1)."""

    label: str
    count: int
    ms_at: Callable[[float], float]
    max_ms: float | None
    is_floor: bool = False

    @property
    def deepest(self) -> float:
        """The percentile of its last request."""
        return 1 - 1 / max(self.count, 1)

    @property
    def deepest_nines(self) -> float:
        return math.log10(max(self.count, 10))


def _spectrum(run: Run) -> Spectrum:
    return Spectrum(_title(run), run.latency_count, run.ms_at, run.entry["latency_ms"]["max"], run.is_floor)


def spectra(found: Sequence[Spectrum], asked: str = "") -> Html:
    """Chart and table of what was `asked` of all. None is shown beyond the percentile that it has a request for."""
    labels = [each.label for each in found]
    table = plain_table(
        ["percentile", *labels],
        [
            *(
                [f"{100 * at:g}{GAP}%", *(_ms(each.ms_at(at)) if at <= each.deepest else NONE for each in found)]
                for at in TABLE_PERCENTILES
            ),
            ["max", *(_ms(each.max_ms) for each in found)],
        ],
    )
    deepest = max(each.deepest_nines for each in found)
    # Places on the axis, on which 1 is 90 %, 2 is 99 %, and so on.
    nines = [i / POINTS_A_DECADE for i in range(FIRST_POINT, math.floor(deepest * POINTS_A_DECADE) + 1)]
    data = {
        "kind": "percentiles",
        "nines": [round(x, 4) for x in nines],
        "series": [
            {
                "label": each.label,
                "floor": each.is_floor,
                "ms": [round(each.ms_at(1 - 10**-x), 4) if x <= each.deepest_nines else None for x in nines],
            }
            for each in found
        ],
    }
    *others, last = labels
    named = f"{', '.join(others)} and {last}" if others else last
    of_all = f" of {asked}" if asked else ""
    return chart(f"Latency by percentile{of_all}: {named}", data, table)


def ladder(report: Report | Missing, workload: str) -> str | Html:
    """Latency at each rate that was tried, and the highest one that held."""
    for run in [] if isinstance(report, Missing) else report.of_role("ladder"):
        if run.workload == workload:
            found = run.ladder()
            table = plain_table(
                ["asked", "achieved", "p50", "p99", "held"],
                [
                    [
                        _rate(rung.rate_asked_per_s),
                        _rate(rung.rate_per_s),
                        _ms(rung.p50_ms),
                        _ms(rung.p99_ms),
                        "yes" if rung.held else f"no: {rung.why_not}",
                    ]
                    for rung in sorted(found.rungs, key=lambda rung: rung.rate_asked_per_s)
                ],
            )
            return chart(f"{workload.upper()}: latency at each rate", _ladder_data(found), table)
    return note(report.stage)


def _ladder_data(found: Ladder) -> dict[str, Any]:
    by_rate = {rung.rate_asked_per_s: rung for rung in found.rungs}  # The last word on a rate counts.
    rungs = [by_rate[rate] for rate in sorted(by_rate)]
    return {
        "kind": "ladder",
        "rates": [rung.rate_asked_per_s for rung in rungs],
        "series": [
            {"label": "p50", "ms": [rung.p50_ms for rung in rungs]},
            {"label": "p99", "ms": [rung.p99_ms for rung in rungs]},
        ],
        "held": [rung.held for rung in rungs],
        "knee": found.sustainable_per_s,
    }


def chart(label: str, data: Mapping[str, Any], table: Html) -> Html:
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return Html(
        f'<figure class="chart" aria-label="{escape(label)}">'
        f'<script type="application/json">{text}</script>'
        f"<details><summary>The figures of this chart</summary>{table}</details></figure>"
    )


# ---- tables


def runs(report: Report | Missing, names: Sequence[str]) -> str | Html:
    """One row for each run; without names, all runs that loaded a server at one rate."""
    if isinstance(report, Missing):
        return note(report.stage)
    loads = [run.name for run in report.runs.values() if run.entry["role"] in ("load", "reference", "floor")]
    found = _runs(report, names or loads)
    if not found:
        return note(report.stage)
    return plain_table(
        ["run", "asked", "achieved", "p50", "p99", "p99.9", "max", "errors", "server CPU per request"],
        [
            [
                _title(run),
                _rate(run.entry["rate_asked_per_s"]),
                _rate(run.entry["rate_per_s"]),
                *(_ms(run.entry["latency_ms"][at]) for at in ("p50", "p99", "p99_9", "max")),
                count(run.error_count),
                _cpu(run.entry["server_cpu_us_per_request"]),
            ]
            for run in found
        ],
    )


def origin(found: Json, reports: Path) -> str:
    """Of a comparison or a sweep: the command, the commit, and the processor, since rates of two kinds differ."""
    processor = found.get("machine", {}).get("cpu")
    words = [
        f"<code>{escape(found['command'])}</code>",
        f"commit {_commit(found)}{_whereabouts(found['commit'], reports)}",
        *([escape(processor)] if processor else []),
    ]
    return ", ".join(words)


def _whereabouts(commit: str | None, reports: Path) -> str:
    """Where the commit is, unless it is in the history."""
    if commit is None or git.is_in_history(reports, commit) is not False:
        return ""
    now = git.rebased_as(reports, commit)
    return f" (now in {now[:COMMIT_DIGITS]})" if now else " (no longer in this repository: to be measured anew)"


def disturbed(found: Json, measured: int) -> str:
    """A sentence of a comparison or a sweep that has `measured` figures in each round; none if nothing disturbed it."""
    count = found.get("disturbed")
    return f" Other programs disturbed {count} of {found['rounds'] * measured} measurements." if count else ""


def environment(report: Report | Missing) -> str | Html:
    """On what, with what and of what the report was made."""
    if isinstance(report, Missing):
        return note(report.stage)
    index, machine = report.index, report.index["machine"]
    first = next(iter(report.runs.values())).record
    texts = {
        "made": f"{index['made_utc']}, by {index['command']}",
        "commit": _commit(index),
        **_measured_anew(report),
        "processor": f"{machine['cpu']}, {machine['cores']} cores",
        "memory": size(machine["memory_bytes"]),
        "system": f"{machine['system']}, kernel {machine['kernel']}",
        **({"nodes": count(nodes)} if (nodes := first["server"].get("nodes", 1)) > 1 else {}),
        "JDK": f"{first['server']['jdk']} {_words(first['server']['jvm_flags'])}",
        **({"selector": SELECTORS[found]} if (found := first["server"].get("selector")) else {}),
        "load tool": f"{index['tool']}, on the same machine",
        "keys and values": _words(f"{key}={text}" for key, text in first["workload"]["environment"].items()),
        **_profiler(report),
        **({"problem": index["problem"]} if index["problem"] else {}),
    }
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in texts.items()
    )
    return Html(f'<div class="figure-table"><table class="environment"><tbody>{rows}</tbody></table></div>')


def _commit(found: Json) -> str:
    return str(found["commit"] or "unknown")[:COMMIT_DIGITS]


def _measured_anew(report: Report) -> dict[str, str]:
    """Runs of a later lab, which has measured a part anew."""
    names: dict[str, list[str]] = {}
    for run in report.runs.values():
        if run.record.get("commit", report.index["commit"]) != report.index["commit"]:
            names.setdefault(_commit(run.record), []).append(run.name)
    parts = [f"{', '.join(of_commit)}: commit {commit}" for commit, of_commit in names.items()]
    return {"measured anew": "; ".join(parts)} if parts else {}


def _profiler(report: Report) -> dict[str, str]:
    for run in report.of_role("profile"):
        profile = run.record["profile"]
        engine = f"async-profiler {profile['version']}, {profile['cpu_engine']}"
        return {"profiler": engine + (f": {profile['note']}" if profile["note"] else "")}
    return {}


def breakdown(report: Report | Missing, name: str, event: str) -> str | Html:
    """The shares of a profile, by group of threads and by package."""
    for run in _runs(report, [name]):
        found = run.breakdown(event)
        title = f"{run.workload.upper()}, {EVENTS[event]}"
        if found is None:
            return f"*{title}: there is no sample.*"
        return Html(f'<div class="breakdown">{_groups(title, found)}{_packages(title, found)}</div>')
    return note(report.stage)


def allocated(reports: Sequence[Report | Missing]) -> str | Html:
    """What a GET and a PUT allocate on the heaps of all nodes, and on that of the node that is asked; a row a stage."""
    rows = []
    for report in reports:
        found = [next(iter(_runs(report, [f"{name}-profile"])), None) for name in ("get", "put")]
        rows.append([_stage_title(report.stage), *(cell for run in found for cell in _allocation(run))])
    if all(set(cells) == {NOT_YET} for _, *cells in rows):
        return note(reports[-1].stage)
    return plain_table(["stage", "GET", "of that, the asked node", "PUT", "of that, the asked node"], rows)


def _allocation(run: Run | None) -> tuple[str, str]:
    """Of one request: all nodes, and the first of them."""
    record = run.record if run else {}
    total, by_node = (record.get(f"allocated_bytes_per_request{each}") for each in ("", "_by_node"))
    if total is None:
        return NOT_YET, NOT_YET
    return figure(total, "B"), figure(by_node[0], "B") if by_node else NONE


def _stage_title(stage: str) -> str:
    """`stage3-sharding` → `stage3: sharding`."""
    return stage.replace("-", ": ", 1).replace("-", " ")


def layers(reports: Sequence[Report | Missing], name: str) -> str | Html:
    """The cost of a request on the node that is asked, by layer, and on the other nodes; a column for each stage."""
    found = [(run, report.stage, _cost(run)) for report in reports for run in _runs(report, [name])]
    costs = [(stage, *cost) for _, stage, cost in found if cost]
    if not costs:
        return note(reports[-1].stage)
    sums = Counter[str]()
    for _, layered, _ in costs:
        sums.update(layered)
    shown = [layer for layer, us in sums.most_common() if us >= LAYER_US_MIN]
    rows = [
        *([layer, *(_cpu(layered.get(layer)) for _, layered, _ in costs)] for layer in shown),
        ["all other nodes", *(_cpu(others or None) for _, _, others in costs)],
        ["sum", *(_cpu(sum(layered.values()) + others) for _, layered, others in costs)],
    ]
    workload = found[0][0].workload.upper()
    names = [(run, _stage_title(stage)) for run, stage, cost in found if cost]
    heads = ["layer", *(f"{name}, {_keys(run)} keys, {_processor(run)}" for run, name in names)]
    return plain_table(heads, rows, caption=f"{workload}: server CPU per request, by layer")


def _cost(run: Run) -> tuple[dict[str, float], float] | None:
    """Of one request, in microseconds: on the node that is asked, by layer; on the others. None if it is not known."""
    cpu, found = run.record.get("cpu") or {}, run.breakdown("cpu")
    by_node = cpu.get("server_us_per_request_by_node") or [cpu.get("server_us_per_request")]
    if found is None or not found.layers or None in by_node:
        return None
    return {each.name: each.share * by_node[0] for each in found.layers}, sum(by_node[1:])


def _groups(title: str, found: Breakdown) -> str:
    rows = [
        f'<tr><th scope="row">{escape(each.name)}</th>{bar(each.share)}<td>{count(each.samples)}</td></tr>'
        for each in sorted(found.groups, key=lambda each: -each.samples)
        if each.share >= SHARE_SHOWN_MIN
    ]
    return _bars(f"{title}, by threads", ["threads", "share", "samples"], rows)


def _packages(title: str, found: Breakdown) -> str:
    ranked = sorted(found.packages, key=lambda each: (-each.self_share, -each.total_share))
    rows = [
        f'<tr><th scope="row">{escape(each.name)}</th>{bar(each.self_share)}<td>{share(each.total_share)}</td></tr>'
        for each in ranked[:PACKAGES_SHOWN_MAX]
        if each.self_share >= SHARE_SHOWN_MIN
    ]
    return _bars(f"{title}, by package", ["package", "itself", "with its calls"], rows)


def bar(part_of_all: float, text: str = "") -> str:
    """A cell that is filled up to the share. Without a text it shows the share in percent."""
    return f'<td class="bar" style="--share:{part_of_all:.4f}">{text or share(part_of_all)}</td>'


def _bars(caption: str, head: Sequence[str], rows: Sequence[str]) -> str:
    columns = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    return (
        f'<div class="figure-table"><table class="bars"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def packages(found: Sequence[JavaPackage]) -> Html:
    """The packages of a module, with the number of their classes and lines."""
    total = JavaPackage(
        f"{len(found)} packages", "", sum(each.class_count for each in found), sum(e.line_count for e in found)
    )
    rows = [[each.name, each.summary, count(each.class_count), count(each.line_count)] for each in [*found, total]]
    return plain_table(["package", "what it is", "classes", "lines"], rows, "packages")


def plain_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "figures", *, caption: str = ""
) -> Html:
    """A table whose first column names its rows. A cell that is Html is used as it is."""
    columns = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{_markup(cell)}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    )
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return Html(
        f'<div class="figure-table"><table class="{kind}">{above}<thead><tr>{columns}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _markup(cell: str) -> str:
    return cell if isinstance(cell, Html) else escape(cell)


# ---- flame graphs


def flamegraphs(report: Report | Missing, opened: str = "", callouts: Sequence[str] = ()) -> str:
    """Links to the graphs, in Markdown, so that the strict build checks them; the page makes tabs of them.

    `opened`, such as `put-profile/flame-cpu`, is open from the start. In it, the page numbers the widest frame that
    each of the regular expressions matches.
    """
    if isinstance(report, Missing):
        return note(report.stage)
    graphs = [(run, graph) for run in report.runs.values() if run.entry["role"] in GRAPHED for graph in run.graphs()]
    if opened and all(graph.path != f"{opened}.html" for _, graph in graphs):
        raise Failure(f"{report.stage} has no graph {opened}; it has {', '.join(graph.path for _, graph in graphs)}")
    links = [link(f"{_profiled(run)} · {graph.title}", report.stage, graph) for run, graph in graphs]
    return tabs(links, f"{opened}.html" if opened else "", callouts) if links else note(report.stage)


def _profiled(run: Run) -> str:
    node = GRAPHED[run.entry["role"]]
    return f"{run.workload.upper()}, {node}" if node else run.workload.upper()


def callout(number: str) -> Html:
    """The number of a frame, as the flame graph above shows it."""
    return Html(f'<span class="callout">{escape(number)}</span>')


def differences(reports: Sequence[Report | Missing]) -> str:
    """Of each stage what it does otherwise than the one before: the same, for its processor time alone."""
    links = [
        link(f"{report.stage}, {run.workload.upper()}", report.stage, graph)
        for report in reports
        if isinstance(report, Report)
        for run in report.of_role("profile")
        for graph in run.graphs()
        if graph.path.endswith("/diff-cpu.html")
    ]
    return tabs(links) if links else note(reports[-1].stage)


def tabs(links: Sequence[str], opened: str = "", callouts: Sequence[str] = ()) -> str:
    """Links in Markdown, of which the page makes tabs."""
    data = f' data-opened="{escape(opened)}" data-callouts="{escape(json.dumps(list(callouts)))}"' if opened else ""
    return "\n".join([f'<div class="flamegraphs" markdown{data}>', "", *links, "", "</div>"])


def link(title: str, stage: str, graph: Graph) -> str:
    """To a graph, as `tabs` takes it."""
    return f"- [{title}]({REPORTS_FROM_PAGE}/{stage}/{graph.path}) ({size(graph.bytes)})"


# ---- words


def _title(run: Run) -> str:
    if run.is_floor:
        return f"floor of {run.workload.upper()}"
    return run.workload.upper() if run.entry["role"] == "load" else f"{run.workload.upper()}, {run.entry['role']}"


def _ms(ms: float | None) -> str:
    return NONE if ms is None else figure(ms, "ms")


def _rate(per_s: float | None) -> str:
    return NONE if per_s is None else f"{count(round(per_s))}/s"


def _cpu(us: float | None) -> str:
    return NONE if us is None else figure(us, "µs")


def _hits(run: Run) -> str:
    ratio = run.record["results"]["hit_ratio"]
    return NONE if ratio is None else share(ratio)


def _keys(run: Run) -> str:
    """How many keys the servers held."""
    return count(int(run.record["workload"]["environment"]["KEYS"]))


def _processor(run: Run) -> str:
    """Its name, without what is not part of it: `Intel(R) Xeon(R) Processor` is an Intel Xeon."""
    cpu = str(run.record["machine"]["cpu"])
    return cpu.replace("(R)", "").removesuffix(" Processor")


def _words(words: Iterable[str] | None) -> str:
    return " ".join(words or ())
