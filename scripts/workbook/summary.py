"""Counts test results and writes the end of a test command's output."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console

from workbook.console import table
from workbook.reports import Failed, NotRun, Passed, Result

SLOWEST_SHOWN = 10


@dataclass
class Summary:
    """The results of a run so far, by module, in the order in which the modules were named."""

    results: dict[str, list[Result]] = field(default_factory=dict)

    def expect(self, module: str) -> None:
        self.results.setdefault(module, [])

    def add(self, module: str, results: list[Result]) -> None:
        self.expect(module)
        self.results[module] += results

    def of(self, module: str) -> Counts:
        return Counts.of(self.results[module])

    def total(self) -> Counts:
        return Counts.of([result for results in self.results.values() for result in results])

    def print_to(self, out: Console) -> None:
        self._print_table(out)
        self._print_slowest(out)
        total = self.total()
        out.print(f"tests: {total}", style="bold red" if total.failed else "bold")
        for kind, style in ((NotRun, "yellow"), (Failed, "red")):
            for module, results in self.results.items():
                told = [result for result in _by_class(results) if isinstance(result.outcome, kind)]
                for result in told:
                    out.print(_line(module, result), style=style)

    def _print_table(self, out: Console) -> None:
        numbers = ("passed", "failed", "not run", "seconds")
        summary = table("module", *numbers, numbers=numbers)
        for module, results in self.results.items():
            counts = self.of(module)
            seconds = sum(result.seconds for result in results)
            summary.add_row(module, str(counts.passed), str(counts.failed), str(counts.not_run), f"{seconds:.1f}")
        out.print()
        out.print(summary, soft_wrap=False)
        out.print()

    def _print_slowest(self, out: Console) -> None:
        """Of the classes and files with tests that took any time, those that took longest."""
        seconds: dict[tuple[str, str], float] = {}
        for module, results in self.results.items():
            for result in results:
                seconds[module, result.suite] = seconds.get((module, result.suite), 0.0) + result.seconds
        slowest = table("the slowest", "of", "seconds", numbers=("seconds",))
        for (module, suite), spent in sorted(seconds.items(), key=lambda item: -item[1])[:SLOWEST_SHOWN]:
            slowest.add_row(suite, module, f"{spent:.1f}")
        if seconds:
            out.print(slowest, soft_wrap=False)
            out.print()


@dataclass(frozen=True)
class Counts:
    passed: int
    failed: int
    not_run: int

    @staticmethod
    def of(results: list[Result]) -> Counts:
        kinds = [type(result.outcome) for result in results]
        return Counts(kinds.count(Passed), kinds.count(Failed), kinds.count(NotRun))

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.not_run} not run"


def _by_class(results: list[Result]) -> list[Result]:
    """The results, but one alone for a class of which no test was run, all for the same reason."""
    classes: dict[str, list[Result]] = {}
    for result in results:
        classes.setdefault(result.suite, []).append(result)
    told = []
    for suite, of_class in classes.items():
        outcomes = {result.outcome for result in of_class}
        if len(of_class) > 1 and len(outcomes) == 1 and isinstance(of_class[0].outcome, NotRun):
            told.append(Result(f"{suite} ({len(of_class)} tests)", "", 0.0, of_class[0].outcome))
        else:
            told += of_class
    return told


def _line(module: str, result: Result) -> str:
    match result.outcome:
        case Passed():
            return f"  passed: {module} {result.name}"
        case Failed():
            return f"  failed: {module} {result.name}"
        case NotRun(reason):
            return f"  not run: {module} {result.name}: {reason}"
