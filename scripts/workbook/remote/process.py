"""Which process on a node is the server: a JVM that `jcmd` lists there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from workbook.failure import Failure
from workbook.remote.place import Call, ask_all
from workbook.remote.target_file import Reachable, RemoteNode

JVM = re.compile(r"(\d+) (.+)")
# In a container it usually is the server. jcmd does not list it if its user has no name there.
FIRST_PROCESS = 'read -r name 2>/dev/null < /proc/1/comm; [ "$name" = java ] && echo "1 java"'
JCMD_ITSELF = "sun.tools.jcmd.JCmd"


def with_jdk(node: Reachable, text: str, into: Path | None = None) -> Call:
    """A script that may call jcmd."""
    return Call.script(node.place, jdk_on_path(node) + text, into)


def jdk_on_path(node: Reachable) -> str:
    """What a script begins with that calls programs of the JDK there."""
    return f"PATH={node.java_home}/bin:$PATH\n" if node.java_home else ""


def find_pids(nodes: Sequence[RemoteNode]) -> list[int]:
    """Of each node's server; a Failure has a line for each node where none can be told."""
    missing = "there is no jcmd there: install a JDK 25, or name its folder with java-home"
    script = f'command -v jcmd >/dev/null 2>&1 || fail "{missing}"\n{FIRST_PROCESS}\njcmd -l\n'
    listed = ask_all([with_jdk(node, script) for node in nodes])
    found: list[int] = []
    problems: list[str] = []
    for node, text in zip(nodes, listed, strict=True):
        try:
            found.append(pid_of(node, text))
        except Failure as problem:
            problems.append(f"{node.name}: {problem}")
    if problems:
        raise Failure("\n".join(problems))
    return found


def pid_of(node: RemoteNode, listed: str) -> int:
    """The only JVM; else the only one that has the `process` of the file, or the port of the node, in its words."""
    jvms = {int(match[1]): match[2] for line in listed.splitlines() if (match := JVM.fullmatch(line.strip()))}
    servers = {pid: words for pid, words in jvms.items() if JCMD_ITSELF not in words}
    if not servers:
        raise Failure("jcmd finds no JVM there: does the server run, and as the user of this command?")
    if node.process is not None:
        servers = {pid: words for pid, words in servers.items() if node.process in words}
        if not servers:
            raise Failure(f"no JVM there has {node.process!r} in its command line; there are {_shown(jvms)}")
    if len(servers) > 1:
        port = re.compile(rf"--port[= ]{node.port}(?!\d)")
        servers = {pid: words for pid, words in servers.items() if port.search(words)} or servers
    if len(servers) > 1:
        raise Failure(f"several JVMs run there, {_shown(servers)}: choose one with `process`")
    return next(iter(servers))


def _shown(jvms: dict[int, str]) -> str:
    """Without their options, of which one may be a secret."""
    named = {pid: words for pid, words in jvms.items() if JCMD_ITSELF not in words}
    return ", ".join(f"{words.split()[0]} (pid={pid})" for pid, words in named.items())
