from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from workbook.closed_loop import Answer, closed_loop, status_of


class Node(ThreadingHTTPServer):
    """Notes what it is asked, and answers as a node does; closes the connection if `fails` says so."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.fails = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Node

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = "range" if self.path.startswith("/v0/entities") else self.command
        self.server.asked.append(kind)
        if self.server.fails:
            self.close_connection = True
        elif kind == "range":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for chunk in (b"3\r\nk\nv\r\n", b"0\r\n\r\n"):
                self.wfile.write(chunk)
        else:
            self.send_response({"PUT": 201, "DELETE": 202}.get(kind, 404))
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

    def do_PUT(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def nodes() -> Iterator[list[Node]]:
    started = [Node(), Node()]
    for node in started:
        threading.Thread(target=node.serve_forever, daemon=True).start()
    yield started
    for node in started:
        node.shutdown()
        node.server_close()


def test_loop_sends_each_kind_of_request_to_all_nodes(nodes: list[Node]) -> None:
    with closed_loop([node.url for node in nodes], connections=4) as loop:
        answers = loop.ask(requests_max=200)

    assert len(answers) == 200
    assert {answer.status for answer in answers} == {201, 404, 202, 200}
    assert all(answer.is_expected and answer.took_s > 0 for answer in answers)
    for node in nodes:
        assert set(node.asked) == {"PUT", "GET", "DELETE", "range"}
    assert sum(len(node.asked) for node in nodes) == 200


def test_loop_asks_no_more_than_it_may_and_can_go_on(nodes: list[Node]) -> None:
    with closed_loop([nodes[0].url], connections=4) as loop:
        assert len(loop.ask(requests_max=3)) == 3
        answers = loop.ask(seconds_max=0.1)

    assert len(answers) >= 4
    assert len(nodes[0].asked) == 3 + len(answers)


def test_loop_whose_connection_is_closed_is_an_error(nodes: list[Node]) -> None:
    nodes[0].fails = True

    with (
        closed_loop([nodes[0].url], connections=1) as loop,
        pytest.raises(ConnectionError, match="has closed a connection"),
    ):
        loop.ask(requests_max=1)


@pytest.mark.parametrize(
    ("received", "status"),
    [
        (b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 201),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204),
        (b"HTTP/1.1 200 OK\r\ncontent-length:3\r\n\r\nabc", 200),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", None),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nk\nv\r\n", None),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nk\nv\r\n0\r\n\r\n", 200),
    ],
)
def test_status_is_told_when_the_whole_answer_is_there(received: bytes, status: int | None) -> None:
    assert status_of(received) == status


def test_refusal_is_not_what_was_expected() -> None:
    assert not Answer(0.0, 0.1, 503).is_expected
    assert Answer(0.0, 0.1, 404).is_expected
