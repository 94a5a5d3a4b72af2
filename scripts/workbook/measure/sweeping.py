"""One parameter varied: how the rate grows with the number of connections, workers or nodes, and which law says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from workbook.failure import Failure
from workbook.laws import usl
from workbook.laws.little import Little
from workbook.laws.words import sentences
from workbook.measure.bench import Bench
from workbook.measure.comparing import in_turn
from workbook.measure.results import number, section
from workbook.measure.run_folder import made, write_json
from workbook.measure.sides import Side
from workbook.measure.targets import Target
from workbook.measure.workload import Load, Workload

SWEEP_JSON = "sweep.json"
CONNECTIONS, WORKERS, NODES = "connections", "workers", "nodes"
PARAMETERS = (CONNECTIONS, WORKERS, NODES)

Facts = Mapping[str, object]


@dataclass(frozen=True)
class Step:
    """One value of the parameter, with run.json of each of its rounds."""

    value: int
    connections: float
    rounds: tuple[Facts, ...]

    @property
    def rates_per_s(self) -> list[float]:
        return self._all("results", "rate_per_s")

    @property
    def means_ms(self) -> list[float]:
        """From sending to the answer."""
        sent = [section(section(facts, "results"), "from_sending_ms") for facts in self.rounds]
        return [value for each in sent if (value := number(each.get("mean"))) is not None]

    @property
    def little(self) -> Little | None:
        """The round that is in the middle of what the law gives; None where a tool has not told the latency."""
        if len(self.means_ms) != len(self.rounds):
            return None
        pairs = zip(self.rates_per_s, self.means_ms, strict=True)
        found = sorted((Little(self.connections, rate, ms) for rate, ms in pairs), key=lambda each: each.in_flight)
        return found[len(found) // 2]

    @property
    def cpu_us(self) -> float | None:
        """Of the server, for each request."""
        found = self._all("cpu", "server_us_per_request")
        return median(found) if found else None

    def facts(self) -> dict[str, object]:
        """As sweep.json has it."""
        figures = {
            "rate_per_s": self.rates_per_s,
            "mean_from_sending_ms": self.means_ms,
            "server_cpu_us_per_request": self._all("cpu", "server_us_per_request"),
            "server_cores": self._all("cpu", "server_cores"),
            "machine_busy_share": self._all("cpu", "machine_busy_share"),
        }
        return {
            "value": self.value,
            "rounds": figures,
            "median": {name: median(values) if values else None for name, values in figures.items()},
            "little": self.little.facts() if self.little else None,
        }

    def _all(self, part: str, name: str) -> list[float]:
        found = [number(section(facts, part).get(name)) for facts in self.rounds]
        return [value for value in found if value is not None]


@dataclass(frozen=True)
class Swept:
    """`law`: None where `words` say why there is none."""

    parameter: str
    steps: tuple[Step, ...]
    law: usl.Fit | None
    words: tuple[str, ...]


def sweep(
    bench: Bench, parameter: str, targets: Mapping[int, Target], workload: Workload, load: Load, rounds: int, path: Path
) -> Swept:
    """Measures each value in turn, in rounds, and fits the law. Leaves a folder of run folders."""
    first = next(iter(targets.values()))
    sides = {
        f"{parameter}-{value}": Side(
            f"{value} {parameter}", target, connections=value if parameter == CONNECTIONS else None
        )
        for value, target in targets.items()
    }
    facts: dict[str, object] = {
        "name": path.name,
        **bench.facts,
        "stage": first.stage_name,
        "parameter": parameter,
        "values": list(targets),
        "rounds": rounds,
        "workload": workload.facts(keys_filled=0),
        "load": load.__dict__,
        "tool": bench.tool.making(workload).name,
        "server": {"nodes": first.nodes if parameter != NODES else None, "options": list(first.flags.server)},
    }
    with made(path, facts):
        measured = in_turn(bench, sides, workload, load, rounds, path)
        steps = tuple(
            Step(value, _connections(side.load(load)), tuple(measured.facts[name]))
            for value, (name, side) in zip(targets, sides.items(), strict=True)
        )
        bench.show("fitting the law")
        swept = _fitted(parameter, steps)
        write_json(
            path / SWEEP_JSON,
            {
                **facts,
                "disturbed": measured.disturbed,
                "steps": [step.facts() for step in steps],
                "law": swept.law.facts() if swept.law else None,
                "words": list(swept.words),
            },
        )
    return swept


def _connections(load: Load) -> float:
    """On average over the run: a load tool opens them one after the other."""
    return load.connections * (1 - load.first_round_s() / load.duration_s)


def _fitted(parameter: str, steps: Sequence[Step]) -> Swept:
    try:
        law = usl.fit({step.value: step.rates_per_s for step in steps})
    except Failure as problem:
        return Swept(parameter, tuple(steps), None, (f"No law is fitted: {problem}.",))
    return Swept(parameter, tuple(steps), law, tuple(sentences(law, parameter)))
