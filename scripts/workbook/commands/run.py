"""`workbook run`: a stage's server, or a cluster of them, in the foreground."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbook import console, jdk
from workbook.aot_cache import AotCaches
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.failure import Failure, UsageError
from workbook.host import Host
from workbook.interrupts import Interrupted
from workbook.locks import directory_lock
from workbook.measure.flags import nodes_from
from workbook.messages import warn
from workbook.processes import Children
from workbook.project import Module, Project
from workbook.servers import FIRST_CLUSTER_STAGE, PORT_MAX, Cluster, Log, Node, ServerCommand, check_free

DEFAULT_PORT = 8080

DESCRIPTION = """\
Builds stage N if its sources have changed, starts its server, or a cluster of K servers, and shows their logs. A line
begins with the name of its node. Ctrl-C stops all of them.

The data of a node stays in runs/STAGE/data/nodeK until the next time. --fresh starts with empty directories.

The second time that you start servers of the same build, an AOT cache is made: a file with prepared classes. This takes
some seconds. From then on, servers start faster. --no-aot starts them without. docs/lab/cold-start.md explains more.
"""

EPILOG = """\
Everything after -- is passed to each server unchanged:
  ./workbook run 1 --jvm '-Xmx128m' -- --config my.properties
"""


@dataclass(frozen=True)
class Options:
    stage: int
    nodes: int
    port: int
    data: Path | None
    fresh: bool
    aot: bool
    jvm: tuple[str, ...]
    server: tuple[str, ...]


def configure(parser: Parser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.usage = f"{parser.prog} N [options] [-- SERVER-OPTIONS]"
    parser.passes_on = True
    parser.add_argument("stage", metavar="N", type=_stage, help="the number of the stage")
    parser.add_argument("--nodes", metavar="K", type=nodes_from, default=1, help="number of servers (default: 1)")
    parser.add_argument(
        "--port",
        metavar="P",
        type=_port,
        default=DEFAULT_PORT,
        help=f"port of the first node; the next nodes use the next ports (default: {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--data", metavar="DIR", type=Path, help="directory for the data of the nodes (default: runs/STAGE/data)"
    )
    parser.add_argument("--fresh", action="store_true", help="delete the stored data of the nodes first")
    parser.add_argument("--no-aot", action="store_true", help="start without an AOT cache, and make none")
    parser.add_option_with_dashed_value("--jvm", metavar="OPTIONS", does="options for the JVM: '-Xmx128m'")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    options = Options(
        stage=arguments.stage,
        nodes=arguments.nodes,
        port=arguments.port,
        data=arguments.data,
        fresh=arguments.fresh,
        aot=not arguments.no_aot,
        jvm=_words(arguments.jvm, "--jvm"),
        server=tuple(arguments.passed_on),
    )
    stage = project.stage(options.stage)
    if options.nodes > 1 and options.stage < FIRST_CLUSTER_STAGE:
        raise Failure(
            f"stage {options.stage} is a single server: --nodes needs stage {FIRST_CLUSTER_STAGE} or a later one"
        )
    data = options.data or project.root / "runs" / stage.name / "data"
    nodes = [Node(f"node{i + 1}", options.port + i, data.resolve() / f"node{i + 1}") for i in range(options.nodes)]
    check_free([node.port for node in nodes])
    data.mkdir(parents=True, exist_ok=True)
    with _locked(data, project):
        _serve(stage, nodes, data, options, project, host)
    return 0


def _serve(stage: Module, nodes: list[Node], data: Path, options: Options, project: Project, host: Host) -> None:
    out = console.standard_output()
    found = jdk.require(host)
    jar = Builder(project, host, out).copy_jar(stage, data)
    if options.fresh:
        for node in nodes:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(node.data)
    cache = AotCaches(project, host, out).flags(stage, found, jar, options.jvm) if options.aot else ()
    command = ServerCommand(found, jar, options.stage, (*cache, *options.jvm), options.server)
    with Children() as children:
        try:
            cluster = Cluster(command, nodes, children, Log(coloured=console.has_colour(out)))
            cluster.await_ready()
            out.print(_invitation(stage, nodes, project.short(data)))
            cluster.await_end()
        except Interrupted:
            warn(f"stopping {', '.join(node.name for node in nodes)}")
            raise


@contextmanager
def _locked(data: Path, project: Project) -> Iterator[None]:
    def refuse() -> None:
        short = project.short(data)
        raise Failure(f"another ./workbook runs servers on {short}: stop it, or choose another folder with --data")

    with directory_lock(data, refuse):
        yield


def _invitation(stage: Module, nodes: list[Node], data: str) -> str:
    entity = f"'{nodes[0].url}/v0/entity?id=fox'"
    other = f"'{nodes[-1].url}/v0/entity?id=fox'"
    return f"""
{stage.name} is up: {", ".join(node.url for node in nodes)}; it stores in {data}. Try, in another terminal:

  curl -i -X PUT --data-binary 'quick and brown' {entity}
  curl -i {other}
  curl -i '{nodes[0].url}/v0/entities?start=a'
  curl -i -X DELETE {entity}

Ctrl-C stops {"it" if len(nodes) == 1 else "them"}.
"""


def _words(texts: list[str], option: str) -> tuple[str, ...]:
    try:
        return tuple(word for text in texts for word in shlex.split(text))
    except ValueError as problem:
        raise UsageError(f"argument {option}: {problem}") from problem


def _stage(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a stage")
    return int(text)


def _port(text: str) -> int:
    return _within(text, 1, PORT_MAX, "a port")


def _within(text: str, least: int, most: int, what: str) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what} from {least} to {most}")
    return int(text)
