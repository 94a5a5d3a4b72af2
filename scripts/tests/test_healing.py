from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from workbook.failure import Failure
from workbook.measure.healing import await_delivery, hints_waiting

METRICS = """\
# HELP hints_waiting hints that wait for a node
hints_waiting{{peer="http://127.0.0.1:8081"}} {first}
hints_waiting{{peer="http://127.0.0.1:8082"}} 3.0
hints_waiting_limit 100.0
hints_total{{outcome="stored"}} 12345.0
"""
NOWHERE = "http://127.0.0.1:1"


@contextmanager
def node(*texts: str | None) -> Iterator[str]:
    """Its URL. It answers each look with the next of these texts, and then with the last one; None: with 404."""
    rest = list(texts)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = rest.pop(0) if len(rest) > 1 else rest[0]
            self.send_response(404 if text is None else 200)
            self.end_headers()
            self.wfile.write((text or "unknown path").encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


def test_hints_of_all_peers_and_nodes_are_added() -> None:
    with node(METRICS.format(first="1.2e3")) as first, node(METRICS.format(first="0.0")) as second:
        assert hints_waiting([first, second]) == 1206


def test_servers_that_do_not_count_hints_owe_nothing() -> None:
    with node(None) as unknown, node("requests_total 5.0\n") as other:
        assert hints_waiting([unknown, other, NOWHERE]) == 0


def test_waits_until_the_last_hint_is_delivered() -> None:
    seen: list[int] = []
    with node("hints_waiting 20.0\n", "hints_waiting 1.0\n", "hints_waiting 0.0\n", "hints_waiting 7.0\n") as url:
        assert await_delivery([url], seen.append, every_s=0) == 0
    assert seen == [20, 1]


def test_what_is_left_when_the_time_is_over_is_returned() -> None:
    with node("hints_waiting 5.0\n") as url:
        assert await_delivery([url], lambda _: None, within_s=0) == 5


def test_server_that_ends_meanwhile_ends_the_waiting() -> None:
    def has_ended(_: int) -> None:
        raise Failure("node1 has ended by itself")

    with node("hints_waiting 5.0\n") as url, pytest.raises(Failure, match=r"^node1 has ended by itself$"):
        await_delivery([url], has_ended)
