"""Notices when a node no longer answers, while the load goes on."""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException

from workbook.failure import Failure
from workbook.remote.target_file import RemoteNode

EVERY_S = 1.0
ANSWERS_WITHIN_S = 2.0
CHECKED_WITHIN_S = 6.0
"""To look up a name, and to read what comes a byte at a time, may take as long as it wants."""
REFUSALS_MAX = 2
SILENT_S_MAX = 4.0
"""A busy node may be slow: only after this it counts as gone."""


@dataclass(frozen=True)
class Trouble:
    """Why a node is no server of ours. `is_refused`: the machine is there, and nobody listens."""

    words: str
    is_refused: bool = False


def check_answers(nodes: Sequence[RemoteNode]) -> None:
    """Whether each node answers at its URL; a Failure has a line for each that does not."""
    found: dict[str, Trouble | None] = {}
    threads = [threading.Thread(target=_check, args=(node.url, found), daemon=True) for node in nodes]
    deadline_s = time.monotonic() + CHECKED_WITHIN_S
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline_s - time.monotonic()))
    late = f"does not answer: there is no sign of it within {CHECKED_WITHIN_S:g} s"
    troubles = [found.get(node.url, Trouble(f"{node.url}/v0/status {late}")) for node in nodes]
    lines = [f"{node.name}: {trouble.words}" for node, trouble in zip(nodes, troubles, strict=True) if trouble]
    if lines:
        raise Failure("\n".join(lines))


def trouble_at(url: str) -> Trouble | None:
    """None if a server answers there."""
    try:
        with urllib.request.urlopen(f"{url}/v0/status", timeout=ANSWERS_WITHIN_S) as answer:
            status = int(answer.status)
    except urllib.error.HTTPError as problem:
        status = problem.code
    except (OSError, HTTPException) as problem:
        cause = problem.reason if isinstance(problem, urllib.error.URLError) else problem
        words = getattr(cause, "strerror", None) or str(cause) or repr(cause)
        return Trouble(f"{url}/v0/status does not answer: {words}", isinstance(cause, ConnectionRefusedError))
    return None if status == HTTPStatus.OK else Trouble(f"{url}/v0/status answers {status}: is the url right?")


def _check(url: str, found: dict[str, Trouble | None]) -> None:
    found[url] = trouble_at(url)


class Watch:
    """Asks one node for its status once a second, on a thread of its own. Any thread may ask for the problem."""

    def __init__(self, node: RemoteNode) -> None:
        self._node = node
        self._problem: str | None = None  # Written by the thread alone.
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watch of {node.name}", daemon=True)
        self._thread.start()

    @property
    def problem(self) -> str | None:
        return self._problem

    def end(self) -> None:
        """Without waiting for it: an answer may be on its way."""
        self._ended.set()

    def _run(self) -> None:
        refusals, heard_s, pause_s = 0, time.monotonic(), EVERY_S
        while not self._ended.wait(pause_s):
            asked_s = time.monotonic()
            trouble = trouble_at(self._node.url)
            pause_s = max(0.0, asked_s + EVERY_S - time.monotonic())
            if trouble is None:
                refusals, heard_s = 0, time.monotonic()
                continue
            refusals += trouble.is_refused
            if refusals >= REFUSALS_MAX or time.monotonic() - heard_s > SILENT_S_MAX:
                self._problem = f"{self._node.name} has gone: {trouble.words}"
                return
