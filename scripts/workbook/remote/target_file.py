"""A target's file: which nodes and load machines there are, and how a command is run on each of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from workbook.failure import Failure
from workbook.remote.place import Place
from workbook.toml import read_toml

NODES_MAX = LOADS_MAX = 16
TEMPORARY = "/tmp"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
DIRECTORY = re.compile(r"/[A-Za-z0-9._/-]*")

EXPECTED = {
    "name": "letters, digits, dots and dashes",
    "url": "http://HOST:PORT, without a path, a user or a password",
    "run": "a command that runs other commands there, such as 'ssh node-1' or 'docker exec -i node-1'",
    "process": "a part of the command line of the server's JVM",
    "java-home": "the folder of the JDK there",
    "directory": "a folder there, for files that are removed at the end",
    "profiler": "the path of async-profiler's library there",
    "wrk2": "the path of wrk2 there",
}
NODE_KEYS = ("name", "url", "run", "process", "java-home", "directory", "profiler")
LOAD_KEYS = ("name", "run", "java-home", "directory", "wrk2")


@dataclass(frozen=True)
class Reachable:
    """What a node and a load machine have in common."""

    place: Place
    java_home: str | None = field(default=None, kw_only=True)
    directory: str = field(default=TEMPORARY, kw_only=True)

    @property
    def name(self) -> str:
        return self.place.name

    def file(self, mark: str, suffix: str) -> str:
        """Of ours, there. Two of them may share a machine."""
        return f"{self.directory}/{mark}-{self.name}.{suffix}"


@dataclass(frozen=True)
class RemoteNode(Reachable):
    """One node. `process` tells its JVM from others on its machine; `profiler` is a library that is there already."""

    url: str
    process: str | None = None
    profiler: str | None = None

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 80


@dataclass(frozen=True)
class LoadHost(Reachable):
    """A load machine. `wrk2` is a program there; without it, the built-in generator is sent."""

    wrk2: str | None = None


@dataclass(frozen=True)
class TargetFile:
    """`load`: the load machines; without any, the load comes from this machine."""

    name: str
    nodes: tuple[RemoteNode, ...]
    load: tuple[LoadHost, ...] = ()

    @property
    def load_words(self) -> str | None:
        """What makes the load, and where; None for this machine."""
        if not self.load:
            return None
        tool = "wrk2" if self.load[0].wrk2 else "the built-in generator"
        return f"{tool} on {', '.join(each.name for each in self.load)}"


def read_target(file: Path) -> TargetFile:
    found = read_toml(file)
    _check_keys(found, ("node", "load"), f"{file}")
    tables = found.get("node")
    if not isinstance(tables, list) or not tables or not all(isinstance(each, dict) for each in tables):
        raise Failure(f"{file}: it needs a [[node]] for each node, with at least a url")
    if len(tables) > NODES_MAX:
        raise Failure(f"{file}: {len(tables)} nodes, and there may be {NODES_MAX} at most")
    nodes = tuple(_node(table, number, file) for number, table in enumerate(tables, 1))
    for key, values in {"name": [each.name for each in nodes], "url": [each.url for each in nodes]}.items():
        for value in values:
            if values.count(value) > 1:
                raise Failure(f"{file}: two nodes have the {key} {value}")
    return TargetFile(file.stem, nodes, _loads(found.get("load", []), {each.name for each in nodes}, file))


def _loads(found: object, names: set[str], file: Path) -> tuple[LoadHost, ...]:
    """A single one may be a table by itself. `names`: those that are taken."""
    tables = [found] if isinstance(found, dict) else found
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise Failure(f"{file}: load machines are listed as [[load]], one for each")
    if len(tables) > LOADS_MAX:
        raise Failure(f"{file}: {len(tables)} load machines, and there may be {LOADS_MAX} at most")
    loads = tuple(_load(table, number, file) for number, table in enumerate(tables, 1))
    for each in loads:
        if each.name in names:
            raise Failure(f"{file}: two machines have the name {each.name}")
        names = names | {each.name}
    if len({each.wrk2 is None for each in loads}) > 1:
        raise Failure(f"{file}: either all load machines have a wrk2, or none has: the tools measure differently")
    return loads


def _load(table: Mapping[str, Any], number: int, file: Path) -> LoadHost:
    where = f"{file}: load {number}"
    _check_keys(table, LOAD_KEYS, where)
    return LoadHost(
        Place(_text(table, "name", where, NAME) or f"load{number}", _words(table, where)),
        _text(table, "wrk2", where, DIRECTORY),
        java_home=_text(table, "java-home", where, DIRECTORY),
        directory=_directory(table, where),
    )


def _node(table: Mapping[str, Any], number: int, file: Path) -> RemoteNode:
    where = f"{file}: node {number}"
    _check_keys(table, NODE_KEYS, where)
    if "url" not in table:
        raise Failure(f"{where} has no url: {EXPECTED['url']}")
    name = _text(table, "name", where, NAME) or f"node{number}"
    return RemoteNode(
        Place(name, _words(table, where)),
        _url(table, where),
        _text(table, "process", where),
        _text(table, "profiler", where, DIRECTORY),
        java_home=_text(table, "java-home", where, DIRECTORY),
        directory=_directory(table, where),
    )


def _directory(table: Mapping[str, Any], where: str) -> str:
    return (_text(table, "directory", where, DIRECTORY) or TEMPORARY).rstrip("/")


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise Failure(f"{where}: unknown key {key!r}; there are {', '.join(known)}")


def _text(table: Mapping[str, Any], key: str, where: str, form: re.Pattern[str] | None = None) -> str | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value or (form is not None and not form.fullmatch(value)):
        raise Failure(f"{where}: {key} = {value!r} is not {EXPECTED[key]}")
    return value


def _words(table: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """A text, or a list of words; none for this machine."""
    value = table.get("run", "")
    try:
        words = shlex.split(value) if isinstance(value, str) else value
    except ValueError as problem:
        raise Failure(f"{where}: run = {value!r}: {problem}") from problem
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise Failure(f"{where}: run = {value!r} is not {EXPECTED['run']}")
    return tuple(words)


def _url(table: Mapping[str, Any], where: str) -> str:
    text = _text(table, "url", where) or ""
    try:
        parts = urlsplit(text)
        is_good = parts.scheme == "http" and parts.hostname and parts.path in ("", "/") and "@" not in parts.netloc
        is_good = is_good and not parts.query and not parts.fragment and parts.port != 0
    except ValueError:  # The port is not a number.
        is_good = False
    if not is_good:
        shown = "…" if "@" in text else repr(text)
        raise Failure(f"{where}: url = {shown} is not {EXPECTED['url']}")
    return text.rstrip("/")
