"""What is said of a node and of its machine before a run: read from /proc, /sys and jcmd, as run.json has it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workbook.failure import Failure
from workbook.measure.profiler import Engine, engine_for
from workbook.remote.place import ask_all
from workbook.remote.process import with_jdk
from workbook.remote.target_file import RemoteNode
from workbook.selector import waited_in

CGROUP = "/sys/fs/cgroup"
FILES = (
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/kptr_restrict",
    "/etc/os-release",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    f"{CGROUP}/cpu.max",
    f"{CGROUP}/memory.max",
    f"{CGROUP}/cpu/cpu.cfs_quota_us",
    f"{CGROUP}/cpu/cpu.cfs_period_us",
    f"{CGROUP}/memory/memory.limit_in_bytes",
)
PRINT_FILES = f"""\
for file in {" ".join(FILES)}; do
    echo "== $file"; [ -r $file ] && cat $file 2>/dev/null; echo
done"""
STATUS, STAT, OPTIONS, PROPERTIES, THREADS = "status", "stat", "options", "properties", "threads"
UNLIMITED_BYTES_MIN = 1 << 60
"""What control groups of version 1 say where there is no limit is more than this."""
SECRET = re.compile(r"(?i)(\S*(?:secret|password|token)\S*?[= ])\S+")
PROFILER = "/opt/profiler/libasyncProfiler.so"
"""Where the images of ./workbook have it."""
PROBE_BYTES = 8 << 20


@dataclass(frozen=True)
class Inspected:
    """What one node has said of itself: the text of files, of jcmd, and of the checks."""

    pid: int
    texts: Mapping[str, str]

    @property
    def started(self) -> str:
        """When the process began: another process with the same number began at another time."""
        return start_of(self.texts[STAT])

    @property
    def boot_id(self) -> str:
        """The same for all nodes of one machine, those in containers too."""
        return self._text("/proc/sys/kernel/random/boot_id") or ""

    @property
    def architecture(self) -> str:
        return self._properties.get("os.arch", "")

    @property
    def jdk(self) -> str | None:
        return self._properties.get("java.version")

    @property
    def kernel(self) -> str | None:
        return self._text("/proc/sys/kernel/osrelease")

    @property
    def options(self) -> list[str] | None:
        """Of the server, without secrets."""
        command = self._line("java_command")
        return command[1:] if command else None

    @property
    def has_profiler(self) -> bool:
        return bool(self._text("profiler"))

    @property
    def engine(self) -> Engine:
        user = re.search(r"^Uid:\s+(\d+)", self.texts[STATUS], re.MULTILINE)
        paranoid, restrict = (self._text(f"/proc/sys/kernel/{n}") for n in ("perf_event_paranoid", "kptr_restrict"))
        return engine_for(paranoid, restrict, is_root=user is not None and user[1] == "0")

    def machine(self) -> dict[str, object]:
        """As run.json has it of this machine, and what only matters where there are several."""
        cpu = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", self.texts["/proc/cpuinfo"], re.MULTILINE)
        memory = re.search(r"^MemTotal:\s+(\d+) kB", self.texts["/proc/meminfo"], re.MULTILINE)
        system = re.search(r'^PRETTY_NAME="?([^"\n]+)', self.texts["/etc/os-release"], re.MULTILINE)
        return {
            "cpu": cpu[1] if cpu else self.architecture or None,
            "cores": self._cores(),
            "memory_bytes": int(memory[1]) * 1024 if memory else None,
            "kernel": self.kernel,
            "system": system[1] if system else None,
            "governor": self._text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            "limits": {"cores": self._cores_limit(), "memory_bytes": self._memory_limit()},
        }

    def server(self) -> dict[str, object]:
        """Without the path of its jar, which says nothing of the server."""
        return {
            "jdk": self.jdk,
            "jvm_flags": self._line("jvm_args"),
            "options": self.options,
            "selector": waited_in(self.texts.get(THREADS, "")),
        }

    def _cores(self) -> int | None:
        """Those that the process may use."""
        allowed = re.search(r"^Cpus_allowed_list:\s+([\d,-]+)", self.texts[STATUS], re.MULTILINE)
        return None if allowed is None else sum(_length(part) for part in allowed[1].split(","))

    def _cores_limit(self) -> float | None:
        quota, period = self._text(f"{CGROUP}/cpu/cpu.cfs_quota_us"), self._text(f"{CGROUP}/cpu/cpu.cfs_period_us")
        words = (self._text(f"{CGROUP}/cpu.max") or f"{quota} {period}").split()
        if len(words) != 2 or not all(word.isdecimal() for word in words):  # "max" or -1: there is none.
            return None
        return round(int(words[0]) / int(words[1]), 3)

    def _memory_limit(self) -> int | None:
        text = self._text(f"{CGROUP}/memory.max") or self._text(f"{CGROUP}/memory/memory.limit_in_bytes") or ""
        return int(text) if text.isdecimal() and int(text) < UNLIMITED_BYTES_MIN else None

    def _line(self, name: str) -> list[str] | None:
        match = re.search(rf"^{name}: (.+)$", self.texts[OPTIONS], re.MULTILINE)
        return SECRET.sub(r"\1…", match[1]).split() if match else None

    def _text(self, name: str) -> str | None:
        return self.texts.get(name, "").strip() or None

    @cached_property
    def _properties(self) -> dict[str, str]:
        lines = (line.partition("=") for line in self.texts[PROPERTIES].splitlines())
        return {name: value.strip() for name, _, value in lines}


def inspect(nodes: Sequence[RemoteNode], pids: Sequence[int], mark: str) -> list[Inspected]:
    """`mark`: what the names of our files there begin with."""
    calls = [with_jdk(node, _script(node, pid, mark)) for node, pid in zip(nodes, pids, strict=True)]
    return [Inspected(pid, sections(text)) for pid, text in zip(pids, ask_all(calls), strict=True)]


def differences(nodes: Sequence[RemoteNode], inspected: Sequence[Inspected]) -> list[str]:
    """What should be alike and is not, in words."""
    found: list[str] = []
    for what, values in {"JDK": [i.jdk for i in inspected], "kernel": [i.kernel for i in inspected]}.items():
        if len(set(values)) > 1:
            each = ", ".join(f"{value} on {node.name}" for node, value in zip(nodes, values, strict=True))
            found.append(f"the nodes do not have the same {what}: {each}")
    return found


def sections(text: str) -> dict[str, str]:
    """Parts that begin with a line `== NAME`."""
    names_and_texts = re.split(r"^== (.+)\n", text, flags=re.MULTILINE)[1:]
    found = dict(zip(names_and_texts[::2], names_and_texts[1::2], strict=True))
    if "end" not in found:
        raise Failure(f"the answer of a node to a script is incomplete; it ends with {text[-200:]!r}")
    return found


def start_of(stat: str) -> str:
    """Of /proc/PID/stat: field 22. The second one is in brackets, and may have spaces."""
    return stat.rpartition(")")[2].split()[19]


def _script(node: RemoteNode, pid: int, mark: str) -> str:
    probe = node.file(mark, "probe")
    library = node.profiler or PROFILER
    full = f"cannot write {PROBE_BYTES >> 20} MB to {node.directory} there: is its disk full?"
    return f"""\
(printf '%{PROBE_BYTES}s' '' > {probe}) 2>/dev/null || {{ rm -f {probe}; fail "{full}"; }}
rm -f {probe}
options=$(jcmd {pid} VM.command_line 2>/dev/null) || fail "the JVM there does not answer jcmd: pid={pid}"
properties=$(jcmd {pid} VM.system_properties 2>/dev/null) || fail "the JVM there does not answer jcmd: pid={pid}"
{PRINT_FILES}
echo "== {STATUS}"; cat /proc/{pid}/status 2>/dev/null || fail "there is no /proc/{pid}: nodes must run on Linux"
echo "== {STAT}"; cat /proc/{pid}/stat
echo "== profiler"; [ -r {library} ] && echo {library}
echo "== {OPTIONS}"; echo "$options"
echo "== {PROPERTIES}"; echo "$properties"
echo "== {THREADS}"; jcmd {pid} Thread.print 2>/dev/null | grep one.nio.net || true
echo "== end"
"""


def _length(part: str) -> int:
    first, _, last = part.partition("-")
    return int(last or first) - int(first) + 1
