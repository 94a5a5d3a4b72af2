"""What a server of ours is started with besides its port and its data."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from workbook.failure import UsageError

JVM_PREFIXES = ("-X", "-D")
NODES = "--nodes"
NODES_MAX = 16


@dataclass(frozen=True)
class Flags:
    """Options of the JVM, options of the server itself, and how many nodes there are."""

    jvm: tuple[str, ...] = ()
    server: tuple[str, ...] = ()
    nodes: int = 1

    def and_also(self, words: Sequence[str]) -> Flags:
        """With more of them: `-X…` and `-D…` are the JVM's, `--nodes K` is ours, the others are the server's."""
        jvm, server, nodes = list(self.jvm), list(self.server), self.nodes
        rest = iter(words)
        for word in rest:
            if word == NODES:
                nodes = _count(next(rest, ""))
            elif word.startswith(JVM_PREFIXES):
                jvm.append(word)
            else:
                server.append(word)
        return Flags(tuple(jvm), tuple(server), nodes)


def nodes_from(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= NODES_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of nodes from 1 to {NODES_MAX}")
    return int(text)


def _count(text: str) -> int:
    try:
        return nodes_from(text)
    except argparse.ArgumentTypeError as problem:
        raise UsageError(f"{NODES}: {problem}") from problem
