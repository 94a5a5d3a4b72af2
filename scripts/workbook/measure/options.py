"""The options that the measuring commands share."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbook.arguments import Parser
from workbook.failure import UsageError
from workbook.measure.flags import Flags, nodes_from
from workbook.measure.workload import FORGETS_AFTER_S, KEEPS_FROM_S, OVERLOAD, WORKLOADS, Load, Workload
from workbook.remote.target_file import TargetFile, read_target
from workbook.servers import PORT_MAX

USUAL_LOAD = Load(rate_per_s=5_000)
# More than any server here answers. The compilers have done their work before: they share the processors with the
# server, and the status would wait for them.
OVERLOAD_LOAD = Load(rate_per_s=200_000, connections=512, warmup_s=20.0, burst_s=0.0, status_per_s=200)
FULL_S, QUICK_S = 60.0, 10.0
QUICK_WARMUP_S, QUICK_BURST_S = 2.0, 2.0
CONNECTIONS_MAX, THREADS_MAX = 10_000, 64
ROUNDS_MAX = 50

ENVIRONMENT = """\
Environment variables describe the load: KEYS=100000 VALUE_BYTES=128 DISTRIBUTION=uniform|zipfian|latest SEED=42,
READ_SHARE, RANGE_LENGTH, MISSES, REPLICAS=2/3. WRK2 is the path of the wrk2 program. Without wrk2, the built-in
generator makes the load.
"""


@dataclass(frozen=True)
class Settings:
    """What a measuring command was asked for. `flags` are for each server of ours, besides those of its own."""

    quick: bool
    load: Load
    flags: Flags
    port: int | None
    target: TargetFile | None = None


def add_to(
    parser: Parser,
    *,
    rate: bool = True,
    duration: str = "default: 60, quick: 10",
    counts: bool = True,
    target: bool = False,
    spread: bool = False,
) -> None:
    """`duration`: what help says of its default; "" for a command without this option.

    `counts`: of connections and nodes; a command that varies them has options of its own for that.

    `target`: whether the command can also measure servers that run elsewhere; `spread`: whether it can ask all nodes.
    """
    if target:
        parser.add_argument(
            "--target", metavar="FILE", type=Path, help="measure the running nodes that this TOML file lists"
        )
    if rate:
        parser.add_argument(
            "--rate", metavar="R", type=_rate, help="requests a second (default: 5000; overload: 200000)"
        )
    if duration:
        parser.add_argument("--duration", metavar="S", type=seconds, help=f"seconds measured ({duration})")
    parser.add_argument(
        "--warmup",
        metavar="S",
        type=seconds,
        help="seconds at the rate before the measurement, after a burst (default: 5, quick: 2; overload, and a lab of"
        " several nodes: 20)",
    )
    if counts:
        parser.add_argument(
            "--connections", metavar="C", type=connections, help="number of connections (default: 64; overload: 512)"
        )
    parser.add_argument(
        "--threads", metavar="T", type=_threads, default=1, help="threads of the load tool (default: 1)"
    )
    parser.add_argument("--quick", action="store_true", help="short runs, for a first look")
    if counts:
        parser.add_argument(
            "--nodes",
            metavar="K",
            type=nodes_from,
            default=1,
            help="number of servers, from stage 3 on (default: 1; in a lab of stage 4 or later: 3)",
        )
    if spread:
        parser.add_argument(
            "--spread", action="store_true", help="send requests to all nodes (default: all to the first node)"
        )
    parser.add_argument(
        "--port", metavar="P", type=_port, help="port of the server (default: the first free port from 18080)"
    )
    parser.add_option_with_dashed_value("--jvm", metavar="OPTIONS", does="options for the server's JVM: '-Xmx128m'")
    parser.add_option_with_dashed_value(
        "--server-options", metavar="OPTIONS", does="options for the server itself: '--block-size 1024'"
    )
    parser.add_argument(
        "--status-rate",
        metavar="R",
        type=_rate,
        help="also request the status, this often a second, and measure it (overload: 200)",
    )


def add_workload(parser: Parser) -> None:
    parser.add_argument("workload", choices=WORKLOADS, metavar="WORKLOAD", help=" | ".join(WORKLOADS))


def settings(arguments: argparse.Namespace) -> Settings:
    quick = bool(arguments.quick)
    duration_s = getattr(arguments, "duration", None) or (QUICK_S if quick else FULL_S)
    check_duration("--duration", duration_s)
    usual = OVERLOAD_LOAD if getattr(arguments, "workload", None) == OVERLOAD else USUAL_LOAD
    connections = arguments.connections or usual.connections
    if connections < arguments.threads:
        raise UsageError(f"--connections {connections}: each of {arguments.threads} threads needs one")
    load = Load(
        getattr(arguments, "rate", None) or usual.rate_per_s,
        arguments.threads,
        connections,
        duration_s,
        arguments.warmup or (QUICK_WARMUP_S if quick else usual.warmup_s),
        min(QUICK_BURST_S, usual.burst_s) if quick else usual.burst_s,
        arguments.status_rate or usual.status_per_s,
        is_spread=getattr(arguments, "spread", False),
    )
    flags = Flags(words(arguments.jvm, "--jvm"), words(arguments.server_options, "--server-options"), arguments.nodes)
    return Settings(quick, load, flags, arguments.port, _target(arguments, flags))


def check_duration(option: str, duration_s: float) -> None:
    if FORGETS_AFTER_S < duration_s < KEEPS_FROM_S:
        raise UsageError(
            f"{option} {duration_s:g}: load tools drop the latencies of the first {FORGETS_AFTER_S:g} s,"
            f" unless the run ends then; use {KEEPS_FROM_S:g} or more, or {FORGETS_AFTER_S:g} or less"
        )


def _target(arguments: argparse.Namespace, flags: Flags) -> TargetFile | None:
    file = getattr(arguments, "target", None)
    if file is None:
        return None
    if flags != Flags() or arguments.port is not None:
        raise UsageError("--target: its nodes run already, so it excludes --nodes, --port, --jvm and --server-options")
    return read_target(file)


def workload(arguments: argparse.Namespace, env: Mapping[str, str]) -> Workload:
    found = Workload.named(arguments.workload, env)
    if not found.environment["KEYS"].isdecimal() or found.keys < arguments.threads:
        raise UsageError(f"KEYS={found.environment['KEYS']}: it must be a number of keys, at least one for each thread")
    return found


def stage_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a stage")
    return int(text)


def rounds_count(text: str) -> int:
    return within(text, 1, ROUNDS_MAX, "a number of rounds")


def report_name(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a name of small letters, digits and dashes")
    return text


def words(texts: list[str], option: str) -> tuple[str, ...]:
    try:
        return tuple(word for text in texts for word in shlex.split(text))
    except ValueError as problem:
        raise UsageError(f"argument {option}: {problem}") from problem


def _rate(text: str) -> int:
    match = text.lower()
    factor = {"k": 1_000, "m": 1_000_000}.get(match[-1:], 1)
    return within(str(int(match[:-1]) * factor) if factor > 1 and match[:-1].isdecimal() else text, 1, 10**8, "a rate")


def seconds(text: str) -> float:
    return float(within(text.removesuffix("s"), 1, 3600, "a number of seconds"))


def connections(text: str) -> int:
    return within(text, 1, CONNECTIONS_MAX, "a number of connections")


def _threads(text: str) -> int:
    return within(text, 1, THREADS_MAX, "a number")


def _port(text: str) -> int:
    return within(text, 1, PORT_MAX, "a port")


def within(text: str, least: int, most: int, what: str) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what} from {least} to {most}")
    return int(text)
