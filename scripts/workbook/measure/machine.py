"""Where a run was made."""

from __future__ import annotations

import os
import platform

from workbook.host import Host


def describe(host: Host) -> dict[str, object]:
    """As run.json has it."""
    return {
        "cpu": _cpu(host),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "system": _system(host),
    }


def _cpu(host: Host) -> str | None:
    if host.is_macos:
        answer = host.output(["sysctl", "-n", "machdep.cpu.brand_string"])
        return answer[1].strip() if answer and answer[0] == 0 else None
    for line in (host.read("/proc/cpuinfo") or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "Hardware"):
            return value.strip()
    return platform.machine() or None


def _system(host: Host) -> str:
    for line in (host.read("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return f"{host.system} {platform.release()}"
