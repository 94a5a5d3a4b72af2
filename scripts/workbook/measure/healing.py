"""The copies that the nodes of a cluster still owe each other when a measurement is about to begin.

While a cluster is cold, a replica may be too slow for the fill or for the warm-up. Then its copies wait as hints in
files of the node that was asked. To deliver them costs processor time, which is no part of what a request costs.
"""

from __future__ import annotations

import re
import time
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException

HEALS_WITHIN_S = 60.0
ANSWERS_WITHIN_S = 2.0
LOOK_EVERY_S = 0.5
WAITING = re.compile(r"^hints_waiting(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


def await_delivery(
    urls: Sequence[str], on_wait: Callable[[int], None], within_s: float = HEALS_WITHIN_S, every_s: float = LOOK_EVERY_S
) -> int:
    """Waits until no node has a hint to deliver, or until the time is over; returns how many are left.

    `on_wait` is called after each look that has found some. It may end the waiting with a Failure.
    """
    deadline_s = time.monotonic() + within_s
    while (left := hints_waiting(urls)) > 0 and time.monotonic() < deadline_s:
        on_wait(left)
        time.sleep(every_s)
    return left


def hints_waiting(urls: Sequence[str]) -> int:
    """On all nodes. Servers that do not count hints owe nothing."""
    return sum(_hints_waiting(url) for url in urls)


def _hints_waiting(url: str) -> int:
    try:
        with urllib.request.urlopen(f"{url}/metrics", timeout=ANSWERS_WITHIN_S) as answer:
            text = answer.read().decode(errors="replace")
    except (OSError, HTTPException):
        return 0
    return round(sum(float(value) for value in WAITING.findall(text)))
