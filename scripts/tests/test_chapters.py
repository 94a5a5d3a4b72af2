"""A chapter and the README of its stage list the same experiments."""

from __future__ import annotations

import re

import pytest

from tests.fakes import SCRIPTS
from workbook.pages.sources import section
from workbook.project import Project

ROOT = SCRIPTS.parent
STAGES = {module.stage_number: module.name for module in Project(ROOT).modules if module.stage_number}
IN_CHAPTER = re.compile(r"^\*\*(\d+)\. ([^*]+)\*\*", re.MULTILINE)
IN_README = re.compile(r"^(\d+)\. \*\*([^*]+)\*\*", re.MULTILINE)


def chapter(number: int) -> str:
    return (ROOT / "docs" / "stages" / f"stage{number}-experiments.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", STAGES)
def test_readme_lists_the_experiments_of_the_chapter(number: int) -> None:
    found = IN_CHAPTER.findall(chapter(number))

    assert [int(each) for each, _ in found] == list(range(1, len(found) + 1))
    assert len(found) >= 5
    assert IN_README.findall(section(ROOT / STAGES[number] / "README.md", "Experiments")) == found


@pytest.mark.parametrize("number", STAGES)
def test_each_experiment_has_an_answer(number: int) -> None:
    """In the chapter, folded, so that a reader predicts first; or, where it needs more room, behind a link."""
    _, *experiments = re.split(r"^(?=\*\*\d+\. )", chapter(number), flags=re.MULTILINE)

    for each in experiments:
        assert '??? success "What ' in each or "[What came out here](" in each, each.partition("\n")[0]
