"""The sides of a comparison: what a word of the command line stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbook.failure import Failure, UsageError
from workbook.measure.bench import Bench
from workbook.measure.options import words
from workbook.measure.run_folder import DONE, RUN_JSON, read_run
from workbook.measure.targets import BARE, Target, bare_target, command_target, is_command, revision_target
from workbook.measure.workload import SETTINGS, Load, Workload
from workbook.remote.target_file import read_target

TOML = ".toml"
SETTING = re.compile(r"([A-Z_]+)=(.*)")


@dataclass(frozen=True)
class Side:
    """A server to be measured, or a run that was: exactly one of them.

    `asked` is what it alone is asked for, `connections` on how many; None: as all. `traced`: its requests are recorded.
    """

    name: str
    target: Target | None = None
    recorded: dict[str, object] | None = None
    asked: Mapping[str, str] = field(default_factory=dict)
    connections: int | None = None
    traced: bool = False

    def workload(self, of_all: Workload) -> Workload:
        return replace(of_all, environment={**of_all.environment, **self.asked})

    def load(self, of_all: Load) -> Load:
        return of_all if self.connections is None else replace(of_all, connections=self.connections)

    def facts(self) -> dict[str, object]:
        """As comparison.json has it."""
        return {"name": self.name, "kind": self.target.kind if self.target else "run"}


def is_run(word: str) -> bool:
    return (Path(word) / RUN_JSON).is_file()


def recorded_run(word: str) -> dict[str, object]:
    """What run.json says of a run that can be compared."""
    facts = read_run(Path(word))
    if facts["status"] != DONE:
        raise Failure(f"{word} is the folder of a run that is {facts['status']}: it has nothing to compare")
    if facts.get("results") is None:
        raise Failure(f"{word} has no results of its own: name one run, such as a-1 in the folder of a comparison")
    return facts


def side(word: str, bench: Bench, stage_number: int) -> Side:
    """A stage's number, a target's file, a run's folder, a server's command line, a bare server, or a git revision."""
    if is_run(word):
        return Side(bench.project.short(Path(word).resolve()), recorded=recorded_run(word))
    if is_command(word):
        return Side(word, command_target(word, bench.project.stage(stage_number).name))
    first, *rest = words([word], word) or ("",)
    settings = [match for each in rest if (match := SETTING.fullmatch(each))]
    for match in settings:
        if match[1] not in SETTINGS:
            raise UsageError(f"{word}: {match[1]} is none of {', '.join(SETTINGS)}")
        if first == BARE:
            raise UsageError(f"{word}: bare servers read {match[1]} from the environment, so it is the same for all")
    options = [each for each in rest if not SETTING.fullmatch(each)]
    target = _target(first, options, bench, stage_number)
    named = rest[1:] if first == BARE else rest  # Its name says the library already.
    return Side(" ".join([target.name, *named]), target, asked={match[1]: match[2] for match in settings})


def _target(word: str, options: Sequence[str], bench: Bench, stage_number: int) -> Target:
    runs_elsewhere = word.endswith(TOML) or (word.isdecimal() and bench.settings.target is not None)
    if runs_elsewhere and options:
        raise UsageError(f"{word} {' '.join(options)}: its nodes run already, so only NAME=VALUE can be asked of it")
    if word.endswith(TOML):
        return bench.elsewhere(read_target(Path(word)), stage_number)
    if runs_elsewhere:
        return bench.target(int(word))
    if word == BARE:
        library, *options = options or [""]
        stage_name = bench.project.stage(stage_number).name
        return bare_target(bench.tool, library, stage_name, bench.settings.flags.and_also(options))
    flags = bench.settings.flags.and_also(options)
    if word.isdecimal():
        return bench.stage(int(word), flags)
    return revision_target(word, bench.project.stage(stage_number), bench.builder, bench.jdk, flags)
