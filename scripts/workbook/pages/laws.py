"""The laws of queues and of scale beside what was measured: docs/lab/queues-and-laws.md."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from workbook.laws import usl
from workbook.laws.queues import Queue
from workbook.measure.sweeping import SWEEP_JSON
from workbook.pages import figures
from workbook.pages.figures import NONE, Html, Missing, chart, plain_table
from workbook.pages.numbers import between, count, figure, share
from workbook.pages.report import Json, Ladder, Report, Rung, read_published

CURVE_POINTS = 120
CURVE_UNTIL = 0.995
"""Of the capacity: there the curve goes straight up."""


def sweep(reports: Path, name: str) -> str | Html:
    """Chart and table: the rate of each step, the curve of the law, and what its coefficients say."""
    found = _read(reports, name)
    if isinstance(found, str):
        return found
    what, law = found["parameter"], found["law"]
    rows = [
        [
            count(step["value"]),
            _of_rounds(step, "rate_per_s", "/s"),
            _rate(_law_rate(law, step["value"])) if law else NONE,
            _of_rounds(step, "server_cpu_us_per_request", "µs"),
            _of_rounds(step, "server_cores"),
        ]
        for step in found["steps"]
    ]
    heads = [what, "measured", "the law", "server CPU per request", "cores that the server uses"]
    title = f"{found['stage']}, {found['workload']['name'].upper()}: rate by number of {what}"
    return Html(chart(title, _sweep_data(found), plain_table(heads, rows)) + _law_note(found, reports))


def little(reports: Path, name: str) -> str | Html:
    """Table: connections, and what rate and latency say that there are."""
    found = _read(reports, name)
    if isinstance(found, str):
        return found
    rows = [
        [
            count(step["value"]),
            _of_rounds(step, "rate_per_s", "/s"),
            _of_rounds(step, "mean_from_sending_ms", "ms"),
            figure(step["little"]["connections"]),
            figure(step["little"]["in_flight"]),
            _signed(step["little"]["deviation_share"]),
        ]
        for step in found["steps"]
        if step["little"]
    ]
    heads = [found["parameter"], "rate", "mean latency, from sending", "connections, on average", "rate × latency"]
    return plain_table([*heads, "deviation"], rows)


def queue(report: Report | Missing, workload: str, workers: str) -> str | Html:
    """Chart and table: the mean latency on each rung of the ladder, and the curves of the queues."""
    if isinstance(report, Missing):
        return figures.note(report.stage)
    found = _ladder(report, workload)
    queues = {f"M/M/{each}": _queue(found, each) for each in sorted({1, int(workers)})} if found else {}
    first = next(iter(queues.values()), None)
    if found is None or first is None:
        return figures.note(report.stage)
    rungs = sorted(found.rungs, key=lambda rung: rung.rate_per_s or 0.0)
    rows = [
        [
            _rate(rung.rate_per_s),
            share(first.utilisation(rung.rate_per_s or 0.0)),
            _ms(rung.mean_ms),
            *(_ms(each.mean_ms(rung.rate_per_s or 0.0) if each else None) for each in queues.values()),
            "yes" if rung.held else "no",
        ]
        for rung in rungs
    ]
    table = plain_table(["achieved", "utilisation", "measured mean", *queues, "held"], rows)
    known = {name: each for name, each in queues.items() if each}
    title = f"{report.stage}, {workload.upper()}: mean latency by rate, and what a queue predicts"
    return Html(chart(title, _queue_data(rungs, known), table) + prediction(found, int(workers)))


def ladder(report: Report | Missing, workload: str) -> str | Html:
    """The ladder's chart and table, and what a queue with a worker for each processor predicted for its knee."""
    made = figures.ladder(report, workload)
    found = _ladder(report, workload) if isinstance(report, Report) else None
    if found is None or not isinstance(report, Report):
        return made
    return Html(made + prediction(found, report.index["machine"]["cores"]))


def prediction(found: Ladder, workers: int) -> Html:
    """A sentence: what the queue predicted for the highest rate that held; nothing where the ladder does not say.

    The lowest rate that held is no prediction: the queue is made from it.
    """
    queue = _queue(found, workers)
    held = [rung for rung in found.rungs if rung.held and rung.rate_asked_per_s == found.sustainable_per_s]
    if queue is None or not held or held[-1].rate_per_s is None or held[-1].mean_ms is None:
        return Html("")
    rung = held[-1]
    rate_per_s = rung.rate_per_s or 0.0
    predicted_ms = queue.mean_ms(rate_per_s)
    if predicted_ms is None or rate_per_s <= queue.base_rate_per_s:
        return Html("")
    return Html(
        f'<p class="figure-note">A queue with {workers} worker{"s" * (workers > 1)} (M/M/{workers}) predicts a mean of'
        f" {_ms(predicted_ms)} at {_rate(rate_per_s)}, the highest rate that held; measured:"
        f" {_ms(rung.mean_ms)}. For the prediction, {_rate(queue.capacity_per_s)}, the most that any rung achieved, is"
        f" the capacity. So the utilisation was {share(queue.utilisation(rate_per_s))}.</p>"
    )


def _read(reports: Path, name: str) -> Json | str:
    file = reports / name / SWEEP_JSON
    if file.is_file():
        return read_published(file)
    return f'!!! info "Not measured yet"\n    `./workbook sweep … --report {name}` measures this.'


def _law_rate(law: Json, n: float) -> float:
    return float(law["one_per_s"]) * usl.scale(n, law["sigma"]["value"], law["kappa"]["value"])


def _sweep_data(found: Json) -> Mapping[str, object]:
    steps, law = {step["value"]: step["median"]["rate_per_s"] for step in found["steps"]}, found["law"]
    counts = list(range(min(steps), max(steps) + 1))
    series = [{"label": "measured", "per_s": [steps.get(n) for n in counts], "points": True}]
    if law:
        curve = [round(_law_rate(law, n), 1) for n in counts]
        series.append({"label": "the law", "per_s": curve, "points": False})
    return {"kind": "sweep", "what": found["parameter"], "counts": counts, "series": series}


def _law_note(found: Json, reports: Path) -> str:
    law, words = found["law"], [escape(each) for each in found["words"]]
    if law:
        off = law["worst"]
        words.insert(
            0,
            f"σ = {_interval(law['sigma'])}, κ = {_interval(law['kappa'])}, R² = {law['r_squared']:.3f}; the step that"
            f" is furthest from the curve: {off['at']:g}, by {_signed(off['share'])}.",
        )
    rounds = f"Medians of {found['rounds']} rounds; below them, minimum and maximum."
    told = f"{rounds}{figures.disturbed(found, len(found['steps']))} {figures.origin(found, reports)}."
    return f'<p class="law">{" ".join(words)}</p><p class="figure-note">{told}</p>'


def _interval(found: Json) -> str:
    low, high = _coefficient(found["low"]), "∞" if found["high"] is None else _coefficient(found["high"])
    return f"{_coefficient(found['value'])} ({low} to {high})"


def _coefficient(value: float) -> str:
    return "0" if value < usl.NOTHING * 10 else f"{value:.2g}"


def _of_rounds(step: Json, name: str, unit: str = "") -> Html:
    middle, rounds = step["median"][name], step["rounds"][name]
    if middle is None:
        return Html(NONE)
    text = _rate(middle) if unit == "/s" else figure(middle, unit)
    return Html(f"{text}<small>{between(min(rounds), max(rounds))}</small>")


def _ladder(report: Report, workload: str) -> Ladder | None:
    return next((run.ladder() for run in report.of_role("ladder") if run.workload == workload), None)


def _queue(found: Ladder, workers: int) -> Queue | None:
    """From two figures of the ladder: the most that it achieved, the latency of its lowest rate. Nothing is fitted."""
    base = min((rung for rung in found.rungs if rung.held), key=lambda rung: rung.rate_asked_per_s, default=None)
    capacity_per_s = max((rung.rate_per_s or 0.0 for rung in found.rungs), default=0.0)
    if base is None or base.rate_per_s is None or base.mean_ms is None or base.rate_per_s >= capacity_per_s:
        return None
    return Queue(workers, capacity_per_s, base.rate_per_s, base.mean_ms)


def _queue_data(rungs: list[Rung], queues: Mapping[str, Queue]) -> Mapping[str, object]:
    measured = {round(rung.rate_per_s or 0.0): rung for rung in rungs}
    most = next(iter(queues.values())).capacity_per_s * CURVE_UNTIL
    least = min(measured)
    curve = {round(least + (most - least) * (1 - (1 - i / CURVE_POINTS) ** 2)) for i in range(CURVE_POINTS + 1)}
    rates = sorted({*measured, *curve})
    series: list[Mapping[str, object]] = [
        {"label": "measured", "ms": [measured[at].mean_ms if at in measured else None for at in rates], "points": True}
    ]
    for name, each in queues.items():
        predicted = [each.mean_ms(at) if at <= most else None for at in rates]
        series.append({"label": name, "ms": [ms if ms is None else round(ms, 4) for ms in predicted], "points": False})
    held = [measured[at].held if at in measured else True for at in rates]
    return {"kind": "queue", "rates": rates, "series": series, "held": held}


def _rate(per_s: float | None) -> str:
    return NONE if per_s is None else f"{count(round(per_s))}/s"


def _ms(ms: float | None) -> str:
    return NONE if ms is None else figure(ms, "ms")


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else '−' if value < 0 else ''}{share(abs(value))}"
