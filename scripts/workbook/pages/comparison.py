"""Tables and charts of a comparison: docs/reference/run-folder.md describes its comparison.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from workbook.failure import Failure
from workbook.measure.comparing import COMPARISON_JSON
from workbook.measure.load_report import read_report
from workbook.measure.verdicts import MEASURES, WITHIN_NOISE
from workbook.measure.workload import OVERLOAD, SATURATING_PER_S
from workbook.pages import figures
from workbook.pages.figures import NONE, Html, plain_table
from workbook.pages.numbers import GAP, between, count, figure
from workbook.pages.report import Json, read_published

ONLY_IF_ASKED = ("gc_pause_ms_max",)
"""A cause, not an effect: most tables need no column for it."""
OF_CLIENTS = ("p50_ms", "p90_ms", "p99_ms", "p99_9_ms")
"""Latencies from the moment when a request was due. Under overload they only say how long the run was."""
OVERLOAD_SHARE = 0.9
"""A server that achieves less than this share of the asked rate is overloaded."""


def compared(reports: Path, name: str, asked: Sequence[str] = ()) -> str | Html:
    """A row for each server: medians, the range of its rounds, and a verdict where it differs from the first row.

    `asked`: the measures that are shown; if there is none, all that say what clients notice and what it costs.
    """
    file = reports / name / COMPARISON_JSON
    if not file.is_file():
        return _not_measured(name)
    found = read_published(file)
    sides = found["sides"]
    known = [measure for measure in MEASURES if all(measure.name in side["median"] for side in sides)]
    if unknown := set(asked) - {measure.name for measure in known}:
        raise Failure(f"{name} has no {', '.join(sorted(unknown))}; it has {', '.join(each.name for each in known)}")
    hidden = ONLY_IF_ASKED + (OF_CLIENTS if _is_overload(found) else ())
    measures = [each for each in known if (each.name in asked if asked else each.name not in hidden)]
    rows = [[side["name"], *(_cell(side, measure.name) for measure in measures)] for side in sides]
    note = (
        f'<p class="figure-note">Medians of {found["rounds"]} rounds; below them, minimum and maximum. <i>faster</i>,'
        " <i>slower</i>: differs from the first row by more than the noise."
        f"{figures.disturbed(found, len(found['sides']))} {figures.origin(found, reports)}.</p>"
    )
    return Html(plain_table([_asked(found), *(measure.title for measure in measures)], rows) + note)


def times(reports: Path, name: str, measure: str, side: str, of: str) -> str:
    """How many times the median of one server is that of another, such as `2.1 times`. Servers have letters."""
    pair = _medians(reports, name, measure, side, of)
    return figures.NOT_MEASURED if pair is None else f"{pair[0] / pair[1]:.1f} times"


def difference(reports: Path, name: str, measure: str, side: str, of: str) -> str:
    """By how much the median of one server differs from that of another, such as `24 % less`."""
    pair = _medians(reports, name, measure, side, of)
    if pair is None:
        return figures.NOT_MEASURED
    change = pair[0] / pair[1] - 1
    return f"{abs(change):.0%}".replace("%", f"{GAP}%") + (" less" if change < 0 else " more")


def _medians(reports: Path, name: str, measure: str, *letters: str) -> list[float] | None:
    file = reports / name / COMPARISON_JSON
    if not file.is_file():
        return None
    medians = {side["letter"]: side["median"] for side in read_published(file)["sides"]}
    if unknown := set(letters) - set(medians):
        raise Failure(f"{name} has no server {', '.join(sorted(unknown))}; it has {', '.join(medians)}")
    if any(measure not in medians[letter] for letter in letters):
        raise Failure(f"{name} has no {measure}")
    return [medians[letter][measure] for letter in letters]


def _asked(found: Json) -> str:
    """For example `PUT, 9000/s`."""
    workload, rate_per_s = found["workload"]["name"], found["load"]["rate_per_s"]
    words = ["saturated" if rate_per_s >= SATURATING_PER_S else f"{count(rate_per_s)}/s"]
    words += ["overload"] if _is_overload(found) and workload != OVERLOAD and words != ["saturated"] else []
    return ", ".join([workload.upper(), *words])


def _is_overload(found: Json) -> bool:
    """Whether a server was asked for more than it can answer."""
    rate_per_s = found["load"]["rate_per_s"]
    achieved = [side["median"].get("rate_per_s", rate_per_s) for side in found["sides"]]
    return bool(rate_per_s >= SATURATING_PER_S or min(achieved) < OVERLOAD_SHARE * rate_per_s)


def spectra(reports: Path, name: str) -> str | Html:
    """A line for each server: at each percentile, the median of its rounds."""
    file = reports / name / COMPARISON_JSON
    if not file.is_file():
        return _not_measured(name)
    found = read_published(file)
    return figures.spectra([_spectrum(file.parent, side) for side in found["sides"]], _asked(found))


def percentiles(reports: Path, names: Sequence[str]) -> str | Html:
    """One table of several comparisons: a row for each of their servers, a column for each percentile, and the maximum.

    None is shown beyond the percentile that it has a request for.
    """
    rows: list[list[str]] = []
    notes: list[str] = []
    for name in names:
        file = reports / name / COMPARISON_JSON
        if not file.is_file():
            rows.append([name, *[figures.NOT_YET] * (len(figures.TABLE_PERCENTILES) + 1)])
            continue
        found = read_published(file)
        rows += [_percentiles_of(_spectrum(file.parent, side), _asked(found)) for side in found["sides"]]
        notes.append(f"{_rounds(found)}: {figures.origin(found, reports)}.")
    if not notes:
        return _not_measured(names[-1])
    heads = [*(f"p{100 * at:g}" for at in figures.TABLE_PERCENTILES), "max"]
    note = " ".join(["Each percentile is the median over the rounds; max is the maximum of all rounds.", *notes])
    return Html(plain_table(["in ms", *heads], rows) + f'<p class="figure-note">{note}</p>')


def _percentiles_of(spectrum: figures.Spectrum, asked: str) -> list[str]:
    known = (spectrum.ms_at(at) if at <= spectrum.deepest else None for at in figures.TABLE_PERCENTILES)
    return [f"{asked}: {spectrum.label}", *(NONE if ms is None else figure(ms) for ms in (*known, spectrum.max_ms))]


def _rounds(found: Json) -> str:
    return f"{found['rounds']} round{'s' * (found['rounds'] > 1)}"


def _spectrum(folder: Path, side: Json) -> figures.Spectrum:
    rounds = [read_report(path.read_text()).latency for path in sorted(folder.glob(f"raw/{side['letter']}-*.txt"))]
    if not rounds:
        raise Failure(f"{folder / 'raw'} has no round of {side['letter']}")

    def ms_at(percentile: float) -> float:
        return median(ms for each in rounds if (ms := each.at(percentile)) is not None)

    return figures.Spectrum(
        side["name"], min(each.count or 0 for each in rounds), ms_at, max(each.max or 0.0 for each in rounds)
    )


def _not_measured(name: str) -> str:
    return f'!!! info "Not measured yet"\n    `./workbook compare … --report {name}` measures this.'


def _cell(side: Json, measure: str) -> Html:
    rounds = side["rounds"][measure]
    words = [each["verdict"] for each in side["against_a"] if each["name"] == measure]
    told = "".join(f", {word}" for word in words if word != WITHIN_NOISE)
    return Html(f"{figure(side['median'][measure])}{told}<small>{between(min(rounds), max(rounds))}</small>")
