from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from tests.fakes import WITHIN_S, await_true, free_ports, make_server_jdk, taken_port
from workbook.failure import Failure
from workbook.jdk import Jdk
from workbook.processes import Children
from workbook.servers import Cluster, Log, Node, ServerCommand, check_free

JAVA = "/jdk/bin/java"
FLAGS = ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]


def command(stage: int, *, jvm: tuple[str, ...] = (), server: tuple[str, ...] = ()) -> ServerCommand:
    return ServerCommand(Jdk(Path("/jdk"), "25", "PATH"), Path("s.jar"), stage, jvm, server)


def test_command_line_of_a_single_server_stage_knows_no_cluster() -> None:
    node = Node("node1", 8080, Path("/data/node1"))

    line = command(1, jvm=("-Xmx128m",), server=("--config", "a.properties")).line(node, [node])

    own = ["--port", "8080", "--data", "/data/node1", "--config", "a.properties"]
    assert line == [JAVA, *FLAGS, "-Xmx128m", "-jar", "s.jar", *own]


def test_command_line_of_a_cluster_stage_names_the_node_and_all_nodes() -> None:
    nodes = [Node(f"node{i}", 8080 + i, Path(f"/data/node{i}")) for i in range(2)]

    line = command(3).line(nodes[1], nodes)

    assert line[-4:] == ["--self", "http://127.0.0.1:8081", "--cluster", "http://127.0.0.1:8080,http://127.0.0.1:8081"]


def test_command_line_of_the_first_node_has_options_of_its_own_before_those_of_all() -> None:
    nodes = [Node(f"node{i}", 8080 + i, Path(f"/data/node{i}")) for i in range(2)]
    called = ServerCommand(Jdk(Path("/jdk"), "25", "PATH"), Path("s.jar"), 3, ("-Xmx1g",), first_jvm_options=("-Da=b",))

    first, second = (called.line(node, nodes) for node in nodes)

    assert first[:6] == [JAVA, *FLAGS, "-Da=b", "-Xmx1g", "-jar"]
    assert second[:5] == [JAVA, *FLAGS, "-Xmx1g", "-jar"]


def test_log_in_a_file_prints_nothing(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with (tmp_path / "log").open("wb") as file:
        Log(coloured=False, file=file).write(b"node1 | ", b"one\r\n")

    assert (tmp_path / "log").read_bytes() == b"node1 | one\n"
    assert capfdbinary.readouterr().out == b""


def test_log_on_a_full_disk_is_dropped_and_the_nodes_go_on() -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        log = Log(coloured=False, file=full)
        log.write(b"node1 | ", b"one")

        assert not log.broken


def test_log_without_colour_prefixes_whole_lines(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log = Log(coloured=False)

    log.write(log.prefix("node1", 0), b"one\r\n")
    log.write(log.prefix("node2", 1), b"[two] without an end")

    assert capfdbinary.readouterr().out == b"node1 | one\nnode2 | [two] without an end\n"


def test_log_with_colour_tells_nodes_apart(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log = Log(coloured=True)

    for index in range(2):
        log.write(log.prefix(f"node{index + 1}", index), b"x\n")

    assert capfdbinary.readouterr().out == b"\033[36mnode1 |\033[0m x\n\033[33mnode2 |\033[0m x\n"


def test_port_that_is_taken_is_refused_by_its_number() -> None:
    with taken_port() as port, pytest.raises(Failure, match=rf"port {port} cannot be used .*: choose another"):
        check_free([free_ports(), port])


def test_port_that_is_none_is_refused_by_its_number() -> None:
    with pytest.raises(Failure, match="port 65536 is above 65535: choose a smaller --port"):
        check_free([65_536])


def test_ports_that_are_free_are_free_again_after_the_check() -> None:
    port = free_ports()

    check_free([port])
    check_free([port])


@pytest.mark.parametrize(
    ("behaviour", "within_s", "outcome"),
    [("ends", WITHIN_S, nullcontext()), ("stubborn", 0.5, pytest.raises(Failure, match="node1 has not stopped"))],
)
def test_nodes_are_stopped_within_the_time_or_that_is_a_failure(
    tmp_path: Path, behaviour: str, within_s: float, outcome: AbstractContextManager[object]
) -> None:
    node = Node("node1", 8080, tmp_path / "data")
    jdk = Jdk(make_server_jdk(tmp_path / "jdk"), "25", "PATH")
    called = ServerCommand(jdk, Path("s.jar"), 1, server_options=(behaviour,))

    with Children(stop_within_s=0.1) as children:
        cluster = Cluster(called, [node], children, Log(coloured=False))
        cluster.await_ready()
        with outcome:
            cluster.stop(within_s)


def test_server_that_is_silent_too_long_is_a_failure_with_its_last_words(tmp_path: Path) -> None:
    home = make_server_jdk(tmp_path / "jdk")
    node = Node("node1", 8080, tmp_path / "data")
    silent = ServerCommand(Jdk(home, "25", "PATH"), Path("s.jar"), 1, server_options=("silent",))

    with Children() as children:
        cluster = Cluster(silent, [node], children, Log(coloured=False))
        await_true(lambda: "pid " in cluster._running[0].last_words())
        with pytest.raises(Failure, match=r"node1 has not said `ready .*` within 0\.1 s; .*\n.*\npid \d+"):
            cluster.await_ready(within_s=0.1)
