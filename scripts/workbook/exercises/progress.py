"""How far a student is: a small file in the checkout, which git ignores and no branch changes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timezone
from pathlib import Path

from workbook.exercises.catalog import Catalog, Exercise
from workbook.toml import read_toml, table_text

FILE = "progress.toml"
HEAD = "# How far you are with the exercises: kept by ./workbook exercise, check, hint and solution.\n"
OPEN, BEGUN, DONE = "open", "begun", "done"


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
        known = {each.name for each in fields(Entry)}
        entries = {}
        for exercise_id, values in read_toml(file).items():
            named = {name.replace("-", "_"): value for name, value in values.items()}
            entries[exercise_id] = Entry(**{name: value for name, value in named.items() if name in known})
        return Progress(file, entries)

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


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _order(exercise_id: str) -> tuple[int, ...]:
    return tuple(int(part) for part in exercise_id.split(".") if part.isdecimal())
