"""Reads the JVM's log of its garbage collections, as `-Xlog:gc:file=…:time` writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

# [2026-11-20T16:52:44.123+0000] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 23M->4M(258M) 1.234ms
PAUSE = re.compile(r"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d{4})\] GC\(\d+\) Pause .* ([\d.]+)ms$")


@dataclass(frozen=True)
class Collections:
    collections: int
    pause_ms_total: float
    pause_ms_max: float


def read_collections(log: Path, since_s: float, until_s: float) -> Collections | None:
    """Those between two moments of the wall clock; None if there is no log."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return None
    pauses = [
        float(match[2]) for line in lines if (match := PAUSE.match(line)) and since_s <= _seconds(match[1]) <= until_s
    ]
    return Collections(len(pauses), round(sum(pauses), 3), max(pauses, default=0.0))


def _seconds(stamp: str) -> float:
    return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
