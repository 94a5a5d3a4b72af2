"""`workbook repair`: a running node compares itself with all other nodes."""

from __future__ import annotations

import argparse
import time
import urllib.error
import urllib.request
from http.client import HTTPException

from workbook import console
from workbook.arguments import Parser
from workbook.failure import Failure
from workbook.host import Host
from workbook.project import Project

DEFAULT_NODE = "http://127.0.0.1:8080"
PATH = "/internal/v0/repair"
ANSWERS_WITHIN_S = 10.0
POLL_S = 0.2

DESCRIPTION = """\
Has a running node of stage 4 or 5 compare its entries with those of each other node. What is missing on one of the two
is brought to it. Prints a line for each other node. Fails if a comparison failed.
"""


def configure(parser: Parser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("--node", metavar="URL", default=DEFAULT_NODE, help=f"the node (default: {DEFAULT_NODE})")
    parser.add_argument("--cluster-secret", metavar="SECRET", help="the secret with which the nodes were started")


def run(arguments: argparse.Namespace, _project: Project, _host: Host) -> int:
    lines = ask(arguments.node, "PUT", arguments.cluster_secret)
    while any(" state=waiting" in line or " state=comparing" in line for line in lines):
        time.sleep(POLL_S)
        lines = ask(arguments.node, "GET", arguments.cluster_secret)
    out = console.standard_output()
    for line in lines:
        out.print(line)
    return 1 if any(" state=failed" in line for line in lines) else 0


def ask(node: str, method: str, secret: str | None) -> list[str]:
    headers = {} if secret is None else {"Cluster-Secret": secret}
    try:
        request = urllib.request.Request(node.rstrip("/") + PATH, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=ANSWERS_WITHIN_S) as answer:
                return str(answer.read().decode()).splitlines()
        except urllib.error.HTTPError as problem:
            line = problem.read().decode(errors="replace").partition("\n")[0]
            raise Failure(f"{node} answered {problem.code}: {line}") from problem
    except (OSError, ValueError) as problem:
        raise Failure(f"{node} does not answer: {problem}") from problem
    except HTTPException as problem:
        raise Failure(f"{node} does not answer in HTTP, or not to the end: {problem!r}; is the URL right?") from problem
