"""Figures in the text beside measurements come from reports, by a placeholder: typed ones outlive what was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

STAGES = Path(__file__).resolve().parents[2] / "docs" / "stages"
PAGES = sorted(
    [
        *STAGES.glob("*-measured.md"),
        *STAGES.glob("*-waiting.md"),
        *STAGES.glob("*-experiments.md"),
        STAGES / "compared.md",
    ]
)

NOT_TEXT = re.compile(r"`[^`]*`|\{\{.*?\}\}|\]\([^)]*\)")
FIGURE = re.compile(r"(?<![\w.])\d[\d.,  ]*(?:to \d[\d.]* ?)?(?:(?:ms|µs|s)\b|%|/s\b)")

# What is no measurement of ours: settings, and what others have reported.
KNOWN = {
    "stage1-experiments.md": {"1.0 %"},  # How many absent keys a filter of the default size lets pass: its definition.
    "stage3-experiments.md": {"10 s"},  # In the message of a test.
    "stage5-experiments.md": {"1 ms"},  # The shortest delay of a hedge.
    "stage5-measured.md": {"4000/s"},  # The load of a student's report.
    "compared.md": {
        *("2500/s", "27.0 ms", "750/s", "52.7 ms", "1000/s", "29 s", "2.28 ms", "4000/s", "21.3 ms", "17.3 ms"),
        *("2509 /s", "3055 /s", "5898/s", "4864/s"),
    },  # Reports of students.
}


def typed_figures(text: str) -> Iterator[str]:
    """Outside of code, tables and placeholders."""
    is_code = False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("|"):
            yield from (match[0].strip() for match in FIGURE.finditer(NOT_TEXT.sub("", line)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_figures_in_the_text_come_from_reports(page: Path) -> None:
    typed = [each for each in typed_figures(page.read_text()) if each not in KNOWN.get(page.name, ())]

    assert typed == [], f"{page.name}: take these from a report, by a placeholder, or leave them out"


def test_exception_that_is_no_longer_needed_is_removed() -> None:
    found = {page.name: set(typed_figures(page.read_text())) for page in PAGES}

    assert {name: known - found[name] for name, known in KNOWN.items() if known - found[name]} == {}


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("It takes 8.2 to 9.1 ms.", ["8.2 to 9.1 ms"]),
        ("p99 is 12.5 ms, at 2500/s; 13 % fail", ["12.5 ms", "2500/s", "13 %"]),
        ("It is {{ value stage1-storage put p99 }} with `--rate 10 s`, [here](a.md#10-s).", []),
        ("After 3 s", ["3 s"]),
        ("```console\n$ sleep 3 s\n```\n| 3 s |", []),
        ("one of 3 servers, 2 of 3 requests", []),
    ],
)
def test_typed_figure_is_found_and_others_are_not(text: str, typed: list[str]) -> None:
    assert list(typed_figures(text)) == typed
