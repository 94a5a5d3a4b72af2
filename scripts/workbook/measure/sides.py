"""The sides of a comparison: what a word of the command line stands for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbook.failure import Failure
from workbook.measure.bench import Bench
from workbook.measure.options import words
from workbook.measure.run_folder import DONE, RUN_JSON, read_run
from workbook.measure.targets import Target, command_target, is_command, revision_target


@dataclass(frozen=True)
class Side:
    """A server to be measured, or a run that was: exactly one of them."""

    name: str
    target: Target | None = None
    recorded: dict[str, object] | None = None

    def facts(self) -> dict[str, object]:
        """As comparison.json has it."""
        return {"name": self.name, "kind": self.target.kind if self.target else "run"}


def is_run(word: str) -> bool:
    return (Path(word) / RUN_JSON).is_file()


def side(word: str, bench: Bench, stage_number: int) -> Side:
    """A stage's number, a run's folder, a server's command line, or else a git revision of the stage."""
    if is_run(word):
        facts = read_run(Path(word))
        if facts["status"] != DONE or facts["results"] is None:
            raise Failure(f"{word} is the folder of a run that is {facts['status']}: it has nothing to compare")
        return Side(bench.project.short(Path(word).resolve()), recorded=facts)
    if is_command(word):
        return Side(word, command_target(word, bench.project.stage(stage_number).name))
    first, *options = words([word], word) or ("",)
    flags = bench.settings.flags.and_also(options)
    if first.isdecimal():
        target = bench.stage(int(first), flags)
    else:
        target = revision_target(first, bench.project.stage(stage_number), bench.builder, bench.jdk, flags)
    return Side(" ".join([target.name, *options]), target)
