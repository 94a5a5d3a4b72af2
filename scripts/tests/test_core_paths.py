"""The core path of each stage, as its README lists it, is there and can be read in an evening."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes import SCRIPTS
from workbook.failure import Failure
from workbook.pages.sources import excerpt, find_source, section
from workbook.project import Project

ROOT = SCRIPTS.parent
HEADING = "Core path"
LINES_MAX = 1500
CODE = re.compile(r"`([^`]+)`")
STAGES = [module.name for module in Project(ROOT).modules if module.stage_number]


@dataclass(frozen=True)
class Piece:
    """A class, or the methods of it that a first reading needs."""

    class_name: str
    methods: tuple[str, ...]

    def line_count(self, root: Path) -> int:
        source = find_source(root, self.class_name)
        if not self.methods:
            return source.read_text(encoding="utf-8").count("\n")
        return sum(excerpt(source, method).text.count("\n") + 1 for method in self.methods)


def pieces(text: str) -> Iterator[Piece]:
    """A numbered item begins with classes; `only` and names of methods may follow one. A colon ends them.

    For example: 1. `dht.Some`, `dht.Other`, only `put` and `get`: what they do.
    """
    for item in re.findall(r"^\d+\. (.+?)(?=^\d+\. |\Z)", text, re.MULTILINE | re.DOTALL):
        names = CODE.findall(re.split(r":\s", item, maxsplit=1)[0])
        classes = [name for name in names if name.startswith("dht.")]
        methods = tuple(name for name in names if not name.startswith("dht."))
        for name in classes:
            yield Piece(name, methods if name == classes[-1] else ())


def core_path(stage: str) -> list[Piece]:
    return list(pieces(section(ROOT / stage / "README.md", HEADING)))


@pytest.mark.parametrize("stage", STAGES)
def test_core_path_of_a_stage_is_read_in_an_evening(stage: str) -> None:
    counted = {piece: piece.line_count(ROOT) for piece in core_path(stage)}

    assert len(counted) >= 5, "each item of the list begins with a class in backticks"
    assert sum(counted.values()) <= LINES_MAX, counted


@pytest.mark.parametrize("stage", STAGES)
def test_readme_says_what_a_first_reading_may_skip(stage: str) -> None:
    assert "first reading" in section(ROOT / stage / "README.md", "The rest, by purpose")


def test_piece_that_is_missing_is_a_failure(tmp_path: Path) -> None:
    source = tmp_path / "stage1-storage/src/main/java/dht/Some.java"
    source.parent.mkdir(parents=True)
    source.write_text("final class Some {\n    void put() {\n        get();\n    }\n}\n")
    items = [
        "1. `dht.Some`:\n   all.",
        "2. `dht.Some`, only\n   `put`: a part.",
        "3. `dht.Gone`: no.",
        "4. `dht.Some`, only `get`: no.",
    ]
    whole, part, gone, lost = pieces("\n".join(items))

    assert (whole.line_count(tmp_path), part.line_count(tmp_path)) == (5, 3)
    for piece in (gone, lost):
        with pytest.raises(Failure):
            piece.line_count(tmp_path)
