"""The Markdown extension that fills pages in: `{{ NAME ARGUMENT … }}` stands for what a function of that name makes.

On a line of its own it becomes a block, anywhere else a piece of text. What cannot be filled in breaks the build; data
that nobody has measured yet does not: the page then says which command makes it.

The project is the folder in which the build was started.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from workbook.failure import Failure
from workbook.pages import chapters, comparison, exercises, figures, floor, laws, placement, sources, timeline, waiting
from workbook.pages.report import Report

# After white space was normalized (30), which would spoil stashed HTML, and before fences become code blocks (25).
PRIORITY = 28

PLACE = re.compile(r"\{\{ (.+?) \}\}")
OPENED = "{{ "
BLOCK = re.compile(r"^( *)\{\{ (.+?) \}\}$")

Filler = Callable[..., "str | figures.Html"]


class PagesExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(Places(md, Path.cwd()), "workbook-pages", PRIORITY)


def makeExtension(**options: Any) -> PagesExtension:  # noqa: N802
    """By this name Python-Markdown looks for it."""
    return PagesExtension(**options)


class Places(Preprocessor):
    """Puts the text in that the places of a page stand for."""

    def __init__(self, md: Markdown, root: Path) -> None:
        super().__init__(md)
        self._root = root
        self._reports = root / "docs" / "reports"
        self._fillers: dict[str, Filler] = {
            "allocated": lambda *stages: figures.allocated([self._report(stage) for stage in stages]),
            "allocated-times": lambda stage, run: figures.allocated_times(self._report(stage), run),
            "breakdown": lambda stage, run, event: figures.breakdown(self._report(stage), run, event),
            "callout": figures.callout,
            "code": self._code,
            "compared": lambda name, *measures: comparison.compared(self._reports, name, measures),
            "continued": lambda page: chapters.continued(root / "docs" / "stages" / page),
            "exercises": lambda *stage: exercises.listed(self._root, *stage),
            "mistakes": lambda *stage: exercises.mistakes(self._root, *stage),
            "difference": lambda *words: comparison.difference(self._reports, *words),
            "differences": lambda *stages: figures.differences([self._report(stage) for stage in stages]),
            "environment": lambda stage: figures.environment(self._report(stage)),
            "flamegraphs": lambda stage, opened="", *found: figures.flamegraphs(self._report(stage), opened, found),
            "floor": lambda: floor.floor(self._reports),
            "ladder": lambda stage, workload: laws.ladder(self._report(stage), workload),
            "layers": lambda run, *stages: figures.layers([self._report(stage) for stage in stages], run),
            "little": lambda name: laws.little(self._reports, name),
            "part": lambda stage, run, event, of: figures.part(self._report(stage), run, event, of),
            "percentiles": lambda stage, *runs: figures.percentiles(self._report(stage), runs),
            "percentile-table": lambda *names: comparison.percentiles(self._reports, names),
            "placement": lambda: placement.placement(self._reports),
            "queue": lambda stage, workload, workers: laws.queue(self._report(stage), workload, workers),
            "packages": self._packages,
            "runs": lambda stage, *runs: figures.runs(self._report(stage), runs),
            "section": self._section,
            "sustainable": lambda stage, workload: figures.sustainable(self._report(stage), workload),
            "spectra": lambda name: comparison.spectra(self._reports, name),
            "sweep": lambda name: laws.sweep(self._reports, name),
            "task": self._task,
            "timeline": lambda workload, fault: timeline.timeline(self._reports, workload, fault),
            "times": lambda *words: comparison.times(self._reports, *words),
            "trace-cost": lambda stage: waiting.cost(self._reports, stage),
            "value": lambda stage, run, what: figures.value(self._report(stage), run, what),
            "waited": lambda stage, run, group, part: waiting.waited(self._report(stage), run, group, part),
            "wall-graphs": lambda stage, run, *found: waiting.wall_graphs(self._report(stage), run, found),
            "within": lambda stage, run, event, group, of: figures.within(self._report(stage), run, event, group, of),
            "waiting": lambda stage, *runs: waiting.section(self._report(stage), runs),
        }

    def run(self, lines: list[str]) -> list[str]:
        filled: list[str] = []
        for line in lines:
            if match := BLOCK.match(line):
                filled += ["", *indent(self._fill(match[2]), match[1]).split("\n"), ""]
            else:
                if OPENED in PLACE.sub("", line):
                    raise Failure(f"{line.strip()}: a place must end on its own line")
                filled.append(PLACE.sub(lambda place: self._fill(place[1]), line))
        return filled

    def _fill(self, asked: str) -> str:
        name, *arguments = shlex.split(asked)
        if name not in self._fillers:
            raise Failure(f"{{{{ {asked} }}}}: there are {', '.join(self._fillers)}")
        try:
            made = self._fillers[name](*arguments)
        except (Failure, OSError, TypeError) as problem:
            raise Failure(f"{{{{ {asked} }}}}: {problem}") from problem
        return self.md.htmlStash.store(made) if isinstance(made, figures.Html) else made

    def _report(self, stage: str) -> Report | figures.Missing:
        return Report.read(self._reports, stage) or figures.Missing(stage)

    def _code(self, class_name: str, name: str) -> str:
        found = sources.excerpt(sources.find_source(self._root, class_name), name)
        title = f"{class_name}, lines {found.first_line} to {found.last_line}"
        return f'```java title="{title}" linenums="{found.first_line}"\n{found.text}\n```'

    def _packages(self, stage: str) -> figures.Html:
        return figures.packages(sources.packages(self._root / stage))

    def _task(self, folder: str) -> str:
        """The task of an exercise, which lies beside its stage; places in it are filled, too."""
        found = sorted(self._root.glob(f"stage*/exercises/{folder}/task.md"))
        if len(found) != 1:
            raise Failure(f"no exercise, or more than one, has the folder {folder}")
        return "\n".join(self.run(found[0].read_text(encoding="utf-8").splitlines()))

    def _section(self, path: str, heading: str) -> str:
        """What stands under a heading of another Markdown file of the project. It must not hold relative links."""
        file = self._root / path
        is_measured = file.is_relative_to(self._reports)
        return figures.measured_section(file, path, heading) if is_measured else sources.section(file, heading)
