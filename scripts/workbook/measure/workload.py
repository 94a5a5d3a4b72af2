"""What is asked of a server, and how fast."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from workbook.failure import UsageError

OVERLOAD, STATUS = "overload", "status"
WORKLOADS = ("put", "get", "mixed", STATUS, "range", OVERLOAD)

# The environment of the load tools, docs/reference/load.md, with what it is where nobody says otherwise.
DEFAULTS = {"KEYS": "100000", "VALUE_BYTES": "128", "DISTRIBUTION": "uniform", "SEED": "42"}
SETTINGS = (*DEFAULTS, "READ_SHARE", "RANGE_LENGTH", "MISSES", "REPLICAS", "STATUSES")

FIRST_KEY = "key000000000"

STATUS_CONNECTIONS = 4

SATURATING_PER_S = 1_000_000
"""More than any server answers."""

FORGETS_AFTER_S = 10.0
"""Load tools forget the latencies of the first ten seconds, once these have passed."""
KEEPS_FROM_S = 20.0
"""Shorter than this and longer than that, a run has hardly any latencies."""


@dataclass(frozen=True)
class Workload:
    name: str
    environment: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULTS))

    @property
    def needs_fill(self) -> bool:
        return self.name != STATUS

    @property
    def script(self) -> str:
        """What the load tools know it by."""
        return "put" if self.name == OVERLOAD else self.name

    @property
    def allowed_statuses(self) -> frozenset[int]:
        """Answers that are no errors although they are neither 2xx nor 3xx."""
        return frozenset({HTTPStatus.SERVICE_UNAVAILABLE}) if self.name == OVERLOAD else frozenset()

    @property
    def keys(self) -> int:
        return int(self.environment["KEYS"])

    def facts(self, keys_filled: int) -> dict[str, object]:
        """As run.json has it."""
        return {"name": self.name, "environment": dict(self.environment), "keys_filled": keys_filled}

    @staticmethod
    def named(name: str, env: Mapping[str, str]) -> Workload:
        """With what the environment sets, and the defaults for the rest."""
        given = {setting: env[setting] for setting in SETTINGS if setting in env}
        asked = {"STATUSES": "1"} if name == OVERLOAD else {}
        return Workload(name, {**DEFAULTS, **given, **asked})


@dataclass(frozen=True)
class Load:
    """A constant rate, for a time. `warmup_s`: the same before it, and nothing of that is counted.

    `burst_s`: before that, as fast as the server answers. What a compiler waits for are calls, not seconds.
    `burst_connections`: for the burst alone, where what is compared must be equally warm; None: `connections`.
    `is_spread`: over all nodes of a cluster, each asked by as many threads; else the first one is asked for everything.
    `status_per_s`: how often the status is asked for beside it, by a load tool of its own; 0: not at all.
    `machines`: how many make it, each an equal part of the rate and of the connections, with as many threads.
    """

    rate_per_s: int
    threads: int = 1
    connections: int = 64
    duration_s: float = 60.0
    warmup_s: float = 5.0
    burst_s: float = 10.0
    status_per_s: int = 0
    burst_connections: int | None = None
    is_spread: bool = False
    machines: int = 1

    def over(self, nodes: int) -> Load:
        """With as many threads as it takes to ask so many nodes, if it is spread."""
        if not self.is_spread:
            return self
        threads = math.ceil(self.threads / nodes) * nodes
        if threads > self.connections:
            raise UsageError(f"--spread: each of {threads} threads for {nodes} nodes needs one of --connections")
        return replace(self, threads=threads)

    def from_machines(self, count: int) -> Load:
        """Made by so many load machines; refused where there are no equal parts."""
        asked = {"--connections": self.connections, **({} if self.is_saturating else {"--rate": self.rate_per_s})}
        for option, value in asked.items():
            if value % count:
                less = value - value % count
                choice = f"{less} or {less + count}" if less else f"{count} or more"
                raise UsageError(f"{option} {value} cannot be divided by {count} load machines; choose {choice}")
        if self.threads > self.connections // count:
            words = f"each of {self.threads} threads on each of {count} load machines needs one"
            raise UsageError(f"--connections {self.connections}: {words}")
        return replace(self, machines=count)

    @property
    def part(self) -> Load:
        """What one of the machines is asked for. More than any server answers is not divided."""
        rate_per_s = self.rate_per_s if self.is_saturating else self.rate_per_s // self.machines
        return replace(self, rate_per_s=rate_per_s, connections=self.connections // self.machines, machines=1)

    def first_round_s(self, not_before_s: float = 0.0) -> float:
        """How late the average connection begins: a thread begins them 5 ms apart, but none before that."""
        return statistics.mean(max(not_before_s, 0.005 * i) for i in range(max(1, self._connections_of_a_thread)))

    def achieved_share(self, rate_per_s: float) -> float:
        """Of the asked rate, 1 if the server has kept up: what the late beginning costs is not the server's."""
        return rate_per_s / (self.rate_per_s * (1 - self.first_round_s() / self.duration_s))

    @property
    def is_saturating(self) -> bool:
        """Then requests are late from the first on, and only the time from sending says something of the server."""
        return self.rate_per_s >= SATURATING_PER_S

    def at(self, rate_per_s: int) -> Load:
        return replace(self, rate_per_s=rate_per_s)

    def lasting(self, duration_s: float) -> Load:
        return replace(self, duration_s=duration_s)

    def first_round_ends_s(self) -> float:
        """When the last connection begins."""
        return 0.005 * max(0, self._connections_of_a_thread - 1)

    @property
    def forgets_s(self) -> float:
        """How long after its beginning a load tool forgets the latencies so far; 0: it is too short for that."""
        forgets_s = FORGETS_AFTER_S + 0.005 * self._connections_of_a_thread
        return forgets_s if forgets_s < self.duration_s else 0.0

    @property
    def _connections_of_a_thread(self) -> int:
        return self.connections // self.machines // self.threads

    @property
    def burst(self) -> Load:
        return replace(
            self,
            rate_per_s=SATURATING_PER_S,
            connections=self.burst_connections or self.connections,
            duration_s=self.burst_s,
            warmup_s=0.0,
            status_per_s=0,
        )

    def of_status(self) -> Load:
        """What asks for the status beside this."""
        return replace(
            self,
            rate_per_s=self.status_per_s,
            threads=1,
            connections=STATUS_CONNECTIONS,
            status_per_s=0,
            is_spread=False,
            machines=1,
        )
