"""Reports that pages show: can somebody else repeat them?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbook import git

ROOT = Path(__file__).resolve().parents[2]
COMMIT = re.compile(r'"commit": "([0-9a-f]{40})"|^\| commit \| ([0-9a-f]{12})', re.MULTILINE)


def commits_of(report: Path) -> set[str]:
    files = [*report.rglob("*.json"), *report.glob("results.md")]
    return {match[1] or match[2] for file in files for match in COMMIT.finditer(file.read_text())}


def test_commit_of_each_report_is_in_the_repository() -> None:
    if git.is_in_history(ROOT, "HEAD") is None:
        pytest.skip("no git, or a clone without its history")
    reports = sorted(path for path in (ROOT / "docs" / "reports").iterdir() if path.is_dir())

    def is_known(commit: str) -> bool:
        return bool(git.is_in_history(ROOT, git.rebased_as(ROOT / "docs" / "reports", commit) or commit))

    lost = {each.name for each in reports if not all(map(is_known, commits_of(each)))}

    assert lost == set()
    assert len(reports) > 50
