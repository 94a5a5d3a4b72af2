"""What a command prints of its runs: one table for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from rich.console import Console

from workbook import console

NUMBERS = ("asked 1/s", "got 1/s", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms", "CPU µs/req", "errors")


def section(facts: Mapping[str, object], name: str) -> Mapping[str, object]:
    """A part of run.json; empty where the run has not come so far."""
    found = facts.get(name)
    return cast("Mapping[str, object]", found) if isinstance(found, dict) else {}


def figures(facts: Mapping[str, object]) -> dict[str, float | None]:
    """Those that are compared, by the names of `verdicts.MEASURES`."""
    latency = section(section(facts, "results"), "latency_ms")
    results, status = section(facts, "results"), section(section(facts, "status_results"), "latency_ms")
    accepted = section(results, "accepted_ms")
    overloaded = "accepted_per_s" in results  # Then the latency of all says but how long the run was.
    return {
        "rate_per_s": None if overloaded else number(results.get("rate_per_s")),
        **{f"{p}_ms": None if overloaded else number(latency.get(p)) for p in ("p50", "p90", "p99", "p99_9")},
        "accepted_per_s": number(results.get("accepted_per_s")),
        **{f"accepted_{p}_ms": number(accepted.get(p)) for p in ("p50", "p99", "max")},
        **{f"status_{p}_ms": number(status.get(p)) for p in ("p50", "p99")},
        "server_cpu_us_per_request": number(section(facts, "cpu").get("server_us_per_request")),
        "gc_pause_ms_max": number(section(facts, "gc").get("pause_ms_max")),
    }


def number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def errors_total(facts: Mapping[str, object]) -> int:
    return sum(count for count in section(facts, "errors").values() if isinstance(count, int))


def print_runs(runs: Iterable[Mapping[str, object]], out: Console) -> None:
    listed = console.table("run", "server", *NUMBERS, numbers=NUMBERS)
    for facts in runs:
        found, latency = figures(facts), section(section(facts, "results"), "latency_ms")
        listed.add_row(
            str(facts.get("name")),
            str(section(facts, "server").get("name")),
            shown(number(section(facts, "load").get("rate_asked_per_s")), 0),
            shown(found["rate_per_s"], 0),
            *(shown(found[f"{name}_ms"], 2) for name in ("p50", "p90", "p99", "p99_9")),
            shown(number(latency.get("max")), 1),
            shown(found["server_cpu_us_per_request"], 1),
            str(errors_total(facts)),
        )
    out.print(listed, soft_wrap=False)


def shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}".replace(",", " ")


def print_progress(what: str, facts: Mapping[str, object], out: Console) -> None:
    """One line for a run that has ended: its main figures."""
    found = figures(facts)
    if (accepted_per_s := found["accepted_per_s"]) is not None:
        refused_share = number(section(facts, "results").get("refused_share")) or 0.0
        words = [f"{what}: {shown(accepted_per_s, 0)}/s accepted, {refused_share:.0%} refused"]
    else:
        words = [f"{what}: {shown(found['rate_per_s'], 0)}/s"]
        sent = section(section(facts, "results"), "from_sending_ms")
        if sent:  # From when they were due, latencies only say how long the run was.
            words.append(f"mean {shown(number(sent.get('mean')), 3)} ms from sending")
        else:
            words += [f"{name} {shown(found[f'{name}_ms'], 2)} ms" for name in ("p50", "p99")]
    if found["status_p99_ms"] is not None:
        words += [f"status {name} {shown(found[f'status_{name}_ms'], 2)} ms" for name in ("p50", "p99")]
    words.append(f"{shown(found['server_cpu_us_per_request'], 1)} µs of CPU a request")
    out.print(", ".join(words))
