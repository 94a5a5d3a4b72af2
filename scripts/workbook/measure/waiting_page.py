"""The page of a run whose requests were recorded: where their time goes, and the slowest ones as time lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from workbook.measure import wall
from workbook.measure.request_recording import GARBAGE, Background, Call, Request
from workbook.measure.results import number, shown
from workbook.measure.style import document, table
from workbook.measure.waiting import PARTS, Group, Slow, Waiting, parts_us

PAGE = "waiting.html"
COLOURS = dict(zip(PARTS, ("#ccbb44", "#4477aa", "#ee6677", "#228833", "#aa3377"), strict=True))
BACKGROUND_COLOURS = {GARBAGE: "#999999"}
STORAGE_COLOUR = "#66ccee"
WIDTH, LABEL, BAR, GAP, AXIS = 900, 110, 16, 5, 22
NOTCHES = 5
DIGITS, DIGITS_OF_MEANS = 2, 3

Table = Callable[[list[str], list[list[str]]], str]


def write(path: Path, title: str, found: Sequence[Waiting], samples: Mapping[str, int]) -> Path:
    """Makes the page in a run's folder; returns where it is. `samples`: how many the graphs of the folder have."""
    sections = [section(each, table, is_open=True) for each in found]
    parts = [
        f"<h1>{escape(title)}</h1>",
        legend(),
        *sections,
        f"<h2>What they did</h2>{graphs_part(path, '', samples)}",
    ]
    page = path / PAGE
    page.write_text(document(title, parts), encoding="utf-8")
    return page


def legend() -> str:
    """What the colours of all sections on a page stand for."""
    items = "".join(
        f"<li><span style='color:{COLOURS[name]}'>&#9632;</span> <b>{escape(name)}</b>: {escape(text)}</li>"
        for name, text in PARTS.items()
    )
    background = "".join(
        f"<li><span style='color:{colour}'>&#9632;</span> <b>{name}</b>: {text}</li>"
        for colour, name, text in (
            (BACKGROUND_COLOURS[GARBAGE], GARBAGE, "all threads of a node stand still"),
            (STORAGE_COLOUR, "background work", "the storage of a node flushes or compacts"),
        )
    )
    note = "A request's time begins when the server has read it, and ends when its answer has left for the client."
    return f"<p>{note} Its parts:</p><ul>{items}{background}</ul>"


def graphs_part(folder: Path, prefix: str, samples: Mapping[str, object]) -> str:
    """Links to the wall-clock graphs in the folder of a run. `prefix`: the way there from the page."""
    links = " · ".join(
        f'<a href="{escape(f"{prefix}{name}.html")}">{escape(words)}</a>'
        for name, words in wall.GRAPHS.items()
        if (folder / f"{name}.html").is_file()
    )
    of_slowest, of_all = (shown(number(samples.get(name)), 0) for name in (wall.SLOWEST, wall.ALL))
    counts = f"{of_all} wall-clock samples belong to requests, {of_slowest} to the slowest 1 %."
    note = (
        "The samples below “served” are of threads that worked for a request at that moment, on any node."
        " While a request is in the queue, no thread works for it: there you see what the threads did that take"
        " requests from the queue. While it waits for another node, you see what that node did."
    )
    return f"<p>{links}</p><p class=dim>{counts} {note}</p>"


def as_clients_see(latency_ms: Mapping[str, float]) -> str:
    """A sentence beside the sections of a run: requests also wait before the server has read them."""
    p50, p99 = (shown(latency_ms[name], DIGITS) for name in ("p50", "p99"))
    took = f"half of the requests took up to {p50} ms and 99 % up to {p99} ms"
    return f"<p>For clients, {took}: from the moment when a request was due.</p>"


def section(waiting: Waiting, table_of: Table, *, is_open: bool = False) -> str:
    """Of one kind of requests; `table_of` makes the tables of the page. `is_open`: the slowest ones are unfolded."""
    facts = (
        f"<strong>{escape(waiting.kind)}</strong>, as the server sees it: {shown(waiting.count, 0)} requests, half of"
        f" them within {_mean_ms(waiting.p50_us)} ms, 99 % within {_mean_ms(waiting.p99_us)} ms."
    )
    groups = {"the median 10 %": waiting.median, "the slowest 1 %": waiting.slowest}
    lines = "".join(_line(index + 1, each) for index, each in enumerate(waiting.ten))
    return "\n".join(
        [
            f"<p>{facts}</p>",
            _bars(groups),
            _table(groups, table_of),
            f"<details{' open' if is_open else ''}><summary>The {len(waiting.ten)} slowest, as time lines</summary>",
            f"{lines}</details>",
        ]
    )


def _bars(groups: Mapping[str, Group]) -> str:
    """Each bar is as long as the others: shares of a request's time."""
    parts, y = [], 0
    for name, group in groups.items():
        parts.append(_label(name, y))
        x = float(LABEL)
        for part, us in group.parts_us.items():
            width = (WIDTH - LABEL) * group.share(part)
            parts.append(_rect(x, y, width, BAR, COLOURS[part], f"{part}: {_ms(us)} ms"))
            x += width
        y += BAR + GAP
    return _svg("".join(parts), y, "Shares of the time of median and slow requests")


def _table(groups: Mapping[str, Group], table_of: Table) -> str:
    heads = ["", *(head for name in groups for head in (f"{name}, ms", "share"))]
    rows = [
        [part, *(cell for group in groups.values() for cell in (_mean_ms(group.parts_us[part]), _share(group, part)))]
        for part in PARTS
    ]
    return table_of(
        heads, [*rows, ["all", *(cell for group in groups.values() for cell in (_mean_ms(group.total_us), ""))]]
    )


def _line(rank: int, slow: Slow) -> str:
    """A request: its own parts, its calls, and within a call the parts on the other node."""
    request = slow.request
    scale = (WIDTH - LABEL) / max(request.written_us, 1.0)
    rows = [_row(_name(request.node), parts_us(request), 0.0, scale, 0)]
    for index, call in enumerate(request.calls):
        rows.append(_call(call, slow.elsewhere, request, scale, (index + 1) * (BAR + GAP)))
    height = (1 + len(request.calls)) * (BAR + GAP)
    rows += [_band(each, request, scale) for each in slow.background]
    drawn = _svg("".join([*rows, _axis(request.written_us, height)]), height + AXIS, f"Time line of request {rank}")
    meanwhile = ", ".join(f"{_name(each.node)}: {each.name}" for each in slow.background)
    text = f"{rank}: {_ms(request.written_us)} ms, status {request.status}" + (f"; {meanwhile}" if meanwhile else "")
    return f"<p class=dim>{escape(text)}</p>{drawn}"


def _band(each: Background, request: Request, scale: float) -> str:
    """Beneath the row of its node, or of the first if that was not asked."""
    nodes = [request.node, *(call.node for call in request.calls)]
    y = (nodes.index(each.node) if each.node in nodes else 0) * (BAR + GAP) + BAR
    begun_us = (each.began_s - request.began_s) * 1e6
    start, end = max(0.0, begun_us), min(request.written_us, begun_us + each.lasted_us)
    colour = BACKGROUND_COLOURS.get(each.name, STORAGE_COLOUR)
    text = f"{_name(each.node)}: {each.name} for {_ms(each.lasted_us)} ms"
    return _rect(LABEL + start * scale, y, (end - start) * scale, GAP - 1, colour, text)


def _call(call: Call, elsewhere: Iterable[Request], request: Request, scale: float, y: int) -> str:
    ended_us = request.written_us if call.ended_us is None else min(call.ended_us, request.written_us)
    text = f"{_name(call.node)}: {call.outcome} after {_ms(ended_us - call.begun_us)} ms"
    parts = [
        _label(_name(call.node), y),
        _rect(
            LABEL + call.begun_us * scale, y, (ended_us - call.begun_us) * scale, BAR, COLOURS["other nodes"], text, 0.3
        ),
    ]
    for each in elsewhere:
        offset_us = (each.began_s - request.began_s) * 1e6
        if each.node == call.node and call.begun_us <= offset_us <= ended_us:
            parts.append(_row("", parts_us(each), offset_us, scale, y))
    return "".join(parts)


def _row(name: str, parts: Mapping[str, float], from_us: float, scale: float, y: int) -> str:
    drawn, at = [_label(name, y)] if name else [], from_us
    for part, us in parts.items():
        drawn.append(_rect(LABEL + at * scale, y, us * scale, BAR, COLOURS[part], f"{part}: {_ms(us)} ms"))
        at += us
    return "".join(drawn)


def _axis(most_us: float, y: int) -> str:
    notches = []
    for index in range(NOTCHES + 1):
        x = LABEL + (WIDTH - LABEL) * index / NOTCHES
        anchor = "end" if index == NOTCHES else "middle" if index else "start"
        notches.append(
            f'<text x="{x:.1f}" y="{y + AXIS - 8}" text-anchor="{anchor}" fill="currentColor">'
            f"{_ms(most_us * index / NOTCHES)}</text>"
        )
    return "".join(notches)


def _label(text: str, y: int) -> str:
    return f'<text x="0" y="{y + BAR - 3}" fill="currentColor">{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, colour: str, title: str, opacity: float = 1.0) -> str:
    if width <= 0:
        return ""
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.5):.1f}" height="{height}" fill="{colour}"'
        f' fill-opacity="{opacity}"><title>{escape(title)}</title></rect>'
    )


def _svg(parts: str, height: int, label: str) -> str:
    return (
        f'<div class=scroll><svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" style="min-width:640px" role="img"'
        f' aria-label="{escape(label)}" font-family="system-ui" font-size="12">{parts}</svg></div>'
    )


def _name(node: int) -> str:
    return f"node{node + 1}"


def _share(group: Group, part: str) -> str:
    return f"{group.share(part):.0%}"


def _mean_ms(us: float) -> str:
    return shown(us / 1000, DIGITS_OF_MEANS)


def _ms(us: float) -> str:
    return shown(us / 1000, DIGITS)
