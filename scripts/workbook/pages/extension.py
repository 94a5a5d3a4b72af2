"""The Markdown extension that fills pages in: `{{ NAME ARGUMENT … }}` stands for what one of the functions below returns.

On a line of its own it becomes a block, anywhere else a piece of text. What cannot be filled in breaks the build; data
that nobody has measured yet does not: the page then says which command makes it.

The project is the folder in which the build was started.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from workbook.failure import Failure
from workbook.pages import figures, numbers, sources
from workbook.pages.report import Report

BEFORE_FENCES = 40  # Priority: code that is put in must still become a code block, and raw HTML be left alone.

PLACE = re.compile(r"\{\{ (.+?) \}\}")
BLOCK = re.compile(r"^( *)\{\{ (.+?) \}\}$")

Filler = Callable[..., "str | figures.Html"]


class PagesExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(Places(md, Path.cwd()), "workbook-pages", BEFORE_FENCES)


def makeExtension(**options: Any) -> PagesExtension:  # noqa: N802
    """By this name Python-Markdown looks for it."""
    return PagesExtension(**options)


class Places(Preprocessor):
    """Puts the text in that the places of a page stand for."""

    def __init__(self, md: Markdown, root: Path) -> None:
        super().__init__(md)
        self._root = root
        self._fillers: dict[str, Filler] = {
            "breakdown": lambda stage, run, event: figures.breakdown(self._report(stage), run, event),
            "code": self._code,
            "environment": lambda stage: figures.environment(self._report(stage)),
            "flamegraphs": lambda stage: figures.flamegraphs(self._report(stage)),
            "ladder": lambda stage, workload: figures.ladder(self._report(stage), workload),
            "part": lambda stage, run, event, of: figures.part(self._report(stage), run, event, of),
            "percentiles": lambda stage, *runs: figures.percentiles(self._report(stage), runs),
            "rooms": self._rooms,
            "runs": lambda stage, *runs: figures.runs(self._report(stage), runs),
            "section": self._section,
            "sustainable": lambda stage, workload: figures.sustainable(self._report(stage), workload),
            "value": lambda stage, run, what: figures.value(self._report(stage), run, what),
        }

    def run(self, lines: list[str]) -> list[str]:
        filled: list[str] = []
        for line in lines:
            if match := BLOCK.match(line):
                filled += ["", *indent(self._fill(match[2]), match[1]).split("\n"), ""]
            else:
                filled.append(PLACE.sub(lambda place: self._fill(place[1]), line))
        return filled

    def _fill(self, asked: str) -> str:
        name, *arguments = shlex.split(asked)
        if name not in self._fillers:
            raise Failure(f"{{{{ {asked} }}}}: there are {', '.join(self._fillers)}")
        try:
            made = self._fillers[name](*arguments)
        except (Failure, TypeError) as problem:
            raise Failure(f"{{{{ {asked} }}}}: {problem}") from problem
        return self.md.htmlStash.store(made) if isinstance(made, figures.Html) else made

    def _report(self, stage: str) -> Report | figures.Missing:
        return Report.read(self._root / "docs" / "reports", stage) or figures.Missing(stage)

    def _code(self, class_name: str, name: str) -> str:
        found = sources.excerpt(sources.find_source(self._root, class_name), name)
        title = f"{class_name}, lines {found.first_line} to {found.last_line}"
        return f'```java title="{title}" linenums="{found.first_line}"\n{found.text}\n```'

    def _rooms(self, stage: str) -> str:
        rooms = sources.rooms(self._root / stage)
        rows = [
            f"| `{room.name}` | {room.summary} | {room.class_count} | {numbers.count(room.line_count)} |"
            for room in rooms
        ]
        total = (
            f"| **{len(rooms)} packages** | | **{sum(room.class_count for room in rooms)}** |"
            f" **{numbers.count(sum(room.line_count for room in rooms))}** |"
        )
        return "\n".join(["| package | what it is | classes | lines |", "|---|---|--:|--:|", *rows, total])

    def _section(self, path: str, heading: str) -> str:
        """What stands under a heading of another Markdown file of the project. It must not hold relative links."""
        text = (self._root / path).read_text(encoding="utf-8")
        return section(text, heading)


def section(text: str, heading: str) -> str:
    lines = text.split("\n")
    begins = [i for i, line in enumerate(lines) if re.fullmatch(rf"#+ {re.escape(heading)}( \{{.*\}})?", line)]
    if len(begins) != 1:
        raise Failure(f"there are {len(begins)} headings {heading!r}")
    return "\n".join(_until_heading(lines[begins[0] + 1 :])).strip()


def _until_heading(lines: Sequence[str]) -> list[str]:
    ends = (i for i, line in enumerate(lines) if line.startswith("#"))
    return list(lines[: next(ends, len(lines))])
