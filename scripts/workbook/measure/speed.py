"""Whether the processors keep their speed: a fixed loop, timed again and again, and the frequency that Linux tells.

The loop is timed in processor time of its own thread. So it does not matter who else wants the processors meanwhile.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from types import TracebackType

from workbook.host import Host

EVERY_S = 0.5
ADDITIONS = 100_000
"""Some milliseconds: a hundredth of one core is taken from what is measured."""
PARTS = 6
"""In so many parts of the time, the medians are compared: a single loop can be slow because of a cache."""
LOOPS_MIN = 2 * PARTS
MHZ = re.compile(r"^cpu MHz\s*:\s*([\d.]+)$", re.MULTILINE)
DIGITS = 4


@dataclass(frozen=True)
class Speed:
    """`loop_ms`: median processor time of the loop. `spread_share`: by how much nine of ten loops differ, as a share of
    that; `drift_share`: by how much the medians of parts of the time differ.

    `mhz`: the least and the greatest frequency of any processor; None where Linux does not tell.
    """

    loops: int
    loop_ms: float
    spread_share: float
    drift_share: float
    mhz: tuple[float, float] | None


class Speedometer:
    """Times the loop in a thread of its own, as long as the block lasts."""

    def __init__(self, host: Host, every_s: float = EVERY_S, loop_ms: Callable[[], float] | None = None) -> None:
        self._host = host
        self._every_s = every_s
        self._loop_ms = loop_ms or timed_loop_ms
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="speed", daemon=True)
        self._loops_ms: list[float] = []
        self._mhz: list[float] = []

    def __enter__(self) -> Speedometer:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def speed(self) -> Speed | None:
        """After the block; None if it was too short."""
        return speed_of(self._loops_ms, self._mhz)

    def _run(self) -> None:
        while True:
            self._loops_ms.append(self._loop_ms())
            self._mhz += mhz_of(self._host.read("/proc/cpuinfo") or "")
            if self._ended.wait(self._every_s):
                return


def speed_of(loops_ms: Sequence[float], mhz: Sequence[float]) -> Speed | None:
    if len(loops_ms) < LOOPS_MIN:
        return None
    middle, tenths = median(loops_ms), quantiles(loops_ms, n=20)
    begins = [len(loops_ms) * part // PARTS for part in range(PARTS)]
    medians = [median(loops_ms[begin : begin + len(loops_ms) // PARTS]) for begin in begins]
    return Speed(
        loops=len(loops_ms),
        loop_ms=round(middle, DIGITS),
        spread_share=round((tenths[-1] - tenths[0]) / middle, DIGITS),
        drift_share=round((max(medians) - min(medians)) / middle, DIGITS),
        mhz=(min(mhz), max(mhz)) if mhz else None,
    )


def mhz_of(cpuinfo: str) -> list[float]:
    """Of each processor, as /proc/cpuinfo has it now."""
    return [float(each) for each in MHZ.findall(cpuinfo)]


def timed_loop_ms() -> float:
    begun_s, total = time.thread_time(), 0
    for number in range(ADDITIONS):
        total += number
    return (time.thread_time() - begun_s) * 1000
