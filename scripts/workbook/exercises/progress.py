"""How far a student is: a small file in the checkout, which git ignores and no branch changes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timezone
from pathlib import Path

from workbook.exercises.catalog import Catalog, Exercise
from workbook.failure import Failure
from workbook.toml import read_toml, table_text

FILE = "progress.toml"
HEAD = "# How far you are with the exercises: kept by ./workbook exercise, check, hint and solution.\n"
OPEN, BEGUN, DONE = "open", "begun", "done"
TIME = "%Y-%m-%dT%H:%M:%SZ"
"""UTC."""


@dataclass(frozen=True)
class Entry:
    """`branch` holds the student's code; `base` is the branch that was left for it."""

    state: str = OPEN
    branch: str = ""
    base: str = ""
    begun: str = ""
    done: str = ""
    hints: int = 0
    checks: int = 0
    gave_up: bool = False


@dataclass
class Progress:
    file: Path
    entries: dict[str, Entry] = field(default_factory=dict)

    @staticmethod
    def read(root: Path) -> Progress:
        file = root / FILE
        if not file.is_file():
            return Progress(file)
        return Progress(file, {name: _entry(f"{file}: [{name}]", table) for name, table in read_toml(file).items()})

    def of(self, exercise: Exercise) -> Entry:
        return self.entries.get(exercise.id, Entry())

    def change(self, exercise: Exercise, **values: object) -> Entry:
        """Changes an entry, in the file as well: all of it or nothing."""
        entry = replace(self.of(exercise), **values)  # type: ignore[arg-type]
        self.entries[exercise.id] = entry
        self._write()
        return entry

    def next(self, catalog: Catalog) -> Exercise | None:
        """The first that is begun, or the first that is open after the last one done, or the first open one."""
        begun = [each for each in catalog.exercises if self.of(each).state == BEGUN]
        if begun:
            return begun[0]
        done = [i for i, each in enumerate(catalog.exercises) if self.of(each).state == DONE]
        after = catalog.exercises[done[-1] + 1 :] if done else []
        return next((each for each in [*after, *catalog.exercises] if self.of(each).state == OPEN), None)

    def _write(self) -> None:
        tables = []
        for exercise_id, entry in sorted(self.entries.items(), key=lambda each: _order(each[0])):
            values = {name.replace("_", "-"): value for name, value in asdict(entry).items() if value not in ("", 0)}
            tables.append(table_text(exercise_id, values))
        new = self.file.with_suffix(".toml.new")
        new.write_text("\n".join([HEAD, *tables]), encoding="utf-8")
        new.replace(self.file)


def _entry(where: str, table: object) -> Entry:
    """What it doesn't know it leaves out: a later version may have written it."""
    if not isinstance(table, dict):
        raise Failure(f"{where} is not a table")
    values = {}
    for each in fields(Entry):
        name, kind = each.name.replace("_", "-"), type(each.default)
        if name in table:
            if type(table[name]) is not kind:
                raise Failure(f"{where} {name} is not of type {kind.__name__}")
            values[each.name] = table[name]
    return Entry(**values)


def now() -> str:
    return datetime.now(timezone.utc).strftime(TIME)


def _order(exercise_id: str) -> tuple[int, ...]:
    return tuple(int(part) for part in exercise_id.split(".") if part.isdecimal())
