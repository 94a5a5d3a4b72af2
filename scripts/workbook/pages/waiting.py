"""Where requests wait: the traced runs of a stage's report, drawn as on the page of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from workbook.failure import Failure
from workbook.measure import waiting, waiting_page, wall
from workbook.measure.comparing import COMPARISON_JSON
from workbook.measure.report import TRACE
from workbook.measure.tracing import COST, cost_in_words
from workbook.measure.waiting import Group
from workbook.pages import comparison, figures
from workbook.pages.figures import Html, Missing, plain_table
from workbook.pages.numbers import share
from workbook.pages.report import Report, Run, read_published


def section(report: Report | Missing, names: Sequence[str]) -> str | Html:
    """Of these runs, or of all that were traced: parts of the median and of the slowest requests, and time lines."""
    found = (
        [] if isinstance(report, Missing) else [run for run in report.of_role(TRACE) if run.name in names or not names]
    )
    if not found:
        return figures.note(report.stage)
    return Html(f'<div class="waiting">{waiting_page.legend()}{"".join(map(_run, found))}</div>')


def _run(run: Run) -> str:
    parts = "".join(waiting_page.section(each, _table) for each in waiting.read(run.folder))
    clients = waiting_page.as_clients_see(run.entry["latency_ms"])
    return f"<h4>{escape(run.entry['title'])}</h4>{clients}{parts}"


def wall_graphs(report: Report | Missing, name: str, callouts: Sequence[str]) -> str:
    """What the requests of a traced run did, as tabs. The graph of the slowest is open from the start, and the widest
    frame in it that each of the regular expressions matches gets a number."""
    if isinstance(report, Missing) or name not in report.runs:
        return figures.note(report.stage)
    run = report.runs[name]
    graphs = run.graphs(wall.GRAPHS)
    if not graphs:
        return figures.note(report.stage)
    paths = [graph.path for graph in graphs]
    opened = next((path for path in paths if path.endswith(f"flame-wall-{wall.SLOWEST}.html")), paths[0])
    links = [figures.link(f"{run.workload.upper()} · {graph.title}", report.stage, graph) for graph in graphs]
    return figures.tabs(links, opened, callouts)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return plain_table(heads, rows)


def waited(report: Report | Missing, name: str, group: str, part: str) -> str:
    """The share of a part in the time of the `median` or the `slowest` requests of a run, within a sentence."""
    if isinstance(report, Missing) or name not in report.runs:
        return figures.NOT_MEASURED
    most = max(waiting.read(report.runs[name].folder), key=lambda each: each.count)
    groups: dict[str, Group] = {"median": most.median, "slowest": most.slowest}
    if group not in groups or part not in waiting.PARTS:
        raise Failure(f"{group!r} must be one of {', '.join(groups)}, {part!r} one of {', '.join(waiting.PARTS)}")
    return share(groups[group].share(part))


def cost(reports: Path, stage: str) -> str | Html:
    """What tracing costs, as a table and a sentence."""
    file = reports / stage / COST / COMPARISON_JSON
    if not file.is_file():
        return figures.note(stage)
    table = comparison.compared(reports, f"{stage}/{COST}")
    return Html(f"{table}<p>{escape(cost_in_words(read_published(file)))}</p>")
