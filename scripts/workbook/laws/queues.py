"""Waiting in the simplest queues: requests that come by chance, c workers, one line (M/M/c; M/M/1 for one worker)."""

from __future__ import annotations

from dataclasses import dataclass


def waiting_share(workers: int, offered: float) -> float:
    """The share of the requests that must wait (Erlang C). `offered`: workers that the load keeps busy, on average."""
    blocked = 1.0  # Erlang B, by recursion: factorials would overflow.
    for count in range(1, workers + 1):
        blocked = offered * blocked / (count + offered * blocked)
    return blocked / (1 - offered / workers * (1 - blocked))


def waiting_ms(rate_per_s: float, capacity_per_s: float, workers: int) -> float | None:
    """The mean time in the line. None from the capacity on: the line grows as long as the load lasts."""
    if rate_per_s >= capacity_per_s:
        return None
    offered = workers * rate_per_s / capacity_per_s
    return 1000 * waiting_share(workers, offered) / (capacity_per_s - rate_per_s)


@dataclass(frozen=True)
class Queue:
    """A server as a queue. `base_ms`: the mean latency where hardly anybody waits, at `base_rate_per_s`."""

    workers: int
    capacity_per_s: float
    base_rate_per_s: float
    base_ms: float

    def utilisation(self, rate_per_s: float) -> float:
        return rate_per_s / self.capacity_per_s

    def mean_ms(self, rate_per_s: float) -> float | None:
        """Predicted; None from the capacity on."""
        waits = waiting_ms(rate_per_s, self.capacity_per_s, self.workers)
        waited = waiting_ms(self.base_rate_per_s, self.capacity_per_s, self.workers)
        if waits is None or waited is None:
            return None
        return self.base_ms - waited + waits
