"""Copies the small files of measurements to docs/reports/, where the site reads them."""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import cast

from workbook import interrupts
from workbook.measure.comparing import COMPARISON_JSON
from workbook.measure.report import REPORT_JSON, read_report
from workbook.measure.run_folder import RUN_JSON, read_run, write_json
from workbook.measure.waiting import WAITING_JSON

SMALL = (
    RUN_JSON,
    "load.txt",
    "percentiles.json",
    "ladder.json",
    "breakdown.json",
    WAITING_JSON,
    "flame-*.html",
    "diff-*.html",
    "heatmap-*.html",
)


def promote(lab: Path, target: Path, *, keeps_others: bool = False) -> Path:
    """In place of what was there: made beside it and renamed, so that a report is never half written.

    `keeps_others`: runs of the report that the lab has not measured stay.
    """
    beside = target.with_name(f".{target.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    report = read_report(lab)
    runs, comparisons = _entries(report, "runs"), _entries(report, "comparisons")
    if keeps_others:
        shutil.copytree(target, beside)
        report = read_report(target)
        report["runs"] = _replaced(_entries(report, "runs"), runs)
        report["comparisons"] = _replaced(_entries(report, "comparisons"), comparisons)
    else:
        beside.mkdir(parents=True)
    for entry in runs:
        shutil.rmtree(beside / str(entry["folder"]), ignore_errors=True)
        entry["files"] = _copy(lab / str(entry["folder"]), beside / str(entry["folder"]))
    for comparison in comparisons:
        promote_comparison(lab / str(comparison["folder"]), beside / str(comparison["folder"]))
    report["files"] = [REPORT_JSON]
    write_json(beside / REPORT_JSON, report)
    _put_in_place(beside, target)
    return target


def promote_comparison(folder: Path, target: Path, json_name: str = COMPARISON_JSON) -> Path:
    """The figures of a comparison, or of a sweep, and what the load tool said in each round."""
    beside = target.with_name(f".{target.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    (beside / "raw").mkdir(parents=True)
    shutil.copyfile(folder / json_name, beside / json_name)
    for text in sorted(folder.glob("*/load.txt")):
        shutil.copyfile(text, beside / "raw" / f"{text.parent.name}.txt")
    _put_in_place(beside, target)
    return target


def _put_in_place(beside: Path, target: Path) -> None:
    """An interrupt waits meanwhile, and at any moment one of the two reports is whole."""
    before = target.with_name(f".{target.name}.old")
    with interrupts.held():
        if target.exists():
            shutil.rmtree(before, ignore_errors=True)
            target.rename(before)
        beside.rename(target)
        shutil.rmtree(before, ignore_errors=True)


def _entries(report: dict[str, object], name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", report.get(name, []))


def _replaced(old: list[dict[str, object]], new: list[dict[str, object]]) -> list[dict[str, object]]:
    """Each in its old place, others at the end."""
    return list({each["name"]: each for each in [*old, *new]}.values())


def _copy(run: Path, target: Path) -> list[str]:
    target.mkdir()
    names = sorted(path.name for path in run.iterdir() if any(fnmatch(path.name, small) for small in SMALL))
    for name in names:
        shutil.copyfile(run / name, target / name)
    write_json(target / RUN_JSON, {**read_run(run), "files": names})
    return names
