"""The selector of one-nio: Java's or, where glibc is new enough, the one of its native library.

Servers choose Java's (dht.http.JavaSockets). Which one they use is said, since two systems could differ in silence.
"""

from __future__ import annotations

import re

from workbook.host import Host

JAVA, NATIVE = "java", "native"
NATIVE_FROM_GLIBC = (2, 38)
PROPERTY = "one.nio.net.force.java.socket"
VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
"""From which every JVM takes options."""
WAITING_IN = re.compile(r"\bone\.nio\.net\.(Java|Native)Selector\b")


def waited_in(threads: str) -> str | None:
    """Which one the threads of a JVM wait in, as jcmd's Thread.print shows them; None if in none of one-nio's."""
    match = WAITING_IN.search(threads)
    return match[1].lower() if match else None


def glibc_of(host: Host) -> tuple[int, int] | None:
    """None where there is another C library."""
    answer = host.output(["getconf", "GNU_LIBC_VERSION"])
    match = re.match(r"glibc (\d+)\.(\d+)", answer[1]) if answer and answer[0] == 0 else None
    return (int(match[1]), int(match[2])) if match else None


def forbidden_by(host: Host) -> str | None:
    """The variable that takes Java's selector from all servers; None if none does."""
    option = re.compile(rf"-D{re.escape(PROPERTY)}=(\S+)")
    for name in VARIABLES:
        if (match := option.search(host.env.get(name, ""))) and match[1].lower() != "true":
            return name
    return None
