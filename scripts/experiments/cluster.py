"""Three nodes under load, of stage 3 unless said otherwise: what experiments with clusters share.

Needs the jars that `mvn package` makes, and Linux. The load tool is wrk2 where it is named, else the built-in
generator.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from workbook import git  # noqa: E402
from workbook.host import free_ports  # noqa: E402
from workbook.measure.load_report import LoadReport, read_report  # noqa: E402
from workbook.measure.merging import BEGAN  # noqa: E402
from workbook.measure.run_folder import MACHINE_JSON, why_not_published  # noqa: E402

SCRIPTS = ROOT / "scripts/load"
BENCHMARKS = ROOT / "benchmarks/target/benchmarks.jar"
STAGE3 = ROOT / "stage3-sharding/target/stage3-sharding.jar"

SERVER_FLAGS = ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx512m"]
GENERATOR_FLAGS = ["-XX:+UseSerialGC", "-Xms256m", "-Xmx256m"]
NODES = 3
KEYS = 100_000
VALUE_BYTES = 128
GENERATOR_WARMUP_S = 2
STOP_WITHIN_S = 30
READY_WITHIN_S = 30.0
LATE_S_MAX = 0.5
"""What is done later than this is not in the second of a time line for which it was meant, or hardly."""
COMMIT_DIGITS = 12
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


Facts = dict[str, object]
"""Of a run, as runs.jsonl has it."""


@dataclass(frozen=True)
class Tools:
    """`wrk2` is None where the built-in generator makes the load; `options` are each server's. `disk` is the folder
    below which servers store; None: where temporary files are."""

    java: Path
    wrk2: Path | None
    jar: Path = STAGE3
    options: tuple[str, ...] = ()
    keys: int = KEYS
    nodes: int = NODES
    disk: Path | None = None
    jvm_options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return "wrk2" if self.wrk2 else "the built-in generator"

    def load(self, url: str, workload: str, rate: int, connections: int, seconds: int) -> list[str]:
        words = ["-t1", f"-c{connections}", f"-d{seconds}s", f"-R{rate}", "--latency"]
        if self.wrk2:
            return [str(self.wrk2), *words, "-s", str(SCRIPTS / f"{workload}.lua"), url]
        return [*self.generator(), *words, "--warmup", f"{GENERATOR_WARMUP_S}s", "-s", workload, url]

    def generator(self) -> list[str]:
        return [str(self.java), *GENERATOR_FLAGS, "-cp", str(BENCHMARKS), "dht.benchmarks.load.Main"]

    @property
    def unmeasured_s(self) -> int:
        """How long the tool asks before it counts."""
        return 0 if self.wrk2 else GENERATOR_WARMUP_S


def environment(key_file: Path | None = None, keys: int = KEYS) -> dict[str, str]:
    said = {"KEYS": str(keys), "VALUE_BYTES": str(VALUE_BYTES), "THREADS": "1"}
    if key_file:
        said["KEY_NUMBERS"] = str(key_file)
    return dict(os.environ) | said


class Cluster:
    """Started nodes, or a single one, filled with all keys. `key_files` list what each holds when first asked for."""

    def __init__(self, tools: Tools, folder: Path) -> None:
        self._tools = tools
        self._folder = folder
        # Nodes are in the order of their URLs, each asks the next one first.
        self._ports = sorted(free_ports(tools.nodes))
        self.urls = [f"http://127.0.0.1:{port}" for port in self._ports]
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        nodes = range(self._tools.nodes)
        self._running = [self._start(node) for node in nodes]
        self._await_ready(nodes)
        fill = [*self._tools.generator(), "--fill", "-t1", "-c16", self.urls[0]]
        subprocess.run(fill, env=environment(keys=self._tools.keys), check=True, stdout=subprocess.DEVNULL)

    @cached_property
    def key_files(self) -> list[Path]:
        return [self.list_keys(f"node{node}", [node]) for node in range(self._tools.nodes)]

    def _start(self, node: int) -> subprocess.Popen[bytes]:
        data = self._data(node)
        data.mkdir(exist_ok=True)
        words = ["--port", str(self._ports[node]), "--data", str(data), *self._tools.options]
        if self._tools.nodes > 1:
            words += ["--self", self.urls[node], "--cluster", ",".join(self.urls)]
        flags = [*SERVER_FLAGS, *self._tools.jvm_options]
        command = [str(self._tools.java), *flags, "-jar", str(self._tools.jar), *words]
        with (self._folder / f"node{node}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment())

    def _data(self, node: int) -> Path:
        return self._folder / f"data{node}"

    def _await_ready(self, nodes: range) -> None:
        for node in nodes:
            await_ready(partial(self._is_ready, node), f"node{node}")

    def _is_ready(self, node: int) -> bool:
        if self._running[node].poll() is not None:
            said = (self._folder / f"node{node}.log").read_text().strip()
            raise SystemExit(f"node{node} has ended: {said or 'it says nothing'}")
        return answers(self.urls[node])

    @property
    def pids(self) -> list[int]:
        return [server.pid for server in self._running]

    def list_keys(self, name: str, nodes: list[int]) -> Path:
        """A file with the numbers of the keys that these nodes hold, as they say themselves."""
        found: list[str] = []
        for node in nodes:
            with urllib.request.urlopen(f"{self.urls[node]}/v0/entities?start=key", timeout=60) as answer:
                found += re.findall(r"key(\d{9})\n", answer.read().decode())
        file = self._folder / f"{name}.txt"
        file.write_text("".join(f"{int(number)}\n" for number in sorted(found)))
        return file

    def kill(self, node: int) -> None:
        self._running[node].send_signal(signal.SIGKILL)
        self._running[node].wait(STOP_WITHIN_S)

    def empty(self, node: int) -> None:
        """A killed node: as if its disk had been replaced."""
        shutil.rmtree(self._data(node))

    def pause(self, node: int) -> None:
        self._running[node].send_signal(signal.SIGSTOP)

    def resume(self, node: int) -> None:
        self._running[node].send_signal(signal.SIGCONT)

    def restart(self, node: int) -> None:
        self._running[node] = self._start(node)
        self._await_ready(range(node, node + 1))

    def cpu_s(self) -> list[float]:
        """User and system time of each node so far."""
        return [process_cpu_s(server.pid) for server in self._running]

    def end(self, node: int) -> tuple[float, int]:
        """Asks a node to stop: how long it took, in seconds, and its exit code."""
        begun = time.monotonic()
        self._running[node].terminate()
        exit_code = self._running[node].wait(STOP_WITHIN_S)
        return time.monotonic() - begun, exit_code

    def stop(self) -> None:
        for server in self._running:
            server.terminate()
            server.send_signal(signal.SIGCONT)
        for server in self._running:
            server.wait(STOP_WITHIN_S)


@contextlib.contextmanager
def cluster_of(tools: Tools) -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="cluster-", dir=tools.disk) as folder:
        cluster = Cluster(tools, Path(folder))
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


def await_ready(is_ready: Callable[[], bool], name: str) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while not is_ready():
        if time.monotonic() > deadline:
            raise SystemExit(f"{name} did not get ready within {READY_WITHIN_S:.0f} s")
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/v0/status", timeout=1):
            return True
    except (OSError, urllib.error.URLError):
        return False


def process_cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def said_by(command: list[str], key_file: Path | None, keys: int = KEYS) -> str:
    done = subprocess.run(command, env=environment(key_file, keys), stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


@dataclass
class Beside:
    """A load that runs. `began_s`: the moment of the wall clock at which second 0 of its time line began.

    `seconds`: its time line as CSV, once it has ended.
    """

    began_s: float
    seconds: str = ""

    def await_second(self, second: float) -> float:
        """Returns when this second of the load's own clock begins, and what that clock shows then."""
        time.sleep(max(0.0, self.began_s + second - time.time()))
        now_s = time.time() - self.began_s
        if now_s > second + LATE_S_MAX:
            raise SystemExit(f"second {second:g} of the load came {now_s - second:.1f} s late: this is no measurement")
        return round(now_s, 3)


@contextlib.contextmanager
def load_beside(tools: Tools, url: str, workload: str, rate: int, connections: int, seconds: int) -> Iterator[Beside]:
    """A load by the built-in generator. The block begins when it counts; after the block it has ended."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "timeline.csv"
        command = tools.load(url, workload, rate, connections, seconds)
        command[-1:-1] = ["--timeline", str(file)]
        load = subprocess.Popen(command, env=environment(keys=tools.keys), stdout=subprocess.PIPE, text=True)
        assert load.stdout
        try:
            began = next((match for line in load.stdout if (match := BEGAN.match(line))), None)
            if began is None:
                raise SystemExit("the load has ended before it began: see what it said above")
            beside = Beside(int(began[1]) / 1000)
            yield beside
        finally:
            load.communicate(timeout=tools.unmeasured_s + seconds + 60)
        if load.returncode != 0:
            raise SystemExit(f"the load has ended with exit code {load.returncode}: see what it said above")
        beside.seconds = file.read_text()


def seconds_in(text: str) -> list[Facts]:
    """A generator's seconds."""
    return [{name: int(value) for name, value in line.items()} for line in csv.DictReader(text.splitlines())]


def figures(text: str, load: str = "the load") -> LoadReport:
    """What a load tool has counted; a run with errors is no measurement."""
    report = read_report(text)
    if report.errors.total:
        raise SystemExit(f"{load}: a run with errors is no measurement: {', '.join(report.errors.named())}")
    return report


def request_count(report: LoadReport) -> int:
    return report.requests or 0


def percentile_ms(report: LoadReport, share: float) -> float:
    value = report.latency.at(share)
    if value is None:
        raise SystemExit(f"the load tool does not say below what {share:.1%} of the latencies lie")
    return round(value, 3)


def rounds_of(runs: list[Facts]) -> str:
    count = len({str(run["round"]) for run in runs})
    return "One round" if count == 1 else f"Medians of {count} rounds"


def number_of(value: object) -> float:
    return float(str(value))


def with_range(values: list[float], form: str) -> str:
    """The median; in brackets the least and the greatest."""
    middle = f"{statistics.median(values):{form}}"
    return middle if len(values) == 1 else f"{middle} ({min(values):{form}} to {max(values):{form}})"


def counts_in(run: Facts, *names: str) -> dict[str, int]:
    """What a run has counted, under a name within a name."""
    found: object = run
    for name in names:
        assert isinstance(found, dict)
        found = found[name]
    assert isinstance(found, dict)
    return {name: int(number_of(count)) for name, count in found.items()}


class Report:
    """A folder of docs/reports: a line for each run, what the tools said in each, the machine, and tables of it all."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = ROOT / "docs/reports" / name

    def begin(self, tools: Tools, differs: Facts | None = None) -> None:
        """`differs`: what is not as in the other experiments."""
        shutil.rmtree(self._folder, ignore_errors=True)
        (self._folder / "raw").mkdir(parents=True)
        known = machine(tools) | (differs or {})
        self._write_json(MACHINE_JSON, known)
        if why := why_not_published(known):
            print(f"this report is not for the site, because {why}", flush=True)
        (self._folder / "runs.jsonl").write_text("")

    def keep(self, name: str, text: str, facts: Facts) -> None:
        (self._folder / "raw" / f"{name}.txt").write_text(anonymous(text))
        with (self._folder / "runs.jsonl").open("a") as lines:
            lines.write(json.dumps({"name": name, **facts}) + "\n")

    def runs(self) -> list[Facts]:
        return [json.loads(line) for line in (self._folder / "runs.jsonl").read_text().splitlines()]

    def write(self, title: str, script: str, tables: Callable[[list[Facts]], list[str]]) -> None:
        known = json.loads((self._folder / MACHINE_JSON).read_text())
        if known.pop("dirty", False):
            known["commit"] += ", with changes that are in no commit"
        parts = [
            f"# {title}",
            f"Made by `scripts/experiments/{script}` from [runs.jsonl](runs.jsonl), beside [what the tool said](raw).",
            *tables(self.runs()),
            "## Machine",
            table("| | |", [f"| {name} | {value} |" for name, value in known.items()]),
        ]
        (self._folder / "results.md").write_text("\n\n".join(parts) + "\n")
        print(f"docs/reports/{self._name}/results.md")

    def _write_json(self, name: str, content: object) -> None:
        (self._folder / name).write_text(json.dumps(content, indent=2) + "\n")


def table(head: str, rows: list[str]) -> str:
    return "\n".join([head, re.sub(r"[^|]+", "---", head), *rows])


def anonymous(text: str) -> str:
    """Without the port, which says nothing and would change with each run."""
    return re.sub(r"(http://127\.0\.0\.1):\d+", r"\1:8080", text)


def machine(tools: Tools) -> dict[str, object]:
    def said(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        return ((done.stdout + done.stderr).strip() or "unknown").splitlines()[0]

    commit, dirty = git.state(ROOT)
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "CPU": cpu[1] if cpu else platform.machine(),
        "processors": os.cpu_count(),
        "memory": f"{pages / 2**30:.1f} GiB",
        "kernel": platform.release(),
        "JDK": said(str(tools.java), "--version"),
        "load tool": tools.name,
        "commit": commit[:COMMIT_DIGITS] if commit else "unknown",
        "dirty": dirty,
        "date (UTC)": time.strftime("%Y-%m-%d", time.gmtime()),
        "nodes": tools.nodes,
        "keys, bytes a value": f"{tools.keys}, {VALUE_BYTES}",
    }


def parser_of(doc: str | None, *, chooses_wrk2: bool = True, **numbers: int) -> argparse.ArgumentParser:
    """The options of an experiment that begins with this text: its tools, `--summary`, its numbers with defaults."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    if chooses_wrk2:
        parser.add_argument("--wrk2", type=Path, default=os.environ.get("WRK2"), help="default: the built-in generator")
    else:
        parser.set_defaults(wrk2=None)
    parser.add_argument("--java", type=Path, default=None, help="of a JDK 25 (default: the workbook's)")
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--summary", action="store_true", help="make the tables anew, and measure nothing")
    return parser


def tools_of(arguments: argparse.Namespace) -> Tools:
    """Before any server is started: from here on an end by SIGTERM ends all of them, too."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    for jar in (BENCHMARKS, STAGE3):
        if not jar.is_file():
            raise SystemExit(f"there is no {jar.relative_to(ROOT)}: mvn package -DskipTests")
    return Tools(arguments.java or java_of_the_workbook(), arguments.wrk2)


def java_of_the_workbook() -> Path:
    found = subprocess.run(
        [str(ROOT / "workbook"), "doctor", "--jdk-home"], capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        raise SystemExit(f"name a java with --java: {found.stderr.strip()}")
    return Path(found.stdout.strip()) / "bin/java"
