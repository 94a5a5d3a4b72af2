"""The network's floor, from this machine to each node, and between nodes: a round trip, and a connection's throughput.

The program that measures it is one class of benchmarks/, which is sent to the nodes and removed afterwards. One machine
measures after the other, so that the bytes of one do not delay the round trips of another.
"""

from __future__ import annotations

import io
import re
import shlex
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from workbook.jdk import Jdk
from workbook.remote.cluster import ASKED_WITHIN_S, Reached, RemoteServer
from workbook.remote.place import Call, Place, ask_all
from workbook.remote.recorder import archive

PROGRAM = "dht.benchmarks.load.NetworkFloor"
JAVA_FLAGS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx32m"
SELF, CLUSTER = "--self", "--cluster"
JAR = "jar"
LINE = re.compile(r"(http://\S+) (?:(\d+)|-) (?:(\d+\.\d)|-)")
"""URL MICROS MEGABYTES_PER_S"""


@dataclass(frozen=True)
class Way:
    """From one machine to a node; None where there is no figure. A MB is a million bytes."""

    round_trip_ms: float | None = None
    throughput_mb_per_s: float | None = None


Ways = Mapping[str, Way]
"""By the names of the nodes to which they lead."""


def measure_floor(server: RemoteServer, jar: Path, jdk: Jdk) -> dict[str, dict[str, object]]:
    """Of each node, by its name, as run.json has it. `jar`: of benchmarks/. A node without `java` has no figures."""
    urls = {each.node.url: each.node.name for each in server.reached}
    script = f"{shlex.quote(str(jdk.java))} {_arguments(shlex.quote(str(jar)), list(urls))}"
    from_here = read(ask_all([Call.script(Place("this machine"), script)], ASKED_WITHIN_S)[0], urls)
    between = _between(server, jar) if any(peer_urls(each) for each in server.reached) else [{} for _ in urls]
    return {
        each.node.name: _facts(from_here.get(each.node.name, Way()), to)
        for each, to in zip(server.reached, between, strict=True)
    }


def _facts(from_here: Way, to: Ways) -> dict[str, object]:
    return {
        "round_trip_ms": {"from_load_host": from_here.round_trip_ms, "to": round_trips(to)},
        "throughput_mb_per_s": {"from_load_host": from_here.throughput_mb_per_s, "to": throughputs(to)},
    }


def round_trips(to: Ways) -> dict[str, float | None]:
    return {name: way.round_trip_ms for name, way in to.items()}


def throughputs(to: Ways) -> dict[str, float | None]:
    return {name: way.throughput_mb_per_s for name, way in to.items()}


def _between(server: RemoteServer, jar: Path) -> list[dict[str, Way]]:
    program = packed(jar, f"{PROGRAM.replace('.', '/')}.class")
    ask_all([_sending(server, each, program) for each in server.reached], ASKED_WITHIN_S)
    names = {url: each.node.name for each in server.reached if (url := option(each, SELF))}
    return [
        read(server.ask_one(each, _asking(server.file_of(each, JAR), peer_urls(each))), names)
        for each in server.reached
    ]


def _asking(jar: str, urls: Sequence[str]) -> str:
    return f"{asking(jar, urls)}\nrm -f {jar}"


def _sending(server: RemoteServer, each: Reached, program: bytes) -> Call:
    given = archive(Path(server.file_of(each, JAR)).name, program)
    return Call(each.node.place, ("tar", "-xf", "-", "-C", each.node.directory), given)


def peer_urls(each: Reached) -> list[str]:
    """Where the node finds the others, which need not be where we find them."""
    listed = (option(each, CLUSTER) or "").split(",")
    return [url for url in listed if url and url != option(each, SELF)]


def option(each: Reached, name: str) -> str | None:
    """What a server was given: `--name VALUE` or `--name=VALUE`."""
    words = each.inspected.options or []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == name:
            return following
        if word.startswith(f"{name}="):
            return word.removeprefix(f"{name}=")
    return None


def read(text: str, names: Mapping[str, str]) -> dict[str, Way]:
    """By the name of who was asked. A URL that no node calls its own is its own name."""
    found: dict[str, Way] = {}
    for line in text.splitlines():
        if said := LINE.fullmatch(line):  # A JVM may say something, too.
            url, micros, mb_per_s = said.groups()
            way = Way(int(micros) / 1000 if micros else None, float(mb_per_s) if mb_per_s else None)
            found[names.get(url, urlsplit(url).netloc)] = way
    return found


def asking(jar: str, urls: Sequence[str]) -> str:
    """A script that measures with what is in the jar."""
    return f"java {_arguments(jar, urls)}"


def packed(jar: Path, *prefixes: str) -> bytes:
    """What is in the jar with names that begin so, as a jar of its own."""
    made = io.BytesIO()
    with zipfile.ZipFile(jar) as whole, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as part:
        for name in whole.namelist():
            if name.startswith(prefixes) and not name.endswith("/"):
                part.writestr(name, whole.read(name))
    return made.getvalue()


def _arguments(jar: str, urls: Sequence[str]) -> str:
    return f"{JAVA_FLAGS} -cp {jar} {PROGRAM} {shlex.join(urls)} </dev/null 2>/dev/null || true"
