"""Measures several servers under one load, in turn, and judges each by the first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from workbook.failure import Failure
from workbook.measure import results, runs
from workbook.measure.bench import Bench
from workbook.measure.measuring import is_disturbed_by
from workbook.measure.run_folder import made, write_json
from workbook.measure.sides import Side
from workbook.measure.verdicts import MEASURES, Verdict, judge
from workbook.measure.workload import Load, Workload
from workbook.messages import warn

COMPARISON_JSON = "comparison.json"
LETTERS = "abcdefghijklmnop"

Figures = Mapping[str, "float | None"]


@dataclass(frozen=True)
class Compared:
    """One side, with the figures of its rounds, and what they say beside the first side's; nothing of that itself."""

    letter: str
    side: Side
    rounds: tuple[Figures, ...]
    verdicts: tuple[Verdict, ...] = ()

    def median(self, name: str) -> float | None:
        """None unless each round has it."""
        values = [figures.get(name) for figures in self.rounds]
        known = [value for value in values if value is not None]
        return median(known) if known and len(known) == len(values) else None

    def facts(self) -> dict[str, object]:
        """As comparison.json has it."""
        names = [measure.name for measure in MEASURES if self.median(measure.name) is not None]
        return {
            "letter": self.letter,
            **self.side.facts(),
            "rounds": {name: [figures.get(name) for figures in self.rounds] for name in names},
            "median": {name: self.median(name) for name in names},
            "against_a": [verdict.facts() for verdict in self.verdicts],
        }


def compare(
    bench: Bench,
    sides: Sequence[Side],
    workload: Workload,
    load: Load,
    rounds: int,
    path: Path,
    names: Collection[str] | None = None,
) -> list[Compared]:
    """Leaves a folder of run folders.

    `names`: of the measures that are judged; all that there are if it is None.
    """
    lettered = dict(zip(LETTERS, sides, strict=False))
    facts: dict[str, object] = {
        "name": path.name,
        **bench.facts,
        "sides": [side.facts() for side in sides],
        "rounds": rounds,
        "workload": workload.facts(keys_filled=0),
        "load": load.__dict__,
    }
    with made(path, facts):
        measured = in_turn(bench, lettered, workload, load, rounds, path)
        figures = {letter: [_figures(each, names) for each in facts] for letter, facts in measured.facts.items()}
        compared = _judged(lettered, figures)
        write_json(
            path / COMPARISON_JSON,
            {**facts, "disturbed": measured.disturbed, "sides": [each.facts() for each in compared]},
        )
    return compared


@dataclass(frozen=True)
class Rounds:
    """What run.json says of each round of each side, and how many rounds other programs disturbed."""

    facts: Mapping[str, Sequence[Mapping[str, object]]]
    disturbed: int


def in_turn(bench: Bench, sides: Mapping[str, Side], workload: Workload, load: Load, rounds: int, path: Path) -> Rounds:
    """Each round goes through all sides, every other one backwards. A side that was recorded has that one round."""
    found: dict[str, list[Mapping[str, object]]] = {
        name: [side.recorded] if side.recorded else [] for name, side in sides.items()
    }
    disturbed = 0
    for number in range(1, rounds + 1):
        for name in list(sides) if number % 2 else list(reversed(list(sides))):
            side = sides[name]
            if side.target is not None:
                folder = path / f"{name}-{number}"
                what, how = side.workload(workload), side.load(load)
                run = runs.load(bench, side.target, what, how, folder, traced=side.traced)
                disturbed += _is_disturbed(run.facts)
                found[name].append(run.facts)
                results.print_progress(f"{name} {number}/{rounds}", run.facts, bench.out)
    if disturbed:
        count = rounds * len(sides)
        warn(f"other programs disturbed {disturbed} of {count} rounds, although they were tried again: expect noise")
    return Rounds(found, disturbed)


def _is_disturbed(facts: Mapping[str, object]) -> bool:
    return is_disturbed_by(results.number(results.section(facts, "cpu").get("others_cores")))


def _figures(facts: Mapping[str, object], names: Collection[str] | None) -> Figures:
    return {name: value for name, value in results.figures(facts).items() if names is None or name in names}


def _judged(lettered: Mapping[str, Side], figures: Mapping[str, Sequence[Figures]]) -> list[Compared]:
    first, *others = lettered
    found = [Compared(first, lettered[first], tuple(figures[first]))]
    for letter in others:
        verdicts = tuple(judge(figures[first], figures[letter]))
        if not verdicts:
            raise Failure("the two sides have no figure in common")
        found.append(Compared(letter, lettered[letter], tuple(figures[letter]), verdicts))
    return found
