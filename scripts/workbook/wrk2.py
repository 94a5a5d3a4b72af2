"""Finds wrk2, the load generator that keeps a rate. It may be installed as `wrk`, like its elder which does not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbook.host import Host

RATE_OPTION = "-R"
VARIABLE = "WRK2"


@dataclass(frozen=True)
class Wrk2:
    """`program` is None where there is none; `detail` says where it was found, or why it was not."""

    program: Path | None
    detail: str


def find_wrk2(host: Host) -> Wrk2:
    """What WRK2 names, else `wrk2` on PATH, else a `wrk` on PATH that knows -R."""
    if named := host.env.get(VARIABLE):
        program = host.which(named)
        if program is None:
            return Wrk2(None, f"{VARIABLE}={named} is not a program")
        if not _keeps_rate(program, host):
            return Wrk2(None, f"{VARIABLE}={named} does not know {RATE_OPTION}: is it wrk?")
        return Wrk2(program, f"{program}  ({VARIABLE})")
    wrk2, wrk = host.which("wrk2"), host.which("wrk")
    for program in (wrk2, wrk):
        if program is not None and _keeps_rate(program, host):
            return Wrk2(program, str(program))
    if wrk is not None:
        return Wrk2(None, f"{wrk} does not know {RATE_OPTION}: it is wrk, not wrk2")
    return Wrk2(None, f"{VARIABLE} is not set, and there is no wrk2 on PATH")


def _keeps_rate(program: Path, host: Host) -> bool:
    answer = host.output([str(program), "--help"])
    return answer is not None and keeps_rate(answer[1])


def keeps_rate(said: str) -> bool:
    """As it says itself when it is asked for help."""
    return RATE_OPTION in said.replace(",", " ").split()
