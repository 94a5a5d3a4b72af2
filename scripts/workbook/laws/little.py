"""Little's law: requests in flight = rate x mean latency. In a closed loop all three are known: it can be checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Little:
    """`connections`: on average over the run. `mean_ms`: from sending to the answer."""

    connections: float
    rate_per_s: float
    mean_ms: float

    @property
    def in_flight(self) -> float:
        return self.rate_per_s * self.mean_ms / 1000

    @property
    def deviation_share(self) -> float:
        """Negative where connections were without a request: between an answer and the next request."""
        return self.in_flight / self.connections - 1

    def facts(self) -> dict[str, object]:
        """As sweep.json has it."""
        return {
            "connections": round(self.connections, 3),
            "in_flight": round(self.in_flight, 3),
            "deviation_share": round(self.deviation_share, 4),
        }
