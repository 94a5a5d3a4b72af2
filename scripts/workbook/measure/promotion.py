"""Copies the small files of measurements to docs/reports/, where the site reads them."""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import cast

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


def promote(lab: Path, target: Path) -> Path:
    """In place of what was there: made beside it and renamed, so that a report is never half of two."""
    beside = target.with_name(f".{target.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    report = read_report(lab)
    entries = report["runs"]
    assert isinstance(entries, list)
    for entry in entries:
        entry["files"] = _copy(lab / str(entry["folder"]), beside / str(entry["folder"]))
    for comparison in cast("list[dict[str, object]]", report.get("comparisons", [])):
        promote_comparison(lab / str(comparison["folder"]), beside / str(comparison["folder"]))
    report["files"] = [REPORT_JSON]
    write_json(beside / REPORT_JSON, report)
    shutil.rmtree(target, ignore_errors=True)
    beside.rename(target)
    return target


def promote_comparison(folder: Path, target: Path, json_name: str = COMPARISON_JSON) -> Path:
    """The figures of a comparison, or of a sweep, and what the load tool said in each round."""
    beside = target.with_name(f".{target.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    (beside / "raw").mkdir(parents=True)
    shutil.copyfile(folder / json_name, beside / json_name)
    for text in sorted(folder.glob("*/load.txt")):
        shutil.copyfile(text, beside / "raw" / f"{text.parent.name}.txt")
    shutil.rmtree(target, ignore_errors=True)
    beside.rename(target)
    return target


def _copy(run: Path, target: Path) -> list[str]:
    target.mkdir()
    names = sorted(path.name for path in run.iterdir() if any(fnmatch(path.name, small) for small in SMALL))
    for name in names:
        shutil.copyfile(run / name, target / name)
    write_json(target / RUN_JSON, {**read_run(run), "files": names})
    return names
