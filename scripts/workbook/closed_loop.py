"""Clients that send a request, wait for its answer, and send the next one: a closed loop, on one thread.

For servers that have just started: it is at full speed at once, and a load generator in Java is not. What a closed
loop hides: docs/lab/coordinated-omission.md. To measure a stage, use the load tool.
"""

from __future__ import annotations

import math
import random
import re
import selectors
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlsplit

KEYS = 1_000
SMALL = b"v" * 128
LARGE = b"v" * 16_384
LARGE_SHARE = 1 / 16
"""Of the values that are put."""
RANGE_KEYS = 10
KINDS = ("GET", "GET", "GET", "GET", "GET", "PUT", "PUT", "PUT", "DELETE", "range")

EXPECTED = {HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED, HTTPStatus.NOT_FOUND}
ANSWERS_WITHIN_S = 10.0
RECEIVE_BYTES_MAX = 1 << 18
CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
LAST_CHUNK = b"\r\n0\r\n\r\n"  # In no value that is put here.


class Answer(NamedTuple):
    asked_s: float  # Since the loop began.
    took_s: float
    status: int

    @property
    def is_expected(self) -> bool:
        return self.status in EXPECTED


class ClosedLoop:
    """Sends puts, gets, deletions and ranges, the same in each process. Only one thread may use it."""

    def __init__(self, connections: Sequence[_Connection], selector: selectors.BaseSelector) -> None:
        self._connections = connections
        self._selector = selector
        self._random = random.Random(1)
        self._sent = 0

    def ask(self, *, requests_max: int = sys.maxsize, seconds_max: float = math.inf) -> list[Answer]:
        """Asks until either is reached, and returns all answers. An OSError if one does not come."""
        begun = time.monotonic()
        answers: list[Answer] = []
        last = self._sent + requests_max
        waiting = 0
        for connection in self._connections[:requests_max]:
            self._send(connection)
            waiting += 1
        while waiting:
            ready = self._selector.select(ANSWERS_WITHIN_S)
            if not ready:
                raise TimeoutError(f"a request was not answered within {ANSWERS_WITHIN_S:g} s")
            for key, _ in ready:
                connection = key.data
                if (status := connection.receive()) is None:
                    continue
                now = time.monotonic()
                answers.append(Answer(connection.sent_s - begun, now - connection.sent_s, status))
                if self._sent < last and now - begun < seconds_max:
                    self._send(connection)
                else:
                    waiting -= 1
        return answers

    def _send(self, connection: _Connection) -> None:
        kind = self._random.choice(KINDS)
        self._sent += 1
        key = self._random.randrange(KEYS)
        if kind == "range":
            connection.send("GET", f"/v0/entities?start={_name(key)}&end={_name(key + RANGE_KEYS)}")
        elif kind == "PUT":
            value = LARGE if self._random.random() < LARGE_SHARE else SMALL
            connection.send(kind, f"/v0/entity?id={_name(key)}", value)
        else:
            connection.send(kind, f"/v0/entity?id={_name(key)}")


class _Connection:
    """One that stays open, and has at most one request under way."""

    def __init__(self, opened: socket.socket, host: str) -> None:
        self._socket = opened
        self._host = host
        self._received = bytearray()
        self.sent_s = 0.0

    def send(self, method: str, target: str, body: bytes | None = None) -> None:
        length = "" if body is None else f"Content-Length: {len(body)}\r\n"
        head = f"{method} {target} HTTP/1.1\r\nHost: {self._host}\r\n{length}\r\n"
        self._received.clear()
        self.sent_s = time.monotonic()
        self._socket.sendall(head.encode() + (body or b""))

    def receive(self) -> int | None:
        """To be called when there is something to read. The status of the answer; None if not all of it is there."""
        part = self._socket.recv(RECEIVE_BYTES_MAX)
        if not part:
            raise ConnectionError(f"{self._host} has closed a connection before it answered")
        self._received += part
        return status_of(self._received)


@contextmanager
def closed_loop(urls: Sequence[str], connections: int) -> Iterator[ClosedLoop]:
    """With so many connections, to the nodes in turn."""
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        made = []
        for i in range(connections):
            address = urlsplit(urls[i % len(urls)])
            pair = (address.hostname, address.port or 80)
            opened = stack.enter_context(socket.create_connection(pair, ANSWERS_WITHIN_S))
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            made.append(_Connection(opened, address.netloc))
            selector.register(opened, selectors.EVENT_READ, made[-1])
        yield ClosedLoop(made, selector)


def status_of(received: bytes | bytearray) -> int | None:
    """The status of an answer; None if not all of it is there."""
    head, separator, body = received.partition(b"\r\n\r\n")
    if not separator:
        return None
    if CHUNKED.search(head):
        is_whole = received.endswith(LAST_CHUNK)
    else:
        length = CONTENT_LENGTH.search(head)
        is_whole = length is None or len(body) >= int(length[1])
    return int(head[len("HTTP/1.1 ") :][:3]) if is_whole else None


def _name(key: int) -> str:
    return f"key{key:09}"
