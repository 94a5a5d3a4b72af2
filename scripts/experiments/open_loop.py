"""How far the built-in generator agrees with wrk2, what a closed loop hides, and what the tools can send at most.

    open_loop.py agree   --wrk2 WRK2 [--server stage1|bare] [--rate N] [--connections N] [--rounds N]
    open_loop.py opinion --wrk2 WRK2 --oha OHA [--rounds N]
    open_loop.py pause   --wrk2 WRK2 [--wrk WRK] [--ab AB] [--rounds N]
    open_loop.py ceiling --wrk2 WRK2
    open_loop.py summary

Each run starts its own server on a free port, leaves the tools' raw text under docs/reports/open-loop/raw/, and a line
of what it took in runs.jsonl; `summary` makes results.md from both. Needs the jars that `mvn package` makes, and Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import itertools
import json
import os
import platform
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "docs/reports/open-loop"
SCRIPTS = ROOT / "scripts/load"
BENCHMARKS = ROOT / "benchmarks/target/benchmarks.jar"
STAGE1 = ROOT / "stage1-storage/target/stage1-storage.jar"

SERVER_FLAGS = ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx1g"]
GENERATOR_FLAGS = ["-XX:+UseSerialGC", "-Xms256m", "-Xmx256m"]
KEYS = 100_000
VALUE_BYTES = 128
WARMUP_S = 3

AGREE_S = 9  # Below wrk2's calibration, so that both tools count the whole run.
RATES = (1_000, 5_000, 20_000)
CONNECTIONS = (1, 16, 64)
SUSTAINED_SHARE = 0.97

OPINION_CONNECTIONS = 64
SECOND_OPINION = "second opinion"
TOOLS = ("wrk2", "generator", "oha")

PAUSE_S = 9
PAUSE_AT_S = 4
PAUSE_MS = 200
PAUSE_RATE = 2_000
PAUSE_CONNECTIONS = 16
AB_REQUESTS_MAX = 10_000_000

CEILING_S = 9
CEILING_RATE = 1_000_000

READY_S = 30

OTHERS_SHARE_MAX = 0.15
"""Of one processor. What others take beyond that disturbs a run."""
TRIES_MAX = 4
IDLE_WAIT_S_MAX = 300
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Asked:
    """What a tool is asked to do."""

    experiment: str
    server: str
    workload: str
    tool: str
    rate: int
    connections: int
    round: int

    @property
    def name(self) -> str:
        load = f"{self.rate}-c{self.connections}" if self.experiment in ("agree", "opinion") else ""
        words = (self.experiment, self.server, self.workload, load, self.tool, str(self.round))
        return "-".join(filter(None, words))


@dataclass(frozen=True)
class Run(Asked):
    """What it cost; `text` names the file with what the tool said."""

    text: str
    tool_cpu_s: float
    server_cpu_s: float
    others_cpu_s: float
    seconds: float


@dataclass(frozen=True)
class Tools:
    wrk2: Path
    wrk: Path | None
    ab: Path | None
    oha: Path | None
    java: Path

    def command(self, asked: Asked, seconds: int, url: str) -> list[str]:
        words = ["-t1", f"-c{asked.connections}", f"-d{seconds}s"]
        script = str(SCRIPTS / f"{asked.workload}.lua")
        if asked.tool == "wrk":
            return [str(self.wrk), *words, "--latency", "-s", script, url]
        if asked.tool == "ab":
            one = f"{url}/v0/entity?id=key{KEYS // 2:09}"
            return [str(self.ab), "-q", "-k", f"-c{asked.connections}", f"-t{seconds}", f"-n{AB_REQUESTS_MAX}", one]
        if asked.tool == "oha":
            # Counted from when a request was due, as the others do.
            words = ["--no-tui", "--latency-correction", f"-c{asked.connections}", f"-z{seconds}s", f"-q{asked.rate}"]
            return [str(self.oha), *words, "--rand-regex-url", f"{url}/v0/entity\\?id=key0000[0-9]{{5}}"]
        words += [f"-R{asked.rate}", "--u_latency" if asked.experiment == "pause" else "--latency"]
        if asked.tool.startswith("wrk2"):
            return [str(self.wrk2), *words, "-s", script, url]
        return [*self.generator(), *words, "--warmup", f"{WARMUP_S}s", "-s", asked.workload, url]

    def generator(self) -> list[str]:
        return [str(self.java), *GENERATOR_FLAGS, "-cp", str(BENCHMARKS), "dht.benchmarks.load.Main"]


def environment(**settings: object) -> dict[str, str]:
    defaults = {"KEYS": KEYS, "VALUE_BYTES": VALUE_BYTES, "THREADS": 1}
    return dict(os.environ) | {name: str(value) for name, value in (defaults | settings).items()}


@contextlib.contextmanager
def serving(kind: str, tools: Tools) -> Iterator[tuple[str, int]]:
    """URL and process id of a server that is ready; stage 1 holds all keys."""
    with tempfile.TemporaryDirectory(prefix="open-loop-") as data, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        what = ["-cp", str(BENCHMARKS), "dht.benchmarks.floor.BareServer"]
        if kind == "stage1":
            what = ["-jar", str(STAGE1), "--data", data]
        command = [str(tools.java), *SERVER_FLAGS, *what, "--port", str(port)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), text=True)
        try:
            assert server.stdout
            ready = server.stdout.readline().split()
            if ready[:1] != ["ready"]:
                raise SystemExit(f"{kind}: did not get ready")
            if kind == "stage1":
                fill = [*tools.generator(), "--fill", "-t1", "-c16", ready[1]]
                subprocess.run(fill, env=environment(), check=True, stdout=subprocess.DEVNULL)
            warm_up(tools, ready[1])
            yield ready[1], server.pid
        finally:
            server.send_signal(signal.SIGCONT)
            server.terminate()
            server.wait(READY_S)


def warm_up(tools: Tools, url: str) -> None:
    """Lets the server's compiler do its work before anything is measured."""
    for workload in ("put", "get"):
        command = tools.command(Asked("warm-up", "", workload, "generator", 10_000, 16, 1), 5, url)
        subprocess.run(command, env=environment(), check=True, stdout=subprocess.DEVNULL)


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def children_cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(
    asked: Asked, command: list[str], server_pid: int, meanwhile: Callable[[], None] = lambda: None, **settings: object
) -> None:
    """Runs a tool, and keeps what it says and what it takes. What others disturbed is done again."""
    for _ in range(TRIES_MAX):
        wait_until_idle()
        run, text = attempt(asked, command, server_pid, meanwhile, **settings)
        if run.others_cpu_s <= OTHERS_SHARE_MAX * run.seconds:
            break
    raw = REPORT / "raw" / run.text
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(anonymous(text))
    keep(run)
    print(f"{asked.name}: {headline(text)} (others: {run.others_cpu_s / run.seconds:.0%})", flush=True)


def attempt(
    asked: Asked, command: list[str], server_pid: int, meanwhile: Callable[[], None], **settings: object
) -> tuple[Run, str]:
    tool_cpu, server_cpu, all_cpu = children_cpu_seconds(), cpu_seconds(server_pid), machine_cpu_seconds()
    start = time.monotonic()
    tool = subprocess.Popen(command, env=environment(**settings), stdout=subprocess.PIPE, text=True)
    try:
        meanwhile()
        text = tool.communicate(timeout=120)[0]
    finally:
        if tool.poll() is None:
            tool.terminate()
            tool.wait()
    if tool.returncode != 0:
        raise SystemExit(f"{command[0]}: exit code {tool.returncode}")
    tool_s = children_cpu_seconds() - tool_cpu
    server_s = cpu_seconds(server_pid) - server_cpu
    others_s = max(0.0, machine_cpu_seconds() - all_cpu - tool_s - server_s)
    run = Run(
        **dataclasses.asdict(asked),
        text=f"{asked.name}.txt",
        tool_cpu_s=round(tool_s, 2),
        server_cpu_s=round(server_s, 2),
        others_cpu_s=round(others_s, 2),
        seconds=round(time.monotonic() - start, 2),
    )
    return run, text


def machine_cpu_seconds() -> float:
    """Time in which some processor was busy, with programs or with interrupts, or taken away by the host."""
    user, nice, system, _idle, _wait, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / CLOCK_TICKS


def wait_until_idle() -> None:
    for _ in range(IDLE_WAIT_S_MAX):
        before = machine_cpu_seconds()
        time.sleep(1)
        if machine_cpu_seconds() - before < OTHERS_SHARE_MAX:
            return


def anonymous(text: str) -> str:
    """Without the port, which says nothing and would change with each run."""
    return re.sub(r"(http://127\.0\.0\.1):\d+", r"\1:8080", text)


def keep(run: Run) -> None:
    runs = [other for other in kept_runs() if other.text != run.text] + [run]
    lines = sorted(json.dumps(dataclasses.asdict(run)) for run in runs)
    (REPORT / "runs.jsonl").write_text("\n".join(lines) + "\n")


def kept_runs() -> list[Run]:
    file = REPORT / "runs.jsonl"
    return [Run(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def rounds(arguments: argparse.Namespace) -> range:
    return range(arguments.first_round, arguments.first_round + arguments.rounds)


def agree(arguments: argparse.Namespace, tools: Tools) -> None:
    loads = [*itertools.product(arguments.rate or RATES, arguments.connections or CONNECTIONS, ("wrk2", "generator"))]
    for kind in arguments.server or ("bare", "stage1"):
        with serving(kind, tools) as (url, pid):
            for number, (rate, connections, tool) in itertools.product(rounds(arguments), loads):
                quiet(arguments)
                asked = Asked("agree", kind, "get", tool, rate, connections, number)
                measure(asked, tools.command(asked, AGREE_S, url), pid)


def opinion(arguments: argparse.Namespace, tools: Tools) -> None:
    """Another open loop, by other people in another language."""
    with serving("stage1", tools) as (url, pid):
        for number, rate, tool in itertools.product(rounds(arguments), arguments.rate or RATES, TOOLS):
            quiet(arguments)
            asked = Asked("opinion", "stage1", "get", tool, rate, OPINION_CONNECTIONS, number)
            measure(asked, tools.command(asked, AGREE_S, url), pid)


def pause(arguments: argparse.Namespace, tools: Tools) -> None:
    with serving("stage1", tools) as (url, pid):
        for number, tool in itertools.product(rounds(arguments), ("wrk2", "generator", "ab", "wrk")):
            quiet(arguments)
            asked = Asked("pause", "stage1", "get", tool, PAUSE_RATE, PAUSE_CONNECTIONS, number)
            after_s = PAUSE_AT_S + WARMUP_S * (tool == "generator")
            measure(asked, tools.command(asked, PAUSE_S, url), pid, functools.partial(stop_for_a_while, pid, after_s))


def stop_for_a_while(pid: int, after_s: float) -> None:
    time.sleep(after_s)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(PAUSE_MS / 1000)
    os.kill(pid, signal.SIGCONT)


def ceiling(arguments: argparse.Namespace, tools: Tools) -> None:
    workloads = ("status", "get", "put", "mixed", "range")
    kinds = [*(("wrk2", workload) for workload in workloads), ("wrk2-statuses", "get")]
    kinds += [("generator", workload) for workload in workloads]
    with serving("bare", tools) as (url, pid):
        for number, (tool, workload) in itertools.product(rounds(arguments), kinds):
            quiet(arguments)
            asked = Asked("ceiling", "bare", workload, tool, CEILING_RATE, 64, number)
            statuses = 1 if tool == "wrk2-statuses" else 0
            measure(asked, tools.command(asked, CEILING_S, url), pid, STATUSES=statuses)


def quiet(arguments: argparse.Namespace) -> None:
    """Waits while somebody else measures on this machine."""
    while arguments.wait_while and arguments.wait_while.exists():
        time.sleep(1)


UNITS_MS = {"us": 0.001, "ms": 1, "": 1, "s": 1000, "sec": 1000, "m": 60_000}


@dataclass(frozen=True)
class Text:
    """What a tool said, as far as it is compared here: wrk2, the generator, wrk, ab or oha."""

    text: str

    def percentile_ms(self, percentile: str) -> float:
        return self._time_ms(rf"^ *{percentile}(?:\.0+)?%\s+(?:in )?([\d.]+) ?(us|ms|sec|s|m|)(?: |$)")

    def max_ms(self) -> float:
        greatest = self._time_ms(r"^ +Latency +\S+ +\S+ +([\d.]+)(us|ms|s|m)\b")
        return greatest if greatest == greatest else self.percentile_ms("100")

    def requests(self) -> int:
        return int(self._number(r"^ +(\d+) requests in |^Complete requests: +(\d+)"))

    def rate(self) -> float:
        return self._number(r"^ *Requests/sec:\s+([\d.]+)|^Requests per second: +([\d.]+)")

    def errors(self) -> list[str]:
        lines = r"Socket errors|Non-2xx|Failed requests: +[1-9]|\[[^2]\d\d\] \d+ responses"
        return re.findall(rf"^ *(?:{lines}).*", self.text, re.MULTILINE)

    def uncorrected(self) -> Text:
        """The part that counts from the moments of sending."""
        return Text(self.text.partition("HdrHistogram - Uncorrected")[2])

    def _time_ms(self, pattern: str) -> float:
        match = re.search(pattern, self.text, re.MULTILINE)
        return float(match[1]) * UNITS_MS[match[2]] if match else float("nan")

    def _number(self, pattern: str) -> float:
        match = re.search(pattern, self.text, re.MULTILINE)
        return float(match[1] or match[2]) if match else 0.0


def headline(text: str) -> str:
    said = Text(text)
    figures = f"{said.rate():.0f}/s p50 {said.percentile_ms('50'):.3f} ms, p99 {said.percentile_ms('99'):.3f} ms"
    return " ".join([figures, *said.errors()])


def text_of(run: Run) -> Text:
    return Text((REPORT / "raw" / run.text).read_text())


def median(runs: list[Run], what: Callable[[Text], float]) -> float:
    return statistics.median(what(text_of(run)) for run in runs)


def at(percentile: str) -> Callable[[Text], float]:
    return lambda said: said.percentile_ms(percentile)


def do_agree(one: float, other: float) -> bool:
    return abs(one - other) <= max(0.3, 0.15 * max(one, other))


def summary() -> None:
    runs = kept_runs()
    parts = [
        "# Open loop: figures",
        "Made by `scripts/experiments/open_loop.py summary` from [runs.jsonl](runs.jsonl) and [raw](raw).",
        "## Machine",
        machine_table(),
        "## Agreement",
        agreement_table([run for run in runs if run.experiment == "agree"], TOOLS[:2]),
        "## A second opinion",
        agreement_table([run for run in runs if run.experiment == "opinion"], TOOLS),
        "## Pause",
        pause_table([run for run in runs if run.experiment == "pause"]),
        "## Ceiling",
        ceiling_table([run for run in runs if run.experiment == "ceiling"]),
    ]
    (REPORT / "results.md").write_text("\n\n".join(parts) + "\n")


def table(head: str, rows: list[str]) -> str:
    return "\n".join([head, re.sub(r"[^|]+", "---", head), *rows])


def agreement_table(runs: list[Run], tools: Sequence[str]) -> str:
    """A cell holds the median of the rounds, and after it the least and the greatest. All agree, or the row says no."""
    rows = []
    for server, rate, connections in sorted({(run.server, run.rate, run.connections) for run in runs}):
        alike = [run for run in runs if (run.server, run.rate, run.connections) == (server, rate, connections)]
        by_tool = [[run for run in alike if run.tool == tool] for tool in tools]
        cells = [server, f"{rate:,}", str(connections)]
        agreed = True
        for percentile in ("50", "99"):
            values = [median(mine, at(percentile)) for mine in by_tool]
            agreed = agreed and do_agree(min(values), max(values))
            cells += [with_spread(mine, at(percentile)) for mine in by_tool]
        is_sustained = all(median(mine, Text.rate) >= SUSTAINED_SHARE * rate for mine in by_tool)
        cells.append(("yes" if agreed else "**no**") if is_sustained else "saturated")
        rows.append("| " + " | ".join(cells) + " |")
    heads = [f"p{percentile} {tool}{', ms' if tool == tools[0] else ''}" for percentile in (50, 99) for tool in tools]
    return table(f"| server | rate | connections | {' | '.join(heads)} | agree |", rows)


def with_spread(runs: list[Run], what: Callable[[Text], float]) -> str:
    values = sorted(what(text_of(run)) for run in runs)
    return f"{statistics.median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"


def pause_table(runs: list[Run]) -> str:
    rows = []
    for name, tool, part in (
        ("ab, a closed loop", "ab", whole),
        ("wrk2", "wrk2", whole),
        ("generator", "generator", whole),
        ("wrk2, from sending (`-U`)", "wrk2", Text.uncorrected),
        ("generator, from sending (`-U`)", "generator", Text.uncorrected),
        ("wrk, a closed loop that corrects itself", "wrk", whole),
    ):
        texts = [part(text_of(run)) for run in runs if run.tool == tool]
        if texts:
            cells = [f"{statistics.median(text.requests() for text in texts):,.0f}"]
            for percentile in ("50", "90", "99"):
                cells.append(f"{statistics.median(text.percentile_ms(percentile) for text in texts):.2f}")
            cells.append(f"{statistics.median(text.max_ms() for text in texts):.0f}")
            rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return table("| tool | requests | p50, ms | p90 | p99 | max |", rows)


def whole(text: Text) -> Text:
    return text


def ceiling_table(runs: list[Run]) -> str:
    names = {"wrk2": "wrk2", "wrk2-statuses": "wrk2, STATUSES=1", "generator": "generator"}
    rows = []
    for tool, name in names.items():
        for workload in dict.fromkeys(run.workload for run in runs if run.tool == tool):
            mine = [run for run in runs if (run.tool, run.workload) == (tool, workload)]
            tool_us = statistics.median(1e6 * run.tool_cpu_s / requests_sent(run) for run in mine)
            server_us = statistics.median(1e6 * run.server_cpu_s / requests_sent(run) for run in mine)
            rows.append(f"| {name} | {workload} | {median(mine, Text.rate):,.0f} | {tool_us:.1f} | {server_us:.1f} |")
    return table("| tool | workload | requests/s | CPU of the tool, µs a request | CPU of the server |", rows)


def requests_sent(run: Run) -> float:
    """With those of the generator's warm-up, which its text leaves out and its CPU time doesn't."""
    counted = text_of(run).requests()
    return counted * (CEILING_S + WARMUP_S) / CEILING_S if run.tool == "generator" else counted


def machine_table() -> str:
    machine = json.loads((REPORT / "machine.json").read_text())
    return table("| | |", [f"| {name} | {value} |" for name, value in machine.items()])


def describe_machine(tools: Tools, experiment: str) -> None:
    def said(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        return ((done.stdout + done.stderr).strip() or "unknown").splitlines()[0]

    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    commit, date = said("git", "rev-parse", "--short=12", "HEAD"), time.strftime("%Y-%m-%d", time.gmtime())
    machine = {
        "CPU": cpu[1] if cpu else platform.machine(),
        "processors": os.cpu_count(),
        "memory": f"{pages / 2**30:.1f} GiB",
        "kernel": platform.release(),
        "JDK": said(str(tools.java), "--version"),
        "wrk2": said(str(tools.wrk2), "--version"),
        "wrk": said(str(tools.wrk), "--version") if tools.wrk else "",
        "ab": said(str(tools.ab), "-V") if tools.ab else "",
        "commit": commit,
        "date (UTC)": date,
        "keys, bytes a value": f"{KEYS}, {VALUE_BYTES}",
    }
    REPORT.mkdir(parents=True, exist_ok=True)
    file = REPORT / "machine.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    if experiment == "opinion":  # The other experiments were made at another time.
        opinion_of = f"{said(str(tools.oha), '--version')}, commit {commit}, {date}"
        machine = {**(before or machine), SECOND_OPINION: opinion_of}
    elif SECOND_OPINION in before:
        machine[SECOND_OPINION] = before[SECOND_OPINION]
    file.write_text(json.dumps(machine, indent=2) + "\n")


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("experiment", choices=["agree", "opinion", "pause", "ceiling", "summary"])
    parser.add_argument("--wrk2", type=Path, default=os.environ.get("WRK2"))
    parser.add_argument("--wrk", type=Path, default=shutil.which("wrk"))
    parser.add_argument("--ab", type=Path, default=shutil.which("ab"))
    parser.add_argument("--oha", type=Path, default=shutil.which("oha"))
    parser.add_argument("--java", type=Path, default=shutil.which("java"))
    parser.add_argument("--server", action="append", choices=["bare", "stage1"])
    parser.add_argument("--rate", action="append", type=int)
    parser.add_argument("--connections", action="append", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--first-round", type=int, default=1)
    parser.add_argument("--wait-while", type=Path, metavar="FILE", help="before each run, wait while FILE is there")
    return parser.parse_args(words)


def main(words: list[str]) -> None:
    arguments = parse(words)
    if arguments.experiment == "summary":
        summary()
        return
    if not arguments.wrk2 or not arguments.java:
        raise SystemExit("--wrk2 and --java are needed")
    if arguments.experiment == "opinion" and not arguments.oha:
        raise SystemExit("--oha is needed")
    tools = Tools(arguments.wrk2, arguments.wrk, arguments.ab, arguments.oha, arguments.java)
    describe_machine(tools, arguments.experiment)
    {"agree": agree, "opinion": opinion, "pause": pause, "ceiling": ceiling}[arguments.experiment](arguments, tools)


if __name__ == "__main__":
    main(sys.argv[1:])
