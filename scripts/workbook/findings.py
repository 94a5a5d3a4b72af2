"""What a machine has and lacks for the workbook, one finding a thing."""

from __future__ import annotations

import os
import re
import resource
import shutil
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from workbook import browsers, fixes, jdk, selector
from workbook.fixes import Fix
from workbook.host import Host
from workbook.maven import Maven
from workbook.project import Project
from workbook.wrk2 import find_wrk2

GIB = 1 << 30

MAVEN_MINIMUM = (3, 8)
CORES_ADVISED = 2
MEMORY_ADVISED_GIB = 4.0
FREE_DISK_ADVISED_GIB = 10.0
FILE_DESCRIPTORS_ADVISED = 4096
PERF_EVENT_PARANOID_MAX = 1
KPTR_RESTRICT_MAX = 0


class State(Enum):
    FOUND = "found"
    LIMITED = "limited"
    MISSING = "missing"


@dataclass(frozen=True)
class Finding:
    what: str
    state: State
    detail: str
    needed_for: str
    required: bool = False
    fix: Fix | None = None


def all_findings(project: Project, host: Host) -> list[Finding]:
    return [
        find_jdk(host),
        find_maven(project, host),
        find_python(),
        find_docker(host),
        describe_wrk2(host),
        find_browser(host),
        find_profiler_permissions(host),
        find_selector(host),
        find_cores(),
        find_memory(),
        find_disk(project.root),
        find_file_descriptors(),
    ]


def find_jdk(host: Host) -> Finding:
    found = jdk.find(host)
    state = State.FOUND if found else State.MISSING
    detail = f"{found.version}  {found.home}" if found else "looked at JAVA_HOME, PATH and the usual folders"
    return Finding(f"JDK {jdk.MAJOR_VERSION}", state, detail, "building, testing, running", True, fixes.JDK)


def find_maven(project: Project, host: Host) -> Finding:
    program = host.which("mvn")
    purpose = "building, testing"
    if program is None:
        return Finding("Maven", State.MISSING, "no mvn on PATH", purpose, True, fixes.MAVEN)
    found = jdk.find(host)
    env = Maven(program, found, project, host).env() if found else host.env
    answer = host.output([str(program), "--version"], env)
    match = re.search(r"Apache Maven (\d+)\.(\d+)\S*", answer[1]) if answer else None
    if match is None:
        return Finding("Maven", State.MISSING, f"{program} does not tell its version", purpose, True, fixes.MAVEN)
    version = match[0].removeprefix("Apache Maven ").replace("\x1b[m", "")
    if (int(match[1]), int(match[2])) < MAVEN_MINIMUM:
        wanted = ".".join(map(str, MAVEN_MINIMUM))
        detail = f"{version}, older than {wanted}  {program}"
        return Finding("Maven", State.MISSING, detail, purpose, True, fixes.MAVEN)
    return Finding("Maven", State.FOUND, f"{version}  {program}", purpose, True)


def find_python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", State.FOUND, f"{version}  {sys.executable}", "this command", True)


def find_docker(host: Host) -> Finding:
    purpose = "suites in containers"
    program = host.which("docker")
    if program is None:
        return Finding("Docker", State.MISSING, "no docker on PATH", purpose, fix=fixes.DOCKER)
    answer = host.output([str(program), "version", "--format", "{{.Server.Version}}"])
    if answer is None or answer[0] != 0:
        detail = f"the daemon does not answer  {program}"
        return Finding("Docker", State.MISSING, detail, purpose, fix=fixes.DOCKER_DAEMON)
    return Finding("Docker", State.FOUND, f"{answer[1].strip()}  {program}", purpose)


def describe_wrk2(host: Host) -> Finding:
    found = find_wrk2(host)
    state = State.FOUND if found.program else State.MISSING
    return Finding("wrk2", state, found.detail, "load at a constant rate", fix=fixes.WRK2)


def find_browser(host: Host) -> Finding:
    purpose = "testing the site"
    found = browsers.find(host)
    if isinstance(found, str):
        return Finding("browser", State.MISSING, found, purpose, fix=fixes.BROWSER)
    chromium, driver = found
    return Finding("browser", State.FOUND, f"{chromium}, {driver}", purpose)


def find_profiler_permissions(host: Host) -> Finding:
    purpose = "cpu profiles with kernel frames"
    if host.is_macos:
        return Finding(
            "profiler", State.LIMITED, "macOS has no perf events: profiles go without kernel frames", purpose
        )
    paranoid = host.read("/proc/sys/kernel/perf_event_paranoid")
    restrict = host.read("/proc/sys/kernel/kptr_restrict")
    detail = f"perf_event_paranoid={paranoid or '?'} kptr_restrict={restrict or '?'}"
    if paranoid is None or restrict is None:
        return Finding("profiler", State.LIMITED, f"{detail}: this kernel does not tell", purpose)
    if int(paranoid) > PERF_EVENT_PARANOID_MAX or int(restrict) > KPTR_RESTRICT_MAX:
        return Finding("profiler", State.LIMITED, detail, purpose, fix=fixes.PROFILER)
    return Finding("profiler", State.FOUND, detail, purpose)


def find_selector(host: Host) -> Finding:
    """Of the servers that are started without options of the JVM, the bare ones among them."""
    glibc, variable = selector.glibc_of(host), selector.forbidden_by(host)
    has_native = glibc is not None and glibc >= selector.NATIVE_FROM_GLIBC
    library = f"glibc {glibc[0]}.{glibc[1]}" if glibc else "no glibc"
    purpose = "the same server on every system"
    if variable and has_native:
        detail = f"{selector.NATIVE}  ({library}): {variable} sets {selector.PROPERTY}"
        return Finding("selector", State.LIMITED, detail, purpose)
    why = "one-nio has a native one here, which servers do not use" if has_native else "one-nio has no other here"
    return Finding("selector", State.FOUND, f"{selector.JAVA}  ({library}: {why})", purpose)


def find_cores() -> Finding:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    state = State.FOUND if cores >= CORES_ADVISED else State.LIMITED
    return Finding("cores", state, f"{cores}", f"server and load side by side: {CORES_ADVISED} or more")


def find_memory() -> Finding:
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    state = State.FOUND if memory_gib >= MEMORY_ADVISED_GIB else State.LIMITED
    return Finding("memory", state, f"{memory_gib:.1f} GiB", f"tests and page cache: {MEMORY_ADVISED_GIB:.0f} GiB")


def find_disk(root: Path) -> Finding:
    free_gib = shutil.disk_usage(root).free / GIB
    state = State.FOUND if free_gib >= FREE_DISK_ADVISED_GIB else State.LIMITED
    purpose = f"data larger than memory: {FREE_DISK_ADVISED_GIB:.0f} GiB"
    return Finding("free disk", state, f"{free_gib:.1f} GiB", purpose, fix=fixes.DISK)


def find_file_descriptors() -> Finding:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = limit == resource.RLIM_INFINITY or limit >= FILE_DESCRIPTORS_ADVISED
    detail = "unlimited" if limit == resource.RLIM_INFINITY else str(limit)
    purpose = f"many connections and tables: {FILE_DESCRIPTORS_ADVISED}"
    state = State.FOUND if enough else State.LIMITED
    return Finding("file descriptors", state, detail, purpose, fix=fixes.FILE_DESCRIPTORS)
