from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.fakes import answering
from workbook import cli
from workbook.commands import repair

DONE = "node=http://b:2 state=done repaired=3 unrepaired=0 bytes=70 seconds=0.1\n"
COMPARING = "node=http://b:2 state=comparing\n"
FAILED = "node=http://b:2 state=failed reason=down\n"


class Node:
    """Answers with one line after the other, and repeats the last one."""

    def __init__(self) -> None:
        self.answers = [DONE]
        self.asked: list[str] = []
        self.secrets: list[str | None] = []
        self.status = 200
        node = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                node.asked.append(f"{self.command} {self.path}")
                node.secrets.append(self.headers.get("Cluster-Secret"))
                line = node.answers.pop(0) if len(node.answers) > 1 else node.answers[0]
                self.send_response(node.status)
                self.end_headers()
                self.wfile.write(line.encode())

            def do_PUT(self) -> None:
                self.answer()

            def do_GET(self) -> None:
                self.answer()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def node() -> Iterator[Node]:
    node = Node()
    yield node
    node.server.shutdown()
    node.server.server_close()


@pytest.fixture(autouse=True)
def short_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "POLL_S", 0.0)


def test_command_starts_a_comparison_waits_for_it_and_prints_the_result(
    node: Node, capsys: pytest.CaptureFixture[str]
) -> None:
    node.answers = [COMPARING, COMPARING, DONE]
    assert cli.main(["repair", "--node", node.url]) == 0
    assert capsys.readouterr().out == DONE
    assert node.asked == ["PUT /internal/v0/repair", "GET /internal/v0/repair", "GET /internal/v0/repair"]


def test_command_of_a_comparison_that_failed_fails(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    node.answers = [FAILED]
    assert cli.main(["repair", "--node", node.url]) == 1
    assert capsys.readouterr().out == FAILED


def test_command_sends_the_secret(node: Node) -> None:
    cli.main(["repair", "--node", node.url, "--cluster-secret", "s3cret"])
    assert node.secrets == ["s3cret"]


def test_command_of_a_node_that_refuses_says_why(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    node.answers, node.status = ["wrong or missing Cluster-Secret\n"], 403
    assert cli.main(["repair", "--node", node.url]) == 1
    assert "answered 403: wrong or missing Cluster-Secret" in capsys.readouterr().err


PARTS = [
    (b"hello\n", "BadStatusLine"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnode", "IncompleteRead"),
    (b"HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\nnode", "IncompleteRead"),
]


@pytest.mark.parametrize(("answer", "complaint"), PARTS)
def test_command_of_what_is_no_node_says_so(answer: bytes, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(answer) as url:
        assert cli.main(["repair", "--node", url]) == 1

    said = capsys.readouterr().err
    assert f"{url} does not answer in HTTP, or not to the end: {complaint}" in said
    assert "Traceback" not in said
